/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured, what it must reach, and how it is told. */
#pragma once

#include "device.hpp"

#include <ostream>

namespace bench {

/** Names of our own times beside the peers'. */
constexpr const char *kernel_time = "kernel";
constexpr const char *system_pipeline = "pipeline-system";
constexpr const char *proposed_pipeline = "pipeline-proposed";
constexpr const char *opencl_pipeline = "pipeline-opencl";

/** One case on one device at one size. */
struct Row {
  Case what;
  std::map<std::string, Samples> times;
  std::string algorithm, path;
  /** Who did not take part though expected, and why. */
  std::vector<std::string> notes;

  std::optional<double> time_of (const std::string &name) const;
};

struct Section {
  Device device;
  Size size;
  Limits limits;
  std::vector<Row> rows;
};

struct Report {
  /** Lines of "name: value" about machine, versions and method. */
  std::vector<std::pair<std::string, std::string>> header;
  std::vector<std::string> peers;
  std::vector<Section> sections;
};

/** One target and how far it was reached. */
struct Verdict {
  std::string what;
  double wanted;
  /** None: the peer did not take part. */
  std::optional<double> reached;

  bool missed () const { return reached && *reached < wanted; }
};

std::vector<Verdict> judge (const Section &section);

void print_report (std::ostream &out, const Report &report, bool markdown);
void write_json (std::ostream &out, const Report &report);

}  // namespace bench

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured, what it must reach, and how it is told. */
#pragma once

#include "device.hpp"

#include <ostream>

class Json;
class JsonOutput;

namespace bench {

/** Samples that took turns with nobody else. */
struct Again {
  Samples theirs, kernel, copy;
};

/** One case on one device at one size. */
struct Row {
  Case what;
  std::map<std::string, Samples> times;
  /** By contender, where a target was missed at first. */
  std::map<std::string, Again> again;
  std::string algorithm, path;
  /** Who did not take part though expected, and why. */
  std::vector<std::string> notes;

  std::optional<double> time_of (const std::string &name) const;
  /** What f makes of somebody's time and the kernel's, turn by turn. */
  std::optional<double> beside_kernel (
      const std::string &name, const std::function<double (double theirs, double kernel)> &f) const;
  /** The copy limit's share of the kernel's time, of the same turns. */
  std::optional<double> copy_share (const std::string &name) const;
};

struct Section {
  Device device;
  Size size;
  Limits limits;
  std::vector<Row> rows;
};

/** One target and how far it was reached. */
struct Verdict {
  std::string what;
  double wanted;
  /** None: could not be measured here. */
  std::optional<double> reached;
  /** Who has to be measured again beside the kernel before it counts as missed; "" for nobody. */
  std::string rival = {};
  /** Where it was not reached: the measured limit that keeps it from being so; or why it was not measured. */
  std::string why = {};

  bool below () const { return reached && *reached < wanted; }
  bool bounded () const { return below () && !why.empty (); }
  bool missed () const { return below () && why.empty (); }
};

using Header = std::vector<std::pair<std::string, std::string>>;

struct Report {
  /** Lines of "name: value" about machine, versions and method. */
  Header header;
  std::vector<std::string> peers;
  std::vector<Section> sections;
  /** Of what is no row: growth, start, several pipelines. */
  std::vector<Verdict> others;
};

/** The targets of one row, measured or not. */
std::vector<Verdict> judge_row (const Section &section, const Row &row);
std::vector<Verdict> judge (const Section &section);
/** Whether any target is about this case on this device at this size. */
bool has_target (const Device &device, Size size, const Case &what);
/** Peers that some target of this device names. */
std::vector<std::string> target_peers (const Device &device);

void print_report (std::ostream &out, const Report &report, bool markdown);
void print_verdicts (std::ostream &out, const std::vector<Verdict> &verdicts, bool markdown);

/** The member "header" of a document. */
void add_header (Json &json, const Header &header);
/** Throws where the file cannot be written. */
void write_json (const JsonOutput &output, const Report &report);

}  // namespace bench

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measurements, targets, and reports. */
#pragma once

#include "device.hpp"

#include <ostream>
#include <set>

class Json;
class JsonOutput;

namespace bench {

/** Samples that were taken without other contenders. */
struct Again {
  Samples theirs, kernel, copy;
};

/** One case on one device at one size. */
struct Row {
  Case what;
  std::map<std::string, Samples> times;
  /** By contender, for targets that were missed at first. */
  std::map<std::string, Again> again;
  std::string algorithm, path;
  /** Contenders that did not take part though expected, and why. */
  std::vector<std::string> notes;

  std::optional<double> time_of (const std::string &name) const;
  /** Applies f to a contender's time and the kernel's, turn by turn. */
  std::optional<double> beside_kernel (
      const std::string &name, const std::function<double (double theirs, double kernel)> &f) const;
  /** The copy limit divided by the kernel's time, turn by turn. */
  std::optional<double> copy_share (const std::string &name) const;
};

struct Section {
  Device device;
  Size size;
  Limits limits;
  std::vector<Row> rows;
};

/** A target and its result. */
struct Verdict {
  std::string what;
  double wanted;
  /** Empty if it could not be measured here. */
  std::optional<double> reached;
  /** The contender to measure again beside the kernel before the target counts as missed; "" for none. */
  std::string rival = {};
  /** If the target was not reached: the measured limit that prevents it, or why it was not measured. */
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
  /** Targets that belong to no row: growth, start, several pipelines. */
  std::vector<Verdict> others;
};

/** The targets of one row, measured or not. */
std::vector<Verdict> judge_row (const Section &section, const Row &row);
std::vector<Verdict> judge (const Section &section);
/** Whether there is a target for this case on this device at this size. */
bool has_target (const Device &device, Size size, const Case &what);
/** Peers in the targets of this device. */
std::set<std::string> target_peers (const Device &device);

using Cells = std::vector<std::string>;

/** Puts values in place of signs like @radius, wherever they are. */
std::string filled_in (std::string text, const std::map<std::string, std::string> &values);
/** What a program has printed last. */
std::string last_line (std::string text);

/** Three significant digits; integers from 100 on. */
std::string digits (double value);
/** "typical (min..max)" */
std::string range (const Samples &samples);
/** The first line is the header. */
void print_table (std::ostream &out, const std::vector<Cells> &lines, bool markdown);

void print_header (std::ostream &out, const Header &header, bool markdown);
void print_report (std::ostream &out, const Report &report, bool markdown);
void print_verdicts (std::ostream &out, const std::vector<Verdict> &verdicts, bool markdown);

/** Adds the member "header" to a document. */
void add_header (Json to, const Header &header);
/** Throws if the file cannot be written. */
void write_json (const JsonOutput &output, const Report &report);

}  // namespace bench

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sources.hpp"
#include "../../pipelines/apps/common/json.hpp"

#include <algorithm>
#include <cmath>

namespace bench {

void
Sources::add (SourceTable &table, SourceRow row, std::vector<Contender> contenders)
{
  progress.step (table.title + ": " + row.what + " " + row.size);
  constexpr int runs_of_deviations = 10;
  Effort effort = options.quick ? Effort{3, 0.5, 1} : Effort{9, 1, 3};
  if (table.unit == SourceUnit::mean_and_deviation) {
    effort.runs = effort.least_runs = runs_of_deviations;
    for (Contender &each : contenders)
      each.most_runs = 0;
  }
  Outcome outcome = measure (contenders, effort, progress.detail ());
  row.times = std::move (outcome.times);
  for (const auto &[name, reason] : outcome.failures)
    notes.push_back (row.what + " " + row.size + ", " + name + ": " + reason);
  table.rows.push_back (std::move (row));
}

namespace {

/* Plain code and OpenCV come first, then the devices. */
std::vector<std::string>
columns_of (const SourceTable &table)
{
  std::vector<std::string> names;
  for (const SourceRow &row : table.rows)
    for (const auto &[name, samples] : row.times)
      if (std::find (names.begin (), names.end (), name) == names.end ())
        names.push_back (name);
  const auto rank = [] (const std::string &name) { return name == plain_code ? 0 : name.starts_with ("OpenCV") ? 1 : 2; };
  std::stable_sort (
      names.begin (), names.end (), [&] (const std::string &a, const std::string &b) { return rank (a) < rank (b); });
  return names;
}

std::string
mean_and_deviation (const std::vector<double> &us)
{
  double sum = 0, squares = 0;
  for (const double v : us)
    sum += v;
  const double mean = sum / double (us.size ());
  for (const double v : us)
    squares += (v - mean) * (v - mean);
  return digits (mean / 1000) + " +- " + digits (std::sqrt (squares / double (us.size ())) / 1000);
}

std::string
cell_of (const SourceTable &table, const SourceRow &row, const std::string &column)
{
  const auto found = row.times.find (column);
  if (found == row.times.end () || found->second.us.empty ())
    return "-";
  const double us = found->second.typical ();
  switch (table.unit) {
    case SourceUnit::mean_and_deviation:
      return mean_and_deviation (found->second.us);
    case SourceUnit::frames_a_second:
      return digits (1e6 / us);
    case SourceUnit::gflop_s:
    case SourceUnit::gb_s:
      return digits (row.amount / us / 1e3);
    default:
      return digits (us / 1000);
  }
}

void
print_source (std::ostream &out, const SourceTable &table, bool markdown)
{
  static constexpr const char *units[] = {
      "milliseconds", "frames a second", "Gflop/s", "GB/s", "milliseconds: mean and deviation of ten runs"};
  out << (markdown ? "#### " : "== ") << table.title << " (" << units[int (table.unit)] << ")\n\n";
  const std::vector<std::string> columns = columns_of (table);
  Cells head{"what", "size", "published"};
  head.insert (head.end (), columns.begin (), columns.end ());
  std::vector<Cells> lines{head};
  for (const SourceRow &row : table.rows) {
    Cells cells{row.what, row.size, row.published.empty () ? "-" : row.published};
    for (const std::string &column : columns)
      cells.push_back (cell_of (table, row, column));
    lines.push_back (cells);
  }
  print_table (out, lines, markdown);
}

void
write_sources (const JsonOutput &output, const std::vector<SourceTable> &tables)
{
  Json json;
  json.objects ("sources", tables, [] (Json to, const SourceTable &table) {
    to.member ("source", table.part).member ("title", table.title);
    to.objects ("rows", table.rows, [] (Json of, const SourceRow &row) {
      of.member ("what", row.what).member ("size", row.size).member ("published", row.published);
      Json us = of.add_group ("us");
      for (const auto &[name, samples] : row.times)
        if (!samples.us.empty ())
          us.member (name, samples.typical ());
    });
  });
  output.write (json.document ());
}

}  // namespace

int
run_sources (const Options &options)
{
  ProgressLine progress;
  Sources sources{options, progress};
  for (const Device &device : wanted_devices (options))
    sources.devices.push_back ({device, open_context (device)});
  measure_filters (sources);
  measure_compute (sources);
  measure_variants (sources);
  std::ranges::stable_sort (sources.tables, {}, &SourceTable::part);
#ifndef HAVE_OPENCV
  sources.notes.push_back ("OpenCV is not compared: there was none when the build was configured. After its installation "
                           "`meson setup --reconfigure build` finds it.");
#endif
  progress.show ("");
  print_header (std::cout, make_header (options), options.markdown);
  std::cout << "\nWhole: appsrc ! element ! fakesink on system memory, with copies to a device that has memory of its own.\n"
               "Kernel: the device's work alone, without copies. Samples have 8 bits where a row does not say floats; C's had "
               "floats.\n"
               "Published: the document's own machine. A and C count copies, B start-up as well, D kernels alone. A range is\n"
               "what the document has from its smallest to its largest size.\n\n";
  for (const SourceTable &table : sources.tables)
    print_source (std::cout, table, options.markdown);
  for (const std::string &note : sources.notes)
    std::cout << (options.markdown ? "- " : "note: ") << note << "\n";
  if (options.json)
    write_sources (*options.json, sources.tables);
  return 0;
}

}  // namespace bench

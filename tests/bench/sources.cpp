/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sources.hpp"
#include "../../pipelines/apps/common/json.hpp"
#include "text.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {

void
Sources::add (SourceTable &table, SourceRow row, const std::vector<Contender> &contenders)
{
  progress.step (table.title + ": " + row.what + " " + row.size);
  const Effort effort = options.quick ? Effort{3, 0.5, 1} : Effort{9, 1, 3};
  Outcome outcome = measure (contenders, effort, progress.detail ());
  row.times = std::move (outcome.times);
  for (const auto &[name, reason] : outcome.failures)
    notes.push_back (row.what + " " + row.size + ", " + name + ": " + reason);
  table.rows.push_back (std::move (row));
}

namespace {

/* Plain code and OpenCV first, then the devices. */
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

void
print_source (std::ostream &out, const SourceTable &table, bool markdown)
{
  out << (markdown ? "#### " : "== ") << table.title << " (" << (table.in_frames_a_second ? "frames a second" : "milliseconds")
      << ")\n\n";
  const std::vector<std::string> columns = columns_of (table);
  Cells head{"what", "size", "published"};
  head.insert (head.end (), columns.begin (), columns.end ());
  std::vector<Cells> lines{head};
  for (const SourceRow &row : table.rows) {
    Cells cells{row.what, row.size, row.published.empty () ? "-" : row.published};
    for (const std::string &column : columns) {
      const auto found = row.times.find (column);
      const double us = found == row.times.end () || found->second.us.empty () ? 0 : found->second.typical ();
      cells.push_back (us == 0 ? "-" : digits (table.in_frames_a_second ? 1e6 / us : us / 1000));
    }
    lines.push_back (cells);
  }
  print_table (out, lines, markdown);
}

void
add_source_row (Json &json, const SourceRow &row)
{
  json.begin_object ().member ("what", row.what).member ("size", row.size).member ("published", row.published);
  json.name ("us").begin_object ();
  for (const auto &[name, samples] : row.times)
    if (!samples.us.empty ())
      json.member (name, samples.typical ());
  json.end_object ().end_object ();
}

void
write_sources (const JsonOutput &output, const std::vector<SourceTable> &tables)
{
  Json json;
  json.begin_object ().name ("sources").begin_array ();
  for (const SourceTable &table : tables) {
    json.begin_object ().member ("source", table.part).member ("title", table.title).name ("rows").begin_array ();
    for (const SourceRow &row : table.rows)
      add_source_row (json, row);
    json.end_array ().end_object ();
  }
  output.write (json.end_array ().end_object ().text ());
}

}  // namespace

int
run_sources (const Options &options)
{
  std::vector<SourceTable> tables;
  std::vector<std::string> notes;
  {
    ProgressLine progress;
    Sources sources{options, progress, {}, {}, {}};
    for (const Device &device : wanted_devices (options))
      sources.devices.push_back ({device, open_context (device)});
    measure_filters (sources);
    measure_compute (sources);
    tables = std::move (sources.tables);
    notes = std::move (sources.notes);
  }
  for (const auto &[name, value] : make_header (options))
    std::cout << (options.markdown ? "- " : "") << name << ": " << value << "\n";
  std::cout << "\nWhole: appsrc ! element ! fakesink on system memory, copies to a device and back counted, as in the\n"
               "documents. Kernel: the device's work alone. Published: the document's own machine, named where it is.\n\n";
  for (const SourceTable &table : tables)
    print_source (std::cout, table, options.markdown);
  for (const std::string &note : notes)
    std::cout << (options.markdown ? "- " : "note: ") << note << "\n";
  if (options.json)
    write_sources (*options.json, tables);
  return 0;
}

}  // namespace bench

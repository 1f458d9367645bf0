/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for people, as text or Markdown. */
#include "result.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

/* Three significant digits, whole numbers from 100 on. */
std::string
number (double value)
{
  char text[32];
  std::snprintf (text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  return text;
}

std::string
range (const Samples &samples)
{
  return number (samples.typical ()) + " (" + number (samples.minimum ()) + ".." + number (samples.maximum ()) + ")";
}

using Cells = std::vector<std::string>;

void
print_line (std::ostream &out, const Cells &cells, const std::vector<size_t> &widths, bool markdown)
{
  std::string line;
  for (size_t i = 0; i < cells.size (); i++) {
    const std::string pad (widths[i] - cells[i].size (), ' ');
    if (markdown)
      line += "| " + cells[i] + pad + " ";
    else
      line += (i ? "  " : "") + (i ? pad + cells[i] : cells[i] + pad);
  }
  out << line << (markdown ? "|\n" : "\n");
}

void
print_table (std::ostream &out, const std::vector<Cells> &lines, bool markdown)
{
  std::vector<size_t> widths (lines[0].size ());
  for (const Cells &cells : lines)
    for (size_t i = 0; i < cells.size (); i++)
      widths[i] = std::max (widths[i], cells[i].size ());
  for (size_t i = 0; i < lines.size (); i++) {
    print_line (out, lines[i], widths, markdown);
    if (i > 0)
      continue;
    Cells rule;
    for (size_t width : widths)
      rule.push_back (std::string (width, '-'));
    print_line (out, rule, widths, markdown);
  }
  out << "\n";
}

struct Column {
  std::string name, title;
};

/* Times of our own, then the peers; those that nobody has are left out. */
std::vector<Column>
columns_of (const Section &section, const std::vector<std::string> &peers)
{
  std::vector<Column> wanted{
      {system_pipeline, "system memory"}, {proposed_pipeline, "proposed pool"}, {opencl_pipeline, "OpenCL memory"}};
  for (const std::string &peer : peers)
    wanted.push_back ({peer, peer});
  std::erase_if (wanted, [&section] (const Column &column) {
    return std::none_of (section.rows.begin (), section.rows.end (),
        [&column] (const Row &row) { return row.times.count (column.name); });
  });
  return wanted;
}

/* A peer's time, and how many of ours fit into it. */
std::string
peer_cell (const Row &row, const std::string &peer)
{
  const std::optional<double> theirs = row.time_of (peer), ours = row.time_of (kernel_time);
  if (!theirs)
    return "-";
  return number (*theirs) + (ours ? " x" + number (*theirs / *ours) : "");
}

Cells
row_cells (const Section &section, const Row &row, const std::vector<Column> &columns)
{
  Cells cells{row.what.title};
  const auto kernel = row.times.find (kernel_time);
  if (kernel == row.times.end ()) {
    cells.insert (cells.end (), {"-", "-"});
  } else {
    cells.push_back (range (kernel->second));
    cells.push_back (number (100 * section.limits.copy_us () / kernel->second.typical ()) + " %");
  }
  for (const Column &column : columns) {
    const bool own = column.name.starts_with ("pipeline-");
    const std::optional<double> time = row.time_of (column.name);
    cells.push_back (!own ? peer_cell (row, column.name) : time ? number (*time) : "-");
  }
  cells.push_back (row.algorithm);
  return cells;
}

void
print_limits (std::ostream &out, const Section &section)
{
  const auto rate = [&section] (double us) {
    return number (2 * double (section.size.bytes ()) / us / 1000) + " GB/s read and written";
  };
  out << "copy limit: " << number (section.limits.copy_us ()) << " us, " << rate (section.limits.copy_us ())
      << " (kernel of uint4 " << range (section.limits.copy_kernel) << ", clEnqueueCopyBuffer "
      << range (section.limits.copy_command) << ")";
  if (section.limits.link)
    out << "; link, both ways at once: " << range (*section.limits.link) << " us a frame";
  out << "\n\n";
}

void
print_verdicts (std::ostream &out, const Section &section, bool markdown)
{
  const std::vector<Verdict> verdicts = judge (section);
  if (verdicts.empty ())
    return;
  std::vector<Cells> lines{{"target", "wanted", "reached", ""}};
  for (const Verdict &verdict : verdicts)
    lines.push_back ({verdict.what, number (verdict.wanted), verdict.reached ? number (*verdict.reached) : "-",
        !verdict.reached    ? "not measured"
        : verdict.missed () ? "MISSED"
                            : "ok"});
  print_table (out, lines, markdown);
}

std::string
on_one_line (std::string text)
{
  std::replace (text.begin (), text.end (), '\n', ' ');
  return text;
}

void
print_section (std::ostream &out, const Section &section, const std::vector<std::string> &peers, bool markdown)
{
  const Device &device = section.device;
  out << (markdown ? "### " : "== ") << device.name << ", " << section.size.text () << " RGBA\n\n";
  out << device.index << " " << device.platform << ", driver " << device.driver << ", " << device.version << "\n\n";
  print_limits (out, section);
  const std::vector<Column> columns = columns_of (section, peers);
  Cells head{"filter", "kernel us (min..max)", "of copy"};
  for (const Column &column : columns)
    head.push_back (column.title);
  head.push_back ("algorithm");
  std::vector<Cells> lines{head};
  for (const Row &row : section.rows)
    lines.push_back (row_cells (section, row, columns));
  print_table (out, lines, markdown);
  for (const Row &row : section.rows)
    for (const std::string &note : row.notes)
      out << (markdown ? "- " : "note: ") << row.what.title << ": " << on_one_line (note) << "\n";
  out << "\n";
  print_verdicts (out, section, markdown);
}

}  // namespace

void
print_report (std::ostream &out, const Report &report, bool markdown)
{
  for (const auto &[name, value] : report.header)
    out << (markdown ? "- " : "") << name << ": " << value << "\n";
  out << "\nMicroseconds per frame; xN: the peer takes N times as long as our kernels.\n\n";
  for (const Section &section : report.sections)
    print_section (out, section, report.peers, markdown);
}

}  // namespace bench

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints tables as text or Markdown. */
#include "result.hpp"
#include "text.hpp"

#include <algorithm>

namespace bench {

namespace {

struct Column {
  std::string name, title;
};

/* The columns: our own times, then the peers'; empty columns are omitted. */
std::vector<Column>
columns_of (const Section &section, const std::vector<std::string> &peers)
{
  std::vector<Column> wanted{
      {system_pipeline, "system memory"}, {proposed_pipeline, "proposed pool"}, {opencl_pipeline, "OpenCL memory"}};
  for (const std::string &peer : peers)
    wanted.push_back ({peer, peer});
  std::erase_if (wanted, [&section] (const Column &column) {
    return std::none_of (
        section.rows.begin (), section.rows.end (), [&column] (const Row &row) { return row.times.count (column.name); });
  });
  return wanted;
}

/* A peer's time, and its ratio to ours. */
std::string
peer_cell (const Row &row, const std::string &peer)
{
  const std::optional<double> theirs = row.time_of (peer);
  const std::optional<double> ratio = row.beside_kernel (peer, [] (double taken, double kernel) { return taken / kernel; });
  if (!theirs)
    return "-";
  return digits (*theirs) + (ratio ? " x" + digits (*ratio) : "");
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
    const std::optional<double> share = row.beside_kernel (copy_time, [] (double copy, double taken) { return copy / taken; });
    cells.push_back (share ? digits (100 * *share) + " %" : "-");
  }
  for (const Column &column : columns) {
    const bool own = column.name.starts_with ("pipeline-");
    const std::optional<double> time = row.time_of (column.name);
    cells.push_back (!own ? peer_cell (row, column.name) : time ? digits (*time) : "-");
  }
  cells.push_back (row.algorithm);
  return cells;
}

void
print_limits (std::ostream &out, const Section &section)
{
  const auto rate = [&section] (double us) {
    return digits (2 * double (section.size.bytes ()) / us / 1000) + " GB/s read and written";
  };
  out << "copy limit: " << digits (section.limits.copy_us ()) << " us, " << rate (section.limits.copy_us ())
      << " (kernel of uint4 " << range (section.limits.copy_kernel) << ", clEnqueueCopyBuffer "
      << range (section.limits.copy_command) << ")";
  if (section.limits.link)
    out << "; link, both ways at once: " << range (*section.limits.link) << " us a frame";
  if (section.limits.host_copy)
    out << "; one thread's copy into pinned pages: " << range (*section.limits.host_copy) << " us a frame";
  out << "\n\n";
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
  print_verdicts (out, judge (section), markdown);
}

const char *
state (const Verdict &verdict)
{
  return !verdict.reached ? "not measured" : verdict.missed () ? "MISSED" : verdict.below () ? "bounded" : "ok";
}

}  // namespace

void
print_verdicts (std::ostream &out, const std::vector<Verdict> &verdicts, bool markdown)
{
  if (verdicts.empty ())
    return;
  std::vector<Cells> lines{{"target", "wanted", "reached", "", "why"}};
  for (const Verdict &verdict : verdicts)
    lines.push_back ({verdict.what, digits (verdict.wanted), verdict.reached ? digits (*verdict.reached) : "-", state (verdict),
        verdict.why});
  print_table (out, lines, markdown);
}

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

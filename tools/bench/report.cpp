/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints tables as text or Markdown, and everything as JSON. */
#include "../../pipelines/apps/common/glib.hpp"
#include "../../pipelines/apps/common/json.hpp"
#include "result.hpp"

#include <algorithm>

namespace bench {

std::string
filled_in (std::string text, const std::map<std::string, std::string> &values)
{
  for (const auto &[sign, value] : values)
    for (size_t at = text.find (sign); at != std::string::npos; at = text.find (sign, at + value.size ()))
      text.replace (at, sign.size (), value);
  return text;
}

std::string
last_line (std::string text)
{
  while (!text.empty () && text.back () == '\n')
    text.pop_back ();
  return text.substr (text.find_last_of ('\n') + 1);
}

std::string
digits (double value)
{
  return value >= 0.1 ? printed ("%.*f", value >= 100 ? 0 : value >= 10 ? 1 : 2, value) : printed ("%.2g", value);
}

std::string
range (const Samples &samples)
{
  return digits (samples.typical ()) + " (" + digits (samples.minimum ()) + ".." + digits (samples.maximum ()) + ")";
}

namespace {

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

}  // namespace

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
    for (std::string note : row.notes) {
      std::ranges::replace (note, '\n', ' ');
      out << (markdown ? "- " : "note: ") << row.what.title << ": " << note << "\n";
    }
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
print_header (std::ostream &out, const Header &header, bool markdown)
{
  for (const auto &[name, value] : header)
    out << (markdown ? "- " : "") << name << ": " << value << "\n";
}

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
  print_header (out, report.header, markdown);
  out << "\nMicroseconds per frame; xN: the peer takes N times as long as our kernels.\n\n";
  for (const Section &section : report.sections)
    print_section (out, section, report.peers, markdown);
}

namespace {

void
add_samples (Json to, const char *name, const Samples &samples)
{
  to.add_group (name)
      .member ("median_us", samples.median ())
      .member ("min_us", samples.minimum ())
      .member ("max_us", samples.maximum ())
      .member ("runs", samples.us.size ());
}

void
add_row (Json to, const Row &row)
{
  to.member ("filter", row.what.filter).member ("size", row.what.window).member ("title", row.what.title);
  to.member ("channels", row.what.channels ()).member ("algorithm", row.algorithm).member ("path", row.path);
  const Json times = to.add_group ("times");
  for (const auto &[name, samples] : row.times)
    add_samples (times, name.c_str (), samples);
  to.member ("notes", row.notes);
}

void
add_verdict (Json to, const Verdict &verdict)
{
  to.member ("what", verdict.what).member ("wanted", verdict.wanted).member ("reached", verdict.reached);
  to.member ("bounded", verdict.bounded ()).member ("why", verdict.why);
}

void
add_section (Json to, const Section &section)
{
  const Device &device = section.device;
  to.member ("device", device.index).member ("name", device.name).member ("platform", device.platform);
  to.member ("driver", device.driver).member ("version", device.version).member ("type", device.is_cpu ? "cpu" : "gpu");
  to.member ("width", section.size.width).member ("height", section.size.height);
  to.member ("copy_us", section.limits.copy_us ());
  add_samples (to, "copy_kernel", section.limits.copy_kernel);
  add_samples (to, "copy_command", section.limits.copy_command);
  if (section.limits.link) {
    add_samples (to, "link", *section.limits.link);
    add_samples (to, "host_copy", *section.limits.host_copy);
  }
  to.objects ("rows", section.rows, add_row).objects ("targets", judge (section), add_verdict);
}

}  // namespace

void
add_header (Json to, const Header &header)
{
  Json group = to.add_group ("header");
  for (const auto &[name, value] : header)
    group.member (name, value);
}

void
write_json (const JsonOutput &output, const Report &report)
{
  Json json;
  add_header (json, report.header);
  json.objects ("sections", report.sections, add_section).objects ("others", report.others, add_verdict);
  output.write (json.document ());
}

}  // namespace bench

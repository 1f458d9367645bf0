/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "growth.hpp"
#include "text.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace bench {

Samples &
Plot::at (const std::string &line, double x, bool is_limit)
{
  auto found = std::find_if (lines.begin (), lines.end (), [&] (const Line &known) { return known.name == line; });
  if (found == lines.end ())
    found = lines.insert (lines.end (), {line, {}, is_limit});
  return found->points.emplace_back (x, Samples{}).second;
}

void
grow (Growth &growth)
{
  const std::pair<const char *, void (*) (Growth &)> parts[] = {{"pixels", grow_pixels}, {"windows", grow_windows},
      {"chain", grow_chain}, {"pipelines", grow_pipelines}, {"start", time_starts}, {"change", time_changes}};
  for (const auto &[name, run] : parts)
    if (growth.options.wants_part (name))
      run (growth);
}

namespace {

std::vector<double>
all_x (const Plot &plot)
{
  std::vector<double> all;
  for (const Line &line : plot.lines)
    for (const auto &[x, samples] : line.points)
      all.push_back (x);
  std::sort (all.begin (), all.end ());
  all.erase (std::unique (all.begin (), all.end ()), all.end ());
  return all;
}

std::string
cell (const Line &line, double x)
{
  for (const auto &[at, samples] : line.points)
    if (at == x && !samples.us.empty ())
      return digits (samples.typical ());
  return "-";
}

void
print_plot (std::ostream &out, const Plot &plot, bool markdown)
{
  out << (markdown ? "#### " : "-- ") << plot.title << ", " << plot.device << ": " << plot.y_axis << "\n\n";
  Cells head{plot.x_axis};
  for (const Line &line : plot.lines)
    head.push_back (line.name);
  std::vector<Cells> lines{head};
  for (double x : all_x (plot)) {
    Cells cells{plot.labels.empty () ? digits (x) : plot.labels.at (size_t (x) - 1)};
    for (const Line &line : plot.lines)
      cells.push_back (cell (line, x));
    lines.push_back (cells);
  }
  print_table (out, lines, markdown);
  for (const std::string &note : plot.notes)
    out << (markdown ? "- " : "note: ") << note << "\n";
  if (!plot.notes.empty ())
    out << "\n";
}

void
write_line (std::ostream &out, const Line &line)
{
  out << "{\"name\": " << quoted (line.name) << ", \"limit\": " << (line.is_limit ? "true" : "false")
      << ", \"points\": [";
  const char *separator = "";
  for (const auto &[x, samples] : line.points) {
    if (samples.us.empty ())
      continue;
    out << separator << "[" << x << ", " << samples.typical () << ", " << samples.minimum () << ", "
        << samples.maximum () << "]";
    separator = ", ";
  }
  out << "]}";
}

void
write_plot (std::ostream &out, const Plot &plot)
{
  out << "    {\"part\": " << quoted (plot.part) << ", \"device\": " << quoted (plot.device)
      << ", \"title\": " << quoted (plot.title) << ", \"x\": " << quoted (plot.x_axis)
      << ", \"y\": " << quoted (plot.y_axis) << ", \"log_x\": " << (plot.log_x ? "true" : "false")
      << ", \"log_y\": " << (plot.log_y ? "true" : "false") << ", \"labels\": [";
  const char *separator = "";
  for (const std::string &label : plot.labels) {
    out << separator << quoted (label);
    separator = ", ";
  }
  out << "],\n     \"lines\": [";
  separator = "\n      ";
  for (const Line &line : plot.lines) {
    out << separator;
    write_line (out, line);
    separator = ",\n      ";
  }
  out << "]}";
}

void
write_growth (const std::string &path, const std::vector<std::pair<std::string, std::string>> &header,
    const std::vector<Plot> &plots)
{
  std::ofstream out (path);
  out.imbue (std::locale::classic ());
  out << "{\n  \"header\": {";
  const char *separator = "\n";
  for (const auto &[name, value] : header) {
    out << separator << "    " << quoted (name) << ": " << quoted (value);
    separator = ",\n";
  }
  out << "\n  },\n  \"plots\": [";
  separator = "\n";
  for (const Plot &plot : plots) {
    out << separator;
    write_plot (out, plot);
    separator = ",\n";
  }
  out << "\n  ]\n}\n";
  if (!out.flush ())
    throw std::runtime_error ("cannot write " + path);
}

}  // namespace

int
run_growth (const Options &options)
{
  const auto header = make_header (options);
  for (const auto &[name, value] : header)
    std::cout << (options.markdown ? "- " : "") << name << ": " << value << "\n";
  std::cout << "\n";
  std::vector<Plot> plots;
  for (const Device &device : wanted_devices (options)) {
    ProgressLine progress;
    const ContextPointer context = open_context (device);
    Growth growth{options, device, context.get (), progress, {}, {}};
    grow (growth);
    progress.show ("");
    for (Plot &plot : growth.plots) {
      print_plot (std::cout, plot, options.markdown);
      plots.push_back (std::move (plot));
    }
    print_verdicts (std::cout, growth.verdicts, options.markdown);
  }
  if (!options.json.empty ())
    write_growth (options.json, header, plots);
  return 0;
}

}  // namespace bench

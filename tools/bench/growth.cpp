/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "growth.hpp"
#include "../../pipelines/apps/common/json.hpp"
#include "text.hpp"

#include <algorithm>

namespace bench {

const Line *
Plot::find (const std::string &line) const
{
  const auto found = std::ranges::find (lines, line, &Line::name);
  return found == lines.end () ? nullptr : &*found;
}

Samples &
Plot::at (const std::string &line, double x, bool is_limit)
{
  if (!find (line))
    lines.push_back ({line, {}, is_limit});
  return std::ranges::find (lines, line, &Line::name)->points.emplace_back (x, Samples{}).second;
}

void
Plot::note (const std::string &title, const Outcome &outcome)
{
  for (const auto &[name, reason] : outcome.failures)
    notes.push_back (title + ", " + name + ": " + reason);
}

void
grow (Growth &growth)
{
  const std::pair<const char *, void (*) (Growth &)> parts[] = {{"pixels", grow_pixels}, {"windows", grow_windows},
      {"chain", grow_chain}, {"pipelines", grow_pipelines}, {"start", time_starts}, {"change", time_changes},
      {"formats", compare_formats}, {"convert", compare_conversions}, {"whole", compare_whole_pipelines}};
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
add_line (Json &json, const Line &line)
{
  json.begin_object ().member ("name", line.name).member ("limit", line.is_limit).name ("points").begin_array ();
  for (const auto &[x, samples] : line.points)
    if (!samples.us.empty ())
      json.begin_array ()
          .value (x)
          .value (samples.typical ())
          .value (samples.minimum ())
          .value (samples.maximum ())
          .end_array ();
  json.end_array ().end_object ();
}

void
add_plot (Json &json, const Plot &plot)
{
  json.begin_object ().member ("part", plot.part).member ("device", plot.device).member ("title", plot.title);
  json.member ("x", plot.x_axis).member ("y", plot.y_axis).member ("log_x", plot.log_x).member ("log_y", plot.log_y);
  json.name ("labels").begin_array ();
  for (const std::string &label : plot.labels)
    json.value (label);
  json.end_array ().name ("lines").begin_array ();
  for (const Line &line : plot.lines)
    add_line (json, line);
  json.end_array ().end_object ();
}

void
write_growth (const JsonOutput &output, const Header &header, const std::vector<Plot> &plots)
{
  Json json;
  json.begin_object ();
  add_header (json, header);
  json.name ("plots").begin_array ();
  for (const Plot &plot : plots)
    add_plot (json, plot);
  json.end_array ().end_object ();
  output.write (json.text ());
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
  if (options.json)
    write_growth (*options.json, header, plots);
  return 0;
}

}  // namespace bench

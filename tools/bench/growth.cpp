/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "growth.hpp"
#include "../../pipelines/apps/common/json.hpp"

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
  std::set<double> all_x;
  for (const Line &line : plot.lines)
    for (const auto &[x, samples] : line.points)
      all_x.insert (x);
  for (double x : all_x) {
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
  json.member ("name", line.name).member ("limit", line.is_limit).name ("points").begin_array ();
  for (const auto &[x, samples] : line.points)
    if (!samples.us.empty ()) {
      json.begin_array ().value (x).value (samples.typical ()).value (samples.minimum ()).value (samples.maximum ());
      json.end_array ();
    }
  json.end_array ();
}

void
write_growth (const JsonOutput &output, const Header &header, const std::vector<Plot> &plots)
{
  Json json;
  json.begin_object ();
  add_header (json, header);
  json.objects ("plots", plots, [&json] (const Plot &plot) {
    json.member ("part", plot.part).member ("device", plot.device).member ("title", plot.title);
    json.member ("x", plot.x_axis).member ("y", plot.y_axis).member ("log_x", plot.log_x).member ("log_y", plot.log_y);
    json.list ("labels", plot.labels);
    json.objects ("lines", plot.lines, [&json] (const Line &line) { add_line (json, line); });
  });
  output.write (json.end_object ().text ());
}

}  // namespace

int
run_growth (const Options &options)
{
  const Header header = make_header (options);
  print_header (std::cout, header, options.markdown);
  std::cout << "\n";
  std::vector<Plot> plots;
  for (const Device &device : wanted_devices (options)) {
    ProgressLine progress;
    const ContextPointer context = open_context (device);
    Growth growth{options, device, context.get (), progress};
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

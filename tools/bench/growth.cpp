/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How times grow: reports, and chains of elements and parallel pipelines. */
#include "growth.hpp"
#include "../../pipelines/apps/common/json.hpp"

#include <algorithm>
#include <future>

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
add_line (Json to, const Line &line)
{
  std::vector<std::vector<double>> points;
  for (const auto &[x, samples] : line.points)
    if (!samples.us.empty ())
      points.push_back ({x, samples.typical (), samples.minimum (), samples.maximum ()});
  to.member ("name", line.name).member ("limit", line.is_limit).member ("points", points);
}

void
write_growth (const JsonOutput &output, const Header &header, const std::vector<Plot> &plots)
{
  Json json;
  add_header (json, header);
  json.objects ("plots", plots, [] (Json to, const Plot &plot) {
    to.member ("part", plot.part).member ("device", plot.device).member ("title", plot.title);
    to.member ("x", plot.x_axis).member ("y", plot.y_axis).member ("log_x", plot.log_x).member ("log_y", plot.log_y);
    to.member ("labels", plot.labels).objects ("lines", plot.lines, add_line);
  });
  output.write (json.document ());
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

namespace {

/** How much more time a chain may take than its kernels. */
constexpr double chain_factor = 1.1;
/** Sums of frame rates that differ by less count as equal, because two measurements of the same thing differ by as much. */
constexpr double equal_sums = 0.95;

const char *const chain_keys[] = {
    "median 3", "blur 13", "colormatrix 1", "unsharp 7", "erode 3", "convolve-int 3", "levels 1", "noise 1"};

Case
chain_of (int n)
{
  Case what = find_case (chain_keys[0]);
  what.title = "chain of " + std::to_string (n);
  for (int i = 1; i < n; i++) {
    const Case next = find_case (chain_keys[i]);
    what.chain.push_back ({next.element, next.properties, next.planes});
  }
  return what;
}

/* Pipelines on one device, each fed by a thread; times are µs per frame of all of them together. */
class Crowd {
public:
  Crowd (Growth &growth, const Case &what, const Frames &frames, int n)
  {
    const Memory memory = growth.device.is_discrete ? Memory::proposed : Memory::system;
    for (int i = 0; i < n; i++)
      pipelines.push_back (std::make_unique<Pipeline> (growth.context, growth.device.index, what, frames, memory, false));
    frames_each = std::max (2, frames_per_sample (*pipelines[0], 100000) / n);
  }

  double run ()
  {
    std::vector<std::future<void>> runs;
    const double begin = now_us ();
    for (const std::unique_ptr<Pipeline> &each : pipelines)
      runs.push_back (std::async (std::launch::async, [&] { each->run (frames_each); }));
    for (const std::future<void> &run : runs)
      run.wait ();
    const double us = now_us () - begin;
    for (std::future<void> &run : runs)
      run.get (); /* throws what the pipeline has thrown */
    return us / (double (frames_each) * double (pipelines.size ()));
  }

private:
  std::vector<std::unique_ptr<Pipeline>> pipelines;
  int frames_each;
};

/* The frame rate of eight pipelines divided by that of one. */
double
gain_of_eight (const Outcome &outcome)
{
  return per_turn (
      outcome.times.at ("1"), outcome.times.at ("8"), [] (double alone, double together) { return alone / together; });
}

void
grow_pipelines_of (Growth &growth, const std::string &key)
{
  const Case what = find_case (key);
  const Frames frames = make_moved_frames (growth.size ());
  const std::vector<int> counts = growth.brief () ? std::vector<int>{1, 8} : std::vector<int>{1, 2, 4, 8};
  Plot &plot = growth.plots.emplace_back (
      Plot{"pipelines", growth.device.name, "pipelines of " + what.title + ", " + growth.size ().text () + " RGBA",
          "pipelines in one process", "frames a second, all together", false, false});
  std::vector<Contender> contenders;
  for (int n : counts) {
    const auto crowd = std::make_shared<Crowd> (growth, what, frames, n);
    contenders.push_back ({std::to_string (n), [crowd] { return crowd->run (); }});
  }
  /* a sum below the target is measured again, with more samples; the last measurement counts */
  Outcome outcome;
  for (const Effort &effort : {Effort{growth.effort ().runs, 4, 5}, Effort{31, 10, 9}}) {
    outcome = growth.measure (plot.title, contenders, effort);
    if (!outcome.failures.empty () || gain_of_eight (outcome) >= equal_sums)
      break;
  }
  for (const auto &[n, reason] : outcome.failures)
    plot.notes.push_back (n + " pipelines: " + reason);
  Verdict verdict{"8 pipelines of " + what.title + " against one, frames of all together", equal_sums, std::nullopt};
  if (outcome.failures.empty ()) {
    verdict.reached = gain_of_eight (outcome);
    for (int n : counts)
      plot.at ("all together", n) = rates (outcome.times.at (std::to_string (n)));
    for (int n : {1, 8})
      plot.at ("one alone", n, true) = rates (outcome.times.at ("1"));
  } else {
    verdict.why = "a pipeline failed";
  }
  growth.verdicts.push_back (verdict);
}

}  // namespace

void
grow_chain (Growth &growth)
{
  const Frames frames = make_moved_frames (growth.size ());
  Plot &plot = growth.plots.emplace_back (Plot{"chain", growth.device.name,
      "chains, " + growth.size ().text () + " RGBA in OpenCL memory", "elements", "milliseconds a frame", false, false});
  const Contender copy = copy_contender (growth.context, frames.bytes ());
  const auto in_ms = [] (double us) { return us / 1000; };
  for (int n : growth.brief () ? std::vector<int>{3, 8} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}) {
    const Case what = chain_of (n);
    const auto open = [&] {
      return std::make_shared<Pipeline> (growth.context, growth.device.index, what, frames, Memory::opencl, false);
    };
    const Outcome outcome = growth.measure (what.title,
        {kernel_contender (growth.context, growth.device, what, frames), pipeline_contender (opencl_pipeline, open ()), copy},
        growth.effort ());
    plot.note (what.title, outcome);
    if (!outcome.failures.empty ())
      continue;
    const Samples &kernels = outcome.times.at (kernel_time), &whole = outcome.times.at (opencl_pipeline);
    plot.at ("whole frame", n) = converted (whole, in_ms);
    plot.at ("sum of kernels", n, true) = converted (kernels, in_ms);
    plot.at ("copy limit", n, true) = converted (outcome.times.at (copy_time), [n] (double us) { return n * us / 1000; });
    if (!growth.device.is_cpu)
      growth.verdicts.push_back ({what.title + ", whole frame within 1.1 of its kernels", 1,
          per_turn (kernels, whole, [] (double sum, double taken) { return chain_factor * sum / taken; })});
  }
}

void
grow_pipelines (Growth &growth)
{
  for (const char *key : {"median 3", "blur 13"})
    grow_pipelines_of (growth, key);
}

}  // namespace bench

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "morphology/step.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <bit>

namespace gst::cl {

namespace {

/* Limits of the arrays in kernels/morphology/lines.cl. */
constexpr int ring_vectors = 2048;
constexpr int rectangle_vectors = 64;
constexpr int run_samples = 1024;

cl_int4
window_argument (const MorphologyReach &reach)
{
  return {{reach.left, reach.top, reach.width (), reach.height ()}};
}

/* The strips and bands of a region: strips so narrow that the ring holds as many rows as the element has; bands so high that
 * the rows around them matter little, but enough of both for every compute unit. */
cl_int4
cut_of (const MorphologyWork &work, int most_vectors)
{
  const int lanes = cpu_vector_bytes / work.sample_bytes (), rows = work.reach ().height ();
  const int width = work.task.region.width * work.samples (), height = work.task.region.height;
  const int vectors = std::clamp (ring_vectors / rows, 1, most_vectors);
  const int strip = std::min (vectors * lanes, std::max (width / lanes * lanes, lanes));
  const int strips = divide_up (width, strip);
  const int jobs = 4 * int (work.runner.cl ().device.compute_units);
  constexpr int least_rows = 16;
  const int band = std::max ({divide_up (height, divide_up (jobs, strips)), 4 * rows, least_rows});
  return {{strip, band, strips, strips * divide_up (height, band)}};
}

KernelSpec
spec_for (const char *function, const cl_int4 &cut)
{
  return {.sources = {"morphology/morphology.clh", "morphology/lines.cl"},
      .function = function,
      .jobs = size_t (cut.s[3]),
      .any_pixel = true};
}

/* Filters rows and columns in one pass. */
Launches
by_rectangle (const MorphologyWork &work)
{
  const cl_int4 cut = cut_of (work, rectangle_vectors);
  return {Launch (spec_for ("morphology_herk", cut), work.arguments ({window_argument (work.reach ()), cut})).on (work.task)};
}

/* Filters a row or a column of the element. */
Launches
by_line (const MorphologyWork &work, const PlaneTask &task, const MorphologyReach &reach, const MorphologyEnd &end)
{
  const MorphologyStep line{work.step.dilate, MorphologyElement::rectangle (reach)};
  return by_rectangle ({work.runner, task, line, end});
}

/* Crosses up to this height are faster as runs than as a row and a column. */
constexpr int low_cross = 7;

bool
is_high_cross (const MorphologyWork &work)
{
  return work.end.finish == 0 && work.reach ().height () > low_cross && work.step.element.is_cross ();
}

/* Writes the extremum of the column to a separate plane, then the extremum of that and the row. */
Launches
by_cross (const MorphologyWork &work)
{
  const MorphologyReach &reach = work.reach ();
  PlaneTask column = work.task;
  column.dst = work.runner.scratch_plane ("morphology-columns", work.task.src);
  Launches launches = by_line (work, column, {0, 0, reach.top, reach.bottom}, {0, work.task.src});
  launches += by_line (work, work.task, {reach.left, reach.right, 0, 0}, {MORPHOLOGY_LEAST, column.dst});
  return launches;
}

/* Writes columns over the whole width to a separate plane, then rows. */
Launches
by_separable (const MorphologyWork &work)
{
  const MorphologyReach &reach = work.reach ();
  PlaneTask columns = work.task, rows = work.task;
  columns.dst = rows.src = work.runner.scratch_plane ("morphology-columns", work.task.src);
  columns.region.x = 0;
  columns.region.width = work.task.src.width;
  Launches launches = by_line (work, columns, {0, 0, reach.top, reach.bottom}, {0, work.task.src});
  launches += by_line (work, rows, {reach.left, reach.right, 0, 0}, work.end);
  return launches;
}

Launches
by_runs (const MorphologyWork &work)
{
  const cl_int4 cut = cut_of (work, run_samples * work.sample_bytes () / cpu_vector_bytes);
  const MorphologyRunTable table = morphology_run_table (work);
  const ScratchName name{"morphology-runs", work.step.dilate, work.task.plane};
  return {
      {spec_for ("morphology_runs", cut), work.arguments ({window_argument (work.reach ()), cut,
                                              TableArgument (name, table.runs), cl_int (table.runs.size ()), table.levels})}};
}

/* Whether strips are wide enough for rows and columns in one pass. */
bool
fits_one_pass (const MorphologyWork &work)
{
  const MorphologyReach &reach = work.reach ();
  return work.step.element.is_rectangle ()
         && (reach.height () == 1 || 4 * (reach.width () - 1) * work.samples () <= cut_of (work, rectangle_vectors).s[0]);
}

/* Writes rows of vectors, whose results stay in registers. */
Launches
by_square (const MorphologyWork &work)
{
  constexpr int item_rows = 16, no_limit = 0;
  const int radius = work.reach ().left;
  KernelSpec spec{.sources = {"shared/network.clh", "morphology/square.clh", "shared/network.cl"},
      .function = "network",
      .options = {{"RADIUS", radius}, {"PACKED", 0}, {"DILATES", work.step.dilate}},
      .item_samples = cpu_vector_bytes / work.sample_bytes (),
      .item_rows = item_rows,
      .own_borders = true,
      .any_pixel = true};
  return {{std::move (spec), {no_limit, 0}, Window::centered (radius, radius)}};
}

bool
is_small_square (const MorphologyWork &work)
{
  constexpr int most_radius = 3;
  const MorphologyReach &reach = work.reach ();
  return work.step.element.is_rectangle () && work.end.finish == 0 && reach.left >= 1 && reach.left <= most_radius
         && reach.right == reach.left && reach.top == reach.left && reach.bottom == reach.left;
}

constexpr Form<MorphologyWork> cpu_forms[] = {
    {"square", is_small_square, by_square},
    {"van-herk", fits_one_pass, by_rectangle},
    {"van-herk", [] (const MorphologyWork &work) { return work.step.element.is_rectangle (); }, by_separable},
    {"row-column", is_high_cross, by_cross},
    {"runs", nullptr, by_runs},
};

}  // namespace

Arguments
MorphologyWork::arguments (const Arguments &own) const
{
  const PlaneView &other = end.finish ? end.other : task.src;
  return Arguments{step.dilate ? runner.format ().max_value () << runner.format ().shift : 0, end.finish, other.memory,
             cl_int2{{other.offset, other.stride}}}
         + own;
}

MorphologyRunTable
morphology_run_table (const MorphologyWork &work)
{
  MorphologyRunTable table{{}, 1};
  const MorphologyReach &reach = work.reach ();
  for (const MorphologyRun &run : work.step.element.runs ()) {
    const int length = run.last - run.first + 1;
    const int level = std::bit_width (unsigned (length)) - 1;
    const int first = run.first + reach.left, second = first + length - (1 << level);
    table.runs.push_back ({{run.row + reach.top, level, first * work.samples (), second * work.samples ()}});
    table.levels = std::max (table.levels, level + 1);
  }
  return table;
}

Plan
morphology_plan_on_points (Runner &runner, const PlaneTask &task, const MorphologyStep &step)
{
  const MorphologyEnd end{0, task.src};
  const MorphologyWork work{runner, task, step, end};
  const bool gpu = runner.backend () == Backend::gpu;
  /* with three samples per pixel, strips do not begin with a whole pixel */
  if (work.samples () == 3 || !(gpu ? step.element.is_rectangle () : fits_one_pass (work)))
    return {};
  const cl_int4 cut = cut_of (work, rectangle_vectors);
  std::optional<KernelSpec> spec = gpu ? morphology_points_on_gpu (work) : spec_for ("morphology_herk", cut);
  if (!spec)
    return {};
  task.before->join (*spec, task);
  const Arguments own = gpu ? Arguments{} : Arguments{window_argument (work.reach ()), cut};
  return {
      {gpu ? "window" : "van-herk", {Launch (std::move (*spec), work.arguments (own + task.before->arguments ())).on (task)}}};
}

Algorithm
morphology_algorithm (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const MorphologyEnd &end)
{
  const MorphologyWork work{runner, task, step, end};
  Algorithm algorithm = runner.backend () == Backend::gpu ? morphology_on_gpu (work) : algorithm_of (cpu_forms, work);
  for (Launch &each : algorithm.launches)
    if (!each.task)
      each = std::move (each).on (task);
  return algorithm;
}

}  // namespace gst::cl

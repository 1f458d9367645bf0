/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "morphology/step.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <bit>

namespace gst::cl {

namespace {

/* Limits of the arrays in kernels/morphology/herk.cl and morphology/runs.cl. */
constexpr int ring_vectors = 2048;
constexpr int rectangle_vectors = 64;
constexpr int run_samples = 1024;

/* Crosses up to this height are faster as runs than as a row and a column. */
constexpr int low_cross = 7;

cl_int4
window_argument (const MorphologyReach &reach)
{
  return {{reach.left, reach.top, reach.width (), reach.height ()}};
}

/* How a region is cut into items: strips that the ring holds as many rows of as the element has, and bands so high that
 * the rows around them do not count, but enough of both for all units. */
cl_int4
cut_of (const Runner &runner, const PlaneTask &task, const MorphologyReach &reach, int most_samples)
{
  const int lanes = cpu_vector_bytes / runner.format ().sample_size ();
  const int width = task.region.width * task.src.layout->samples_per_pixel, height = task.region.height;
  const int vectors = std::clamp (ring_vectors / reach.height (), 1, most_samples / lanes);
  const int strip = std::min (vectors * lanes, std::max (width / lanes * lanes, lanes));
  const int strips = divide_up (width, strip);
  const int jobs = 4 * int (runner.cl ().device.compute_units);
  constexpr int least_rows = 16;
  const int band = std::max ({divide_up (height, divide_up (jobs, strips)), 4 * reach.height (), least_rows});
  return {{strip, band, strips, strips * divide_up (height, band)}};
}

KernelSpec
spec_for (const char *file, const char *function, const cl_int4 &cut)
{
  return {
      .sources = {"morphology/morphology.clh", "morphology/lines.clh", file}, .function = function, .jobs = size_t (cut.s[3])};
}

void
run_rectangle (Runner &runner, const PlaneTask &task, bool dilate, const MorphologyReach &reach, const MorphologyEnd &end)
{
  const int lanes = cpu_vector_bytes / runner.format ().sample_size ();
  const cl_int4 cut = cut_of (runner, task, reach, rectangle_vectors * lanes);
  const KernelSpec spec = spec_for ("morphology/herk.cl", "morphology_herk", cut);
  runner.launch (
      spec, task, Patch::of (task), morphology_arguments (runner, task, dilate, end, {window_argument (reach), cut}));
}

/* Whether strips are wide enough for rows and columns in one pass. */
bool
fits_one_pass (const cl_int4 &cut, const PlaneTask &task, const MorphologyReach &reach)
{
  const int width = (reach.width () - 1) * task.src.layout->samples_per_pixel;
  return reach.height () == 1 || 4 * width <= cut.s[0];
}

/* task for the columns alone, of the rows that the other pass then needs. */
PlaneTask
column_task (Runner &runner, const PlaneTask &task)
{
  PlaneTask columns = task;
  columns.dst = runner.scratch_plane ("morphology-columns", task.src);
  columns.region.x = 0;
  columns.region.width = task.src.width;
  return columns;
}

/* Rows and columns in one pass, or in two where strips would be too narrow for the window. */
void
run_any_rectangle (Runner &runner, const PlaneTask &task, bool dilate, const MorphologyReach &reach, const MorphologyEnd &end)
{
  const int lanes = cpu_vector_bytes / runner.format ().sample_size ();
  const cl_int4 cut = cut_of (runner, task, reach, rectangle_vectors * lanes);
  if (fits_one_pass (cut, task, reach))
    return run_rectangle (runner, task, dilate, reach, end);
  PlaneTask columns = column_task (runner, task), rows = task;
  run_rectangle (runner, columns, dilate, {0, 0, reach.top, reach.bottom}, {0, task.src, task.src});
  rows.src = columns.dst;
  run_rectangle (runner, rows, dilate, {reach.left, reach.right, 0, 0}, end);
}

void
run_cross (Runner &runner, const PlaneTask &task, bool dilate, const MorphologyReach &reach, MorphologyEnd end)
{
  PlaneTask columns = task;
  columns.dst = runner.scratch_plane ("morphology-columns", task.src);
  run_rectangle (runner, columns, dilate, {0, 0, reach.top, reach.bottom}, {0, task.src, task.src});
  end.finish |= MORPHOLOGY_JOIN;
  end.joined = columns.dst;
  run_rectangle (runner, task, dilate, {reach.left, reach.right, 0, 0}, end);
}

void
run_runs (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const MorphologyEnd &end)
{
  const MorphologyReach &reach = step.element.reach ();
  const cl_int4 cut = cut_of (runner, task, reach, run_samples);
  const MorphologyRunTable table = morphology_run_table (step.element, task.src.layout->samples_per_pixel);
  const ScratchName name{"morphology-runs", step.dilate, task.plane};
  const KernelSpec spec = spec_for ("morphology/runs.cl", "morphology_runs", cut);
  runner.launch (spec, task, Patch::of (task),
      morphology_arguments (runner, task, step.dilate, end,
          {window_argument (reach), cut, TableArgument (name, table.runs), cl_int (table.runs.size ()), table.levels}));
}

}  // namespace

Arguments
morphology_arguments (const Runner &runner, const PlaneTask &task, bool dilate, const MorphologyEnd &end, const Arguments &own)
{
  const bool joins = end.finish & MORPHOLOGY_JOIN, combines = end.finish & (MORPHOLOGY_ABOVE | MORPHOLOGY_BELOW);
  const PlaneView &joined = joins ? end.joined : task.src, &other = combines ? end.other : task.src;
  Arguments all{dilate ? runner.format ().max_value () << runner.format ().shift : 0, end.finish, joined.memory,
      cl_int2{{joined.offset, joined.stride}}, other.memory, cl_int2{{other.offset, other.stride}}};
  all.insert (all.end (), own.begin (), own.end ());
  return all;
}

MorphologyRunTable
morphology_run_table (const MorphologyElement &element, int samples_per_pixel)
{
  MorphologyRunTable table{{}, 1};
  const MorphologyReach &reach = element.reach ();
  for (const MorphologyRun &run : element.runs ()) {
    const int length = run.last - run.first + 1;
    const int level = std::bit_width (unsigned (length)) - 1;
    const int first = run.first + reach.left, second = first + length - (1 << level);
    table.runs.push_back ({{run.row + reach.top, level, first * samples_per_pixel, second * samples_per_pixel}});
    table.levels = std::max (table.levels, level + 1);
  }
  return table;
}

const char *
morphology_run_cpu (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const MorphologyEnd &end)
{
  const MorphologyReach &reach = step.element.reach ();
  if (step.element.is_rectangle ()) {
    run_any_rectangle (runner, task, step.dilate, reach, end);
    return "van-herk";
  }
  if (step.element.is_cross () && reach.height () > low_cross) {
    run_cross (runner, task, step.dilate, reach, end);
    return "row-column";
  }
  run_runs (runner, task, step, end);
  return "runs";
}

const char *
morphology_run_on_points (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const PointSteps &points)
{
  const int samples = task.src.layout->samples_per_pixel;
  /* strips of pixels of three samples do not begin with a pixel */
  if (!step.element.is_rectangle () || samples == 3)
    return nullptr;
  if (runner.backend () != Backend::cpu)
    return morphology_run_on_points_gpu (runner, task, step, points);
  const MorphologyReach &reach = step.element.reach ();
  const int lanes = cpu_vector_bytes / runner.format ().sample_size ();
  const cl_int4 cut = cut_of (runner, task, reach, rectangle_vectors * lanes);
  if (!fits_one_pass (cut, task, reach))
    return nullptr;
  KernelSpec spec = spec_for ("morphology/herk.cl", "morphology_herk", cut);
  points.join (spec, task);
  if (!runner.ready (spec, task))
    return nullptr;
  Arguments own = points.arguments ();
  own.insert (own.begin (), {window_argument (reach), cut});
  runner.launch (spec, task, Patch::of (task), morphology_arguments (runner, task, step.dilate, {0, task.src, task.src}, own));
  return "van-herk";
}

const char *
morphology_run_step (Runner &runner, const PlaneTask &task, const MorphologyStep &step, const MorphologyEnd &end)
{
  if (runner.backend () == Backend::cpu)
    return morphology_run_cpu (runner, task, step, end);
  return morphology_run_gpu (runner, task, step, end);
}

}  // namespace gst::cl

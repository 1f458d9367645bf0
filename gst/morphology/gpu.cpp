/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "morphology/step.hpp"

#include "core/arithmetic.hpp"
#include "core/vendors.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Smaller elements are gathered sample by sample. */
constexpr int few_samples = 24;
/* How many samples a pass over a row or column takes the minimum of. */
constexpr int radix = 4;
/* Bytes per item. Planes to gather from begin on multiples of it, and are padded by as much at the end. */
constexpr int item_bytes = 16;
constexpr int column_multiple = 64;

/* lib/point.clh loads the other input of a finish, besides the extremum. */
KernelSpec
spec_of (const MorphologyWork &work, const char *function, const std::vector<const char *> &files)
{
  const bool finishes = work.end.finish != 0;
  KernelSpec spec{.sources = {"morphology/morphology.clh"}, .function = function};
  spec.sources.insert (spec.sources.begin (), finishes, "lib/point.clh");
  spec.sources.insert (spec.sources.end (), files.begin (), files.end ());
  spec.options = {{"PTX_LANES", vendors::has_paired_minima (work.runner.cl ().device)}, {"FINISH", finishes}};
  spec.item_samples = item_bytes / work.sample_bytes ();
  return spec;
}

/* One pass of morphology_gather: entries of the table, and their reach to the right and down. */
struct Gather {
  int first, count, reach_x, reach_y;
};

/* The passes of a step: each pass gathers from the plane that the pass before has made; the last one writes the result. */
struct GatherPlan {
  std::vector<cl_int4> entries;
  std::vector<Gather> passes;
  /** Whether each pass adds a plane, instead of alternating between two. */
  bool levels = false;

  void add (const std::vector<cl_int4> &samples, int reach_x, int reach_y)
  {
    passes.push_back ({int (entries.size ()), int (samples.size ()), reach_x, reach_y});
    entries.insert (entries.end (), samples.begin (), samples.end ());
  }

  int planes () const { return levels ? int (passes.size ()) : std::min (int (passes.size ()), 2); }
};

/* Adds passes for minima of 1, 4, 16 .. adjacent samples, up to n. */
void
add_line (GatherPlan &plan, int n, int step_x, int step_y)
{
  for (int done = 1; done < n;) {
    const int next = std::min (radix * done, n), count = divide_up (next, done), range = next - done;
    std::vector<cl_int4> samples;
    for (int i = 0; i < count; i++)
      samples.push_back ({{range * i / (count - 1) * step_x, range * i / (count - 1) * step_y, 0, 0}});
    plan.add (samples, range * step_x, range * step_y);
    done = next;
  }
}

GatherPlan
plan_rectangle (const MorphologyWork &work)
{
  GatherPlan plan;
  add_line (plan, work.reach ().height (), 0, 1);
  add_line (plan, work.reach ().width (), work.samples (), 0);
  if (plan.passes.empty ())
    plan.add ({{}}, 0, 0);
  return plan;
}

GatherPlan
plan_samples (const MorphologyWork &work)
{
  std::vector<cl_int4> samples;
  for (const MorphologyRun &run : work.step.element.runs ())
    for (int x = run.first; x <= run.last; x++)
      samples.push_back ({{(x + work.reach ().left) * work.samples (), run.row + work.reach ().top, 0, 0}});
  GatherPlan plan;
  plan.add (samples, 0, 0);
  return plan;
}

/* Planes of minima of 1, 2, 4 .. adjacent samples; two of these minima make a run. */
GatherPlan
plan_runs (const MorphologyWork &work)
{
  GatherPlan plan;
  plan.levels = true;
  const MorphologyRunTable table = morphology_run_table (work);
  for (int level = 1; level < table.levels; level++) {
    const int reach = work.samples () << (level - 1);
    plan.add ({{{0, 0, 0, 0}}, {{reach, 0, 0, 0}}}, reach, 0);
  }
  std::vector<cl_int4> samples;
  for (const cl_int4 &run : table.runs)
    for (const int x : {run.s[2], run.s[3]})
      samples.push_back ({{x, run.s[0], run.s[1], 0}});
  plan.add (samples, 0, 0);
  return plan;
}

class Gatherer {
public:
  Gatherer (const MorphologyWork &work_, GatherPlan plan_)
      : work (work_), plan (std::move (plan_)), entries ({"morphology-entries", step.dilate, task.plane}, plan.entries)
  {
  }

  /* Splits task.region into bands, so that the planes take no more memory than a few frames, and less than 2^31 samples. */
  Launches launches ()
  {
    const int height = step.element.reach ().height () - 1;
    const gint64 row = gint64 (task.region.width + step.element.reach ().width ()) * samples () + 4 * column_multiple;
    const int most = std::max (1, int (G_MAXINT / (row * plan.planes ())) - height - 1);
    const int rows = plan.levels ? 2 * task.region.height / plan.planes () - height : task.region.height;
    const int band = std::min (most, std::clamp (rows, std::min (64, task.region.height), task.region.height));
    for (int y = 0; y < task.region.height; y += band)
      add_band (y, std::min (band, task.region.height - y));
    return std::move (all);
  }

private:
  int samples () const { return work.samples (); }

  void add_band (int first_row, int n_rows)
  {
    const MorphologyReach &reach = step.element.reach ();
    const int item = item_bytes / runner.format ().sample_size ();
    /* the first item begins on the plane's grid, before the region */
    const int x = task.region.x * samples () / item * item - reach.left * samples ();
    const int y = task.region.y + first_row - reach.top;
    /* rounded down, also for negative numbers */
    left = (x & ~(column_multiple - 1));
    top = y;
    width = (task.region.x + task.region.width + std::max (reach.right, 0)) * samples () - left;
    height = n_rows + reach.height () - 1;
    /* an element that does not include the sample may end before it */
    width = std::max (width, item);
    stride = round_up (width, column_multiple) + column_multiple;
    plane_samples = stride * height + column_multiple;
    memory =
        runner.memory.buffer ("morphology-gather", size_t (plan.planes ()) * plane_samples * runner.format ().sample_size ());
    load ();
    for (size_t i = 0; i + 1 < plan.passes.size (); i++)
      gather (i);
    gather_last (first_row, n_rows);
  }

  KernelSpec spec (const char *function) const
  {
    KernelSpec spec = spec_of (work, function, {"morphology/gather.cl"});
    spec.tunable = {.local = true};
    return spec;
  }

  void load ()
  {
    Patch patch = Patch::of (task);
    patch.dst = memory;
    patch.dst_offset = 0;
    patch.dst_stride = stride;
    patch.x = patch.y = 0;
    patch.width = width;
    patch.height = height;
    const cl_int flip = step.dilate ? runner.format ().max_value () << runner.format ().shift : 0;
    add (patch, {spec ("morphology_load"), {flip, cl_int2{{left, top}}}});
  }

  void add (const Patch &patch, Launch launch)
  {
    launch.patch = patch;
    all.push_back (std::move (launch));
  }

  int plane_offset (size_t pass) const { return int (plan.levels ? pass : pass % 2) * plane_samples; }

  void add_pass (const Patch &patch, size_t i, const cl_int2 &shift, bool last)
  {
    const Gather &pass = plan.passes[i];
    const cl_int4 place{{plan.levels && last ? 0 : plane_offset (i), stride, shift.s[0], shift.s[1]}};
    add (patch, {spec ("morphology_gather"),
                    work.arguments ({memory, place, plane_samples, entries, pass.first, pass.count, cl_int (last)})});
  }

  /* Gathers from one plane into the next. */
  void gather (size_t i)
  {
    width -= plan.passes[i].reach_x;
    height -= plan.passes[i].reach_y;
    add_pass ({memory, 0, stride, memory, plane_offset (i + 1), stride, 0, 0, width, height}, i, {{0, 0}}, false);
  }

  void gather_last (int first_row, int n_rows)
  {
    const Rect &r = task.region;
    const MorphologyReach &reach = step.element.reach ();
    add_pass (Patch::of (task, {r.x, r.y + first_row, r.width, n_rows}), plan.passes.size () - 1,
        {{-reach.left * samples () - left, -reach.top - top}}, true);
  }

  const MorphologyWork &work;
  Runner &runner = work.runner;
  const PlaneTask &task = work.task;
  const MorphologyStep &step = work.step;
  const GatherPlan plan;
  const TableArgument entries;
  Launches all;
  /** The plane to gather from: the position of its first sample in task.src, and the part that is still valid. */
  int left = 0, top = 0, width = 0, height = 0, stride = 0, plane_samples = 0;
  ::cl::Buffer memory;
};

bool
is_small (const MorphologyWork &work)
{
  const MorphologyReach &reach = work.reach ();
  return work.step.element.is_rectangle ()
         && std::ranges::all_of (std::array{reach.left, reach.right, reach.top, reach.bottom},
             [] (int samples) { return samples == 0 || samples == 1; });
}

/* Whether columns fit into registers, and rows into the space beside the strip. */
bool
fits_march (const MorphologyWork &work)
{
  constexpr int most_rows = 17, most_bytes = 64;
  const MorphologyReach &reach = work.reach ();
  return work.step.element.is_rectangle () && reach.left >= 0 && reach.right >= 0 && reach.top >= 0 && reach.bottom >= 0
         && std::max (reach.width (), reach.height ()) <= most_rows
         && std::max (reach.left, reach.right) * work.samples () * work.sample_bytes () <= most_bytes;
}

Options
window_options (const MorphologyReach &reach)
{
  return {{"LEFT", reach.left}, {"TOP", reach.top}, {"WIDTH", reach.width ()}, {"HEIGHT", reach.height ()}};
}

KernelSpec
window_spec (const MorphologyWork &work)
{
  /* measured on an H200: planes of one or two bytes per pixel are small, and need small items to give every compute unit work */
  constexpr int small_samples = 8;
  KernelSpec spec = spec_of (work, "morphology_window", {"morphology/window.cl"});
  spec.options += window_options (work.reach ());
  const bool is_small = work.samples () <= 2 && work.sample_bytes () == 1;
  if (is_small)
    spec.item_samples = small_samples;
  spec.item_rows = is_small ? 4 : 2;
  spec.joins_chroma = true;
  spec.tunable = {.local = true, .rows = any_rows};
  return spec;
}

/* The rows of a group. Measured on an H200: low bands load more rows above them, high bands make too few groups. */
int
march_band (const MorphologyWork &work, int strips, int rows)
{
  constexpr int highest = 32, lowest = 8, bands_to_try[] = {8, 16, 24, 32, 48, 64, 96};
  const int units = int (work.runner.cl ().device.compute_units);
  int band = highest;
  while (band > lowest && strips * divide_up (rows, band) < band / 2 * units)
    band /= 2;
  return work.runner.kernels.choose ("morphology/march.cl rows", work.reach ().height (), band, bands_to_try);
}

/* The strips and bands of kernels/morphology/march.cl, in groups. */
Launches
march (const MorphologyWork &work)
{
  /* Wide windows of whole words share more loads among more results. */
  constexpr int group = 128, word_bytes = 4, wide = 8;
  const MorphologyReach &reach = work.reach ();
  const int sample = work.sample_bytes (), pixel = work.samples () * sample;
  const int bytes = pixel % word_bytes == 0 && reach.width () >= wide ? 2 * item_bytes : item_bytes;
  const int left = divide_up (reach.left * pixel, item_bytes), right = divide_up (reach.right * pixel, item_bytes);
  const int fours = bytes / item_bytes, items = (group * word_bytes / item_bytes - left - right) / fours;
  KernelSpec spec = spec_of (work, "morphology_march", {"lib/places.clh", "lib/column.clh", "morphology/march.cl"});
  spec.options +=
      window_options (reach)
      + Options{{"GROUP", group}, {"LEFT_WORDS", 4 * left}, {"SPAN_WORDS", 4 * (left + fours + right)}, {"ROW_ITEMS", items}};
  spec.item_samples = bytes / sample;
  const Patch patch = Patch::of (work.task);
  const int first = patch.x / spec.item_samples * spec.item_samples;
  const int strips = divide_up (patch.x + patch.width - first, items * spec.item_samples);
  const int band = march_band (work, strips, patch.height);
  spec.jobs = size_t (strips) * size_t (divide_up (patch.height, band));
  spec.job_items = group;
  return {{std::move (spec), work.arguments ({cl_int (band)})}};
}

Launches
run_window (const MorphologyWork &work)
{
  return {{window_spec (work), work.arguments ()}};
}

template <GatherPlan (*plan) (const MorphologyWork &)>
Launches
gather (const MorphologyWork &work)
{
  return Gatherer (work, plan (work)).launches ();
}

constexpr Form<MorphologyWork> gpu_forms[] = {
    {"window", is_small, run_window},
    {"march", fits_march, march},
    {"separable", [] (const MorphologyWork &work) { return work.step.element.is_rectangle (); }, gather<plan_rectangle>},
    {"direct", [] (const MorphologyWork &work) { return work.step.element.samples () <= few_samples; }, gather<plan_samples>},
    {"runs", nullptr, gather<plan_runs>},
};

}  // namespace

Algorithm
morphology_on_gpu (const MorphologyWork &work)
{
  return algorithm_of (gpu_forms, work);
}

/* Only for small windows, where an item reads few pixels more than it writes. */
std::optional<KernelSpec>
morphology_points_on_gpu (const MorphologyWork &work)
{
  constexpr int word_bytes = 4;
  if (!is_small (work) || word_bytes % (work.samples () * work.sample_bytes ()) != 0)
    return std::nullopt;
  return window_spec (work);
}

}  // namespace gst::cl

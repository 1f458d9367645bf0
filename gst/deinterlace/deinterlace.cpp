/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deinterlace/fields.hpp"

#include "core/arithmetic.hpp"
#include "core/vendors.hpp"
#include "filter/runner.hpp"
#include "motion/search.hpp"

#include <algorithm>
#include <climits>
#include <functional>

namespace gst::cl {

namespace {

/* See kernels/deinterlace/steady.cl. */
constexpr int steady_block = 16;

struct SteadyJob {
  cl_int columns, rows, subsample_y, keeps_bottom;
};

struct SteadyPlane {
  cl_int offset, stride, width, height;

  static ValueArgument of (const PlaneView &plane)
  {
    return ValueArgument (std::vector{SteadyPlane{plane.offset, plane.stride, plane.width, plane.height}});
  }
};

/* The frame with the field that is shown before or after this one. */
size_t
frame_beside (const PlaneTask &task, const FieldJob &job, int direction)
{
  return direction < 0 ? task.main - !job.is_second : task.main + job.is_second;
}

guint64
number_of (const PlaneTask &task, const FieldJob &job, guint64 first_input)
{
  return 2 * (first_input + task.main) + job.is_second;
}

FieldJob
beside (const FieldJob &job)
{
  return {.keeps_bottom = !job.keeps_bottom, .is_second = !job.is_second};
}

/* Makes deinterlaced fields steady along their motion. */
class Steady {
public:
  /* Interpolates all of task.dst from a field of task.src. */
  using MakeWhole = std::function<void (Runner &runner, const PlaneTask &task, const FieldJob &job)>;

  /* Whether the neighbouring fields are among the inputs, and the first plane of the frame is filtered. first_input: the
   *  number of the window's first frame. */
  bool can_run (const PlaneTask &task, const FieldJob &job, guint64 first_input) const
  {
    return job.is_between && (job.is_second ? task.main + 1 < task.inputs.size () : task.main > 0)
           && (task.plane == 0 || searched == number_of (task, job, first_input));
  }

  void run (Runner &runner, const PlaneTask &task, const FieldJob &job, guint64 first_input, const MakeWhole &make)
  {
    std::vector<Whole> fields{whole (runner, task, job, first_input, make)};
    for (const int direction : {-1, 1}) {
      PlaneTask other = task;
      other.main = frame_beside (task, job, direction);
      fields.push_back (whole (runner, other, beside (job), first_input, make));
    }
    if (task.plane == 0 && std::exchange (searched, fields[0].number) != fields[0].number)
      look (runner, task, fields);
    launch (runner, task, job, fields);
  }

private:
  /* A field, interpolated to a frame. */
  struct Whole {
    PlaneView plane;
    guint64 number;
  };

  /* Returns the interpolated frame of field `job` of the frame task.main. */
  Whole whole (Runner &runner, const PlaneTask &task, const FieldJob &job, guint64 first_input, const MakeWhole &make)
  {
    const guint64 number = number_of (task, job, first_input);
    const int place = int (number % kept);
    PlaneTask whole = task;
    whole.src = task.inputs[task.main];
    whole.dst = runner.scratch_plane ({"deinterlace-whole", task.plane, place}, task.src);
    whole.region = {0, 0, task.src.width, task.src.height};
    whole.components = ~0u;
    if (std::exchange (made[task.plane][place], number) != number)
      make (runner, whole, job);
    return {whole.dst, number};
  }

  void look (Runner &runner, const PlaneTask &task, std::span<const Whole> fields)
  {
    search.set ({.block = steady_block}, 3);
    grid = search.grid_of (task.src.width, task.src.height);
    const MotionSearch::Picture own{fields[0].plane, fields[0].number},
        others[] = {{fields[1].plane, fields[1].number}, {fields[2].plane, fields[2].number}};
    const ::cl::Buffer to[] = {field (runner, 0), field (runner, 1)};
    search.find (runner, task, {.own = own, .others = others, .to = to});
  }

  ::cl::Buffer field (Runner &runner, int direction) const
  {
    return runner.memory.buffer ({"deinterlace-field", direction}, grid.field_bytes ());
  }

  /* Reads the luma of planar frames from the picture that the motion search has made. */
  void launch (Runner &runner, const PlaneTask &task, const FieldJob &job, std::span<const Whole> fields)
  {
    const PlaneLayout &layout = *task.src.layout;
    const int samples = layout.samples_per_pixel, item = samples == 1 && layout.subsample_x < 2 ? 4 : samples == 2 ? 2 : 1;
    const bool luma = task.plane == 0 && samples == 1;
    const KernelSpec spec{.sources = {"motion/blocks.clh", "motion/moved.clh", "deinterlace/steady.cl"},
        .function = "steady_field",
        .options = {{"BLOCK", steady_block}, {"LUMA", luma}, {"SUBSAMPLE_X", layout.subsample_x}},
        .own_borders = true};
    const auto source = [&] (size_t i) {
      return luma ? ::cl::Memory (search.picture (runner, fields[i].number)) : fields[i].plane.memory;
    };
    const SteadyJob values{grid.columns, grid.rows, layout.subsample_y, job.keeps_bottom};
    runner.run (task,
        Launch (spec, {fields[0].plane.memory, SteadyPlane::of (fields[0].plane), source (1), SteadyPlane::of (fields[1].plane),
                          source (2), SteadyPlane::of (fields[2].plane), search.finest_level (), field (runner, 0),
                          field (runner, 1), ValueArgument (std::vector{values})})
            .sized (runner.size_for (divide_up (task.src.width, item), task.region.height, {32, 4})));
  }

  /* The number of fields whose planes are kept. */
  static constexpr int kept = 4;
  std::array<std::array<std::optional<guint64>, kept>, most_planes> made{};
  MotionSearch search;
  MotionGrid grid{};
  std::optional<guint64> searched;
};

/* See deinterlace/fields.clh. */
enum : cl_int { KEEPS_BOTTOM = 1, IS_SECOND = 2, IS_ALONE = 4 };

constexpr const char *names[] = {"bwdif", "yadif", "linear", "weave", "motion"};

/** A method's formula, between deinterlace/fields.clh and deinterlace/deinterlace.cl. */
struct MethodForm {
  std::vector<const char *> sources;
  Options options = {};
};

const MethodForm method_forms[] = {
    {{"deinterlace/bwdif.clh", "deinterlace/bwdif_bytes.clh"}},
    {{"deinterlace/yadif.clh"}},
    {{"deinterlace/simple.clh"}, {{"WEAVE", 0}}},
    {{"deinterlace/simple.clh"}, {{"WEAVE", 1}}},
};

KernelSpec
spec_of (DeinterlaceMethod method)
{
  const MethodForm &form = method_forms[int (method)];
  constexpr int short_depth = 12; /* sums of three distances fit shorts */
  KernelSpec spec{.sources = {"lib/point.clh", "lib/numbers.clh", "deinterlace/fields.clh"},
      .function = "deinterlace",
      .options = form.options + Options{{"SHORT_DEPTH", short_depth}},
      .any_pixel = true};
  spec.sources.insert (spec.sources.end (), form.sources.begin (), form.sources.end ());
  spec.sources.push_back ("deinterlace/deinterlace.cl");
  return spec;
}

/* As in deinterlace/deinterlace.cl, where it is given by value. */
struct PlaneNumbers {
  cl_int left, top, width, height;
  cl_int4 region;
  cl_int2 src, dst, before, after;
};

/* Whether the task filters all stored samples of the plane. */
bool
is_filtered (const PlaneTask &task)
{
  const PlaneLayout &layout = *task.src.layout;
  return !(layout.component_bits () & ~task.components)
         && std::ranges::none_of (
             std::span (layout.components).first (layout.samples_per_pixel), [] (int c) { return c == padding; });
}

cl_int2
place_of (const PlaneView &plane)
{
  return {{plane.offset, plane.stride}};
}

/* Rows of an item for bwdif on CPUs, where items reuse loaded samples from row to row: many, but enough items for every compute
 * unit. More rows, with their prefetches, do not fit a core's first-level cache. height is the frame's, so that its planes
 * share a program. */
int
band_rows (int height, int compute_units)
{
  constexpr int lowest = 8, highest = 64, items_per_unit = 4;
  int rows = highest;
  while (rows > lowest && height < rows * items_per_unit * compute_units)
    rows /= 2;
  return rows;
}

class Deinterlace : public With<DeinterlaceSettings> {
public:
  void changed () override { algorithm = names[int (settings.method)]; }

  Abilities abilities (const Runner &) const override { return {.weaves = true}; }
  void begin_frame (Runner &, const FrameInfo &info) override
  {
    job = FieldJob::of (info.job);
    first_input = info.first_input;
  }

  /* On GPUs, filters all planes in one launch if possible. */
  void prepare (Runner &runner, const FrameTask &frame) override
  {
    is_made = false;
    const Rect whole{0, 0, frame.tasks[0].dst.width, frame.tasks[0].dst.height};
    if (job.is_copy || is_steady (frame.tasks[0]) || runner.backend () == Backend::cpu || frame.regions.size () != 1
        || frame.regions[0] != whole)
      return;
    const int size = runner.format ().sample_size ();
    std::vector<PlaneTask> tasks (frame.tasks.begin (), frame.tasks.end ());
    std::vector<FieldPlane> planes;
    for (PlaneTask &task : tasks) {
      task.region = {0, 0, task.dst.width, task.dst.height};
      const FieldPlane &plane = planes.emplace_back (field_plane (task));
      /* run() gets buffers in place of images */
      const bool alike =
          !plane.src.image && !plane.dst.image && plane.shares_memory (planes[0])
          && plane.alignment (size) == planes[0].alignment (size)
          && (settings.method != DeinterlaceMethod::yadif || task.samples_per_pixel () == tasks[0].samples_per_pixel ());
      if (!alike || (tasks.size () > 1 && !is_filtered (task)))
        return;
    }
    is_made = true;
    make_planes (runner, tasks, planes, job);
  }

  void run (Runner &runner, const PlaneTask &task) override
  {
    if (job.is_copy)
      return copy_samples (runner, task, task.region);
    if (is_steady (task))
      return steady.run (runner, task, job, first_input,
          [this] (Runner &with, const PlaneTask &whole, const FieldJob &of) { make_plane (with, whole, of); });
    if (!is_made)
      make_plane (runner, task, job);
  }

private:
  /** The same plane of the frame, its neighbours and the result. */
  struct FieldPlane {
    const PlaneView &src, &dst, &previous, &next;
    /* The alignment of every row in bytes: 16, 4 or none. */
    int alignment (int sample_size) const
    {
      const auto fits = [&] (int bytes) {
        return std::ranges::all_of (
            std::array{&src, &dst, &previous, &next}, [unit = bytes / sample_size] (const PlaneView *plane) {
              return plane->offset % unit == 0 && plane->stride % unit == 0;
            });
      };
      return fits (16) ? 16 : fits (4) ? 4 : 0;
    }
    bool shares_memory (const FieldPlane &other) const
    {
      return src.memory () == other.src.memory () && dst.memory () == other.dst.memory ()
             && previous.memory () == other.previous.memory () && next.memory () == other.next.memory ();
    }
  };

  /* At the ends of a stream the frame itself replaces missing neighbours, as in the original yadif. */
  FieldPlane field_plane (const PlaneTask &task) const
  {
    const size_t main = task.main;
    return {task.src, task.dst, task.inputs[main == 0 ? main : main - 1],
        task.inputs[main + 1 == task.inputs.size () ? main : main + 1]};
  }

  bool is_steady (const PlaneTask &task) const
  {
    return settings.method == DeinterlaceMethod::motion && steady.can_run (task, job, first_input);
  }
  /** The method that interpolates a field. */
  DeinterlaceMethod filled () const
  {
    return settings.method == DeinterlaceMethod::motion ? DeinterlaceMethod::bwdif : settings.method;
  }

  /* bwdif interpolates within the field if it has no other frame. */
  cl_int what_of (const PlaneTask &task, const FieldJob &of) const
  {
    const bool at_end =
        filled () == DeinterlaceMethod::bwdif && (of.is_second ? task.main + 1 == task.inputs.size () : task.main == 0);
    return (of.keeps_bottom ? KEEPS_BOTTOM : 0) | (of.is_second ? IS_SECOND : 0) | (of.is_alone || at_end ? IS_ALONE : 0);
  }

  void make_plane (Runner &runner, const PlaneTask &task, const FieldJob &of)
  {
    const FieldPlane plane = field_plane (task);
    if (runner.backend () == Backend::gpu)
      return make_planes (runner, {&task, 1}, {&plane, 1}, of);
    KernelSpec spec = spec_of (filled ());
    spec.own_borders = true;
    if (filled () == DeinterlaceMethod::bwdif)
      spec.item_rows = band_rows (task.frame.front ().height, int (runner.cl ().device.compute_units));
    runner.run (task, Launch (spec, {plane.previous.memory, place_of (plane.previous), plane.next.memory, place_of (plane.next),
                                        what_of (task, of)}));
  }

  void make_planes (Runner &runner, std::span<const PlaneTask> tasks, std::span<const FieldPlane> planes, const FieldJob &of)
  {
    /* as in deinterlace/deinterlace.cl; the samples of more rows do not fit the registers */
    constexpr int group_columns = 32, group_rows = 4, item_bytes = 8;
    const int size = runner.format ().sample_size (), item_samples = item_bytes / size;
    std::vector<PlaneNumbers> numbers (most_planes, {.left = INT_MAX});
    int across = 0, left = 0, top = 0, below = 0;
    for (size_t i = 0; i < planes.size (); i++) {
      const FieldPlane &plane = planes[i];
      const Patch part = Patch::of (tasks[i]);
      const int samples = plane.src.width * plane.src.layout->samples_per_pixel;
      const int columns = divide_up (divide_up (part.x + part.width, item_samples) - part.x / item_samples, group_columns);
      const int rows = divide_up (divide_up (part.y + part.height, 2) - part.y / 2, group_rows);
      /* prefers the grid that leaves fewer groups without work */
      if (std::max (across, left + columns) * std::max (below, top + rows) > std::max (across, columns) * (below + rows)) {
        left = 0;
        top = below;
      }
      numbers[i] = {left, top, samples, plane.src.height, {{part.x, part.y, part.width, part.height}}, place_of (plane.src),
          place_of (plane.dst), place_of (plane.previous), place_of (plane.next)};
      left += columns;
      across = std::max (across, left);
      below = std::max (below, top + rows);
    }
    KernelSpec spec = spec_of (filled ());
    spec.item_samples = item_samples;
    spec.options = spec.options
                   + Options{{"KEEPS", !is_filtered (tasks[0])}, {"INPUTS_ALIGNED", planes[0].alignment (size)},
                       {"PTX_HALVES", vendors::has_half_minima (runner.cl ().device)}};
    const FieldPlane &first = planes.front ();
    runner.run (
        tasks[0], Launch::range (spec,
                      WorkSize{{size_t (across) * group_columns, size_t (below) * group_rows}, {group_columns, group_rows}},
                      {first.src.memory, first.dst.memory, first.previous.memory, first.next.memory, ValueArgument (numbers),
                          what_of (tasks[0], of), runner.keep_mask (tasks[0])}));
  }

  FieldJob job;
  guint64 first_input = 0;
  Steady steady;
  /** Whether the current frame is already made. */
  bool is_made = false;
};

}  // namespace

OperationType
deinterlace_operation ()
{
  return operation_type<Deinterlace> ();
}

}  // namespace gst::cl

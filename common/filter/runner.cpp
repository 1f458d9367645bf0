/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/runner.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gst::cl {

Patch
Patch::of (const PlaneTask &task, const Rect &rect)
{
  const int samples = task.samples_per_pixel ();
  return {task.src.memory, task.src.offset, task.src.stride, task.dst.memory, task.dst.offset, task.dst.stride,
      rect.x * samples, rect.y, rect.width * samples, rect.height, task.src.image, task.src.split, task.dst.image,
      task.dst.split, task.src.layout->part, task.beside == WordPart::neutral};
}

/* For kernels without PLANE_ARGS. */
static Patch
whole_plane (const PlaneTask &task)
{
  Patch whole = Patch::of (task, {0, 0, task.src.width, task.src.height});
  whole.neutral_beside = false;
  return whole;
}

Runner::Runner (ContextRef context, const Format &format, Backend backend)
    : owner (std::move (context)), frame_format (format), bodies (backend == Backend::cpu ? Backend::cpu : Backend::gpu),
      commands (cl ()), memory (cl (), commands), kernels (cl (), frame_format, bodies)
{
}

void
Runner::rehearse (std::set<KernelForm> &forms)
{
  rehearsed = &forms;
  commands.mute ();
  memory.shrink ();
}

/* Whether a command of the driver, which needs no program, writes the patch; enqueues it if wanted. The driver refuses to copy a row that
 * lies in two rows of its pitch, or within a buffer. */
bool
Runner::is_commanded (const Launch &launch, const PlaneTask &task, const Patch &patch, bool enqueues)
{
  if (launch.command == Launch::Command::none || task.after || patch.src_image || patch.dst_image || patch.neutral_beside)
    return false;
  const size_t bytes = frame_format.sample_size ();
  const auto rows_from = [&] (int offset, int stride) {
    return Commands::Rows{(offset + size_t (patch.y) * stride + patch.x) * bytes, stride * bytes, patch.width * bytes};
  };
  const Commands::Rows from = rows_from (patch.src_offset, patch.src_stride),
                       to = rows_from (patch.dst_offset, patch.dst_stride);
  if (launch.command == Launch::Command::copy) {
    const bool can = (rehearsed || patch.src () != patch.dst ()) && from.lie_in_pitch () && to.lie_in_pitch ();
    if (can && enqueues)
      commands.copy (patch.src, from, patch.dst, to, patch.height);
    return can;
  }
  const PlaneLayout &layout = *task.dst.layout;
  const bool can = task.regions.size () <= 1 && patch.width == patch.dst_stride && layout.part < 0
                   && samples_of (layout, task.components) == samples_of (layout, ~0u);
  const unsigned value = unsigned (frame_format.neutral_chroma ()) << frame_format.shift;
  if (can && enqueues)
    commands.fill (patch.dst, to.place, to.pitch * patch.height, std::as_bytes (std::span (&value, 1)).first (bytes));
  return can;
}

/* If not, starts the build. */
bool
Runner::is_built (const PlaneTask &plans, const Launch &launch)
{
  const PlaneTask &task = launch.task ? *launch.task : plans;
  const Patch patch = launch.patch ? *launch.patch : launch.takes_plane ? Patch::of (task) : whole_plane (task);
  if (is_commanded (launch, task, patch, false))
    return true;
  const std::optional<KernelSpec> joined =
      launch.takes_plane ? AfterPoints::join (frame_format, bodies, launch.kernel, task) : std::nullopt;
  return kernels.get (joined ? *joined : launch.kernel, patch, task.samples_per_pixel (), launch.size.has_value (), false);
}

bool
Runner::ready (const PlaneTask &task, const Launches &launches)
{
  return !commands.plays () || rehearsed
         || std::ranges::count_if (launches, [&] (const Launch &each) { return !is_built (task, each); }) == 0;
}

const Algorithm &
Runner::choose (const PlaneTask &task, const Plan &plan)
{
  return *std::find_if (
      plan.begin (), plan.end () - 1, [&] (const Algorithm &algorithm) { return ready (task, algorithm.launches); });
}

/* plane: the arguments before the kernel's own. */
[[gnu::always_inline]] inline void
Runner::start (const KernelSpec &spec, const Patch &patch, int pixel, const std::optional<WorkSize> &size,
    const Arguments &plane, const Arguments &own)
{
  const bool untuned = size.has_value ();
  if (rehearsed) {
    const auto [global, local] = size.value_or (WorkSize{{1, 1}, {1, 1}});
    rehearsed->insert ({kernels.program_of (spec, patch, pixel, untuned), spec.function, global, local});
    return;
  }
  PreparedKernel &prepared = *kernels.get (spec, patch, pixel, untuned);
  cl_uint index = 0;
  for (const Arguments *arguments : {&plane, &own})
    for (const Argument &each : *arguments)
      each.set (prepared.kernel, index++, memory);
  commands.run (prepared.kernel, size ? *size : kernels.size_of (prepared, spec, patch, pixel));
  kernels.observe (prepared, commands.last ());
}

void
Runner::run (const PlaneTask &plans, const Launches &launches)
{
  /* each launch waits for its own build */
  if (launches.size () > 1 && !rehearsed && !is_built (plans, launches[0]))
    for (const Launch &each : std::span (launches).subspan (1))
      is_built (plans, each);
  for (const Launch &each : launches) {
    const PlaneTask &task = each.task ? *each.task : plans;
    if (!each.takes_plane) {
      start (each.kernel, whole_plane (task), task.samples_per_pixel (), each.size, {}, each.arguments);
      continue;
    }
    const std::vector<Patch> divided = each.patch ? std::vector<Patch> () : patches_of (*this, task, each.window, each.kernel);
    for (const Patch &patch : each.patch ? std::span (&*each.patch, 1) : std::span (divided))
      if (!is_commanded (each, task, patch, true))
        launch (each.kernel, task, patch, each.arguments, each.size);
  }
}

cl_int4
Runner::plane_argument (const PlaneTask &task)
{
  const int samples = task.samples_per_pixel ();
  return {{task.src.width * samples, task.src.height, int (task.border) | samples << 16, task.border_sample}};
}

void
Runner::launch (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, const Arguments &arguments,
    const std::optional<WorkSize> &size)
{
  if (const std::optional<KernelSpec> joined = AfterPoints::join (frame_format, bodies, spec, task))
    return launch_with_steps (*joined, task, patch, arguments, size);
  Arguments plane;
  if (!rehearsed)
    plane = {patch.src, patch.src_offset, patch.src_stride, patch.dst, patch.dst_offset, patch.dst_stride, keep_mask (task),
        cl_int4{{patch.x, patch.y, patch.width, patch.height}}, plane_argument (task)};
  start (spec, patch, task.samples_per_pixel (), size, plane, arguments);
}

/* The steps' arguments follow the plane's. */
void
Runner::launch_with_steps (const KernelSpec &joined, const PlaneTask &task, const Patch &patch, const Arguments &arguments,
    const std::optional<WorkSize> &size)
{
  PlaneTask alone = task;
  AfterPoints &after = *std::exchange (alone.after, nullptr);
  launch (joined, alone, patch, after.steps.arguments () + arguments, size);
  after.ran = true;
}

WorkSize
Runner::size_for (int columns, int rows, std::array<size_t, 2> group, int item_rows) const
{
  if (bodies == Backend::cpu)
    return {{1, size_t (divide_up (rows, item_rows))}, {1, 1}};
  return {{round_up (size_t (columns), group[0]), round_up (size_t (rows), group[1])}, group};
}

PlaneView
Runner::scratch_plane (const ScratchName &name, const PlaneView &like)
{
  return memory.plane (name, like, frame_format.sample_size ());
}

const ::cl::Buffer &
Runner::keep_mask (const PlaneTask &task)
{
  const PlaneLayout &layout = *task.src.layout;
  const size_t size = frame_format.sample_size ();
  const unsigned pattern = samples_of (layout, task.components);
  /* wide stores of the gpu back end may read slightly beyond the row */
  const size_t samples = size_t (task.src.width) * layout.samples_per_pixel + 64;
  constexpr int parts = 64; /* more parts than a word has bits */
  const int part = task.beside == WordPart::filtered ? -1 : layout.part;
  const ScratchName name{"keep", layout.samples_per_pixel * parts + part, int (pattern), int (samples)};
  if (const ::cl::Buffer *known = memory.find_table (name))
    return *known;
  std::vector<unsigned char> masks (samples * size);
  for (size_t i = 0; i < masks.size (); i++) {
    const bool filtered = pattern >> (i / size % layout.samples_per_pixel) & 1;
    masks[i] = filtered && (part < 0 || i % size * 8 == size_t (part)) ? 0xff : 0;
  }
  return memory.table (name, masks);
}

namespace {

Rect
between (int left, int top, int right, int bottom)
{
  return {left, top, right - left, bottom - top};
}

/* Returns where the interior begins and ends along one axis of a region, for a window that reaches `before` and `after`. An
 * edge has at least `least` samples, because shorter ones would need programs of their own. */
std::pair<int, int>
interior (int begin, int end, int plane_size, int before, int after, int least)
{
  const int first = begin < before ? std::min (end, std::max (before, begin + least)) : begin;
  const int last = end > plane_size - after ? std::max (first, std::min (plane_size - after, end - least)) : end;
  return {first, last};
}

/* Copies each rectangle, with the window around it, to scratch memory, from which it is filtered. The first two rectangles have
 * the same rows and are copied together, row by row. */
std::vector<Patch>
padded (Runner &runner, const PlaneTask &task, const Window &window, const std::array<Rect, 4> &rects)
{
  const int samples = task.src.layout->samples_per_pixel;
  constexpr int alignment = 64;
  constexpr int item_rows = 16;
  std::vector<Patch> patches;
  std::vector<cl_int> areas (16); /* int16 holds four rectangles */
  cl_int4 begins{};
  int end = 0, used = 0;
  for (size_t i = 0; i < rects.size (); i++) {
    const Rect &rect = rects[i];
    if (rect.empty ())
      continue;
    const cl_int4 area{{(rect.x - window.left) * samples, rect.y - window.top,
        (rect.width + window.left + window.right) * samples, rect.height + window.top + window.bottom}};
    std::copy_n (area.s, 4, areas.begin () + 4 * i);
    begins.s[i] = end;
    Patch patch = Patch::of (task, rect);
    patch.src_stride = area.s[2];
    /* sample (x, y) of the plane is at offset + y * stride + x of the copy */
    patch.src_offset = begins.s[i] - area.s[1] * area.s[2] - area.s[0];
    patches.push_back (patch);
    used = end + area.s[2] * area.s[3];
    end = round_up (used, alignment);
  }
  if (patches.empty ())
    return patches;

  /* the buffer ends with the last sample, so that tests can detect reads beyond it */
  const ::cl::Buffer &copies = runner.memory.buffer ("edges", size_t (used) * runner.format ().sample_size ());
  const KernelSpec spec{.sources = {"lib/pad.cl"},
      .function = "pad",
      .options = {{"PAD_ROWS", item_rows}},
      .moves_samples = true,
      .any_pixel = true};
  cl_int4 plane = Runner::plane_argument (task);
  plane.s[3] <<= std::max (runner.format ().shift, task.src.layout->part);
  const size_t items = divide_up (std::max (areas[3], areas[7]) + areas[11] + areas[15], item_rows);
  runner.run (task, Launch::range (spec, {{items, 1}, {1, 1}},
                        {task.src.memory, task.src.offset, task.src.stride, copies, ValueArgument (areas), begins, plane}));
  for (Patch &patch : patches)
    patch.src = copies;
  return patches;
}

}  // namespace

std::vector<Patch>
patches_of (Runner &runner, const PlaneTask &task, const Window &window, const KernelSpec &spec)
{
  const Rect &r = task.region;
  if (runner.backend () != Backend::cpu || spec.own_borders || window == Window{})
    return {Patch::of (task, r)};

  const int samples = task.src.layout->samples_per_pixel;
  const int least_width = divide_up (std::max (row_multiple, spec.item_samples), samples);
  const auto [left, right] = interior (r.x, r.x + r.width, task.src.width, window.left, window.right, least_width);
  const int rows = runner.kernels.most_rows (spec, task);
  const auto [top, bottom] = interior (r.y, r.y + r.height, task.src.height, window.top, window.bottom, rows);
  /* an interior narrower than its edges does not pay for five launches; kernels with jobs start over in each launch */
  const bool thin = right - left <= std::max (window.left + window.right, least_width)
                    || bottom - top <= std::max (window.top + window.bottom, rows);
  const bool inside = left == r.x && top == r.y && right == r.x + r.width && bottom == r.y + r.height;
  if ((thin || spec.jobs) && !inside)
    return padded (runner, task, window, {Rect{}, Rect{}, r, Rect{}});

  std::vector<Patch> parts = padded (runner, task, window,
      {between (r.x, top, left, bottom), between (right, top, r.x + r.width, bottom), between (r.x, r.y, r.x + r.width, top),
          between (r.x, bottom, r.x + r.width, r.y + r.height)});
  parts.insert (parts.begin (), Patch::of (task, between (left, top, right, bottom)));
  return parts;
}

Launch
copy_launch (const Runner &runner, const PlaneTask &task, const Rect &rect)
{
  constexpr int gpu_item_samples = 8;
  /* neighbouring items take neighbouring pixels of an image, and words of a buffer; measured on an H200 */
  const int image_item_bytes = task.samples_per_pixel () == 4 ? 8 : 4;
  const int gpu_samples =
      task.src.image || task.dst.image ? image_item_bytes / runner.format ().sample_size () : gpu_item_samples;
  Launch copy ({.sources = {"lib/point.clh", "lib/copy.cl"},
      .function = "copy_plane",
      .item_samples = runner.backend () == Backend::gpu ? gpu_samples : 1,
      .moves_samples = true,
      .tunable = {.local = true}});
  copy.patch = Patch::of (task, rect);
  copy.command = Launch::Command::copy;
  return copy;
}

void
copy_samples (Runner &runner, const PlaneTask &task, const Rect &rect)
{
  if (!rect.empty ())
    runner.run (task, copy_launch (runner, task, rect));
}

void
copy_plane (Runner &runner, const PlaneView &from, const PlaneView &to)
{
  const Rect whole{0, 0, from.width, from.height};
  copy_samples (runner, {.src = from, .dst = to, .plane = 0, .region = whole, .components = 0}, whole);
}

PlaneView
in_buffer (Runner &runner, const PlaneView &plane, const ScratchName &name)
{
  if (!plane.image)
    return plane;
  const PlaneView copy = runner.scratch_plane (name, plane);
  copy_plane (runner, plane, copy);
  return copy;
}

bool
is_interlaced (const GstVideoInfo &info, GstBuffer *buffer)
{
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (&info);
  return mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
         || (mode == GST_VIDEO_INTERLACE_MODE_MIXED && GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED));
}

PlaneView
field_of (PlaneView view, int field)
{
  view.offset += field * view.stride;
  view.stride *= 2;
  view.height = (view.height + 1 - field) / 2;
  return view;
}

PlaneView
field_to_read (Runner &runner, const PlaneView &plane, int field, int frame_height, const ScratchName &name)
{
  const PlaneView rows = field_of (plane, field);
  const int wanted = plane_height (*plane.layout, (frame_height + 1 - field) / 2);
  if (rows.height == 0)
    return plane;
  if (rows.height >= wanted)
    return rows;
  PlaneView taller = rows;
  taller.height++;
  PlaneView copy = runner.scratch_plane (name, taller), last = rows;
  copy.height = last.height = 1;
  last.offset += (rows.height - 1) * rows.stride;
  copy.offset += rows.height * copy.stride;
  copy_plane (runner, last, copy);
  copy.offset = 0;
  copy.height = rows.height;
  copy_plane (runner, rows, copy);
  return copy;
}

cl_long
mix_amount (Runner &runner, double amount)
{
  cl_long bits = std::llround (std::ldexp (amount, 40));
  if (runner.cl ().device.has_extension ("cl_khr_fp64"))
    std::memcpy (&bits, &amount, sizeof bits);
  return bits;
}

Launch
mix_launch (Runner &runner, double amount)
{
  return {{.sources = {"lib/mix.clh", "lib/mix.cl"},
              .function = "mix_plane",
              .options = {{"ROWS_AT_ONCE", 1}},
              .item_samples = runner.backend () == Backend::cpu ? 1 : 16 / runner.format ().sample_size (),
              .any_pixel = true,
              .joins_chroma = true,
              .tunable = {.local = true}},
      {mix_amount (runner, amount)}};
}

void
mix_samples (Runner &runner, const PlaneTask &task, double amount)
{
  runner.run (task, mix_launch (runner, amount));
}

BufferedTask::BufferedTask (Runner &runner_, const PlaneTask &task_) : inside (task_), runner (runner_), task (task_)
{
  for (size_t i = 0; i < task.inputs.size (); i++)
    inputs.push_back (in_buffer (runner, task.inputs[i], i == task.main ? "source" : ScratchName ("input", int (i))));
  inside.inputs = inputs;
  inside.src = inputs.empty () ? in_buffer (runner, task.src, "source") : inputs[task.main];
  if (task.dst.image)
    inside.dst = runner.scratch_plane ("result", task.dst);
}

void
BufferedTask::copy_back (const Rect &region)
{
  if (!task.dst.image)
    return;
  PlaneTask storing = task;
  storing.src = inside.dst;
  copy_samples (runner, storing, region);
}

}  // namespace gst::cl

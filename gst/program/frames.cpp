/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/frames.hpp"

#include "core/arithmetic.hpp"
#include "filter/runner.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* The component of each sample of a pixel, one byte each. */
cl_int
order_of (const PlaneLayout &layout)
{
  cl_uint order = 0;
  for (int i = 0; i < 4; i++)
    order |= cl_uint (i < layout.samples_per_pixel && layout.components[i] != padding ? layout.components[i] : 0xff) << (8 * i);
  return cl_int (order);
}

KernelSpec
pack_spec (const Format &format, int pixel_samples)
{
  Options options{{"PACK", 1}, {"PIXEL_SAMPLES", pixel_samples}};
  for (int component = 0; component < 4; component++) {
    int plane = most_planes, sample = 0;
    for (int p = 0; p < format.n_planes; p++)
      for (int i = 0; i < format.planes[p].samples_per_pixel; i++)
        if (format.planes[p].components[i] == component) {
          plane = p;
          sample = i;
        }
    options += {{"PLANE_", component, plane}, {"SAMPLE_", component, sample}};
  }
  for (int p = 0; p < most_planes; p++)
    options += {{"NC_", p, p < format.n_planes ? format.planes[p].samples_per_pixel : 1}};
  const PlaneLayout &chroma = format.planes[std::min (1, format.n_planes - 1)];
  options += {{"SUB_X", chroma.subsample_x}, {"SUB_Y", chroma.subsample_y}};
  return {.sources = {"program/pack.cl"}, .function = "program_pack", .options = options};
}

/* Copies frame `input` of the task to pixels. */
void
pack (Runner &runner, const FrameTask &task, size_t input, int pixel_samples, const ::cl::Buffer &to, int offset, int stride)
{
  std::array<PlaneView, most_planes> planes;
  for (size_t p = 0; p < planes.size (); p++)
    planes[p] = p < task.planes.size () ? in_buffer (runner, task.planes[p][input], {"program-plane", int (p)}) : planes[0];
  const auto place = [] (const PlaneView &plane) { return cl_int2{{plane.offset, plane.stride}}; };
  const bool cpu = runner.backend () == Backend::cpu;
  const std::array<size_t, 2> local = cpu ? std::array<size_t, 2>{128, 1} : std::array<size_t, 2>{32, 4};
  const PlaneView &first = planes[0];
  runner.run ({.src = first, .dst = first, .plane = 0, .components = 0},
      Launch::range (pack_spec (runner.format (), pixel_samples),
          {{round_up (first.width, local[0]), round_up (first.height, local[1])}, local},
          {first.memory, place (first), planes[1].memory, place (planes[1]), planes[2].memory, place (planes[2]),
              planes[3].memory, place (planes[3]), cl_int2{{first.width, first.height}}, to, cl_int2{{offset, stride}}}));
}

/* The rectangle, extended to whole blocks of pixels that share a chroma sample. */
Rect
whole_blocks (const Rect &rect, const PlaneLayout &chroma, int width, int height)
{
  const int block_x = 1 << chroma.subsample_x, block_y = 1 << chroma.subsample_y;
  const int left = rect.x / block_x * block_x, top = rect.y / block_y * block_y;
  const int right = std::min (int (round_up (rect.x + rect.width, block_x)), width);
  const int bottom = std::min (int (round_up (rect.y + rect.height, block_y)), height);
  return {left, top, right - left, bottom - top};
}

/* The frame index for each further input; the main frame's for a removed pad. */
std::vector<size_t>
other_inputs (const FrameTask &task, size_t inputs)
{
  std::vector<size_t> others;
  for (size_t i = 0; i < task.planes[0].size () && others.size () + 1 < inputs; i++)
    if (i != task.main)
      others.push_back (i);
  others.resize (inputs - 1, task.main);
  return others;
}

/* Whether kernels leave samples out: kernels of passes see one component after another, and only filtered ones. */
bool
leaves_samples (const BuiltProgram &program, int samples, cl_int order, unsigned components)
{
  bool leaves = false;
  for (int i = 0; i < samples; i++)
    leaves = leaves || !is_filtered (order, i, components);
  return program.plan.has_groups () && !program.sees_pixels && leaves;
}

bool
covers (std::span<const Rect> regions, int width, int height)
{
  return regions.size () == 1 && regions[0].width == width && regions[0].height == height;
}

/* The size of a scratch picture for a frame. */
cl_int2
size_of (const ScratchPicture &picture, const ProgramFrameArgument &frame)
{
  return {{picture.extent (frame.width), picture.extent (frame.height)}};
}

size_t
bytes_of (const ScratchPicture &picture, const ProgramFrameArgument &frame)
{
  const cl_int2 size = size_of (picture, frame);
  const guint64 pixels = guint64 (size.s[0]) * guint64 (size.s[1]);
  if (pixels > G_MAXINT)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "Kernels cannot reach the picture " + picture.name + " of " + std::to_string (size.s[0]) + "x"
            + std::to_string (size.s[1]) + " pixels; the limit is 2147483647. Reduce its scale.",
        "scale=" + std::to_string (picture.scale));
  return size_t (pixels) * picture.bytes;
}

}  // namespace

void
ProgramFrames::begin (const FrameInfo &info)
{
  if (!last_input || info.first_input != *last_input + 1)
    for (auto &[key, store] : stores)
      store.known = 0;
  last_input = info.first_input;
  frame_number = cl_uint (info.number);
  const GstClockTime at = GST_CLOCK_TIME_IS_VALID (info.stream_time) ? info.stream_time : info.timestamp;
  time = GST_CLOCK_TIME_IS_VALID (at) ? cl_float (double (at) / GST_SECOND) : 0;
  const int rate = GST_VIDEO_INFO_FPS_N (&info.video);
  frame_rate = rate > 0 ? cl_float (double (rate) / GST_VIDEO_INFO_FPS_D (&info.video)) : 0;
}

void
ProgramFrames::end ()
{
  for (auto &[key, store] : stores) {
    /* a field or plane that was left out leaves a gap */
    store.known = store.used ? store.known + 1 : 0;
    store.frames++;
    store.used = false;
  }
}

/* Copies the earlier frames that both stores hold. */
void
ProgramFrames::keep_frames (Runner &runner, const Store &from, Store &to)
{
  const int ages = int (std::min<guint64> (from.known, std::min (from.history, to.history)));
  const size_t bytes = size_t (to.slot) * runner.format ().sample_size ();
  const auto rows = [&] (const Store &store, int age) {
    return Commands::Rows{size_t (store.offset (age)) * runner.format ().sample_size (), bytes, bytes};
  };
  to.frames = from.frames;
  to.known = ages;
  for (int age = 1; age <= ages; age++) {
    runner.commands.copy (from.in, rows (from, age), to.in, rows (to, age), 1);
    runner.commands.copy (from.out, rows (from, age), to.out, rows (to, age), 1);
  }
}

/* Makes the store again if the frames or the program have changed. */
ProgramFrames::Store &
ProgramFrames::store_for (Runner &runner, const BuiltProgram &program, int field, int plane, const PlaneView &like, int samples)
{
  Store &store = stores[{field, plane}];
  const ProgramRequest &request = program.request;
  const bool same_frames = store.width == like.width && store.height == like.height && store.samples == samples;
  store.used = true;
  if (same_frames && store.history == request.history && store.inputs == request.inputs)
    return store;
  constexpr size_t multiple = 64; /* rows are aligned for any vector load */
  const Store old = store;
  store = {.width = like.width,
      .height = like.height,
      .samples = samples,
      .stride = int (round_up (size_t (like.width) * samples, multiple)),
      .history = request.history,
      .inputs = request.inputs,
      .used = true};
  const guint64 slot = guint64 (store.stride) * guint64 (like.height);
  const guint64 slots = std::max<guint64> (request.history + 1, request.inputs - 1);
  if (slot * slots > G_MAXINT) {
    store = {};
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "Kernels cannot reach " + std::to_string (slots) + " frames of " + std::to_string (like.width) + "x"
            + std::to_string (like.height) + " with " + std::to_string (samples)
            + " samples per pixel; the limit is 2147483647 samples. Reduce history or the number of inputs.",
        "history=" + std::to_string (request.history) + ", inputs=" + std::to_string (request.inputs));
  }
  store.slot = int (slot);
  const size_t bytes = size_t (store.slot) * runner.format ().sample_size ();
  const auto allocate = [&] (size_t slots) {
    runner.memory.allocations++;
    return ::cl::Buffer (runner.cl ().handle, CL_MEM_READ_WRITE, bytes * slots);
  };
  store.in = allocate (request.history + 1);
  store.out = allocate (request.history + 1);
  if (request.inputs > 1)
    store.others = allocate (request.inputs - 1);
  if (same_frames)
    keep_frames (runner, old, store);
  return store;
}

PlaneView
ProgramFrames::slot_view (const Store &store, const ::cl::Buffer &memory, int offset, const PlaneView &like) const
{
  PlaneView view = like;
  view.memory = memory;
  view.offset = offset;
  view.stride = store.stride;
  view.image = view.split = false;
  return view;
}

template <typename Task>
ProgramFrameArgument
ProgramFrames::argument_for (const Store *store, const Rect &region, const PlaneView &plane, const Task &task) const
{
  ProgramFrameArgument frame{.region_x = region.x,
      .region_y = region.y,
      .region_width = region.width,
      .region_height = region.height,
      .width = plane.width,
      .height = plane.height,
      .border = int (task.border),
      .border_sample = task.border_sample,
      .samples = plane.layout->samples_per_pixel,
      .order = order_of (*plane.layout),
      .components = cl_int (task.components),
      .frame_number = frame_number,
      .time = time,
      .frame_rate = frame_rate};
  if (!store)
    return frame;
  frame.stride = frame.out_stride = store->stride;
  frame.frames_before = int (std::min<guint64> (store->known, store->history));
  for (int age = 0; age <= store->history; age++)
    frame.in[age] = frame.out[age] = store->offset (age);
  for (size_t i = 1; i < store->inputs; i++)
    frame.other[i - 1] = int (i - 1) * store->slot;
  return frame;
}

void
ProgramFrames::set_arguments (const BuiltProgram &program, const BuiltKernel &built, const ProgramFrameArgument &frame,
    const Memories &memories, const std::function<::cl::Memory (size_t)> &scratch)
{
  ::cl::Kernel kernel = built.kernel;
  cl_uint index = 0;
  kernel.setArg (index++, memories.in);
  kernel.setArg (index++, memories.others);
  kernel.setArg (index++, memories.was);
  kernel.setArg (index++, memories.out);
  kernel.setArg (index++, sizeof frame, &frame);
  for (size_t i = 0; i < program.plan.scratch.size (); i++) {
    kernel.setArg (index++, scratch (i));
    kernel.setArg (index++, size_of (program.plan.scratch[i], frame));
  }
  for (const OwnArgument &own : built.own)
    if (own.local_bytes > 0)
      kernel.setArg (index++, own.local_bytes, nullptr);
    else
      kernel.setArg (index++, program.values[own.number].size (), program.values[own.number].data ());
}

::cl::Event
ProgramFrames::warm_up (const BuiltProgram &program, const ::cl::CommandQueue &queue, const ::cl::Buffer &scrap)
{
  const BuiltKernel &kernel = program.running[0];
  set_arguments (program, kernel, {.samples = 1}, {scrap, scrap, scrap, scrap}, nullptr);
  const ::cl::NDRange group (kernel.group[0], kernel.group[1]);
  ::cl::Event done;
  queue.enqueueNDRangeKernel (kernel.kernel, ::cl::NullRange, group, group, nullptr, &done);
  queue.flush ();
  return done;
}

void
ProgramFrames::launch (Runner &runner, const BuiltProgram &program, const ProgramFrameArgument &frame, const Memories &memories)
{
  if (!program.plan.has_groups ()) {
    const BuiltKernel &kernel = program.running[0];
    const size_t items = size_t (frame.region_width) * (program.sees_pixels ? 1 : frame.samples);
    set_arguments (program, kernel, frame, memories, nullptr);
    runner.commands.run (
        kernel.kernel, {{round_up (items, kernel.group[0]), round_up (frame.region_height, kernel.group[1])}, kernel.group});
    return;
  }
  for (int sample = 0; sample < (program.sees_pixels ? 1 : frame.samples); sample++)
    if (program.sees_pixels || is_filtered (frame.order, sample, unsigned (frame.components))) {
      ProgramFrameArgument of_sample = frame;
      of_sample.sample = sample;
      of_sample.outside = program.sees_pixels ? cl_float (frame.border_sample) / cl_float (runner.format ().max_value ())
                                              : cl_float (frame.border_sample);
      launch_passes (runner, program, of_sample, memories);
    }
}

/* Pictures between passes are whole, because later passes read beyond the region. */
void
ProgramFrames::launch_passes (
    Runner &runner, const BuiltProgram &program, const ProgramFrameArgument &frame, const Memories &memories)
{
  const auto scratch = [&] (size_t i) -> ::cl::Memory {
    return runner.memory.buffer ({"program-scratch", int (i)}, bytes_of (program.plan.scratch[i], frame));
  };
  for (const BuiltKernel &kernel : program.running) {
    ProgramFrameArgument of_pass = frame;
    Rect range{frame.region_x, frame.region_y, frame.region_width, frame.region_height};
    const ScratchPicture size{.scale = kernel.scale};
    of_pass.pass_width = size.extent (frame.width);
    of_pass.pass_height = size.extent (frame.height);
    if (!kernel.written.empty ())
      range = {0, 0, of_pass.pass_width, of_pass.pass_height};
    if (kernel.writes_scratch_only)
      of_pass.region_width = of_pass.region_height = 0;
    of_pass.range_x = range.x;
    of_pass.range_y = range.y;
    set_arguments (program, kernel, of_pass, memories, scratch);
    runner.commands.run (
        kernel.kernel, {{round_up (range.width, kernel.group[0]), round_up (range.height, kernel.group[1])}, kernel.group});
  }
}

void
ProgramFrames::prepare (Runner &runner, BuiltProgram &program, const FrameTask &task)
{
  if (program.sees_pixels && !is_direct (program.request, runner.format ()))
    prepare_pixels (runner, program, task);
  else if (program.request.history > 0 || program.request.inputs > 1)
    prepare_planes (runner, program, task);
}

/* All work except the copy from pixels back to planes. */
void
ProgramFrames::prepare_pixels (Runner &runner, BuiltProgram &program, const FrameTask &task)
{
  const Format &format = runner.format ();
  const PlaneView &first = task.planes[0][task.main];
  const int samples = pixel_layout (program.request, format).samples;
  Store &store = store_for (runner, program, task.field, -1, first, samples);
  pack (runner, task, task.main, samples, store.in, store.offset (0), store.stride);
  const std::vector<size_t> others = other_inputs (task, program.request.inputs);
  for (size_t slot = 0; slot < others.size (); slot++)
    pack (runner, task, others[slot], samples, store.others, int (slot) * store.slot, store.stride);
  if (program.needs_copy || (store.history > 0 && !covers (task.regions, first.width, first.height)))
    pack (runner, task, task.main, samples, store.out, store.offset (0), store.stride);
  for (const Rect &region : task.regions) {
    const Rect rect = whole_blocks (region, format.planes[std::min (1, format.n_planes - 1)], first.width, first.height);
    ProgramFrameArgument frame = argument_for (&store, rect, first, task);
    frame.aligned = 1;
    launch (runner, program, frame, {store.in, program.request.inputs > 1 ? store.others : store.in, store.out, store.out});
  }
}

/* Copies the components for kernels of one component, and the parts of the results that no kernel writes. */
void
ProgramFrames::prepare_planes (Runner &runner, const BuiltProgram &program, const FrameTask &task)
{
  for (size_t p = 0; p < task.planes.size (); p++) {
    const PlaneView &plane = task.planes[p][task.main];
    const Rect whole{0, 0, plane.width, plane.height};
    Store &store = store_for (runner, program, task.field, int (p), plane, plane.layout->samples_per_pixel);
    const auto copy = [&] (const PlaneView &from, const ::cl::Buffer &to, int offset) {
      const PlaneView target = slot_view (store, to, offset, from);
      copy_samples (runner, {.src = from, .dst = target, .plane = int (p), .components = 0}, whole);
    };
    copy (plane, store.in, store.offset (0));
    const std::vector<size_t> others = other_inputs (task, program.request.inputs);
    for (size_t slot = 0; slot < others.size (); slot++)
      copy (task.planes[p][others[slot]], store.others, int (slot) * store.slot);
    const int samples = plane.layout->samples_per_pixel;
    if (store.history > 0 || program.needs_copy || leaves_samples (program, samples, order_of (*plane.layout), task.components))
      copy (plane, store.out, store.offset (0));
  }
}

void
ProgramFrames::run_component (Runner &runner, BuiltProgram &program, const PlaneTask &task)
{
  const bool copied = program.request.history > 0 || program.request.inputs > 1;
  const Store *store = copied ? &stores.at ({task.field, task.plane}) : nullptr;
  ProgramFrameArgument frame = argument_for (store, task.region, task.src, task);
  if (store) {
    launch (runner, program, frame, {store->in, store->inputs > 1 ? store->others : store->in, store->out, store->out});
    PlaneTask storing = task;
    storing.src = slot_view (*store, store->out, store->offset (0), task.src);
    copy_samples (runner, storing, task.region);
    return;
  }
  if (program.needs_copy || leaves_samples (program, task.samples_per_pixel (), order_of (*task.src.layout), task.components))
    copy_samples (runner, task, task.region);
  frame.in[0] = task.src.offset;
  frame.stride = task.src.stride;
  frame.out[0] = task.dst.offset;
  frame.out_stride = task.dst.stride;
  /* on a CPU, rows of mapped pages may begin anywhere */
  frame.aligned =
      runner.backend () != Backend::cpu && (task.src.offset | task.src.stride | task.dst.offset | task.dst.stride) % 4 == 0;
  launch (runner, program, frame, {task.src.memory, task.src.memory, task.src.memory, task.dst.memory});
}

void
ProgramFrames::run (Runner &runner, BuiltProgram &program, const PlaneTask &task)
{
  if (!program.sees_pixels || is_direct (program.request, runner.format ())) {
    run_component (runner, program, task);
    return;
  }
  const Store &store = stores.at ({task.field, -1});
  const PlaneLayout &layout = *task.src.layout;
  KernelSpec spec{.sources = {"lib/point.clh", "program/pack.cl"},
      .function = "program_unpack",
      .options = {{"PACK", 0}, {"PIXEL_SAMPLES", store.samples}, {"BLOCK_X", layout.subsample_x},
          {"BLOCK_Y", layout.subsample_y}},
      .item_samples = runner.backend () == Backend::gpu ? 16 / runner.format ().sample_size () : 1};
  runner.run (task, Launches{{std::move (spec), {store.out, cl_int2{{store.offset (0), store.stride}},
                                                    cl_int2{{store.width, store.height}}, order_of (layout)}}});
}

}  // namespace gst::cl

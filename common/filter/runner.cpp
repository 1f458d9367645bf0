/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/runner.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gst::cl {

namespace {

/* A row of PoCL's work items is one loop; longer ones gain nothing and limit the choice of groups. */
constexpr int longest_group = 2048;
/* A multiple of every vector's length, so that the loop has no remainder. */
constexpr int group_multiple = 64;

/* The local size for rows of n items: equal groups, the last of which overlaps the one before it. */
size_t
row_group (int n, size_t device_limit)
{
  const int limit = std::min<size_t> (longest_group, device_limit);
  const int groups = (n + limit - 1) / limit;
  const int size = (n + groups - 1) / groups;
  const int rounded = (size + group_multiple - 1) / group_multiple * group_multiple;
  return rounded <= std::min (n, limit) ? rounded : size;
}

size_t
round_up (size_t n, size_t multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

Runner::Runner (ContextRef context, const Format &format)
    : owner (std::move (context)), frame_format (format), current (cl ().compute)
{
}

Runner::~Runner ()
{
  try {
    current.finish ();
  } catch (const ::cl::Error &) {
    /* the device is gone, and with it every command */
  }
}

void
Runner::select_queue (bool profile)
{
  if (profile == profiling)
    return;
  current.finish (); /* scratch memory and kernels go over to the other queue */
  current = profile ? cl ().profiled : cl ().compute;
  profiling = profile;
}

void
Runner::begin_frame (std::vector<::cl::Event> wait, bool profile)
{
  select_queue (profile);
  pending_wait = std::move (wait);
  last = ::cl::Event ();
  if (profiling)
    profiled.emplace_back ();
}

Fence
Runner::end_frame ()
{
  current.flush ();
  collect_times ();
  return {last, current ()};
}

::cl::Event *
Runner::next_event ()
{
  if (profiling && last ())
    profiled.back ().push_back (last);
  last = ::cl::Event ();
  return &last;
}

/* Adds up the frames whose commands are complete; the newest ones usually are not yet. */
void
Runner::collect_times ()
{
  if (profiling && last ())
    profiled.back ().push_back (last);
  while (!profiled.empty ()) {
    guint64 sum = 0;
    for (const ::cl::Event &event : profiled.front ()) {
      if (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> () != CL_COMPLETE)
        return;
      sum += event.getProfilingInfo<CL_PROFILING_COMMAND_END> ()
             - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ();
    }
    profiled.erase (profiled.begin ());
    times.last_ns = sum;
    times.max_ns = std::max (times.max_ns, sum);
    times.total_ns += sum;
    times.frames++;
  }
}

ProgramSpec
Runner::program_spec (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, int item_rows) const
{
  ProgramSpec program;
  program.sources = {"lib/plane.clh", "lib/border.clh", "lib/gpu.clh"};
  program.sources.insert (program.sources.end (), spec.sources.begin (), spec.sources.end ());
  const int word = 4 / frame_format.sample_size ();
  const bool aligned = patch.src_offset % word == 0 && patch.src_stride % word == 0 && patch.dst_offset % word == 0
                       && patch.dst_stride % word == 0;
  const auto define = [&program] (const char *name, int value) {
    program.options += std::string ("-D") + name + "=" + std::to_string (value) + " ";
  };
  define (backend () == Backend::cpu ? "BACKEND_CPU" : "BACKEND_GPU", 1);
  define ("SAMPLE_BITS", frame_format.sample_bits);
  define ("DEPTH", frame_format.depth);
  define ("SHIFT", frame_format.shift);
  define ("NC", task.src.layout->samples_per_pixel);
  define ("ITEM_SAMPLES", backend () == Backend::cpu ? 1 : spec.item_samples);
  define ("ITEM_ROWS", item_rows);
  define ("ALIGNED", backend () == Backend::gpu && aligned);
  program.options += spec.options;
  return program;
}

int
Runner::item_rows_for (const KernelSpec &spec, const Patch &patch) const
{
  return backend () == Backend::cpu && patch.height < spec.item_rows ? 1 : spec.item_rows;
}

::cl::Kernel &
Runner::kernel_for (const KernelSpec &spec, const PlaneTask &task, const Patch &patch)
{
  auto key = std::pair (program_spec (spec, task, patch, item_rows_for (spec, patch)), spec.function);
  const auto found = kernels.find (key);
  if (found != kernels.end ())
    return found->second;
  const ::cl::Program program = cl ().programs.get (key.first, builds);
  return kernels.emplace (std::move (key), ::cl::Kernel (program, spec.function.c_str ())).first->second;
}

bool
Runner::prepare (const KernelSpec &spec, const PlaneTask &task, bool may_wait)
{
  const Patch whole = whole_plane (task);
  auto key = std::pair (program_spec (spec, task, whole, item_rows_for (spec, whole)), spec.function);
  if (kernels.contains (key))
    return true;
  const std::optional<::cl::Program> program =
      may_wait ? cl ().programs.get (key.first, builds) : cl ().programs.try_get (key.first, builds);
  if (program)
    kernels.emplace (std::move (key), ::cl::Kernel (*program, spec.function.c_str ()));
  return program.has_value ();
}

cl_int4
Runner::plane_argument (const PlaneTask &task)
{
  return {{task.src.width * task.src.layout->samples_per_pixel, task.src.height, int (task.border),
      task.border_sample}};
}

cl_uint
Runner::set_plane_arguments (::cl::Kernel &kernel, const PlaneTask &task, const Patch &patch)
{
  cl_uint index = 0;
  kernel.setArg (index++, patch.src);
  kernel.setArg (index++, patch.src_offset);
  kernel.setArg (index++, patch.src_stride);
  kernel.setArg (index++, patch.dst);
  kernel.setArg (index++, patch.dst_offset);
  kernel.setArg (index++, patch.dst_stride);
  kernel.setArg (index++, keep_mask (task));
  kernel.setArg (index++, cl_int4{{patch.x, patch.y, patch.width, patch.height}});
  kernel.setArg (index++, plane_argument (task));
  return index;
}

void
Runner::enqueue_plane (::cl::Kernel &kernel, const KernelSpec &spec, const PlaneTask &task, const Patch &patch)
{
  const size_t rows = item_rows_for (spec, patch);
  if (backend () == Backend::cpu) {
    const int items = spec.per_pixel ? patch.width / task.src.layout->samples_per_pixel : patch.width;
    const size_t local = row_group (items, cl ().device.max_work_group_size);
    enqueue (kernel, {round_up (items, local), (patch.height + rows - 1) / rows}, {local, 1});
    return;
  }
  /* the grid of items begins with the plane, so a region that begins inside an item needs one more */
  const int unit = spec.item_samples;
  const size_t columns = (patch.x + patch.width + unit - 1) / unit - patch.x / unit;
  enqueue (kernel, {round_up (columns, spec.local_x), round_up ((patch.height + rows - 1) / rows, spec.local_y)},
      {size_t (spec.local_x), size_t (spec.local_y)});
}

void
Runner::enqueue (::cl::Kernel &kernel, std::array<size_t, 2> global, std::array<size_t, 2> local)
{
  const ::cl::NDRange group = local[0] ? ::cl::NDRange (local[0], local[1]) : ::cl::NullRange;
  current.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (global[0], global[1]), group, &pending_wait,
      next_event ());
  pending_wait.clear ();
}

void
Runner::copy (const PlaneTask &task, const Rect &rect)
{
  if (rect.empty ())
    return;
  const size_t bytes = frame_format.sample_size ();
  const size_t pixel = bytes * task.src.layout->samples_per_pixel;
  const auto origin = [&] (const PlaneView &view) {
    return std::array<size_t, 3>{view.offset * bytes + rect.y * view.stride * bytes + rect.x * pixel, 0, 0};
  };
  current.enqueueCopyBufferRect (task.src.buffer, task.dst.buffer, origin (task.src), origin (task.dst),
      {rect.width * pixel, size_t (rect.height), 1}, task.src.stride * bytes, 0, task.dst.stride * bytes, 0,
      &pending_wait, next_event ());
  pending_wait.clear ();
}

void
Runner::mix (const PlaneTask &task, double amount)
{
  const KernelSpec spec{.sources = {"mix.cl"}, .function = "mix_plane"};
  const bool has_double =
      cl ().device.handle.getInfo<CL_DEVICE_EXTENSIONS> ().find ("cl_khr_fp64") != std::string::npos;
  cl_long bits = std::llround (std::ldexp (amount, 40));
  if (has_double)
    std::memcpy (&bits, &amount, sizeof bits);
  const int samples = task.src.layout->samples_per_pixel;
  Patch patch = whole_plane (task);
  patch.x = task.region.x * samples;
  patch.y = task.region.y;
  patch.width = task.region.width * samples;
  patch.height = task.region.height;
  launch (spec, task, patch, bits);
}

}  // namespace gst::cl

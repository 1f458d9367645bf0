/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/runner.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>

namespace gst::cl {

namespace {

size_t
round_up (size_t n, size_t multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

/* How many reads are on their way. */
class Runner::ReadBacks {
public:
  void begin ()
  {
    const std::lock_guard lock (mutex);
    count++;
  }

  void end ()
  {
    const std::lock_guard lock (mutex);
    count--;
    changed.notify_all ();
  }

  void wait ()
  {
    std::unique_lock lock (mutex);
    changed.wait (lock, [this] { return count == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
};

Runner::Runner (ContextRef context, const Format &format, Backend backend)
    : owner (std::move (context)), frame_format (format), bodies (backend == Backend::cpu ? Backend::cpu : Backend::gpu),
      current (cl ().compute), read_backs (std::make_shared<ReadBacks> ()), tuning (Tuning::of (cl ().device))
{
}

Runner::~Runner ()
{
  finish ();
}

void
Runner::finish () noexcept
{
  try {
    current.finish ();
    collect_times ();
  } catch (const ::cl::Error &) {
    /* the device is gone, and with it every command */
  }
  read_backs->wait ();
}

void
Runner::read_back (const ::cl::Buffer &from, size_t bytes, std::function<void (std::span<const std::byte>)> done)
{
  if (rehearsed)
    return;
  const auto content = std::make_shared<std::vector<std::byte>> (bytes);
  current.enqueueReadBuffer (from, CL_FALSE, 0, bytes, content->data (), &pending_wait, next_event ());
  pending_wait.clear ();
  read_backs->begin ();
  cl ().reaper.leave (last, [pending = read_backs, event = last, content, done = std::move (done)] {
    cl_int status = CL_COMPLETE;
    clGetEventInfo (event (), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status == CL_COMPLETE)
      done (*content);
    pending->end ();
  });
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
Runner::end_frame (bool flush)
{
  if (flush)
    current.flush ();
  playing = true;
  const Fence fence{last, current ()};
  next_event (); /* the last one counts as well */
  collect_times ();
  return fence;
}

::cl::Event *
Runner::next_event ()
{
  if (profiling && last ())
    profiled.back ().push_back (last);
  last = ::cl::Event ();
  return &last;
}

/* Adds up the frames whose commands are complete; the newest ones usually are not before finish(). */
void
Runner::collect_times ()
{
  while (!profiled.empty ()) {
    guint64 sum = 0;
    bool failed = false;
    for (const ::cl::Event &event : profiled.front ()) {
      const cl_int status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> ();
      if (status > CL_COMPLETE)
        return;
      failed = failed || status < 0;
      if (failed)
        break;
      sum += event.getProfilingInfo<CL_PROFILING_COMMAND_END> () - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ();
    }
    profiled.erase (profiled.begin ());
    if (failed)
      continue;
    times.last_ns = sum;
    times.max_ns = std::max (times.max_ns, sum);
    times.total_ns += sum;
    times.frames++;
  }
}

Runner::Variant
Runner::variant_for (const KernelSpec &spec, const Shape &shape, const PlaneTask &task, const Patch &patch) const
{
  const bool cpu = backend () == Backend::cpu;
  const auto aligned = [&] (int bytes) {
    const int unit = bytes / frame_format.sample_size ();
    return (patch.src_image || (patch.src_offset % unit == 0 && patch.src_stride % unit == 0))
           && (patch.dst_image || (patch.dst_offset % unit == 0 && patch.dst_stride % unit == 0));
  };
  const int pixel = task.src.layout->samples_per_pixel;
  const int samples = shape.item_samples ? shape.item_samples : spec.item_samples;
  const int rows = shape.item_rows ? shape.item_rows : spec.item_rows;
  /* an image is written in whole pixels */
  const int item_samples = patch.dst_image ? int (round_up (samples, pixel)) : samples;
  return {pixel, cpu && patch.width < item_samples ? 1 : item_samples, cpu && patch.height < rows ? 1 : rows,
      cpu            ? 0
      : aligned (16) ? 16
      : aligned (4)  ? 4
                     : 0,
      patch.src_image, patch.src_split, patch.dst_image, patch.dst_split};
}

ProgramSpec
Runner::program_spec (const KernelSpec &spec, const Variant &variant) const
{
  ProgramSpec program;
  program.sources = {"lib/sample.clh", "lib/plane.clh", "lib/border.clh", "lib/place.clh"};
  if (variant.src_image || variant.dst_image)
    program.sources.push_back ("lib/image.clh");
  program.sources.push_back ("lib/gpu.clh");
  program.sources.insert (program.sources.end (), spec.sources.begin (), spec.sources.end ());
  const auto define = [&program] (const char *name, int value) {
    program.options += std::string ("-D") + name + "=" + std::to_string (value) + " ";
  };
  define (backend () == Backend::cpu ? "BACKEND_CPU" : "BACKEND_GPU", 1);
  define ("SAMPLE_BITS", frame_format.sample_bits);
  define ("DEPTH", frame_format.depth);
  define ("SHIFT", frame_format.shift);
  define ("DOUBLES", cl ().device.has_extension ("cl_khr_fp64"));
  define ("NC", variant.samples_per_pixel);
  define ("ITEM_SAMPLES", variant.item_samples);
  define ("ITEM_ROWS", variant.item_rows);
  define ("ALIGNED", variant.aligned);
  for (const auto &[name, set] : {std::pair ("SRC_IMAGE", variant.src_image), {"SRC_SPLIT", variant.src_split},
           {"DST_IMAGE", variant.dst_image}, {"DST_SPLIT", variant.dst_split}})
    if (set)
      define (name, 1);
  program.options += spec.options;
  return program;
}

std::string
Runner::kernel_key (const KernelSpec &spec, const Variant &v)
{
  std::string key = spec.sources.back () + ' ' + spec.function + ' ' + spec.options + ' ';
  for (int number : {v.samples_per_pixel, v.item_samples, v.item_rows, v.aligned, int (v.src_image), int (v.src_split),
           int (v.dst_image), int (v.dst_split)})
    key += std::to_string (number) + ' ';
  return key;
}

Runner::Prepared *
Runner::find_kernel (const std::string &key)
{
  const auto found = kernels.find (key);
  return found == kernels.end () ? nullptr : &found->second;
}

/* A kernel that needs many registers may refuse a group that the device takes. */
Runner::Prepared &
Runner::add_kernel (
    std::string key, const KernelSpec &spec, const Choice &choice, const ProgramSpec &program, const ::cl::Program &built)
{
  Prepared prepared{::cl::Kernel (built, spec.function.c_str ()), choice.shape, choice.name};
  cl ().open->compiler.note (program, spec.function);
  Shape &shape = prepared.shape;
  if (shape.local_x
      && size_t (shape.local_x) * shape.local_y
             > prepared.kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE> (cl ().device.handle))
    shape.local_x = shape.local_y = 0;
  return kernels.emplace (std::move (key), std::move (prepared)).first->second;
}

Runner::Prepared &
Runner::kernel_for (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, bool tunable)
{
  const Variant usual = variant_for (spec, {}, task, patch);
  std::string key = kernel_key (spec, usual);
  if (Prepared *known = find_kernel (key))
    return *known;
  static const Choice untuned;
  const Choice &choice = tunable ? choice_for (spec, key, usual) : untuned;
  const Variant v = variant_for (spec, choice.shape, task, patch);
  if (tuning->observer && !choice.name.empty ())
    build_candidates (spec, axes_of (cl ().device, spec, backend () == Backend::cpu, v.src_image || v.dst_image), task, patch);
  const ProgramSpec program = program_spec (spec, v);
  return add_kernel (std::move (key), spec, choice, program, cl ().programs.get (program, builds));
}

void
Runner::note_form (const KernelSpec &spec, const PlaneTask &task, const Patch &patch, bool tunable,
    std::array<size_t, 2> global, std::array<size_t, 2> local)
{
  const Variant usual = variant_for (spec, {}, task, patch);
  static const Choice untuned;
  const Choice &choice = tunable ? choice_for (spec, kernel_key (spec, usual), usual) : untuned;
  rehearsed->insert ({program_spec (spec, variant_for (spec, choice.shape, task, patch)), spec.function, global, local});
}

bool
Runner::ready (const KernelSpec &spec, const PlaneTask &task)
{
  if (!playing || rehearsed)
    return true;
  const Patch patch = part (task, task.region);
  const Variant usual = variant_for (spec, {}, task, patch);
  std::string key = kernel_key (spec, usual);
  if (find_kernel (key))
    return true;
  const Choice &choice = choice_for (spec, key, usual);
  const ProgramSpec program = program_spec (spec, variant_for (spec, choice.shape, task, patch));
  const std::optional<::cl::Program> built = cl ().programs.try_get (program, builds);
  if (built)
    add_kernel (std::move (key), spec, choice, program, *built);
  return built.has_value ();
}

void
Runner::prepare (std::initializer_list<KernelSpec> specs, const PlaneTask &task)
{
  if (rehearsed)
    return;
  const Patch patch = part (task, task.region);
  for (const KernelSpec &spec : specs) {
    const Variant usual = variant_for (spec, {}, task, patch);
    const std::string key = kernel_key (spec, usual);
    if (!find_kernel (key))
      cl ().programs.prepare (program_spec (spec, variant_for (spec, choice_for (spec, key, usual).shape, task, patch)));
  }
}

cl_int4
Runner::plane_argument (const PlaneTask &task)
{
  return {{task.src.width * task.src.layout->samples_per_pixel, task.src.height, int (task.border), task.border_sample}};
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
Runner::enqueue_plane (Prepared &prepared, const KernelSpec &spec, const PlaneTask &task, const Patch &patch)
{
  const Shape &shape = prepared.shape;
  const Variant v = variant_for (spec, shape, task, patch);
  const size_t rows = (patch.height + v.item_rows - 1) / v.item_rows;
  const auto divide = [] (int n, int unit) { return size_t (n + unit - 1) / unit; };
  if (spec.jobs) {
    const size_t items = backend () == Backend::gpu ? spec.job_items : 1;
    enqueue (prepared, {spec.jobs * items, 1}, {items, 1});
  } else if (backend () == Backend::cpu) {
    enqueue (prepared, {spec.strip_samples ? divide (patch.width, spec.strip_samples) : 1, rows}, {1, 1});
  } else {
    const size_t local_x = shape.local_x ? shape.local_x : spec.local_x;
    const size_t local_y = shape.local_y ? shape.local_y : spec.local_y;
    /* the grid of items begins with the plane, so a region that begins inside an item needs one more */
    const size_t columns = divide (patch.x + patch.width, v.item_samples) - patch.x / v.item_samples;
    enqueue (prepared, {round_up (columns, local_x), round_up (rows, local_y)}, {local_x, local_y});
  }
}

void
Runner::enqueue (Prepared &prepared, std::array<size_t, 2> global, std::array<size_t, 2> local)
{
  launch_own (prepared.kernel, global, local);
  if (LaunchObserver *observer = tuning->observer)
    observer->launched (prepared.name, last);
}

void
Runner::launch_own (const ::cl::Kernel &kernel, std::array<size_t, 2> global, std::array<size_t, 2> local)
{
  if (rehearsed)
    return;
  const ::cl::NDRange group = local[0] ? ::cl::NDRange (local[0], local[1]) : ::cl::NullRange;
  current.enqueueNDRangeKernel (
      kernel, ::cl::NullRange, ::cl::NDRange (global[0], global[1]), group, &pending_wait, next_event ());
  pending_wait.clear ();
}

void
Runner::copy (const PlaneTask &task, const Rect &rect)
{
  constexpr int gpu_item_samples = 8;
  if (rect.empty ())
    return;
  /* neighbouring pixels of an image belong to neighbouring items, as far as buffers take words; measured on an H200 */
  const int image_item_bytes = task.src.layout->samples_per_pixel == 4 ? 8 : 4;
  const int gpu_samples = task.src.image || task.dst.image ? image_item_bytes / frame_format.sample_size () : gpu_item_samples;
  const KernelSpec spec{.sources = {"lib/copy.cl"},
      .function = "copy_plane",
      .item_samples = backend () == Backend::gpu ? gpu_samples : 1,
      .tunable = {.local = true}};
  launch (spec, task, part (task, rect));
}

void
Runner::mix (const PlaneTask &task, double amount)
{
  const KernelSpec spec{.sources = {"lib/mix.cl"}, .function = "mix_plane", .tunable = {.local = true}};
  cl_long bits = std::llround (std::ldexp (amount, 40));
  if (cl ().device.has_extension ("cl_khr_fp64"))
    std::memcpy (&bits, &amount, sizeof bits);
  launch (spec, task, part (task, task.region), bits);
}

}  // namespace gst::cl

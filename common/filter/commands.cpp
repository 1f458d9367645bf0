/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/commands.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace gst::cl {

void
FrameTimer::add (guint64 ns)
{
  const std::lock_guard lock (mutex);
  all.last_ns = ns;
  all.max_ns = std::max (all.max_ns, ns);
  all.total_ns += ns;
  all.frames++;
}

KernelTimes
FrameTimer::times () const
{
  const std::lock_guard lock (mutex);
  return all;
}

Commands::Commands (Context &context_) : context (context_), current (context.compute) {}

Commands::~Commands ()
{
  finish ();
}

void
Commands::finish () noexcept
{
  try {
    context.finish (current);
  } catch (const Overdue &) {
    /* commands are left, and the functions of read_back() */
  } catch (const ::cl::Error &) {
    context.failed = true; /* the device is lost, and all its commands */
  }
  context.reaper.wait_for (last_read);
  if (!context.is_hung ())
    return;
  const std::lock_guard lock (read_backs->mutex);
  read_backs->ended = true;
}

void
Commands::select_queue (bool profile)
{
  if (profile == profiling)
    return;
  context.finish (current); /* scratch memory and kernels are then used on the other queue */
  current = profile ? context.profiled : context.compute;
  profiling = profile;
}

void
Commands::begin_frame (std::vector<::cl::Event> wait, bool profile)
{
  select_queue (profile);
  pending_wait = std::move (wait);
  newest = ::cl::Event ();
  profiled.clear ();
}

Fence
Commands::end_frame (bool flush)
{
  if (flush)
    current.flush ();
  playing = true;
  const Fence fence{newest, current ()};
  next_event (); /* counts the last command */
  return fence;
}

::cl::Event *
Commands::next_event ()
{
  static std::atomic<guint64> commands = 0;
  newest_order = ++commands;
  if (profiling && newest ())
    profiled.push_back (newest);
  newest = ::cl::Event ();
  return &newest;
}

void
Commands::run (const ::cl::Kernel &kernel, const WorkSize &size)
{
  if (muted)
    return;
  const auto &[global, local] = size;
  const ::cl::NDRange group = local[0] ? ::cl::NDRange (local[0], local[1]) : ::cl::NullRange;
  current.enqueueNDRangeKernel (
      kernel, ::cl::NullRange, ::cl::NDRange (global[0], global[1]), group, &pending_wait, next_event ());
  pending_wait.clear ();
}

void
Commands::write (const ::cl::Buffer &to, std::vector<std::byte> content)
{
  if (muted)
    return;
  const auto kept = std::make_shared<const std::vector<std::byte>> (std::move (content));
  ::cl::Event written;
  current.enqueueWriteBuffer (to, CL_FALSE, 0, kept->size (), kept->data (), nullptr, &written);
  context.reaper.leave (written, [kept] {});
}

void
Commands::mark ()
{
  if (!muted)
    current.enqueueMarkerWithWaitList (nullptr, next_event ());
}

void
Commands::clear (const ::cl::Buffer &buffer, size_t bytes)
{
  if (!muted)
    current.enqueueFillBuffer (buffer, cl_uchar (0), 0, bytes);
}

void
Commands::fill (const ::cl::Memory &to, size_t place, size_t n_bytes, std::span<const std::byte> pattern)
{
  if (muted)
    return;
  const ::cl::Buffer buffer (to (), true);
  if (pattern.size () == 1)
    current.enqueueFillBuffer (buffer, pattern[0], place, n_bytes, &pending_wait, next_event ());
  else
    current.enqueueFillBuffer (buffer, std::array{pattern[0], pattern[1]}, place, n_bytes, &pending_wait, next_event ());
  pending_wait.clear ();
}

void
Commands::copy (const ::cl::Memory &from, const Rows &source, const ::cl::Memory &to, const Rows &target, size_t n_rows)
{
  if (muted)
    return;
  const auto origin = [] (const Rows &rows) -> std::array<size_t, 3> {
    return {rows.place % rows.pitch, rows.place / rows.pitch, 0};
  };
  /* NVIDIA's driver refuses a last row whose pitch ends outside the buffer */
  const auto fit = [&] (const ::cl::Memory &memory, const Rows &rows) {
    return (rows.place / rows.pitch + n_rows) * rows.pitch <= memory.getInfo<CL_MEM_SIZE> ();
  };
  const size_t together = fit (from, source) && fit (to, target) ? n_rows : n_rows - 1;
  const ::cl::Buffer in (from (), true), out (to (), true);
  if (together > 0)
    current.enqueueCopyBufferRect (in, out, origin (source), origin (target), {source.length, together, 1}, source.pitch, 0,
        target.pitch, 0, &pending_wait, next_event ());
  if (together < n_rows)
    current.enqueueCopyBuffer (in, out, source.place + together * source.pitch, target.place + together * target.pitch,
        source.length, &pending_wait, next_event ());
  pending_wait.clear ();
}

void
Commands::read_back (const ::cl::Buffer &from, size_t bytes, std::function<void (std::span<const std::byte>)> done)
{
  if (muted)
    return;
  const auto content = std::make_shared<std::vector<std::byte>> (bytes);
  current.enqueueReadBuffer (from, CL_FALSE, 0, bytes, content->data (), &pending_wait, next_event ());
  pending_wait.clear ();
  context.reaper.leave (newest, [all = read_backs, event = newest, content, done = std::move (done)] {
    cl_int status = CL_COMPLETE;
    clGetEventInfo (event (), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    const std::lock_guard lock (all->mutex);
    if (status == CL_COMPLETE && !all->ended)
      done (*content);
  });
  last_read = context.reaper.left ();
}

bool
ScratchName::operator<(const ScratchName &other) const
{
  if (const int order = std::strcmp (name, other.name))
    return order < 0;
  if (numbers != other.numbers)
    return numbers < other.numbers;
  return std::strcmp (part, other.part) < 0;
}

const ::cl::Buffer &
ScratchMemory::buffer (const ScratchName &name, size_t bytes)
{
  auto &[buffer, size] = buffers[name];
  if (shrunk)
    bytes = 1;
  if (size < bytes) {
    buffer = ::cl::Buffer (context.handle, CL_MEM_READ_WRITE, bytes);
    size = bytes;
    allocations++;
  }
  return buffer;
}

const ::cl::Buffer &
ScratchMemory::cleared (const ScratchName &name, size_t bytes)
{
  const ::cl::Buffer &zeroed = buffer (name, bytes);
  commands.clear (zeroed, bytes);
  return zeroed;
}

const ::cl::Buffer &
ScratchMemory::zeros (const ScratchName &name, size_t bytes)
{
  const ::cl::Buffer known = buffers[name].first;
  const ::cl::Buffer &zeroed = buffer (name, bytes);
  if (zeroed () != known ())
    commands.clear (zeroed, bytes);
  return zeroed;
}

const ::cl::Buffer &
ScratchMemory::table (const ScratchName &name, std::span<const std::byte> content)
{
  Table &known = tables[name];
  if (known.buffer () && std::ranges::equal (known.content, content))
    return known.buffer;
  if (known.capacity < content.size () || !known.buffer ()) {
    known.capacity = std::max<size_t> (content.size (), 1);
    known.buffer = ::cl::Buffer (context.handle, CL_MEM_READ_ONLY, known.capacity);
    allocations++;
  }
  known.content.clear ();
  commands.write (known.buffer, {content.begin (), content.end ()});
  known.content.assign (content.begin (), content.end ());
  return known.buffer;
}

const ::cl::Buffer &
ScratchMemory::changing (const ScratchName &name, std::span<const std::byte> content)
{
  constexpr size_t least = 4096;
  const ::cl::Buffer &to = buffer (name, std::bit_ceil (std::max (content.size (), least)));
  std::vector<std::byte> &known = tables[name].content;
  if (std::ranges::equal (known, content))
    return to;
  known.assign (content.begin (), content.end ());
  commands.write (to, known);
  return to;
}

const ::cl::Buffer *
ScratchMemory::find_table (const ScratchName &name) const
{
  const auto known = tables.find (name);
  return known == tables.end () ? nullptr : &known->second.buffer;
}

PlaneView
ScratchMemory::plane (const ScratchName &name, const PlaneView &like, int sample_size)
{
  constexpr int multiple = 64; /* aligns rows for any vector load, for every size of a sample */
  PlaneView plane = like;
  plane.offset = 0;
  plane.stride = (like.width * like.layout->samples_per_pixel + multiple - 1) / multiple * multiple;
  plane.image = plane.split = false;
  /* on the cpu back end the buffer ends with the last sample, so that tests can detect reads beyond it */
  const int last_row = context.device.backend == Backend::cpu ? like.width * like.layout->samples_per_pixel : plane.stride;
  plane.memory = buffer (name, (size_t (plane.stride) * (plane.height - 1) + last_row) * sample_size);
  return plane;
}

const ::cl::Buffer &
ScratchArgument::in (ScratchMemory &scratch) const
{
  return scratch.buffer (name, bytes);
}

void
Argument::set (::cl::Kernel &kernel, cl_uint index, ScratchMemory &scratch) const
{
  if (kind == Kind::number)
    kernel.setArg (index, bytes, number.data ());
  else if (kind == Kind::value)
    kernel.setArg (index, content->size (), content->data ());
  else if (kind == Kind::memory)
    kernel.setArg (index, memory);
  else
    kernel.setArg (index, kind == Kind::scratch   ? scratch.buffer (name, bytes)
                          : kind == Kind::cleared ? scratch.cleared (name, bytes)
                                                  : scratch.table (name, *content));
}

}  // namespace gst::cl

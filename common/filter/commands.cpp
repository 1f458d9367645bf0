/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/commands.hpp"

#include <algorithm>
#include <condition_variable>

namespace gst::cl {

/* How many reads are on their way. */
class Commands::ReadBacks {
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

Commands::Commands (Context &context_)
    : context (context_), current (context.compute), read_backs (std::make_shared<ReadBacks> ())
{
}

Commands::~Commands ()
{
  finish ();
}

void
Commands::finish () noexcept
{
  try {
    current.finish ();
    collect_times ();
  } catch (const ::cl::Error &) {
    context.failed = true; /* the device is gone, and with it every command */
  }
  read_backs->wait ();
}

void
Commands::select_queue (bool profile)
{
  if (profile == profiling)
    return;
  current.finish (); /* scratch memory and kernels go over to the other queue */
  current = profile ? context.profiled : context.compute;
  profiling = profile;
}

void
Commands::begin_frame (std::vector<::cl::Event> wait, bool profile)
{
  select_queue (profile);
  pending_wait = std::move (wait);
  newest = ::cl::Event ();
  if (profiling)
    profiled.emplace_back ();
}

Fence
Commands::end_frame (bool flush)
{
  if (flush)
    current.flush ();
  playing = true;
  const Fence fence{newest, current ()};
  next_event (); /* the last one counts as well */
  collect_times ();
  return fence;
}

::cl::Event *
Commands::next_event ()
{
  if (profiling && newest ())
    profiled.back ().push_back (newest);
  newest = ::cl::Event ();
  return &newest;
}

/* Adds up the frames whose commands are complete; the newest ones usually are not before finish(). */
void
Commands::collect_times ()
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
Commands::write (const ::cl::Buffer &to, std::span<const std::byte> content)
{
  if (!muted)
    current.enqueueWriteBuffer (to, CL_TRUE, 0, content.size (), content.data ());
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
Commands::read_back (const ::cl::Buffer &from, size_t bytes, std::function<void (std::span<const std::byte>)> done)
{
  if (muted)
    return;
  const auto content = std::make_shared<std::vector<std::byte>> (bytes);
  current.enqueueReadBuffer (from, CL_FALSE, 0, bytes, content->data (), &pending_wait, next_event ());
  pending_wait.clear ();
  read_backs->begin ();
  context.reaper.leave (newest, [pending = read_backs, event = newest, content, done = std::move (done)] {
    cl_int status = CL_COMPLETE;
    clGetEventInfo (event (), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status == CL_COMPLETE)
      done (*content);
    pending->end ();
  });
}

}  // namespace gst::cl

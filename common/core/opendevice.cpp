/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/opendevice.hpp"

#include <gst/gst.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace gst::cl {

namespace {

/* Longer than a change of state or the step to the next file of a playlist, but not too long, because a device holds hundreds
 * of MiB for a context. */
constexpr GstClockTime idle_time = 10 * GST_SECOND;

::cl::Context
open_context (const Device &device)
{
  try {
    return ::cl::Context (device.handle);
  } catch (const ::cl::Error &error) {
    throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        "OpenCL could not be started on " + device.name + ". " + advice_at_start,
        std::string ("clCreateContext: ") + error_name (error.err ()) + ", driver " + device.driver_version);
  }
}

/* The open devices of the process. */
struct OpenDevices {
  std::mutex mutex;
  bool timer_runs = false;
  std::map<cl_device_id, std::shared_ptr<OpenDevice>> open_devices;
  /* open_devices, and all other OpenDevices */
  std::mutex living_mutex;
  std::set<OpenDevice *> living;
  /* hashes of the programs with an exit handler */
  std::mutex waited_for_mutex;
  std::set<size_t> waited_for;
};

/* Never destroyed, because drivers may be unloaded earlier at exit. */
OpenDevices &
devices ()
{
  static OpenDevices &instance = *new OpenDevices;
  return instance;
}

void
finish_builds ()
{
  const std::lock_guard lock (devices ().living_mutex);
  for (OpenDevice *device : devices ().living) {
    device->compiler.stop ();
    device->programs.finish ();
  }
}

/* A compiler creates static objects when it is first used, and they are destroyed at exit in reverse order. So before each
 * background build of a new program another exit handler is registered, which waits for builds before those objects go. Each
 * program has one handler: the list of handlers never gets shorter, and unloading a library reads all of it. */
void
wait_at_exit (const ProgramSpec &spec)
{
  std::string text = spec.options + "\n" + spec.text;
  for (const std::string &source : spec.sources)
    text += "\n" + source;
  const std::lock_guard lock (devices ().waited_for_mutex);
  if (devices ().waited_for.insert (std::hash<std::string> () (text)).second)
    std::atexit (finish_builds);
}

gboolean
close_idle (GstClock *, GstClockTime, GstClockID, gpointer)
{
  std::vector<std::shared_ptr<OpenDevice>> idle; /* released after the lock */
  const std::lock_guard lock (devices ().mutex);
  devices ().timer_runs = false;
  std::erase_if (devices ().open_devices, [&] (auto &each) {
    const bool is_idle = each.second.use_count () == 1;
    if (is_idle)
      idle.push_back (std::move (each.second));
    return is_idle;
  });
  return TRUE;
}

void
close_soon ()
{
  {
    const std::lock_guard lock (devices ().mutex);
    if (std::exchange (devices ().timer_runs, true))
      return;
  }
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockID timer = gst_clock_new_single_shot_id (clock, gst_clock_get_time (clock) + idle_time);
  gst_clock_id_wait_async (timer, close_idle, nullptr, nullptr);
  gst_clock_id_unref (timer);
}

/* A command that never ends may occupy every core of a device, and not only the context that it was enqueued in. */
void
require_response (const std::shared_ptr<OpenDevice> &device)
{
  constexpr gint64 patience_us = 5'000'000;
  const ::cl::CommandQueue queue (device->handle, device->device.handle);
  const ::cl::Buffer buffer (device->handle, CL_MEM_READ_WRITE, 1);
  ::cl::Event filled;
  queue.enqueueFillBuffer (buffer, cl_uchar (0), 0, 1, nullptr, &filled);
  const gint64 end = g_get_monotonic_time () + patience_us;
  poll_while (filled, [end] { return g_get_monotonic_time () < end; });
  if (is_done (filled))
    return;
  device->failed = device->hung = true; /* the next pipeline asks again */
  static auto &kept = *new std::vector<std::tuple<std::shared_ptr<OpenDevice>, ::cl::CommandQueue, ::cl::Buffer, ::cl::Event>>;
  kept.emplace_back (device, queue, buffer, filled);
  throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
      device->device.name
          + " does not respond, because it has not finished a kernel of an earlier pipeline. Restart the program.",
      "a command of one byte takes more than five seconds");
}

/* Another owner of a device. The device is closed some time after the last owner has gone. */
std::shared_ptr<OpenDevice>
lend (std::shared_ptr<OpenDevice> device)
{
  OpenDevice *const lent = device.get ();
  return {lent, [device = std::move (device)] (OpenDevice *) mutable {
            device.reset ();
            close_soon ();
          }};
}

/* A background build may create static objects after the last handler was registered. At exit they are destroyed before the
 * handlers above run, while the build still uses them. Thread-local objects of the main thread are destroyed before all of
 * these, so this one waits. */
struct MainThread {
  ~MainThread () { finish_builds (); }
};

}  // namespace

OpenDevice::OpenDevice (const Device &device_, const ::cl::Context &handle_, std::shared_ptr<void> companion_)
    : companion (std::move (companion_)), device (device_), handle (handle_), programs (handle, device, wait_at_exit),
      compiler (device, programs, wait_at_exit)
{
  {
    const std::lock_guard lock (devices ().living_mutex);
    devices ().living.insert (this);
  }
  end_builds_first ();
}

OpenDevice::~OpenDevice ()
{
  const std::lock_guard lock (devices ().living_mutex);
  devices ().living.erase (this);
}

std::shared_ptr<Watchdog>
OpenDevice::watchdog ()
{
  const std::lock_guard lock (watchdog_mutex);
  std::shared_ptr<Watchdog> shared = shared_watchdog.lock ();
  if (!shared)
    shared_watchdog = shared = std::make_shared<Watchdog> (*this);
  return shared;
}

void
OpenDevice::end_builds_first ()
{
  if (gettid () != getpid ())
    return;
  static thread_local const MainThread main_thread;
  static_cast<void> (main_thread);
}

std::shared_ptr<OpenDevice>
OpenDevice::get (const Device &device)
{
  std::shared_ptr<OpenDevice> failed; /* released after the lock */
  const std::lock_guard lock (devices ().mutex);
  std::shared_ptr<OpenDevice> &known = devices ().open_devices[device.handle ()];
  if (known && !known->failed)
    return lend (known);
  const bool hung = known && known->hung;
  failed = std::move (known);
  devices ().open_devices.erase (device.handle ());
  const auto opened = std::make_shared<OpenDevice> (device, open_context (device));
  devices ().open_devices[device.handle ()] = opened;
  if (hung)
    require_response (opened);
  return lend (opened);
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/opendevice.hpp"

#include <gst/gst.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace gst::cl {

namespace {

/* Longer than a change of state or the step to the next file of a playlist, but not too long, because a device holds hundreds
 * of MiB for a context. */
constexpr GstClockTime idle_time = 10 * GST_SECOND;

::cl::Context
open (const Device &device)
{
  try {
    return ::cl::Context (device.handle);
  } catch (const ::cl::Error &error) {
    throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        "OpenCL could not be started on " + device.name + ". " + advice_at_start,
        std::string ("clCreateContext: ") + error_name (error.err ()) + ", driver " + device.driver_version);
  }
}

/* The open devices of the process. Never destroyed, because drivers may be unloaded earlier at exit. */
class OpenDevices {
public:
  static OpenDevices &instance ()
  {
    static OpenDevices &devices = *new OpenDevices;
    return devices;
  }

  std::shared_ptr<OpenDevice> get (const Device &device)
  {
    std::shared_ptr<OpenDevice> failed; /* released after the lock */
    const std::lock_guard lock (mutex);
    const auto known = open_devices.find (device.handle ());
    if (known != open_devices.end () && !known->second->failed)
      return known->second;
    if (known != open_devices.end ()) {
      failed = std::move (known->second);
      open_devices.erase (known);
    }
    const auto opened = std::make_shared<OpenDevice> (device, open (device));
    open_devices.emplace (device.handle (), opened);
    return opened;
  }

  /* A compiler creates static objects when it is first used, and they are destroyed at exit in reverse order. So before each
   * background build of a new program another exit handler is registered, which waits for builds before those objects go. Each
   * program has one handler: the list of handlers never gets shorter, and unloading a library reads all of it. */
  static void wait_at_exit (const ProgramSpec &spec)
  {
    std::string all = spec.options + "\n" + spec.text;
    for (const std::string &source : spec.sources)
      all += "\n" + source;
    const std::lock_guard lock (instance ().waited_for_mutex);
    if (instance ().waited_for.insert (std::hash<std::string> () (all)).second)
      std::atexit ([] { instance ().finish_builds (); });
  }

  void add (OpenDevice &device)
  {
    const std::lock_guard lock (living_mutex);
    living.insert (&device);
  }

  void remove (OpenDevice &device)
  {
    const std::lock_guard lock (living_mutex);
    living.erase (&device);
  }

  void finish_builds ()
  {
    const std::lock_guard lock (living_mutex);
    for (OpenDevice *device : living) {
      device->compiler.stop ();
      device->programs.finish ();
    }
  }

  void close_soon ()
  {
    {
      const std::lock_guard lock (mutex);
      if (std::exchange (timer_runs, true))
        return;
    }
    g_autoptr (GstClock) clock = gst_system_clock_obtain ();
    GstClockID timer = gst_clock_new_single_shot_id (clock, gst_clock_get_time (clock) + idle_time);
    gst_clock_id_wait_async (
        timer,
        [] (GstClock *, GstClockTime, GstClockID, gpointer) -> gboolean {
          instance ().close_idle ();
          return TRUE;
        },
        nullptr, nullptr);
    gst_clock_id_unref (timer);
  }

private:
  void close_idle ()
  {
    std::vector<std::shared_ptr<OpenDevice>> idle;
    const std::lock_guard lock (mutex);
    timer_runs = false;
    std::erase_if (open_devices, [&] (auto &each) {
      const bool is_idle = each.second.use_count () == 1;
      if (is_idle)
        idle.push_back (std::move (each.second));
      return is_idle;
    });
  }

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

/* A background build may create static objects after the last handler was registered. At exit they are destroyed before the
 * handlers above run, while the build still uses them. Thread-local objects of the main thread are destroyed before all of
 * these, so this one waits. */
struct MainThread {
  ~MainThread () { OpenDevices::instance ().finish_builds (); }
};

}  // namespace

OpenDevice::OpenDevice (const Device &device_, const ::cl::Context &handle_, std::shared_ptr<void> companion_)
    : companion (std::move (companion_)), device (device_), handle (handle_),
      programs (handle, device, OpenDevices::wait_at_exit), compiler (device, programs, OpenDevices::wait_at_exit)
{
  OpenDevices::instance ().add (*this);
  end_builds_first ();
}

OpenDevice::~OpenDevice ()
{
  OpenDevices::instance ().remove (*this);
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
  return OpenDevices::instance ().get (device);
}

void
OpenDevice::close_soon ()
{
  OpenDevices::instance ().close_soon ();
}

}  // namespace gst::cl

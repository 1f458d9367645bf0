/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part that all contexts of a process on one device share. */
#pragma once

#include "core/compiler.hpp"
#include "core/wait.hpp"

#include <atomic>
#include <memory>

namespace gst::cl {

/** A cl_context on one device, and the programs that were built in it. Thread-safe. */
struct GST_CL_API OpenDevice {
  /** companion must outlive handle, for example a GL context whose objects handle shares; it may be null. */
  OpenDevice (const Device &device, const ::cl::Context &handle, std::shared_ptr<void> companion = nullptr);
  ~OpenDevice ();
  OpenDevice (const OpenDevice &) = delete;
  OpenDevice &operator= (const OpenDevice &) = delete;

  /** The process's open device; opens it if it is not open or has failed. It stays open for ten seconds after its last use, so
   *  that the next pipeline finds its programs. Throws Failure (LIBRARY, INIT). */
  static std::shared_ptr<OpenDevice> get (const Device &device);
  /** Makes the process wait for background builds after main() has returned. Call it on the main thread; on other threads it does
   *  nothing. */
  static void end_builds_first ();

  /** Released last. */
  const std::shared_ptr<void> companion;
  const Device device;
  const ::cl::Context handle;
  ProgramCache programs;
  Compiler compiler;
  /** Becomes true when a command fails. The driver may then refuse all commands, so get() opens the device again. */
  std::atomic<bool> failed = false;
  /** Becomes true when the device does not finish a command. All waits then end with Overdue, now and later. */
  std::atomic<bool> hung = false;
  /** How many watchdogs may set hung. */
  std::atomic<int> watchdogs = 0;
  /** The watchdog of all streams whose commands may never end. */
  std::shared_ptr<Watchdog> watchdog ();

private:
  std::mutex watchdog_mutex;
  std::weak_ptr<Watchdog> shared_watchdog;
};

}  // namespace gst::cl

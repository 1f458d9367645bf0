/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all contexts of a process on one device have in common. */
#pragma once

#include "core/compiler.hpp"

#include <atomic>
#include <memory>

namespace gst::cl {

/** OpenCL's context on a device, and the programs that were built in it. Thread-safe. */
struct GST_CL_API OpenDevice {
  /** companion is what has to outlive handle: a GL context whose objects it shares. */
  OpenDevice (const Device &device, const ::cl::Context &handle, std::shared_ptr<void> companion = nullptr);
  ~OpenDevice ();
  OpenDevice (const OpenDevice &) = delete;
  OpenDevice &operator= (const OpenDevice &) = delete;

  /** That of this process. It is kept for some seconds after its last use, so that a pipeline that is started again, or the
   *  next one, need not open the device and load its programs once more. Never one that failed. Throws Failure (LIBRARY,
   *  INIT). */
  static std::shared_ptr<OpenDevice> get (const Device &device);
  /** To be called on the main thread, if possible: when main() has returned, builds in the background end before anything else
   *  happens. On other threads it does nothing. */
  static void end_builds_first ();
  /** To be called where somebody lets go of one: soon after nobody has it any more, it closes. */
  static void close_soon ();

  /** Released last. */
  const std::shared_ptr<void> companion;
  const Device device;
  const ::cl::Context handle;
  ProgramCache programs;
  Compiler compiler;
  /** Set when a command failed: the driver may refuse everything from then on, so nobody else is given it. */
  std::atomic<bool> failed = false;
};

}  // namespace gst::cl

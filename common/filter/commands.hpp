/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a stage enqueues for a frame, in order, and how long that took. */
#pragma once

#include "core/context.hpp"
#include "filter/kernelspec.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace gst::cl {

/** What kernels did, for `stats`. */
struct KernelTimes {
  guint64 last_ns = 0, max_ns = 0, total_ns = 0, frames = 0;
};

/** The times of frames, each since its commands are complete. Any thread. */
class GST_CL_API FrameTimer {
public:
  void add (guint64 ns);
  KernelTimes times () const;

private:
  mutable std::mutex mutex;
  KernelTimes all;
};

/** The commands of a frame whose time counts there. */
struct TimedCommands {
  std::shared_ptr<FrameTimer> timer;
  std::vector<::cl::Event> events;
};

/** The commands of one stage of a stream. Not thread-safe. */
class GST_CL_API Commands {
public:
  /** context outlives it. */
  explicit Commands (Context &context);
  /** Finishes. */
  ~Commands ();

  /** Commands from here on wait for these events; profile makes them count for take_timed (). */
  void begin_frame (std::vector<::cl::Event> wait, bool profile);
  /** The fence of the frame's last command, none where nothing was enqueued. flush: not where more follows. */
  Fence end_frame (bool flush = true);
  /** Those of the frame that has ended, none where nothing is profiled. */
  TimedCommands take_timed () { return {timer, std::exchange (profiled, {})}; }
  /** Waits for everything enqueued, and for every read_back(). */
  void finish () noexcept;
  cl_command_queue queue () const { return current (); }
  void select_queue (bool profile);
  /** Whether a frame has ended: a stream plays, and should not wait for a build. */
  bool plays () const { return playing; }

  void run (const ::cl::Kernel &kernel, const WorkSize &size);
  /** Writes the whole content before it returns: after the frames that still use the old one, and from memory that may change
   *  at once. */
  void write (const ::cl::Buffer &to, std::span<const std::byte> content);
  /** The same, without waiting. */
  void write_later (const ::cl::Buffer &to, std::vector<std::byte> content);
  /** A command that ends after everything before it. */
  void mark ();
  void clear (const ::cl::Buffer &buffer, size_t bytes);
  /** Reads device memory after what is enqueued, without waiting for it. done is called on another thread, one after the
   *  other in order; not at all where the device failed. */
  void read_back (const ::cl::Buffer &from, size_t bytes, std::function<void (std::span<const std::byte>)> done);
  /** The newest command of the frame. */
  const ::cl::Event &last () const { return newest; }
  /** Its place among the commands of all stages and streams. */
  guint64 order () const { return newest_order; }

  /** From now on nothing is enqueued. */
  void mute () { muted = true; }

  const std::shared_ptr<FrameTimer> timer = std::make_shared<FrameTimer> ();

private:
  ::cl::Event *next_event ();

  Context &context;
  ::cl::CommandQueue current;
  std::vector<::cl::Event> pending_wait;
  class ReadBacks;
  const std::shared_ptr<ReadBacks> read_backs;
  ::cl::Event newest;
  guint64 newest_order = 0;
  bool profiling = false, playing = false, muted = false;
  /** Of the frame at hand. */
  std::vector<::cl::Event> profiled;
};

}  // namespace gst::cl

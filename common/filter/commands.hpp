/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands that a stage enqueues for a frame, in order, their durations, and the device memory that it keeps. */
#pragma once

#include "core/context.hpp"
#include "filter/kernelspec.hpp"
#include "gl/link.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace gst::cl {

/** Durations of kernels, for `stats`. */
struct KernelTimes {
  guint64 last_ns = 0, max_ns = 0, total_ns = 0, frames = 0;
};

/** Collects the durations of frames whose commands are complete. Thread-safe. */
class GST_CL_API FrameTimer {
public:
  void add (guint64 ns);
  KernelTimes times () const;

private:
  mutable std::mutex mutex;
  KernelTimes all;
};

/** The profiled commands of a frame, and the timer that adds up their durations. */
struct TimedCommands {
  std::shared_ptr<FrameTimer> timer;
  std::vector<::cl::Event> events;
};

/** Enough frames to keep a device busy; more would only add latency. */
inline constexpr guint most_frames_under_way = 3;

/** The content of the property `stats`. */
struct StreamStats {
  std::string device, path, algorithm;
  guint64 frames = 0;
  FrameCounts frame_counts;
  BuildCounts builds;
  std::shared_ptr<const FrameTimer> timer;
  guint64 allocations = 0;
  LinkCounts links;
  /** Frames that were copied from or to foreign memory through the host. */
  guint64 staged_frames = 0;
  /** Regions of the last frame. */
  guint64 regions = 0;
};

/** The commands of one stage of a stream. Not thread-safe; functions throw cl::Error when a command fails. */
class GST_CL_API Commands {
public:
  /** context must outlive the object. */
  explicit Commands (Context &context);
  /** Calls finish(). */
  ~Commands ();

  /** All commands of the frame wait for these events. profile makes take_timed () return them. */
  void begin_frame (std::vector<::cl::Event> wait, bool profile);
  /** Returns the fence of the frame's last command, empty if no command was enqueued. Pass flush = false when more commands
   *  follow. */
  Fence end_frame (bool flush = true);
  /** Returns the commands of the frame that has ended; none without profiling. */
  TimedCommands take_timed () { return {timer, std::exchange (profiled, {})}; }
  /** Waits for all enqueued commands and for the callbacks of read_back(); none is called afterwards. */
  void finish () noexcept;
  cl_command_queue queue () const { return current (); }
  void select_queue (bool profile);
  /** Whether a frame has ended: the stream plays, and should not wait for a build. */
  bool plays () const { return playing; }

  void run (const ::cl::Kernel &kernel, const WorkSize &size);
  /** Replaces the content of a buffer after the frames that still use the old content. Does not wait for them: one may never
   *  end. */
  void write (const ::cl::Buffer &to, std::vector<std::byte> content);
  /** Enqueues a marker that completes after everything before it. */
  void mark ();
  void clear (const ::cl::Buffer &buffer, size_t bytes);
  /** Fills bytes from a place on with a pattern of one or two bytes; place and n_bytes are multiples of its length. */
  void fill (const ::cl::Memory &to, size_t place, size_t n_bytes, std::span<const std::byte> pattern);
  /** Rows in a buffer: the place of the first, the distance from row to row and the length, in bytes. */
  struct Rows {
    size_t place, pitch, length;

    bool lie_in_pitch () const { return place % pitch + length <= pitch; }
  };
  /** Copies rows of one length, which lie in their pitch, to another buffer. */
  void copy (const ::cl::Memory &from, const Rows &source, const ::cl::Memory &to, const Rows &target, size_t n_rows);
  /** Reads device memory after the commands enqueued so far, without waiting. Another thread calls done for each read, in
   *  order; it does not call done when the device failed. */
  void read_back (const ::cl::Buffer &from, size_t bytes, std::function<void (std::span<const std::byte>)> done);
  /** The newest command of the frame. */
  const ::cl::Event &last () const { return newest; }
  /** The newest command's place in the order of all stages and streams. */
  guint64 order () const { return newest_order; }

  /** Turns all later commands into no-ops. */
  void mute () { muted = true; }

  const std::shared_ptr<FrameTimer> timer = std::make_shared<FrameTimer> ();

private:
  ::cl::Event *next_event ();

  Context &context;
  ::cl::CommandQueue current;
  std::vector<::cl::Event> pending_wait;
  /** The data that the functions of read_back() share with this thread. */
  struct ReadBacks {
    std::mutex mutex;
    bool ended = false;
  };
  const std::shared_ptr<ReadBacks> read_backs = std::make_shared<ReadBacks> ();
  /** The count that the reaper must reach before they have been called. */
  guint64 last_read = 0;
  ::cl::Event newest;
  guint64 newest_order = 0;
  bool profiling = false, playing = false, muted = false;
  /** Commands of the frame at hand. */
  std::vector<::cl::Event> profiled;
};

/** Device memory by name. Not thread-safe. Functions throw cl::Error when an allocation fails. */
class GST_CL_API ScratchMemory {
public:
  /** Both must outlive the object. */
  ScratchMemory (Context &context_, Commands &commands_) : context (context_), commands (commands_) {}

  /** Memory of at least this size. Its contents become undefined. */
  const ::cl::Buffer &buffer (const ScratchName &name, size_t bytes);
  /** Like buffer(), but zeroed. */
  const ::cl::Buffer &cleared (const ScratchName &name, size_t bytes);
  /** Like buffer(), but zeroed when it is new. Kernels that change it must restore the zeros. */
  const ::cl::Buffer &zeros (const ScratchName &name, size_t bytes);
  /** Memory with contents from the host. Writes them only if they differ from the last contents of that name. */
  const ::cl::Buffer &table (const ScratchName &name, std::span<const std::byte> content);
  template <typename T> const ::cl::Buffer &table (const ScratchName &name, const std::vector<T> &content)
  {
    return table (name, std::as_bytes (std::span (content)));
  }
  /** Like table(), for contents that take long to compare. same: whether they are unchanged since the last call. */
  template <typename T> const ::cl::Buffer &table (const ScratchName &name, const std::vector<T> &content, bool same)
  {
    const ::cl::Buffer *known = same ? find_table (name) : nullptr;
    return known ? *known : table (name, content);
  }
  /** Like table(), for contents that change with every frame. */
  const ::cl::Buffer &changing (const ScratchName &name, std::span<const std::byte> content);
  const ::cl::Buffer *find_table (const ScratchName &name) const;
  /** An intermediate plane of this size and layout, with samples of sample_size bytes. Its contents become undefined. */
  PlaneView plane (const ScratchName &name, const PlaneView &like, int sample_size);

  /** From now on, allocates as little memory as possible, because no kernel will run. */
  void shrink () { shrunk = true; }

  /** How many times memory was allocated. */
  guint64 allocations = 0;

private:
  struct Table {
    ::cl::Buffer buffer;
    size_t capacity = 0;
    std::vector<std::byte> content;
  };

  Context &context;
  Commands &commands;
  std::map<ScratchName, std::pair<::cl::Buffer, size_t>> buffers;
  std::map<ScratchName, Table> tables;
  bool shrunk = false;
};

}  // namespace gst::cl

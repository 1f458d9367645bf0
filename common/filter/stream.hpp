/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A filter's work on one stream: everything that depends on the device and the caps. A change of either replaces the whole
 * object. */
#pragma once

#include "filter/executor.hpp"
#include "filter/port.hpp"

namespace gst::cl {

/** One frame on its way. */
struct Trip {
  std::vector<PortFrame> inputs;
  /** The buffer to write, or null; and its frame at the output port. */
  GstBuffer *result;
  std::optional<PortFrame> out = {};
  /** The frames in GL's textures, the result last; and whether OpenCL has acquired them. */
  std::vector<PortFrame *> textures = {};
  bool acquired = false;
  /** The frame that the chain filters. Declared last: images are released before their textures are deleted. */
  ChainFrame frame;
};

class Stream;

/** Waits for a stream's commands and destroys it. Keeps it for good if the device does not finish them, because they use its
 *  memory. */
struct GST_CL_API StreamDeleter {
  void operator() (Stream *stream) const;
};
using StreamPtr = std::unique_ptr<Stream, StreamDeleter>;

class GST_CL_API Stream {
  friend StreamDeleter;

public:
  /** The settings for a frame, one entry for each stage in order. */
  using StageSettings = std::span<const Settings>;

  /** links: for the kinds of memory in any caps. out_links: separate links for the result, if both sides have GL memory with
   *  different frames. in_caps belongs to the main input; out_caps is null when nothing is written. Stages after the first get
   *  one frame each. Throws Failure. */
  Stream (ContextRef context, const MemoryLinks &links, std::span<const StagePlan> stages, GstCaps *in_caps, GstCaps *out_caps,
      const MemoryLinks &out_links = {});
  ~Stream ();

  /** Replaces the stages from the next frame on. Waits until the old stages have finished and reported. */
  void set_stages (std::span<const StagePlan> stages);

  /** Call this before the functions below, if the element calls is_neutral() or filters the frame more than once. */
  void enter (StageSettings settings, GstBuffer *buffer, const MaskRef &mask)
  {
    executor.chain ().enter (settings, buffer, mask);
  }
  void forget_regions () { executor.chain ().forget_regions (); }
  /** Whether these settings leave buffer unchanged, so that it can pass if both pads have the same memory. */
  bool is_neutral (StageSettings settings, GstBuffer *buffer) { return executor.chain ().is_neutral (settings, buffer); }
  bool observes (StageSettings settings) const { return executor.chain ().observes (settings); }
  /** Describes frames like this one, made from `inputs` frames and filtered by these stages. The result refers to all
   *  arguments. */
  Rehearsal rehearsal_of (
      std::span<const StagePlan> stages, StageSettings settings, GstBuffer *frame, size_t inputs, size_t main = 0) const;
  /** Whether frames in foreign memory are exchanged without a copy through the host. */
  bool is_linked () const;
  bool same_memory () const { return input.kind == output.kind; }
  const GstVideoInfo &input_info () const { return input.info; }
  const GstVideoInfo &output_info () const { return output.info; }

  /** Returns a buffer for a result. Throws Failure. */
  BufferRef acquire_output () { return output.acquire_result (); }
  /** A result that is made from inputs[main] and observes the other inputs. result is null to call only Filter::observe(). */
  Trip trip_of (
      std::span<GstBuffer *const> inputs, size_t main, GstBuffer *result, const FrameTimes &times, StageSettings settings);
  /** The same for inputs with their own caps and a filter that composes. inputs may be empty. */
  Trip trip_of (std::span<const SourceFrame> inputs, GstBuffer *result, const FrameTimes &times, const Settings &settings);
  /** Enqueues the work for a frame. Returns without waiting, unless too many frames are under way, or the result goes to GL and
   *  GL cannot wait itself. Throws; throws Overdue after the watchdog has reported that the device does not finish. */
  void filter (Trip trip);
  /** Waits until all enqueued work is done and reported. Throws if a frame has failed since filter() returned. */
  void drain () { executor.drain (); }

  /** The numbers that `stats` shows. */
  StreamStats stats () const;
  /** The numbers of stage i; numbers of whole frames are the same as in stats (). */
  StreamStats stats_of (size_t i) const;

private:
  void open (Trip &trip);
  void begin (Trip &trip);
  void compose (Trip &trip);
  Fence end (Trip &trip);
  void complete (Trip &trip, Fence &fence);
  void abandon (Trip &trip) noexcept;
  void count (Trip &trip);
  guint64 allocations () const;
  LinkCounts links () const;
  std::string path () const;

  const ContextRef context;
  /** The port of all inputs that share caps. */
  Port input;
  OutputPort output;
  Executor executor;
  /** The frame that was under way when the device hung; its commands may still be queued. */
  std::vector<Trip> kept;
  guint64 frames = 0, staged_frames = 0;
  const char *input_path = "";
  /** Allocations before the second frame are not counted. */
  std::optional<guint64> allocations_at_first;
  /** The ports of the last frame, if inputs have their own caps. */
  std::vector<std::shared_ptr<OwnSource>> sources;
};

}  // namespace gst::cl

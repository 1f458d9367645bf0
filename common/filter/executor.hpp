/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters the frames of a stream, and limits how many are under way. In streams that must not pause, changed settings take effect
 * when their kernels are built. */
#pragma once

#include "core/wait.hpp"
#include "filter/chain.hpp"

#include <deque>
#include <functional>

namespace gst::cl {

/** Copies planes to OpenCL images and back, as if they were GL textures, so that tests reach the image code of kernels without
 *  GL. */
class ImageCopies {
public:
  ImageCopies (const ContextRef &context, const GstVideoInfo &info);

  /** Replaces planes by images. Planes that are images already, or that the device has no image format for, stay as they are. */
  Planes replace (const Planes &planes) const;
  /** Copies planes where one side is an image and the other is not. */
  void copy (Runner &runner, const Planes &from, const Planes &to) const;

private:
  PlaneView make_image (int plane, const Context &context, const GstVideoInfo &info) const;

  const Format &format;
  /** Memory is null for planes without images. */
  Planes images{};
};

/** Runs a chain for frame after frame. Used by one streaming thread. */
class GST_CL_API Executor {
public:
  /** Formats of the caps. */
  Executor (const ContextRef &context, const GstVideoInfo &in_video, const GstVideoInfo &out_video, Backend backend);
  ~Executor () { forget_watched (); }
  Executor (const Executor &) = delete;
  Executor &operator= (const Executor &) = delete;

  /** Replaces the chain. Waits until the old stages have finished and reported; throws Overdue. */
  void set_stages (std::span<const StagePlan> stages);
  Chain &chain () const { return *current; }
  BuildCounts builds () const;

  /** GST_CL_BACKEND=image: replace planes by images, and copy the result back. in_images, out_images: which side of the stream
   *  is to use them. */
  void enter_images (Planes &in, Planes &out, bool in_images, bool out_images);
  void leave_images (const Planes &from, const Planes &to) const;

  /** Whether the chain has not had a frame yet. */
  bool is_new = true;

  /** Throws Overdue after a watchdog has reported the device. */
  void require_alive () const { Context::of (context.get ()).require_alive (); }
  bool is_hung () const { return Context::of (context.get ()).is_hung (); }
  /** Call this before the first command of a frame, so that waits for it can end. */
  void begin_watch ();
  /** Watches a frame that has ended, after begin_watch(). */
  void watch (const Fence &fence);
  /** Waits until no more than most_frames_under_way are left. */
  void limit_frames_under_way (const Fence &fence);
  /** Waits until all enqueued work is done and reported. Throws if a frame has failed. */
  void drain ();
  /** Call this after a failure that affects every frame on the device. */
  void give_up () noexcept;

private:
  const Stage *find_patient () const;
  void forget_watched ();

  const ContextRef context;
  const GstVideoInfo in_video, out_video;
  const Backend backend;
  std::unique_ptr<Chain> current;
  /** Builds of earlier chains. */
  BuildCounts earlier_builds;
  std::optional<ImageCopies> input_images, result_images;
  /** A frame's last command, and the reaper's count at that time. */
  struct UnderWay {
    ::cl::Event end;
    guint64 left;
  };
  std::deque<UnderWay> under_way;
  /** Exists from the first frame of an operation with finite patience on. */
  std::shared_ptr<Watchdog> watchdog;
};

/** The next frame of a stream, its filters and settings. */
struct Rehearsal {
  const ContextRef &context;
  const GstVideoInfo &info;
  std::span<const StagePlan> stages;
  /** One entry for each stage. */
  std::span<const Settings> settings;
  /** The frame, with its regions of interest. */
  GstBuffer *frame;
  bool interlaced;
  /** The number of inputs of the frame, and the index of the main one. */
  size_t inputs = 1, main = 0;
  /** Whether a result is written. */
  bool writes = true;
  /** The format of the result; null if it is the input's. */
  const GstVideoInfo *out_info = nullptr;
  /** Whether frames that stay unchanged pass. */
  bool passes = false;
  /** The frame's mask, or null. */
  MaskRef mask = {};
};

/** The kernels for such frames in buffers, including kernels that only later frames need, without the kernels that the compiler
 *  knows. None if the settings are invalid; filtering reports the error. */
GST_CL_API std::vector<KernelForm> find_unknown (const Rehearsal &wanted, const Compiler &compiler);

/** Compares the current filters and settings of a stream with the wanted ones. Used by the streaming thread. */
class GST_CL_API LateChange {
public:
  /** Whether the next frame can use the wanted settings without waiting for a compiler. If not, another process compiles the
   *  kernels, and the next frame keeps the last settings. Always true for the first frame, and when streams_on() returns false
   *  because a pause would not be visible; streams_on() is called only when there is something to compile. */
  bool is_ready (const Rehearsal &wanted, const std::function<bool ()> &streams_on);
  /** Call this when the next frame is the first of a stream. */
  void begin () { current.reset (); }

private:
  /** Filters and their settings. */
  struct Work {
    explicit Work (const Rehearsal &wanted);
    /** Whether frames of both need the same kernels: an element's roi-list changes with frames, as metas do. */
    bool is (const Rehearsal &wanted) const;

    std::vector<const FilterDescription *> filters;
    std::vector<Settings> settings;
    size_t inputs;
  };

  std::optional<Work> current;
  /** The last request to the other process, and the work that needs it. */
  std::shared_ptr<Compiler::Request> request;
  std::optional<Work> waiting;
};

/** LateChange for an element of one filter; keeps the settings. */
class GST_CL_API LateSettings {
public:
  /** Returns the settings for the next frame: wanted, or, until these are ready, the settings of the last frame with as many
   *  inputs. The reference is valid until the next call. */
  const Settings &settle (const Rehearsal &wanted, const std::function<bool ()> &streams_on);
  void begin () { change.begin (); }

private:
  LateChange change;
  Settings settings;
  size_t n_inputs = 0;
};

}  // namespace gst::cl

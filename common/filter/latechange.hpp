/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delays changes of settings until their kernels are built, in streams that must not pause. */
#pragma once

#include "filter/chain.hpp"

#include <functional>

namespace gst::cl {

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
};

/** Returns the kernels of such frames, including the kernels that only later frames need, on the cpu back end. Throws the
 *  errors that filtering would throw. */
GST_CL_API std::set<KernelForm> rehearse (const Rehearsal &rehearsal);

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

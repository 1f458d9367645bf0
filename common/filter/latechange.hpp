/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes of settings that wait for their kernels, in streams that must not stand still. */
#pragma once

#include "filter/stream.hpp"

#include <functional>

namespace gst::cl {

/** Knows what a stream is filtered with and what it is to be filtered with. The streaming thread's. */
class GST_CL_API LateChange {
public:
  /** Whether the next frame can be filtered with what is wanted without waiting for a compiler. If not, kernels are being
   *  compiled by another process, and the frame is to be filtered as the last one was. Always true for the first frame,
   *  and where streams_on, which is asked only when there is something to compile, says that nobody minds a wait. */
  bool is_ready (const Rehearsal &wanted, const std::function<bool ()> &streams_on);
  /** The next frame is the first of a stream. */
  void begin () { current.reset (); }

private:
  /** Filters and what they are set to. */
  struct Work {
    explicit Work (const Rehearsal &wanted);
    bool operator== (const Work &) const = default;

    std::vector<const FilterDescription *> filters;
    std::vector<Settings> settings;
    size_t inputs;
  };

  std::optional<Work> current;
  /** What the other process was asked for last, and what work needs it. */
  std::shared_ptr<Compiler::Request> request;
  std::optional<Work> waiting;
};

/** The same for elements of one filter, with the settings. */
class GST_CL_API LateSettings {
public:
  /** What the next frame is to be filtered with: wanted, or, until that is ready, what the last frame of as many inputs was.
   *  Holds until the next call. */
  const Settings &settle (Settings wanted, const Stream &stream, const StagePlan &plan, std::span<GstBuffer *const> inputs,
      const std::function<bool ()> &streams_on);
  void begin () { change.begin (); }

private:
  LateChange change;
  std::optional<Settings> settings;
  size_t n_inputs = 0;
};

}  // namespace gst::cl

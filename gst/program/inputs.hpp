/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The additional sink pads of clprogram. Each has its own thread, and keeps the frame that is currently shown. */
#pragma once

#include "shared/compare_match.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace gst::cl {

class ProgramInputs {
public:
  explicit ProgramInputs (GstElement *element_) : element (element_) {}
  ~ProgramInputs () { stop (); }

  /** Makes a pad, which the caller adds to the element; returns null if there are too many. */
  GstPad *add (GstPadTemplate *templ, const char *name);
  /** Releases a pad, and removes it from the element. */
  void remove (GstPad *pad);
  size_t count ();

  /** Ends all waiting, until start(). */
  void stop ();
  void start ();
  /** The same for the first pad's thread only. */
  void set_flushing (bool flushing);

  /** Waits for the frames that the pads show together with a frame of the first pad, and returns them in the order of the pads.
   *  A pad that has ended keeps its last frame; a pad without any frame shows the frame itself; a pad that is released
   *  meanwhile is skipped. Returns nothing if the wait was ended. live: how long to wait for late frames; 0: without limit.
   *  Throws Failure (CORE, NEGOTIATION) if a picture has another size or format. */
  std::optional<std::vector<BufferRef>> frames_for (GstPad *first, const TimedFrame &frame, GstClockTime live);

  /** Size and format of any input, for the negotiation of the others. */
  std::optional<GstVideoInfo> picture ();
  /** Sets the format of the first pad, which the others must match. */
  void set_picture (const GstVideoInfo &info);
  /** Sends an event upstream from all pads. */
  void push_event (GstEvent *event);
  /** Adds the latency of these inputs to the query. */
  void extend_latency (GstQuery *query);

private:
  /** An input. Threads that wait for its frames or deliver them hold a reference, too. */
  struct Input {
    Ref<GstPad> pad;
    GstSegment segment;
    std::optional<GstVideoInfo> info;
    bool in_gl = false;
    std::optional<TimedFrame> next;
    CompareMatch match;
    bool eos = false, flushing = false;
    /** Why its last caps were refused. */
    std::string refused;
    /** Permanent: the pad is no longer an input. */
    bool released = false;
  };
  using InputRef = std::shared_ptr<Input>;
  enum class Wait { done, ended, released };

  static GstFlowReturn chain (GstPad *pad, GstObject *parent, GstBuffer *buffer);
  static gboolean event (GstPad *pad, GstObject *parent, GstEvent *event);
  static gboolean query (GstPad *pad, GstObject *parent, GstQuery *query);
  GstFlowReturn take (Input &input, const BufferRef &buffer);
  void handle (Input &input, GstEvent *event);
  Wait advance (std::unique_lock<std::mutex> &lock, Input &input, const TimedFrame &frame, GstClockTime live);
  bool is_late (const TimedFrame &frame, GstClockTime live) const;
  /* Pad functions are called only while the element exists. */
  static ProgramInputs &owner_of (GstPad *pad) { return *static_cast<ProgramInputs *> (gst_pad_get_element_private (pad)); }
  InputRef find (GstPad *pad);
  std::vector<InputRef> all ();

  GstElement *const element;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<InputRef> inputs;
  std::optional<GstVideoInfo> first_info;
  bool stopped = true, flushing = false;
};

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The request pad `mask`. Its pictures are weights: how much of the filtered frame each pixel gets. */
#pragma once

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/video.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace gst::cl {

/** A mask; values are in 255ths, row by row. */
struct Mask {
  int width, height;
  std::vector<guint8> values;
};

using MaskRef = std::shared_ptr<const Mask>;

/** The masks of an element, or of all filters of a clchain. Masks wait for frames; frames never wait. Thread-safe. */
class GST_CL_API MaskHolder {
public:
  /** Adds the mask for frames from a running time on, or from the next frame on if there is none. Waits while the mask before
   *  is due later than the frame after the newest one. Returns FLUSHING while the pad flushes, EOS after the last frame. */
  GstFlowReturn push (MaskRef mask, GstClockTime running_time);
  /** The last mask that is due at a filter's frame of this segment, or null. A frame without a time takes the next mask. */
  MaskRef mask_for (const void *filter, const GstSegment &segment, GstBuffer *frame);
  /** Filters between join() and leave() keep the masks that their frames still need. */
  void join (const void *filter);
  void leave (const void *filter);
  /** Call this when frames begin again, perhaps at another running time. */
  void restart ();
  /** Call this when no more frames come. */
  void end ();
  /** While flushing, push() returns at once. Waiting masks are forgotten; the last one holds until another comes. */
  void set_flushing (bool flushing);
  void clear ();

  /** The mask pad, or null. Does not own it. */
  void set_pad (GstPad *pad);
  /** A white mask in place of the masks that will come; null if there is no pad. */
  MaskRef expected ();
  /** Sends a seek to the mask pad, once for all filters. If it flushes, frames are of the old position until restart() or
   *  end_seek(). */
  void begin_seek (GstEvent *seek);
  void end_seek ();

private:
  struct TimedMask {
    MaskRef mask;
    GstClockTime from;
  };

  static bool is_due (const TimedMask &mask, GstClockTime time);
  void drop_old ();
  /* Masks that were due hold at any time. */
  void forget_time ();

  std::mutex mutex;
  std::condition_variable changed;
  /* in order; only the last one may be due later than `next` */
  std::deque<TimedMask> masks;
  /* the running times until which masks are due: at each filter's last frame, at the newest frame, and at the frame after it */
  std::map<const void *, GstClockTime> filters;
  GstClockTime reached = GST_CLOCK_TIME_NONE, next = GST_CLOCK_TIME_NONE;
  bool flushing = false, seeking = false, ended = false;
  guint32 seek_number = GST_SEQNUM_INVALID;
  GstPad *pad = nullptr;
};

using MaskHolderRef = std::shared_ptr<MaskHolder>;

/** Forwards a seek to the masks; begins and ends it around the seek of the frames. Does nothing for other events. */
class MaskSeek {
public:
  MaskSeek (MaskHolder &holder_, GstEvent *event) : holder (GST_EVENT_TYPE (event) == GST_EVENT_SEEK ? &holder_ : nullptr)
  {
    if (holder)
      holder->begin_seek (event);
  }
  ~MaskSeek ()
  {
    if (holder)
      holder->end_seek ();
  }
  MaskSeek (const MaskSeek &) = delete;
  MaskSeek &operator= (const MaskSeek &) = delete;

private:
  MaskHolder *const holder;
};

/** Adds a pad to an element, and activates it if the element runs. Returns the pad, or null if the element has one of its name. */
GST_CL_API GstPad *add_running_pad (GstElement *element, GstPad *pad);

/** The template of the pad, the pad, and its removal. */
GST_CL_API void add_mask_template (GstElementClass *klass);
GST_CL_API GstPad *make_mask_pad (GstElement *element, GstPadTemplate *pad_template, const MaskHolderRef &holder);
GST_CL_API void drop_mask_pad (GstElement *element, GstPad *pad);

/** Gives elements the pad, for class_init. holder_of (element): a MaskHolderRef. */
template <auto holder_of>
void
add_mask_pad (GstElementClass *klass)
{
  add_mask_template (klass);
  klass->release_pad = drop_mask_pad;
  klass->request_new_pad = [] (GstElement *element, GstPadTemplate *pad_template, const gchar *, const GstCaps *) {
    return make_mask_pad (element, pad_template, holder_of (element));
  };
}

}  // namespace gst::cl

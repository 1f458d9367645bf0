/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The additional sink pads of clprogram. Each has its own thread, and keeps the frame that is currently shown. */
#pragma once

#include "core/error.hpp"
#include "filter/samepicture.hpp"
#include "memory/frame.hpp"
#include "shared/compare_match.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <gst/base/gstbasetransform.h>
#include <memory>
#include <mutex>

namespace gst::cl {

constexpr size_t most_inputs = 7;

class ProgramInputs {
public:
  explicit ProgramInputs (GstElement *element_) : element (element_) {}
  ~ProgramInputs () { stop (); }

  /** Makes a pad, which the caller adds to the element. Without a number in its name, it gets the least free one. Returns null
   *  unless the number is free and from 1 to most_inputs. */
  GstPad *add (GstPadTemplate *templ, const char *name)
  {
    const std::lock_guard lock (mutex);
    const bool has_number = name && !std::strchr (name, '%');
    guint64 number = has_number ? g_ascii_strtoull (name + std::strlen ("sink_"), nullptr, 10) : 1;
    for (const InputRef &each : inputs)
      if (!has_number && each->number == number)
        number++;
    const auto place = std::ranges::lower_bound (inputs, number, {}, [] (const InputRef &each) { return each->number; });
    if (number < 1 || number > most_inputs || (place != inputs.end () && (*place)->number == number))
      return nullptr;
    GstPad *pad = gst_pad_new_from_template (templ, ("sink_" + std::to_string (number)).c_str ());
    gst_object_ref_sink (pad);
    const InputRef &input = *inputs.insert (place, std::make_shared<Input> ());
    input->number = number;
    input->segments = segments;
    input->pad = decltype (Input::pad) (pad);
    gst_segment_init (&input->segment, GST_FORMAT_UNDEFINED);
    gst_pad_set_element_private (pad, this);
    gst_pad_set_chain_function (pad, chain);
    gst_pad_set_event_function (pad, event);
    gst_pad_set_query_function (pad, query);
    return pad;
  }

  /** Releases a pad, and removes it from the element. A function that is running on the pad keeps its input, and sees that it
   *  was released. */
  void remove (GstPad *pad)
  {
    const InputRef input = find (pad);
    {
      const std::lock_guard lock (mutex);
      if (!std::erase (inputs, input))
        return;
      input->released = true;
    }
    changed.notify_all ();
    gst_pad_set_active (pad, FALSE); /* waits until its thread has left */
    gst_element_remove_pad (element, pad);
  }

  size_t count ()
  {
    const std::lock_guard lock (mutex);
    return inputs.size ();
  }

  /** Ends all waiting, until start(). */
  void stop ()
  {
    const std::lock_guard lock (mutex);
    stopped = true;
    changed.notify_all ();
  }

  void start ()
  {
    const std::lock_guard lock (mutex);
    stopped = flushing = ended = segment_done = false;
    first_info.reset ();
    for (const InputRef &input : inputs) {
      input->next.reset ();
      input->match.clear ();
      input->info.reset ();
      input->segments = segments;
      input->eos = input->flushing = input->segment_done = false;
      gst_segment_init (&input->segment, GST_FORMAT_UNDEFINED);
    }
  }

  /** Ends and restarts the waiting of the first pad's thread only. */
  void set_flushing (bool is_flushing)
  {
    const std::lock_guard lock (mutex);
    flushing = is_flushing;
    for (const InputRef &input : inputs)
      input->segments = segments;
    changed.notify_all ();
  }

  /** Whether the first pad has ended. The others then end, too, because their frames would not be used. */
  void set_ended (bool is_ended)
  {
    const std::lock_guard lock (mutex);
    ended = is_ended;
    segment_done = false;
    changed.notify_all ();
  }

  /** After the first pad's last frame of a segment, the others' frames of that segment are dropped, because they would not be
   *  used. Their next segment may begin earlier than the first pad's. */
  void end_segment ()
  {
    const std::lock_guard lock (mutex);
    segments++;
    segment_done = true;
    changed.notify_all ();
  }

  /** Waits for the frames that the pads show together with a frame of the first pad, and returns them by the pads' numbers less
   *  one. A pad that has ended keeps its last frame; a pad without any frame, and a number without a pad, show the frame
   *  itself. Returns nothing if the wait was ended. live: how long to wait for late frames; 0: without limit.
   *  Throws Failure (CORE, NEGOTIATION) if a picture has another size or format. Uses a copy of the list of pads, because pads
   *  may be added or removed while a wait releases the lock. */
  std::optional<std::vector<BufferRef>> frames_for (GstPad *first, const TimedFrame &frame, GstClockTime live)
  {
    std::unique_lock lock (mutex);
    std::vector<BufferRef> frames;
    for (const std::vector<InputRef> now = inputs; const InputRef &input : now) {
      const Wait wait = advance (lock, *input, frame, live);
      if (wait == Wait::ended)
        return std::nullopt;
      if (wait == Wait::released)
        continue;
      const TimedFrame *shown = input->match.last ();
      if (!shown && input->next)
        shown = &*input->next; /* the next frame begins later */
      if (shown && shown->is_gap ())
        shown = nullptr;
      if (shown)
        require_same_picture (first, frame.info, input->pad.get (), shown->info);
      frames.resize (input->number - 1, frame.buffer);
      frames.push_back (shown ? shown->buffer : frame.buffer);
    }
    return frames;
  }

  /** Size and format of any input, for the negotiation of the others. */
  std::optional<GstVideoInfo> picture ()
  {
    const std::lock_guard lock (mutex);
    if (first_info)
      return first_info;
    for (const InputRef &input : inputs)
      if (input->info)
        return input->info;
    return std::nullopt;
  }

  /** Sets the format of the first pad, which the others must match. */
  void set_picture (const GstVideoInfo &info)
  {
    {
      const std::lock_guard lock (mutex);
      first_info = info;
    }
    g_autoptr (GstEvent) again = gst_event_new_reconfigure ();
    push_event (again);
  }

  /** Sends an event upstream from all pads. */
  void push_event (GstEvent *event)
  {
    for (const InputRef &input : all ())
      gst_pad_push_event (input->pad.get (), gst_event_ref (event));
  }

  /** Seeks with `seek_first`, which seeks the first pad, then all others. After a flushing seek, frames of the first pad wait until
   *  the other pads have been sought, because their frames are still from the old position. Returns the result of seek_first. */
  template <typename SeekFirst> gboolean seek (GstEvent *event, SeekFirst seek_first)
  {
    GstSeekFlags flags;
    gst_event_parse_seek (event, nullptr, nullptr, &flags, nullptr, nullptr, nullptr, nullptr);
    const int flushes = flags & GST_SEEK_FLAG_FLUSH ? 1 : 0;
    const std::vector<InputRef> now = all ();
    set_ended (false);
    const auto note = [&] (Input &input, int more) {
      const std::lock_guard lock (mutex);
      input.seeks += more;
      changed.notify_all ();
    };
    for (const InputRef &input : now)
      note (*input, flushes);
    const gboolean done = seek_first ();
    for (const InputRef &input : now) {
      gst_pad_push_event (input->pad.get (), gst_event_ref (event));
      note (*input, -flushes);
    }
    return done;
  }

  /** Adds the latency of these inputs to the query. */
  void extend_latency (GstQuery *query)
  {
    gboolean live;
    GstClockTime least, most;
    gst_query_parse_latency (query, &live, &least, &most);
    for (const InputRef &input : all ()) {
      g_autoptr (GstQuery) each = gst_query_new_latency ();
      if (gst_pad_peer_query (input->pad.get (), each)) {
        gboolean each_live;
        GstClockTime each_least, each_most;
        gst_query_parse_latency (each, &each_live, &each_least, &each_most);
        live = live || each_live;
        least = std::max (least, each_least);
        most = std::min (most, each_most); /* GST_CLOCK_TIME_NONE is the largest value */
      }
    }
    gst_query_set_latency (query, live, least, most);
  }

private:
  /** An input. Threads that wait for its frames or deliver them hold a reference, too. */
  struct Input {
    /** In the pad's name. */
    guint64 number = 0;
    Ref<GstPad> pad;
    GstSegment segment;
    std::optional<GstVideoInfo> info;
    bool in_gl = false;
    std::optional<TimedFrame> next;
    CompareMatch match;
    bool eos = false, flushing = false;
    /** Flushing seeks that it has not received yet. */
    int seeks = 0;
    /** Segments that are done, and whether the next one has not begun. */
    unsigned segments = 0;
    bool segment_done = false;
    /** Why its last caps were refused. */
    std::string refused;
    /** Permanent: the pad is no longer an input. */
    bool released = false;
  };
  using InputRef = std::shared_ptr<Input>;
  enum class Wait { done, ended, released };

  static GstFlowReturn chain (GstPad *pad, GstObject *, GstBuffer *buffer)
  {
    ProgramInputs &owner = owner_of (pad);
    BufferRef taken (buffer);
    const InputRef input = owner.find (pad);
    return input ? owner.take (*input, taken) : GST_FLOW_FLUSHING;
  }

  /* Drops events of these inputs: the element's stream is the first input's. */
  static gboolean event (GstPad *pad, GstObject *, GstEvent *event)
  {
    ProgramInputs &owner = owner_of (pad);
    const InputRef input = owner.find (pad);
    const bool takes = input && takes_event (owner.element, input->refused, event);
    if (takes && GST_EVENT_TYPE (event) == GST_EVENT_GAP)
      owner.take_gap (*input, event);
    else if (takes)
      owner.handle (*input, event);
    owner.changed.notify_all ();
    gst_event_unref (event);
    return takes;
  }

  static gboolean query (GstPad *pad, GstObject *parent, GstQuery *query)
  {
    switch (GST_QUERY_TYPE (query)) {
      case GST_QUERY_CAPS: {
        GstCaps *filter = nullptr;
        g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
        gst_query_parse_caps (query, &filter);
        const std::optional<GstVideoInfo> likeness = owner_of (pad).picture ();
        g_autoptr (GstCaps) answer = caps_like (all, likeness ? &*likeness : nullptr, filter);
        gst_query_set_caps_result (query, answer);
        return TRUE;
      }
      case GST_QUERY_ACCEPT_CAPS:
        answer_accept_caps (pad, query);
        return TRUE;
      case GST_QUERY_CONTEXT:
        return GST_BASE_TRANSFORM_GET_CLASS (parent)->query (GST_BASE_TRANSFORM (parent), GST_PAD_SINK, query);
      default:
        return gst_pad_query_default (pad, parent, query);
    }
  }

  /* The last frame is still shown in a gap, so that the first pad's frames do not wait for the next one. */
  void take_gap (Input &input, GstEvent *event)
  {
    const BufferRef gap (gst_buffer_new ());
    gst_event_parse_gap (event, &GST_BUFFER_PTS (gap.get ()), &GST_BUFFER_DURATION (gap.get ()));
    take (input, gap);
  }

  GstFlowReturn take (Input &input, const BufferRef &buffer)
  {
    std::unique_lock lock (mutex);
    TimedFrame frame = timed_frame (buffer, input.info.value_or (GstVideoInfo{}), input.segment);
    const bool is_gap = frame.is_gap ();
    if (!input.info && !is_gap)
      return GST_FLOW_NOT_NEGOTIATED;
    if (input.in_gl && !is_gap) {
      /* read on the thread that delivers them */
      lock.unlock ();
      if (!run_guarded (element, [&] { frame.buffer = copy_in_default_layout (buffer.get (), frame.info); }))
        return GST_FLOW_ERROR;
      lock.lock ();
    }
    const auto is_over = [&] { return stopped || input.flushing || input.released; };
    const auto is_past = [&] { return segment_done && input.segments < segments; };
    changed.wait (lock, [&] { return is_over () || ended || is_past () || !input.next; });
    if (is_over ())
      return GST_FLOW_FLUSHING;
    if (ended)
      return GST_FLOW_EOS;
    if (is_past ())
      return GST_FLOW_OK;
    if (const TimedFrame *last = is_gap ? input.match.last () : nullptr) {
      frame.buffer = last->buffer;
      frame.info = last->info;
    }
    input.next = std::move (frame);
    changed.notify_all ();
    return GST_FLOW_OK;
  }

  void handle (Input &input, GstEvent *event)
  {
    const std::lock_guard lock (mutex);
    switch (GST_EVENT_TYPE (event)) {
      case GST_EVENT_CAPS: {
        GstCaps *caps = nullptr;
        GstVideoInfo info;
        gst_event_parse_caps (event, &caps);
        if (video_info_from_caps (info, caps))
          input.info = info;
        input.in_gl = memory_kind (caps) == MemoryKind::gl;
        break;
      }
      case GST_EVENT_SEGMENT:
        gst_event_copy_segment (event, &input.segment);
        input.segment_done = false;
        break;
      case GST_EVENT_EOS:
        input.eos = true;
        break;
      case GST_EVENT_SEGMENT_DONE:
        input.segments++;
        input.segment_done = true;
        break;
      case GST_EVENT_FLUSH_START:
        input.flushing = true;
        break;
      case GST_EVENT_FLUSH_STOP:
        input.flushing = input.eos = input.segment_done = false;
        input.segments = segments;
        input.next.reset ();
        input.match.clear ();
        gst_segment_init (&input.segment, GST_FORMAT_UNDEFINED);
        break;
      default:
        break;
    }
  }

  /* Takes frames until the one that is shown with this frame is found. */
  Wait advance (std::unique_lock<std::mutex> &lock, Input &input, const TimedFrame &frame, GstClockTime live)
  {
    const bool in_order = !GST_CLOCK_TIME_IS_VALID (frame.start);
    bool taken = false;
    while (true) {
      if (stopped || flushing)
        return Wait::ended;
      if (input.released)
        return Wait::released;
      if (input.seeks > 0) {
        changed.wait (lock);
        continue;
      }
      if (taken || (!in_order && input.match.is_certain (frame)))
        return Wait::done;
      if (input.next) {
        const bool untimed = in_order || !GST_CLOCK_TIME_IS_VALID (input.next->start);
        if (!input.match.advance (frame, *input.next))
          return Wait::done;
        input.next.reset ();
        changed.notify_all ();
        taken = untimed;
        continue;
      }
      if (input.eos || (input.segment_done && input.segments > segments) || is_late (frame, live))
        return Wait::done;
      if (live > 0)
        changed.wait_for (lock, std::chrono::milliseconds (5));
      else
        changed.wait (lock);
    }
  }

  /* Whether it is too late to wait, for a frame that is shown on arrival. */
  bool is_late (const TimedFrame &frame, GstClockTime live) const
  {
    if (live == 0 || !GST_CLOCK_TIME_IS_VALID (frame.start))
      return false;
    g_autoptr (GstClock) clock = gst_element_get_clock (element);
    return clock && gst_clock_get_time (clock) > gst_element_get_base_time (element) + frame.start + live;
  }

  /* Pad functions are called only while the element exists. */
  static ProgramInputs &owner_of (GstPad *pad) { return *static_cast<ProgramInputs *> (gst_pad_get_element_private (pad)); }
  /* Returns null if the pad was released. */
  InputRef find (GstPad *pad)
  {
    const std::lock_guard lock (mutex);
    const auto found = std::ranges::find (inputs, pad, [] (const InputRef &each) { return each->pad.get (); });
    return found == inputs.end () ? nullptr : *found;
  }

  std::vector<InputRef> all ()
  {
    const std::lock_guard lock (mutex);
    return inputs;
  }

  GstElement *const element;
  std::mutex mutex;
  std::condition_variable changed;
  /* by their numbers */
  std::vector<InputRef> inputs;
  std::optional<GstVideoInfo> first_info;
  bool stopped = true, flushing = false, ended = false;
  /** Segments that the first pad has done, and whether its next one has not begun. */
  unsigned segments = 0;
  bool segment_done = false;
};

}  // namespace gst::cl

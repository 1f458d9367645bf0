/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters between two elements of a pipeline, which can change while frames flow. */
#pragma once

#include "../common/glib.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace studio {

class FilterRow {
public:
  /* The bin's elements have unlinked pads src and sink. gate is a source pad upstream of head; its thread pushes frames through
     the filters. Any thread may call problem. */
  FilterRow (GstBin *bin, GstPad *gate, GstElement *head, GstElement *tail, std::function<void (const std::string &)> problem)
      : bin (bin), head (head), tail (tail), gate (gate), problem (std::move (problem))
  {
    gst_element_link (head, tail);
    /* between flush-start and flush-stop no frame is in the row, because its streaming thread is stopped */
    flush_probe = add_probe (gate, GST_PAD_PROBE_TYPE_EVENT_FLUSH, [this] (GstPadProbeInfo *info) {
      if (GST_EVENT_TYPE (gst_pad_probe_info_get_event (info)) == GST_EVENT_FLUSH_STOP)
        rearrange (true);
      return GST_PAD_PROBE_OK;
    });
  }

  ~FilterRow ()
  {
    gst_pad_remove_probe (gate.get (), flush_probe);
    const std::lock_guard lock (mutex);
    if (probe)
      gst_pad_remove_probe (gate.get (), probe);
  }

  FilterRow (const FilterRow &) = delete;
  FilterRow &operator= (const FilterRow &) = delete;

  /* Links these filters in this order at the next gap between frames, and removes all others from the bin. */
  void set (std::vector<Ref<GstElement>> filters)
  {
    const std::lock_guard lock (mutex);
    wanted = std::move (filters);
    waiting = true;
  }

  /* Makes a change at the next gap that must not happen while caps are passing. */
  void change (std::function<void ()> change) { change_stopped ({}, std::move (change)); }
  /* At the next gap, stops an element of the row, changes it, and starts it again. */
  void change_stopped (Ref<GstElement> element, std::function<void ()> change)
  {
    const std::lock_guard lock (mutex);
    errands.push_back ({std::move (element), std::move (change)});
    waiting = true;
  }

  /* Accepts the next gap between two frames. Until this call, only a gap made by flush() is used. */
  void ask_for_gap ()
  {
    {
      const std::lock_guard lock (mutex);
      if (!waiting || asked)
        return;
      asked = true;
    }
    /* runs at once in this thread if no frame is under way */
    const gulong id = add_probe (gate.get (), gap, [this] (GstPadProbeInfo *) {
      /* flush() removes the probe */
      return rearrange (false) ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK;
    });
    const std::lock_guard lock (mutex);
    probe = asked ? id : 0;
  }

  /* Runs a function that flushes the row from upstream, such as a seek on the source. An event would be lost in a row that is
     being linked; a row that waits for a gap is linked before the flush ends, so that no later frame passes the old row. A
     flush turns caps that it meets in the row into an error, so while frames flow it waits up to `patience` for a gap. */
  void flush (const std::function<void ()> &seek, std::chrono::milliseconds patience)
  {
    gulong taken = 0, holding = 0;
    {
      std::unique_lock lock (mutex);
      done.wait (lock, [this] { return !linking; });
      flushing = true;
      asked = held = false;
      taken = std::exchange (probe, 0);
    }
    if (taken)
      gst_pad_remove_probe (gate.get (), taken);
    if (patience.count ()) {
      /* called when the last frame has left the row, and for the next frame, which it holds back */
      holding = add_probe (gate.get (), gap, [this] (GstPadProbeInfo *) {
        const std::lock_guard lock (mutex);
        held = true;
        done.notify_all ();
        return GST_PAD_PROBE_OK;
      });
      std::unique_lock lock (mutex);
      done.wait_for (lock, patience, [this] { return held; });
    }
    seek ();
    if (holding)
      gst_pad_remove_probe (gate.get (), holding);
    {
      const std::lock_guard lock (mutex);
      flushing = false;
    }
    /* if there was no flush after all */
    ask_for_gap ();
  }

  /* Waits until the row has its wanted filters. */
  bool settled (std::chrono::milliseconds patience)
  {
    std::unique_lock lock (mutex);
    return done.wait_for (lock, patience, [this] { return !waiting; });
  }

private:
  /* Probes for the time between two frames. While an idle probe runs in one thread, GStreamer lets the next frame pass in another; a
     blocking probe is called for that frame, too, and can hold it back. */
  static constexpr int gap = GST_PAD_PROBE_TYPE_IDLE | GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM;

  static bool holds (const std::vector<Ref<GstElement>> &elements, const Ref<GstElement> &element)
  {
    return std::ranges::find (elements, element) != elements.end ();
  }

  /* Takes the state lock, because the pipeline may be changing its children's state in another thread. */
  static void stop (GstElement *element)
  {
    gst_element_set_locked_state (element, TRUE);
    gst_element_set_state (element, GST_STATE_NULL);
  }

  static void resume (GstElement *element)
  {
    gst_element_set_locked_state (element, FALSE);
    gst_element_sync_state_with_parent (element);
  }

  struct Errand {
    Ref<GstElement> element;
    std::function<void ()> change;
  };

  /* Relinks the row if it must change, or waits for the thread that is doing so. Returns false if a flush has begun that will. */
  bool rearrange (bool by_flush)
  {
    std::unique_lock lock (mutex);
    if (!by_flush) {
      done.wait (lock, [this] { return !linking; });
      if (flushing)
        return false;
    }
    if (!waiting || linking)
      return true;
    linking = true;
    for (;;) {
      const std::vector<Ref<GstElement>> now = wanted;
      const std::vector<Errand> todo = std::exchange (errands, {});
      lock.unlock ();
      for (const auto &[element, change] : todo) {
        const bool running = element && holds (linked, element);
        if (element)
          stop (element.get ());
        change ();
        if (running)
          resume (element.get ());
      }
      if (now != linked)
        link (now);
      /* elements request renegotiation with an event, which is lost while pads are being flushed */
      const Ref<GstPad> entrance = pad_of (head.get (), "sink");
      if (const Ref<GstPad> source = Ref<GstPad>::take (gst_pad_get_peer (entrance.get ())))
        gst_pad_mark_reconfigure (source.get ());
      lock.lock ();
      if (now == wanted && errands.empty ()) {
        waiting = asked = linking = false;
        probe = 0;
        done.notify_all ();
        return true;
      }
    }
  }

  /* Elements that remain keep their state, and so their programs and history. */
  void link (const std::vector<Ref<GstElement>> &now)
  {
    GstElement *last = head.get ();
    for (const Ref<GstElement> &element : linked) {
      gst_element_unlink (last, element.get ());
      last = element.get ();
    }
    gst_element_unlink (last, tail.get ());
    for (const Ref<GstElement> &element : linked) {
      if (holds (now, element))
        continue;
      stop (element.get ());
      gst_bin_remove (bin, element.get ());
    }
    for (const Ref<GstElement> &element : now) {
      if (!holds (linked, element))
        gst_bin_add (bin, element.get ());
    }
    last = head.get ();
    for (const Ref<GstElement> &element : now) {
      if (gst_element_link (last, element.get ()))
        last = element.get ();
      else
        problem (std::string (GST_OBJECT_NAME (element.get ())) + " cannot be linked after " + GST_OBJECT_NAME (last));
    }
    if (!gst_element_link (last, tail.get ()))
      problem (std::string (GST_OBJECT_NAME (last)) + " cannot be linked to the video window");
    for (auto element = now.rbegin (); element != now.rend (); ++element)
      resume (element->get ());
    linked = now;
  }

  GstBin *bin;
  Ref<GstElement> head, tail;
  Ref<GstPad> gate;
  std::function<void (const std::string &)> problem;

  std::mutex mutex;
  std::condition_variable done;
  std::vector<Ref<GstElement>> wanted;
  std::vector<Errand> errands;
  gulong probe = 0, flush_probe;
  bool waiting = false, asked = false, linking = false, flushing = false, held = false;
  /* the linked filters; changed only in gaps */
  std::vector<Ref<GstElement>> linked;
};

}  // namespace studio

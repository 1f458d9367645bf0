/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filterrow.hpp"

#include <algorithm>

namespace studio {

namespace {

bool
holds (const std::vector<Ref<GstElement>> &elements, const Ref<GstElement> &element)
{
  return std::ranges::find (elements, element) != elements.end ();
}

/* Takes the state lock, because the pipeline may be changing its children's state in another thread. */
void
stop (GstElement *element)
{
  gst_element_set_locked_state (element, TRUE);
  gst_element_set_state (element, GST_STATE_NULL);
}

void
resume (GstElement *element)
{
  gst_element_set_locked_state (element, FALSE);
  gst_element_sync_state_with_parent (element);
}

}  // namespace

FilterRow::FilterRow (
    GstBin *bin, GstPad *gate, GstElement *head, GstElement *tail, std::function<void (const std::string &)> problem)
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

FilterRow::~FilterRow ()
{
  gst_pad_remove_probe (gate.get (), flush_probe);
  const std::lock_guard lock (mutex);
  if (probe)
    gst_pad_remove_probe (gate.get (), probe);
}

void
FilterRow::set (std::vector<Ref<GstElement>> filters)
{
  const std::lock_guard lock (mutex);
  wanted = std::move (filters);
  waiting = true;
}

void
FilterRow::change_stopped (Ref<GstElement> element, std::function<void ()> change)
{
  const std::lock_guard lock (mutex);
  errands.push_back ({std::move (element), std::move (change)});
  waiting = true;
}

void
FilterRow::ask_for_gap ()
{
  {
    const std::lock_guard lock (mutex);
    if (!waiting || asked)
      return;
    asked = true;
  }
  /* runs at once in this thread if no frame is under way */
  const gulong id = add_probe (gate.get (), GST_PAD_PROBE_TYPE_IDLE, [this] (GstPadProbeInfo *) {
    /* flush() removes the probe */
    return rearrange (false) ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK;
  });
  const std::lock_guard lock (mutex);
  probe = asked ? id : 0;
}

void
FilterRow::flush (const std::function<void ()> &seek, std::chrono::milliseconds patience)
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
    holding =
        add_probe (gate.get (), GST_PAD_PROBE_TYPE_IDLE | GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, [this] (GstPadProbeInfo *) {
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

bool
FilterRow::settled (std::chrono::milliseconds patience)
{
  std::unique_lock lock (mutex);
  return done.wait_for (lock, patience, [this] { return !waiting; });
}

bool
FilterRow::rearrange (bool by_flush)
{
  std::unique_lock lock (mutex);
  if (flushing && !by_flush)
    return false;
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
void
FilterRow::link (const std::vector<Ref<GstElement>> &now)
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

}  // namespace studio

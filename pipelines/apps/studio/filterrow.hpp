/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The row of filters between two elements of a pipeline, which can change while frames flow. */
#pragma once

#include "../common/glib.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace studio {

class FilterRow {
public:
  /* Elements of bin whose pads src and sink are free. gate is the source pad, upstream of head, of the thread that takes
     frames through the filters; problem is called from any thread. */
  FilterRow (GstBin *bin, GstPad *gate, GstElement *head, GstElement *tail, std::function<void (const std::string &)> problem);
  ~FilterRow ();
  FilterRow (const FilterRow &) = delete;
  FilterRow &operator= (const FilterRow &) = delete;

  /* From the next gap on these filters are linked, in this order, and no others are in the bin. */
  void set (std::vector<Ref<GstElement>> filters);
  /* In the next gap something is done that caps must not meet on their way. */
  void change (std::function<void ()> change) { change_stopped ({}, std::move (change)); }
  /* In the next gap an element of the row is stopped, changed, and started again. */
  void change_stopped (Ref<GstElement> element, std::function<void ()> change);
  /* Makes the next gap between two frames do. Until then only one does that flush() makes. */
  void ask_for_gap ();
  /* Runs what flushes the row from above, as a seek does that is sent to the source. An event would be lost in a row that is
     just being linked; one that waits for its gap is linked before the flush ends, so that no frame behind it passes the old
     one. A flush makes an error of caps that it meets in the row: where frames flow, patience is how long it waits for a gap. */
  void flush (const std::function<void ()> &seek, std::chrono::milliseconds patience);
  /* Waits until the row is as it was last wanted. */
  bool settled (std::chrono::milliseconds patience);

private:
  struct Errand {
    Ref<GstElement> element;
    std::function<void ()> change;
  };

  /* Where the row is to be another, and is not just being linked. False where a flush has begun that will do it. */
  bool rearrange (bool by_flush);
  void ask_for_caps ();
  void unlink ();
  void link (const std::vector<Ref<GstElement>> &wanted);
  void run (const std::vector<Errand> &errands);

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
  /* what is linked: touched in gaps only */
  std::vector<Ref<GstElement>> linked;
};

}  // namespace studio

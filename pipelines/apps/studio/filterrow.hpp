/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters between two elements of a pipeline, which can change while frames flow. */
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
  /* The bin's elements have unlinked pads src and sink. gate is a source pad upstream of head; its thread pushes frames through
     the filters. Any thread may call problem. */
  FilterRow (GstBin *bin, GstPad *gate, GstElement *head, GstElement *tail, std::function<void (const std::string &)> problem);
  ~FilterRow ();
  FilterRow (const FilterRow &) = delete;
  FilterRow &operator= (const FilterRow &) = delete;

  /* Links these filters in this order at the next gap between frames, and removes all others from the bin. */
  void set (std::vector<Ref<GstElement>> filters);
  /* Makes a change at the next gap that must not happen while caps are passing. */
  void change (std::function<void ()> change) { change_stopped ({}, std::move (change)); }
  /* At the next gap, stops an element of the row, changes it, and starts it again. */
  void change_stopped (Ref<GstElement> element, std::function<void ()> change);
  /* Accepts the next gap between two frames. Until this call, only a gap made by flush() is used. */
  void ask_for_gap ();
  /* Runs a function that flushes the row from upstream, such as a seek on the source. An event would be lost in a row that is
     being linked; a row that waits for a gap is linked before the flush ends, so that no later frame passes the old row. A
     flush turns caps that it meets in the row into an error, so while frames flow it waits up to `patience` for a gap. */
  void flush (const std::function<void ()> &seek, std::chrono::milliseconds patience);
  /* Waits until the row has its wanted filters. */
  bool settled (std::chrono::milliseconds patience);

private:
  struct Errand {
    Ref<GstElement> element;
    std::function<void ()> change;
  };

  /* Relinks the row if it must change and is not being linked. Returns false if a flush has begun that will do so. */
  bool rearrange (bool by_flush);
  void link (const std::vector<Ref<GstElement>> &wanted);

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

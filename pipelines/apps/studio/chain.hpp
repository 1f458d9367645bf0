/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The row of filters between two elements of a pipeline, which can change while frames flow. */
#pragma once

#include "glib.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace studio {

class Chain {
public:
  /* Elements of bin whose pads src and sink are free. gate is the source pad, upstream of head, of the thread that takes
     frames through the filters; problem is called from any thread. */
  Chain (GstBin *bin, GstPad *gate, GstElement *head, GstElement *tail,
      std::function<void (const std::string &)> problem);
  ~Chain ();
  Chain (const Chain &) = delete;
  Chain &operator= (const Chain &) = delete;

  /* From the next gap between two frames on these filters are linked, in this order, and no others are in the bin. */
  void set (std::vector<Ref<GstElement>> filters);
  /* In the next gap an element of the row is stopped, changed, and started again. */
  void change_stopped (Ref<GstElement> element, std::function<void ()> change);
  /* Waits until what was asked for has happened. */
  bool settled (std::chrono::milliseconds patience);

private:
  struct Errand {
    Ref<GstElement> element;
    std::function<void ()> change;
  };

  static GstPadProbeReturn gap (GstPad *pad, GstPadProbeInfo *info, gpointer self);
  void ask_for_gap ();
  void rearrange ();
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
  gulong probe = 0;
  bool waiting = false;
  /* what is linked: touched in gaps only */
  std::vector<Ref<GstElement>> linked;
};

}  // namespace studio

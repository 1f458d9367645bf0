/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element in a pipeline of its own, fed and read by hand, and what came of it. */
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "../link.hpp"

namespace test {

/* What a run does, one letter a step: 'f' a frame on every input, 'p' a property changes, 'c' other caps, 'x' a flush,
 * 's' a seek. It begins with NULL to PLAYING, and ends with the end of the stream and NULL. */
using Steps = std::string;

struct Outcome {
  /* flows: all that was pushed was taken. */
  bool started = true, ended = false, flows = true;
  std::vector<Report> errors;
  /* One for each frame that came out. */
  std::vector<guint64> checksums;
  /* That downstream could not read. */
  unsigned unreadable = 0;
};

/* Where frames come from and go to that are not in system memory. */
class FrameMemory {
public:
  virtual ~FrameMemory () = default;
  virtual std::string caps_of (const std::string &plain) = 0;
  virtual GstBuffer *new_frame (GstCaps *caps) = 0;
  /* Before each start. */
  virtual void lend_to (GstElement *pipeline) = 0;
  /* What is done while this lives is the test's own work, not the element's. */
  virtual std::shared_ptr<void> own_work () = 0;
};

class FaultPlay {
public:
  /* line: an element with its properties, or several of them. pool: frames come from the pool that it proposes. memory: null
   * for the system's; with others the element has one input. */
  FaultPlay (const std::string &line, bool pool, FrameMemory *memory = nullptr);
  ~FaultPlay ();
  FaultPlay (const FaultPlay &) = delete;
  FaultPlay &operator= (const FaultPlay &) = delete;

  /* From NULL to NULL, fed by a thread of its own, as a source does it. Takes the bus's errors. */
  Outcome play (const Steps &steps);

private:
  struct Input;
  static GstFlowReturn take_frame (GstPad *pad, GstObject *self, GstBuffer *buffer);
  static gboolean take_event (GstPad *pad, GstObject *self, GstEvent *event);
  void start ();
  void run (const Steps &steps);
  void stop ();
  void push_event (const std::function<GstEvent *()> &make);
  void set_caps ();
  void renew_pool (Input &input);
  void push_frame ();
  void change_property ();
  void feed (const Steps &steps);
  void wait_for_source ();
  bool has_error ();
  void wait_until (const std::function<bool ()> &is_over);
  void wait_for_frames ();
  std::shared_ptr<void> own_work () { return memory ? memory->own_work () : nullptr; }
  GstBuffer *new_frame (Input &input);
  GstBuffer *next_frame (Input &input);

  GstElement *pipeline = nullptr, *element = nullptr;
  GstBus *bus = nullptr;
  std::vector<Input> inputs;
  GstPad *out = nullptr;
  const bool pool;
  FrameMemory *const memory;
  GstCaps *caps = nullptr;
  unsigned n_caps = 0, n_frames = 0, position = 0, n_changes = 0;
  bool broken = false;

  std::mutex mutex;
  std::condition_variable changed;
  bool is_fed = false;
  Outcome outcome;
};

}  // namespace test

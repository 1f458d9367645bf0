/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element in its own pipeline, with manual input and output, and the outcome. */
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "../elements/link.hpp"

namespace test {

/* The steps of a run, one letter each: 'f' a frame on every input, 'p' a property change, 'c' other caps, 'x' a flush, 's' a
 * seek. A run starts with NULL to PLAYING, and ends with EOS and NULL. */
using Steps = std::string;

struct Outcome {
  /* flows: everything that was pushed was accepted. */
  bool started = true, ended = false, flows = true;
  std::vector<Report> errors;
  /* One for each result. */
  std::vector<guint64> checksums;
  /* How many results downstream could not read. */
  unsigned unreadable = 0;
};

/* The usual outcome, of a line that plays. */
void expect_usual (const Outcome &usual, const std::string &line);

/* What is wrong with an outcome without an error, or with one that has more errors than elements; "" if nothing is. bytes: whether
 * frames are compared, and not only counted. */
std::string flaw_of (const Outcome &outcome, const Outcome &usual, bool bytes);

/* The same of the next start of the pipeline, which must go well. */
std::string flaw_of_restart (const Outcome &again, const Outcome &usual, bool bytes);

/* Whether $GST_CL_TEST_ELEMENT, if it is set, names this line's element. */
bool is_asked_for (const std::string &line);

/* Memory of frames other than system memory. */
class FrameMemory {
public:
  virtual ~FrameMemory () = default;
  virtual std::string caps_of (const std::string &plain) = 0;
  virtual GstBuffer *new_frame (GstCaps *caps) = 0;
  /* Called before each start. */
  virtual void lend_to (GstElement *pipeline) = 0;
  /* As long as the returned object lives, calls belong to the test and not to the element. */
  virtual std::shared_ptr<void> own_work () = 0;
};

class FaultPlay {
public:
  /* line: one or more elements with properties. pool: frames come from the element's proposed pool. memory: null for system
   * memory; otherwise the element must have one input. */
  FaultPlay (const std::string &line, bool pool, FrameMemory *memory = nullptr);
  ~FaultPlay ();
  FaultPlay (const FaultPlay &) = delete;
  FaultPlay &operator= (const FaultPlay &) = delete;

  /* Plays from NULL to NULL, fed by a separate thread, like a source. Collects the errors on the bus. */
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

/* Ends the process, with the name, if what runs in its scope hangs. */
class HangWatch {
public:
  HangWatch (const std::string &name, unsigned seconds);
  ~HangWatch ();
};

}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A piece of launch line between a source and a sink pad of the test's own, fed and read buffer by buffer. */
#pragma once

#include <string>
#include <vector>

#include <gst/check/gstharness.h>

#include "suite.hpp"

namespace test {

/* One error from the bus. */
struct Report {
  GQuark domain = 0;
  int code = 0;
  std::string from; /* the element's name */
  std::string text, debug;

  bool is (GQuark of_domain, int of_code) const { return domain == of_domain && code == of_code; }
  std::string all () const { return text + " | " + debug; }
};

class Link {
public:
  /* Fails the test, with the bus's errors, if the elements do not start. caps: what comes in; out_caps: what the sink
   * accepts, the same when empty. */
  Link (const std::string &launch, const std::string &caps, const std::string &out_caps = "");
  ~Link ();
  Link (const Link &) = delete;
  Link &operator= (const Link &) = delete;

  GstHarness *harness () { return h; }
  GstBus *bus () { return messages; }

  /* The first element that a factory of this name made; the Link keeps it. */
  GstElement *element (const char *factory);

  /* Whether the source claims to be live; at first it does not, and changes of properties hold from the next frame on. */
  void set_live (bool live) { is_live = live; }

  /* Takes the buffer, returns the result; fails the test when the flow is not OK or nothing comes out. */
  GstBuffer *filter (GstBuffer *buffer);
  GstFlowReturn push (GstBuffer *buffer);
  GstBuffer *pull ();

  /* A segment in reverse, for the frames that are pushed from now on. */
  void turn_back ();

  void set (const char *factory, const std::string &property, const std::string &value);

  std::vector<Report> errors ();

private:
  static GstPadProbeReturn answer_latency (GstPad *pad, GstPadProbeInfo *info, gpointer self);

  std::string description;
  bool is_live = false;
  GstHarness *h = nullptr;
  GstBus *messages = nullptr;
  std::vector<GstElement *> found;
};

/* Reads every error that waits on a bus. */
std::vector<Report> errors_of (GstBus *bus);

/* Takes every warning that waits on a bus, and says how many there were. */
int count_warnings (GstBus *bus);

/* A field of the `stats` of an element; fails the test when it is not there or has another type. */
guint64 stat (GstElement *element, const char *field);
std::string stat_text (GstElement *element, const char *field);

}  // namespace test

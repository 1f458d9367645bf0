/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A piece of launch line between two pads of the test, with manual input and output. */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/controller/controller.h>

#include "suite.hpp"

namespace test {

/* A buffer of equal bytes. */
GstBuffer *filled (gsize bytes, int value = 100);

/* The same buffer with these times. */
GstBuffer *timed (GstBuffer *buffer, GstClockTime pts, GstClockTime duration = GST_CLOCK_TIME_NONE);

/* What makes a stream begin again. */
enum class Interruption { Discont, Gap, Segment, Flush };

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
  /* Fails the test, with the bus's errors, if the elements do not start. caps: of the input; out_caps: accepted by the sink,
   * the same if empty. */
  Link (const std::string &launch, const std::string &caps, const std::string &out_caps = "");
  ~Link ();
  Link (const Link &) = delete;
  Link &operator= (const Link &) = delete;

  GstHarness *harness () { return h; }
  GstBus *bus () { return messages; }

  /* The first element that a factory of this name made; owned by the Link. */
  GstElement *element (const char *factory);

  /* Whether the source claims to be live. By default it is not, and changes of properties apply from the next frame on. */
  void set_live (bool live) { is_live = live; }

  /* Pushes the buffer, and returns the result; fails the test if the flow is not OK or nothing comes out. */
  GstBuffer *filter (GstBuffer *buffer);
  GstFlowReturn push (GstBuffer *buffer);
  GstBuffer *pull ();

  /* Starts a segment, or one in reverse, for the following frames. */
  void begin_segment ();
  void turn_back ();
  void flush ();
  void end ();

  /* As if it were live. */
  GstClockTime latency ();

  /* How many results came so far. */
  guint results () { return gst_harness_buffers_received (h); }

  /* A pointer's move at this place of the results, as the source sees it; fails the test if it does not. */
  std::pair<double, double> pointer_from (double x, double y);

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

/* Interrupts the stream before the buffer of this time. */
void interrupt (Link &link, Interruption by, GstBuffer *before);

/* A line of clchain with these filters. */
std::string chain_of (const std::string &filters);

/* The names of the plugin's elements. */
std::vector<std::string> element_names ();

/* Reads all pending errors of a bus. */
std::vector<Report> errors_of (GstBus *bus);

/* All of them, a line each. */
std::string joined (const std::vector<Report> &reports);

/* Reads all pending warnings of a bus, and returns their number. */
int count_warnings (GstBus *bus);

/* Gives a property these values at their times of the stream, on a line between them. */
void control (gpointer object, const char *property, std::initializer_list<std::pair<GstClockTime, double>> values,
    GstInterpolationMode mode = GST_INTERPOLATION_MODE_LINEAR);

/* The caps at an element's pad, or null. */
GstCaps *caps_at (GstElement *element, const char *pad);

/* The caps that elements give for others if downstream wants these, or null. */
GstCaps *negotiated (const std::string &launch, const std::string &in, const std::string &wanted);

/* An element's `stats`, which the caller frees. */
GstStructure *stats_of (GstElement *element);

/* A field of them; fails the test if it does not exist or has another type. */
guint64 stat (GstElement *element, const char *field);
std::string stat_text (GstElement *element, const char *field);

}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pipelines on a device; one stream through one element: its result, and the duration of each kernel. */
#pragma once

#include "../common/glib.hpp"

#include "core/context.hpp"
#include "core/microbench.hpp"
#include "core/tuning.hpp"

#include <csignal>
#include <gst/cl/cl.h>
#include <gst/video/video.h>

#include <map>

using Element = Ref<GstElement>;

/* Set by a signal; the program stops after the current stream. */
inline volatile std::sig_atomic_t interrupted = 0;

/* Opens the device; throws std::runtime_error. */
gst::cl::ContextRef open_context (const std::string &device);

/* Finds a format by name; throws WrongUsage. */
GstVideoFormat video_format (const std::string &name);

/* A pipeline in a context; stops when it is destroyed. */
class Player {
public:
  /* Throws std::runtime_error. */
  Player (const std::string &launch, GstClContext *context)
  {
    try {
      pipeline = parse_launch (launch);
    } catch (const std::runtime_error &error) {
      throw std::runtime_error (launch + ": " + error.what ());
    }
    const std::unique_ptr<GstContext, Unref> shared (gst_cl_context_to_gst_context (context));
    gst_element_set_context (pipeline.get (), shared.get ());
  }

  Element named (const std::string &name) const { return element_in (pipeline, name); }
  void play () const { gst_element_set_state (pipeline.get (), GST_STATE_PLAYING); }
  /* Reads the bus: returns an error as text, and appends element messages. */
  std::string read_bus (std::vector<std::string> &messages) const
  {
    constexpr auto heeded = GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
    const ::Ref<GstBus> bus = bus_of (pipeline.get ());
    std::string text;
    while (const Message message{gst_bus_pop_filtered (bus.get (), heeded)}) {
      if (GST_MESSAGE_TYPE (message.get ()) == GST_MESSAGE_ELEMENT)
        messages.push_back (text_of (gst_structure_to_string (gst_message_get_structure (message.get ()))));
      else if (text.empty ())
        text = parse_problem (message.get ()).first->message;
    }
    return text;
  }

  /* Waits until the stream ends or fails, or the program is interrupted; returns an error as text. */
  std::string wait () const
  {
    /* a signal does not interrupt waiting for the bus */
    constexpr GstClockTime glance = 100 * GST_MSECOND;
    const ::Ref<GstBus> bus = bus_of (pipeline.get ());
    Message message;
    while (!message && !interrupted)
      message.reset (gst_bus_timed_pop_filtered (bus.get (), glance, GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
    const bool failed = message && GST_MESSAGE_TYPE (message.get ()) == GST_MESSAGE_ERROR;
    return failed ? parse_problem (message.get ()).first->message : "";
  }

private:
  Running pipeline;
};

/* An element with settings with which it runs each of its kernels. */
struct Subject {
  /* the element and its properties, as in a launch line */
  std::string element;
  /* names of its sink pads, if it has several */
  std::vector<std::string> pads = {};
};

/* An element's sink pads; two request pads if it has no others. */
std::vector<std::string> sink_pads (GstElementFactory *factory);

/* The subjects whose text contains the filter. */
std::vector<Subject> find_subjects (const std::string &filter);

/* What a stream has shown about a kernel, or about a number of a plan. */
struct Met {
  std::string source;
  gst::cl::Axes axes;
};

struct Outcome {
  /* empty if the stream reached its end */
  std::string error;
  /* the visible bytes of each frame, and the element's messages, if they were requested */
  std::vector<std::vector<guint8>> frames;
  std::vector<std::string> messages;
  guint n_frames = 0;

  /* in order of first use */
  std::vector<std::pair<std::string, Met>> met;
  /* duration of each launch in µs, by kernel; of all kernels under "" */
  std::map<std::string, std::vector<double>> times;

  /* Median time for a frame in µs: of the kernel, or of all kernels for a number that belongs to a plan. Negative without
   * launches. */
  double cost (const std::string &key) const;
  bool same_as (const Outcome &other) const { return error.empty () && frames == other.frames && messages == other.messages; }
};

double median (std::vector<double> values);

/* A device with frames of one format in its memory. */
class Bench {
public:
  /* Throws std::runtime_error. */
  Bench (const std::string &device, const std::string &format, int width, int height);

  const gst::cl::Device &device () const { return gst::cl::Context::of (context.get ()).device; }
  gst::cl::Tuning &tuning () const { return *table; }
  /* The time in µs below which a kernel that reads and writes a whole frame cannot become faster, from measurements of the
   * device: shorter kernels end before the next one is launched, and no kernel is faster than a copy. */
  double least_us () const;

  /* Plays n frames. The kernel uses the shape; all others use the table. */
  Outcome run (const Subject &subject, guint n, bool keep, const std::string &key = "", const gst::cl::Shape &shape = {});

private:
  void open ();
  Buffer upload (GstBuffer *picture) const;
  void play (const Subject &subject, guint n, bool keep, Outcome &outcome) const;

  const std::string wanted;
  gst::cl::ContextRef context;
  std::shared_ptr<gst::cl::Tuning> table;
  GstVideoInfo info;
  Caps caps;
  std::vector<Buffer> pictures;
};

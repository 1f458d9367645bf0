/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream through one element: what it gave, and how long each kernel took. */
#pragma once

#include "../common/glib.hpp"
#include "subjects.hpp"

#include "core/context.hpp"
#include "core/microbench.hpp"
#include "filter/tuning.hpp"

#include <gst/video/video.h>

#include <map>

/* What is known of a kernel, or of a number of a plan, after a stream. */
struct Met {
  std::string source;
  gst::cl::Axes axes;
};

struct Outcome {
  /* empty where the stream came to its end */
  std::string error;
  /* the visible bytes of each frame, and the element's messages; without them where they were not asked for */
  std::vector<std::vector<guint8>> frames;
  std::vector<std::string> messages;
  guint n_frames = 0;

  /* in the order in which they were met */
  std::vector<std::pair<std::string, Met>> met;
  /* microseconds of each launch: by kernel, and of all of them under "" */
  std::map<std::string, std::vector<double>> times;

  /* Median microseconds of a frame: of the kernel, or of all kernels where its numbers belong to a plan. Negative where
   * there is no launch. */
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
  /* Microseconds below which a kernel that reads and writes a whole frame has nothing to gain, by what the device was measured
   * to do: shorter ones end before the next one is launched, and no kernel moves its bytes faster than a copy does. */
  double least_us () const;

  /* Plays n frames. The kernel takes the shape, all others what the table has. */
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GStreamer pipeline as a C++ object: built from launch text, run to its end, errors as exceptions. */
#pragma once

#include <functional>
#include <gst/app/app.h>
#include <gst/gst.h>
#include <memory>
#include <stdexcept>
#include <string>

struct ObjectUnref {
  void operator() (gpointer object) const { gst_object_unref (object); }
};
template <typename T> using Ref = std::unique_ptr<T, ObjectUnref>;

struct SampleUnref {
  void operator() (GstSample *sample) const { gst_sample_unref (sample); }
};
using Sample = std::unique_ptr<GstSample, SampleUnref>;

class Pipeline {
public:
  /* Throws where the text does not parse or names an element that is not installed. */
  explicit Pipeline (const std::string &launch);
  ~Pipeline ();
  Pipeline (const Pipeline &) = delete;
  Pipeline &operator= (const Pipeline &) = delete;

  /* The element with that name=; it has to exist. */
  Ref<GstElement> element (const char *name) const;

  void play ();
  /* Waits for the end of the stream, calling tick five times a second; throws what the pipeline posts as its error. */
  void wait (const std::function<void ()> &tick = {});
  /* Throws if an error was posted by now. */
  void check ();

  GstElement *get () const { return pipeline.get (); }

private:
  bool handle (GstMessage *message);

  Ref<GstElement> pipeline;
  Ref<GstBus> bus;
};

/* The sink that shows the video in a window. Throws where none can be opened: the automatic sink would take none then, and
 * nobody would see anything. */
std::string window_sink (const char *element);

/* One line that is written over itself on a terminal, and left out elsewhere. */
class ProgressLine {
public:
  explicit ProgressLine (std::string what);
  ~ProgressLine ();
  void show (double fraction);

private:
  std::string what;
  bool terminal;
  int last = -1;
};

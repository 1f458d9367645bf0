/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GStreamer pipeline as a C++ object: made from launch text, run to its end; errors become exceptions. */
#pragma once

#include "../common/glib.hpp"
#include "../common/options.hpp"

#include <functional>
#include <gst/app/app.h>

class Pipeline {
public:
  /* The element with name=file reads the file, unless `file` is empty. Throws if the text does not parse, or names an element
   * that is not installed. */
  explicit Pipeline (const std::string &launch, const std::string &file = "");

  /* The element with this name=; it must exist. */
  Ref<GstElement> element (const std::string &name) const;

  void play ();
  /* Waits for the end of the stream; calls tick five times a second. Throws the pipeline's error. */
  void wait (const std::function<void ()> &tick = {});
  /* Throws if an error has been posted. */
  void check ();
  /* The next frame of an appsink; null at the end of the stream. Throws the pipeline's error. */
  Sample pull (GstElement *sink);
  /* Pushes a buffer into an appsrc, which takes ownership; waits while 64 MiB are queued. Throws like check(). */
  void push (GstAppSrc *source, GstBuffer *buffer);

  GstElement *get () const { return pipeline.get (); }

private:
  bool handle (GstMessage *message);

  const Running pipeline;
  const Ref<GstBus> bus;
};

/* The beginning of a launch line: the video of a file, or a test picture if `file` is empty. If frames > 0, it ends after that
 * many. */
std::string source_launch (const std::string &file, int frames,
    const std::string &test_picture = "videotestsrc is-live=true ! video/x-raw,width=640,height=480");

/* Options of programs that show a video: --sink, --frames and a file. */
struct ShowOptions {
  std::string file, sink;
  int frames = 0;
};

/* Parses these options and `more`, and plays. usual_sink: the name of the default sink in --help. Returns the exit status. */
int run_show (const char *program, const char *summary, const char *usual_sink, ShowOptions &options, std::vector<Option> more,
    int argc, char **argv, const std::function<void ()> &play);

/* The sink that shows the video in a window. Throws if there is no display, where the automatic sink would choose a sink that
 * shows nothing. */
std::string window_sink (const char *element);

/* A line that is updated in place on a terminal, and omitted elsewhere. */
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

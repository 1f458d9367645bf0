/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GStreamer pipeline as a C++ object: built from launch text, run to its end, errors as exceptions. */
#pragma once

#include "../common/glib.hpp"

#include <functional>
#include <gst/app/app.h>

class Pipeline {
public:
  /* The element with name=file reads the file, unless that is empty. Throws where the text does not parse or names an element
   * that is not installed. */
  explicit Pipeline (const std::string &launch, const std::string &file = "");
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
  /* The next frame of an appsink; null at the end of the stream. Throws what the pipeline posts as its error. */
  Sample pull (GstElement *sink);
  /* Gives a buffer to an appsrc, which takes it; waits while 64 MiB are under way. Throws as check(). */
  void push (GstAppSrc *source, GstBuffer *buffer);

  GstElement *get () const { return pipeline.get (); }

private:
  bool handle (GstMessage *message);

  Ref<GstElement> pipeline;
  Ref<GstBus> bus;
};

/* The beginning of a launch line: the video of a file that is not empty, or a test picture; it ends after so many frames where
 * they are more than 0. */
std::string source_launch (const std::string &file, int frames,
    const std::string &test_picture = "videotestsrc is-live=true ! video/x-raw,width=640,height=480");

/* What programs that show a video are told: the options --sink and --frames, and a file. */
struct ShowOptions {
  std::string file;
  gchar *sink = nullptr;
  gint frames = 0;
};

/* Reads these and more options, and plays. usual_sink: as --help calls the sink without an option. Returns the exit status. */
int run_show (const char *program, const char *summary, const char *usual_sink, ShowOptions &options,
    std::vector<GOptionEntry> more, int argc, char **argv, const std::function<void ()> &play);

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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-erode: shows a black-and-white picture with eroded white areas, in a window whose Up and Down keys move the threshold. The
 * sink sends each key upstream as a navigation event, clthreshold handles it, and the next frame shows it. The application only
 * prints notifications. */
#include "../demo/pipeline.hpp"

#include <cstdio>

namespace {

struct Options : ShowOptions {
  int radius = 1, iterations = 2;
  double threshold = 0.5;
};

void
play (const Options &options)
{
  Pipeline pipeline (source_launch (options.file, options.frames)
                         + " ! videoconvert ! clthreshold name=threshold navigation=true ! clerode name=erode ! "
                         + (!options.sink.empty () ? options.sink : "videoconvert ! " + window_sink ("autovideosink")),
      options.file);

  const Ref<GstElement> threshold = pipeline.element ("threshold");
  /* called on the thread on which the sink sends its events */
  connect<GParamSpec *> (threshold.get (), "notify::threshold", [element = threshold.get ()] (GParamSpec *) {
    gdouble now = 0;
    g_object_get (element, "threshold", &now, nullptr);
    std::printf ("threshold %.2f\n", now);
    std::fflush (stdout);
  });
  {
    const RangeWarning warning;
    g_object_set (pipeline.element ("erode").get (), "radius", options.radius, "iterations", options.iterations, nullptr);
    g_object_set (threshold.get (), "threshold", options.threshold, nullptr);
    ensure (warning.text.empty (), warning.text);
  }
  std::printf ("The keys Up and Down in the window move the threshold; Ctrl+C ends\n");
  pipeline.play ();
  pipeline.wait ();
}

}  // namespace

int
main (int argc, char **argv)
{
  Options options;
  return run_show ("cl-erode",
      "Erodes a black and white picture; keys in its window move the threshold. Without FILE it uses a test picture.",
      "autovideosink", options,
      {{"threshold", 0, &options.threshold, "The threshold at the start, 0 to 1 (0.5)", "NUMBER"},
          {"radius", 0, &options.radius, "Radius of the erosion, in pixels (1)", "NUMBER"},
          {"iterations", 0, &options.iterations, "Number of erosions (2)", "NUMBER"}},
      argc, argv, [&options] { play (options); });
}

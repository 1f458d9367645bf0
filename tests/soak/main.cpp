/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gst-cl-soak [SECONDS] [SEED] [SCENES]: pipelines of random filters, memories and events, one after the other. The seed is
 * printed. Fails if a frame is missing, a picture changes between rounds, an error or a warning of GLib occurs, or the process
 * keeps growing. */
#include "meter.hpp"
#include "play.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

using namespace soak;

namespace {

/* A limited number, so that all kernels are loaded once all scenes have played. */
constexpr int usual_scenes = 24;
constexpr double default_seconds = 20;

/* An application's stream that runs beside all others, so that the device stays open: PoCL 3.1 never frees 10 to 60 KiB of
 * every program, and would load all of them again each time. */
class Resident {
public:
  Resident () : pipeline (gst_parse_launch ("videotestsrc ! video/x-raw,width=32,height=32 ! clthreshold ! fakesink", nullptr))
  {
    gst_object_ref_sink (pipeline);
    gst_element_set_state (pipeline, GST_STATE_PAUSED);
  }
  ~Resident ()
  {
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
  Resident (const Resident &) = delete;
  Resident &operator= (const Resident &) = delete;

private:
  GstElement *const pipeline;
};

/* Counts GLib's warnings and criticals, except those of GStreamer's GL library: gldownload (1.22) logs one for each frame
 * without a GL context after an early seek. */
std::atomic<guint64> complaints = 0;

void
count_complaint (const char *domain, GLogLevelFlags level, const char *message, void *data)
{
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING) && g_strcmp0 (domain, "GStreamer-GL") != 0)
    complaints++;
  g_log_default_handler (domain, level, message, data);
}

struct Totals {
  guint64 rounds = 0, frames = 0, problems = 0, late_events = 0;
};

void
play_one (Scene &scene, Dice &dice, Totals &totals)
{
  const bool quiet = dice.chance (40);
  complaints = 0;
  Round round = play (scene, dice, quiet);
  if (round.problem.empty () && complaints > 0)
    round.problem = "GLib complains";
  totals.rounds++;
  totals.frames += round.frames;
  totals.late_events += round.late_events;
  if (round.problem.empty ())
    return;
  totals.problems++;
  std::printf ("round %" G_GUINT64_FORMAT ": %s\n  %s\n  renegotiated to %s; %" G_GUINT64_FORMAT " in, %" G_GUINT64_FORMAT
               " out;%s\n",
      totals.rounds, round.problem.c_str (), scene.launch (0).c_str (), scene.caps[1].c_str (), round.in, round.out,
      quiet ? " undisturbed" : round.events.c_str ());
  std::fflush (stdout);
}

}  // namespace

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_log_set_default_handler (count_complaint, nullptr);
  const double seconds = argc > 1 ? g_ascii_strtod (argv[1], nullptr) : default_seconds;
  const unsigned seed = argc > 2 ? unsigned (std::strtoul (argv[2], nullptr, 10)) : g_random_int ();
  const int scenes_of_a_run = argc > 3 ? std::max (1, std::atoi (argv[3])) : usual_scenes;
  std::printf ("seed %u, %.0f s\n", seed, seconds);
  Dice dice (seed);
  const bool has_gl = has_gl_here ();
  std::vector<Scene> scenes;
  for (int i = 0; i < scenes_of_a_run; i++)
    scenes.push_back (make_scene (dice, has_gl));

  const Resident resident;
  Meter meter;
  Totals totals;
  /* building and loading kernels for the first time does not count as growth */
  constexpr int warming_rounds = 3;
  for (int i = 0; i < warming_rounds * scenes_of_a_run; i++)
    play_one (scenes[size_t (i % scenes_of_a_run)], dice, totals);
  std::printf ("warm after %" G_GUINT64_FORMAT " rounds\n", totals.rounds);
  const gint64 start = g_get_monotonic_time ();
  const auto elapsed = [start] { return double (g_get_monotonic_time () - start) / G_USEC_PER_SEC; };
  const double step = std::clamp (seconds / 30, 0.5, 60.0);
  for (double next = step; elapsed () < seconds;) {
    play_one (scenes[size_t (dice.below (scenes_of_a_run))], dice, totals);
    if (elapsed () < next)
      continue;
    const Holdings &now = meter.take (elapsed ());
    std::printf (
        "%s  rounds %" G_GUINT64_FORMAT " frames %" G_GUINT64_FORMAT "\n", now.text ().c_str (), totals.rounds, totals.frames);
    std::fflush (stdout);
    next = elapsed () + step;
  }
  const std::string growth = meter.growth ();
  std::printf ("%" G_GUINT64_FORMAT " rounds, %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT " problems, %" G_GUINT64_FORMAT
               " stops with an error of GStreamer's own; %s%s\n",
      totals.rounds, totals.frames, totals.problems, totals.late_events,
      growth.empty () ? "nothing grows" : "grows: ", growth.c_str ());
  return totals.problems || !growth.empty ();
}

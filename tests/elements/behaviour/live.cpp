/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties that change while a live stream runs on PoCL, which stops the stream when it compiles a kernel: frames go on as
 * they were until another process has compiled it. */
#include <array>

#include "../filtercase.hpp"
#include "../link.hpp"

using namespace test;

static constexpr GstVideoFormat video_format = GST_VIDEO_FORMAT_I420;
static constexpr int width = 96, height = 64;

struct Change {
  const char *element, *before;
  std::vector<std::pair<const char *, const char *>> after;
};

static const std::vector<Change> changes = {
  {"clmedian", "radius=1", {{"radius", "2"}}},
  {"clmedian", "planes=y", {{"planes", "u+v"}, {"mix", "0.5"}}},
  {"clblur", "sigma=1", {{"method", "box"}, {"radius", "3"}}},
  {"clconvolve", "preset=edge", {{"matrix", "1 2 3 4 5 4 3 2 1"}}},
  {"clsobel", "domain=per-component", {{"domain", "intensity"}}},
  {"clequalize", "method=global", {{"method", "clahe"}}},
  {"clmorphology", "operation=open", {{"operation", "gradient"}, {"shape", "ellipse"}, {"radius", "3"}}},
  {"clbilateral", "radius=1", {{"method", "grid"}}},
  {"clthreshold", "threshold=0.3", {{"method", "otsu"}}},
  {"cllevels", "gamma=2", {{"auto", "stretch"}}},
  {"cltemporal", "method=average frames=3", {{"method", "recursive"}}},
  {"cltemporal", "method=average frames=3", {{"method", "median"}, {"frames", "9"}}},
  {"clchain", "filters=\"clmedian\"", {{"filters", "clerode ! clsharpen"}}},
  {"clprogram", "source=\"kernel void a (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (VAL / 2); }\"",
      {{"source", "kernel void b (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (PIXEL (0, 0).yxzw); }"}}},
};

static std::string
caps_text ()
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=30/1", gst_video_format_to_string (video_format), width,
      height);
}

/* One picture again and again. */
class Player {
public:
  explicit Player (const std::string &launch) : link (launch, caps_text ()), caps (gst_caps_from_string (caps_text ().c_str ()))
  {
    Random random (7);
    picture = make_picture (video_format, width, height, Content::Natural, random);
  }
  ~Player () { gst_caps_unref (caps); }

  /* The results that came out by this frame. */
  std::vector<ref::Picture>
  play ()
  {
    GstBuffer *buffer = to_buffer (picture, Storage::Tight, caps);
    GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (count++, GST_SECOND, 30);
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 30;
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
    std::vector<ref::Picture> results;
    while (GstBuffer *result = gst_harness_try_pull (link.harness ())) {
      results.push_back (from_buffer (result, caps));
      gst_buffer_unref (result);
    }
    return results;
  }

  /* What comes out once no window reaches back any longer. */
  ref::Picture
  settle ()
  {
    constexpr int frames = 12;
    std::vector<ref::Picture> last;
    for (int i = 0; i < frames; i++)
      if (std::vector<ref::Picture> results = play (); !results.empty ())
        last = std::move (results);
    test_check (!last.empty (), "no results");
    return last.back ();
  }

  Link link;

private:
  GstCaps *const caps;
  ref::Picture picture;
  guint64 count = 0;
};

static void
apply (Player &player, const Change &change)
{
  GObject *element = G_OBJECT (player.link.element (change.element));
  g_object_freeze_notify (element);
  for (const auto &[name, value] : change.after)
    gst_util_set_object_arg (element, name, value);
  g_object_thaw_notify (element);
}

static void
require_same (const Change &change, const ref::Picture &got, const ref::Picture &wanted, const char *when)
{
  for (size_t i = 0; i < wanted.components.size (); i++)
    test_check (got.components[i].value == wanted.components[i].value, "%s, %s: component %c is not that of %s",
        change.element, change.before, wanted.components[i].name, when);
}

static bool
is_pocl (GstElement *element)
{
  const std::string device = stat_text (element, "device");
  return device.starts_with ("pthread") || device.starts_with ("cpu");
}

/* The stream builds nothing itself; what it takes for built, a folder of this process's own knows. */
GST_START_TEST (late_change)
{
  constexpr gint64 patience_us = 60 * G_USEC_PER_SEC;
  const Change &change = changes[__i__];
  const bool is_program = std::string (change.element) == "clprogram"; /* which counts every build of its own */
  Player player (std::string (change.element) + " " + change.before);
  player.link.set_live (true);
  GstElement *element = player.link.element (change.element);
  const ref::Picture before = player.settle ();
  if (!is_pocl (element))
    return;
  const std::string algorithm = stat_text (element, "algorithm");
  const guint64 builds = stat (element, "builds");

  apply (player, change);
  for (const ref::Picture &each : player.play ())
    require_same (change, each, before, "before");
  ck_assert_str_eq (stat_text (element, "algorithm").c_str (), algorithm.c_str ());
  ref::Picture after = before;
  for (const gint64 start = g_get_monotonic_time (); g_get_monotonic_time () - start < patience_us;) {
    after = player.settle ();
    if (after.components[0].value != before.components[0].value || after.components[1].value != before.components[1].value
        || stat_text (element, "algorithm") != algorithm)
      break;
    g_usleep (10000);
  }
  if (!is_program)
    ck_assert_uint_eq (stat (element, "builds"), builds);
  player.settle ();

  Player wanted (std::string (change.element) + " " + change.before);
  wanted.settle ();
  apply (wanted, change);
  if (is_program)
    g_usleep (500000); /* it is built in the background there, too */
  require_same (change, player.settle (), wanted.settle (), "afterwards");
}

GST_END_TEST;

/* A change that is taken back, or followed by another, before its kernels are there. */
GST_START_TEST (changed_mind)
{
  Player player ("clmedian radius=1");
  player.link.set_live (true);
  const ref::Picture before = player.settle ();
  GObject *element = G_OBJECT (player.link.element ("clmedian"));
  for (const int radius : {5, 6, 7, 1}) {
    g_object_set (element, "radius", radius, nullptr);
    require_same (changes[0], player.play ().back (), before, "before");
  }
  require_same (changes[0], player.settle (), before, "before");
}

GST_END_TEST;

int
main ()
{
  g_setenv ("XDG_CACHE_HOME", scratch_folder ().c_str (), TRUE);
  return run ("live", Needs::Device, [] (Suite *suite) {
    TCase *group = add_group (suite, "live");
    add_loop (group, "late_change", late_change, int (changes.size ()));
    tcase_add_test (group, changed_mind);
  });
}

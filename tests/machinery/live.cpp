/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties that change while a live stream runs on PoCL, which blocks the stream when it compiles a kernel: frames keep the
 * old settings until another process has compiled it. */
#include <array>

#include "../elements/filtercase.hpp"

#include "core/opendevice.hpp"

namespace test::live_suite {

static Tests tests ("live", Needs::Device, [] { g_setenv ("XDG_CACHE_HOME", scratch_folder ().c_str (), TRUE); });

static constexpr GstVideoFormat video_format = GST_VIDEO_FORMAT_NV12;
static constexpr int width = 96, height = 64;

struct Change {
  const char *element, *before;
  std::vector<std::pair<const char *, const char *>> after;
};

static const std::vector<Change> changes = {
    {"clmedian", "radius=1", {{"radius", "2"}}},
    {"clmedian", "planes=y", {{"planes", "u+v"}, {"mix", "0.5"}}},
    {"clblur", "sigma=1", {{"type", "box"}, {"radius", "3"}}},
    {"clconvolve", "preset=edge", {{"matrix", "1 2 3 4 5 4 3 2 1"}}},
    {"clsobel", "domain=per-component", {{"domain", "intensity"}}},
    {"clequalize", "method=global", {{"method", "clahe"}}},
    {"clmorphology", "operation=open", {{"operation", "gradient"}, {"shape", "ellipse"}, {"radius", "3"}}},
    {"clbilateral", "radius=1 distance=per-component", {{"distance", "intensity"}, {"radius", "2"}}},
    {"clthreshold", "threshold=0.3", {{"method", "otsu"}}},
    {"cllevels", "gamma=2", {{"auto", "true"}}},
    {"cltemporal", "method=average frames=3", {{"method", "median"}, {"frames", "9"}}},
    {"clframerate", "", {{"method", "blend"}, {"scene-threshold", "0.3"}}},
    {"clmotion", "overlay=vectors", {{"block-size", "8"}, {"direction", "both"}}},
    {"clstabilize", "smoothing=2", {{"crop", "0.3"}, {"smoothing", "4"}}},
    {"cldeinterlace", "mode=always fields=top", {{"method", "yadif"}}},
    {"clchain", "filters=\"clmedian\"", {{"filters", "clerode ! clsharpen"}}},
    {"clprogram", "source=\"kernel void a (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (VAL / 2); }\"",
        {{"source", "kernel void b (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (PIXEL (0, 0).yxzw); }"}}},
};

static std::string
caps_text ()
{
  return format (
      "video/x-raw,format=%s,width=%d,height=%d,framerate=30/1", gst_video_format_to_string (video_format), width, height);
}

/* Plays two alternating pictures. */
class Player {
public:
  explicit Player (const std::string &launch) : link (launch, caps_text ())
  {
    for (int i = 0; i < 2; i++) {
      pictures[i] = random_picture (video_format, width, height, 7 + i, Content::Natural);
    }
  }

  /* The last result after the pair of pictures was pushed this many times. */
  ref::Picture play (int pairs)
  {
    for (int i = 0; i < 2 * pairs; i++)
      push (pictures[i % 2]);
    test_check (last.has_value (), "no results");
    return *last;
  }

  /* The result when no window reaches back any more. */
  ref::Picture settle () { return play (6); }

  Link link;

private:
  void push (const ref::Picture &picture)
  {
    GstBuffer *buffer = to_buffer (picture, Storage::Tight, caps);
    timed (buffer, gst_util_uint64_scale (count++, GST_SECOND, 30), GST_SECOND / 30);
    ck_assert_int_eq (link.push (buffer), GST_FLOW_OK);
    while (const Own result = gst_harness_try_pull (link.harness ()))
      last = from_buffer (result, caps);
  }

  const Own<GstCaps> caps = gst_caps_from_string (caps_text ().c_str ());
  std::array<ref::Picture, 2> pictures;
  std::optional<ref::Picture> last;
  guint64 count = 0;
};

static std::string
launch_of (const Change &change, bool changed)
{
  std::string launch = std::string (change.element) + " " + change.before;
  for (const auto &[name, value] : change.after)
    if (changed)
      launch += format (" %s=\"%s\"", name, value);
  return launch;
}

static void
apply (Player &player, const Change &change)
{
  GObject *element = G_OBJECT (player.link.element (change.element));
  g_object_freeze_notify (element);
  for (const auto &[name, value] : change.after) {
    test_check (
        g_object_class_find_property (G_OBJECT_GET_CLASS (element), name) != nullptr, "%s has no %s", change.element, name);
    gst_util_set_object_arg (element, name, value);
  }
  g_object_thaw_notify (element);
}

static bool
is_pocl (GstElement *element)
{
  const std::string device = stat_text (element, "device");
  return device.starts_with ("pthread") || device.starts_with ("cpu");
}

static bool
is_same (const ref::Picture &a, const ref::Picture &b)
{
  return std::equal (a.components.begin (), a.components.end (), b.components.begin (),
      [] (const auto &one, const auto &other) { return one.value == other.value; });
}

/* The kernels known to PoCL are recorded in this process's own folder. */
TEST (late_change, changes.size (), 3)
{
  constexpr gint64 patience_us = 60 * G_USEC_PER_SEC;
  const Change &change = changes[__i__];
  Player player (launch_of (change, false));
  player.link.set_live (true);
  GstElement *element = player.link.element (change.element);
  const ref::Picture before = player.settle ();
  if (!is_pocl (element))
    return;
  const guint64 builds = stat (element, "builds");

  apply (player, change);
  expect_same (player.play (1), before, std::string (change.element) + ", " + "before");
  ref::Picture after = before;
  for (const gint64 start = g_get_monotonic_time ();
       is_same (after, before) && g_get_monotonic_time () - start < patience_us;) {
    g_usleep (100000);
    after = player.settle ();
  }
  test_check (!is_same (after, before), "%s, %s: nothing changed", change.element, change.before);
  if (std::string (change.element) != "clprogram") /* it counts all its builds */
    ck_assert_uint_eq (stat (element, "builds"), builds);
  expect_same (
      player.settle (), Player (launch_of (change, true)).settle (), std::string (change.element) + ", " + "afterwards");
}

/* A change that is reverted, or followed by another, before its kernels are built. */
TEST (changed_mind)
{
  Player player ("clmedian radius=1");
  player.link.set_live (true);
  const ref::Picture before = player.settle ();
  GObject *element = G_OBJECT (player.link.element ("clmedian"));
  if (!is_pocl (GST_ELEMENT (element)))
    return; /* on other devices the kernels are ready with the next frame */
  for (const int radius : {5, 6, 7, 1}) {
    g_object_set (element, "radius", radius, nullptr);
    expect_same (player.play (1), before, std::string (changes[0].element) + ", " + "before");
  }
  expect_same (player.settle (), before, std::string (changes[0].element) + ", " + "before");
}

/* A chain's first frames, before the program of its steps is built, equal those of the elements in a row, too. */
TEST (chain_without_program)
{
  const Change chain{"clchain", "cllevels ! clthreshold", {}};
  const ref::Picture wanted = Player ("cllevels gamma=2 ! clthreshold threshold=0.3").settle ();
  Player player ("clchain filters=\"cllevels gamma=2 ! clthreshold threshold=0.3\"");
  expect_same (player.play (1), wanted, std::string (chain.element) + ", " + "the row");
  expect_same (player.settle (), wanted, std::string (chain.element) + ", " + "the row");
}

}  // namespace test::live_suite

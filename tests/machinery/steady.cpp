/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `stats`; a running stream allocates and builds nothing, and a stopped one leaves nothing. */
#include <deque>
#include <map>

#include "../elements/filtercase.hpp"
#include "../elements/pipeline.hpp"

namespace test::steady_suite {

static Tests tests ("steady", Needs::DeviceOrGL, [] {
  g_setenv ("GST_TRACERS",
      "leaks(filters=\"GstElement,GstBuffer,GstMemory,GstBufferPool,GstContext,GstClContext,GstGLContext\")", TRUE);
});

/* A launch line, and the element whose stats are read. A quick run takes the first three. */
static const std::pair<const char *, const char *> lines[] = {{"clconvolve preset=gaussian5", "clconvolve"},
    {"clupload ! clmedian ! cldownload", "clmedian"}, {"clconvolve preset=edge ! clmedian ! clbilateral radius=1", "clmedian"},
    {"clmedian radius=2", "clmedian"}, {"clbilateral radius=2", "clbilateral"},
    {"clmedian ! clupload ! cldownload", "clmedian"}};
static const int line_count = takes_all () ? G_N_ELEMENTS (lines) : 3;
static const char caps[] = "video/x-raw,format=RGBA,width=67,height=41,framerate=30/1";

static GstBuffer *
frame_of (unsigned number, Storage storage)
{
  const Case c = median_case (67, 41);
  return make_buffer (c, noise_for (c, number), storage);
}

TEST (nothing_per_frame, line_count)
{
  Link link (lines[__i__].first, usual_caps (caps));
  GstElement *element = link.element (lines[__i__].second);
  guint64 builds = 0;
  for (int i = 0; i < 60; i++) {
    gst_buffer_unref (link.filter (frame_of (i, Storage::Tight)));
    if (i == 4)
      builds = stat (element, "builds");
  }
  ck_assert_uint_eq (stat (element, "builds"), builds);
  ck_assert_uint_eq (stat (element, "frames"), 60);
}

/* In a real pipeline, whose elements use the proposed pool, there are as many allocations as buffers under way at once, however
 * long the stream is. */
TEST (nothing_per_frame_in_a_pipeline, line_count)
{
  static const char queue[] = " ! queue max-size-buffers=3 ! ";
  Pipeline pipeline (
      std::string ("videotestsrc num-buffers=100 ! ") + caps + queue + lines[__i__].first + queue + "fakesink sync=false");
  pipeline.play_to_end ();
  GstElement *element = pipeline.element (lines[__i__].second);
  ck_assert_uint_eq (stat (element, "frames"), 100);
  test_check (stat (element, "allocations") <= 12, "%s: %d allocations after the first frame", lines[__i__].first,
      (int) stat (element, "allocations"));
}

TEST (fields_of_stats)
{
  Link link ("clmedian profile=true", usual_caps (caps));
  GstElement *element = link.element ("clmedian");
  for (int i = 0; i < 5; i++)
    gst_buffer_unref (link.filter (frame_of (i, Storage::Tight)));
  for (const char *field : {"device", "path", "algorithm"})
    test_check (!stat_text (element, field).empty (), "%s is empty", field);
  for (const char *field : {"frames", "bytes-uploaded", "bytes-downloaded", "kernel-time-ns-last", "kernel-time-ns-mean",
           "kernel-time-ns-max", "builds", "build-ms", "cache-hits", "allocations", "gl-image-hits", "gl-image-misses",
           "gl-texture-copies", "staged-frames"})
    g_print ("%s %" G_GUINT64_FORMAT "\n", field, stat (element, field));
  ck_assert_uint_eq (stat (element, "frames"), 5);
  const guint64 last = stat (element, "kernel-time-ns-last"), mean = stat (element, "kernel-time-ns-mean"),
                max = stat (element, "kernel-time-ns-max");
  test_check (last > 0 && mean > 0 && max >= mean && max >= last && max < 60 * GST_SECOND,
      "kernel times %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, last, mean, max);
  test_check (stat (element, "builds") + stat (element, "cache-hits") > 0, "neither built nor found a program");
}

/* The time of a frame is available when it is finished, without a further frame. */
TEST (time_of_one_frame)
{
  for (const char *launch : {"clmedian profile=true", "clchain profile=true filters=\"clmedian ! clerode\""}) {
    Link link (launch, usual_caps (caps));
    GstElement *element = link.element (std::string (launch, 0, std::string (launch).find (' ')).c_str ());
    const Own result = link.filter (frame_of (0, Storage::Tight));
    for (int i = 0; i < 500 && stat (element, "kernel-time-ns-last") == 0; i++)
      g_usleep (10000);
    for (const char *field : {"kernel-time-ns-last", "kernel-time-ns-mean", "kernel-time-ns-max"})
      test_check (stat (element, field) > 0, "%s: %s stays 0", launch, field);
  }
}

/* With frames in device memory on both sides, nothing passes through the host. */
TEST (no_transfer_on_the_device)
{
  Link link ("clupload ! video/x-raw(memory:OpenCLMemory) ! clmedian ! video/x-raw(memory:OpenCLMemory) ! cldownload",
      usual_caps (caps));
  GstElement *element = link.element ("clmedian");
  for (int i = 0; i < 3; i++)
    gst_buffer_unref (link.filter (frame_of (i, Storage::Tight)));
  ck_assert_uint_eq (stat (element, "bytes-uploaded"), 0);
  ck_assert_uint_eq (stat (element, "bytes-downloaded"), 0);
}

/* Frames that an application keeps do not change, however many follow, even when the element and its context are gone. */
TEST (kept_frames, 2)
{
  const Case c = median_case (67, 41);
  std::deque<std::pair<ref::Picture, Own<GstBuffer>>> kept;
  {
    Link link (__i__ ? "clupload ! clmedian ! cldownload" : "clmedian", in_caps_of (c));
    for (int i = 0; i < 12; i++) {
      const ref::Picture in = noise_for (c, i);
      kept.emplace_back (in, link.filter (make_buffer (c, in, Storage::Tight)));
      check_result (c, kept[0].first, kept[0].second, "the first frame, while others follow");
    }
  }
  for (const auto &[in, result] : kept)
    check_result (c, in, result, "a frame that was kept");
}

using Objects = std::map<std::string, std::string>; /* key: address, value: type */

static Objects
objects_in (const GstStructure *checkpoint, const char *list_name)
{
  Objects objects;
  const GValue *list = gst_structure_get_value (checkpoint, list_name);
  for (guint i = 0; list && i < gst_value_list_get_size (list); i++) {
    const GstStructure *object = gst_value_get_structure (gst_value_list_get_value (list, i));
    objects[gst_structure_get_string (object, "address")] = gst_structure_get_string (object, "type-name");
  }
  return objects;
}

/* This filter holds frames back, and pushes buffers itself; some frames still wait when it stops. */
static const char holding[] = "cltemporal";

/* Every buffer, memory, pool, context and element that a line creates is freed afterwards. */
TEST (leaks, line_count + 1)
{
  GList *tracers = gst_tracing_get_active_tracers ();
  test_check (tracers, "there is no leak tracer");
  GObject *tracer = G_OBJECT (tracers->data);
  /* creates what the test itself keeps in GL memory */
  std::vector<GstBuffer *> kept;
  for (int i = 0; i < 8; i++)
    kept.push_back (frame_of (i, Storage::Padded));
  for (GstBuffer *buffer : kept)
    gst_buffer_unref (buffer);
  g_signal_emit_by_name (tracer, "activity-start-tracking");
  const char *line = __i__ < (int) G_N_ELEMENTS (lines) ? lines[__i__].first : holding;
  {
    Link link (line, usual_caps (caps));
    for (int i = 0; i < 6; i++)
      ck_assert_int_eq (link.push (frame_of (i, storages[i % std::size (storages)])), GST_FLOW_OK);
    gst_buffer_unref (link.pull ());
  }
  GstStructure *checkpoint = nullptr;
  g_signal_emit_by_name (tracer, "activity-get-checkpoint", &checkpoint);
  Objects left = objects_in (checkpoint, "objects-created-list");
  test_check (!left.empty (), "the leak tracer sees nothing");
  for (const auto &[address, type] : objects_in (checkpoint, "objects-removed-list"))
    left.erase (address);
  std::string text;
  for (const auto &[address, type] : left)
    text += " " + type;
  test_check (left.empty (), "left by \"%s\":%s", line, text.c_str ());
  gst_structure_free (checkpoint);
  g_list_free_full (tracers, gst_object_unref);
}

}  // namespace test::steady_suite

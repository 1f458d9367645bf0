/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements between GL elements: negotiation, the requirements of GStreamer's GL library for buffers, and messages to users.
 * $GST_CL_TEST_GL is the expected path of frames. */
#include "../elements/gl_context.hpp"
#include "../elements/pipeline.hpp"
#include "shared_memory.hpp"

namespace test::gl_suite {

static Tests tests ("gl", Needs::GL, [] { expect_gl_path ("gl-staged"); });

static const char source[] = "videotestsrc num-buffers=12 pattern=ball ! "
                             "video/x-raw,format=RGBA,width=33,height=17,framerate=30/1 ! ";
static const char *filters[] = {"clconvolve preset=edge", "clmedian", "clbilateral radius=1"};

/* Effects of GL before and after, a tee, and a restart. */
TEST (pipelines, 5)
{
  static const char *lines[] = {"glupload ! clmedian ! gleffects effect=heat ! clconvolve preset=edge ! gldownload ! fakesink",
      "glupload ! gleffects effect=identity ! clmedian ! glcolorconvert ! gldownload ! fakesink",
      "glupload ! tee name=t t. ! queue ! clmedian ! gldownload ! fakesink "
      "t. ! queue ! clconvolve preset=edge ! gldownload ! fakesink t. ! queue ! gldownload ! fakesink",
      "glupload ! clmedian ! fakesink", "clmedian ! video/x-raw(memory:GLMemory) ! fakesink"};
  Pipeline pipeline (std::string (source) + lines[__i__]);
  for (int i = 0; i < 2; i++) {
    pipeline.play_to_end ();
    pipeline.must_reach (__i__ % 2 ? GST_STATE_READY : GST_STATE_NULL);
  }
  for (const GstState state : {GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PLAYING, GST_STATE_NULL})
    pipeline.must_reach (state);
  fail_unless (pipeline.errors ().empty ());
}

/* The kind of memory at an element's pad, once data flows. Only textures have a target. */
static std::string
feature_at (Pipeline &pipeline, const char *element, const char *pad_name)
{
  const Own caps = caps_at (pipeline.element (element), pad_name);
  const bool textures = gst_caps_features_contains (gst_caps_get_features (caps, 0), GST_CAPS_FEATURE_MEMORY_GL_MEMORY);
  test_check (bool (gst_structure_has_field (gst_caps_get_structure (caps, 0), "texture-target")) == textures,
      "the caps are %" GST_PTR_FORMAT, caps.get ());
  return text_of (gst_caps_features_to_string (gst_caps_get_features (caps, 0)));
}

/* Three elements in a row pass OpenCL memory to each other; only the first and the last use GL. */
TEST (chain)
{
  Pipeline pipeline (std::string (source) + "glupload ! clmedian name=a ! clconvolve name=b preset=edge ! "
                     + "clbilateral name=c radius=1 ! " + gl_memory + " ! gldownload ! fakesink");
  pipeline.must_reach (GST_STATE_PAUSED);
  ck_assert_str_eq (feature_at (pipeline, "a", "sink").c_str (), "memory:GLMemory");
  ck_assert_str_eq (feature_at (pipeline, "b", "sink").c_str (), "memory:OpenCLMemory");
  ck_assert_str_eq (feature_at (pipeline, "b", "src").c_str (), "memory:OpenCLMemory");
  ck_assert_str_eq (feature_at (pipeline, "c", "src").c_str (), "memory:GLMemory");
  pipeline.play_to_end ();
  expect_path (pipeline.element ("a"));
  expect_path (pipeline.element ("b"), "opencl");
  expect_path (pipeline.element ("c"));
}

/* An element that changes nothing passes the same buffer. */
TEST (neutral)
{
  Case c = median_case (33, 17);
  Link link = open (c);
  filter_and_check (c, link, 1, "before");
  link.set ("clmedian", "mix", "0");
  const Own buffer = make_buffer (c, noise_for (c, 2), Storage::Tight);
  const Own result = link.filter (gst_buffer_ref (buffer));
  fail_unless (result == buffer);
  link.set ("clmedian", "mix", "1");
  filter_and_check (c, link, 3, "after");
}

/* Features other than the memory are kept. */
TEST (overlay_feature)
{
  const Case c = median_case (33, 17);
  std::string caps = in_caps_of (c);
  caps.insert (caps.find (')'), ",meta:GstVideoOverlayComposition");
  Link link (launch_of (c), caps, caps);
  filter_and_check (c, link, 1, "with an overlay feature");
  const Own out = gst_pad_get_current_caps (link.harness ()->sinkpad);
  const GstCapsFeatures *features = gst_caps_get_features (out, 0);
  test_check (gst_caps_features_contains (features, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION)
                  && gst_caps_features_contains (features, GST_CAPS_FEATURE_MEMORY_GL_MEMORY),
      "the caps became %" GST_PTR_FORMAT, out.get ());

  /* the overlay itself is kept, too */
  GstBuffer *buffer = make_buffer (c, noise_for (c, 2), Storage::Tight);
  add_overlay (buffer, filled (16), {0, 0, 2, 2});
  const Own result = link.filter (buffer);
  test_check (gst_buffer_get_video_overlay_composition_meta (result), "the overlay is gone");
}

/* A result in GL memory has a sync point, and describes RGBA of this size. */
TEST (metas_of_results)
{
  const Case c = median_case (33, 17);
  Link link = open (c);
  const Own result = link.filter (make_buffer (c, noise_for (c, 1), Storage::Tight));
  test_check (gst_buffer_get_gl_sync_meta (result), "a result in GL memory has no GstGLSyncMeta");
  const GstVideoMeta *video = gst_buffer_get_video_meta (result);
  test_check (video && video->format == c.format && (int) video->width == c.width && (int) video->height == c.height,
      "a result in GL memory has no or another GstVideoMeta");
}

/* Upstream is offered textures, with sync points, that the element reads best. */
TEST (proposed_pool)
{
  const Case c = median_case (33, 17);
  Link link = open (c);
  filter_and_check (c, link, 1, "before");
  const Own caps = gst_caps_from_string (in_caps_of (c).c_str ()), plain = gst_caps_from_string (caps_of (c).c_str ());
  const Own query = gst_query_new_allocation (caps, TRUE);
  fail_unless (gst_pad_peer_query (link.harness ()->srcpad, query));
  test_check (gst_query_find_allocation_meta (query, GST_GL_SYNC_META_API_TYPE, nullptr), "no GstGLSyncMeta proposed");
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, nullptr));
  Pool pool = pool_of (query, caps, {GST_BUFFER_POOL_OPTION_GL_SYNC_META});
  test_check (GST_IS_GL_BUFFER_POOL (pool.get ()), "the pool is a %s", G_OBJECT_TYPE_NAME (pool.get ()));
  for (int i = 0; i < 3; i++) {
    const ref::Picture in = noise_for (c, i);
    GstBuffer *buffer = pool.acquire ();
    test_check (gst_buffer_get_gl_sync_meta (buffer), "a buffer of the proposed pool has no GstGLSyncMeta");
    fill_textures (buffer, in, Storage::Padded, plain);
    filter_and_check (c, link, in, buffer, "a buffer of the proposed pool");
  }
}

/* Users are warned once that frames are copied, unless they have asked for it. */
TEST (warnings, 2)
{
  Case c = median_case (33, 17);
  c.settings.properties += __i__ ? " interop=staged" : "";
  Link link = open (c);
  for (int i = 0; i < 3; i++)
    filter_and_check (c, link, i, "a frame");
  c.format = GST_VIDEO_FORMAT_NV12;
  gst_harness_set_caps_str (link.harness (), in_caps_of (c).c_str (), out_caps_of (c).c_str ());
  filter_and_check (c, link, 4, "a frame of another format");
  ck_assert_int_eq (count_warnings (link.bus ()), is_staged () && __i__ == 0);
}

/* Every working method in turn, while frames flow. */
TEST (live_interop)
{
  const Case c = median_case (33, 17);
  Link link = open (c);
  GstElement *element = link.element ("clmedian");
  int number = 0;
  for (const char *way : {"auto", "staged", "auto", "sharing", "staged", "require", "auto"}) {
    const bool shares = g_str_equal (way, "sharing") || g_str_equal (way, "require");
    if (shares && is_staged ())
      continue;
    link.set ("clmedian", "interop", way);
    for (int i = 0; i < 3; i++)
      filter_and_check (c, link, number++, test::format ("interop=%s", way));
    expect_path (element, g_str_equal (way, "staged") ? "gl-staged" : expected_gl_path ());
  }
}

/* Methods that do not work here, from the start and while frames flow: one error each, which names the missing feature. */
TEST (refusals, 3)
{
  static const struct {
    const char *interop, *words[2];
  } refused[] = {{"sharing", {"cl_khr_gl_sharing", "cl-info --gl"}},
      {"external", {"cl_khr_external_memory_opaque_fd", "cl-info --gl"}},
      {"require", {"cl_khr_gl_sharing", "cl_khr_external_memory_opaque_fd"}}};
  const auto &r = refused[__i__];
  if (!is_staged ())
    return;
  Pipeline pipeline (std::string (source) + "glupload ! clmedian name=f interop=" + r.interop + " ! " + gl_memory
                     + " ! gldownload ! fakesink");
  expect_one_error (pipeline.play_to_error ("f"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {r.words[0], r.words[1]});
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
  gst_util_set_object_arg (G_OBJECT (pipeline.element ("f")), "interop", "auto");
  pipeline.play_to_end ();

  const Case c = median_case (33, 17);
  Link link = open (c);
  filter_and_check (c, link, 1, "before");
  link.set ("clmedian", "interop", r.interop);
  fail_unless (link.push (make_buffer (c, noise_for (c, 2), Storage::Tight)) != GST_FLOW_OK);
  expect_one_error (link.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {r.words[0], r.words[1]});
}

/* Each filter counts its frames in GL memory, and creates nothing while running. */
TEST (steady, 3)
{
  Pipeline pipeline (std::string ("videotestsrc num-buffers=120 ! video/x-raw,format=RGBA,width=33,height=17 ! glupload ! ")
                     + filters[__i__] + " name=f ! " + gl_memory + " ! gldownload ! fakesink");
  pipeline.play_to_end ();
  GstElement *element = pipeline.element ("f");
  ck_assert_uint_eq (stat (element, "frames"), 120);
  expect_path (element);
  ck_assert_uint_eq (stat (element, "staged-frames"), is_staged () ? 120 : 0);
  test_check (stat (element, "allocations") <= 30, "%s: %d allocations after the first frame", filters[__i__],
      (int) stat (element, "allocations"));
}

}  // namespace test::gl_suite

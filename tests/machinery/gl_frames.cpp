/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in GL memory from any source: other elements, other contexts, other share groups, or without an owner; and several
 * readers of a frame. $GST_CL_TEST_GL is the expected path of frames. */

#include "../elements/gl_context.hpp"
#include "shared_memory.hpp"

namespace test::gl_frames_suite {

static Tests tests ("gl-frames", Needs::GL, [] { expect_gl_path ("gl-staged"); });

/* The frames of GStreamer's own elements, through each filter. */
TEST (between_gl_elements, 3)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY8};
  Case c = median_case (36, 18, formats[__i__]);
  const std::string line = test::format ("glupload ! clmedian ! %s ! gldownload", gl_memory);
  Link link (line, caps_of (c));
  for (int i = 0; i < 4; i++) {
    const ref::Picture in = noise_for (c, i);
    const Own result = link.filter (to_buffer (in, Storage::Tight, caps_of (c)));
    check_result (c, in, result, line);
  }
  expect_path (link.element ("clmedian"));
}

/* Frames in system memory, or with one plane in system memory, with caps of textures. */
TEST (no_textures_under_gl_caps, 2)
{
  Case c = median_case (33, 17, __i__ ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_RGBA);
  Link link = open (c);
  filter_and_check (c, link, 1, "a texture");
  GstElement *element = link.element ("clmedian");
  const guint64 staged = stat (element, "staged-frames");
  for (const Storage storage : storages) {
    const ref::Picture in = noise_for (c, (unsigned) storage);
    const Own result = link.filter (to_buffer (in, storage, caps_of (c)));
    check_result (c, in, result, "system memory under GL caps");
    test_check (has_textures (result), "the result of system memory under GL caps is no texture");
  }
  ck_assert_uint_eq (stat (element, "staged-frames"), staged + std::size (storages));
  filter_and_check (c, link, 2, "a texture again");
  if (!is_staged ())
    ck_assert_uint_eq (stat (element, "staged-frames"), staged + std::size (storages));
  fail_unless (link.errors ().empty ());
}

/* Textures of a context that shares nothing with the others, on the same display and on another one; first alone, then
 * alternating with usual ones. */
TEST (foreign_share_group, 2)
{
  const Case c = median_case (33, 17);
  GlContext foreign (__i__ ? nullptr : own_gl ().display);
  test_check (foreign.context && !gst_gl_context_can_share (foreign.context, own_gl ().context),
      "a second GL context is in the share group of the first");
  const Own caps = gst_caps_from_string (caps_of (c).c_str ());
  GlPool pool (foreign.context, caps);
  Link link = open (c);
  for (int i = 0; i < 8; i++) {
    const ref::Picture in = noise_for (c, i);
    GstBuffer *buffer = i < 3 || i % 2 ? pool.acquire () : make_buffer (c, in, Storage::Padded);
    if (i < 3 || i % 2)
      fill_textures (buffer, in, Storage::Padded, caps);
    filter_and_check (c, link, in, buffer, i % 2 ? "a texture of a foreign share group" : "a texture beside foreign ones");
  }
  fail_unless (link.errors ().empty ());
}

/* Textures that another context of the share group has written, with and without a sync point. */
TEST (other_context, 2)
{
  const Case c = median_case (33, 17);
  GlContext other (own_gl ().display, own_gl ().context);
  test_check (other.context && gst_gl_context_can_share (other.context, own_gl ().context), "no shared GL context");
  const Own caps = gst_caps_from_string (caps_of (c).c_str ());
  GlPool pool (other.context, caps, __i__ == 1);
  Link link = open (c);
  for (int i = 0; i < 6; i++) {
    const ref::Picture in = noise_for (c, i);
    GstBuffer *buffer = pool.acquire ();
    fill_textures (buffer, in, Storage::Padded, caps);
    filter_and_check (c, link, in, buffer, "a texture of another context");
  }
  expect_path (link.element ("clmedian"));
  ck_assert_uint_eq (stat (link.element ("clmedian"), "staged-frames"), is_staged () ? 6 : 0);
}

/* An application may replace the display while frames flow. */
TEST (new_display)
{
  const Case c = median_case (33, 17);
  GlContext second;
  const Own caps = gst_caps_from_string (caps_of (c).c_str ());
  GlPool pool (second.context, caps);
  Link link = open (c);
  for (int i = 0; i < 3; i++)
    filter_and_check (c, link, i, "with the first display");
  const Own context = gst_context_new (GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display (context, second.display);
  gst_element_set_context (link.harness ()->element, context);
  for (int i = 0; i < 3; i++) {
    const ref::Picture in = noise_for (c, 10 + i);
    GstBuffer *buffer = pool.acquire ();
    fill_textures (buffer, in, Storage::Padded, caps);
    const Own result = link.filter (buffer);
    check_result (c, in, result, "with the second display");
    GstGLContext *of_result = ((GstGLMemory *) gst_buffer_peek_memory (result, 0))->mem.context;
    test_check (of_result->display == second.display, "the result is on another display than the input");
  }
  expect_path (link.element ("clmedian"));
}

/* Of several regions, only those with a label in the list are filtered. */
TEST (region_labels)
{
  Case c = median_case (67, 41);
  Link link (launch_of (c) + " roi-source=meta roi-labels=\"dog, face\"", in_caps_of (c), out_caps_of (c));
  c.common.whole_frame = false;
  c.common.roi = {{3, 2, 9, 8}, {30, 20, 15, 10}};
  const ref::Picture in = noise_for (c, 1);
  GstBuffer *buffer = make_buffer (c, in, Storage::Padded);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 3, 2, 9, 8);
  gst_buffer_add_video_region_of_interest_meta (buffer, "cat", 15, 3, 12, 12);
  gst_buffer_add_video_region_of_interest_meta (buffer, "dog", 30, 20, 15, 10);
  filter_and_check (c, link, in, buffer, "labels dog and face");
}

TEST (two_readers)
{
  const Case c = median_case (67, 41);
  Link first = open (c), second = open (c);
  check_two_readers (c, first, second, [&] (const ref::Picture &in) { return make_buffer (c, in, Storage::Padded); });
}

}  // namespace test::gl_frames_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The caps that an element accepts and produces on either side, and errors when there are none. */
#include <cstring>

#include "../elements/filtercase.hpp"
#include "../elements/gl.hpp"
#include "../elements/pipeline.hpp"
#include "element_lines.hpp"

namespace test::negotiation_suite {

static Tests tests ("negotiation", Needs::Device);

static const char *filters[] = {"clconvolve", "clmedian", "clbilateral"};
static const char device_memory[] = "memory:OpenCLMemory";

static std::string
fixed_caps (GstVideoFormat format, const char *feature)
{
  return test::format ("video/x-raw%s%s%s,format=%s,width=33,height=17,framerate=25/1,pixel-aspect-ratio=4/3",
      feature ? "(" : "", feature ?: "", feature ? ")" : "", gst_video_format_to_string (format));
}

static GstBuffer *
frame_of (GstVideoFormat format, const GstCaps *caps)
{
  return to_buffer (random_picture (format, 33, 17, (unsigned) format), Storage::Tight, caps);
}

/* Both pad templates list every format, in system memory and in device memory, and in GL memory the formats that it can
 * hold. */
TEST (templates, 3)
{
  const Own factory = gst_element_factory_find (filters[__i__]);
  test_check (factory, "no element %s", filters[__i__]);
  for (const ref::Layout &layout : ref::layouts ())
    for (const char *feature : {(const char *) nullptr, device_memory}) {
      const Own caps = gst_caps_from_string (fixed_caps (layout.format, feature).c_str ());
      test_check (gst_element_factory_can_sink_all_caps (factory, caps), "%s does not take %" GST_PTR_FORMAT, filters[__i__],
          caps.get ());
      test_check (gst_element_factory_can_src_all_caps (factory, caps), "%s does not give %" GST_PTR_FORMAT, filters[__i__],
          caps.get ());
    }
  for (const ref::Layout &layout : ref::layouts ()) {
    const Own caps = gst_caps_from_string ((fixed_caps (layout.format, "memory:GLMemory") + ",texture-target=2D").c_str ());
    const bool takes = gst_element_factory_can_sink_all_caps (factory, caps),
               gives = gst_element_factory_can_src_all_caps (factory, caps);
    test_check (takes == fits_texture (layout.format) && gives == takes, "%s %s and %s %" GST_PTR_FORMAT, filters[__i__],
        takes ? "takes" : "does not take", gives ? "gives" : "does not give", caps.get ());
  }
}

/* The caps of a pad if the other one is free to choose its memory: the same picture, in either memory. */
TEST (caps_of_the_pads, 3)
{
  Link link (filters[__i__], fixed_caps (GST_VIDEO_FORMAT_NV12, nullptr), "video/x-raw(ANY)");
  GstElement *element = link.element (filters[__i__]);
  for (const char *from : {"sink", "src"}) {
    const Own pad = gst_element_get_static_pad (element, from);
    const Own all = gst_pad_query_caps (pad, nullptr);
    for (const char *feature : {(const char *) nullptr, device_memory}) {
      const Own caps = gst_caps_from_string (fixed_caps (GST_VIDEO_FORMAT_NV12, feature).c_str ());
      test_check (gst_caps_can_intersect (all, caps), "%s.%s does not allow %" GST_PTR_FORMAT " but %" GST_PTR_FORMAT,
          filters[__i__], from, caps.get (), all.get ());
    }
  }
}

/* Every format with every pair of memories: the output caps equal the input caps, in all fields. */
TEST (pairs, ref::layouts ().size (), 2)
{
  static const char *shapes[] = {"%s", "clupload ! video/x-raw(memory:OpenCLMemory) ! %s",
      "%s ! video/x-raw(memory:OpenCLMemory) ! cldownload",
      "clupload ! video/x-raw(memory:OpenCLMemory) ! %s ! video/x-raw(memory:OpenCLMemory) ! cldownload"};
  const GstVideoFormat format = ref::layouts ()[__i__].format;
  const std::string text = fixed_caps (format, nullptr);
  const Own caps = gst_caps_from_string (text.c_str ());
  for (const char *shape : shapes) {
    std::string launch = shape;
    launch.replace (launch.find ("%s"), 2, "clconvolve preset=edge");
    Link link (launch, text);
    gst_buffer_unref (link.filter (frame_of (format, caps)));
    const Own out = gst_pad_get_current_caps (link.harness ()->sinkpad);
    test_check (gst_caps_can_intersect (out, caps), "%s: %" GST_PTR_FORMAT " became %" GST_PTR_FORMAT, launch.c_str (),
        caps.get (), out.get ());
  }
}

/* Device memory if both neighbours take it, system memory if one does not, without any setting. */
TEST (memory_by_itself)
{
  Pipeline pipeline ("videotestsrc num-buffers=2 ! video/x-raw,format=RGBA ! clconvolve name=a preset=edge "
                     "! clmedian name=b ! fakesink");
  pipeline.must_reach (GST_STATE_PAUSED);
  const Own caps = caps_at (pipeline.element ("b"), "sink");
  test_check (gst_caps_features_contains (gst_caps_get_features (caps, 0), device_memory),
      "frames pass between two filters as %" GST_PTR_FORMAT, caps.get ());

  Pipeline plain ("videotestsrc num-buffers=2 ! videoconvert ! clmedian name=a ! videoconvert ! fakesink");
  plain.play_to_end ();
}

/* An unsupported format does not link, and videoconvert is enough to fix it. */
TEST (unsupported_format, 3)
{
  const std::string source = "videotestsrc num-buffers=2 ! video/x-raw,format=RGB16,width=32,height=16 ! ";
  const std::string filter = filters[__i__];
  g_autoptr (GError) error = nullptr;
  const Own line = gst_parse_launch ((source + filter + " ! fakesink").c_str (), &error);
  test_check (error != nullptr, "%s links to RGB16", filters[__i__]);
  Pipeline mended (source + "videoconvert ! " + filter + " ! fakesink");
  mended.play_to_end ();
}

/* Upstream may query the allocation: any stride works, and so does the proposed pool. Nothing that downstream crops is promised. */
TEST (allocation_query, 3)
{
  const std::string text = fixed_caps (GST_VIDEO_FORMAT_RGBA, nullptr);
  Link link (__i__ == 0 ? "clconvolve preset=edge" : filters[__i__], text);
  gst_harness_add_propose_allocation_meta (link.harness (), GST_VIDEO_CROP_META_API_TYPE, nullptr);
  fail_unless (gst_harness_push_upstream_event (link.harness (), gst_event_new_reconfigure ()));
  const Own caps = gst_caps_from_string (text.c_str ());
  gst_buffer_unref (link.filter (frame_of (GST_VIDEO_FORMAT_RGBA, caps)));
  const Own query = gst_query_new_allocation (caps, TRUE);
  test_check (gst_pad_peer_query (link.harness ()->srcpad, query), "%s answers no allocation query", filters[__i__]);
  test_check (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, nullptr), "%s does not take GstVideoMeta",
      filters[__i__]);
  test_check (!gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, nullptr), "%s takes GstVideoCropMeta",
      filters[__i__]);
  GstBuffer *buffer = pool_of (query, caps).acquire ();
  write_picture (buffer, random_picture (GST_VIDEO_FORMAT_RGBA, 33, 17, 3), caps);
  gst_buffer_unref (link.filter (buffer));
}

/* The result of a filter in device memory can be mapped like any other. */
TEST (device_memory_is_readable, ref::layouts ().size (), 2, 1)
{
  const Case c = case_of (
      "clconvolve", ref::layouts ()[__i__].format, 33, 17, settings_for (ref::Convolve{ref::preset ("edge")}, "preset=edge"));
  std::string out = caps_of (c);
  out.insert (strlen ("video/x-raw"), "(memory:OpenCLMemory)");
  Link link (launch_of (c), caps_of (c), out);
  const ref::Picture in = noise_for (c, 5);
  const Own result = link.filter (make_buffer (c, in, Storage::Tight));
  fail_unless (gst_memory_is_type (gst_buffer_peek_memory (result, 0), "OpenCLMemory"));
  check_result (c, in, result, "a frame in device memory");
}

/* Sources without a framerate omit it from their caps, which are then not a subset of the pad template's. */
TEST (no_framerate)
{
  const std::string caps = "video/x-raw,format=I420,width=64,height=48";
  for (const char *element : {"clvideo filters=\"clcolormatrix\"", "clblend", "clcompositor", "clcolormatrix"})
    Pipeline (format ("videotestsrc num-buffers=3 ! %s ! capssetter replace=true caps=\"%s\" ! %s ! fakesink", caps.c_str (),
                  caps.c_str (), element))
        .play_to_end ();
}

/* What caps leave out keeps its default, although downstream prefers something else. */
TEST (absent_fields)
{
  const char *const given = "video/x-raw,format=Y444,width=66,height=34,framerate=25/1";
  static const char *const elements[] = {"clmedian", "clchain filters=clmedian", "clflip video-direction=180", "clconvert",
      "clvideo", "clframerate", "cldeinterlace", "cltonemap", "clupload ! cldownload"};
  static const struct {
    const char *wanted, *field, *value;
    bool converts; /* whether clconvert may choose another value */
  } cases[] = {{"video/x-raw,interlace-mode=interleaved;video/x-raw", "interlace-mode", "progressive"},
      {"video/x-raw,interlace-mode=(string){interleaved,progressive}", "interlace-mode", "progressive"},
      {"video/x-raw,multiview-mode=(string){left,mono}", "multiview-mode", "mono"},
      {"video/x-raw,field-order=top-field-first;video/x-raw", "field-order", "unknown"},
      {"video/x-raw,pixel-aspect-ratio=(fraction){4/3,1/1}", "pixel-aspect-ratio", "1/1"},
      {"video/x-raw,colorimetry=(string){bt709,bt601}", "colorimetry", "bt601", true},
      {"video/x-raw,chroma-site=cosited;video/x-raw", "chroma-site", "mpeg2", true}};
  for (const char *element : elements)
    for (const auto &[wanted, field, value, converts] : cases) {
      if (converts && (g_str_equal (element, "clconvert") || g_str_equal (element, "clvideo")))
        continue;
      const Own caps = negotiated (element, given, wanted);
      test_check (caps, "%s has no caps for %s", element, wanted);
      const GValue *found = gst_structure_get_value (gst_caps_get_structure (caps, 0), field);
      const std::string text = text_of (found ? gst_value_serialize (found) : nullptr);
      test_check (text.empty () || text == value, "%s for %s: %s is %s", element, wanted, field, text.c_str ());
    }
  /* progressive frames keep their rate behind cldeinterlace */
  for (const char *element : {"clmedian", "clconvert", "clchain filters=clmedian"}) {
    const Own caps = negotiated (format ("%s ! cldeinterlace", element), given, "video/x-raw");
    const Own expected = gst_caps_from_string (format ("%s,interlace-mode=progressive", given).c_str ());
    test_check (caps && gst_caps_can_intersect (caps, expected), "behind %s: %" GST_PTR_FORMAT, element, caps.get ());
  }
}

/* An answer lies within the filter of the query, here with two rates as of videorate; else GstBaseTransform warns. */
TEST (answers_within_filters, fault_lines ().size ())
{
  const std::string line = fault_lines ()[__i__];
  const Own rates = gst_caps_from_string ("video/x-raw,framerate=20/1;video/x-raw,framerate=[0/1,20/1]");
  Pipeline pipeline (format (
      "identity name=first ! %s ! videorate drop-only=true ! video/x-raw(ANY),framerate=20/1 ! fakesink", line.c_str ()));
  const Own pad = gst_element_get_static_pad (pipeline.element ("first"), "sink");
  const Own caps = gst_pad_query_caps (pad, rates);
  test_check (gst_caps_is_subset (caps, rates), "%s: %" GST_PTR_FORMAT, line.c_str (), caps.get ());
}

/* An element that needs whole frames reports this once. */
TEST (whole_frames)
{
  for (const char *element : {"cltemporal", "clflip", "clwarp", "clstabilize", "clcompositor", "clblend"}) {
    Link link (std::string ("queue ! ") + element,
        "video/x-raw(format:Interlaced),format=GRAY8,width=64,height=48,framerate=25/1,interlace-mode=alternate",
        "video/x-raw");
    GstBuffer *field = gst_buffer_new_allocate (nullptr, 64 * 24, nullptr);
    GST_BUFFER_PTS (field) = 0;
    gst_harness_push (link.harness (), field);
    GstMessage *error = gst_bus_timed_pop_filtered (link.bus (), 20 * GST_SECOND, GST_MESSAGE_ERROR);
    test_check (error, "%s says nothing", element);
    gst_bus_post (link.bus (), error);
    expect_one_error (link.errors (), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {element, "deinterlace"});
  }
}

}  // namespace test::negotiation_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcompositor while playing: pads that are added, removed and changed, metas of frames, pointers, and settings that leave
 * nothing visible. */
#include <gst/video/navigation.h>

#include "../../elements/inputs.hpp"

namespace test::compositor_stream_suite {

static Tests tests ("compositor_stream", Needs::Device);

constexpr GstVideoFormat gray = GST_VIDEO_FORMAT_GRAY8, rgba = GST_VIDEO_FORMAT_RGBA;
constexpr const char *canvas = "video/x-raw,format=RGBA,width=64,height=48 ! ";

static ref::Picture
solid (int width, int height, int value)
{
  ref::Picture picture = flat (rgba, width, height, value);
  for (ref::Component &component : picture.components)
    if (component.name == 'a')
      std::fill (component.value.begin (), component.value.end (), 255);
  return picture;
}

static int
red (const ref::Picture &picture, int x, int y)
{
  return picture.find ('r')->at (x, y);
}

/* A buffer of one colour for an appsrc. */
static GstBuffer *
frame_of (const ref::Picture &picture, const std::string &caps)
{
  return timed (to_buffer (picture, Storage::Tight, caps), 0, GST_SECOND / 30);
}

/* The result of one buffer. */
static ref::Picture
shown (const std::string &element, GstBuffer *buffer, const std::string &caps)
{
  Pipeline pipeline (element + " name=tested ! " + canvas + "appsink name=out sync=false appsrc name=in format=time caps=\""
                     + caps + "\" ! tested.sink_0");
  return picture_of_one (pipeline, buffer);
}

/* Pads of other sizes and formats are added and removed while playing, and nothing of them remains. */
TEST (pads)
{
  Pipeline pipeline (std::string ("clcompositor name=tested background=black ! ") + canvas
                     + "appsink name=out sync=false max-buffers=2 videotestsrc pattern=black is-live=true ! "
                       "video/x-raw,format=I420,width=32,height=16,framerate=30/1 ! tested.");
  pipeline.must_reach (GST_STATE_PLAYING);
  GstElement *tested = pipeline.element ("tested");
  for (int i = 0; i < 6; i++) {
    GError *error = nullptr;
    GstElement *source = gst_parse_bin_from_description (
        format ("videotestsrc pattern=white is-live=true ! video/x-raw,format=%s,width=%d,height=%d,framerate=30/1 ! identity",
            i % 2 ? "RGBA" : "NV12", 20 + i, 14)
            .c_str (),
        TRUE, &error);
    g_clear_error (&error);
    gst_bin_add (GST_BIN (pipeline.top ()), source);
    const Own sink = gst_element_request_pad_simple (tested, "sink_%u"), src = gst_element_get_static_pad (source, "src");
    g_object_set (sink.get (), "xpos", 2 * i, "zorder", 5, nullptr);
    fail_unless (gst_pad_link (src, sink) == GST_PAD_LINK_OK);
    gst_element_sync_state_with_parent (source);
    const auto waits_for = [&] (bool white) {
      for (int frames = 0; frames < 150; frames++)
        if ((red (pull_picture (pipeline), 2 * i + 3, 5) > 250) == white)
          return;
      test_fail ("pad %d is %s seen", i, white ? "not" : "still");
    };
    waits_for (true);
    gst_pad_unlink (src, sink);
    gst_element_release_request_pad (tested, sink);
    gst_element_set_state (source, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (pipeline.top ()), source);
    waits_for (false);
  }
  for (const Report &report : pipeline.errors ()) /* perhaps of a source that has lost its pad */
    test_check (report.from != "tested", "%s", report.all ().c_str ());
}

/* One pad changes its size, format and interlacing; the result does not change. */
TEST (caps_change)
{
  static const char *parts[] = {"RGBA,width=32,height=16", "I420,width=64,height=48", "GRAY16_LE,width=7,height=5",
      "NV12,width=30,height=20,interlace-mode=interleaved"};
  std::string line =
      std::string ("clcompositor name=tested ! ") + canvas + "appsink name=out sync=false concat name=join ! tested. ";
  for (const char *part : parts)
    line += format ("videotestsrc pattern=white num-buffers=2 ! video/x-raw,format=%s,framerate=30/1 ! join. ", part);
  Pipeline pipeline (line);
  pipeline.must_reach (GST_STATE_PLAYING);
  std::vector<int> widths;
  std::string seen;
  while (const Own sample = pull_sample (pipeline)) {
    const ref::Picture picture = from_buffer (gst_sample_get_buffer (sample), gst_sample_get_caps (sample));
    int width = 0;
    while (width < 64 && red (picture, width, 4) > 225)
      width++;
    if (widths.empty () || widths.back () != width)
      widths.push_back (width);
    seen += format (" %d", width);
  }
  const std::vector<int> expected{32, 64, 7, 30};
  test_check (widths == expected, "pictures of%s columns", seen.c_str ());
}

/* Nothing visible, and extreme sizes: the background, or the visible part of the picture. */
TEST (nothing)
{
  static const struct {
    const char *properties;
    int at_20_10;
  } cases[] = {{"sink_0::alpha=0", 0}, {"sink_0::xpos=1000", 0}, {"sink_0::ypos=-1000", 0}, {"sink_0::xpos=-2147483648", 0},
      {"sink_0::xpos=2147483647 sink_0::width=2147483647", 0}, {"sink_0::width=2147483647 sink_0::height=2147483647", 90},
      {"sink_0::width=2147483647 sink_0::height=2147483647 sink_0::xpos=-100000 sink_0::ypos=-100000", 90},
      {"zero-size-is-unscaled=false sink_0::width=0", 0}, {"sink_0::width=1 sink_0::height=1", 0},
      {"sink_0::width=2147483647 sink_0::height=1 sink_0::sizing-policy=keep-aspect-ratio sink_0::xpos=-1000", 0}};
  for (const auto &[properties, value] : cases) {
    const std::string caps = raw_caps (rgba, 32, 16);
    const ref::Picture picture =
        shown (std::string ("clcompositor background=black ") + properties, frame_of (solid (32, 16, 90), caps), caps);
    test_check (red (picture, 20, 10) == value, "%s: %d", properties, red (picture, 20, 10));
  }
}

static int maps = 0;

/* Pictures that an opaque one covers, or that are invisible for another reason, are not read. */
TEST (hidden)
{
  static const struct {
    const char *properties, *above;
    bool reads;
  } cases[] = {{"", "I420", false}, {"sink_1::alpha=0.5", "I420", true}, {"", "RGBA", true}, {"", "NV12,width=20", true},
      {"sink_0::xpos=40 sink_1::xpos=32", "I420", false}, {"sink_0::xpos=30 sink_1::xpos=40", "I420", true},
      {"sink_0::ypos=-1000 sink_1::alpha=0.5", "I420", false}, {"sink_0::alpha=0 sink_1::alpha=0.5", "I420", false}};
  const std::string caps = raw_caps (rgba, 32, 16);
  for (const auto &[properties, above, reads] : cases) {
    Pipeline pipeline (format ("clcompositor name=tested %s ! %s appsink name=out sync=false appsrc name=in format=time "
                               "caps=\"%s\" ! tested.sink_0 videotestsrc num-buffers=1 ! "
                               "video/x-raw,width=32,height=16,framerate=30/1,format=%s ! tested.sink_1",
        properties, canvas, caps.c_str (), above));
    GstBuffer *buffer = frame_of (solid (32, 16, 90), caps);
    GstVideoMeta *meta =
        gst_buffer_get_video_meta (buffer) ?: gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE, rgba, 32, 16);
    meta->map = [] (GstVideoMeta *meta, guint plane, GstMapInfo *info, gpointer *data, gint *stride,
                    GstMapFlags flags) -> gboolean {
      maps++;
      *data = nullptr;
      GstMemory *memory = gst_buffer_peek_memory (meta->buffer, 0);
      if (!gst_memory_map (memory, info, flags))
        return FALSE;
      info->memory = gst_memory_ref (memory);
      *data = info->data + meta->offset[plane];
      *stride = meta->stride[plane];
      return TRUE;
    };
    maps = 0;
    picture_of_one (pipeline, buffer);
    test_check ((maps > 0) == reads, "%s below %s: mapped %d times", properties, above, maps);
  }
}

static GstCaps *
caps_of (GstElement *compositor, const char *pad_name)
{
  const Own pad = gst_element_get_static_pad (compositor, pad_name) ?: gst_element_request_pad_simple (compositor, pad_name);
  return gst_pad_query_caps (pad, nullptr);
}

/* A pad offers every format, first those without alpha if the result has none, with the interlacing of the result and of the
 * other pads. */
TEST (offers)
{
  static const struct {
    const char *downstream, *wanted;
    bool offers, first;
  } cases[] = {{"video/x-raw", "format=RGB16", true, true}, {"video/x-raw", "format=RGBA", true, true},
      {"video/x-raw,format=AYUV", "format=RGBA", true, true}, {"video/x-raw,format=I420", "format=NV12", true, true},
      {"video/x-raw,format=I420", "format=RGBA", true, false},
      {"video/x-raw,interlace-mode=interleaved", "interlace-mode=progressive", false, false},
      {"video/x-raw,interlace-mode=interleaved", "interlace-mode=interleaved", true, true}};
  for (const auto &[downstream, wanted, offers, first] : cases) {
    Pipeline pipeline (format ("clcompositor name=tested ! %s ! fakesink", downstream));
    const Own caps = caps_of (pipeline.element ("tested"), "sink_0"), best = gst_caps_copy_nth (caps, 0);
    const Own one = gst_caps_from_string (format ("video/x-raw,%s", wanted).c_str ());
    gst_caps_set_features_simple (best, nullptr);
    test_check (
        gst_caps_can_intersect (caps, one) == offers, "%s for %s is %s", wanted, downstream, offers ? "missing" : "offered");
    test_check (
        gst_caps_can_intersect (best, one) == first, "%s for %s is %s", wanted, downstream, first ? "not first" : "first");
  }
  Pipeline pipeline (
      std::string ("clcompositor name=tested ! ") + canvas + "fakesink videotestsrc ! video/x-raw,format=I420 ! tested.sink_0");
  pipeline.must_reach (GST_STATE_PAUSED);
  const Own caps = caps_of (pipeline.element ("tested"), "sink_1");
  for (const char *mode : {"interleaved", "mixed", "progressive"}) {
    const Own one = gst_caps_from_string (format ("video/x-raw,interlace-mode=%s", mode).c_str ());
    test_check (gst_caps_can_intersect (caps, one) == (std::string (mode) == "progressive"), "%s beside progressive", mode);
  }
}

/* The result has the interlacing of its picture, whatever downstream lists first. */
TEST (fields_first, 2)
{
  const std::string modes[] = {"progressive", "interleaved"};
  const std::string &mode = modes[__i__], &other = modes[1 - __i__];
  Pipeline pipeline (format ("clcompositor name=tested ! capsfilter "
                             "caps=\"video/x-raw,interlace-mode=%s;video/x-raw,interlace-mode=%s\" ! fakesink "
                             "videotestsrc num-buffers=2 ! video/x-raw,format=I420,interlace-mode=%s ! tested.",
      other.c_str (), mode.c_str (), mode.c_str ()));
  pipeline.must_reach (GST_STATE_PAUSED);
  const Own caps = caps_at (pipeline.element ("tested"), "src");
  ck_assert_str_eq (gst_structure_get_string (gst_caps_get_structure (caps, 0), "interlace-mode"), mode.c_str ());
}

/* The result has the colours of its picture, also if downstream fixes everything else. */
TEST (colorimetry)
{
  Pipeline pipeline (
      "videotestsrc num-buffers=1 ! video/x-raw,format=I420,width=64,height=48,framerate=25/1,colorimetry=bt2020 ! "
      "clcompositor name=tested ! video/x-raw,format=I420,width=64,height=48,framerate=25/1 ! fakesink");
  pipeline.must_reach (GST_STATE_PAUSED);
  const Own caps = caps_at (pipeline.element ("tested"), "src");
  ck_assert_str_eq (gst_structure_get_string (gst_caps_get_structure (caps, 0), "colorimetry"), "bt2020");
}

/* Positions and settings change while playing, one by one and all together; nothing is created. */
TEST (live)
{
  Inputs inputs ("clcompositor background=black",
      {{raw_caps (rgba, 16, 8), "sink_0", "clupload ! "}, {raw_caps (gray, 16, 8), "sink_1", "clupload ! "}}, canvas);
  const Own pad = gst_element_get_static_pad (inputs.tested (), "sink_1");
  guint64 allocations = 0;
  for (int i = 0; i < 12; i++) {
    g_object_set (pad, "xpos", 3 * i, "ypos", i, "alpha", i % 2 ? 1.0 : 0.5, nullptr);
    inputs.push (0, solid (16, 8, 10), i * GST_SECOND / 30);
    inputs.push (1, flat (gray, 16, 8, 200), i * GST_SECOND / 30);
    const ref::Picture picture = inputs.pull_picture ();
    const int value = red (picture, 3 * i + 15, i + 7), left = i > 0 ? red (picture, 3 * i - 1, i) : 0;
    test_check (value > (i % 2 ? 190 : 90) && value < (i % 2 ? 210 : 110), "frame %d is %d", i, value);
    test_check (left <= 10, "frame %d is %d beside", i, left);
    if (i == 3)
      allocations = stat (inputs.tested (), "allocations");
  }
  test_check (stat (inputs.tested (), "allocations") <= allocations + 2, "%d allocations, then %d", int (allocations),
      int (stat (inputs.tested (), "allocations")));
}

/* Overlays of a picture are drawn with it, at their position in the scaled picture, with their own alpha and the pad's. */
TEST (overlays)
{
  const std::string caps = raw_caps (rgba, 32, 24);
  for (const double alpha : {1.0, 0.5}) {
    GstBuffer *buffer = frame_of (solid (32, 24, 50), caps);
    GstBuffer *pixels = filled (4 * 2 * 4, 250);
    for (int i = 0; i < 8; i++)
      gst_buffer_memset (pixels, 4 * i + 3, i < 4 ? 255 : 0, 1);
    add_overlay (buffer, pixels, {8, 4, 4, 2});
    const ref::Picture picture = shown (
        format ("clcompositor background=black sink_0::width=64 sink_0::height=48 sink_0::alpha=%g", alpha), buffer, caps);
    const auto is = [&] (int x, int y, double value) {
      const int got = red (picture, x, y);
      test_check (std::abs (got - value * alpha) <= 2, "alpha %g at %d,%d: %d", alpha, x, y, got);
    };
    is (20, 8, 250);
    is (20, 11, 50);
    is (14, 8, 50);
    is (26, 8, 50);
  }
}

/* A frame of two pixels around a detected region, at its position in the scaled picture; the label is inside if there is no
 * room above. */
TEST (regions)
{
  const std::string caps = raw_caps (rgba, 32, 24);
  for (const bool draws : {true, false}) {
    GstBuffer *buffer = frame_of (solid (32, 24, 50), caps);
    gst_buffer_add_video_region_of_interest_meta (buffer, "ab", 4, 10, 20, 8);
    gst_buffer_add_video_region_of_interest_meta (buffer, "", 2000, 10, G_MAXUINT, G_MAXUINT);
    const ref::Picture picture = shown (
        format ("clcompositor sink_0::width=64 sink_0::height=48 draw-regions=%s", draws ? "true" : "false"), buffer, caps);
    const auto is_marked = [&] (int x, int y) { return red (picture, x, y) > 250; };
    for (const auto &[x, y] : {std::pair (8, 20), {9, 21}, {47, 20}, {46, 35}, {8, 35}, {8, 28}, {47, 28}})
      test_check (is_marked (x, y) == draws, "%d,%d", x, y);
    for (const auto &[x, y] : {std::pair (10, 22), {45, 33}, {48, 28}, {7, 28}, {30, 28}})
      test_check (!is_marked (x, y), "%d,%d", x, y);
    int dark = 0;
    for (const auto [x, y] : ref::Places{13, 9, 8, 11})
      dark += red (picture, x, y) == 0;
    test_check ((dark > 20 && dark < 80) == draws, "%d pixels of letters", dark);
  }
}

static GstPadProbeReturn
note_pointer (GstPad *, GstPadProbeInfo *info, gpointer places)
{
  gdouble x, y;
  GstEvent *event = gst_pad_probe_info_get_event (info);
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION
      && gst_structure_get (
          gst_event_get_structure (event), "pointer_x", G_TYPE_DOUBLE, &x, "pointer_y", G_TYPE_DOUBLE, &y, nullptr))
    static_cast<std::vector<std::pair<double, double>> *> (places)->push_back ({x, y});
  return GST_PAD_PROBE_OK;
}

/* A pointer event is sent to the pictures under it, in their pixels. */
TEST (pointer)
{
  Inputs inputs ("clcompositor sink_1::xpos=20 sink_1::ypos=10 sink_1::width=32 sink_1::height=32",
      {{raw_caps (rgba, 64, 48), "sink_0"}, {raw_caps (gray, 16, 8), "sink_1"}}, canvas);
  std::vector<std::pair<double, double>> places[2];
  for (int i = 0; i < 2; i++) {
    const Own pad = gst_element_get_static_pad (inputs.tested (), format ("sink_%d", i).c_str ());
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, note_pointer, &places[i], nullptr);
  }
  inputs.push (0, solid (64, 48, 10));
  inputs.push (1, flat (gray, 16, 8, 200));
  inputs.pull_picture ();
  const Own src = gst_element_get_static_pad (inputs.tested (), "src");
  const auto move = [&src] (double x, double y) {
    gst_pad_send_event (src, gst_navigation_event_new_mouse_move (x, y, GST_NAVIGATION_MODIFIER_NONE));
  };
  move (5, 6);
  move (28, 26);
  gst_pad_send_event (src, gst_navigation_event_new_mouse_scroll (24, 18, 0, 1, GST_NAVIGATION_MODIFIER_NONE));
  const std::vector<std::pair<double, double>> below{{5, 6}, {28, 26}, {24, 18}}, above{{4, 4}, {2, 2}};
  fail_unless (places[0] == below && places[1] == above);
}

static GstPadProbeReturn
count_keys (GstPad *, GstPadProbeInfo *info, gpointer count)
{
  GstEvent *event = gst_pad_probe_info_get_event (info);
  *static_cast<int *> (count) += gst_navigation_event_get_type (event) == GST_NAVIGATION_EVENT_KEY_PRESS;
  return GST_PAD_PROBE_OK;
}

/* Keys have no place: they reach all inputs, and the pictures that clcompare passes. */
TEST (keys, 3)
{
  static const char *const lines[][3] = {
      {"clcompositor", "sink_0", "sink_1"}, {"clblend", "sink_0", "sink_1"}, {"clcompare", "sink", "reference"}};
  const auto &[element, first, second] = lines[__i__];
  Inputs inputs (element, {{raw_caps (gray, 16, 8), first}, {raw_caps (gray, 16, 8), second}});
  int keys[2] = {};
  for (int i = 0; i < 2; i++) {
    const Own pad = gst_element_get_static_pad (inputs.tested (), i ? second : first);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_keys, &keys[i], nullptr);
    inputs.push (i, flat (gray, 16, 8, 200));
  }
  inputs.pull_picture ();
  const Own src = gst_element_get_static_pad (inputs.tested (), "src");
  gst_pad_send_event (src, gst_navigation_event_new_key_press ("Up", GST_NAVIGATION_MODIFIER_NONE));
  ck_assert_int_eq (keys[0], 1);
  ck_assert_int_eq (keys[1], __i__ < 2);
}

}  // namespace test::compositor_stream_suite

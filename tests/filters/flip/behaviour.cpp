/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clflip against its reference: formats, sizes, orientations, crops, fields; and its caps, tags, metas and events. */
#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"
#include "reference.hpp"

namespace test::flip_suite {

static Tests tests ("flip", Needs::Device);

constexpr const char *directions[] = {"identity", "90r", "180", "90l", "horiz", "vert", "ul-lr", "ur-ll"};

struct Turn {
  GstVideoFormat id;
  int width, height;
  ref::Flip set = {};
  Storage storage = Storage::Tight;
};

static std::string
properties_of (const ref::Flip &set)
{
  return format (
      "video-direction=%s left=%d right=%d top=%d bottom=%d", set.direction.c_str (), set.left, set.right, set.top, set.bottom);
}

static std::string
caps_text (const Turn &turn)
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1%s", gst_video_format_to_string (turn.id), turn.width,
      turn.height, turn.set.fields ? ",interlace-mode=interleaved" : "");
}

/* Filters a picture and compares the result, with the element's current caps. */
static void
check_result (Link &link, const Turn &turn, const ref::Picture &in)
{
  expect_same (through (link, in, turn.storage), ref::flip (in, turn.set), caps_text (turn) + " " + properties_of (turn.set));
}

static void
check_turn (const Turn &turn)
{
  Link link ("clflip " + properties_of (turn.set), caps_text (turn), "video/x-raw");
  check_result (link, turn, random_picture (turn.id, turn.width, turn.height, 7));
}

/* Every format, at odd sizes, rotated and cropped. */
TEST (formats)
{
  const auto &layouts = ref::layouts ();
  for (int i = 0; i < ref::tried_layouts (); i++) {
    check_turn ({layouts[i].format, 37, 21, {.direction = "90r", .left = 3, .top = 5}});
    check_turn ({layouts[i].format, 38, 22, {.direction = "180", .right = 3, .bottom = 1}});
  }
}

TEST (orientations)
{
  for (const char *direction : directions)
    for (const GstVideoFormat id :
        {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_P010_10LE})
      for (const auto &[width, height] : {std::pair (40, 24), std::pair (33, 19), std::pair (1, 7), std::pair (18, 1)})
        check_turn ({id, width, height, {.direction = direction}});
}

TEST (crops)
{
  for (const GstVideoFormat id : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_RGBA})
    for (const ref::Flip &set : {ref::Flip{"identity", 1, 2, 3, 4}, ref::Flip{"90l", 5, 0, 0, 1},
             ref::Flip{"vert", 0, 32, 0, 20}, ref::Flip{"ur-ll", 4, 4, 4, 4}})
      check_turn ({id, 37, 25, set});
}

TEST (layouts_of_memory)
{
  for (const Storage storage : storages)
    check_turn ({GST_VIDEO_FORMAT_NV12, 37, 21, {.direction = "90r", .left = 2}, storage});
}

/* The fields of a mirrored picture keep their times. */
TEST (fields)
{
  for (const char *direction : {"identity", "vert", "180", "horiz", "90r"})
    check_turn ({GST_VIDEO_FORMAT_I420, 40, 32, {.direction = direction, .left = 2, .top = 3, .bottom = 3, .fields = true}});
}

/* Changes that need other caps, while frames arrive. */
TEST (live_changes)
{
  Random random (3);
  const Turn frame{GST_VIDEO_FORMAT_I420, 48, 32};
  const ref::Picture in = make_picture (frame.id, frame.width, frame.height, Content::Noise, random);
  Link link ("clflip", caps_text (frame), "video/x-raw");
  for (int step = 0; step < 40; step++) {
    Turn turn = frame;
    turn.set = {.direction = random.pick (directions),
        .left = random.between (0, 20),
        .right = random.between (0, 20),
        .top = random.between (0, 10),
        .bottom = random.between (0, 10)};
    g_object_set (link.element ("clflip"), "left", turn.set.left, "right", turn.set.right, "top", turn.set.top, "bottom",
        turn.set.bottom, nullptr);
    link.set ("clflip", "video-direction", turn.set.direction);
    check_result (link, turn, in);
  }
  /* a change of what has been built ahead */
  Pipeline live ("videotestsrc is-live=true num-buffers=1 ! video/x-raw,format=I420,width=48,height=32 ! "
                 "clflip name=flip video-direction=vert ! fakesink");
  live.must_reach (GST_STATE_PAUSED);
  g_object_set (live.element ("flip"), "video-direction", GST_VIDEO_ORIENTATION_90R, nullptr);
  live.play_to_end ();
}

TEST (negotiation)
{
  const char *pal = "video/x-raw,format=I420,width=720,height=576,framerate=25/1,pixel-aspect-ratio=16/11";
  const struct {
    const char *properties, *in, *wanted, *out; /* out: null if negotiation must fail */
  } cases[] = {
      {"video-direction=90r", pal, "video/x-raw", "video/x-raw,width=576,height=720,pixel-aspect-ratio=11/16"},
      {"video-direction=180", pal, "video/x-raw", pal},
      {"left=9 top=1", pal, "video/x-raw", "video/x-raw,width=712,height=576,pixel-aspect-ratio=16/11"},
      {"left=8 right=8 video-direction=ul-lr", pal, "video/x-raw,height=704", "video/x-raw,width=576,height=704"},
      {"left=8", pal, "video/x-raw,width=720", nullptr},
      {"left=719", pal, "video/x-raw", "video/x-raw,width=2,height=576"},
      {"left=-1", pal, "video/x-raw,width=700", "video/x-raw,width=700,height=576"},
      {"left=-1 right=-1 top=-1 bottom=-1", pal, "video/x-raw,width=101,height=33", "video/x-raw,width=101,height=33"},
      {"left=-1 right=-1 top=-1 bottom=-1", pal, "video/x-raw", pal},
      {"left=-1 right=10", pal, "video/x-raw", "video/x-raw,width=710,height=576"},
      {"left=10 right=-1", pal, "video/x-raw,width=711", nullptr},
      {"left=-1", pal, "video/x-raw,width=721", nullptr},
      {"left=-1 video-direction=90r", pal, "video/x-raw,height=700", "video/x-raw,width=576,height=700"},
  };
  for (const auto &[properties, in, wanted, out] : cases) {
    const Own caps = negotiated (std::string ("clflip ") + properties, in, wanted);
    const Own expected = out ? gst_caps_from_string (out) : nullptr;
    test_check (out ? caps && gst_caps_can_intersect (caps, expected) : !caps, "%s, %s for %s is %" GST_PTR_FORMAT, properties,
        in, wanted, caps.get ());
  }
  /* caps that a source may choose for a result of this size */
  for (const char *crop : {"left=10 right=6 video-direction=90l", "left=1 right=3 top=5", "left=-1 top=3"})
    Pipeline (format ("videotestsrc num-buffers=2 ! clflip %s ! video/x-raw,format=I420,width=90,height=100 ! fakesink", crop))
        .play_to_end ();
  /* a small crop, while the format is open */
  Pipeline ("videotestsrc num-buffers=2 ! clflip left=2 top=2 ! video/x-raw,width=30,height=20 ! fakesink").play_to_end ();
  /* a list of sizes, of which the crop makes ranges as well */
  Pipeline ("videotestsrc num-buffers=2 ! clmedian ! clflip top=1 ! video/x-raw,format=RGBA,width=32,height={(int)2,(int)1} ! "
            "fakesink")
      .play_to_end ();
}

/* If crops are free, the size that downstream requests decides, as in videocrop: both sides lose equally. */
TEST (free_crops)
{
  static const struct {
    const char *properties;
    ref::Flip like;
  } cases[] = {{"left=-1 right=-1 top=-1 bottom=-1", {"identity", 8, 9, 7, 7}},
      {"left=-1 right=3 top=-1 bottom=0", {"identity", 14, 3, 14, 0}},
      {"left=2 right=-1 top=3 bottom=-1", {"identity", 2, 15, 3, 11}},
      {"left=-1 right=9 top=7 bottom=7", {"identity", 8, 9, 7, 7}},
      {"left=-1 right=-1 top=-1 bottom=-1 video-direction=180", {"180", 8, 9, 7, 7}}};
  Random random (11);
  const Turn frame{GST_VIDEO_FORMAT_RGBA, 37, 25};
  const ref::Picture in = make_picture (frame.id, frame.width, frame.height, Content::Noise, random);
  for (const auto &[properties, like] : cases) {
    Link link (std::string ("clflip ") + properties, caps_text (frame), "video/x-raw,width=20,height=11");
    expect_same (through (link, in), ref::flip (in, like), properties);
  }
  /* whole chroma samples, and yet any size */
  const Turn yuv{GST_VIDEO_FORMAT_I420, 37, 25};
  const ref::Picture colors = make_picture (yuv.id, yuv.width, yuv.height, Content::Noise, random);
  Link link ("clflip left=-1 right=-1 top=-1 bottom=-1", caps_text (yuv), "video/x-raw,width=21,height=11");
  const ref::Picture picture = through (link, colors);
  for (const auto &[name, x, y] : {std::tuple ('y', 8, 6), std::tuple ('u', 4, 3), std::tuple ('v', 4, 3)})
    fail_unless_equals_int (picture.find (name)->at (0, 0), colors.find (name)->at (x, y));
}

/* auto uses the stream's tag, or else the global tag, and tells downstream that the picture is upright. */
TEST (tags)
{
  const Turn frame{GST_VIDEO_FORMAT_I420, 48, 32};
  const ref::Picture in = random_picture (frame.id, frame.width, frame.height, 5);
  Link link ("clflip video-direction=auto", caps_text (frame), "video/x-raw");
  const auto expect = [&] (const char *direction) {
    Turn turn = frame;
    turn.set.direction = direction;
    check_result (link, turn, in);
  };
  const auto push = [&] (const char *orientation, GstTagScope scope) {
    GstTagList *tags = gst_tag_list_new (GST_TAG_IMAGE_ORIENTATION, orientation, nullptr);
    gst_tag_list_set_scope (tags, scope);
    fail_unless (gst_harness_push_event (link.harness (), gst_event_new_tag (tags)));
  };
  expect ("identity");
  push ("rotate-90", GST_TAG_SCOPE_GLOBAL);
  expect ("90r");
  push ("flip-rotate-180", GST_TAG_SCOPE_STREAM);
  expect ("vert");
  /* the caps do not change, but the next frame is rotated */
  push ("rotate-180", GST_TAG_SCOPE_STREAM);
  expect ("180");
  push ("flip-rotate-0", GST_TAG_SCOPE_STREAM);
  expect ("horiz");
  push ("rotate-0", GST_TAG_SCOPE_STREAM);
  expect ("identity");
  push ("rotate-180", GST_TAG_SCOPE_STREAM);
  expect ("180");
  const Own pad = gst_element_get_static_pad (link.element ("clflip"), "src");
  for (guint i = 0;; i++) {
    const Own event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, i);
    if (!event)
      break;
    GstTagList *tags;
    const char *orientation = nullptr;
    gst_event_parse_tag (event, &tags);
    if (gst_tag_list_peek_string_index (tags, GST_TAG_IMAGE_ORIENTATION, 0, &orientation))
      fail_unless_equals_string (orientation, "rotate-0");
  }
  fail_unless (gst_harness_push_event (link.harness (), gst_event_new_stream_start ("next")));
  expect ("identity");
}

/* An unchanged frame passes, with auto as well. */
TEST (passes)
{
  const Turn frame{GST_VIDEO_FORMAT_I420, 32, 32};
  Random random (1);
  for (const char *direction : {"identity", "auto"}) {
    Link link (format ("clflip video-direction=%s", direction), caps_text (frame), "video/x-raw");
    GstBuffer *buffer = to_buffer (make_picture (frame.id, 32, 32, Content::Noise, random), Storage::Tight, caps_text (frame));
    GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
    const Own result = link.filter (buffer);
    fail_unless (gst_buffer_peek_memory (result, 0) == memory);
  }
}

/* Regions and crop metas move with their pixels; pointer events are moved back. */
TEST (places)
{
  const Turn frame{GST_VIDEO_FORMAT_GRAY8, 100, 60};
  Link link ("clflip video-direction=90r left=10 top=4", caps_text (frame), "video/x-raw");
  GstBuffer *buffer = to_buffer (random_picture (frame.id, 100, 60), Storage::Tight, caps_text (frame));
  GstVideoRegionOfInterestMeta *face = gst_buffer_add_video_region_of_interest_meta (buffer, "face", 20, 14, 30, 16);
  gst_video_region_of_interest_meta_add_param (face, gst_structure_new ("detail", "x", G_TYPE_INT, 5, nullptr));
  gst_buffer_add_video_region_of_interest_meta (buffer, "outside", 0, 0, 10, 60);
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = 0, crop->y = 4, crop->width = 50, crop->height = 56;
  const Own result = link.filter (buffer);
  /* 90 x 56 are kept; a column becomes a row, the last one first */
  const auto *placed = reinterpret_cast<GstVideoRegionOfInterestMeta *> (
      gst_buffer_get_meta (result, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
  fail_unless (placed && placed->x == 56 - 10 - 16 && placed->y == 10 && placed->w == 16 && placed->h == 30);
  fail_unless (gst_video_region_of_interest_meta_get_param (const_cast<GstVideoRegionOfInterestMeta *> (placed), "detail"));
  fail_unless_equals_int (gst_buffer_get_n_meta (result, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), 1);
  crop = gst_buffer_get_video_crop_meta (result);
  fail_unless (crop && crop->x == 0 && crop->y == 0 && crop->width == 56 && crop->height == 40);
  ck_assert (link.pointer_from (55, 20) == std::pair (30.0, 4.0));
  buffer = to_buffer (random_picture (frame.id, 100, 60), Storage::Tight, caps_text (frame));
  crop = gst_buffer_add_video_crop_meta (buffer);
  crop->width = 10, crop->height = 60;
  const Own outside = link.filter (buffer);
  fail_unless (!gst_buffer_get_video_crop_meta (outside));
}

/* A crop that leaves nothing: one error with advice, at the caps or while frames arrive, however often they are repeated. */
TEST (nothing_left)
{
  for (const char *format : {"", ",format=RGB"}) { /* a known format begins builds ahead */
    Pipeline pipeline (std::string ("videotestsrc ! video/x-raw,width=320,height=240") + format
                       + " ! clflip name=tested left=200 right=200 ! fakesink");
    expect_one_error (pipeline.play_to_error ("tested"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, {"left", "320x240"});
  }
  const Turn frame{GST_VIDEO_FORMAT_I420, 48, 32};
  const Own caps = gst_caps_from_string (caps_text (frame).c_str ());
  const ref::Picture in = random_picture (frame.id, 48, 32);
  Link link ("clflip", caps_text (frame), "video/x-raw");
  for (int again = 0; again < 2; again++) {
    link.set ("clflip", "top", "0");
    gst_harness_push_event (link.harness (), gst_event_new_caps (caps));
    gst_buffer_unref (link.filter (to_buffer (in, Storage::Tight, caps)));
    link.set ("clflip", "top", "32");
    fail_unless_equals_int (link.push (to_buffer (in, Storage::Tight, caps)), GST_FLOW_ERROR);
    for (int i = 0; i < 4; i++)
      gst_harness_push_event (link.harness (), gst_event_new_caps (caps));
    expect_one_error (link.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, {"top", "48x32"});
  }
}

}  // namespace test::flip_suite

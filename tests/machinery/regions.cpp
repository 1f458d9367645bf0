/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of interest: shapes, soft edges, growth, inversion, many regions, and regions that a detector loses. */
#include "filter/tracks.hpp"

#include "../elements/filtercase.hpp"
#include "../elements/pipeline.hpp"
#include "census/libraryfunction.hpp"

namespace test::regions_suite {

static Tests tests ("regions", Needs::DeviceOrGL);

constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_GRAY16_LE};

static Case
case_on (GstVideoFormat format, const std::vector<ref::Rectangle> &regions)
{
  Case c = median_case (whole_width (format, 67), 47, format);
  c.common.whole_frame = false;
  c.common.roi = regions;
  c.by_list = true;
  c.frames = {{Content::Noise, Storage::Padded}, {Content::Noise, Storage::Tight}};
  return c;
}

/* These overlap, and extend beyond the frame. */
const std::vector<ref::Rectangle> few = {{3, 5, 31, 17}, {20, 11, 22, 25}, {-6, 30, 19, 40}, {50, -3, 9, 14}, {61, 40, 30, 30}};

static void
check_shapes (Case c)
{
  for (const bool ellipse : {false, true})
    for (const double feather : {0., 0.4, 1.})
      for (const bool inverted : {false, true}) {
        c.common.ellipse = ellipse;
        c.common.feather = feather;
        c.common.inverted = inverted;
        c.settings.tolerance = feather > 0 ? 1 : 0;
        check (c);
        c.number++;
      }
}

TEST (shapes, std::size (formats), 5)
{
  check_shapes (case_on (formats[__i__], few));
}

/* One region has rows of one field alone. */
TEST (fields, std::size (formats), 6, 2)
{
  std::vector<ref::Rectangle> all = few;
  all.push_back ({44, 9, 15, 1});
  Case c = case_on (formats[__i__], all);
  c.common.interlaced = true;
  c.common.mix = 0.5;
  c.common.planes = 5;
  check_shapes (c);
}

TEST (growth)
{
  for (const double by : {-0.5, -0.1, 0.2, 4.}) {
    Case c = case_on (GST_VIDEO_FORMAT_I420, {{10, 11, 15, 10}, {40, 20, 1, 7}, {-6, 30, 19, 40}});
    c.common.expand = by;
    if (by > 0)
      c.chosen_path = Path{Memory::OpenCL, Memory::OpenCL};
    check (c);
    c.by_list = false;
    c.by_meta = true;
    c.roi_metas = c.common.roi;
    check (c);
  }
}

/* Many rectangles are filtered together, with the same bytes as one after another. */
TEST (many, std::size (formats), 5, 1)
{
  std::vector<ref::Rectangle> all;
  for (int i = 0; i < 40; i++)
    all.push_back ({i * 7 % 60, i * 11 % 41, 3 + i % 5, 2 + i % 7});
  Case c = case_on (formats[__i__], all);
  check (c);
  c.common.mix = 0.3;
  c.common.planes = 3;
  check (c);
}

/* The list changes while frames come, and `stats` counts it. */
TEST (list_changes)
{
  Case c = case_on (GST_VIDEO_FORMAT_NV12, {});
  c.common.ellipse = true;
  Link link = open (c);
  guint64 builds = 0;
  for (unsigned n = 0; n < 5; n++) {
    if (n == 1)
      c.common.roi = {{0, 0, 14, 11}, {53, 36, 14, 11}};
    else if (n > 1)
      c.common.roi.push_back ({int (n) * 9, int (n) * 6, 14, 11});
    link.set ("clmedian", "roi-list", list_of (c.common.roi));
    /* programs differ by the alignment of frames */
    const ref::Picture in = noise_for (c, n);
    filter_and_check (c, link, in, make_buffer (c, in, Storage::Padded), format ("step %u", n));
    ck_assert_uint_eq (stat (link.element ("clmedian"), "regions"), c.common.roi.size ());
    if (n == 1)
      builds = stat (link.element ("clmedian"), "builds");
  }
  ck_assert_uint_eq (stat (link.element ("clmedian"), "builds"), builds);
}

/* Only regions with the given labels. */
TEST (list_labels)
{
  Case c = case_on (GST_VIDEO_FORMAT_RGBA, {{5, 5, 20, 20}});
  c.by_list = false;
  c.settings.properties += " roi-source=list roi-labels=plate roi-list=\"<[region,x=5,y=5,width=20,height=20,label=plate],"
                           "[region,x=30,y=5,width=20,height=20,label=face]>\"";
  c.common.expand = 1e-9; /* with weights, without properties of one rectangle */
  Link link ("clmedian " + c.settings.properties, in_caps_of (c), out_caps_of (c));
  filter_and_check (c, link, 1, "labels");
}

/* As applications set it: numbers of any type. A list with a region that lacks one is refused, and the list before stays. */
TEST (list_of_values)
{
  Case c = case_on (GST_VIDEO_FORMAT_RGBA, {});
  Link link = open (c);
  GstElement *element = link.element ("clmedian");
  GValue list = G_VALUE_INIT, item = G_VALUE_INIT, back = G_VALUE_INIT;
  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&item, GST_TYPE_STRUCTURE);
  g_value_take_boxed (
      &item, gst_structure_new ("face", "x", G_TYPE_UINT, 4u, "y", G_TYPE_DOUBLE, 6., "width", G_TYPE_INT64, gint64 (20),
                 "height", G_TYPE_INT, 9, "id", G_TYPE_INT, 7, "label", G_TYPE_STRING, "a, b", nullptr));
  gst_value_array_append_value (&list, &item);
  g_value_unset (&item);
  g_object_set_property (G_OBJECT (element), "roi-list", &list);
  ck_assert_uint_eq (count_warnings (link.bus ()), 0);
  link.set ("clmedian", "roi-list", "<[face,x=none,y=6,width=3,height=3]>");
  link.set ("clmedian", "roi-list", "<[face,x=1,y=6,height=3]>");
  ck_assert_uint_eq (count_warnings (link.bus ()), 2);
  c.common.roi = {{4, 6, 20, 9}};
  filter_and_check (c, link, 1, "values");
  ck_assert_uint_eq (stat (element, "regions"), 1);
  g_value_init (&back, GST_TYPE_ARRAY);
  g_object_get_property (G_OBJECT (element), "roi-list", &back);
  test_check (gst_value_compare (&list, &back) == GST_VALUE_EQUAL, "the list comes back as another one");
  g_value_unset (&list);
  g_value_unset (&back);
  for (const char *text : {"< >", "<  >"}) {
    link.set ("clmedian", "roi-list", text);
    c.common.roi = {};
    filter_and_check (c, link, 2, text);
  }
}

/* A region moves by (3, 2) per frame and is lost: it continues for as many frames as it is held. */
TEST (hold)
{
  Case c = case_on (GST_VIDEO_FORMAT_RGBA, {});
  c.by_list = false;
  c.by_meta = true;
  c.settings.properties += " roi-hold=3";
  Link link = open (c);
  for (int n = 0; n < 12; n++) {
    const ref::Rectangle there{1 + 3 * n, 1 + 2 * n, 12, 10};
    const bool seen = n < 5, held = n < 8;
    c.roi_metas = seen ? std::vector{there} : std::vector<ref::Rectangle>{};
    c.common.roi = held ? std::vector{there} : std::vector<ref::Rectangle>{};
    filter_and_check (c, link, unsigned (n), format ("frame %d", n));
  }
  /* a discontinuity forgets it */
  c.roi_metas = c.common.roi = {{4, 4, 9, 9}};
  filter_and_check (c, link, 20, "seen again");
  c.roi_metas = c.common.roi = {};
  const ref::Picture in = noise_for (c, 21);
  GstBuffer *cut = make_buffer (c, in, Storage::Tight);
  GST_BUFFER_FLAG_SET (cut, GST_BUFFER_FLAG_DISCONT);
  filter_and_check (c, link, in, cut, "after a cut");
}

/* A region of 25 pixels has windows of a quarter of the size, a region of 36 pixels those of the next larger size. */
TEST (scale)
{
  const std::string first = "roi-x=3 roi-y=3 roi-width=25 roi-height=30",
                    second = "roi-x=36 roi-y=5 roi-width=36 roi-height=40";
  const std::string regions =
      "roi-source=list roi-list=\"<[region,x=36,y=5,width=36,height=40],[region,x=3,y=3,width=25,height=30]>\"";
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2}) {
    Case c = median_case (68, 47, format);
    Link row ("clmedian radius=1 " + first + " ! clmedian radius=2 " + second, in_caps_of (c), out_caps_of (c));
    Link link ("clmedian radius=4 roi-scale=true " + regions, in_caps_of (c), out_caps_of (c));
    for (unsigned n = 0; n < 2; n++) {
      const ref::Picture in = noise_for (c, n);
      const ref::Picture expected = filtered (c, row, in, Storage::Padded);
      expect_same (filtered (c, link, in, Storage::Padded), expected, gst_video_format_to_string (format));
    }
  }
}

/* Where regions overlap the larger one wins, with samples that it does not change, too. */
TEST (larger_wins)
{
  const std::string first = "[region,x=3,y=3,width=25,height=30]", second = "[region,x=20,y=5,width=36,height=40]";
  const Case c = case_on (GST_VIDEO_FORMAT_GRAY8, {});
  const ref::Picture in = noise_for (c, 0);
  const auto filter = [&] (const std::string &regions) {
    Link link (
        "clmedian radius=4 roi-scale=true roi-source=list roi-list=\"<" + regions + ">\"", in_caps_of (c), out_caps_of (c));
    return filtered (c, link, in, Storage::Padded);
  };
  ref::Picture expected = filter (first);
  const ref::Picture larger = filter (second);
  for (int y = 5; y < 45; y++)
    for (int x = 20; x < 56; x++)
      expected.components[0].at (x, y) = larger.components[0].at (x, y);
  expect_same (filter (first + "," + second), expected, "both");
}

/* Each size has a stage of its own, which is made once, however many there are. */
TEST (scales)
{
  std::string regions;
  for (const int width : {5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28})
    regions += format ("%s[region,x=%d,y=2,width=%d,height=40]", regions.empty () ? "" : ",", width, width);
  Case c = case_on (GST_VIDEO_FORMAT_GRAY8, {});
  Link link (
      "clmedian radius=4 roi-scale=true roi-source=list roi-list=\"<" + regions + ">\"", in_caps_of (c), out_caps_of (c));
  guint64 before = 0;
  for (unsigned n = 0; n < 4; n++) {
    filtered (c, link, noise_for (c, n), Storage::Padded);
    const guint64 made = stat (link.element ("clmedian"), "allocations");
    /* one for a result */
    test_check (n < 2 || made <= before + 1, "%d allocations for frame %u", int (made - before), n);
    before = made;
  }
}

/* GStreamer's analytics library, of 1.24. */
struct Analytics {
  struct Item {
    guint id = 0;
    gpointer meta = nullptr;
  };
  const char *const name = "libgstanalytics-1.0.so.0";
  gpointer (*add_meta) (GstBuffer *) = LibraryFunction (name, "gst_buffer_add_analytics_relation_meta");
  gboolean (*add_detection) (gpointer, GQuark, gint, gint, gint, gint, gfloat, Item *) = LibraryFunction (
      name, "gst_analytics_relation_meta_add_od_mtd");
  gboolean (*add_tracking) (gpointer, guint64, GstClockTime, Item *) = LibraryFunction (
      name, "gst_analytics_relation_meta_add_tracking_mtd");
  gboolean (*add_class) (gpointer, gfloat, GQuark, Item *) = LibraryFunction (
      name, "gst_analytics_relation_meta_add_one_cls_mtd");
  gsize (*n_items) (gpointer) = LibraryFunction (name, "gst_analytics_relation_get_length");
  gpointer (*meta_of) (GstBuffer *) = LibraryFunction (name, "gst_buffer_get_analytics_relation_meta");
  gboolean (*relate) (gpointer, int, guint, guint) = LibraryFunction (name, "gst_analytics_relation_meta_set_relation");
};

/* A detection with a number that moves by (4, 3) a frame and is lost, and one of another label. */
static void
add_analytics (const Analytics &library, GstBuffer *buffer, int frame)
{
  constexpr int relates_to = 1 << 3;
  const gpointer meta = library.add_meta (buffer);
  Analytics::Item face, tracking;
  library.add_detection (meta, g_quark_from_static_string ("plate"), 40, 30, 9, 9, 0.5f, nullptr);
  if (frame >= 3)
    return;
  library.add_detection (meta, g_quark_from_static_string ("face"), 1 + 4 * frame, 2 + 3 * frame, 15, 12, 0.9f, &face);
  library.add_tracking (meta, G_GUINT64_CONSTANT (0xffffffff00000007), 0, &tracking);
  /* trackers write either direction */
  library.add_class (meta, 0.8f, g_quark_from_static_string ("smiles"), nullptr);
  library.relate (meta, relates_to, frame % 2 ? face.id : tracking.id, frame % 2 ? tracking.id : face.id);
}

/* In element and clchain: without the library an error that says so, with it the detections. */
TEST (analytics, 2)
{
  const Analytics library;
  Case c = case_on (GST_VIDEO_FORMAT_NV12, {});
  const std::string filter = "clmedian radius=1 roi-source=analytics roi-labels=face roi-hold=2";
  Link link (__i__ ? "clchain filters=\"" + filter + "\"" : filter, in_caps_of (c), out_caps_of (c));
  for (int n = 0; n < 6; n++) {
    c.common.roi = n < 5 ? std::vector<ref::Rectangle>{{1 + 4 * n, 2 + 3 * n, 15, 12}} : std::vector<ref::Rectangle>{};
    const ref::Picture in = noise_for (c, unsigned (n));
    GstBuffer *buffer = make_buffer (c, in, Storage::Tight);
    if (!library.add_meta) {
      ck_assert_int_eq (link.push (buffer), GST_FLOW_ERROR);
      expect_one_error (link.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, {"1.24"});
      return;
    }
    add_analytics (library, buffer, n);
    filter_and_check (c, link, in, buffer, format ("frame %d", n));
  }
}

/* Detections move with the picture, and vanish where nothing says how it moves. */
TEST (detections_move)
{
  const Analytics library;
  if (!library.add_meta)
    return;
  const struct {
    const char *element, *out;
    std::vector<std::array<int64_t, 3>> places; /* x, y, whether they have a number */
  } cases[] = {
      {"clflip video-direction=90r bottom=30", "", {{16, 1, 1}}},
      {"clconvert", "width=200,height=60", {{90, 30, 0}, {51, 2, 1}}},
      {"clconvert", "width=50,height=30", {{20, 15, 0}, {0, 1, 1}}},
      {"clwarp matrix=1,0,7;0,1,0;0,0,1", "", {}},
  };
  const std::string caps = "video/x-raw,format=GRAY8,width=100,height=60,framerate=30/1,pixel-aspect-ratio=1/1";
  for (const auto &each : cases) {
    Link link (each.element, caps, *each.out ? caps + "," + each.out : "video/x-raw");
    GstBuffer *buffer = gst_buffer_new_allocate (nullptr, 100 * 60, nullptr);
    add_analytics (library, buffer, 0);
    const Own out = link.filter (buffer);
    std::vector<std::array<int64_t, 3>> places;
    for (const gst::cl::Detection &seen : gst::cl::analytics_on (out))
      places.push_back ({seen.x, seen.y, seen.id >= 0});
    const gpointer meta = library.meta_of (out);
    ck_assert_uint_eq (meta ? library.n_items (meta) : 0, places.empty () ? 0 : places.size () + 2);
    test_check (places == each.places, "%s: %d detections are elsewhere", each.element, int (places.size ()));
  }
}

/* Objects that move evenly through a frame, end and begin anew at any time, and are lost for a while: while they are held, what comes out
 * covers them. */
TEST (no_pixel_is_lost)
{
  constexpr int width = 1920, height = 1080;
  constexpr unsigned hold = 20;
  struct Object {
    gst::cl::Detection box;
    int speed_x, speed_y;
    unsigned age, length, lost;
  };
  Random random (8800);
  int id = 0;
  const auto born = [&] {
    Object object{
        {random.between (0, width), random.between (0, height), random.between (1, 300), random.between (1, 300), id++, "face"},
        random.between (-40, 40), random.between (-40, 40), 0, unsigned (random.between (1, 200)), 0};
    return object;
  };
  gst::cl::Tracks tracks;
  std::vector<Object> objects;
  guint64 held = 0;
  for (unsigned frame = 0, n = takes_all () ? 1'000'000 : 100'000; frame < n; frame++) {
    if (random.between (0, 999) == 0) { /* a cut */
      tracks.clear ();
      objects.clear ();
    }
    while (objects.size () < 3)
      objects.push_back (born ());
    std::vector<gst::cl::Detection> seen;
    for (Object &each : objects) {
      each.box.x += each.speed_x;
      each.box.y += each.speed_y;
      const bool loses = each.age >= 2 && each.lost < hold && random.between (0, 9) < (each.lost ? 9 : 1);
      each.lost = loses ? each.lost + 1 : 0;
      each.age++;
      if (!loses)
        seen.push_back (each.box);
    }
    const auto found = tracks.step (seen, hold);
    for (const Object &each : objects) {
      held += each.lost > 0;
      const bool covered = std::ranges::any_of (found, [&] (const gst::cl::Detection &one) {
        return one.x <= each.box.x && one.y <= each.box.y && one.x + one.width >= each.box.x + each.box.width
               && one.y + one.height >= each.box.y + each.box.height;
      });
      test_check (covered, "frame %u: object %d is uncovered, %u frames lost", frame, int (each.box.id), each.lost);
    }
    std::erase_if (objects, [] (const Object &each) { return each.age >= each.length && each.lost == 0; });
  }
  test_check (held > 10'000, "objects are lost in %" G_GUINT64_FORMAT " frames alone", held);
}

}  // namespace test::regions_suite

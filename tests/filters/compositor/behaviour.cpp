/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcompositor's pictures: against a reference over formats, sizes and operators, and against GStreamer's compositor. */
#include "../../elements/inputs.hpp"
#include "reference.hpp"

#include <cstring>

namespace test::compositor_suite {

static Tests tests ("compositor", Needs::DeviceOrGL);

constexpr int canvas_width = 75, canvas_height = 45;

/* A pad, and its picture. */
struct Layer : ref::CompositeLayer {
  std::string more = {};   /* of its properties */
  std::string caps = {};   /* of its caps */
  std::string before = {}; /* elements before it, with "! " */
};

struct Composition {
  GstVideoFormat format = GST_VIDEO_FORMAT_I420;
  std::string background = "checker";
  std::vector<Layer> layers;
  std::string behind = {};
};

static std::string
name_of (const Composition &c, const std::string &element)
{
  std::string line = element + " background=" + c.background;
  for (size_t i = 0; i < c.layers.size (); i++) {
    const Layer &each = c.layers[i];
    line += format (" sink_%zu::xpos=%d sink_%zu::ypos=%d sink_%zu::alpha=%.17g sink_%zu::operator=%s", i, each.x, i, each.y, i,
        each.alpha, i, each.op.c_str ());
    if (each.width)
      line += format (" sink_%zu::width=%d sink_%zu::height=%d", i, each.width, i, each.height);
    if (!each.more.empty ())
      line += format (" sink_%zu::%s", i, each.more.c_str ());
  }
  return line;
}

/* RGB with the primaries that GStreamer assumes for small YUV, so that no colours are converted. */
static std::string
colors_of (GstVideoFormat format)
{
  return ref::make_picture (format, 1, 1).is_rgb () ? ",colorimetry=1:1:7:4" : "";
}

static ref::Picture
run (const Composition &c, const std::string &element, const std::vector<Storage> &stored = {})
{
  std::vector<InputLine> lines;
  for (size_t i = 0; i < c.layers.size (); i++) {
    const ref::Picture &picture = c.layers[i].picture;
    lines.push_back ({raw_caps (picture.layout->format, picture.width, picture.height,
                          "framerate=30/1" + colors_of (picture.layout->format) + c.layers[i].caps),
        format ("sink_%zu", i), c.layers[i].before});
  }
  Inputs inputs (name_of (c, element), lines,
      c.behind
          + format ("video/x-raw,format=%s,width=%d,height=%d%s ! ", gst_video_format_to_string (c.format), canvas_width,
              canvas_height, colors_of (c.format).c_str ()));
  for (size_t i = 0; i < c.layers.size (); i++)
    inputs.push (i, c.layers[i].picture, 0, GST_SECOND / 30,
        storage_before (c.layers[i].before, stored.empty () ? Storage::Tight : stored[i]));
  inputs.end_all ();
  return inputs.pull_picture ();
}

/* Ignores invisible samples: padding, and colours with an alpha of 0. */
static void
expect_close (const Composition &c, const ref::Picture &is, const ref::Picture &expected, int tolerance, const char *like)
{
  const ref::Component *alpha = expected.find ('a');
  for (const ref::Component &component : expected.components)
    for (const auto [x, y] : component.places ()) {
      const int got = is.find (component.name)->at (x, y), wanted = component.at (x, y);
      const bool seen = component.name != 'x' && (!alpha || component.name == 'a' || alpha->at (x, y) > 0);
      test_check (!seen || std::abs (got - wanted) <= tolerance, "%s to %s: %c of %d,%d is %d, by %s %d",
          name_of (c, "clcompositor").c_str (), gst_video_format_to_string (c.format), component.name, x, y, got, like, wanted);
    }
}

static void
check_composition (const Composition &c, Random &random)
{
  std::vector<ref::CompositeLayer> layers (c.layers.begin (), c.layers.end ());
  std::vector<Storage> stored;
  for (size_t i = 0; i < layers.size (); i++)
    stored.push_back (random.pick (storages));
  const ref::Picture like = ref::make_picture (c.format, canvas_width, canvas_height);
  /* each conversion rounds separately */
  const auto converted =
      std::ranges::count_if (c.layers, [&] (const auto &layer) { return layer.picture.layout->format != c.format; });
  expect_close (c, run (c, "clcompositor", stored), ref::composite (like, c.background, layers),
      like.layout->depth > 12 ? 3 : std::max (1, int (converted)), "the reference");
}

static ref::Picture
noise (GstVideoFormat format, int width, int height, Random &random)
{
  return ref::bounded (make_picture (format, width, height, Content::Noise, random));
}

constexpr const char *operators[] = {"source", "over", "add"}, *backgrounds[] = {"checker", "black", "white", "transparent"};

static Layer
random_layer (GstVideoFormat format, Random &random)
{
  Layer layer;
  layer.picture = noise (format, random.between (1, 60), random.between (1, 50), random);
  layer.x = random.between (-20, canvas_width);
  layer.y = random.between (-20, canvas_height);
  layer.alpha = random.pick ({1.0, 1.0, 0.7, 0.25, 0.01, 0.0});
  layer.op = random.pick (operators);
  return layer;
}

/* Into every format: pictures of the same format, and of others with and without alpha, scaled and unscaled. */
TEST (formats, system_only (ref::tried_layouts ()), 3)
{
  Random random (__i__);
  Composition c;
  c.format = ref::layouts ()[__i__].format;
  c.background = backgrounds[__i__ % 4];
  c.layers = {random_layer (c.format, random), random_layer (c.format, random), random_layer (GST_VIDEO_FORMAT_RGBA, random),
      random_layer (GST_VIDEO_FORMAT_NV12, random)};
  c.layers[1].alpha = 0.6;
  c.layers[2].x = 10; /* inside */
  c.layers[2].y = 3;
  c.layers[2].alpha = __i__ % 2 ? 1 : 0.8;
  c.layers[3].width = random.between (10, 100);
  c.layers[3].height = random.between (10, 60);
  check_composition (c, random);
}

/* From every format: two pictures each, at different positions. The gpu form reads the same samples as in `formats`. */
TEST (inputs, takes_all () || g_strcmp0 (g_getenv ("GST_CL_BACKEND"), "gpu") ? system_only (ref::tried_layouts ()) : 0, 4, 1)
{
  Random random (200 + __i__);
  for (const GstVideoFormat to : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGBA}) {
    Composition c;
    c.format = to;
    c.background = __i__ % 2 ? "transparent" : "black";
    const ref::Layout &layout = ref::layouts ()[__i__];
    if (layout.depth > 8)
      continue; /* dither */
    c.layers = {random_layer (layout.format, random), random_layer (layout.format, random)};
    check_composition (c, random);
  }
}

/* All operators, stacked. */
TEST (blending, system_only (8), 2)
{
  Random random (300 + __i__);
  Composition c;
  c.format = random.pick ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_AYUV, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_ARGB});
  c.background = __i__ % 2 ? "transparent" : "checker";
  for (int i = 0; i < 5; i++)
    c.layers.push_back (random_layer (random.pick ({c.format, GST_VIDEO_FORMAT_BGRA}), random));
  check_composition (c, random);
}

/* How much a layer may change a byte compared to compositor. With alpha, compositor divides by 255 for the layer's alpha and
 * for the colour, with an instruction of Orc: version 0.4.33 rounds to nearest, as clcompositor does; version 0.4.41 rounds
 * down, which makes a difference of up to 1 each. */
static int
compositor_tolerance (bool has_alpha)
{
  constexpr int color = 199, half = 128, nearest = 100; /* 199 * 128 / 255 = 99.9 */
  Composition c;
  c.format = GST_VIDEO_FORMAT_RGBA;
  c.background = "black";
  Layer layer;
  layer.picture = ref::make_picture (c.format, canvas_width, canvas_height);
  for (ref::Component &component : layer.picture.components)
    std::ranges::fill (component.value, component.name == 'a' ? half : color);
  c.layers = {layer};
  return has_alpha && run (c, "compositor max-threads=1").find ('r')->at (0, 0) < nearest ? 2 : 0;
}

/* Compares bytes with compositor's where both do the same: one format, no scaling. Excludes transparent YUV, which compositor
 * fills in wrongly, and `add` on transparent pixels, whose alpha it lets overflow. */
TEST (like_compositor, system_only (12), 2)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_Y42B,
      GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_RGBA,
      GST_VIDEO_FORMAT_AYUV, GST_VIDEO_FORMAT_VUYA, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_Y444_16LE};
  Random random (400 + __i__);
  Composition c;
  c.format = formats[__i__];
  const bool has_alpha = ref::make_picture (c.format, 1, 1).find ('a');
  const int tolerance = compositor_tolerance (has_alpha);
  for (int n = 0; n < 4; n++) {
    c.background = backgrounds[n == 3 && !has_alpha ? 0 : n];
    c.layers.clear ();
    for (int i = 0; i < 3; i++) {
      c.layers.push_back (random_layer (c.format, random));
      if (c.background == "transparent" && c.layers[i].op == "add")
        c.layers[i].op = "over";
    }
    expect_close (
        c, run (c, "clcompositor"), run (c, "compositor max-threads=1"), tolerance * int (c.layers.size ()), "compositor");
  }
}

/* Finds the size of pictures of one colour from their edges. */
TEST (places, system_only (1))
{
  static const struct {
    int width, height;
    const char *caps, *properties;
  } cases[] = {{40, 20, "", "width=30 sink_0::height=40 sink_0::sizing-policy=keep-aspect-ratio"},
      {40, 20, ",pixel-aspect-ratio=2/1", "xpos=-5"}, {40, 20, ",pixel-aspect-ratio=1/2", "xpos=3 sink_0::ypos=7"},
      {31, 17, ",pixel-aspect-ratio=4/3", "width=40 sink_0::height=20"},
      {31, 17, ",pixel-aspect-ratio=4/3", "width=40 sink_0::height=20 sink_0::sizing-policy=keep-aspect-ratio sink_0::xpos=9"},
      {20, 20, "", "width=0 sink_0::height=0"}, {20, 20, "", "width=0 sink_0::height=30"}, {20, 20, "", "width=-7"},
      {1, 40, "", "width=70 sink_0::height=2 sink_0::sizing-policy=keep-aspect-ratio"},
      {8, 8, "", "xpos=5 sink_0::ypos=3 sink_0::width=13 sink_0::height=11"}};
  for (const auto &each : cases)
    for (const GstVideoFormat id : {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420})
      for (const char *more : {"", " zero-size-is-unscaled=false"}) {
        if (*more && !std::strstr (each.properties, "=0"))
          continue;
        Composition c;
        c.format = id;
        c.background = std::string ("white") + more;
        Layer layer;
        layer.picture = flat (id, each.width, each.height, 77);
        for (int &value : layer.picture.components.back ().value)
          value = id == GST_VIDEO_FORMAT_RGBA ? 255 : 77;
        layer.more = each.properties;
        layer.caps = each.caps;
        c.layers = {layer};
        expect_close (c, run (c, "clcompositor"), run (c, "compositor max-threads=1"), 1, "compositor");
      }
  /* outside, at positions from which whole chroma samples would reach in */
  for (const auto &[x, y] : {std::pair (-5, 0), std::pair (0, -5), std::pair (-4, -4), std::pair (-11, 3)}) {
    Composition c;
    Layer layer;
    layer.picture = flat (c.format, 5, 5, 77);
    layer.x = x, layer.y = y;
    c.layers = {layer};
    expect_close (c, run (c, "clcompositor"), run (c, "compositor max-threads=1"), 1, "compositor");
  }
}

/* Compares the size, rate and format chosen from the pads with compositor's. */
TEST (result_caps, system_only (1))
{
  static const struct {
    const char *first, *second, *properties, *behind;
  } cases[] = {{"I420,width=64,height=48,framerate=25/1", "I420,width=32,height=80,framerate=30/1", "", ""},
      {"I420,width=64,height=48,framerate=25/1", "NV12,width=32,height=20,framerate=10/1", "sink_1::xpos=50 sink_1::ypos=40",
          ""},
      {"I420,width=64,height=48,framerate=25/1", "NV12,width=320,height=20,framerate=10/1", "sink_1::xpos=-50", ""},
      {"I420,width=64,height=48,framerate=25/1", "BGRA,width=32,height=20,framerate=10/1", "", ""},
      {"I420,width=64,height=48,framerate=25/1", "NV12,width=32,height=20,framerate=10/1", "sink_0::operator=add", ""},
      {"I420,width=64,height=48,framerate=25/1,pixel-aspect-ratio=2/1", "I420,width=3,height=2,framerate=0/1", "", ""},
      {"Y42B,width=64,height=48,framerate=25/1", "I420,width=3,height=2,framerate=30/1",
          "sink_0::width=100 sink_0::height=100 sink_0::sizing-policy=keep-aspect-ratio sink_0::xpos=5",
          "video/x-raw,framerate=12/1,height=[1,90] ! "}};
  for (const auto &each : cases) {
    std::string found[2];
    for (const bool is_peer : {false, true}) {
      Pipeline pipeline (
          format ("%s name=tested %s ! %s fakesink name=sink videotestsrc num-buffers=2 ! video/x-raw,format=%s ! "
                  "tested.sink_0 videotestsrc num-buffers=2 ! video/x-raw,format=%s ! tested.sink_1",
              is_peer ? "compositor" : "clcompositor", each.properties, each.behind, each.first, each.second));
      pipeline.play_to_end ();
      const Own chosen = caps_at (pipeline.element ("sink"), "sink");
      const GstStructure *caps = gst_caps_get_structure (chosen, 0);
      for (const char *field : {"format", "width", "height", "framerate", "pixel-aspect-ratio"}) {
        const GValue *value = gst_structure_get_value (caps, field);
        found[is_peer] += " " + (value ? text_of (gst_value_serialize (value)) : "1/1");
      }
    }
    test_check (found[0] == found[1], "%s and %s with %s give%s, by compositor%s", each.first, each.second, each.properties,
        found[0].c_str (), found[1].c_str ());
  }
}

/* Each pad in any memory, and the result in any memory. */
TEST (memories, 6)
{
  Random random (500 + __i__);
  std::vector<std::pair<std::string, std::string>> ways{{"", ""}, {"clupload ! ", "cldownload ! "}};
  if (expected_gl_path ())
    ways = {{"glupload ! ", "video/x-raw(memory:GLMemory) ! gldownload ! "}, ways[1], ways[0]};
  Composition c;
  c.format = __i__ % 2 ? GST_VIDEO_FORMAT_RGBA : GST_VIDEO_FORMAT_I420;
  c.behind = ways[__i__ % ways.size ()].second;
  for (const auto &[before, behind] : ways) {
    Layer layer = random_layer (random.pick ({c.format, GST_VIDEO_FORMAT_RGBA}), random);
    layer.picture = noise (layer.picture.layout->format, 44, 32, random); /* glupload supports only even sizes of YUV */
    layer.x = random.between (-5, 30);
    layer.alpha = 0.7;
    layer.before = before;
    c.layers.push_back (layer);
  }
  check_composition (c, random);
}

}  // namespace test::compositor_suite

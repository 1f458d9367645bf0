/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clconvert against its reference: formats, sizes, methods, colorimetry, chroma siting, borders, fields; and its
 * negotiation. */
#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"
#include "reference.hpp"

namespace test::convert_suite {

static Tests tests ("convert", Needs::Device);

/* One conversion. */
struct Conversion {
  GstVideoFormat in, out;
  int width, height, out_width, out_height;
  std::string properties = {}, in_caps = {}, out_caps = {};
  ref::Convert set = {};
  Storage storage = Storage::Tight;
};

static std::string
caps_text (GstVideoFormat id, int width, int height, const std::string &more)
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1,pixel-aspect-ratio=1/1%s%s",
      gst_video_format_to_string (id), width, height, more.empty () ? "" : ",", more.c_str ());
}

static ref::Picture
run (const Conversion &c, const ref::Picture &in)
{
  const std::string in_caps = caps_text (c.in, c.width, c.height, c.in_caps);
  const std::string out_caps = caps_text (c.out, c.out_width, c.out_height, c.out_caps);
  Link link ("clconvert dither=none primaries=none " + c.properties, in_caps, out_caps);
  return through (link, in, c.storage);
}

static std::string
name_of (const Conversion &c)
{
  return format ("%s %dx%d %s to %s %dx%d %s with %s", gst_video_format_to_string (c.in), c.width, c.height, c.in_caps.c_str (),
      gst_video_format_to_string (c.out), c.out_width, c.out_height, c.out_caps.c_str (), c.properties.c_str ());
}

static void
check_conversion (const Conversion &c, Content content = Content::Noise)
{
  const ref::Picture in = random_picture (c.in, c.width, c.height, 7, content);
  const ref::Picture like = ref::make_picture (c.out, c.out_width, c.out_height);
  const ref::Picture out = run (c, in);
  expect_same (out, ref::convert (in, like, c.set), name_of (c), like.layout->depth > 12 ? 2 : 1);
}

const ref::Colors bt709{.red = 0.2126, .blue = 0.0722};

/* Every format as input and as output, at odd sizes. A quick run takes one in two. */
TEST (formats)
{
  const auto &layouts = ref::layouts ();
  for (int i = 0; i < ref::tried_layouts (); i += takes_all () ? 1 : 2) {
    const GstVideoFormat id = layouts[i].format;
    check_conversion ({id, GST_VIDEO_FORMAT_RGBA, 37, 21, 37, 21});
    check_conversion ({GST_VIDEO_FORMAT_I420, id, 37, 21, 37, 21});
  }
}

TEST (sizes)
{
  constexpr int sizes[][4] = {{64, 48, 33, 31}, {33, 17, 71, 40}, {1, 1, 19, 18}, {40, 30, 1, 1}, {3, 50, 50, 3},
      {300, 20, 200, 14}, {150, 40, 290, 40}, {40, 40, 40, 17}, {20, 20, 400, 20}};
  for (const auto &[width, height, out_width, out_height] : sizes) {
    check_conversion (
        {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, width, height, out_width, out_height, "add-borders=false"});
    check_conversion (
        {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420, width, height, out_width, out_height, "add-borders=false"});
  }
}

TEST (methods)
{
  for (const char *method : {"nearest", "bilinear", "bicubic", "lanczos", "area"})
    for (const bool chroma : {false, true}) {
      const ref::Convert set{.method = method, .nearest_chroma = chroma};
      const std::string properties =
          format ("method=%s chroma-resampler=%s add-borders=false", method, chroma ? "nearest" : "linear");
      check_conversion ({GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, 61, 47, 40, 70, properties, "", "", set});
      check_conversion ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420, 61, 47, 100, 20, properties, "", "", set});
      check_conversion ({GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_I420, 61, 47, 61, 20, properties, "", "", set});
    }
  /* of two equally near samples, the later one */
  const ref::Convert set{.method = "nearest", .nearest_chroma = true};
  const std::string nearest = "method=nearest chroma-resampler=nearest add-borders=false";
  for (const auto &[width, out_width] : {std::pair (300, 7), std::pair (300, 14), std::pair (98, 49), std::pair (110, 22)}) {
    check_conversion ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_RGBA, width, 300, out_width, 7, nearest, "", "", set});
    check_conversion ({GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_I420, width, 300, out_width, 7, nearest, "", "", set});
  }
}

/* Matrix, range and siting of both sides. */
TEST (colorimetry)
{
  ref::Convert set{.in = bt709};
  check_conversion ({GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, 40, 32, 40, 32, "", "colorimetry=bt709", "", set});
  set.in.cosited_x = true;
  check_conversion (
      {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, 40, 32, 40, 32, "", "colorimetry=bt709,chroma-site=mpeg2", "", set});
  set.out.limited = false;
  check_conversion ({GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, 40, 32, 40, 32, "", "colorimetry=bt709,chroma-site=mpeg2",
      "colorimetry=(string)1:4:7:1,chroma-site=jpeg", set});
  set.in = {};
  set.out = {.cosited_x = true, .cosited_y = true};
  check_conversion ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420, 40, 32, 40, 32, "", "", "chroma-site=cosited", set});
  set.out = {.red = 0.2627, .blue = 0.0593};
  check_conversion ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420_10LE, 40, 32, 40, 32, "", "", "colorimetry=bt2020", set});
}

/* Other primaries, with the published matrix from SMPTE 170M to BT.709; they are ignored if nothing else changes colours. */
TEST (primaries)
{
  constexpr double to_bt709[3][3] = {{0.9395, 0.0502, 0.0103}, {0.0178, 0.9658, 0.0164}, {-0.0016, -0.0044, 1.0060}};
  const std::string from = "colorimetry=(string)1:1:5:4", to = "colorimetry=(string)1:1:5:1"; /* full range, RGB */
  const ref::Picture in = random_picture (GST_VIDEO_FORMAT_RGBA, 20, 20, 11);
  const Conversion c{GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA, 20, 20, 20, 20, "primaries=merge-only", from, to};
  expect_same (run (c, in), in, "merge-only");
  Conversion fast = c;
  fast.properties = "primaries=fast";
  ref::Picture expected = in;
  for (size_t i = 0; i < 400; i++)
    for (int row = 0; row < 3; row++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += to_bt709[row][k] * in.find ("rgb"[k])->value[i];
      for (ref::Component &component : expected.components)
        if (component.name == "rgb"[row])
          component.value[i] = int (std::clamp (std::nearbyint (sum), 0.0, 255.0));
    }
  expect_same (run (fast, in), expected, "fast", 1);
}

/* A picture of another aspect ratio is centred between black borders. */
TEST (borders)
{
  ref::Convert set{.y = 10, .width = 60, .height = 40};
  check_conversion ({GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, 90, 60, 60, 60, "", "", "", set});
  check_conversion ({GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, 90, 60, 60, 60, "", "", "", set});
  set.x = 22, set.y = 0, set.width = 45, set.height = 30;
  check_conversion ({GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, 90, 60, 90, 30, "", "", "", set});
}

TEST (layouts_of_memory)
{
  for (const Storage storage : storages)
    check_conversion ({.in = GST_VIDEO_FORMAT_NV12,
        .out = GST_VIDEO_FORMAT_RGBA,
        .width = 37,
        .height = 21,
        .out_width = 37,
        .out_height = 21,
        .storage = storage});
}

/* Gray, converted to YUV of its range and back, does not change. */
TEST (gray_comes_back)
{
  Random random (3);
  for (const GstVideoFormat between : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGBA}) {
    const ref::Picture in = make_picture (GST_VIDEO_FORMAT_GRAY8, 40, 30, Content::Noise, random);
    const std::string gray = caps_text (GST_VIDEO_FORMAT_GRAY8, 40, 30, "colorimetry=(string)1:4:0:0");
    const std::string other =
        caps_text (between, 40, 30, between == GST_VIDEO_FORMAT_I420 ? "colorimetry=(string)1:4:0:0" : "");
    Link link ("clconvert ! " + other + " ! clconvert", gray, gray);
    const Own result = link.filter (to_buffer (in, Storage::Tight, gray));
    expect_same (from_buffer (result, gray), in, gst_video_format_to_string (between));
  }
}

/* The fields of an interlaced frame are converted separately: the top field does not affect the bottom one. */
TEST (fields)
{
  ref::Picture in = random_picture (GST_VIDEO_FORMAT_I420, 32, 32, 5);
  for (ref::Component &component : in.components)
    for (int y = 0; y < component.height; y += 2)
      for (int x = 0; x < component.width; x++)
        component.at (x, y) = component.name == 'y' ? 100 : 128;
  const Conversion c{GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGBA, 32, 32, 32, 16, "add-borders=false",
      "interlace-mode=interleaved", "interlace-mode=interleaved"};
  const ref::Picture out = run (c, in);
  for (int y = 0; y < 16; y += 2)
    for (int x = 1; x < 32; x++)
      fail_unless_equals_int (out.find ('r')->at (x, y), out.find ('r')->at (0, 0));
}

/* Both fields of a taller frame come from a frame of a single row. */
TEST (fields_of_a_row)
{
  const ref::Picture in = random_picture (GST_VIDEO_FORMAT_GRAY8, 20, 1, 5);
  const Conversion c{GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY8, 20, 1, 20, 4, "add-borders=false",
      "interlace-mode=interleaved", "interlace-mode=interleaved"};
  const ref::Picture out = run (c, in);
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 20; x++)
      fail_unless_equals_int (out.components[0].at (x, y), in.components[0].at (x, 0));
}

/* A field in its own buffer gives the same result as in a frame, in filters and converters. */
TEST (single_fields)
{
  static const struct {
    const char *elements;
    int width, height;
  } cases[] = {{"clconvert dither=none", 20, 14}, {"clblur sigma=1 ! clconvert dither=none", 32, 24},
      {"clvideo filters=\"clmedian ! clcolormatrix preset=invert\"", 32, 24},
      {"clupload ! clmedian ! cldownload ! clconvert", 40, 60}, {"clmedian roi-x=4 roi-y=5 roi-width=10 roi-height=7", 32, 24}};
  const ref::Picture in = random_picture (GST_VIDEO_FORMAT_I420, 32, 24, 6);
  for (const auto &[elements, width, height] : cases) {
    const bool filters = g_str_has_prefix (elements, "clmedian");
    const GstVideoFormat id = filters ? GST_VIDEO_FORMAT_I420 : GST_VIDEO_FORMAT_RGBA;
    const auto filtered = [&] (const ref::Picture &picture, const std::string &more, const char *features, int flags) {
      const auto text = [&] (GstVideoFormat format, int w, int h) {
        return "video/x-raw" + std::string (features) + (caps_text (format, w, h, more).c_str () + strlen ("video/x-raw"));
      };
      Link link (elements, text (GST_VIDEO_FORMAT_I420, 32, 24), text (id, width, height));
      GstBuffer *buffer = to_buffer (picture, Storage::Tight, caps_text (GST_VIDEO_FORMAT_I420, 32, picture.height, ""));
      GST_BUFFER_FLAG_SET (buffer, flags);
      const Own result = link.filter (buffer);
      fail_unless (!flags || (GST_BUFFER_FLAGS (result) & GST_VIDEO_BUFFER_FLAG_TOP_FIELD) == unsigned (flags));
      /* a meta has the whole frame's height */
      if (GstVideoMeta *meta = gst_buffer_get_video_meta (result); meta && flags)
        meta->height = height / 2;
      return from_buffer (result, caps_text (id, width, flags ? height / 2 : height, ""));
    };
    const ref::Picture frame = filtered (in, "interlace-mode=interleaved", "", 0);
    for (const int field : {0, 1})
      expect_same (filtered (ref::field_of (in, field), "interlace-mode=alternate", "(format:Interlaced)",
                       int (field ? GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD : GST_VIDEO_BUFFER_FLAG_TOP_FIELD)),
          ref::field_of (frame, field), elements);
  }
}

/* Dithering changes a sample by at most one, and keeps the mean. */
TEST (dither)
{
  for (const char *method : {"bayer", "noise", "auto"}) {
    ref::Picture in = ref::make_picture (GST_VIDEO_FORMAT_GRAY16_LE, 64, 64);
    for (int &v : in.components[0].value)
      v = 30000;
    Conversion c{GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_GRAY8, 64, 64, 64, 64, format ("dither=%s", method)};
    const ref::Picture out = run (c, in);
    double sum = 0;
    for (const int v : out.components[0].value) {
      sum += v;
      fail_unless (v == 116 || v == 117, "%s: %d", method, v);
    }
    const double mean = sum / out.components[0].value.size (), wanted = 30000 / 257.0;
    fail_unless (std::abs (mean - wanted) < 0.05, "%s: the mean is %f, not %f", method, mean, wanted);
  }
}

/* Frames pass unchanged if both pads have the same caps. */
TEST (passes)
{
  const std::string caps = caps_text (GST_VIDEO_FORMAT_I420, 32, 32, "");
  Link link ("clconvert", caps, caps);
  GstBuffer *buffer = to_buffer (random_picture (GST_VIDEO_FORMAT_I420, 32, 32), Storage::Tight, caps);
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  const Own result = link.filter (buffer);
  fail_unless (gst_buffer_peek_memory (result, 0) == memory);
}

/* Crops and regions, also partly outside the frame, move with their pixels, beside borders; pointer events are moved back. */
TEST (places)
{
  const std::string caps = caps_text (GST_VIDEO_FORMAT_GRAY8, 40, 40, "");
  Link link ("clconvert", caps, caps_text (GST_VIDEO_FORMAT_GRAY8, 100, 60, "pixel-aspect-ratio=1/1"));
  GstBuffer *buffer = to_buffer (random_picture (GST_VIDEO_FORMAT_GRAY8, 40, 40), Storage::Tight, caps);
  GstVideoRegionOfInterestMeta *face = gst_buffer_add_video_region_of_interest_meta (buffer, "face", guint (-3), 5, 10, 10);
  gst_video_region_of_interest_meta_add_param (face, gst_structure_new_empty ("detail"));
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = 4, crop->y = 6, crop->width = 10, crop->height = 20;
  const Own result = link.filter (buffer);
  crop = gst_buffer_get_video_crop_meta (result);
  fail_unless (crop && crop->x == 20 + 6 && crop->y == 9 && crop->width == 15 && crop->height == 30);
  /* the picture is 60 x 60, at 20; -4.5..10.5 and 7.5..22.5 of it become whole pixels */
  auto *placed = reinterpret_cast<GstVideoRegionOfInterestMeta *> (
      gst_buffer_get_meta (result, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
  fail_unless (placed && placed->x == 20 - 5 && placed->y == 7 && placed->w == 5 + 11 && placed->h == 23 - 7);
  fail_unless (gst_video_region_of_interest_meta_get_param (placed, "detail"));
  ck_assert (link.pointer_from (50, 30) == std::pair (20.0, 20.0));
}

/* Caps are negotiated like videoconvertscale's, except for its bugs. */
TEST (negotiation)
{
  const char *hd = "video/x-raw,format=NV12,width=1920,height=1080,framerate=25/1,colorimetry=bt709,chroma-site=mpeg2";
  const char *pal = "video/x-raw,format=I420,width=720,height=576,framerate=25/1,pixel-aspect-ratio=16/11,colorimetry=bt601";
  const struct {
    const char *in, *wanted, *out;
  } cases[] = {
      {hd, "video/x-raw", hd},
      {hd, "video/x-raw,format=RGBA", "video/x-raw,format=RGBA,width=1920,height=1080,colorimetry=1:1:5:1"},
      {hd, "video/x-raw,format={GRAY8,RGB,Y42B}", "video/x-raw,format=Y42B,colorimetry=bt709"},
      {hd, "video/x-raw,width=640,height=640", "video/x-raw,format=NV12,width=640,height=640,pixel-aspect-ratio=16/9"},
      {hd, "video/x-raw,height=360,pixel-aspect-ratio=1/1", "video/x-raw,format=NV12,width=640,height=360"},
      {hd, "video/x-raw,width=[1,500],height=[1,400],pixel-aspect-ratio=1/1", "video/x-raw,width=500,height=281"},
      {hd, "video/x-raw,format=GRAY16_LE", "video/x-raw,format=GRAY16_LE,colorimetry=1:4:5:1"},
      {pal, "video/x-raw,pixel-aspect-ratio=1/1", "video/x-raw,format=I420,width=1047,height=576,pixel-aspect-ratio=1/1"},
      {pal, "video/x-raw,width={320,640,800},height={240,480,600}",
          "video/x-raw,width=640,height=600,pixel-aspect-ratio=75/44"},
      {pal, "video/x-raw,width=1280,height=720", "video/x-raw,format=I420,width=1280,height=720,pixel-aspect-ratio=45/44"},
  };
  for (const auto &[in, wanted, out] : cases) {
    const Own caps = negotiated ("clconvert", in, wanted), expected = gst_caps_from_string (out);
    test_check (caps && gst_caps_can_intersect (caps, expected) && gst_caps_is_fixed (caps), "%s for %s is %" GST_PTR_FORMAT,
        in, wanted, caps.get ());
  }
}

/* Textures of two formats and sizes give the same bytes as system memory. */
TEST (textures)
{
  if (!g_getenv ("GST_CL_TEST_GL"))
    return;
  const std::string in_caps = caps_text (GST_VIDEO_FORMAT_RGBA, 48, 32, "");
  const ref::Picture in = random_picture (GST_VIDEO_FORMAT_RGBA, 48, 32, 13);
  for (const GstVideoFormat to : {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12}) {
    const std::string out_caps = caps_text (to, 20, 24, "");
    const std::string gl_caps = "video/x-raw(memory:GLMemory)" + out_caps.substr (strlen ("video/x-raw"));
    std::vector<ref::Picture> results;
    for (const std::string &line :
        {std::string ("clconvert add-borders=false"), "glupload ! clconvert add-borders=false ! " + gl_caps + " ! gldownload",
            "glupload ! clconvert add-borders=false ! " + out_caps + " ! identity",
            "clconvert add-borders=false ! " + gl_caps + " ! gldownload"}) {
      Link link (line, in_caps, out_caps);
      for (int frame = 0; frame < 3; frame++) {
        results.push_back (through (link, in));
        expect_same (results.back (), results.front (), line);
      }
    }
  }
}

/* clvideo takes and produces any format, and its filters change while playing. */
TEST (video_bin)
{
  const std::string in_caps = caps_text (GST_VIDEO_FORMAT_I420, 48, 32, ""),
                    out_caps = caps_text (GST_VIDEO_FORMAT_RGBA, 24, 16, "");
  const ref::Picture in = random_picture (GST_VIDEO_FORMAT_I420, 48, 32, 17);
  Link plain ("clconvert", in_caps, out_caps), row ("clcolormatrix preset=invert ! clconvert", in_caps, out_caps);
  Link bin ("clvideo", in_caps, out_caps);
  expect_same (through (bin, in), through (plain, in), "without filters");
  bin.set ("clvideo", "filters", "clcolormatrix preset=invert");
  expect_same (through (bin, in), through (row, in), "inverted");
  bin.set ("clvideo", "filters", "nonsense");
  expect_same (through (bin, in), through (row, in), "after nonsense");
  bin.set ("clvideo", "filters", "");
  expect_same (through (bin, in), through (plain, in), "without filters again");

  expect_refusal ("clvideo", "filters", "nonsense", {"nonsense"});
  for (const char *filters : {"", "clcolormatrix"}) {
    bin.set ("clvideo", "filters", filters);
    for (const char *invalid : {"", "nonsense"}) {
      if (*invalid)
        bin.set ("clvideo", "filters", invalid);
      test_check (text_property (bin.element ("clvideo"), "filters") == filters, "filters is not \"%s\"", filters);
    }
  }
}

/* A launch line sets properties of clvideo's filters as of clchain's. */
TEST (video_filters_in_lines)
{
  for (const char *line : {"clvideo filters=\"clmedian ! clblur name=soft\" filter0::radius=3 soft::sigma=5",
           "clvideo filter0::radius=3 soft::sigma=5 filters=\"clmedian ! clblur name=soft\""}) {
    g_autoptr (GstElement) bin = gst_parse_launch (line, nullptr);
    gint radius = 0;
    gdouble sigma = 0;
    gst_child_proxy_get (GST_CHILD_PROXY (bin), "chain::filter0::radius", &radius, "filter1::sigma", &sigma, nullptr);
    test_check (radius == 3 && sigma == 5, "%s: radius is %d, sigma %g", line, radius, sigma);
  }
}

}  // namespace test::convert_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltonemap against its reference: formats, ranges in and out, curves, gamuts, measured peaks; and its negotiation. */
#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"
#include "reference.hpp"

namespace test::tonemap_suite {

static Tests tests ("tonemap", Needs::Device);

constexpr int width = 38, height = 22;

static std::string
colorimetry_of (const std::string &transfer, bool wide, bool rgb)
{
  GstVideoColorimetry c{};
  c.range = rgb ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235;
  c.matrix = rgb ? GST_VIDEO_COLOR_MATRIX_RGB : wide ? GST_VIDEO_COLOR_MATRIX_BT2020 : GST_VIDEO_COLOR_MATRIX_BT709;
  c.primaries = wide ? GST_VIDEO_COLOR_PRIMARIES_BT2020 : GST_VIDEO_COLOR_PRIMARIES_BT709;
  c.transfer = transfer == "pq"     ? GST_VIDEO_TRANSFER_SMPTE2084
               : transfer == "hlg"  ? GST_VIDEO_TRANSFER_ARIB_STD_B67
               : transfer == "srgb" ? GST_VIDEO_TRANSFER_SRGB
                                    : GST_VIDEO_TRANSFER_BT709;
  gchar *text = gst_video_colorimetry_to_string (&c);
  const std::string result = text;
  g_free (text);
  return result;
}

static std::string
caps_of (GstVideoFormat id, const std::string &transfer, bool wide, const std::string &more = "")
{
  const bool rgb = ref::make_picture (id, 1, 1).is_rgb ();
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1,colorimetry=(string)%s%s",
      gst_video_format_to_string (id), width, height, colorimetry_of (transfer, wide, rgb).c_str (), more.c_str ());
}

class Mapping {
public:
  Mapping (GstVideoFormat id, const ref::ToneMap &s, const std::string &properties, const std::string &metadata = "")
      : in_caps (gst_caps_from_string (caps_of (id, s.from, s.wide_in, metadata).c_str ())),
        out_caps (gst_caps_from_string (caps_of (id, s.to, s.wide_out).c_str ())),
        link ("cltonemap " + properties, caps_of (id, s.from, s.wide_in, metadata), caps_of (id, s.to, s.wide_out))
  {
  }
  ~Mapping ()
  {
    gst_caps_unref (in_caps);
    gst_caps_unref (out_caps);
  }
  Mapping (const Mapping &) = delete;
  Mapping &operator= (const Mapping &) = delete;

  ref::Picture run (const ref::Picture &in, guint64 number = 0)
  {
    const Own result = link.filter (timed (to_buffer (in, Storage::Padded, in_caps), number * GST_SECOND / 25));
    return from_buffer (result, out_caps);
  }

private:
  GstCaps *const in_caps, *const out_caps;
  Link link;
};

static void
check (GstVideoFormat id, const ref::ToneMap &s, Content content = Content::Noise, int frames = 1)
{
  Random random (7);
  const std::string properties = format ("target=%s algorithm=%s gamut=%s peak=%g desaturate=%g",
      s.to == "sdr" || s.to == "srgb" ? "sdr" : "caps", s.algorithm.c_str (), s.gamut.c_str (), s.peak, s.desaturate);
  Mapping mapping (id, s, properties);
  for (int i = 0; i < frames; i++) {
    const ref::Picture in = make_picture (id, width, height, content, random);
    expect_same (mapping.run (in, i), ref::tone_map (in, s),
        format ("%s from %s to %s, %s", gst_video_format_to_string (id), s.from.c_str (), s.to.c_str (), properties.c_str ()),
        1);
  }
}

/* A gray picture with a square of another gray, an eighth of the picture. */
static ref::Picture
two_grays (GstVideoFormat id, int dark, int bright)
{
  ref::Picture picture = ref::make_picture (id, width, height);
  for (ref::Component &component : picture.components)
    for (const auto [x, y] : component.places ())
      component.at (x, y) = y < component.height / 2 && x < component.width / 4 ? bright : dark;
  return picture;
}

/* The measured peak of a bright gray of 10 bits and full range: the upper end of its bin. */
static double
bin_peak (int bright)
{
  return ref::nits_of ("pq", (std::min (bright * 1024 / 1023, 1023) + 1) / 1024.0);
}

TEST (formats)
{
  for (const GstVideoFormat id : {GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_NV12,
           GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_GBR_10LE, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRA}) {
    const bool rgb = ref::make_picture (id, 1, 1).is_rgb ();
    check (id, {.to = rgb ? "srgb" : "sdr"});
  }
}

TEST (ranges)
{
  const GstVideoFormat id = GST_VIDEO_FORMAT_GBR_10LE;
  for (const Content content : {Content::Noise, Content::Gradient}) {
    check (id, {.from = "hlg", .to = "srgb"}, content);
    check (id, {.from = "hlg", .to = "pq", .wide_out = true, .target = 10000}, content);
    check (id, {.from = "pq", .to = "hlg", .wide_out = true, .peak = 4000, .target = 1000}, content);
    check (id, {.from = "srgb", .to = "hlg", .wide_in = false, .wide_out = true, .peak = 203, .target = 1000}, content);
    check (id, {.from = "sdr", .to = "pq", .wide_in = false, .wide_out = true, .peak = 203, .target = 10000}, content);
  }
}

TEST (curves)
{
  for (const char *algorithm : {"bt2390", "hable", "mobius", "reinhard", "linear", "clip"})
    for (const double peak : {10000.0, 600.0, 100.0})
      check (GST_VIDEO_FORMAT_GBR_10LE,
          {.to = "srgb", .algorithm = algorithm, .gamut = "clip", .peak = peak, .desaturate = peak / 10000});
  for (const char *gamut : {"relative", "desaturate"})
    for (const double desaturate : {0.0, 1.0})
      check (GST_VIDEO_FORMAT_GBR_10LE, {.to = "srgb", .gamut = gamut, .peak = 4000, .desaturate = desaturate});
}

/* Dark components of the brightest colours, which HLG and BT.1886 amplify, and colours at the edge of the gamut. */
TEST (edges)
{
  for (const GstVideoFormat id : {GST_VIDEO_FORMAT_Y444_10LE, GST_VIDEO_FORMAT_GBR_10LE})
    check (id, {.to = "hlg", .wide_out = true, .peak = 1000, .target = 1000, .desaturate = 0.5}, Content::Noise, 6);
  check (GST_VIDEO_FORMAT_Y444_10LE, {.gamut = "relative", .peak = 1000}, Content::Noise, 6);
}

/* The peak of each frame, its mean over frames, and the peak from the caps. */
TEST (peaks)
{
  const GstVideoFormat id = GST_VIDEO_FORMAT_GBR_10LE;
  const ref::Picture bright = two_grays (id, 300, 850), dim = two_grays (id, 300, 640);
  const auto expect = [&] (Mapping &mapping, guint64 number, const ref::Picture &in, double peak) {
    expect_same (
        mapping.run (in, number), ref::tone_map (in, {.to = "srgb", .peak = peak}), format ("a peak of %g nits", peak), 1);
  };
  const double high = bin_peak (850), low = bin_peak (640);
  const ref::ToneMap to_sdr{.to = "srgb"};
  Mapping mapping (id, to_sdr, "smoothing=3");
  expect (mapping, 0, dim, low);
  expect (mapping, 1, bright, high); /* takes effect at once */
  expect (mapping, 2, dim, (2 * low + high) / 3);
  expect (mapping, 3, dim, (2 * low + high) / 3);
  expect (mapping, 4, dim, low);
  expect (mapping, 5, bright, high);
  expect (mapping, 100, dim, low); /* after a jump in the stream */

  Mapping by_content (id, to_sdr, "", ",content-light-level=(string)400:100");
  expect (by_content, 0, bright, 400);
  Mapping by_display (id, to_sdr, "", ",mastering-display-info=(string)35400:14600:8500:39850:6550:2300:15635:16450:5000000:1");
  expect (by_display, 0, bright, 500);
}

/* A thousandth of the pixels counts as a peak; one in twenty thousand does not. */
TEST (specks)
{
  const GstVideoFormat id = GST_VIDEO_FORMAT_NV12;
  for (const int specks : {2, 40}) {
    const std::string caps = "video/x-raw,format=NV12,width=400,height=400,framerate=25/1,colorimetry=bt2100-pq";
    ref::Picture in = ref::make_picture (id, 400, 400);
    for (ref::Component &component : in.components)
      std::ranges::fill (component.value, component.name == 'y' ? 130 : 128);
    for (int i = 0; i < specks; i++)
      in.components[0].at (2 * i, 10) = 230;
    Link link ("cltonemap", caps, "video/x-raw,format=NV12,width=400,height=400,framerate=25/1,colorimetry=bt709");
    const Own result = link.filter (to_buffer (in, Storage::Tight, caps));
    const ref::Picture out = from_buffer (result, caps);
    const double peak = specks == 2 ? 203 : ref::nits_of ("pq", (int ((230 - 16) / 219.0 * 1024) + 1) / 1024.0);
    const ref::Picture expected = ref::tone_map (in, {.peak = peak});
    test_check (std::abs (out.components[0].at (1, 1) - expected.components[0].at (1, 1)) <= 1, "%d specks: %d, not %d", specks,
        out.components[0].at (1, 1), expected.components[0].at (1, 1));
  }
}

/* Caps for the target sdr, and for the target that downstream requests. */
TEST (negotiation)
{
  const std::string size = ",width=64,height=48,framerate=25/1", hdr = ",content-light-level=(string)1000:400";
  const struct {
    const char *properties;
    std::string in, wanted, out;
  } cases[] = {
      {"", "video/x-raw,format=P010_10LE,colorimetry=bt2100-pq" + size + hdr, "video/x-raw",
          "video/x-raw,format=P010_10LE,colorimetry=bt709" + size},
      {"", "video/x-raw,format=P010_10LE,colorimetry=bt2100-hlg" + size, "video/x-raw",
          "video/x-raw,format=P010_10LE,colorimetry=bt709" + size},
      {"", "video/x-raw,format=RGBA,colorimetry=(string)1:1:14:7" + size, "video/x-raw",
          "video/x-raw,format=RGBA,colorimetry=sRGB" + size},
      {"", "video/x-raw,format=I420,colorimetry=bt2020" + size + hdr, "video/x-raw",
          "video/x-raw,format=I420,colorimetry=bt2020" + size + hdr},
      {"target=caps", "video/x-raw,format=P010_10LE,colorimetry=bt2100-pq" + size + hdr, "video/x-raw",
          "video/x-raw,format=P010_10LE,colorimetry=bt2100-pq" + size + hdr},
      {"target=caps", "video/x-raw,format=P010_10LE,colorimetry=bt2100-pq" + size + hdr,
          "video/x-raw,colorimetry={bt2100-hlg,bt709}", "video/x-raw,format=P010_10LE,colorimetry=bt2100-hlg" + size},
      {"target=caps", "video/x-raw,format=P010_10LE,colorimetry=bt709" + size, "video/x-raw,colorimetry=bt2100-pq",
          "video/x-raw,format=P010_10LE,colorimetry=bt2100-pq" + size},
  };
  for (const auto &[properties, in, wanted, out] : cases) {
    const Own caps = negotiated (std::string ("cltonemap ") + properties, in, wanted);
    const Own expected = gst_caps_from_string (out.c_str ());
    test_check (caps && gst_caps_is_subset (caps, expected)
                    && gst_structure_has_field (gst_caps_get_structure (caps, 0), "content-light-level")
                           == gst_structure_has_field (gst_caps_get_structure (expected, 0), "content-light-level"),
        "%s for %s with %s is %" GST_PTR_FORMAT, in.c_str (), wanted.c_str (), properties, caps.get ());
  }
}

/* A source that can label its video freely does not see downstream's preference. */
TEST (sources)
{
  Pipeline pipeline ("videotestsrc num-buffers=1 ! video/x-raw,format=RGBA ! cltonemap name=tested target=caps ! "
                     "video/x-raw,colorimetry=(string)1:1:14:7 ! fakesink");
  pipeline.must_reach (GST_STATE_PAUSED);
  const Own caps = caps_at (pipeline.element ("tested"), "sink");
  fail_if (g_strcmp0 (gst_structure_get_string (gst_caps_get_structure (caps, 0), "colorimetry"), "1:1:14:7") == 0);
}

/* SDR passes unchanged; another target changes the caps while the stream runs. */
TEST (live)
{
  const std::string caps = caps_of (GST_VIDEO_FORMAT_P010_10LE, "pq", true);
  const ref::Picture in = random_picture (GST_VIDEO_FORMAT_P010_10LE, width, height, 3);
  Link link ("cltonemap target=caps", caps, "video/x-raw");
  const auto passes = [&] {
    const Own result = link.filter (to_buffer (in, Storage::Tight, caps));
    const ref::Picture out = from_buffer (result, caps);
    return std::ranges::equal (
        out.components, in.components, {}, [] (const ref::Component &c) { return c.value; },
        [] (const ref::Component &c) { return c.value; });
  };
  fail_unless (passes ());
  link.set ("cltonemap", "target", "sdr");
  fail_if (passes ());
  link.set ("cltonemap", "target", "caps");
  fail_unless (passes ());
}

/* Textures give the same bytes as system memory. */
TEST (textures)
{
  if (!g_getenv ("GST_CL_TEST_GL"))
    return;
  const std::string in_caps = caps_of (GST_VIDEO_FORMAT_RGBA, "pq", true),
                    out_caps = caps_of (GST_VIDEO_FORMAT_RGBA, "srgb", false);
  const ref::Picture in = random_picture (GST_VIDEO_FORMAT_RGBA, width, height, 13);
  std::vector<ref::Picture> results;
  for (const char *line : {"cltonemap", "glupload ! cltonemap ! video/x-raw(memory:GLMemory) ! gldownload"}) {
    Link link (line, in_caps, out_caps);
    results.push_back (through (link, in));
  }
  expect_same (results[1], results[0], "textures");
}

/* An invalid peak is refused, and the old one stays. */
TEST (bad_peaks)
{
  const Own element = gst_element_factory_make ("cltonemap", nullptr);
  for (const char *text : {"", "bright", "0", "-3", "10001", "100 nits", "nan", "inf"}) {
    g_object_set (element, "peak", "400", "peak", text, nullptr);
    ck_assert_str_eq (text_property (element.get (), "peak").c_str (), "400");
  }
}

}  // namespace test::tonemap_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every format of the installed videoconvert: clconvert reads and writes the same pixels as GStreamer's pack and unpack
 * functions, and clflip supports each format for filters. */
#include <algorithm>

#include "../../elements/frames.hpp"
#include "../../elements/pipeline.hpp"

namespace test::convert_formats_suite {

static Tests tests ("convert_formats", Needs::Device);

/* Odd, with several tiles of every format, and an unpaired last row of tiles. */
constexpr int width = 149, height = 133;

/* Frames of a format, unpacked by GStreamer to lines of four components. */
class Pixels {
public:
  explicit Pixels (const GstVideoFormatInfo &of_)
      : of (of_), wide (GST_VIDEO_FORMAT_INFO_DEPTH (gst_video_format_get_info (of.unpack_format), 0) == 16),
        bytes (size_t (width) * height * 4 * (wide ? 2 : 1))
  {
  }

  guint get (int x, int y, int sample) const
  {
    const size_t at = (size_t (y) * width + x) * 4 + sample;
    return wide ? reinterpret_cast<const guint16 *> (bytes.data ())[at] : bytes[at];
  }
  void set (int x, int y, int sample, guint value)
  {
    const size_t at = (size_t (y) * width + x) * 4 + sample;
    if (wide)
      reinterpret_cast<guint16 *> (bytes.data ())[at] = guint16 (value);
    else
      bytes[at] = guint8 (value);
  }
  guint8 *line (int y) { return bytes.data () + bytes.size () / height * y; }
  int bits () const { return wide ? 16 : 8; }

  /* Alpha comes first, followed by the other components in order. */
  static int component_of (int sample) { return sample == 0 ? 3 : sample - 1; }
  bool has (int component) const
  {
    /* Y410 has alpha but not the flag for it */
    return component < int (GST_VIDEO_FORMAT_INFO_N_COMPONENTS (&of)) && GST_VIDEO_FORMAT_INFO_DEPTH (&of, component) > 0;
  }
  /* How many bits are significant. */
  int depth (int sample) const
  {
    const int component = component_of (sample);
    return GST_VIDEO_FORMAT_INFO_HAS_PALETTE (&of) || !has (component) ? bits ()
                                                                       : int (GST_VIDEO_FORMAT_INFO_DEPTH (&of, component));
  }
  int sub_x (int sample) const
  {
    return sample && has (component_of (sample)) ? GST_VIDEO_FORMAT_INFO_W_SUB (&of, sample - 1) : 0;
  }
  int sub_y (int sample) const
  {
    return sample && has (component_of (sample)) ? GST_VIDEO_FORMAT_INFO_H_SUB (&of, sample - 1) : 0;
  }

  const GstVideoFormatInfo &of;
  const bool wide;
  std::vector<guint8> bytes;
};

static std::string
caps_text (GstVideoFormat id)
{
  const GstVideoFormatInfo *info = gst_video_format_get_info (id);
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1,pixel-aspect-ratio=1/1,colorimetry=%s%s",
      gst_video_format_to_string (id), width, height, GST_VIDEO_FORMAT_INFO_IS_RGB (info) ? "sRGB" : "bt601",
      GST_VIDEO_FORMAT_INFO_IS_GRAY (info) ? "" : ",chroma-site=jpeg");
}

/* A mapped buffer of these caps. */
class Mapped {
public:
  Mapped (GstBuffer *buffer, GstVideoFormat id, GstMapFlags how)
  {
    const GstVideoInfo info = info_of (caps_text (id));
    fail_unless (gst_video_frame_map (&frame, &info, buffer, how));
  }
  ~Mapped () { gst_video_frame_unmap (&frame); }
  Mapped (const Mapped &) = delete;
  Mapped &operator= (const Mapped &) = delete;

  GstVideoFrame frame;
};

static GstBuffer *
new_buffer (GstVideoFormat id)
{
  return timed (filled (info_of (caps_text (id)).size, 0), 0);
}

/* GStreamer's palette follows the bytes for its entries. */
static GstBuffer *
noise_in (const GstVideoFormatInfo &info)
{
  Pixels noise (info);
  Random random (41);
  for (guint8 &byte : noise.bytes)
    byte = guint8 (random.between (0, 255));
  GstBuffer *buffer = new_buffer (info.format);
  Mapped to (buffer, info.format, GST_MAP_WRITE);
  for (int y = 0; y < height; y++)
    info.pack_func (&info, GST_VIDEO_PACK_FLAG_NONE, noise.line (y), gint (noise.bytes.size () / height), to.frame.data,
        to.frame.info.stride, GST_VIDEO_CHROMA_SITE_JPEG, y, width);
  gsize bytes = 0;
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (&info)) {
    const gconstpointer palette = gst_video_format_get_palette (info.format, &bytes);
    memcpy (to.frame.data[1], palette, bytes);
  }
  return buffer;
}

static Pixels
unpack (const GstVideoFormatInfo &info, GstBuffer *buffer)
{
  Pixels pixels (info);
  Mapped from (buffer, info.format, GST_MAP_READ);
  for (int y = 0; y < height; y++)
    info.unpack_func (
        &info, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, pixels.line (y), from.frame.data, from.frame.info.stride, 0, y, width);
  return pixels;
}

/* The pixels as a converter sees them: scaled to full range, for formats of few bits. */
static GstBuffer *
spread (const Pixels &pixels)
{
  GstBuffer *buffer = new_buffer (pixels.of.unpack_format);
  Pixels result = pixels;
  for (int sample = 0; sample < (GST_VIDEO_FORMAT_INFO_IS_RGB (&pixels.of) ? 4 : 1); sample++)
    for (const auto [x, y] : ref::Places{width, height}) {
      guint value = pixels.get (x, y, sample);
      for (int n = pixels.depth (sample); n < pixels.bits (); n *= 2)
        value |= value >> n;
      result.set (x, y, sample, value);
    }
  Mapped to (buffer, pixels.of.unpack_format, GST_MAP_WRITE);
  for (int y = 0; y < height; y++)
    memcpy (static_cast<guint8 *> (to.frame.data[0]) + size_t (y) * to.frame.info.stride[0], result.line (y),
        result.bytes.size () / height);
  return buffer;
}

static int failures;

/* Whether the significant bits are equal; place: the index of the pixel at (x, y). */
template <typename Place>
static void
expect_equal (const Pixels &is, const Pixels &expected, const char *what, const Place &place)
{
  int wrong = 0;
  const bool is_gray = GST_VIDEO_FORMAT_INFO_IS_GRAY (&expected.of);
  /* GStreamer (1.26) leaves out the last tile of MT2110T and MT2110R unless it is whole */
  const int columns = g_str_has_prefix (gst_video_format_to_string (expected.of.format), "MT2110") ? width / 16 * 16 : width;
  for (int sample = 0; sample < 4; sample++) {
    if (!is_gray && !expected.has (Pixels::component_of (sample)))
      continue; /* padding */
    const int spare = expected.bits () - expected.depth (sample);
    for (const auto [x, y] : ref::Places{columns, height}) {
      const auto [from_x, from_y] = place (x, y, sample);
      const guint found = is.get (x, y, sample) >> spare, wanted = expected.get (from_x, from_y, sample) >> spare;
      if (found != wanted && wrong++ < 3)
        g_printerr ("%s, %s: sample %d of (%d, %d) is %u, not %u\n", gst_video_format_to_string (expected.of.format), what,
            sample, x, y, found, wanted);
    }
  }
  failures += wrong > 0;
}

constexpr auto same_place = [] (int x, int y, int) { return std::pair (x, y); };

static GstBuffer *
run (const std::string &line, GstVideoFormat from, GstVideoFormat to, GstBuffer *buffer)
{
  Link link (line, caps_text (from), caps_text (to));
  return link.filter (buffer);
}

static std::vector<GstVideoFormat>
formats_of (const char *factory_name, GstVideoFormat without = GST_VIDEO_FORMAT_UNKNOWN)
{
  std::vector<GstVideoFormat> formats;
  const Own factory = gst_element_factory_find (factory_name);
  fail_unless (factory != nullptr);
  for (const GList *l = gst_element_factory_get_static_pad_templates (factory); l; l = l->next) {
    const auto pad = static_cast<GstStaticPadTemplate *> (l->data);
    if (!g_str_equal (pad->name_template, "src")) /* a mask has few formats, and templates have no order */
      continue;
    const Own caps = gst_static_pad_template_get_caps (pad);
    for (guint i = 0; i < gst_caps_get_size (caps); i++) {
      const GValue *list = gst_structure_get_value (gst_caps_get_structure (caps, i), "format");
      const bool system = gst_caps_features_is_equal (gst_caps_get_features (caps, i), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
      for (guint n = 0; system && n < gst_value_list_get_size (list); n++)
        formats.push_back (gst_video_format_from_string (g_value_get_string (gst_value_list_get_value (list, n))));
    }
  }
  std::erase (formats, without);
  std::erase (formats, gst_video_format_from_string ("DMA_DRM")); /* stands for others */
  return formats;
}

/* GStreamer (1.26) swaps U and V in lines at odd addresses, and in the last pixel. */
constexpr GstVideoFormat misread = GST_VIDEO_FORMAT_VYUY;

const std::string converter = "clconvert dither=none primaries=none chroma-resampler=nearest";

/* clconvert and clvideo list all formats, filters list those with at least eight bits. */
TEST (names)
{
  const std::vector<GstVideoFormat> theirs = formats_of ("videoconvert");
  for (const char *element : {"clconvert", "clvideo", "clmedian"}) {
    const std::vector<GstVideoFormat> ours = formats_of (element);
    for (const GstVideoFormat id : theirs) {
      const GstVideoFormatInfo *info = gst_video_format_get_info (id);
      const bool small = GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) < 8 || GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info);
      const bool wanted = !g_str_equal (element, "clmedian") || !small;
      test_check ((std::ranges::count (ours, id) == 1) == wanted, "%s: %s", element, gst_video_format_to_string (id));
    }
  }
}

/* A quick run takes one format in six, and the one with a palette. */
TEST (conversion)
{
  for (const GstVideoFormat id : formats_of ("videoconvert", misread)) {
    if (id % 6 && id != GST_VIDEO_FORMAT_RGB8P && !takes_all ())
      continue;
    const GstVideoFormatInfo &info = *gst_video_format_get_info (id);
    GstBuffer *frame = noise_in (info);
    const Pixels expected = unpack (info, frame);
    GstBuffer *back = run (converter, info.unpack_format, id, spread (expected));
    expect_equal (unpack (info, back), expected, "written", same_place);
    gst_buffer_unref (back);
    const Own read = run (converter, id, info.unpack_format, frame);
    Pixels found (info);
    Mapped from (read, info.unpack_format, GST_MAP_READ);
    for (int y = 0; y < height; y++)
      memcpy (found.line (y), static_cast<guint8 *> (from.frame.data[0]) + size_t (y) * from.frame.info.stride[0],
          found.bytes.size () / height);
    expect_equal (found, expected, "read", same_place);
  }
  fail_unless_equals_int (failures, 0);
}

/* The same picture upside down; chroma samples keep their pixels. A quick run takes one format in twelve. */
TEST (filter)
{
  for (const GstVideoFormat id : formats_of ("clflip", misread)) {
    if (id % 12 && !takes_all ())
      continue;
    const GstVideoFormatInfo &info = *gst_video_format_get_info (id);
    GstBuffer *frame = noise_in (info);
    const Pixels before = unpack (info, frame);
    const Own result = run ("clflip video-direction=180", id, id, frame);
    const auto turned = [] (int at, int size, int sub) {
      const int samples = GST_VIDEO_SUB_SCALE (sub, size);
      return (samples - 1 - (at >> sub)) << sub;
    };
    expect_equal (unpack (info, result), before, "turned", [&] (int x, int y, int sample) {
      return std::pair (turned (x, width, before.sub_x (sample)), turned (y, height, before.sub_y (sample)));
    });
  }
  fail_unless_equals_int (failures, 0);
}

}  // namespace test::convert_formats_suite

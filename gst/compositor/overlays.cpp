/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/overlays.hpp"

#include "core/arithmetic.hpp"
#include "filter/tracks.hpp"

#include <gst/video/video-overlay-composition.h>

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

/* The overlay library's pixel format, not premultiplied. */
constexpr GstVideoFormat pixel_format = GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB;

}  // namespace

Rect
PictureScale::apply (int px, int py, int width, int height) const
{
  /* other elements set rectangles, which may be far outside; this limit is beyond any picture, and sums of it fit an int */
  constexpr double most = 1 << 28;
  const auto round = [&] (double v) { return int (std::lround (std::clamp (v, -most, most))); };
  return {round (px * x) - left, round (py * y) - top, std::max (round (width * x), 1), std::max (round (height * y), 1)};
}

std::vector<GstVideoOverlayRectangle *>
overlays_of (GstBuffer *buffer)
{
  std::vector<GstVideoOverlayRectangle *> rectangles;
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE)) {
    GstVideoOverlayComposition *overlay = reinterpret_cast<GstVideoOverlayCompositionMeta *> (meta)->overlay;
    for (guint i = 0; i < gst_video_overlay_composition_n_rectangles (overlay); i++)
      rectangles.push_back (gst_video_overlay_composition_get_rectangle (overlay, i));
  }
  return rectangles;
}

/* Null if a rectangle is inconsistent. */
const ::cl::Buffer *
Overlays::upload (size_t i, GstVideoOverlayRectangle *rectangle, GstVideoInfo &info)
{
  const ScratchName name{"overlay", int (i)};
  GstBuffer *pixels = gst_video_overlay_rectangle_get_pixels_unscaled_argb (rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  const GstVideoMeta *meta = pixels ? gst_buffer_get_video_meta (pixels) : nullptr;
  if (!meta || !gst_video_info_set_format (&info, pixel_format, meta->width, meta->height))
    return nullptr;
  const guint seqnum = gst_video_overlay_rectangle_get_seqnum (rectangle);
  if (known[i].seqnum == seqnum)
    return reader->memory.find_table (name);
  GstVideoFrame frame = {};
  if (!map_to_read (frame, info, pixels))
    return nullptr;
  const size_t row = size_t (GST_VIDEO_INFO_WIDTH (&info)) * 4;
  std::vector<std::byte> bytes;
  for (int y = 0; y < GST_VIDEO_INFO_HEIGHT (&info); y++) {
    const auto *from = static_cast<const std::byte *> (GST_VIDEO_FRAME_PLANE_DATA (&frame, 0))
                       + size_t (y) * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
    bytes.insert (bytes.end (), from, from + row);
  }
  gst_video_frame_unmap (&frame);
  known[i].seqnum = seqnum;
  return &reader->memory.table (name, bytes);
}

void
Overlays::draw (Runner &writer, const Canvas &canvas, const std::vector<GstVideoOverlayRectangle *> &rectangles,
    const PictureScale &scale, bool profile)
{
  if (rectangles.empty ())
    return;
  const Format &format = *find_format (pixel_format);
  if (!reader)
    reader.emplace (writer.context (), format, writer.backend ());
  if (known.size () < rectangles.size ())
    known.resize (rectangles.size ());
  reader->commands.begin_frame ({}, profile);
  for (size_t i = 0; i < rectangles.size (); i++) {
    gint x, y;
    guint width, height;
    GstVideoInfo info;
    const ::cl::Buffer *pixels = upload (i, rectangles[i], info);
    if (!pixels || !gst_video_overlay_rectangle_get_render_rectangle (rectangles[i], &x, &y, &width, &height))
      continue;
    const PlaneView plane{.memory = *pixels,
        .offset = 0,
        .stride = GST_VIDEO_INFO_WIDTH (&info) * 4,
        .width = GST_VIDEO_INFO_WIDTH (&info),
        .height = GST_VIDEO_INFO_HEIGHT (&info),
        .layout = &format.planes[0]};
    known[i].layer.draw (writer, canvas, {.reader = *reader, .planes = {&plane, 1}, .format = format, .info = info},
        {scale.apply (x, y, int (width), int (height)), 1, Operator::over});
  }
  reader->commands.end_frame (false);
}

namespace {

/* A letter's cell: its columns and rows, and a margin of one on each side. */
constexpr int cell_width = 6, cell_height = 9;

/* A text's bits, row by row, 1 for letters, with a margin around it. */
struct Lettering {
  int width, height;
  std::vector<uint8_t> bits;
};

/* Seven rows of five bits, the leftmost one highest. */
using Glyph = std::array<uint8_t, 7>;

struct Letter {
  char sign;
  Glyph rows;
};

/* For labels: capitals, digits and a few signs, so that the plugin needs no font library. */
constexpr Letter letters[] = {
    {'A', {14, 17, 17, 31, 17, 17, 17}},
    {'B', {30, 17, 17, 30, 17, 17, 30}},
    {'C', {14, 17, 16, 16, 16, 17, 14}},
    {'D', {30, 17, 17, 17, 17, 17, 30}},
    {'E', {31, 16, 16, 30, 16, 16, 31}},
    {'F', {31, 16, 16, 30, 16, 16, 16}},
    {'G', {14, 17, 16, 23, 17, 17, 14}},
    {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},
    {'J', {7, 2, 2, 2, 2, 18, 12}},
    {'K', {17, 18, 20, 24, 20, 18, 17}},
    {'L', {16, 16, 16, 16, 16, 16, 31}},
    {'M', {17, 27, 21, 21, 17, 17, 17}},
    {'N', {17, 25, 21, 19, 17, 17, 17}},
    {'O', {14, 17, 17, 17, 17, 17, 14}},
    {'P', {30, 17, 17, 30, 16, 16, 16}},
    {'Q', {14, 17, 17, 17, 21, 18, 13}},
    {'R', {30, 17, 17, 30, 20, 18, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},
    {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'U', {17, 17, 17, 17, 17, 17, 14}},
    {'V', {17, 17, 17, 17, 17, 10, 4}},
    {'W', {17, 17, 17, 21, 21, 21, 10}},
    {'X', {17, 17, 10, 4, 10, 17, 17}},
    {'Y', {17, 17, 10, 4, 4, 4, 4}},
    {'Z', {31, 1, 2, 4, 8, 16, 31}},
    {'0', {14, 17, 19, 21, 25, 17, 14}},
    {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 6, 8, 16, 31}},
    {'3', {30, 1, 1, 14, 1, 1, 30}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},
    {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},
    {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},
    {' ', {0, 0, 0, 0, 0, 0, 0}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},
    {',', {0, 0, 0, 0, 12, 4, 8}},
    {':', {0, 12, 12, 0, 12, 12, 0}},
    {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'_', {0, 0, 0, 0, 0, 0, 31}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},
    {'/', {1, 1, 2, 4, 8, 16, 16}},
    {'%', {24, 25, 2, 4, 8, 19, 3}},
    {'#', {10, 10, 31, 10, 31, 10, 10}},
    {'(', {2, 4, 8, 8, 8, 4, 2}},
    {')', {8, 4, 2, 2, 2, 4, 8}},
    {'=', {0, 0, 31, 0, 31, 0, 0}},
    {'!', {4, 4, 4, 4, 4, 0, 4}},
    {'?', {14, 17, 1, 2, 4, 0, 4}},
    {'\'', {4, 4, 8, 0, 0, 0, 0}},
    {'&', {12, 18, 20, 8, 21, 18, 13}},
    {'*', {0, 21, 14, 31, 14, 21, 0}},
};

/* Unknown characters are drawn as a frame. */
Glyph
glyph_of (char sign)
{
  const char capital = g_ascii_toupper (sign);
  const auto found = std::ranges::find (letters, capital, &Letter::sign);
  return found != std::end (letters) ? found->rows : Glyph{31, 17, 17, 17, 17, 17, 31};
}

Lettering
letter (const std::string &text)
{
  std::string signs;
  for (const char byte : text) /* one sign for each UTF-8 character */
    if ((byte & 0xc0) != 0x80)
      signs += byte;
  Lettering result{int (signs.size ()) * cell_width + 1, cell_height, {}};
  result.bits.assign (size_t (result.width) * result.height, 0);
  for (size_t i = 0; i < signs.size (); i++) {
    const Glyph glyph = glyph_of (signs[i]);
    for (size_t row = 0; row < glyph.size (); row++)
      for (int column = 0; column < 5; column++)
        result.bits[(row + 1) * result.width + i * cell_width + 1 + column] = glyph[row] >> (4 - column) & 1;
  }
  return result;
}

constexpr int line_width = 2;

/* See kernels/compositor/marks.cl. */
struct Mark {
  cl_int x, y, width, height, bits, row, scale, unused;
};

struct Marks {
  std::vector<Mark> all;
  std::vector<uint8_t> bits;

  void add (const Rect &rect)
  {
    if (!rect.empty ())
      all.push_back ({rect.x, rect.y, rect.width, rect.height, -1, 0, 1, 0});
  }

  void add_box (const Rect &box)
  {
    const int inner = box.height - 2 * line_width;
    add ({box.x, box.y, box.width, line_width});
    add ({box.x, box.y + box.height - line_width, box.width, line_width});
    add ({box.x, box.y + line_width, line_width, inner});
    add ({box.x + box.width - line_width, box.y + line_width, line_width, inner});
  }

  /* Adds a label above the box, or inside if there is no room above. */
  void add_label (const Rect &box, const std::string &text, int scale)
  {
    if (text.empty ())
      return;
    const Lettering lettering = letter (text);
    const int height = lettering.height * scale, above = box.y - height;
    all.push_back (
        {box.x, above < 0 ? box.y : above, lettering.width * scale, height, cl_int (bits.size ()), lettering.width, scale, 0});
    bits.insert (bits.end (), lettering.bits.begin (), lettering.bits.end ());
  }
};

/* A colour as samples. */
std::array<int, 4>
samples_of (const std::array<double, 3> &rgb, const Canvas &canvas)
{
  GstVideoInfo info;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGBA, 1, 1);
  const Format &format = *find_format (GST_VIDEO_FORMAT_RGBA);
  const ColorConversion to = convert_colors (info, format, canvas.colors, canvas.format, PrimariesMode::none);
  std::array<int, 4> samples;
  for (int i = 0; i < 3; i++) {
    double v = to.constants[i];
    for (int j = 0; j < 3; j++)
      v += to.factors[i][j] * rgb[j] * format.max_value ();
    samples[i] = std::clamp (int (std::lround (v)), 0, canvas.format.max_value ());
  }
  samples[alpha] = canvas.format.max_value ();
  return samples;
}

cl_int4
pixel_of (const std::array<int, 4> &samples, const PlaneLayout &layout, const Format &format)
{
  cl_int4 pixel{};
  for (int i = 0; i < layout.samples_per_pixel; i++) {
    const int component = layout.components[i];
    pixel.s[i] = (component == padding ? format.max_value () : samples[component]) << format.shift;
  }
  return pixel;
}

}  // namespace

std::vector<Region>
regions_of (GstBuffer *buffer)
{
  std::vector<Region> regions;
  gpointer state = nullptr;
  constexpr int most = 1 << 28;
  const auto add = [&] (int64_t x, int64_t y, int64_t width, int64_t height, const std::string &label) {
    const auto limited = [] (int64_t value) { return int (std::clamp<int64_t> (value, -most, most)); };
    regions.push_back ({limited (x), limited (y), limited (width), limited (height), label});
  };
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *> (meta);
    const gchar *label = g_quark_to_string (roi->roi_type);
    add (int (roi->x), int (roi->y), roi->w, roi->h, label ? label : "");
  }
  for (const Detection &found : analytics_on (buffer))
    add (found.x, found.y, found.width, found.height, found.label);
  return regions;
}

void
draw_regions (Runner &writer, const Canvas &canvas, const std::vector<Region> &regions, const PictureScale &scale)
{
  if (regions.empty ())
    return;
  constexpr int height_of_small_letters = 360;
  const int letter_scale = std::max (canvas.height / height_of_small_letters, 1);
  Marks marks;
  for (const Region &region : regions)
    marks.add_box (scale.apply (region.x, region.y, region.width, region.height));
  for (const Region &region : regions)
    marks.add_label (scale.apply (region.x, region.y, region.width, region.height), region.label, letter_scale);
  const ::cl::Buffer &numbers = writer.memory.table ("marks", marks.all);
  marks.bits.push_back (0);
  const ::cl::Buffer &bits = writer.memory.table ("marks-bits", marks.bits);
  const std::array<int, 4> ink = samples_of ({1, 0.85, 0}, canvas), dark = samples_of ({0, 0, 0}, canvas);
  for (const PlaneView &plane : canvas.planes) {
    const PlaneLayout &layout = *plane.layout;
    KernelSpec spec{.sources = {"compositor/marks.cl"},
        .function = "draw_marks",
        .options = {{"SUB_X", layout.subsample_x}, {"SUB_Y", layout.subsample_y}, {"FIELDS", int (canvas.interlaced)}},
        .moves_samples = true};
    constexpr int span = 64;
    writer.run ({.src = plane, .dst = plane, .plane = 0, .components = 0},
        Launch::range (std::move (spec), writer.size_for (span, plane.height, {span, 4}),
            {plane.memory, cl_int2{{plane.offset, plane.stride}},
                cl_int4{{plane.width, plane.height, cl_int (marks.all.size ()), 0}}, numbers, bits,
                pixel_of (ink, layout, canvas.format), pixel_of (dark, layout, canvas.format)}));
  }
}

}  // namespace gst::cl

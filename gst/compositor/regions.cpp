/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/regions.hpp"

#include "compositor/letters.hpp"
#include "core/arithmetic.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

constexpr int line_width = 2;

/* As kernels/compositor/marks.cl has it. */
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

  /* Above the box or, where there is no room, inside. */
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
  constexpr guint most = 1 << 28;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *> (meta);
    const gchar *label = g_quark_to_string (roi->roi_type);
    regions.push_back ({int (std::min (roi->x, most)), int (std::min (roi->y, most)), int (std::min (roi->w, most)),
        int (std::min (roi->h, most)), label ? label : ""});
  }
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
    const KernelSpec spec{.sources = {"compositor/marks.cl"},
        .function = "draw_marks",
        .options = {{"SUB_X", layout.subsample_x}, {"SUB_Y", layout.subsample_y}},
        .moves_samples = true};
    constexpr int span = 64;
    writer.launch_range (spec, {.src = plane, .dst = plane, .plane = 0, .components = 0},
        writer.size_for (span, plane.height, {span, 4}),
        {plane.memory, cl_int2{{plane.offset, plane.stride}},
            cl_int4{{plane.width, plane.height, cl_int (marks.all.size ()), 0}}, numbers, bits,
            pixel_of (ink, layout, canvas.format), pixel_of (dark, layout, canvas.format)});
  }
}

}  // namespace gst::cl

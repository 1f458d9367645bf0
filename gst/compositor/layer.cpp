/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/layer.hpp"

#include "core/arithmetic.hpp"
#include "filter/copies.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

constexpr unsigned alpha_bit = 1u << alpha;
constexpr int rows_at_once = 8;

/* The same with a plane of alpha. */
Format
with_alpha_plane (Format format)
{
  if (!(format.component_bits () & alpha_bit))
    format.planes[format.n_planes++] = {1, {alpha, padding, padding, padding}, 0, 0};
  return format;
}

/* Which plane has alpha, and where in a pixel; 0, -1 if there is none. */
std::pair<int, int>
find_alpha (const Format &format)
{
  for (int p = 0; p < format.n_planes; p++)
    for (int i = 0; i < format.planes[p].samples_per_pixel; i++)
      if (format.planes[p].components[i] == alpha)
        return {p, i};
  return {0, -1};
}

bool
same_colors (const GstVideoInfo &a, const GstVideoInfo &b)
{
  return gst_video_colorimetry_is_equal (&GST_VIDEO_INFO_COLORIMETRY (&a), &GST_VIDEO_INFO_COLORIMETRY (&b))
         && GST_VIDEO_INFO_CHROMA_SITE (&a) == GST_VIDEO_INFO_CHROMA_SITE (&b);
}

std::array<PlaneView, most_planes>
views_of (std::span<const PlaneView> planes, const Rect &rect)
{
  std::array<PlaneView, most_planes> views;
  std::ranges::transform (planes, views.begin (), [&] (const PlaneView &plane) { return view_of (plane, rect); });
  return views;
}

/* As kernels/compositor/blend.cl has them; over is always opaque, and does nothing to a plane of alpha. */
enum class Way : int { over, overlay, add, source };

/* Without what is done to alpha if the picture has none. */
Way
way_of (const Canvas &to, Operator op)
{
  if (!(to.format.component_bits () & alpha_bit))
    return Way::over;
  if (op == Operator::source)
    return Way::source;
  if (to.is_opaque)
    return Way::over;
  return op == Operator::add ? Way::add : Way::overlay;
}

/* ALPHA there. */
enum class AlphaKind : int { none, of_pixels, of_plane, own };

KernelSpec
blend_spec (Way way, AlphaKind kind, int alpha_at, const PlaneLayout &layout)
{
  const bool of_plane = kind == AlphaKind::of_plane, colors = of_plane || kind == AlphaKind::of_pixels;
  return {.sources = {"lib/pixel.clh", "compositor/blend.cl"},
      .function = "blend",
      .options = {{"ALPHA", int (kind)}, {"ALPHA_AT", colors ? alpha_at : 0}, {"OPERATOR", kind == AlphaKind::none ? 0 : int (way)},
          {"SUB_X", of_plane ? layout.subsample_x : 0}, {"SUB_Y", of_plane ? layout.subsample_y : 0},
          {"ROWS_AT_ONCE", rows_at_once}}};
}

/* Planes of one size and format; those of the canvas may lack the picture's alpha, which stands last then. */
void
blend (Runner &writer, const Canvas &to, std::span<const PlaneView> picture, const Format &format, unsigned weight, Operator op)
{
  const auto [alpha_plane, alpha_at] = find_alpha (format);
  const bool none = alpha_at < 0, own_plane = !none && format.planes[alpha_plane].samples_per_pixel == 1;
  const PlaneView &alphas = picture[alpha_plane];
  const PlaneView &under = own_plane && find_alpha (to.format).second >= 0 ? to.planes[alpha_plane] : alphas;
  const Way way = way_of (to, op);
  for (int p = 0; p < to.format.n_planes; p++) {
    const PlaneView &src = picture[p], &dst = to.planes[p];
    AlphaKind kind = none ? AlphaKind::none : own_plane ? AlphaKind::of_plane : AlphaKind::of_pixels;
    if (own_plane && p == alpha_plane) {
      if (way == Way::over) {
        const int max = format.max_value ();
        fill_squares (writer,
            {.planes = {&dst, 1},
                .format = to.format,
                .colors = to.colors,
                .width = dst.width,
                .height = dst.height,
                .is_opaque = true},
            {0, 0, dst.width, dst.height}, {max, max, max, max}, {max, max, max, max});
        continue;
      }
      kind = AlphaKind::own;
    }
    const KernelSpec spec = blend_spec (way, kind, std::max (alpha_at, 0), *dst.layout);
    writer.launch_range (spec, {.src = src, .dst = dst, .plane = p, .components = 0},
        writer.size_for (dst.width, dst.height, {32, 4}, rows_at_once),
        {src.memory, cl_int2{{src.offset, src.stride}}, dst.memory, cl_int2{{dst.offset, dst.stride}}, alphas.memory,
            cl_int2{{alphas.offset, alphas.stride}}, under.memory, cl_int2{{under.offset, under.stride}},
            cl_int4{{dst.width, dst.height, alphas.width, alphas.height}}, cl_uint (weight)});
  }
}

}  // namespace

bool
hides (const Format &picture, const LayerPlace &placement)
{
  return placement.alpha == 1 && !(picture.component_bits () & alpha_bit);
}

PlaneView
view_of (const PlaneView &plane, const Rect &rect)
{
  PlaneView view = plane;
  const PlaneLayout &layout = *plane.layout;
  view.offset += (rect.y >> layout.subsample_y) * plane.stride + (rect.x >> layout.subsample_x) * layout.samples_per_pixel;
  view.width = std::min (plane_width (layout, rect.width), plane.width - (rect.x >> layout.subsample_x));
  view.height = std::min (plane_height (layout, rect.height), plane.height - (rect.y >> layout.subsample_y));
  return view;
}

void
fill_squares (
    Runner &writer, const Canvas &canvas, const Rect &rect, const std::array<int, 4> &even, const std::array<int, 4> &odd)
{
  for (const PlaneView &plane : canvas.planes) {
    const PlaneLayout &layout = *plane.layout;
    const int left = rect.x >> layout.subsample_x, top = rect.y >> layout.subsample_y;
    const Rect part{left, top, std::min (plane_width (layout, rect.x + rect.width), plane.width) - left,
        std::min (plane_height (layout, rect.y + rect.height), plane.height) - top};
    if (part.empty ())
      continue;
    cl_int4 evens{}, odds{};
    for (int i = 0; i < layout.samples_per_pixel; i++) {
      const int component = layout.components[i];
      evens.s[i] = (component == padding ? canvas.format.max_value () : even[component]) << canvas.format.shift;
      odds.s[i] = (component == padding ? canvas.format.max_value () : odd[component]) << canvas.format.shift;
    }
    const KernelSpec spec{.sources = {"compositor/background.cl"}, .function = "fill_squares", .moves_samples = true};
    writer.launch_range (spec, {.src = plane, .dst = plane, .plane = 0, .components = 0},
        writer.size_for (part.width, part.height, {32, 4}),
        {plane.memory, cl_int2{{plane.offset, plane.stride}}, cl_int4{{part.x, part.y, part.width, part.height}}, evens, odds});
  }
}

bool
Layer::Scaling::operator== (const Scaling &other) const
{
  const auto same = [] (const Rect &a, const Rect &b) {
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
  };
  return rect.width == other.rect.width && rect.height == other.rect.height && same (part, other.part) && format == other.format
         && n_planes == other.n_planes;
}

/* part of the picture, which has the size of whole then, becomes all of `to`. */
void
Layer::convert (const Canvas &to, const Picture &picture, const Rect &whole, const Rect &part)
{
  const Scaling wanted{whole, part, to.format.id, to.format.n_planes};
  if (!converter || !(*scaling == wanted)) {
    converter.emplace (ConvertSettings{.method = Resampling::bilinear,
        .chroma = Resampling::bilinear,
        .dither = Dither::automatic,
        .add_borders = false,
        .primaries = PrimariesMode::merge_only});
    scaling = wanted;
  }
  GstVideoInfo info = to.colors;
  info.width = whole.width;
  info.height = whole.height;
  converter->convert (picture.reader, {.src = picture.planes,
                                          .dst = to.planes,
                                          .src_format = picture.format,
                                          .dst_format = to.format,
                                          .src_info = picture.info,
                                          .dst_info = info,
                                          .x = part.x,
                                          .y = part.y});
}

void
Layer::draw (
    Runner &writer, const Canvas &canvas, const Picture &picture, const LayerPlace &placement, const Decorate &decorate)
{
  const PlaneLayout &chroma = canvas.format.planes[std::min (1, canvas.format.n_planes - 1)];
  const Rect whole = on_chroma (placement.rect, chroma.subsample_x, chroma.subsample_y);
  const Rect seen = visible_part (whole, canvas.width, canvas.height);
  const Rect part{seen.x - whole.x, seen.y - whole.y, seen.width, seen.height};
  const int max = canvas.format.max_value ();
  const auto weight = unsigned (placement.alpha * max);
  if (seen.empty () || weight == 0)
    return;
  const bool keeps_alpha = find_alpha (canvas.format).second >= 0;
  const bool replaces = placement.op == Operator::source && (!keeps_alpha || placement.alpha == 1);
  const bool is_opaque = replaces || hides (picture.format, placement);
  const bool same = picture.format.id == canvas.format.id && picture.format.n_planes == canvas.format.n_planes
                    && same_colors (picture.info, canvas.colors) && GST_VIDEO_INFO_WIDTH (&picture.info) == whole.width
                    && GST_VIDEO_INFO_HEIGHT (&picture.info) == whole.height;
  const auto region = views_of (canvas.planes, seen), source = views_of (picture.planes, part);
  const Format format = picture.has_alpha () && !is_opaque ? with_alpha_plane (canvas.format) : canvas.format;
  const Canvas there{.planes = std::span (region).first (canvas.planes.size ()),
      .format = canvas.format,
      .colors = canvas.colors,
      .width = seen.width,
      .height = seen.height,
      .is_opaque = canvas.is_opaque};

  if (is_opaque) { /* straight to its place */
    if (same)
      for (size_t p = 0; p < there.planes.size (); p++)
        copy_plane (writer, source[p], region[p]);
    else
      convert (there, picture, whole, part);
    if (decorate)
      decorate (there, part.x, part.y);
    return;
  }
  std::span<const PlaneView> planes (source.data (), picture.planes.size ());
  std::array<PlaneView, most_planes> scratch;
  if (!same || decorate) {
    for (int p = 0; p < format.n_planes; p++) {
      PlaneView like{.memory = {},
          .offset = 0,
          .stride = 0,
          .width = plane_width (format.planes[p], seen.width),
          .height = plane_height (format.planes[p], seen.height),
          .layout = &format.planes[p]};
      scratch[p] = writer.scratch_plane ({decorate ? "decorated" : "picture", p}, like);
    }
    planes = std::span (scratch).first (format.n_planes);
    const Canvas own{.planes = planes,
        .format = format,
        .colors = canvas.colors,
        .width = seen.width,
        .height = seen.height,
        .is_opaque = !picture.has_alpha ()};
    convert (own, picture, whole, part);
    if (decorate)
      decorate (own, part.x, part.y);
  }
  blend (writer, there, planes, format, weight, placement.op);
}

}  // namespace gst::cl

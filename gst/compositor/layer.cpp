/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/layer.hpp"

#include "filter/runner.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Larger than any picture, while sums of two such numbers do not overflow. */
constexpr int far = 1 << 29;

int
scaled (int n, int num, int den)
{
  return int (std::min<guint64> (gst_util_uint64_scale_int (guint64 (n), num, den), far));
}

/* Changes the size so that its pixels cover the picture's area. */
void
reshape (int &width, int &height, const GstVideoInfo &picture, PixelShape par)
{
  guint n, d;
  if (!gst_video_calculate_display_ratio (
          &n, &d, width, height, GST_VIDEO_INFO_PAR_N (&picture), GST_VIDEO_INFO_PAR_D (&picture), par.n, par.d))
    return;
  if (height % n && width % d == 0)
    height = scaled (width, d, n);
  else
    width = scaled (height, n, d);
}

/* The largest centred rectangle with the picture's aspect ratio inside this size. */
Rect
fit (int width, int height, const GstVideoInfo &picture, PixelShape par)
{
  PixelShape shape;
  if (!gst_util_fraction_multiply (GST_VIDEO_INFO_WIDTH (&picture), GST_VIDEO_INFO_HEIGHT (&picture),
          GST_VIDEO_INFO_PAR_N (&picture), GST_VIDEO_INFO_PAR_D (&picture), &shape.n, &shape.d)
      || !gst_util_fraction_multiply (shape.n, shape.d, par.d, par.n, &shape.n, &shape.d) || shape.n <= 0)
    return {0, 0, width, height};
  const GstVideoRectangle from{0, 0, width, scaled (width, shape.d, shape.n)}, to{0, 0, width, height};
  if (from.h == 0)
    return {};
  GstVideoRectangle result;
  gst_video_center_rect (&from, &to, &result, TRUE);
  return {result.x, result.y, result.w, result.h};
}

constexpr unsigned alpha_bit = 1u << alpha;
constexpr int rows_at_once = 8;

/* The plane of alpha, and its place in a pixel; 0, -1 if there is none. */
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

using Views = std::array<PlaneView, most_planes>;

/* Rows of a plane for a height of a frame in rows; each of two fields has its own chroma. */
int
rows_for (const PlaneLayout &layout, int height, bool interlaced)
{
  return interlaced ? plane_height (layout, (height + 1) / 2) + plane_height (layout, height / 2)
                    : plane_height (layout, height);
}

/* Views a rectangle of a plane; the rectangle is in pixels of the frame. */
PlaneView
view_of (const PlaneView &plane, const Rect &rect, bool interlaced)
{
  PlaneView view = plane;
  const PlaneLayout &layout = *plane.layout;
  const int left = rect.x >> layout.subsample_x, top = rect.y >> layout.subsample_y;
  view.offset += top * plane.stride + left * layout.samples_per_pixel;
  view.width = std::min (plane_width (layout, rect.width), plane.width - left);
  view.height = std::min (rows_for (layout, rect.height, interlaced), plane.height - top);
  return view;
}

Views
views_of (std::span<const PlaneView> planes, const Rect &rect, bool interlaced)
{
  Views views;
  std::ranges::transform (planes, views.begin (), [&] (const PlaneView &plane) { return view_of (plane, rect, interlaced); });
  return views;
}

/* Views every second row of planes for writing. */
Views
field_views (std::span<const PlaneView> planes, int field)
{
  Views views;
  std::ranges::transform (planes, views.begin (), [&] (const PlaneView &plane) { return field_of (plane, field); });
  return views;
}

/* Like field_views(), for a picture whose field may lack the last row of chroma. */
Views
picture_field (const Picture &picture, int field)
{
  Views views;
  for (size_t p = 0; p < picture.planes.size (); p++)
    views[p] =
        field_to_read (picture.reader, picture.planes[p], field, GST_VIDEO_INFO_HEIGHT (&picture.info), {"field", int (p)});
  return views;
}

bool
shares_rows_of_chroma (const Format &format)
{
  return std::ranges::any_of (
      std::span (format.planes).first (format.n_planes), [] (const PlaneLayout &plane) { return plane.subsample_y > 0; });
}

/* Whether rows of the canvas belong to two fields, in formats where that makes a difference. */
bool
has_fields (const Canvas &canvas)
{
  return canvas.interlaced && shares_rows_of_chroma (canvas.format);
}

/* OPERATOR of kernels/compositor/blend.cl. The result of `over` is opaque. */
enum class Way : int { over, overlay, add, source };

/* The operator for this picture; simpler if the picture has no alpha. */
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

/* ALPHA of kernels/compositor/blend.cl. */
enum class AlphaKind : int { none, of_pixels, of_plane, own };

KernelSpec
blend_spec (Way way, AlphaKind kind, int alpha_at, const PlaneLayout &layout, int depth)
{
  const bool of_plane = kind == AlphaKind::of_plane, colors = of_plane || kind == AlphaKind::of_pixels;
  return {.sources = {"lib/pixel.clh", "compositor/blend.cl"},
      .function = "blend",
      .options = {{"ALPHA", int (kind)}, {"ALPHA_AT", colors ? alpha_at : 0},
          {"OPERATOR", kind == AlphaKind::none ? 0 : int (way)}, {"SUB_X", of_plane ? layout.subsample_x : 0},
          {"SUB_Y", of_plane ? layout.subsample_y : 0}, {"plain_t", depth == 8 ? "ushort" : "uint"},
          {"ROWS_AT_ONCE", rows_at_once}}};
}

/* Both sides have one size and format, but the canvas may lack the picture's alpha, which is then the last plane. */
void
blend (Runner &writer, const Canvas &to, std::span<const PlaneView> picture, const Format &format, unsigned weight, Operator op)
{
  const auto [alpha_plane, alpha_at] = find_alpha (format);
  const bool none = alpha_at < 0, own_plane = !none && format.planes[alpha_plane].samples_per_pixel == 1;
  const PlaneView &alphas = picture[alpha_plane];
  const PlaneView &under = own_plane && find_alpha (to.format).second >= 0 ? to.planes[alpha_plane] : alphas;
  const Way way = way_of (to, op);
  Launches launches;
  for (int p = 0; p < to.format.n_planes; p++) {
    const PlaneView &src = picture[p], &dst = to.planes[p];
    AlphaKind kind = none ? AlphaKind::none : own_plane ? AlphaKind::of_plane : AlphaKind::of_pixels;
    if (own_plane && p == alpha_plane) {
      if (way == Way::over) {
        const int max = format.max_value ();
        launches +=
            fill_pixels (writer, dst, to.format, {0, 0, dst.width, dst.height}, {max, max, max, max}, {max, max, max, max});
        continue;
      }
      kind = AlphaKind::own;
    }
    const KernelSpec spec = blend_spec (way, kind, std::max (alpha_at, 0), *dst.layout, format.depth);
    launches.push_back (Launch::range (spec, writer.size_for (dst.width, dst.height, {32, 4}, rows_at_once),
        {src.memory, cl_int2{{src.offset, src.stride}}, dst.memory, cl_int2{{dst.offset, dst.stride}}, alphas.memory,
            cl_int2{{alphas.offset, alphas.stride}}, under.memory, cl_int2{{under.offset, under.stride}},
            cl_int4{{dst.width, dst.height, alphas.width, alphas.height}}, cl_uint (weight)})
                            .on ({.src = src, .dst = dst, .plane = p, .components = 0}));
  }
  writer.run ({.src = picture[0], .dst = to.planes[0], .plane = 0, .components = 0}, launches);
}

}  // namespace

Rect
place_picture (const Placing &placing, const GstVideoInfo &picture, PixelShape par, bool zero_is_unscaled)
{
  const auto wanted = [&] (int set, int own) { return set < 0 || (set == 0 && zero_is_unscaled) ? own : std::min (set, far); };
  int width = wanted (placing.width, GST_VIDEO_INFO_WIDTH (&picture));
  int height = wanted (placing.height, GST_VIDEO_INFO_HEIGHT (&picture));
  Rect rect{};
  if (width == 0 || height == 0)
    return rect;
  if (placing.policy == SizingPolicy::keep_aspect_ratio) {
    rect = fit (width, height, picture, par);
  } else {
    reshape (width, height, picture, par);
    rect = {0, 0, width, height};
  }
  rect.x += std::clamp (placing.x, -far, far);
  rect.y += std::clamp (placing.y, -far, far);
  return rect;
}

Rect
on_chroma (Rect rect, int subsample_x, int subsample_y)
{
  const auto next = [] (int place, int subsampling) {
    const int rest = (1 << subsampling) - 1;
    return (place + rest) & ~rest;
  };
  rect.x = next (rect.x, subsample_x);
  rect.y = next (rect.y, subsample_y);
  return rect;
}

Rect
visible_part (const Rect &rect, int width, int height)
{
  const int left = std::clamp (rect.x, 0, width), top = std::clamp (rect.y, 0, height);
  return {left, top, std::clamp (rect.x + rect.width, 0, width) - left, std::clamp (rect.y + rect.height, 0, height) - top};
}

bool
hides (const Format &picture, const LayerPlace &placement)
{
  return placement.alpha == 1 && !(picture.component_bits () & alpha_bit);
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
    writer.run (
        {.src = plane, .dst = plane, .plane = 0, .components = 0}, fill_pixels (writer, plane, canvas.format, part, even, odd));
  }
}

void
Layer::Step::convert (const Canvas &to, const Picture &picture, const Rect &whole, const Rect &part, bool by_field)
{
  const Scaling wanted{GST_VIDEO_INFO_WIDTH (&picture.info), GST_VIDEO_INFO_HEIGHT (&picture.info), whole.width, whole.height,
      part.x, part.y, part.width, part.height, to.format.id, to.format.n_planes};
  if (!converter || scaling != wanted) {
    converter.emplace (ConvertSettings{.add_borders = false});
    scaling = wanted;
  }
  GstVideoInfo info = to.colors;
  info.width = whole.width;
  info.height = whole.height;
  for (int field = 0; field < (by_field ? 2 : 1); field++) {
    Views from, there;
    std::span<const PlaneView> src = picture.planes, dst = to.planes;
    /* part may begin with a row of the second field */
    const int first = by_field ? (field + part.y) & 1 : 0;
    if (by_field) {
      from = picture_field (picture, field);
      there = field_views (to.planes, first);
      src = std::span (from).first (src.size ());
      dst = std::span (there).first (dst.size ());
    }
    if (dst[0].height > 0)
      converter->convert (picture.reader, {.src = src,
                                              .dst = dst,
                                              .src_format = picture.format,
                                              .dst_format = to.format,
                                              .src_info = picture.info,
                                              .dst_info = info,
                                              .field = field,
                                              .n_fields = by_field ? 2 : 1,
                                              .x = part.x,
                                              .y = by_field ? (part.y + first - field) / 2 : part.y});
  }
}

/* Scratch planes for a part of a picture. */
static Views
scratch_views (Runner &writer, const char *name, const Format &format, const Rect &size, bool interlaced)
{
  Views views;
  for (int p = 0; p < format.n_planes; p++) {
    const PlaneView like{.width = plane_width (format.planes[p], size.width),
        .height = rows_for (format.planes[p], size.height, interlaced),
        .layout = &format.planes[p]};
    views[p] = writer.scratch_plane ({name, p}, like);
  }
  return views;
}

/* If a side has a row of chroma for each row of luma, its rows can serve as fields or as a frame. */
void
Layer::convert (Runner &writer, const Canvas &to, const Picture &picture, const Rect &whole, const Rect &part)
{
  const bool is_scaled = GST_VIDEO_INFO_HEIGHT (&picture.info) != whole.height;
  const bool writes_fields = shares_rows_of_chroma (to.format) ? to.interlaced : picture.interlaced;
  const bool reads_fields = shares_rows_of_chroma (picture.format) || is_scaled ? picture.interlaced : writes_fields;
  if (reads_fields == writes_fields)
    return direct.convert (to, picture, whole, part, reads_fields);
  Format format = to.format;
  for (PlaneLayout &plane : format.planes)
    plane.subsample_y = 0;
  const Views scratch = scratch_views (writer, "all-rows", format, part, false);
  const std::span<const PlaneView> planes = std::span (scratch).first (format.n_planes);
  GstVideoInfo info = to.colors;
  info.width = part.width;
  info.height = part.height;
  const Rect all{0, 0, part.width, part.height};
  to_all_rows.convert (
      {.planes = planes, .format = format, .colors = to.colors, .width = part.width, .height = part.height, .is_opaque = false},
      picture, whole, part, reads_fields);
  from_all_rows.convert (to, {.reader = writer, .planes = planes, .format = format, .info = info}, all, all, writes_fields);
}

/* Calls put (canvas, planes) for a part of a picture that has the canvas's size, for each field if the canvas has fields. */
template <typename Put>
static void
put_picture (const Canvas &to, const Picture &picture, const Rect &part, Put put)
{
  const bool by_field = has_fields (to);
  for (int field = 0; field < (by_field ? 2 : 1); field++) {
    const Rect rows{part.x, by_field ? part.y / 2 : part.y, part.width, by_field ? (part.height + 1 - field) / 2 : part.height};
    Canvas there = to;
    std::span<const PlaneView> planes = picture.planes;
    Views of_field, under;
    if (by_field) {
      of_field = picture_field (picture, field);
      under = field_views (to.planes, field);
      planes = std::span (of_field).first (planes.size ());
      there.planes = std::span (under).first (to.planes.size ());
      there.height = rows.height;
    }
    const Views src = views_of (planes, rows, false);
    if (rows.height > 0)
      put (there, std::span (src).first (planes.size ()));
  }
}

static void
blend_picture (Runner &writer, const Canvas &to, const Picture &picture, const Rect &part, unsigned weight, Operator op)
{
  put_picture (to, picture, part, [&] (const Canvas &there, std::span<const PlaneView> planes) {
    blend (writer, there, planes, picture.format, weight, op);
  });
}

/* Copies a picture of the same format. */
static void
copy_picture (Runner &writer, const Canvas &to, const Picture &picture, const Rect &part)
{
  put_picture (to, picture, part, [&] (const Canvas &there, std::span<const PlaneView> planes) {
    for (size_t p = 0; p < planes.size (); p++) {
      PlaneView src = planes[p];
      src.height = std::min (src.height, there.planes[p].height);
      if (src.height > 0)
        copy_plane (writer, src, there.planes[p]);
    }
  });
}

void
Layer::draw (
    Runner &writer, const Canvas &canvas, const Picture &picture, const LayerPlace &placement, const Decorate &decorate)
{
  const PlaneLayout &chroma = canvas.format.planes[std::min (1, canvas.format.n_planes - 1)];
  const Rect whole = on_chroma (placement.rect, chroma.subsample_x, chroma.subsample_y + has_fields (canvas));
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
                    && GST_VIDEO_INFO_HEIGHT (&picture.info) == whole.height
                    && (picture.interlaced == canvas.interlaced || !shares_rows_of_chroma (canvas.format));
  const Views region = views_of (canvas.planes, seen, canvas.interlaced);
  Canvas there = canvas;
  there.planes = std::span (region).first (canvas.planes.size ());
  there.width = seen.width;
  there.height = seen.height;

  if (is_opaque) { /* directly to its place */
    if (same)
      copy_picture (writer, there, picture, part);
    else
      convert (writer, there, picture, whole, part);
    if (decorate)
      decorate (there, part.x, part.y);
    return;
  }
  if (same && !decorate)
    return blend_picture (writer, there, picture, part, weight, placement.op);
  Format format = canvas.format;
  if (picture.has_alpha () && !(format.component_bits () & alpha_bit)) /* an additional plane of alpha */
    format.planes[format.n_planes++] = {1, {alpha, padding, padding, padding}, 0, 0};
  const Views scratch = scratch_views (writer, decorate ? "decorated" : "picture", format, seen, canvas.interlaced);
  const std::span<const PlaneView> planes = std::span (scratch).first (format.n_planes);
  const Canvas own{.planes = planes,
      .format = format,
      .colors = canvas.colors,
      .width = seen.width,
      .height = seen.height,
      .is_opaque = !picture.has_alpha (),
      .interlaced = canvas.interlaced};
  convert (writer, own, picture, whole, part);
  if (decorate)
    decorate (own, part.x, part.y);
  GstVideoInfo info = canvas.colors;
  info.width = seen.width;
  info.height = seen.height;
  blend_picture (writer, there, {.reader = writer, .planes = planes, .format = format, .info = info},
      {0, 0, seen.width, seen.height}, weight, placement.op);
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flip/flip.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>

namespace gst::cl {

void
set_orientation (Flip &flip, GstVideoOrientationMethod method)
{
  const auto is_one_of = [method] (std::initializer_list<GstVideoOrientationMethod> methods) {
    return std::ranges::find (methods, method) != methods.end ();
  };
  flip.turned = is_one_of (
      {GST_VIDEO_ORIENTATION_90R, GST_VIDEO_ORIENTATION_90L, GST_VIDEO_ORIENTATION_UL_LR, GST_VIDEO_ORIENTATION_UR_LL});
  flip.mirror_x = is_one_of (
      {GST_VIDEO_ORIENTATION_180, GST_VIDEO_ORIENTATION_90L, GST_VIDEO_ORIENTATION_HORIZ, GST_VIDEO_ORIENTATION_UR_LL});
  flip.mirror_y = is_one_of (
      {GST_VIDEO_ORIENTATION_180, GST_VIDEO_ORIENTATION_90R, GST_VIDEO_ORIENTATION_VERT, GST_VIDEO_ORIENTATION_UR_LL});
}

Unit
unit_of (const GstVideoFormatInfo &format, bool interlaced)
{
  Unit unit{1, 1};
  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (&format); i++) {
    unit.x = std::max (unit.x, 1 << GST_VIDEO_FORMAT_INFO_W_SUB (&format, i));
    unit.y = std::max (unit.y, 1 << GST_VIDEO_FORMAT_INFO_H_SUB (&format, i));
  }
  if (interlaced)
    unit.y *= 2;
  return unit;
}

int
Cut::keep (int size) const
{
  const int start = std::max (before, 0) / unit * unit, end = size - std::max (after, 0);
  return size <= total () ? 0 : std::min (size, round_up (end, unit)) - start;
}

int
Cut::first (int size, int kept) const
{
  const int spare = size - kept;
  const int start = before >= 0 ? before : after >= 0 ? spare - after : spare / 2;
  return std::clamp (start, 0, spare) / unit * unit;
}

Rect
kept_part (const Flip &flip, const GstVideoInfo &info, const GstVideoInfo *result)
{
  const Unit unit = unit_of (*info.finfo, GST_VIDEO_INFO_IS_INTERLACED (&info));
  const Cut columns{flip.left, flip.right, unit.x}, rows{flip.top, flip.bottom, unit.y};
  int width = columns.keep (GST_VIDEO_INFO_WIDTH (&info)), height = rows.keep (GST_VIDEO_INFO_HEIGHT (&info));
  if (!width || !height)
    return {0, 0, 0, 0};
  if (result && columns.is_free ())
    width = std::min (width, flip.turned ? GST_VIDEO_INFO_HEIGHT (result) : GST_VIDEO_INFO_WIDTH (result));
  if (result && rows.is_free ())
    height = std::min (height, flip.turned ? GST_VIDEO_INFO_WIDTH (result) : GST_VIDEO_INFO_HEIGHT (result));
  return {
      columns.first (GST_VIDEO_INFO_WIDTH (&info), width), rows.first (GST_VIDEO_INFO_HEIGHT (&info), height), width, height};
}

Rect
place_in_result (const Flip &flip, const Rect &kept, const Rect &rect)
{
  const auto clip = [] (gint64 place, int size) { return int (std::clamp<gint64> (place, 0, size)); };
  int left = clip (gint64 (rect.x) - kept.x, kept.width), right = clip (gint64 (rect.x) + rect.width - kept.x, kept.width);
  int top = clip (gint64 (rect.y) - kept.y, kept.height), bottom = clip (gint64 (rect.y) + rect.height - kept.y, kept.height);
  if (flip.mirror_x)
    std::tie (left, right) = std::pair (kept.width - right, kept.width - left);
  if (flip.mirror_y)
    std::tie (top, bottom) = std::pair (kept.height - bottom, kept.height - top);
  const Rect place{left, top, right - left, bottom - top};
  return flip.turned ? Rect{place.y, place.x, place.height, place.width} : place;
}

namespace {

constexpr size_t flip_item_bytes = 4;

WorkSize
one_item_a_word (const PlaneView &plane, size_t pixel_bytes)
{
  constexpr size_t local_x = 8, local_y = 16;
  const size_t pixels = std::max<size_t> (1, flip_item_bytes / pixel_bytes);
  return {{round_up (divide_up (size_t (plane.width), pixels), local_x), round_up (size_t (plane.height), local_y)},
      {local_x, local_y}};
}

class FlipOperation : public Converter {
public:
  explicit FlipOperation (const Flip &flip_) : flip (flip_)
  {
    algorithm = flip.turned ? "turned" : flip.turns () ? "mirrored" : "cropped";
  }

  Launches plan (Runner &runner, const ConvertTask &task) override
  {
    const Rect kept = kept_part (flip, task.src_info, &task.dst_info);
    const bool fits = GST_VIDEO_INFO_WIDTH (&task.dst_info) == (flip.turned ? kept.height : kept.width)
                      && GST_VIDEO_INFO_HEIGHT (&task.dst_info) == (flip.turned ? kept.width : kept.height);
    g_return_val_if_fail (fits, Launches ());
    Launches launches;
    for (size_t i = 0; i < task.src.size (); i++) {
      PlaneView src = task.src[i];
      const PlaneLayout &layout = *src.layout;
      src.offset += (kept.y / task.n_fields >> layout.subsample_y) * src.stride
                    + (kept.x >> layout.subsample_x) * layout.samples_per_pixel;
      const PlaneTask plane{.src = src, .dst = task.dst[i], .plane = int (i), .components = 0};
      const bool is_stretched = flip.turned && layout.subsample_x != layout.subsample_y;
      launches.push_back ((is_stretched ? turn_chroma (src, plane.dst, kept) : reorder (runner, src, plane.dst)).on (plane));
    }
    return launches;
  }

  /* A mirrored picture keeps its fields; after a rotation by 90 degrees, fields are in the columns. */
  bool takes_fields () const override { return !flip.turned; }

private:
  /* Every source sample has one destination, so the strides in the source for each step in the result describe the whole
   * operation. */
  Launch reorder (const Runner &runner, const PlaneView &src, const PlaneView &dst) const
  {
    const int step = src.layout->samples_per_pixel;
    const int columns = flip.turned ? dst.height : dst.width, rows = flip.turned ? dst.width : dst.height;
    const int along = flip.mirror_x ? -step : step, down = flip.mirror_y ? -src.stride : src.stride;
    const int first = src.offset + (flip.mirror_x ? (columns - 1) * step : 0) + (flip.mirror_y ? (rows - 1) * src.stride : 0);
    KernelSpec spec{.sources = {"flip/flip.cl"},
        .function = "flip",
        .options = {{"PIXEL_SAMPLES", step}, {"TURNED", flip.turned}, {"DIRECTION", flip.mirror_x ? -1 : 1}}};
    constexpr int band = 16;
    const size_t bands = size_t (flip.turned ? divide_up (dst.height, band) : dst.height);
    const WorkSize size = runner.backend () == Backend::cpu
                              ? WorkSize{{1, bands}, {1, 1}}
                              : one_item_a_word (dst, size_t (step) * runner.format ().sample_size ());
    return Launch::range (std::move (spec), size,
        {src.memory, dst.memory, cl_int (first), cl_int (flip.turned ? down : along), cl_int (flip.turned ? along : down),
            cl_int (dst.offset), cl_int (dst.stride), cl_int (dst.width), cl_int (dst.height)});
  }

  Launch turn_chroma (const PlaneView &src, const PlaneView &dst, const Rect &kept) const
  {
    KernelSpec spec{.sources = {"flip/flip.cl"},
        .function = "turn_chroma",
        .options = {{"PIXEL_SAMPLES", src.layout->samples_per_pixel}, {"TURNED", 1}, {"DIRECTION", 1}}};
    return Launch::range (std::move (spec), one_item_a_word (dst, flip_item_bytes),
        {src.memory, dst.memory, cl_int2{{src.offset, src.stride}}, cl_int2{{dst.offset, dst.stride}},
            cl_int2{{kept.width - 1, kept.height - 1}}, cl_int2{{flip.mirror_x, flip.mirror_y}},
            cl_int2{{src.layout->subsample_x, src.layout->subsample_y}}, cl_int (dst.width), cl_int (dst.height)});
  }

  const Flip &flip;
};

}  // namespace

std::unique_ptr<Operation>
make_flip_operation (const Flip &flip)
{
  return std::make_unique<FlipOperation> (flip);
}

}  // namespace gst::cl

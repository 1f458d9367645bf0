/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flip/flip.hpp"

#include "core/arithmetic.hpp"
#include "interop/caps.hpp"

#include <algorithm>
#include <optional>

namespace gst::cl {

namespace {

/* The smallest number of columns and rows that contains whole samples of all planes, and rows of both fields in interlaced
 *  video. */
struct Unit {
  int x, y;
  bool operator== (const Unit &) const = default;
};

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

/* A crop along one direction, in pixels. */
struct Cut {
  /* See Flip; reduced to whole units. */
  int before, after;
  /* A member of Unit. */
  int unit;

  /* Whether the crop depends on the size of the result. */
  bool is_free () const { return before < 0 || after < 0; }
  /* The pixels that are cropped in any case. */
  gint64 total () const { return gint64 (std::max (before, 0)) + std::max (after, 0); }
  /* How many of `size` pixels are kept at most; 0 if the crop leaves nothing. */
  int keep (int size) const
  {
    const int start = std::max (before, 0) / unit * unit, end = size - std::max (after, 0);
    return size <= total () ? 0 : std::min (size, round_up (end, unit)) - start;
  }

  /* The first of `size` pixels to keep, if `kept` are kept; aligned to a unit. */
  int first (int size, int kept) const
  {
    const int spare = size - kept;
    const int start = before >= 0 ? before : after >= 0 ? spare - after : spare / 2;
    return std::clamp (start, 0, spare) / unit * unit;
  }
};

/* The unit for caps that leave the format open, which may be subsampled by four, and interlaced. */
constexpr Unit coarsest{4, 8};

/* How many pixels more than requested the result may keep. */
int
slack (const Cut &cut)
{
  return cut.total () ? 2 * (cut.unit - 1) : 0;
}

int
saturate (gint64 size)
{
  return int (std::clamp<gint64> (size, 1, G_MAXINT));
}

void
init_range (GValue *value, gint64 low, gint64 high)
{
  const int from = saturate (low), to = saturate (high);
  if (from < to) {
    g_value_init (value, GST_TYPE_INT_RANGE);
    gst_value_set_int_range (value, from, to);
  } else {
    g_value_init (value, G_TYPE_INT);
    g_value_set_int (value, from);
  }
}

/* Computes the size after a crop. If nothing is left, returns one pixel: the element then reports the reason when such caps
 * arrive, while empty caps would only fail to link. */
void
init_size_after (GValue *result, int size, const Cut &cut, bool known_unit)
{
  const gint64 most = known_unit ? std::max (cut.keep (size), 1) : std::min<gint64> (size, size - cut.total () + slack (cut));
  init_range (result, cut.is_free () ? 1 : known_unit ? most : size - cut.total (), most);
}

/* Computes the sizes that a crop turns into this one, the largest crop first. For one pixel see init_size_after (). */
void
init_size_before (GValue *result, int size, const Cut &cut, bool known_unit)
{
  const gint64 least = size + std::max<gint64> (cut.total () - slack (cut), 0);
  if (size == 1 || cut.is_free ())
    return init_range (result, size == 1 ? 1 : least, cut.is_free () ? G_MAXINT : 1 + cut.total ());
  std::vector<int> sizes;
  for (gint64 before = size + cut.total (); before >= least; before--)
    if (before <= G_MAXINT && (known_unit ? cut.keep (int (before)) == size : cut.keep (int (before)) >= 1))
      sizes.push_back (int (before));
  if (sizes.size () < 2)
    return init_range (result, sizes.empty () ? G_MAXINT : sizes[0], sizes.empty () ? G_MAXINT : sizes[0]);
  gst_value_list_init (result, guint (sizes.size ()));
  for (const int each : sizes) {
    GValue one = G_VALUE_INIT;
    g_value_init (&one, G_TYPE_INT);
    g_value_set_int (&one, each);
    gst_value_list_append_and_take_value (result, &one);
  }
}

/* Initialises a value by init (to, from), or for a list a list of all such values. Returns false if init does for any. */
template <typename Init>
bool
init_each (GValue *result, const GValue *value, Init init)
{
  if (!GST_VALUE_HOLDS_LIST (value))
    return init (result, value);
  gst_value_list_init (result, gst_value_list_get_size (value));
  for (guint i = 0; i < gst_value_list_get_size (value); i++) {
    GValue one = G_VALUE_INIT;
    if (!init (&one, gst_value_list_get_value (value, i))) {
      g_value_unset (result);
      return false;
    }
    for (guint k = 0; GST_VALUE_HOLDS_LIST (&one) && k < gst_value_list_get_size (&one); k++)
      gst_value_list_append_value (result, gst_value_list_get_value (&one, k));
    if (!GST_VALUE_HOLDS_LIST (&one))
      gst_value_list_append_value (result, &one);
    g_value_unset (&one);
  }
  return true;
}

/* Takes a size or a range. Returns false for other values. */
bool
init_cut (GValue *result, const GValue *value, const Cut &cut, bool known_unit, bool to_result)
{
  if (G_VALUE_HOLDS_INT (value)) {
    (to_result ? init_size_after : init_size_before) (result, g_value_get_int (value), cut, known_unit);
    return true;
  }
  if (!GST_VALUE_HOLDS_INT_RANGE (value))
    return false;
  const gint64 low = gst_value_get_int_range_min (value), high = gst_value_get_int_range_max (value);
  if (to_result)
    init_range (result, cut.is_free () ? 1 : low - cut.total (), high - cut.total () + slack (cut));
  else
    init_range (result, low > 1 ? low + cut.total () - slack (cut) : 1, cut.is_free () ? G_MAXINT : high + cut.total ());
  return true;
}

/* GStreamer compares no list of sizes that has a range in it, so the range around all its values replaces it. */
void
replace_ranges (GValue *sizes)
{
  gint64 low = G_MAXINT, high = 1;
  bool has_range = false;
  for (guint i = 0; GST_VALUE_HOLDS_LIST (sizes) && i < gst_value_list_get_size (sizes); i++) {
    const GValue *each = gst_value_list_get_value (sizes, i);
    const bool is_range = GST_VALUE_HOLDS_INT_RANGE (each);
    has_range |= is_range;
    low = std::min<gint64> (low, is_range ? gst_value_get_int_range_min (each) : g_value_get_int (each));
    high = std::max<gint64> (high, is_range ? gst_value_get_int_range_max (each) : g_value_get_int (each));
  }
  if (!has_range)
    return;
  g_value_unset (sizes);
  init_range (sizes, low, high);
}

void
crop_size (GstStructure *structure, const char *field, const Cut &cut, bool known_unit, bool to_result)
{
  const GValue *value = gst_structure_get_value (structure, field);
  GValue result = G_VALUE_INIT;
  const auto init = [&] (GValue *to, const GValue *from) { return init_cut (to, from, cut, known_unit, to_result); };
  if ((cut.total () || cut.is_free ()) && value && init_each (&result, value, init)) {
    replace_ranges (&result);
    gst_structure_take_value (structure, field, &result);
  }
}

/* The unit of a format in caps; none if the caps leave it open. */
std::optional<Unit>
unit_of (const GstStructure *structure, const GValue *format)
{
  const char *interlacing = gst_structure_get_string (structure, "interlace-mode");
  const GstVideoFormat known = format && G_VALUE_HOLDS_STRING (format)
                                   ? gst_video_format_from_string (g_value_get_string (format))
                                   : GST_VIDEO_FORMAT_UNKNOWN;
  if (known == GST_VIDEO_FORMAT_UNKNOWN || (!interlacing && gst_structure_has_field (structure, "interlace-mode")))
    return {};
  return unit_of (*gst_video_format_get_info (known), interlacing && !g_str_equal (interlacing, "progressive"));
}

/* A structure of caps, and the unit of all its formats; none if they differ, or are open. */
using CapsPart = std::pair<GstStructure *, std::optional<Unit>>;

/* Splits a structure into parts whose formats have one unit, unless both sizes are ranges. */
std::vector<CapsPart>
split_by_unit (GstStructure *structure)
{
  make_plain (structure);
  const GValue *formats = gst_structure_get_value (structure, "format");
  if (!formats || !GST_VALUE_HOLDS_LIST (formats))
    return {{structure, unit_of (structure, formats)}};
  std::vector<std::pair<std::optional<Unit>, std::vector<const char *>>> groups;
  for (guint i = 0; i < gst_value_list_get_size (formats); i++) {
    const GValue *format = gst_value_list_get_value (formats, i);
    const std::optional<Unit> unit = unit_of (structure, format);
    auto group = std::ranges::find (groups, unit, [] (const auto &each) { return each.first; });
    if (group == groups.end ())
      group = groups.insert (group, {unit, {}});
    group->second.push_back (g_value_get_string (format));
  }
  const auto is_range = [structure] (const char *field) {
    const GValue *size = gst_structure_get_value (structure, field);
    return !size || GST_VALUE_HOLDS_INT_RANGE (size);
  };
  if (groups.size () == 1 || (is_range ("width") && is_range ("height")))
    return {{structure, groups.size () == 1 ? groups[0].first : std::nullopt}};
  std::vector<CapsPart> all;
  for (const auto &[unit, names] : groups) {
    all.emplace_back (gst_structure_copy (structure), unit);
    set_strings (all.back ().first, "format", names);
  }
  gst_structure_free (structure);
  return all;
}

void
crop_structure (GstStructure *structure, std::optional<Unit> known, const Flip &flip, bool to_result)
{
  const Unit unit = known.value_or (coarsest);
  crop_size (structure, "width", {flip.left, flip.right, unit.x}, known.has_value (), to_result);
  crop_size (structure, "height", {flip.top, flip.bottom, unit.y}, known.has_value (), to_result);
}

/* Computes the reciprocal; returns false for a value without one. */
bool
init_inverse (GValue *result, const GValue *value)
{
  const auto invert = [] (const GValue *fraction, GValue *to) {
    const int n = gst_value_get_fraction_numerator (fraction), d = gst_value_get_fraction_denominator (fraction);
    gst_value_set_fraction (to, n ? d : G_MAXINT, n ? n : 1);
  };
  if (!GST_VALUE_HOLDS_FRACTION (value) && !GST_VALUE_HOLDS_FRACTION_RANGE (value))
    return false;
  g_value_init (result, G_VALUE_TYPE (value));
  if (GST_VALUE_HOLDS_FRACTION (value)) {
    invert (value, result);
  } else {
    GValue low = G_VALUE_INIT, high = G_VALUE_INIT;
    g_value_init (&low, GST_TYPE_FRACTION);
    g_value_init (&high, GST_TYPE_FRACTION);
    invert (gst_value_get_fraction_range_max (value), &low);
    invert (gst_value_get_fraction_range_min (value), &high);
    gst_value_set_fraction_range (result, &low, &high);
  }
  return true;
}

void
turn_structure (GstStructure *structure)
{
  GValue width = G_VALUE_INIT, height = G_VALUE_INIT;
  for (const auto &[field, value] : {std::pair ("width", &width), std::pair ("height", &height)})
    if (const GValue *held = gst_structure_get_value (structure, field)) {
      g_value_init (value, G_VALUE_TYPE (held));
      g_value_copy (held, value);
      gst_structure_remove_field (structure, field);
    }
  if (G_IS_VALUE (&height))
    gst_structure_take_value (structure, "width", &height);
  if (G_IS_VALUE (&width))
    gst_structure_take_value (structure, "height", &width);
  if (const GValue *ratio = gst_structure_get_value (structure, "pixel-aspect-ratio")) {
    GValue inverted = G_VALUE_INIT;
    if (init_each (&inverted, ratio, init_inverse))
      gst_structure_take_value (structure, "pixel-aspect-ratio", &inverted);
    else
      gst_structure_remove_field (structure, "pixel-aspect-ratio");
  }
}

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
    if (!fits) /* only before the first frame: properties that changed after the sizes were expected */
      throw Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "The sizes of turned part and result differ.", "");
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
    constexpr int band = 16; /* FLIP_BAND of the kernel */
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

  const Flip flip;
};

}  // namespace

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

GstCaps *
flip_caps (const Flip &flip, GstPadDirection direction, GstCaps *caps)
{
  if (!flip.may_crop () && !flip.turns ())
    return gst_caps_copy (caps);
  const bool to_result = direction == GST_PAD_SINK;
  GstCaps *result = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstCapsFeatures *features = gst_caps_get_features (caps, i);
    /* overlays that are not yet drawn would not be cropped and rotated */
    if (gst_caps_features_contains (features, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION))
      continue;
    GstStructure *structure = gst_structure_copy (gst_caps_get_structure (caps, i));
    if (flip.turned && !to_result)
      turn_structure (structure);
    for (const auto &[part, unit] : flip.may_crop () ? split_by_unit (structure) : std::vector<CapsPart>{{structure, {}}}) {
      crop_structure (part, unit, flip, to_result);
      if (flip.turned && to_result)
        turn_structure (part);
      result = gst_caps_merge_structure_full (result, part, gst_caps_features_copy (features));
    }
  }
  return result;
}

std::unique_ptr<Operation>
make_flip_operation (const Flip &flip)
{
  return std::make_unique<FlipOperation> (flip);
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/negotiate.hpp"

#include "filter/gstclbasetransform.hpp"
#include "interop/caps.hpp"

#include <optional>

namespace gst::cl {

namespace {

struct Fraction {
  int n, d;

  bool operator== (const Fraction &) const = default;
};

/* a * b; nothing if it does not fit. */
std::optional<Fraction>
multiply (const Fraction &a, const Fraction &b)
{
  Fraction product;
  if (b.d == 0 || a.d == 0 || !gst_util_fraction_multiply (a.n, a.d, b.n, b.d, &product.n, &product.d))
    return std::nullopt;
  return product;
}

bool
is_fixed (const GstStructure *structure, const char *field)
{
  const GValue *value = gst_structure_get_value (structure, field);
  return value && gst_value_is_fixed (value);
}

/* The closest value that a field allows. */
int
nearest (const GstStructure *structure, const char *field, int wanted)
{
  g_autoptr (GstStructure) copy = gst_structure_copy (structure);
  int found = wanted;
  gst_structure_fixate_field_nearest_int (copy, field, wanted);
  gst_structure_get_int (copy, field, &found);
  return found;
}

constexpr const char *par_field = "pixel-aspect-ratio";

Fraction
nearest_par (const GstStructure *structure, const Fraction &wanted)
{
  g_autoptr (GstStructure) copy = gst_structure_copy (structure);
  Fraction found = wanted;
  if (gst_structure_has_field (copy, par_field)) {
    gst_structure_fixate_field_nearest_fraction (copy, par_field, wanted.n, wanted.d);
    gst_structure_get_fraction (copy, par_field, &found.n, &found.d);
  }
  return found;
}

/* The possible sizes of a picture. */
class Sizes {
public:
  Sizes (const GstStructure *from, const GstStructure *to_, bool downstream) : to (to_)
  {
    gst_structure_get_int (from, "width", &width);
    gst_structure_get_int (from, "height", &height);
    if (gst_structure_has_field (from, par_field))
      gst_structure_get_fraction (from, par_field, &par.n, &par.d);
    shape = multiply ({width, height}, par);
    const bool has_par = gst_structure_has_field (to, par_field);
    if (has_par ? is_fixed (to, par_field) : !downstream)
      fixed_par = nearest_par (to, {1, 1});
  }

  struct Size {
    int width, height;
    Fraction par;
  };

  Size choose () const
  {
    if (!shape)
      return {nearest (to, "width", width), nearest (to, "height", height), fixed_par.value_or (par)};
    const bool fixed_width = is_fixed (to, "width"), fixed_height = is_fixed (to, "height");
    /* the same size, if the pixel aspect ratio can compensate for the rest */
    const Size same = with_par (nearest (to, "width", width), nearest (to, "height", height));
    if (keeps_shape (same) || (fixed_width && fixed_height))
      return same;
    /* otherwise one side follows from the other, with the closest pixel aspect ratio */
    const Size by_height{nearest (to, "width", std::max (wanted (same, true), 1)), same.height, same.par},
        by_width{same.width, nearest (to, "height", std::max (wanted (same, false), 1)), same.par};
    const bool prefers_width = by_height.width != wanted (by_height, true) && by_width.height == wanted (by_width, false);
    return fixed_width || (!fixed_height && prefers_width) ? by_width : by_height;
  }

private:
  Size with_par (int w, int h) const
  {
    if (fixed_par)
      return {w, h, *fixed_par};
    const std::optional<Fraction> wanted = multiply (*shape, {h, w});
    return {w, h, wanted ? nearest_par (to, *wanted) : par};
  }

  /* The width for a picture of this height and pixel shape, or the height for its width. */
  int wanted (const Size &size, bool is_width) const
  {
    const std::optional<Fraction> ratio = multiply (*shape, {size.par.d, size.par.n});
    if (!ratio)
      return is_width ? size.width : size.height;
    return int (is_width ? gst_util_uint64_scale_int_round (size.height, ratio->n, ratio->d)
                         : gst_util_uint64_scale_int_round (size.width, ratio->d, ratio->n));
  }

  bool keeps_shape (const Size &size) const
  {
    const std::optional<Fraction> is = multiply ({size.width, size.height}, size.par);
    return is && *is == *shape;
  }

  const GstStructure *const to;
  int width = 1, height = 1;
  Fraction par{1, 1};
  std::optional<Fraction> shape, fixed_par;
};

void
fixate_size (const GstStructure *from, GstStructure *to, bool downstream)
{
  const auto [width, height, par] = Sizes (from, to, downstream).choose ();
  gst_structure_set (to, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, nullptr);
  if (gst_structure_has_field (to, par_field) || par.n != par.d)
    gst_structure_set (to, par_field, GST_TYPE_FRACTION, par.n, par.d, nullptr);
}

/* The depth of the deepest component: green in RGB16. */
unsigned
depth_of (const GstVideoFormatInfo *info)
{
  unsigned depth = 0;
  for (unsigned c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++)
    depth = std::max<unsigned> (depth, GST_VIDEO_FORMAT_INFO_DEPTH (info, c));
  return depth;
}

/* The losses of a conversion, the worst in the highest bit. Any change of format counts, even without a loss. The lowest byte
 * says how many bits of depth are lost, for formats that are alike otherwise. */
unsigned
loss_of (const GstVideoFormatInfo *from, const GstVideoFormatInfo *to)
{
  if (from == to)
    return 0;
  unsigned loss = 1;
  const auto add = [&loss] (bool changes, unsigned change, bool loses, unsigned lost) {
    loss += (changes ? change : 0) + (loses ? lost : 0);
  };
  const auto flags = [] (const GstVideoFormatInfo *info, int which) { return GST_VIDEO_FORMAT_INFO_FLAGS (info) & which; };
  constexpr int colors = GST_VIDEO_FORMAT_FLAG_YUV | GST_VIDEO_FORMAT_FLAG_RGB | GST_VIDEO_FORMAT_FLAG_GRAY;
  const bool had_alpha = flags (from, GST_VIDEO_FORMAT_FLAG_ALPHA), has_alpha = flags (to, GST_VIDEO_FORMAT_FLAG_ALPHA);
  add (had_alpha != has_alpha, 1, had_alpha && !has_alpha, 8);
  add (false, 0, flags (from, colors) != flags (to, colors), 2);
  const unsigned was_depth = depth_of (from), depth = depth_of (to);
  add (was_depth != depth, 1, depth < was_depth, 4);
  const int was_x = GST_VIDEO_FORMAT_INFO_W_SUB (from, 1), x = GST_VIDEO_FORMAT_INFO_W_SUB (to, 1);
  const int was_y = GST_VIDEO_FORMAT_INFO_H_SUB (from, 1), y = GST_VIDEO_FORMAT_INFO_H_SUB (to, 1);
  add (was_x != x, 1, x > was_x, 16);
  add (was_y != y, 1, y > was_y, 32);
  const bool had_palette = flags (from, GST_VIDEO_FORMAT_FLAG_PALETTE), palette = flags (to, GST_VIDEO_FORMAT_FLAG_PALETTE);
  add (had_palette != palette, 1, palette && !had_palette, 64);
  const bool was_gray = flags (from, GST_VIDEO_FORMAT_FLAG_GRAY), gray = flags (to, GST_VIDEO_FORMAT_FLAG_GRAY);
  add (false, 0, gray && !was_gray, 128);
  return loss << 8 | (was_depth - std::min (depth, was_depth));
}

/* Sets the format with the least loss, if there is a choice; returns the loss. */
unsigned
fixate_format (const GstVideoFormatInfo *from, GstStructure *to)
{
  const GValue *formats = gst_structure_get_value (to, "format");
  const bool is_list = formats && GST_VALUE_HOLDS_LIST (formats);
  const guint n = is_list ? gst_value_list_get_size (formats) : formats ? 1 : 0;
  const char *best = nullptr;
  unsigned least = G_MAXUINT;
  for (guint i = 0; i < n; i++) {
    const char *name = g_value_get_string (is_list ? gst_value_list_get_value (formats, i) : formats);
    const GstVideoFormat format = gst_video_format_from_string (name);
    const unsigned loss = format == GST_VIDEO_FORMAT_UNKNOWN ? G_MAXUINT : loss_of (from, gst_video_format_get_info (format));
    if (loss < least) {
      least = loss;
      best = gst_video_format_to_string (format);
    }
  }
  if (best)
    gst_structure_set (to, "format", G_TYPE_STRING, best, nullptr);
  return least;
}

/* For properties that only one side's caps have: a change of format keeps primaries and transfer function; a change between RGB
 * and YUV takes the other kind's default matrix and range. */
void
hand_on_colors (GstCaps *from_caps, GstCaps *to_caps)
{
  const GstStructure *from = gst_caps_get_structure (from_caps, 0);
  GstStructure *to = gst_caps_get_structure (to_caps, 0);
  GstVideoInfo was, is;
  if (!video_info_from_caps (was, from_caps) || !video_info_from_caps (is, to_caps))
    return;
  const bool same_model = GST_VIDEO_INFO_IS_YUV (&was) == GST_VIDEO_INFO_IS_YUV (&is)
                          && GST_VIDEO_INFO_IS_RGB (&was) == GST_VIDEO_INFO_IS_RGB (&is);
  const char *colorimetry = gst_structure_get_string (from, "colorimetry");
  if (colorimetry && !gst_structure_has_field (to, "colorimetry")) {
    GstVideoColorimetry wanted = GST_VIDEO_INFO_COLORIMETRY (&is);
    wanted.primaries = GST_VIDEO_INFO_COLORIMETRY (&was).primaries;
    wanted.transfer = GST_VIDEO_INFO_COLORIMETRY (&was).transfer;
    g_autofree gchar *text = same_model ? g_strdup (colorimetry) : gst_video_colorimetry_to_string (&wanted);
    gst_structure_set (to, "colorimetry", G_TYPE_STRING, text, nullptr);
  }
  const char *site = gst_structure_get_string (from, "chroma-site");
  const bool same_places = same_model && GST_VIDEO_FORMAT_INFO_W_SUB (was.finfo, 1) == GST_VIDEO_FORMAT_INFO_W_SUB (is.finfo, 1)
                           && GST_VIDEO_FORMAT_INFO_H_SUB (was.finfo, 1) == GST_VIDEO_FORMAT_INFO_H_SUB (is.finfo, 1);
  if (site && same_places && !gst_structure_has_field (to, "chroma-site"))
    gst_structure_set (to, "chroma-site", G_TYPE_STRING, site, nullptr);
}

}  // namespace

GstCaps *
convertible_caps (GstCaps *caps)
{
  GstCaps *result = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *any = gst_structure_copy (gst_caps_get_structure (caps, i));
    gst_structure_set (any, "width", GST_TYPE_INT_RANGE, 1, G_MAXINT, "height", GST_TYPE_INT_RANGE, 1, G_MAXINT, nullptr);
    if (gst_structure_has_field (any, par_field))
      gst_structure_set (any, par_field, GST_TYPE_FRACTION_RANGE, 1, G_MAXINT, G_MAXINT, 1, nullptr);
    gst_structure_remove_fields (any, "format", "drm-format", "colorimetry", "chroma-site", nullptr);
    result = gst_caps_merge_structure_full (result, any, gst_caps_features_copy (gst_caps_get_features (caps, i)));
  }
  return result;
}

GstCaps *
fixate_conversion (GstCaps *from, GstCaps *to, bool downstream)
{
  GstVideoInfo info;
  if (!video_info_from_caps (info, from))
    return gst_caps_fixate (to);
  to = gst_cl_keep_defaults (from, to, {par_field, "colorimetry", "chroma-site"});
  GstCaps *best = nullptr;
  unsigned least = G_MAXUINT;
  for (guint i = 0; i < gst_caps_get_size (to); i++) {
    g_autoptr (GstCaps) one = gst_caps_copy_nth (to, i);
    const unsigned loss = fixate_format (info.finfo, gst_caps_get_structure (one, 0));
    if (!best || loss < least)
      gst_caps_replace (&best, one);
    least = std::min (least, loss);
  }
  gst_caps_unref (to);
  if (!best)
    return gst_caps_new_empty ();
  best = gst_caps_make_writable (best);
  fixate_size (gst_caps_get_structure (from, 0), gst_caps_get_structure (best, 0), downstream);
  best = gst_caps_fixate (best);
  if (downstream)
    hand_on_colors (from, best);
  return best;
}

}  // namespace gst::cl

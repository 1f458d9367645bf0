/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/caps.hpp"

#include "shared/negotiate.hpp"

#include <algorithm>
#include <map>

namespace gst::cl {

namespace {

/* A result's size and rate. */
struct Extent {
  int width = 1, height = 1, fps_n = 25, fps_d = 1;
};

Extent
extent_of (const std::vector<PadState> &pads, PixelShape par, bool zero_is_unscaled)
{
  Extent extent;
  double best_rate = 0;
  for (const PadState &each : pads) {
    const Rect rect = place_picture (each.placing, each.info, par, zero_is_unscaled);
    if (rect.empty ())
      continue;
    /* the free space before the picture is also behind it */
    const auto reach = [] (int length, int set, int place) { return length + std::max (2 * place - set, 0); };
    extent.width = std::max (extent.width, reach (rect.width, each.placing.x, rect.x));
    extent.height = std::max (extent.height, reach (rect.height, each.placing.y, rect.y));
    const int n = GST_VIDEO_INFO_FPS_N (&each.info), d = GST_VIDEO_INFO_FPS_D (&each.info);
    if (d > 0 && double (n) / d > best_rate) {
      best_rate = double (n) / d;
      extent.fps_n = n;
      extent.fps_d = d;
    }
  }
  return extent;
}

/* The one whose format has most pixels, of those with alpha where so wanted; null if there is none. */
const GstVideoInfo *
largest (const std::vector<PadState> &pads, bool with_alpha)
{
  std::map<GstVideoFormat, gint64> pixels;
  const GstVideoInfo *best = nullptr;
  gint64 most = 0;
  for (const PadState &each : pads) {
    if (with_alpha && !GST_VIDEO_INFO_HAS_ALPHA (&each.info))
      continue;
    gint64 &count = pixels[GST_VIDEO_INFO_FORMAT (&each.info)];
    count += gint64 (GST_VIDEO_INFO_WIDTH (&each.info)) * GST_VIDEO_INFO_HEIGHT (&each.info);
    if (count > most) {
      most = count;
      best = &each.info;
    }
  }
  return best;
}

/* Of one pad at least. */
GstVideoInfo
best_info (const std::vector<PadState> &pads)
{
  const bool needs_alpha = std::ranges::any_of (
      pads, [] (const PadState &each) { return each.placing.op == Operator::add || GST_VIDEO_INFO_HAS_ALPHA (&each.info); });
  const GstVideoInfo &best = *largest (pads, false);
  if (!needs_alpha)
    return best;
  if (const GstVideoInfo *found = largest (pads, true))
    return *found;
  GstVideoInfo argb;
  gst_video_info_set_format (&argb, GST_VIDEO_FORMAT_ARGB, 1, 1);
  argb.colorimetry.primaries = GST_VIDEO_INFO_COLORIMETRY (&best).primaries;
  argb.colorimetry.transfer = GST_VIDEO_INFO_COLORIMETRY (&best).transfer;
  return argb;
}

}  // namespace

std::vector<PadState>
pad_states (GstElement *element)
{
  std::vector<std::pair<std::shared_ptr<GstPad>, GstVideoInfo>> found;
  GST_OBJECT_LOCK (element);
  for (GList *at = element->sinkpads; at; at = at->next) {
    const GstVideoInfo &info = GST_VIDEO_AGGREGATOR_PAD (at->data)->info;
    if (info.finfo && GST_VIDEO_INFO_FORMAT (&info) != GST_VIDEO_FORMAT_UNKNOWN)
      found.push_back ({{GST_PAD (gst_object_ref (at->data)), gst_object_unref}, info});
  }
  GST_OBJECT_UNLOCK (element);
  std::vector<PadState> pads;
  for (const auto &[pad, info] : found)
    pads.push_back ({pad, info, Placing (gst_cl_aggregator_pad_latch (pad.get ()), 0)});
  return pads;
}

GstCaps *
fixate_result (const std::vector<PadState> &pads, GstCaps *possible, bool zero_is_unscaled)
{
  if (pads.empty ())
    return gst_caps_fixate (possible);
  GstVideoInfo info = best_info (pads);
  possible = gst_caps_make_writable (possible);
  for (guint i = 0; i < gst_caps_get_size (possible); i++) {
    GstStructure *structure = gst_caps_get_structure (possible, i);
    PixelShape par{1, 1};
    if (gst_structure_has_field (structure, "pixel-aspect-ratio")) {
      gst_structure_fixate_field_nearest_fraction (structure, "pixel-aspect-ratio", 1, 1);
      gst_structure_get_fraction (structure, "pixel-aspect-ratio", &par.n, &par.d);
    } else { /* otherwise a conversion would choose one that keeps the aspect ratio */
      gst_structure_set (structure, "pixel-aspect-ratio", GST_TYPE_FRACTION, par.n, par.d, nullptr);
    }
    const Extent extent = extent_of (pads, par, zero_is_unscaled);
    gst_structure_fixate_field_nearest_int (structure, "width", extent.width);
    gst_structure_fixate_field_nearest_int (structure, "height", extent.height);
    gst_structure_fixate_field_nearest_fraction (structure, "framerate", extent.fps_n, extent.fps_d);
    info.width = extent.width;
    info.height = extent.height;
  }
  info.par_n = info.par_d = 1;
  GstCaps *from = gst_video_info_to_caps (&info);
  GstCaps *result = fixate_conversion (from, possible, true);
  gst_caps_unref (from);
  return result;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The regions of detectors in results whose picture has moved. */
#pragma once

#include "filter/kernelspec.hpp"
#include "filter/tracks.hpp"

#include <gst/base/gstbasetransform.h>
#include <gst/cl/gstclmotionmeta.h>
#include <gst/video/video.h>

namespace gst::cl {

/** Detectors write negative places of regions at the edge, too. */
inline Rect
place_of (const GstVideoRegionOfInterestMeta &region)
{
  return {int (region.x), int (region.y), int (region.w), int (region.h)};
}

/** Adds a region like another one, with its parameters, in its own place. */
inline void
add_region (GstBuffer *to, const GstVideoRegionOfInterestMeta &like, const Rect &place)
{
  GstVideoRegionOfInterestMeta *placed = gst_buffer_add_video_region_of_interest_meta_id (
      to, like.roi_type, guint (place.x), guint (place.y), guint (place.width), guint (place.height));
  placed->id = like.id;
  placed->parent_id = like.parent_id;
  for (GList *l = like.params; l; l = l->next)
    gst_video_region_of_interest_meta_add_param (placed, gst_structure_copy (static_cast<GstStructure *> (l->data)));
}

inline Rect
place_of (const GstVideoCropMeta &crop)
{
  return {int (crop.x), int (crop.y), int (crop.width), int (crop.height)};
}

/** Adds the crop `place`. */
inline void
add_crop (GstBuffer *to, const Rect &place)
{
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (to);
  crop->x = guint (place.x);
  crop->y = guint (place.y);
  crop->width = guint (place.width);
  crop->height = guint (place.height);
}

/** Marks a picture that was made between two frames, and has the metas of the earlier one: what moves lies between its places in
 *  both, so it gets the regions and detections of the later one, too. Vectors are not true of it. */
inline void
mark_between (GstBuffer *made, GstBuffer *later)
{
  while (GstMeta *vectors = gst_buffer_get_meta (made, gst_cl_motion_meta_api_get_type ()))
    gst_buffer_remove_meta (made, vectors);
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta (later, &state))
    if (is_analytics (meta))
      add_detections (made, meta, std::identity ());
    else if (meta->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
      const auto &region = *reinterpret_cast<GstVideoRegionOfInterestMeta *> (meta);
      add_region (made, region, place_of (region));
    }
}

/** For the class of an element that moves each pixel elsewhere: frames that it changes lose their regions, detections and motion vectors. */
template <gpointer *parent_class>
void
drop_places (GstBaseTransformClass *klass)
{
  klass->transform_meta = [] (GstBaseTransform *base, GstBuffer *out, GstMeta *meta, GstBuffer *in) -> gboolean {
    return meta->info->api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE
           && meta->info->api != gst_cl_motion_meta_api_get_type () && !is_analytics (meta)
           && GST_BASE_TRANSFORM_CLASS (*parent_class)->transform_meta (base, out, meta, in);
  };
}

}  // namespace gst::cl

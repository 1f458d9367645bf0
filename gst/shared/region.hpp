/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The regions of detectors in results whose picture has moved. */
#pragma once

#include "filter/kernelspec.hpp"
#include "filter/tracks.hpp"

#include <gst/base/gstbasetransform.h>
#include <gst/cl/gstclmotionmeta.h>
#include <gst/video/video.h>

#include <functional>

namespace gst::cl {

/** Adds a copy of a region, with its parameters, in another place. */
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

inline void
add_crop (GstBuffer *to, const Rect &place)
{
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (to);
  crop->x = guint (place.x);
  crop->y = guint (place.y);
  crop->width = guint (place.width);
  crop->height = guint (place.height);
}

/** Whether a meta marks objects in the picture: a region of interest, or detections. */
inline bool
marks_object (const GstMeta *meta)
{
  return meta->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE || is_analytics (meta);
}

/** Adds a region, a crop or detections in the places that `place` gives, and returns true; for other metas false. */
inline bool
add_moved (GstBuffer *to, GstMeta *meta, const NewPlace &place)
{
  if (is_analytics (meta)) {
    add_detections (to, meta, place);
  } else if (meta->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) {
    /* detectors write negative places of regions at the edge, too */
    const auto &region = *reinterpret_cast<GstVideoRegionOfInterestMeta *> (meta);
    if (const auto now = place ({int (region.x), int (region.y), int (region.w), int (region.h)}))
      add_region (to, region, *now);
  } else if (meta->info->api == GST_VIDEO_CROP_META_API_TYPE) {
    const auto &crop = *reinterpret_cast<GstVideoCropMeta *> (meta);
    if (const auto now = place ({int (crop.x), int (crop.y), int (crop.width), int (crop.height)}))
      add_crop (to, *now);
  } else {
    return false;
  }
  return true;
}

/** Marks a picture between two frames, which has the metas of the earlier one. A marked object lies between its two places, so the
 *  picture gets the regions and detections of the later frame, too. Motion vectors are wrong for it. */
inline void
mark_between (GstBuffer *made, GstBuffer *later)
{
  while (GstMeta *vectors = gst_buffer_get_meta (made, gst_cl_motion_meta_api_get_type ()))
    gst_buffer_remove_meta (made, vectors);
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta (later, &state))
    if (marks_object (meta))
      add_moved (made, meta, std::identity ());
}

/** For the class of an element that moves each pixel elsewhere: frames that it changes lose their regions, detections and motion vectors. */
template <gpointer *parent_class>
void
drop_places (GstBaseTransformClass *klass)
{
  klass->transform_meta = [] (GstBaseTransform *base, GstBuffer *out, GstMeta *meta, GstBuffer *in) -> gboolean {
    return !marks_object (meta) && meta->info->api != gst_cl_motion_meta_api_get_type ()
           && GST_BASE_TRANSFORM_CLASS (*parent_class)->transform_meta (base, out, meta, in);
  };
}

}  // namespace gst::cl

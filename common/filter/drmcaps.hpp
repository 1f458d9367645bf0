/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GStreamer 1.24's caps of dma-bufs, format=DMA_DRM with a drm-format, which names a DRM format and a modifier. They are taken by
 * older releases, too. Linear memory alone is known here. */
#pragma once

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/video.h>

namespace gst::cl {

/** Like GStreamer's function of that name, and takes linear DMA_DRM as well. False for what is no video, or in another layout. */
GST_CL_API bool video_info_from_caps (GstVideoInfo &info, const GstCaps *caps);

/** Whether a structure is of that kind. */
bool is_drm (const GstStructure *structure);
/** Replaces the fields of one kind by those of the other, where a format has a name in both; false where none has. */
bool make_plain (GstStructure *structure);
bool make_drm (GstStructure *structure);
/** Whether this GStreamer writes such caps by itself. */
bool gstreamer_knows_drm ();

}  // namespace gst::cl

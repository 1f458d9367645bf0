/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Positions of the samples of subsampled planes in the picture. */
#pragma once

#include <gst/video/video.h>

namespace gst::cl {

/** Twice the position of a plane's first sample along an axis, from the caps' chroma siting, in luma samples from the edge of
 *  the picture. subsampling: log2. */
inline int
twice_first_place (const GstVideoInfo &info, int subsampling, bool vertical)
{
  const auto cosited = vertical ? GST_VIDEO_CHROMA_SITE_V_COSITED : GST_VIDEO_CHROMA_SITE_H_COSITED;
  return GST_VIDEO_INFO_CHROMA_SITE (&info) & cosited ? 1 : 1 << subsampling;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detections that GstAnalyticsRelationMeta has. GStreamer's analytics library (libgstanalytics of gst-plugins-bad 1.24) is loaded at
 * run time, so that a build with an older GStreamer reads them too. */
#pragma once

#include "filter/tracks.hpp"

#include <gst/gst.h>

namespace gst::cl {

/** Object detections, with the number of the tracking that they relate to. Throws where there is no such library. */
std::vector<Detection> analytics_on (GstBuffer *buffer);

}  // namespace gst::cl

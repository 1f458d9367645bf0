/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys of the video window that move clthreshold's threshold. */
#pragma once

#include <gst/gst.h>

namespace gst::cl {

/** Handles a navigation event, on any thread from which the sink sends its events. */
void threshold_handle_key (GstObject *element, GstEvent *event);

}  // namespace gst::cl

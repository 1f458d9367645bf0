/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys of the video window that move clthreshold's threshold. */
#pragma once

#include <gst/gst.h>

namespace gst::cl {

/** What the element does with a navigation event, on whichever thread the sink has its events from. */
void threshold_handle_key (GstObject *element, GstEvent *event);

}  // namespace gst::cl

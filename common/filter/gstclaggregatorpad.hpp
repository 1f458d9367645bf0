/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the aggregator wants of its pads. */
#pragma once

#include "filter/gstclaggregator.hpp"

/** The pad's values for the next frame, after controllers have set them. */
GST_CL_API gst::cl::Values gst_cl_aggregator_pad_latch (GstPad *pad);

/** For the element's GstChildProxy: its pads are its children. */
void gst_cl_aggregator_child_proxy_init (gpointer iface, gpointer);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the aggregator wants of its pads. */
#pragma once

#include "filter/gstclaggregator.hpp"

/** The pad's values for the next frame, after controllers have set them. */
GST_CL_API gst::cl::Values gst_cl_aggregator_pad_latch (GstPad *pad);

/** Tells the pad of caps that came, in their turn among its frames. GstVideoAggregator (1.22) keeps those that came while a frame was
 *  held beyond the end of a stream, and gives them to the first frame of the next. */
void gst_cl_aggregator_pad_note_caps (GstPad *pad, GstCaps *caps);
/** Before that: the caps as upstream sent them, where those that note_caps() gets have other fields. */
void gst_cl_aggregator_pad_note_fields (GstPad *pad, GstCaps *caps);
/** What the pad's frame is: the pad's info with its own fields. */
GST_CL_API GstVideoInfo gst_cl_aggregator_pad_info (GstPad *pad);
/** Gives the pad's info back to caps that came while no frame was held. */
void gst_cl_aggregator_pad_settle_caps (GstPad *pad);

/** For the element's GstChildProxy: its pads are its children. */
void gst_cl_aggregator_child_proxy_init (gpointer iface, gpointer);

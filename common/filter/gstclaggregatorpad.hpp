/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the pads that only the aggregator calls. */
#pragma once

#include "filter/gstclaggregator.hpp"

/** Synchronises controllers, and returns the pad's values for the next frame. */
GST_CL_API gst::cl::Values gst_cl_aggregator_pad_latch (GstPad *pad);

/** Records caps in their order among the pad's frames. GstVideoAggregator (1.22) keeps caps that arrive while a frame is held
 *  beyond the end of a stream, and applies them to the first frame of the next stream. */
void gst_cl_aggregator_pad_note_caps (GstPad *pad, GstCaps *caps);
/** Call this before note_caps() with the caps as upstream sent them, when note_caps() gets caps with other interlacing
 *  fields. */
void gst_cl_aggregator_pad_note_fields (GstPad *pad, GstCaps *caps);
/** The format of the pad's current frame: the pad's info with the frame's own interlacing. */
GST_CL_API GstVideoInfo gst_cl_aggregator_pad_info (GstPad *pad);
/** Updates the pad's info to caps that arrived while no frame was held. */
void gst_cl_aggregator_pad_settle_caps (GstPad *pad);

/** Implements GstChildProxy for the element: its children are its pads. */
void gst_cl_aggregator_child_proxy_init (gpointer iface, gpointer);

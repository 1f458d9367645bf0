/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Negotiation of elements with several inputs: the caps to offer upstream, the error for inputs of different size or format,
 * the caps of sink pads, and the possible caps of the result. */
#pragma once

#include "core/error.hpp"
#include "filter/clelement.hpp"

#include <gst/video/gstvideoaggregator.h>

namespace gst::cl {

/** Answers a caps query of an input, out of `possible`: the other inputs' picture if upstream can produce it, so that a
 *  converter there converts to it; otherwise anything, so that the element can report the difference. likeness: null while no
 *  other input has caps. filter: from the query, may be null. */
GST_CL_API GstCaps *caps_like (GstCaps *possible, const GstVideoInfo *likeness, GstCaps *filter);

/** The caps that downstream accepts, for an input: the same formats and sizes, with any framerate and memory. */
GST_CL_API GstCaps *caps_for_inputs (GstPad *src_pad, GstCaps *template_caps);

/** Returns false for a caps event of single fields, which are refused with an error. refused: the text of the last error, as in
 *  run_guarded(), because upstream tries the caps again with every buffer. */
GST_CL_API bool takes_event (GstElement *element, std::string &refused, GstEvent *event);

/** Answers an accept-caps query of an input. Accepts everything in its template, so that the element can report differences,
 *  and single fields. */
GST_CL_API void answer_accept_caps (GstPad *pad, GstQuery *query);

/** Whether format and size are equal. */
bool is_same_picture (const GstVideoInfo &a, const GstVideoInfo &b);
/** Throws Failure (CORE, NEGOTIATION), which names both pads, unless is_same_picture (). */
GST_CL_API void require_same_picture (GstPad *a_pad, const GstVideoInfo &a, GstPad *b_pad, const GstVideoInfo &b);

/** Throws Failure (STREAM, FORMAT), which names the pad, if the next frame of an aggregator's input has no time stamp.
 *  GstVideoAggregator fails at such a frame without an error message. */
void require_times (GstElement *element);

/** The possible caps of the result, out of downstream's: the picture of the inputs, or anything if the inputs have their own
 *  caps. Any framerate; memory that needs the fewest copies comes first. If downstream accepts any memory, the result has the
 *  memory of the first input. The caller owns the result. */
GstCaps *caps_of_result (ClElement &element, GstAggregator *self, GstCaps *downstream, bool own_caps);

/** Returns a caps event of an input with the interlacing of the result. Takes ownership of event; the caller owns the
 *  result. */
GstEvent *with_interlacing (GstEvent *event, const GstVideoInfo &result);

/** Answers a caps query of an aggregator's input. own: the inputs have their own caps; otherwise all have the same picture. */
void answer_input_caps (GstAggregator *self, GstPad *pad, GstQuery *query, bool own);

/** Tells downstream that there are no results from this position to the one that the aggregator has reached. */
void send_gap (GstAggregator *self, GstClockTime from);

/** Sends an event upstream from these inputs. Takes ownership of it. Returns whether one of them takes it. */
GST_CL_API gboolean push_upstream (std::span<const Ref<GstPad>> inputs, GstEvent *event);

/** Answers queries to inputs, and sees events from downstream. settle (self) waits for the last frames;
 *  answer_caps (self, pad, query) answers an input's caps query. Navigation events, which the base classes drop, go to all
 *  inputs, or to the first one only. */
template <auto element_of, auto parent, auto settle, auto answer_caps, bool is_of_first = false>
void
serve_inputs (GstAggregatorClass *klass)
{
  klass->sink_query = [] (GstAggregator *self, GstAggregatorPad *pad, GstQuery *query) -> gboolean {
    if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN)
      settle (self);
    if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
      answer_caps (self, GST_PAD (pad), query);
    else if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS)
      answer_accept_caps (GST_PAD (pad), query);
    else if (!element_of (self).query_context (query))
      return GST_AGGREGATOR_CLASS (*parent)->sink_query (self, pad, query);
    return TRUE;
  };
  klass->src_event = [] (GstAggregator *self, GstEvent *event) -> gboolean {
    element_of (self).see_event (event);
    if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION) {
      const std::vector<Ref<GstPad>> pads = sink_pads_of (GST_ELEMENT (self));
      return push_upstream (std::span (pads).first (is_of_first ? 1 : pads.size ()), event);
    }
    return GST_AGGREGATOR_CLASS (*parent)->src_event (self, event);
  };
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of elements of several inputs: what to offer to upstream elements, what to say where inputs of one size and format differ, what
 * sink pads have negotiated, and what the result may be. */
#pragma once

#include "core/error.hpp"
#include "filter/clelement.hpp"

#include <gst/video/gstvideoaggregator.h>

#include <memory>

namespace gst::cl {

/** The answer to a caps query of an input, of what is possible: like the other input where upstream can do that, so that a
 *  converter there knows what to do; else anything, so that the difference can be reported. likeness: null where no other
 *  input has a size and format yet; filter: the query's, may be null. */
GST_CL_API GstCaps *caps_like (GstCaps *possible, const GstVideoInfo *likeness, GstCaps *filter);

/** What downstream leaves open to an input: its formats and sizes, any framerate, any memory. */
GST_CL_API GstCaps *caps_for_inputs (GstPad *src_pad, GstCaps *template_caps);

/** Whether an event of an input is not one of caps of single fields, which are refused. refused: why the last ones were, as of
 *  run_guarded(); upstream tries them again with every buffer. */
GST_CL_API bool takes_event (GstElement *element, std::string &refused, GstEvent *event);

/** Answers an accept-caps query of an input: whatever its template has, so that a difference can be reported, and single fields. */
GST_CL_API void answer_accept_caps (GstPad *pad, GstQuery *query);

/** Throws Failure (CORE, NEGOTIATION), which names both, where they differ in format or size. */
GST_CL_API void require_same_picture (GstPad *a_pad, const GstVideoInfo &a, GstPad *b_pad, const GstVideoInfo &b);

using CapsRef = std::unique_ptr<GstCaps, decltype (&gst_caps_unref)>;

/** The caps of all inputs that have some. */
std::vector<CapsRef> caps_of_inputs (GstElement *element);

/** What the result may be, of what downstream takes: the picture of the inputs, or anything where these have caps of their own;
 *  in the memory that needs the fewest copies first, at any rate. Where downstream takes anything, the memory is that of the
 *  first input. The caller's. */
GstCaps *caps_of_result (ClElement &element, GstAggregator *self, GstCaps *downstream, bool own_caps);

/** A caps event of an input with the fields of the result: the caller's, for the caller's. */
GstEvent *with_interlacing (GstEvent *event, const GstVideoInfo &result);

/** Answers a caps query of an aggregator's input. own: inputs have caps of their own; else all have one picture's. */
void answer_input_caps (GstAggregator *self, GstPad *pad, GstQuery *query, bool own);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inputs of one size and format: what to offer to upstream elements, and what to say where they differ. */
#pragma once

#include "core/error.hpp"
#include "filter/caps.hpp"

#include <gst/video/video.h>

namespace gst::cl {

/** The answer to a caps query of an input, of what is possible: like the other input where upstream can do that, so that a
 *  converter there knows what to do; else anything, so that the difference can be reported. likeness: null where no other
 *  input has a size and format yet; filter: the query's, may be null. */
GST_CL_API GstCaps *caps_like (GstCaps *possible, const GstVideoInfo *likeness, GstCaps *filter);

/** What downstream leaves open to an input: its formats and sizes, any framerate, any memory. */
GST_CL_API GstCaps *caps_for_inputs (GstPad *src_pad, GstCaps *template_caps);

/** Answers an accept-caps query of an input: whatever its template has, so that a difference can be reported. */
GST_CL_API void answer_accept_caps (GstPad *pad, GstQuery *query);

/** Throws Failure (CORE, NEGOTIATION), which names both, where they differ in format or size. */
GST_CL_API void require_same_picture (GstPad *a_pad, const GstVideoInfo &a, GstPad *b_pad, const GstVideoInfo &b);

}  // namespace gst::cl

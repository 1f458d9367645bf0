/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters of a clchain: parses a string in gst-launch syntax into unlinked elements, and makes sequences: elements inside the
 * chain, whose filters share one stream. */
#pragma once

#include "filter/gstclfilter.hpp"

namespace gst::cl {

/** The filters in the order of the string. The list must exist as long as frames pass through them. */
using ChainFilters = std::vector<Ref<GstClFilter>>;

/** Throws Failure (RESOURCE, SETTINGS), which names the wrong word and the position of its first character. */
ChainFilters parse_chain (const std::string &text);

/** Whether a filter can be part of a sequence. Others run as separate elements. */
bool joins_sequence (const Ref<GstClFilter> &filter);
/** Whether a filter can only be the first of a sequence, because it changes the caps. */
bool begins_sequence (const Ref<GstClFilter> &filter);

/** Creates a sequence with the filters as its children. joins_sequence() must hold for all. */
Ref<GstElement> make_sequence (const ChainFilters &filters);
/** The element as a sequence; null if it is none. */
struct GstClFilterSequence *as_sequence (const Ref<GstElement> &element);

/** Replaces the filters, from the next frame on or when the kernels are ready. Any thread. */
void set_filters (GstClFilterSequence *sequence, const ChainFilters &filters);

}  // namespace gst::cl

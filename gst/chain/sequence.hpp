/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters of a clchain that share one stream: an element inside of it. */
#pragma once

#include "chain/filters.hpp"

namespace gst::cl {

/** Whether a filter can be one of several in a sequence; others run as elements of their own. */
bool joins_sequence (const FilterRef &filter);

/** All of the filters join. They become its children. */
ElementRef make_sequence (const ChainFilters &filters);
/** Null where the element is no sequence. */
struct GstClFilterSequence *as_sequence (const ElementRef &element);

/** Takes effect with the next frame, or when the kernels are ready. Any thread. */
void set_filters (GstClFilterSequence *sequence, const ChainFilters &filters);

}  // namespace gst::cl

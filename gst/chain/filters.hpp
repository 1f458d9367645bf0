/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters of a clchain: turns a string in gst-launch syntax into elements that are linked to nothing. */
#pragma once

#include "filter/gstclfilter.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gst::cl {

using ElementRef = Ref<GstElement, gst_object_ref, gst_object_unref>;
using FilterRef = Ref<GstClFilter, gst_object_ref, gst_object_unref>;

/** The filters in the order of the string. Code that passes frames through them must keep the list. */
using ChainFilters = std::vector<FilterRef>;

/** Throws Failure (RESOURCE, SETTINGS) with what is wrong, and where: the word, and the number of its first character. */
ChainFilters parse_chain (const std::string &text);

}  // namespace gst::cl

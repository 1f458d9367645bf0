/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters of a clchain: parses a string in gst-launch syntax into unlinked elements. */
#pragma once

#include "filter/gstclfilter.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gst::cl {

/** The filters in the order of the string. The list must exist as long as frames pass through them. */
using ChainFilters = std::vector<Ref<GstClFilter>>;

/** Throws Failure (RESOURCE, SETTINGS), which names the wrong word and the position of its first character. */
ChainFilters parse_chain (const std::string &text);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include <algorithm>

namespace gst::cl {

/** A text as a template argument. */
template <size_t size> struct Name {
  constexpr Name (const char (&from)[size]) { std::copy_n (from, size, text); }
  char text[size];
};

/** A debug category, for a file's GST_CAT_DEFAULT. It is made when the library is loaded, because GStreamer does not log to
 *  categories that it does not know yet. */
template <Name name, Name description>
inline GstDebugCategory *const debug_category = [] {
  GstDebugCategory *category = nullptr;
  GST_DEBUG_CATEGORY_INIT (category, name.text, 0, description.text);
  return category;
}();

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

/** Initialises a debug category once, in code that has no GObject class to do it. */
#define GST_CL_ENSURE_CATEGORY(category, name, description)                                                                    \
  do {                                                                                                                         \
    [[maybe_unused]] static const bool made = [] {                                                                             \
      GST_DEBUG_CATEGORY_INIT (category, name, 0, description);                                                                \
      return true;                                                                                                             \
    }();                                                                                                                       \
  } while (0)

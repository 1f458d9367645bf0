/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

/** Makes a debug category where it is not made yet, for code that has no class whose type's registration could. */
#define GST_CL_ENSURE_CATEGORY(category, name, description)                                                                    \
  do {                                                                                                                         \
    [[maybe_unused]] static const bool made = [] {                                                                             \
      GST_DEBUG_CATEGORY_INIT (category, name, 0, description);                                                                \
      return true;                                                                                                             \
    }();                                                                                                                       \
  } while (0)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties that every filter has, and the settings for one frame. */
#pragma once

#include "filter/property.hpp"

namespace gst::cl {

/** What lies outside the frame. The numbers equal those of kernels/lib/border.clh. */
enum class Border { replicate, reflect, reflect101, wrap, constant };

/** Where regions of interest come from: roi-x and its siblings, the buffer's metas of one kind or the other, or roi-list. */
enum class RoiSource { fixed, meta, list, analytics };

enum class RoiShape { rectangle, ellipse };

/** The GType of properties that select components. */
GST_CL_API GType planes_get_type ();

/** Indices in the common table. */
enum CommonProperty : unsigned {
  COMMON_PLANES,
  COMMON_MIX,
  COMMON_ROI_X,
  COMMON_ROI_Y,
  COMMON_ROI_WIDTH,
  COMMON_ROI_HEIGHT,
  COMMON_ROI_SOURCE,
  COMMON_ROI_LABELS,
  COMMON_ROI_LIST,
  COMMON_ROI_SHAPE,
  COMMON_ROI_FEATHER,
  COMMON_ROI_EXPAND,
  COMMON_ROI_INVERT,
  COMMON_ROI_HOLD,
  COMMON_ROI_SCALE,
  COMMON_PROFILE,
  /** From here on only if the filter has a window. */
  COMMON_BORDER,
  COMMON_BORDER_VALUE,
};

/** The common properties of a filter with or without a window. */
GST_CL_API std::span<const Property> common_properties (bool windowed);

/** All settings for one frame, latched together. */
struct Settings {
  Values own, common;

  unsigned planes () const { return unsigned (common.real (COMMON_PLANES)); }
  double mix () const { return common.real (COMMON_MIX); }
  bool profile () const { return common.boolean (COMMON_PROFILE); }
  bool operator== (const Settings &) const = default;
};

}  // namespace gst::cl

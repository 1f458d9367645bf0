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

/** The common properties. */
struct CommonSettings {
  unsigned planes = 7;
  double mix = 1;
  int roi_x = 0, roi_y = 0, roi_width = 0, roi_height = 0;
  RoiSource roi_source = RoiSource::fixed;
  std::string roi_labels, roi_list;
  RoiShape roi_shape = RoiShape::rectangle;
  double roi_feather = 0, roi_expand = 0;
  bool roi_invert = false;
  int roi_hold = 0;
  bool roi_scale = false, profile = false;
  Border border = Border::replicate;
  std::optional<double> border_value;

  bool operator== (const CommonSettings &) const = default;
};

/** The common properties of elements: those of regions, `profile`, and those of windows. */
GST_CL_API std::span<const Property> common_properties (bool has_regions, bool windowed);

/** All settings for one frame, latched together. */
struct Settings {
  Values own, shared = Values (copy_settings<CommonSettings>);
  /** The settings of each input's pad, for elements whose pads have settings. */
  std::vector<Values> pads = {};
  /** As in common (), but in a clchain that of the whole chain. */
  bool profile = false;

  const CommonSettings &common () const { return shared.as<CommonSettings> (); }
  bool operator== (const Settings &) const = default;
};

}  // namespace gst::cl

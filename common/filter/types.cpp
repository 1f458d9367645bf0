/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/types.hpp"

#include "filter/property.hpp"
#include "gl/link.hpp"

namespace gst::cl {

GType
border_get_type ()
{
  static constexpr GEnumValue values[] = {
      {int (Border::replicate), "The edge sample, repeated: aaa|abcdef|fff", "replicate"},
      {int (Border::reflect), "Reflection, the edge sample repeated: cba|abcdef|fed", "reflect"},
      {int (Border::reflect101), "Reflection, the edge sample not repeated: dcb|abcdef|edc", "reflect101"},
      {int (Border::wrap), "The opposite side: def|abcdef|abc", "wrap"},
      {int (Border::constant), "The value of border-value: vvv|abcdef|vvv", "constant"},
      {},
  };
  return enum_type<"GstClBorder", values> ();
}

GType
roi_source_get_type ()
{
  static constexpr GEnumValue values[] = {
      {int (RoiSource::fixed), "The rectangle of roi-x, roi-y, roi-width and roi-height", "static"},
      {int (RoiSource::meta), "Every GstVideoRegionOfInterestMeta of the buffer, and only those", "meta"},
      {},
  };
  return enum_type<"GstClRoiSource", values> ();
}

GType
planes_get_type ()
{
  static const GFlagsValue values[] = {
      {1, "Y or R", "y"},
      {2, "U or G", "u"},
      {4, "V or B", "v"},
      {8, "Alpha", "a"},
      {1, "R", "r"},
      {2, "G", "g"},
      {4, "B", "b"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_flags_register_static ("GstClPlanes", values);
  return type;
}

}  // namespace gst::cl

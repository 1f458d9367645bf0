/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of every filter with any number of inputs, synchronised by running time. */
#pragma once

#include "filter/caps.hpp"
#include "filter/operation.hpp"

#include <gst/video/gstvideoaggregator.h>

namespace gst::cl {

/** An element as data. Operation::update() gets the values of `filter.properties` and, behind them, those of
 *  pad_properties of each input of the frame, in the inputs' order. */
struct AggregatorDescription {
  FilterDescription filter;
  std::span<const Property> pad_properties;
  /** Whether each input has size, format and colorimetry of its own, for a Composer; else all are alike. The class fixates
   *  the caps of the result. */
  bool own_caps = false;
};

}  // namespace gst::cl

/** GstClAggregator: abstract. A subclass is a description and GST_CL_DEFINE_AGGREGATOR. */
struct GstClAggregator {
  GstVideoAggregator parent;
  struct GstClAggregatorPrivate *priv;
};

struct GstClAggregatorClass {
  GstVideoAggregatorClass parent_class;
  const gst::cl::AggregatorDescription *description;
};

GST_CL_API GType gst_cl_aggregator_get_type ();
#define GST_TYPE_CL_AGGREGATOR (gst_cl_aggregator_get_type ())

/** GstClAggregatorPad: abstract. A sink pad with the properties of a table. */
struct GstClAggregatorPad {
  GstVideoAggregatorPad parent;
  struct GstClAggregatorPadPrivate *priv;
};

struct GstClAggregatorPadClass {
  GstVideoAggregatorPadClass parent_class;
  const gst::cl::AggregatorDescription *description;
};

GST_CL_API GType gst_cl_aggregator_pad_get_type ();
#define GST_TYPE_CL_AGGREGATOR_PAD (gst_cl_aggregator_pad_get_type ())

/** For class_init, with a description that lives as long as the process: the pad's properties; the element's metadata,
 *  properties and pad templates, those of the sinks with pads of pad_type. */
GST_CL_API void gst_cl_aggregator_pad_class_set_description (
    GstClAggregatorPadClass *klass, const gst::cl::AggregatorDescription *description);
GST_CL_API void gst_cl_aggregator_class_set_description (
    GstClAggregatorClass *klass, const gst::cl::AggregatorDescription *description, GType pad_type);

/** For class_init after that: the property ignore-inactive-pads of GstAggregator, as mixers have it. */
GST_CL_API void gst_cl_aggregator_class_publish_inactive_pads (GstClAggregatorClass *klass);

/**
 * GST_CL_DEFINE_AGGREGATOR:
 * @TypeName: the GType's name, GstClBlend; that of its pads is GstClBlendPad
 * @type_name: its prefix, gst_cl_blend
 * @element: the element's name without quotes, clblend
 * @description: a gst::cl::AggregatorDescription
 *
 * Defines the types, the debug category (named as the element) and gst_element_register_ELEMENT(). Classes with more to say use
 * GST_CL_DEFINE_AGGREGATOR_TYPES() and say the last two themselves.
 */
#define GST_CL_DEFINE_AGGREGATOR_TYPES(TypeName, type_name, element, description)                                              \
  GST_DEBUG_CATEGORY_STATIC (type_name##_debug);                                                                               \
  struct TypeName##Pad {                                                                                                       \
    GstClAggregatorPad parent;                                                                                                 \
  };                                                                                                                           \
  struct TypeName##PadClass {                                                                                                  \
    GstClAggregatorPadClass parent_class;                                                                                      \
  };                                                                                                                           \
  G_DEFINE_TYPE (TypeName##Pad, type_name##_pad, GST_TYPE_CL_AGGREGATOR_PAD)                                                   \
  static void type_name##_pad_class_init (TypeName##PadClass *klass)                                                           \
  {                                                                                                                            \
    gst_cl_aggregator_pad_class_set_description (&klass->parent_class, &(description));                                        \
  }                                                                                                                            \
  static void type_name##_pad_init (TypeName##Pad *) {}                                                                        \
  struct TypeName {                                                                                                            \
    GstClAggregator parent;                                                                                                    \
  };                                                                                                                           \
  struct TypeName##Class {                                                                                                     \
    GstClAggregatorClass parent_class;                                                                                         \
  };                                                                                                                           \
  G_DEFINE_TYPE_WITH_CODE (TypeName, type_name, GST_TYPE_CL_AGGREGATOR,                                                        \
      GST_DEBUG_CATEGORY_INIT (type_name##_debug, #element, 0, (description).filter.long_name))                                \
  static void type_name##_init (TypeName *) {}

#define GST_CL_DEFINE_AGGREGATOR(TypeName, type_name, element, description)                                                    \
  GST_CL_DEFINE_AGGREGATOR_TYPES (TypeName, type_name, element, description)                                                   \
  static void type_name##_class_init (TypeName##Class *klass)                                                                  \
  {                                                                                                                            \
    gst_cl_aggregator_class_set_description (&klass->parent_class, &(description), type_name##_pad_get_type ());               \
  }                                                                                                                            \
  GST_ELEMENT_REGISTER_DEFINE (element, #element, GST_RANK_NONE, type_name##_get_type ())

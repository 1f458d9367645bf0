/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of filters with any number of inputs, which are synchronised by running time. */
#pragma once

#include "filter/gstclaggregatorpad.hpp"

/** GstClAggregator: abstract. A subclass consists of a description and GST_CL_DEFINE_AGGREGATOR. */
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

/** Installs a description: on the pad class its properties; on the element class metadata, properties and pad templates, with
 *  sink pads of pad_type. For class_init; the description must live as long as the process. */
GST_CL_API void gst_cl_aggregator_pad_class_set_description (
    GstClAggregatorPadClass *klass, const gst::cl::AggregatorDescription *description);
GST_CL_API void gst_cl_aggregator_class_set_description (
    GstClAggregatorClass *klass, const gst::cl::AggregatorDescription *description, GType pad_type);

/**
 * GST_CL_DEFINE_AGGREGATOR:
 * @TypeName: the name of the GType, such as GstClBlend; its pads' type is GstClBlendPad
 * @type_name: its prefix, such as gst_cl_blend
 * @element: the element's name without quotes, such as clblend
 * @description: a gst::cl::AggregatorDescription
 *
 * Defines the types, the debug category (named as the element) and gst_element_register_ELEMENT(). A class that needs its own
 * class_init() uses GST_CL_DEFINE_AGGREGATOR_TYPES() and registers the element itself.
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

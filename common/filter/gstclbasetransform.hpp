/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of every element with one input: it has a device, shares contexts, and negotiates memory. */
#pragma once

#include "filter/caps.hpp"
#include "memory/frame.hpp"

#include <gst/base/gstbasetransform.h>

/** GstClBaseTransform: abstract. Subclasses set sink_memory and src_memory, call the class function below and get a
 *  context from gst_cl_base_transform_get_context() between start() and stop(). */
struct GstClBaseTransform {
  GstBaseTransform parent;
  struct GstClBaseTransformPrivate *priv;
};

struct GstClBaseTransformClass {
  GstBaseTransformClass parent_class;
  /** Memory on either pad, by preference. Allocated once by class_set_memory(). */
  const std::vector<gst::cl::MemoryKind> *sink_memory, *src_memory;
};

GST_CL_API GType gst_cl_base_transform_get_type ();
#define GST_TYPE_CL_BASE_TRANSFORM (gst_cl_base_transform_get_type ())
#define GST_CL_BASE_TRANSFORM(obj) (reinterpret_cast<GstClBaseTransform *> (obj))
#define GST_CL_BASE_TRANSFORM_GET_CLASS(obj) (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_BASE_TRANSFORM, \
    GstClBaseTransformClass))

/** Adds both pad templates. For class_init. */
GST_CL_API void gst_cl_base_transform_class_set_memory (GstClBaseTransformClass *klass,
    std::vector<gst::cl::MemoryKind> sink, std::vector<gst::cl::MemoryKind> src);

/** The element's context: set from READY on. */
GST_CL_API gst::cl::ContextRef gst_cl_base_transform_get_context (GstClBaseTransform *self);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of every element with one input: it has a device, shares contexts, and negotiates memory. */
#pragma once

#include "filter/clelement.hpp"

#include <gst/base/gstbasetransform.h>

/** GstClBaseTransform: abstract. Subclasses set sink_memory and src_memory by the class function below; their
 *  ClElement has a context between start() and stop(). */
struct GstClBaseTransform {
  GstBaseTransform parent;
  gst::cl::ClElement *element;
  /* whether caps of single fields were refused since the start; upstream tries them again with every buffer */
  gboolean refused;
};

struct GstClBaseTransformClass {
  GstBaseTransformClass parent_class;
  /** Memory on either pad, by preference. Allocated once by class_set_memory(). */
  const std::vector<gst::cl::MemoryKind> *sink_memory, *src_memory;
  /** Whether video of one field a buffer is refused. */
  bool whole_frames;
};

GST_CL_API GType gst_cl_base_transform_get_type ();
#define GST_TYPE_CL_BASE_TRANSFORM (gst_cl_base_transform_get_type ())
#define GST_CL_BASE_TRANSFORM(obj) (reinterpret_cast<GstClBaseTransform *> (obj))
#define GST_CL_BASE_TRANSFORM_GET_CLASS(obj)                                                                                   \
  (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_BASE_TRANSFORM, GstClBaseTransformClass))

/** Adds both pad templates, of every format; every_format: as make_template_caps() has it; whole_frames: video of one field a
 *  buffer is refused, with a message. For class_init. */
GST_CL_API void gst_cl_base_transform_class_set_memory (GstClBaseTransformClass *klass, std::vector<gst::cl::MemoryKind> sink,
    std::vector<gst::cl::MemoryKind> src, bool every_format = false, bool whole_frames = false);

/** What it has of every element. */
GST_CL_API gst::cl::ClElement &gst_cl_base_transform_get_element (gpointer self);

/** The first half of fixate_caps(): takes `other` and returns what of it has the memory that suits frames of caps best. The rest
 *  is left to fixate. */
GST_CL_API GstCaps *gst_cl_base_transform_choose_memory (
    GstClBaseTransform *self, GstPadDirection direction, GstCaps *caps, GstCaps *other);

/** prepare_output_buffer() of a frame that passes: out is in itself wherever it can be. */
GST_CL_API GstFlowReturn gst_cl_base_transform_pass (GstClBaseTransform *self, GstBuffer *in, GstBuffer **out);

/** Calls make with the caps of both pads as they are now, where both have some. */
GST_CL_API void gst_cl_base_transform_with_current_caps (
    GstClBaseTransform *self, const std::function<void (GstCaps *sink_caps, GstCaps *src_caps)> &make);

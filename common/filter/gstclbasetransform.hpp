/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of every element with one input: it has a device, shares contexts, and negotiates memory. */
#pragma once

#include "filter/caps.hpp"
#include "gl/link.hpp"

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
#define GST_CL_BASE_TRANSFORM_GET_CLASS(obj)                                                                                   \
  (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_BASE_TRANSFORM, GstClBaseTransformClass))

/** Adds both pad templates, of every format; bit_packed: as make_template_caps() has it. For class_init. */
GST_CL_API void gst_cl_base_transform_class_set_memory (GstClBaseTransformClass *klass, std::vector<gst::cl::MemoryKind> sink,
    std::vector<gst::cl::MemoryKind> src, bool bit_packed = false);

/** The element's context: set from READY on. */
GST_CL_API gst::cl::ContextRef gst_cl_base_transform_get_context (GstClBaseTransform *self);

/** What carries frames of these caps of the pads between GL and OpenCL: null where neither has GL memory. Changes the
 *  element's context where the way needs it. Throws Failure. */
GST_CL_API gst::cl::Links gst_cl_base_transform_link (GstClBaseTransform *self, GstCaps *sink_caps, GstCaps *src_caps);

/** The first half of fixate_caps(): takes `other` and returns what of it has the memory that suits frames of caps best. The rest
 *  is left to fixate. */
GST_CL_API GstCaps *gst_cl_base_transform_choose_memory (
    GstClBaseTransform *self, GstPadDirection direction, GstCaps *caps, GstCaps *other);

/** See ClElement. */
GST_CL_API bool gst_cl_base_transform_streams_on (GstClBaseTransform *self);

/** A frame that passes, as downstream can take it; see ClElement. Throws Failure. */
GST_CL_API gst::cl::BufferRef gst_cl_base_transform_for_downstream (GstClBaseTransform *self, GstBuffer *buffer);

/** prepare_output_buffer() of a frame that passes: out is in itself wherever it can be. */
GST_CL_API GstFlowReturn gst_cl_base_transform_pass (GstClBaseTransform *self, GstBuffer *in, GstBuffer **out);

/** Whether what was made for the element's context or link has to be made anew before buffer: a neighbour's context was
 *  taken, interop was changed, or GL's display or contexts are others. For the streaming thread. */
GST_CL_API bool gst_cl_base_transform_was_relinked (GstClBaseTransform *self, GstBuffer *buffer);

/** Calls make with the caps of both pads as they are now, where both have some. */
GST_CL_API void gst_cl_base_transform_with_current_caps (
    GstClBaseTransform *self, const std::function<void (GstCaps *sink_caps, GstCaps *src_caps)> &make);

/** The context that is shared with GL has failed: the next link gets a new one. */
GST_CL_API void gst_cl_base_transform_forget_context (GstClBaseTransform *self);

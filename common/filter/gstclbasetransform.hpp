/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of elements with one input: it has a device, shares contexts with neighbours, and negotiates memory. */
#pragma once

#include "filter/clelement.hpp"

#include <gst/base/gstbasetransform.h>

/** GstClBaseTransform: abstract. Subclasses call gst_cl_base_transform_class_set_memory(). The ClElement has a context between
 *  start() and stop(). */
struct GstClBaseTransform {
  GstBaseTransform parent;
  gst::cl::ClElement *element;
  /* whether caps of single fields were refused since start(); upstream tries such caps again with every buffer */
  gboolean refused;
};

struct GstClBaseTransformClass {
  GstBaseTransformClass parent_class;
  /** Memory of each pad, best first. gst_cl_base_transform_class_set_memory() allocates both lists once. */
  const std::vector<gst::cl::MemoryKind> *sink_memory, *src_memory;
  /** Whether video of one field per buffer is refused. */
  bool whole_frames;
  /** Optional, of elements whose pads have different caps. map_caps(): the other pad's caps, with any memory. open_caps(): the
   *  part of the possible caps to offer upstream. learn_caps(): called before the stream is made. changes_caps(): called before each
   *  frame; whether the settings now ask for other caps. */
  GstCaps *(*map_caps) (GstClBaseTransform *self, GstPadDirection direction, GstCaps *caps);
  GstCaps *(*open_caps) (GstClBaseTransform *self, GstCaps *possible);
  void (*learn_caps) (GstClBaseTransform *self, GstCaps *in, GstCaps *out);
  bool (*changes_caps) (GstClBaseTransform *self);
};

GST_CL_API GType gst_cl_base_transform_get_type ();
#define GST_TYPE_CL_BASE_TRANSFORM (gst_cl_base_transform_get_type ())
#define GST_CL_BASE_TRANSFORM(obj) (reinterpret_cast<GstClBaseTransform *> (obj))
#define GST_CL_BASE_TRANSFORM_GET_CLASS(obj)                                                                                   \
  (G_TYPE_INSTANCE_GET_CLASS ((obj), GST_TYPE_CL_BASE_TRANSFORM, GstClBaseTransformClass))

/** Adds both pad templates, with every format. every_format is passed to make_template_caps(). whole_frames: refuses video of
 *  one field per buffer with an error. For class_init. */
GST_CL_API void gst_cl_base_transform_class_set_memory (GstClBaseTransformClass *klass, std::vector<gst::cl::MemoryKind> sink,
    std::vector<gst::cl::MemoryKind> src, bool every_format = false, bool whole_frames = false);

/** The common part of all elements. */
GST_CL_API gst::cl::ClElement &gst_cl_base_transform_get_element (gpointer self);

/** The first half of fixate_caps(): takes `other`, and returns its structures with the memory that suits frames of caps best.
 *  The caller fixates the rest. */
GST_CL_API GstCaps *gst_cl_base_transform_choose_memory (
    GstClBaseTransform *self, GstPadDirection direction, GstCaps *caps, GstCaps *other);

/** Returns the part of the possible caps `other` in which every field that caps omit has its default, such as
 *  interlace-mode=progressive; all of `other` if that part is empty. Takes ownership of other. open: fields that may get other
 *  values. */
GST_CL_API GstCaps *gst_cl_keep_defaults (GstCaps *caps, GstCaps *other, std::initializer_list<const char *> open = {});

/** An open_caps() that moves caps to the front that the element turns into downstream's caps, in the memory that is first now. The
 *  base class prefers caps that downstream takes unchanged, even if the element would change them. */
GST_CL_API GstCaps *gst_cl_put_changed_first (GstClBaseTransform *self, GstCaps *possible);

/** prepare_output_buffer() for a frame that passes unchanged: sets *out to in itself if possible. */
GST_CL_API GstFlowReturn gst_cl_base_transform_pass (GstClBaseTransform *self, GstBuffer *in, GstBuffer **out);

/** Calls make with the current caps of both pads, if both have caps. */
GST_CL_API void gst_cl_base_transform_with_current_caps (
    GstClBaseTransform *self, const std::function<void (GstCaps *sink_caps, GstCaps *src_caps)> &make);
/** The video of both pads, if it is known before the source starts, for example from a capsfilter. */
std::optional<std::pair<GstVideoInfo, GstVideoInfo>> gst_cl_base_transform_expect_video (GstClBaseTransform *self);

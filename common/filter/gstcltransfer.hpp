/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of elements that copy frames, unchanged, from one kind of memory to another. */
#pragma once

#include "filter/gstclbasetransform.hpp"

/** GstClTransfer: abstract. A subclass calls gst_cl_base_transform_class_set_memory() to set the memory of its pads. */
struct GstClTransfer {
  GstClBaseTransform parent;
  struct GstClTransferPrivate *priv;
};

struct GstClTransferClass {
  GstClBaseTransformClass parent_class;
};

GST_CL_API GType gst_cl_transfer_get_type ();
#define GST_TYPE_CL_TRANSFER (gst_cl_transfer_get_type ())

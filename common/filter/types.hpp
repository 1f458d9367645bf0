/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enums and flags that several elements share. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

namespace gst::cl {

/** What lies outside the frame; the numbers are those of kernels/lib/border.clh. */
enum class Border { replicate, reflect, reflect101, wrap, constant };

/** Which rectangles are filtered: that of the properties, or those of the buffer's metas. */
enum class RoiSource { fixed, meta };

GST_CL_API GType border_get_type ();
GST_CL_API GType roi_source_get_type ();
GST_CL_API GType planes_get_type ();

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type of the pools that external_pool_new() makes. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

G_BEGIN_DECLS

#define GST_TYPE_CL_GL_BUFFER_POOL (gst_cl_gl_buffer_pool_get_type ())
#define GST_IS_CL_GL_BUFFER_POOL(obj) (G_TYPE_CHECK_INSTANCE_TYPE ((obj), GST_TYPE_CL_GL_BUFFER_POOL))

GST_CL_API
GType gst_cl_gl_buffer_pool_get_type (void);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

/* A picture with what cameras see: soft shades, edges, fine texture and a little noise; another one for each number. In system
 * memory. */
GstBuffer *make_picture (const GstVideoInfo &info, guint number);

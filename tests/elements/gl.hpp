/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in GL textures, with the test's own GL context. A build without GL has none. */
#pragma once

#include "frames.hpp"

namespace test {

/* Selects a GL without windows, unless the environment selects one; call it before GStreamer starts. */
void prefer_headless_gl ();

/* Whether GL contexts can be made; tried in a child process. */
bool gl_present ();

/* Whether GL memory can hold a format. */
bool fits_texture (GstVideoFormat format);

/* The caps with GL memory in place of system memory. */
std::string with_gl (const std::string &caps);

/* Lets an element, or all elements in a bin, use the display and context of to_textures(). */
void share_gl (GstElement *element);

/* The picture as a buffer of a GstGLBufferPool; caps are those of system memory. Storage::Tight leaves it on the host, as after
 * mapping for writing; otherwise it is uploaded to the texture by commands that GL may not have finished, followed by a sync
 * point. */
GstBuffer *to_textures (const ref::Picture &picture, Storage storage, const GstCaps *caps);

/* Reads the textures like a GL element, whatever the host has; caps as above. */
ref::Picture from_textures (GstBuffer *buffer, const GstCaps *caps);

bool has_textures (GstBuffer *buffer);

}  // namespace test

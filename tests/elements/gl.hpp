/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in GL textures, with a GL context of the test's own. In a build without GL there is none. */
#pragma once

#include <gst/video/video.h>

#include "../reference/picture.hpp"
#include "frames.hpp"

namespace test {

/* Sets a GL that needs no window where the environment names none; call it before GStreamer starts. */
void prefer_headless_gl ();

/* Whether GL contexts can be made, tried in a process of its own. */
bool gl_present ();

/* What GL memory can hold of the formats that elements take. */
bool fits_texture (GstVideoFormat format);

/* The caps with GL memory in place of system memory. */
std::string with_gl (const std::string &caps);

/* Lets an element, or all in a bin, use the display and context in which to_textures() makes textures. */
void share_gl (GstElement *element);

/* The picture as a buffer of a GstGLBufferPool; caps are those of system memory. Storage::Tight is on the host, as
 * after a map for writing; any other is in the texture, uploaded by commands that GL may not have finished, with a sync
 * point behind them. */
GstBuffer *to_textures (const ref::Picture &picture, Storage storage, const GstCaps *caps);

/* What a GL element finds in the textures, whatever the host has of them; caps as above. */
ref::Picture from_textures (GstBuffer *buffer, const GstCaps *caps);

bool has_textures (GstBuffer *buffer);

}  // namespace test

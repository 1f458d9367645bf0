/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input pictures, and the many layouts in which a buffer can hold one. */
#pragma once

#include "../reference/picture.hpp"
#include "suite.hpp"

namespace test {

enum class Content { Noise, Flat, Gradient, Natural };

/* Tight: GStreamer's default layout without a meta; Padded: wide rows and gaps, with a GstVideoMeta; Odd: odd byte
 * strides and offsets, also for 16-bit samples; Separate: one memory per plane; ReadOnly: Padded, and nobody may write;
 * Shifted: the memory starts in the middle of its block. */
enum class Storage { Tight, Padded, Odd, Separate, ReadOnly, Shifted };

constexpr Storage storages[] = {
    Storage::Tight, Storage::Padded, Storage::Odd, Storage::Separate, Storage::ReadOnly, Storage::Shifted};
constexpr Content contents[] = {Content::Noise, Content::Flat, Content::Gradient, Content::Natural};

const char *name_of (Content content);
const char *name_of (Storage storage);

ref::Picture make_picture (GstVideoFormat format, int width, int height, Content content, Random &random);

/* The first picture of the random stream of this number. */
inline ref::Picture
random_picture (GstVideoFormat format, int width, int height, unsigned number = 1, Content content = Content::Noise)
{
  Random random (number);
  return make_picture (format, width, height, content, random);
}

/* Fails the test if the caps are not of video. */
GstVideoInfo info_of (const GstCaps *caps);
inline GstVideoInfo
info_of (const std::string &caps)
{
  return info_of (Own (gst_caps_from_string (caps.c_str ())));
}

/* Makes a buffer for a stream with these caps. */
GstBuffer *to_buffer (const ref::Picture &picture, Storage storage, const GstCaps *caps);

/* Writes a picture into a buffer with these caps. */
void write_picture (GstBuffer *buffer, const ref::Picture &picture, const GstCaps *caps);

/* Reads a buffer with these caps, using its GstVideoMeta if it has one. */
ref::Picture from_buffer (GstBuffer *buffer, const GstCaps *caps);

/* The same for caps in text. */
inline GstBuffer *
to_buffer (const ref::Picture &picture, Storage storage, const std::string &caps)
{
  return to_buffer (picture, storage, Own (gst_caps_from_string (caps.c_str ())));
}
inline ref::Picture
from_buffer (GstBuffer *buffer, const std::string &caps)
{
  return from_buffer (buffer, Own (gst_caps_from_string (caps.c_str ())));
}

/* Fails the test, with the position, unless two pictures have the same size and, to within the tolerance, the same samples of every component
 * that is not one of `but`. */
void expect_same (const ref::Picture &is, const ref::Picture &expected, const std::string &what, int tolerance = 0,
    const std::string &but = "");

/* Adds an overlay of these pixels, which it takes, at a place of the picture. */
void add_overlay (GstBuffer *buffer, GstBuffer *pixels, const GstVideoRectangle &place);

/* A pool with these settings, which gives buffers as long as the object lives. */
class Pool {
public:
  Pool (GstBufferPool *taken, GstCaps *caps, gsize size, guint least = 0, guint most = 0,
      std::initializer_list<const char *> options = {});
  ~Pool ();
  Pool (const Pool &) = delete;

  GstBuffer *acquire ();
  GstBufferPool *get () const { return pool; }

private:
  GstBufferPool *const pool;
};

/* The pool in an answered allocation query. */
Pool pool_of (GstQuery *query, GstCaps *caps, std::initializer_list<const char *> options = {});

}  // namespace test

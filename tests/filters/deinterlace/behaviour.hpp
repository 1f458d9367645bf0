/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams of interlaced frames for cldeinterlace. */
#pragma once

#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test {

constexpr const char *deinterlace_methods[] = {"bwdif", "yadif", "linear", "weave", "motion"};
constexpr int deinterlace_rate = 25;
constexpr GstClockTime interlaced_time = GST_SECOND / deinterlace_rate;

/* The element with these properties, on frames with interlaced caps. */
Case deinterlace_case (GstVideoFormat format, const std::string &properties, unsigned number, int width = 35, int height = 18);
/* Caps of the case with a framerate and further fields. */
std::string caps_with (const Case &c, int rate, const std::string &fields);
/* A link from interlaced frames to frames at this rate. */
Link open_deinterlacer (
    const Case &c, const std::string &fields = "interlace-mode=interleaved", int out_rate = 2 * deinterlace_rate);

/* Pictures with a static half and a moving half, and samples above max if the format has room for them. */
std::vector<ref::Picture> interlaced_stream (const Case &c, int n);

/* Frame t of a stream; flags are GstVideoBufferFlags. */
GstBuffer *interlaced_frame (const Case &c, const ref::Picture &picture, int t, guint flags);
constexpr guint top_first = GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF;
constexpr guint bottom_first = GST_VIDEO_BUFFER_FLAG_INTERLACED;

/* Pushes frame t, and returns the number of results so far. */
guint push_interlaced (Link &link, const Case &c, const ref::Picture &picture, int t, guint flags = top_first);
/* Pushes all frames and the end. */
void push_all (Link &link, const Case &c, const std::vector<ref::Picture> &stream, guint flags);

}  // namespace test

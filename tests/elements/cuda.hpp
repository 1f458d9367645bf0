/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in CUDA memory, made by GStreamer's CUDA library, which is loaded at run time. */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "../reference/picture.hpp"
#include "frames.hpp"

namespace test {

/* Whether GST_CL_TEST_GL says that the tests of GL memory are to run in CUDA memory: "cuda" or "cuda-staged". */
bool tests_cuda ();

/* Whether the library, a driver and that device are there. */
bool cuda_present (guint device = 0);

bool fits_cuda (GstVideoFormat format);

std::string with_cuda (const std::string &caps);

/* Lets an element use the context of to_cuda(). */
void share_cuda (GstElement *element);

/* Lets elements behind a harness's source pad find that context upstream. */
void share_with_upstream (GstHarness *harness);

/* The picture as a buffer of a GstCudaBufferPool; on the host where Storage is Tight, else on the device. */
GstBuffer *to_cuda (const ref::Picture &picture, Storage storage, const GstCaps *caps);
/* Of GStreamer's own pool, contents undefined. device: which one's. */
GstBuffer *new_cuda_buffer (const GstCaps *caps, guint device = 0);
/* Puts a picture into it. */
void fill_cuda (GstBuffer *buffer, const ref::Picture &picture, Storage storage, const GstCaps *caps);

/* What a CUDA element finds in it. */
ref::Picture from_cuda (GstBuffer *buffer, const GstCaps *caps);

bool is_in_cuda (GstBuffer *buffer);

}  // namespace test

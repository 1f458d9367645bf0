/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in CUDA memory, made by GStreamer's CUDA library, which is loaded at run time. */
#pragma once

#include <gst/check/gstharness.h>

#include "frames.hpp"

namespace test {

/* Whether GST_CL_TEST_GL requests the tests of GL memory in CUDA memory: "cuda" or "cuda-staged". */
bool tests_cuda ();

/* Whether the library, a driver and this device exist. */
bool cuda_present (guint device = 0);

bool fits_cuda (GstVideoFormat format);

std::string with_cuda (const std::string &caps);

/* Lets an element use the context of to_cuda(). */
void share_cuda (GstElement *element);

/* Lets elements after a harness's source pad find that context upstream. */
void share_with_upstream (GstHarness *harness);

/* The picture as a buffer of a GstCudaBufferPool; on the host for Storage::Tight, otherwise on the device. */
GstBuffer *to_cuda (const ref::Picture &picture, Storage storage, const GstCaps *caps);
/* A buffer of GStreamer's own pool with undefined contents, on the given device. */
GstBuffer *new_cuda_buffer (const GstCaps *caps, guint device = 0);
/* Copies a picture into a buffer. */
void fill_cuda (GstBuffer *buffer, const ref::Picture &picture, Storage storage, const GstCaps *caps);

/* Reads the buffer like a CUDA element. */
ref::Picture from_cuda (GstBuffer *buffer, const GstCaps *caps);

bool is_in_cuda (GstBuffer *buffer);

}  // namespace test

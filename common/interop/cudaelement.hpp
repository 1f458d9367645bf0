/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "interop/element.hpp"

namespace gst::cl {

/** An element's side of CUDA memory: it exchanges CUDA contexts as GStreamer's CUDA elements do. */
std::unique_ptr<MemoryElement> make_cuda_element (GstElement *element);

}  // namespace gst::cl

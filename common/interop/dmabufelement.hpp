/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "interop/element.hpp"

namespace gst::cl {

std::unique_ptr<MemoryElement> make_dmabuf_element (GstElement *element);

}  // namespace gst::cl

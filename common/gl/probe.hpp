/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trial behind every verdict. */
#pragma once

#include "gl/interop.hpp"

namespace gst::cl {

/** Fills a frame by GL, inverts it by OpenCL into another, reads that by GL and compares every byte; then times it.
 *  info: a small frame. Throws. */
Verdict run_gl_trial (GlLink &link, const GstVideoInfo &info);

}  // namespace gst::cl

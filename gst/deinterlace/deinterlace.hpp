/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operation of cldeinterlace: makes a frame from one field by interpolating the rows of the other field. */
#pragma once

#include "deinterlace/fields.hpp"
#include "filter/operation.hpp"

namespace gst::cl {

/** How many frames on either side a method reads. */
inline size_t
reach_of (DeinterlaceMethod method)
{
  return method == DeinterlaceMethod::linear ? 0 : method == DeinterlaceMethod::motion ? 2 : 1;
}

OperationType deinterlace_operation ();

}  // namespace gst::cl

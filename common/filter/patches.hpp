/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a region falls into an interior and padded edges. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** The parts into which task.region falls for a filter with that window: on the cpu back end the interior, straight from the
 *  frame, and the edges, from copies that are padded by the border's rule. */
GST_CL_API std::vector<Patch> patches_of (Runner &runner, const PlaneTask &task, const Window &window, const KernelSpec &spec);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common properties and operation of clprewitt, clsobel and clscharr. clemboss uses a part of it, since its relief consists
 * of the same gradients. */
#pragma once

#include "filter/gstclfilter.hpp"
#include "shared/gradient.hpp"
#include "shared/neutral.hpp"

namespace gst::cl {

/** The properties of every edge element. */
std::span<const Property> edge_properties ();

std::unique_ptr<Operation> make_edges (const GradientWeights &weights);

template <int side, int middle>
std::unique_ptr<Operation>
make_edges ()
{
  return make_edges ({side, middle});
}

/** The task for filters that write one intensity to every colour component and do not change alpha. */
PlaneTask without_alpha (PlaneTask task);

}  // namespace gst::cl

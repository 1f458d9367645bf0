/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clprewitt, clsobel and clscharr share: their properties and their work. clemboss uses a part of it, since its relief
 * consists of the same gradients. */
#pragma once

#include "filter/gstclfilter.hpp"
#include "shared/neutral.hpp"

namespace gst::cl {

/** The properties of every edge element. */
std::span<const Property> edge_properties ();

/** What has a gradient in kernels/edges/gradient.cl: samples whose results are floats, samples whose results are exact, or pixels. */
enum class GradientBody { samples, sample_strips, pixels };

/** The weights of a gradient: gx is -1 0 1 in each row, times side, middle, side; gy is its transpose. */
struct GradientWeights {
  int side, middle;
};

/** A kernel of kernels/edges/: its formula, which is an option of edges.clh. */
struct GradientKernel {
  const char *formula;
  GradientWeights weights;
  GradientBody body;
};

/** Enqueues what filters task.region; settings: the structure that the formula takes. */
void filter_gradients (Runner &runner, const PlaneTask &task, const GradientKernel &kernel, const ValueArgument &settings);

std::unique_ptr<Operation> make_edges (const GradientWeights &weights);

template <int side, int middle>
std::unique_ptr<Operation>
make_edges ()
{
  return make_edges ({side, middle});
}

/** The plane for filters that write one intensity to every colour component: alpha is not changed. */
PlaneTask without_alpha (PlaneTask task);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common properties and operation of clprewitt, clsobel and clscharr. clemboss uses a part of it, since its relief consists
 * of the same gradients. */
#pragma once

#include "filter/gstclfilter.hpp"
#include "shared/gradient.hpp"
#include "shared/launches.hpp"

namespace gst::cl {

enum EdgeOutput { OUTPUT_MAGNITUDE, OUTPUT_L1, OUTPUT_X, OUTPUT_Y };
enum EdgeDomain { EDGES_PER_COMPONENT, EDGES_OF_INTENSITY, EDGES_AUTO };

struct EdgeSettings {
  EdgeOutput output = OUTPUT_MAGNITUDE;
  double scale = 1, delta = 0;
  bool is_signed = false;
  EdgeDomain domain = EDGES_AUTO;
};

/** The properties of every edge element. */
std::span<const Property> edge_properties ();

std::unique_ptr<Operation> make_edges (const GradientWeights &weights);

/** Describes an edge element by the weights of its gradient. */
template <int side, int middle>
FilterDescription
describe_edges (const char *long_name, const char *description)
{
  return {.long_name = long_name,
      .description = description,
      .properties = edge_properties (),
      .windowed = true,
      .operation = {OperationType::Kind::filter, copy_settings<EdgeSettings>, [] {
                      return make_edges ({side, middle});
                    }}};
}

/** The task for filters that write one intensity to every colour component and do not change alpha. */
PlaneTask without_alpha (PlaneTask task);

}  // namespace gst::cl

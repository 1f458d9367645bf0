/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Fills with neutral chroma, for filters that keep only intensity. */
inline Launch
neutral_launch (const Runner &runner)
{
  return {{.sources = {"lib/point.clh", "shared/fill.cl"},
              .function = "fill_plane",
              .item_samples = runner.backend () == Backend::gpu ? 8 : 1,
              .tunable = {.local = true}},
      {runner.format ().neutral_chroma ()}};
}

}  // namespace gst::cl

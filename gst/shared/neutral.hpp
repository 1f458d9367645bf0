/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** Enqueues the fill of task.region with neutral chroma, for filters that keep only intensity. */
inline void
fill_neutral (Runner &runner, const PlaneTask &task)
{
  const KernelSpec spec{.sources = {"lib/point.clh", "shared/fill.cl"},
      .function = "fill_plane",
      .item_samples = runner.backend () == Backend::gpu ? 8 : 1,
      .tunable = {.local = true}};
  runner.launch (spec, task, Patch::of (task), {runner.format ().neutral_chroma ()});
}

}  // namespace gst::cl

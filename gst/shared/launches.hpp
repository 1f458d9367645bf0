/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that several elements launch. */
#pragma once

#include "core/vendors.hpp"
#include "filter/runner.hpp"

namespace gst::cl {

/** How many rows an item of a GPU, or a group, walks down; it also loads rows above them. `most`, or fewer, at least `least`, so that
 *  `columns` items side by side make per_unit items for each compute unit: these hide the latency of loads (measured on an H200). */
inline int
band_on_gpu (const Runner &runner, int columns, int rows, int least, int most, int per_unit = 512)
{
  const gint64 items = gint64 (per_unit) * runner.cl ().device.compute_units;
  return int (std::clamp<gint64> (gint64 (rows) * columns / items, least, most));
}

/** Macros of kernels/lib/lanes.clh. */
inline Options
byte_options (const Runner &runner)
{
  return option_if (vendors::has_paired_minima (runner.cl ().device), {"PTX_BYTES", 1});
}

/** How many rows an item of the gpu back end maps: several between buffers, measured on an H200. */
inline int
lookup_item_rows (const Runner &runner, const PlaneTask &task)
{
  return runner.backend () == Backend::gpu && !task.src.image && !task.dst.image ? 2 : 1;
}

/** Maps samples by `tables` tables: one table, or one for each sample of a pixel. */
inline Launch
map_launch (const Runner &runner, const PlaneTask &task, const Argument &content, int tables)
{
  const bool gpu = runner.backend () == Backend::gpu;
  const int samples = 16 / runner.format ().sample_size (), pixel = task.src.layout->samples_per_pixel;
  return {{.sources = {"lib/point.clh", "shared/lookup.clh", "shared/lut.cl"},
              .function = "map_samples",
              .options = {{"TABLES", tables}},
              .item_samples = !gpu         ? 1
                              : pixel == 3 ? 3 * samples
                                           : samples,
              .item_rows = lookup_item_rows (runner, task),
              .tunable = free_on_gpu (gpu, pixel == 3 ? 3 * samples : samples, any_rows)},
      {content}};
}

/** Fills with neutral chroma, for filters that keep only intensity. */
inline Launch
neutral_launch (const Runner &runner)
{
  Launch fill ({.sources = {"lib/point.clh", "shared/fill.cl"},
                   .function = "fill_plane",
                   .item_samples = runner.backend () == Backend::gpu ? 8 : 1,
                   .tunable = {.local = true}},
      {runner.format ().neutral_chroma ()});
  fill.command = Launch::Command::fill;
  return fill;
}

/** The task for filters that write one intensity to every colour component and do not change alpha. */
inline PlaneTask
without_alpha (PlaneTask task)
{
  task.components &= ~(1u << alpha);
  return task;
}

}  // namespace gst::cl

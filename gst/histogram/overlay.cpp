/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "histogram/overlay.hpp"

#include "filter/copies.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* What kernels/histogram/overlay.cl draws by: two numbers for each column of every sample of the pixel. */
const ::cl::Buffer &
enqueue_heights (Runner &runner, const PlaneTask &task, const ::cl::Buffer &counts, const Rect &panel, int bins, int thickness)
{
  const int samples = task.src.layout->samples_per_pixel;
  const ::cl::Buffer &heights =
      runner.memory.buffer ({"histogram-heights", task.plane}, 2 * sizeof (cl_int) * panel.width * samples);
  const bool cpu = runner.backend () == Backend::cpu;
  const size_t group = cpu ? 1 : std::min<size_t> (256, runner.cl ().device.max_work_group_size);
  const KernelSpec spec{.sources = {"histogram/overlay.cl"}, .function = "find_heights", .options = {{"GROUP", group}}};
  runner.launch_range (spec, task, {{group * samples, 1}, {group, 1}},
      {counts, heights, cl_int2{{panel.width, panel.height}}, cl_int (bins), cl_int (thickness)});
  return heights;
}

}  // namespace

Rect
histogram_panel (const Rect &region)
{
  const int width = region.width / 2, height = region.height / 3;
  const int margin = std::min (region.width, region.height) / 24;
  return {region.x + margin, region.y + region.height - margin - height, width, height};
}

void
draw_histogram (Runner &runner, const PlaneTask &task, const ::cl::Buffer &counts, const HistogramCurves &curves)
{
  const Rect &r = task.region, panel = histogram_panel (r);
  if (panel.empty ())
    return copy_samples (runner, task, r);
  const int below = panel.y + panel.height, right = panel.x + panel.width;
  copy_samples (runner, task, {r.x, r.y, r.width, panel.y - r.y});
  copy_samples (runner, task, {r.x, below, r.width, r.y + r.height - below});
  copy_samples (runner, task, {r.x, panel.y, panel.x - r.x, panel.height});
  copy_samples (runner, task, {right, panel.y, r.x + r.width - right, panel.height});

  const Format &format = runner.format ();
  const PlaneLayout &layout = *task.src.layout;
  const bool chroma = format.is_chroma (task.plane);
  cl_int drawn = 0;
  for (int s = 0; s < layout.samples_per_pixel && !chroma; s++)
    if (layout.components[s] != padding && layout.components[s] != alpha && (curves.components >> layout.components[s] & 1))
      drawn |= 1 << s;
  const cl_int fill = chroma ? format.neutral_chroma () : -1;
  const cl_int thickness = std::max (1, panel.height / 120);

  PlaneTask inside = task;
  inside.components &= ~(1u << alpha);
  const bool cpu = runner.backend () == Backend::cpu;
  const int samples = layout.samples_per_pixel;
  const int image_samples = (samples == 4 ? 8 : 4) / format.sample_size ();
  const KernelSpec spec{.sources = {"histogram/overlay.cl"},
      .function = "draw_curves",
      .options = {{"GROUP", 1}},
      .item_samples = cpu                                ? 1
                      : task.src.image || task.dst.image ? image_samples
                      : samples == 3                     ? 12
                                                         : 8,
      .tunable = {.local = true}};
  /* without a curve the heights are not read */
  const ::cl::Buffer &heights = drawn ? enqueue_heights (runner, task, counts, panel, curves.bins, thickness) : counts;
  runner.launch (spec, inside, Patch::of (inside, panel),
      {heights, drawn, thickness, fill, cl_int2{{curves.range.black, curves.range.white}}});
}

}  // namespace gst::cl

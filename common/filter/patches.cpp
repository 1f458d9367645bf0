/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Divides a region into an interior and padded edges. */
#include "filter/runner.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

Rect
between (int left, int top, int right, int bottom)
{
  return {left, top, right - left, bottom - top};
}

/* Returns where the interior begins and ends along one axis of a region, for a window that reaches `before` and `after`. An
 * edge has at least `least` samples, because shorter ones would need programs of their own. */
std::pair<int, int>
interior (int begin, int end, int plane_size, int before, int after, int least)
{
  const int first = begin < before ? std::min (end, std::max (before, begin + least)) : begin;
  const int last = end > plane_size - after ? std::max (first, std::min (plane_size - after, end - least)) : end;
  return {first, last};
}

/* Copies each rectangle, with the window around it, to scratch memory, from which it is filtered. The first two rectangles have
 * the same rows and are copied together, row by row. */
std::vector<Patch>
padded (Runner &runner, const PlaneTask &task, const Window &window, const std::array<Rect, 4> &rects)
{
  const int samples = task.src.layout->samples_per_pixel;
  constexpr int alignment = 64;
  constexpr size_t rows_per_group = 16;
  std::vector<Patch> patches;
  std::vector<cl_int> areas (16); /* int16 holds four rectangles */
  cl_int4 begins{};
  int end = 0, used = 0;
  for (size_t i = 0; i < rects.size (); i++) {
    const Rect &rect = rects[i];
    if (rect.empty ())
      continue;
    const cl_int4 area{{(rect.x - window.left) * samples, rect.y - window.top,
        (rect.width + window.left + window.right) * samples, rect.height + window.top + window.bottom}};
    std::copy_n (area.s, 4, areas.begin () + 4 * i);
    begins.s[i] = end;
    Patch patch = Patch::of (task, rect);
    patch.src_stride = area.s[2];
    /* sample (x, y) of the plane is at offset + y * stride + x of the copy */
    patch.src_offset = begins.s[i] - area.s[1] * area.s[2] - area.s[0];
    patches.push_back (patch);
    used = end + area.s[2] * area.s[3];
    end = (used + alignment - 1) / alignment * alignment;
  }
  if (patches.empty ())
    return patches;

  /* the buffer ends with the last sample, so that tests can detect reads beyond it */
  const ::cl::Buffer &copies = runner.memory.buffer ("edges", size_t (used) * runner.format ().sample_size ());
  const KernelSpec spec{.sources = {"lib/pad.cl"}, .function = "pad"};
  const size_t height = std::max (areas[3], areas[7]) + areas[11] + areas[15];
  const size_t rows = (height + rows_per_group - 1) / rows_per_group * rows_per_group;
  runner.launch_range (spec, task, {{rows, 1}, {rows_per_group, 1}},
      {task.src.memory, task.src.offset, task.src.stride, copies, ValueArgument (areas), begins,
          Runner::plane_argument (task)});
  for (Patch &patch : patches)
    patch.src = copies;
  return patches;
}

}  // namespace

std::vector<Patch>
patches_of (Runner &runner, const PlaneTask &task, const Window &window, const KernelSpec &spec)
{
  const Rect &r = task.region;
  if (runner.backend () != Backend::cpu || spec.own_borders)
    return {Patch::of (task, r)};

  const int samples = task.src.layout->samples_per_pixel;
  const int least_width = (std::max (row_multiple, spec.item_samples) + samples - 1) / samples;
  const auto [left, right] = interior (r.x, r.x + r.width, task.src.width, window.left, window.right, least_width);
  const int rows = runner.kernels.most_rows (spec, task);
  const auto [top, bottom] = interior (r.y, r.y + r.height, task.src.height, window.top, window.bottom, rows);
  /* an interior narrower than its edges does not pay for five launches; kernels with jobs start over in each launch */
  const bool thin = right - left <= std::max (window.left + window.right, least_width)
                    || bottom - top <= std::max (window.top + window.bottom, rows);
  const bool inside = left == r.x && top == r.y && right == r.x + r.width && bottom == r.y + r.height;
  if ((thin || spec.jobs) && !inside)
    return padded (runner, task, window, {Rect{}, Rect{}, r, Rect{}});

  std::vector<Patch> parts = padded (runner, task, window,
      {between (r.x, top, left, bottom), between (right, top, r.x + r.width, bottom), between (r.x, r.y, r.x + r.width, top),
          between (r.x, bottom, r.x + r.width, r.y + r.height)});
  parts.insert (parts.begin (), Patch::of (task, between (left, top, right, bottom)));
  return parts;
}

}  // namespace gst::cl

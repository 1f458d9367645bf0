/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choices for a kernel, and the shapes for devices on which the specification's numbers were not measured. */
#include "filter/runner.hpp"

#include "core/vendors.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

bool
contains (const std::vector<int> &values, int value)
{
  return value == 0 || std::ranges::find (values, value) != values.end ();
}

/* Whether the runner chooses the group size, and not the specification. */
bool
has_free_groups (const KernelSpec &spec)
{
  return spec.tunable.local && !spec.jobs;
}

}  // namespace

bool
Axes::allow (const Shape &s) const
{
  const bool group = s.local_x == 0 || std::ranges::find (locals, std::pair (s.local_x, s.local_y)) != locals.end ();
  return group && (s.local_x == 0) == (s.local_y == 0) && contains (samples, s.item_samples) && contains (rows, s.item_rows)
         && contains (values, s.value);
}

std::vector<Shape>
Axes::items () const
{
  std::vector<Shape> shapes;
  for (int value : values)
    shapes.push_back ({.value = value});
  std::vector<int> all_samples = samples, all_rows = rows;
  all_samples.insert (all_samples.begin (), 0);
  all_rows.insert (all_rows.begin (), 0);
  for (int n : all_samples)
    for (int rows_of_item : all_rows)
      if (n || rows_of_item)
        shapes.push_back ({.item_samples = n, .item_rows = rows_of_item});
  return shapes;
}

std::vector<Shape>
Axes::groups () const
{
  std::vector<Shape> shapes;
  for (const auto &[x, y] : locals)
    shapes.push_back ({.local_x = x, .local_y = y});
  return shapes;
}

Axes
axes_of (const Device &device, const KernelSpec &spec, bool cpu, bool images)
{
  Axes axes;
  const Shape shipped = cpu ? Shape () : shipped_shape (device, spec);
  const std::pair usual =
      shipped.local_x ? std::pair (shipped.local_x, shipped.local_y) : std::pair (spec.local_x, spec.local_y);
  const int most = int (std::min<size_t> (device.max_work_group_size, 512));
  /* whole wavefronts of 32; groups for wavefronts of 64 are larger */
  constexpr int least = 32;
  if (!cpu && has_free_groups (spec))
    for (int items = 128; int x : {32, 64, 16, 128, 8, 256})
      for (int y : {items / x, 1, 2, 4, 8, 16})
        if (y && x * y >= least && x * y <= most && std::pair (x, y) != usual
            && std::ranges::find (axes.locals, std::pair (x, y)) == axes.locals.end ())
          axes.locals.emplace_back (x, y);
  const Tunable &tunable = spec.tunable;
  for (int rows : tunable.rows)
    if (rows != spec.item_rows)
      axes.rows.push_back (rows);
  if (tunable.least_samples && !cpu && !images)
    for (int n = tunable.least_samples; n <= tunable.most_samples; n *= 2)
      if (n != spec.item_samples)
        axes.samples.push_back (n);
  return axes;
}

Shape
shipped_shape (const Device &device, const KernelSpec &spec)
{
  const bool gpu = device.type & CL_DEVICE_TYPE_GPU;
  if (!gpu || !has_free_groups (spec))
    return {};
  const auto [x, y] = vendors::group_of (device);
  return size_t (x) * y <= device.max_work_group_size ? Shape{.local_x = x, .local_y = y} : Shape{};
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/kernelspec.hpp"

#include "core/vendors.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Whether the runner chooses the group size, and not the specification. */
bool
has_free_groups (const KernelSpec &spec)
{
  return spec.tunable.local && !spec.jobs;
}

}  // namespace

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

Argument::Argument (const ::cl::Memory &memory_) : kind (Kind::memory), memory (memory_) {}
Argument::Argument (Kind kind_, const ScratchName &name_, size_t bytes_, Content content_)
    : kind (kind_), bytes (bytes_), name (name_), content (std::move (content_))
{
}
Argument::Argument (const Argument &) = default;
Argument::Argument (Argument &&) noexcept = default;
Argument &Argument::operator= (const Argument &) = default;
Argument &Argument::operator= (Argument &&) noexcept = default;
Argument::~Argument () = default;

}  // namespace gst::cl

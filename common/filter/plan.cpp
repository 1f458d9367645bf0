/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/plan.hpp"

namespace gst::cl {

Launch::Launch (KernelSpec kernel_, Arguments arguments_, const Window &window_)
    : kernel (std::move (kernel_)), arguments (std::move (arguments_)), window (window_)
{
}

Launch
Launch::range (KernelSpec kernel, const WorkSize &size, Arguments arguments)
{
  Launch launch = Launch (std::move (kernel), std::move (arguments)).sized (size);
  launch.takes_plane = false;
  return launch;
}

Launch
Launch::on (const PlaneTask &of) &&
{
  task = std::make_shared<const PlaneTask> (of);
  return std::move (*this);
}

Launch
Launch::sized (const WorkSize &work) &&
{
  size = work;
  return std::move (*this);
}

}  // namespace gst::cl

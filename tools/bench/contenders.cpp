/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our elements as contenders. */
#include "table.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {

ContextPointer
open_context (const Device &device)
{
  try {
    return Ref<GstClContext>::take (
        checked_call ([&] (GError **error) { return gst_cl_context_new (device.index.c_str (), error); }));
  } catch (const std::runtime_error &error) {
    throw std::runtime_error (device.name + ": " + error.what ());
  }
}

std::vector<Device>
wanted_devices (const Options &options)
{
  std::vector<Device> devices = list_devices (options.device);
  if (devices.empty ())
    throw std::runtime_error (options.device.empty () ? "no OpenCL device" : "no OpenCL device " + options.device);
  return devices;
}

int
frames_per_sample (Pipeline &pipeline, double wanted_us)
{
  constexpr double surely_slow_us = 150000;
  pipeline.run (1); /* builds the programs */
  double us = pipeline.run (2);
  /* results rotate over memory that was never touched, and touching it may take longer than the filter */
  if (us < surely_slow_us) {
    pipeline.run (2 * n_rotated);
    us = pipeline.run (n_rotated / 2);
  }
  return std::clamp (int (wanted_us / us), us < 20000 ? 4 : 2, 400);
}

Contender
kernel_contender (GstClContext *context, const Device &device, const Case &what, const Frames &frames)
{
  const auto timed = std::make_shared<Pipeline> (context, device.index, what, frames, Memory::opencl, true);
  /* a GPU must be busy to run at its full clock, and its own timers are precise, so one frame of a burst suffices */
  if (!device.is_cpu) {
    const int burst = frames_per_sample (*timed, 2000);
    return {kernel_time, [timed, burst] {
              timed->run (burst);
              return timed->kernel_us ();
            }};
  }
  /* on a CPU, the mean of consecutive frames, because sleeping worker threads wake one after another */
  const int burst = frames_per_sample (*timed, 20000);
  return {kernel_time, [timed, burst] { return timed->run_kernels (burst); }};
}

Contender
pipeline_contender (const char *name, std::shared_ptr<Pipeline> pipeline)
{
  const int n = frames_per_sample (*pipeline, 50000);
  return {name, [pipeline, n] { return pipeline->run (n); }};
}

}  // namespace bench

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our elements as contenders. */
#include "table.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {

ContextPointer
open_context (const Device &device)
{
  GError *error = nullptr;
  ContextPointer context (gst_cl_context_new (device.index.c_str (), &error));
  if (!context) {
    const std::string reason = error->message;
    g_clear_error (&error);
    throw std::runtime_error (device.name + ": " + reason);
  }
  return context;
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
  pipeline.run (1); /* programs are built here */
  double us = pipeline.run (2);
  if (us < surely_slow_us) { /* results go round in memory that nobody has touched yet, which can take longer than they */
    pipeline.run (2 * n_rotated);
    us = pipeline.run (n_rotated / 2);
  }
  return std::clamp (int (wanted_us / us), us < 20000 ? 4 : 2, 400);
}

Contender
kernel_contender (GstClContext *context, const Device &device, const Case &what, const Frames &frames)
{
  const auto timed = std::make_shared<Pipeline> (context, device.index, what, frames, Memory::opencl, true);
  if (!device.is_cpu) { /* a GPU must be busy to run at its clock, and its own clocks are steady: one frame of a burst */
    const int burst = frames_per_sample (*timed, 2000);
    return {kernel_time, [timed, burst] {
              timed->run (burst);
              return timed->kernel_us ();
            }};
  }
  /* on a processor the mean of frames that follow each other: worker threads that slept wake one after the other */
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

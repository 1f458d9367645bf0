/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/context.hpp"

#include "device.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace bench {

namespace {

double
event_us (const cl::Event &event)
{
  event.wait ();
  return double (event.getProfilingInfo<CL_PROFILING_COMMAND_END> () - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ())
         / 1000;
}

/* Buffers that rotate, like a filter's input and output. */
struct CopyBench {
  gst::cl::Context &owner;
  cl::Context context;
  cl::CommandQueue queue;
  cl::Kernel kernel;
  std::vector<cl::Buffer> from, to;
  size_t bytes;
  int n;

  CopyBench (GstClContext *context_, size_t bytes_)
      : owner (gst::cl::Context::of (context_)), context (owner.handle),
        queue (context, owner.device.handle, CL_QUEUE_PROFILING_ENABLE), bytes (bytes_), n (rotated_frames (bytes))
  {
    for (int i = 0; i < n; i++) {
      from.emplace_back (context, CL_MEM_READ_WRITE, bytes);
      to.emplace_back (context, CL_MEM_READ_WRITE, bytes);
      queue.enqueueFillBuffer (from[i], cl_uint (0x5a3c9617u * unsigned (i + 1)), 0, bytes);
      queue.enqueueFillBuffer (to[i], cl_uint (0), 0, bytes);
    }
    queue.finish ();
  }

  void enqueue (bool by_kernel, int i, cl::Event &event)
  {
    if (!by_kernel) {
      queue.enqueueCopyBuffer (from[i], to[i], 0, 0, bytes, nullptr, &event);
      return;
    }
    if (!kernel ()) {
      gst::cl::BuildCounts counts;
      kernel = cl::Kernel (
          *owner.programs.get ({{"lib/microbench.cl"}, "-DWORD=uint4 -DEXPONENTIAL=exp2 -DUNROLLED=1"}, counts), "copy_words");
    }
    const size_t local = std::min<size_t> (256, queue.getInfo<CL_QUEUE_DEVICE> ().getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE> ());
    const size_t items = bytes / 16;
    kernel.setArg (0, from[i]);
    kernel.setArg (1, to[i]);
    kernel.setArg (2, cl_uint (items));
    queue.enqueueNDRangeKernel (
        kernel, cl::NullRange, cl::NDRange ((items + local - 1) / local * local), cl::NDRange (local), nullptr, &event);
  }

  /* The mean of one pass over the buffers. */
  double round (bool by_kernel)
  {
    double us = 0;
    for (int i = 0; i < n; i++) {
      cl::Event event;
      enqueue (by_kernel, i, event);
      us += event_us (event);
    }
    return us / n;
  }

  Samples repeat (bool by_kernel, int runs)
  {
    Samples samples;
    for (int i = -n; i < runs; i++) { /* the first round warms up */
      cl::Event event;
      enqueue (by_kernel, (i + n) % n, event);
      const double us = event_us (event);
      if (i >= 0)
        samples.us.push_back (us);
    }
    return samples;
  }
};

/* Microseconds a frame of rounds over all frames; the first one warms up. */
Samples
time_rounds (int runs, const std::function<void ()> &round)
{
  Samples samples;
  for (int run = -1; run < runs; run++) {
    const double begin = now_us ();
    round ();
    if (run >= 0)
      samples.us.push_back ((now_us () - begin) / n_rotated);
  }
  return samples;
}

/* Copies pinned pages to the device and back, both at once, as a pipeline does. */
Samples
measure_link (const cl::Context &context, const cl::Device &device, size_t bytes, int runs)
{
  cl::CommandQueue up (context, device), down (context, device);
  std::vector<cl::Buffer> pinned, there;
  std::vector<void *> pages;
  for (int i = 0; i < 2 * n_rotated; i++) {
    pinned.emplace_back (context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
    there.emplace_back (context, CL_MEM_READ_WRITE, bytes);
    pages.push_back (up.enqueueMapBuffer (pinned[i], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes));
  }
  Samples samples = time_rounds (runs, [&] {
    for (int i = 0; i < n_rotated; i++) {
      up.enqueueWriteBuffer (there[i], CL_FALSE, 0, bytes, pages[i]);
      down.enqueueReadBuffer (there[n_rotated + i], CL_FALSE, 0, bytes, pages[n_rotated + i]);
      up.flush ();
      down.flush ();
    }
    up.finish ();
    down.finish ();
  });
  for (int i = 0; i < 2 * n_rotated; i++)
    up.enqueueUnmapMemObject (pinned[i], pages[i]);
  up.finish ();
  return samples;
}

/* Copies ordinary pages to pinned ones in one thread, as an element must if upstream does not use the proposed pool. */
Samples
measure_host_copy (const cl::Context &context, const cl::Device &device, size_t bytes, int runs)
{
  cl::CommandQueue queue (context, device);
  const std::vector<std::vector<uint8_t>> own (n_rotated, std::vector<uint8_t> (bytes, 1));
  cl::Buffer pinned (context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes * n_rotated);
  auto *pages = static_cast<uint8_t *> (queue.enqueueMapBuffer (pinned, CL_TRUE, CL_MAP_WRITE, 0, bytes * n_rotated));
  Samples samples = time_rounds (runs, [&] {
    for (int i = 0; i < n_rotated; i++)
      std::memcpy (pages + bytes * size_t (i), own[i].data (), bytes);
  });
  queue.enqueueUnmapMemObject (pinned, pages);
  queue.finish ();
  return samples;
}

size_t
in_uint4 (size_t bytes)
{
  return (bytes + 15) / 16 * 16;
}

}  // namespace

Contender
copy_contender (GstClContext *context, size_t bytes)
{
  constexpr int first_look = 7;
  const auto bench = std::make_shared<CopyBench> (context, in_uint4 (bytes));
  const bool kernel_is_faster = bench->repeat (true, first_look).median () < bench->repeat (false, first_look).median ();
  return {copy_time, [bench, kernel_is_faster] { return bench->round (kernel_is_faster); }};
}

std::vector<Device>
list_devices (const std::string &wanted)
{
  std::vector<Device> found;
  for (const gst::cl::Device &device : gst::cl::list_devices ())
    if (device.matches (wanted))
      found.push_back ({device.numbers (), device.name, device.platform_name, device.driver_version,
          device.handle.getInfo<CL_DEVICE_VERSION> (), bool (device.type & CL_DEVICE_TYPE_CPU),
          device.host_memory == gst::cl::HostMemory::staged});
  return found;
}

Limits
measure_limits (GstClContext *context, const Device &device, Size size, int runs)
{
  const gst::cl::Context &cl = gst::cl::Context::of (context);
  Limits limits;
  {
    CopyBench copy (context, in_uint4 (size.bytes ()));
    limits.copy_kernel = copy.repeat (true, runs);
    limits.copy_command = copy.repeat (false, runs);
  }
  if (device.is_discrete) {
    limits.link = measure_link (cl.handle, cl.device.handle, size.bytes (), runs);
    limits.host_copy = measure_host_copy (cl.handle, cl.device.handle, size.bytes (), std::min (runs, 9));
  }
  return limits;
}

}  // namespace bench

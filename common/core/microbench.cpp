/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/microbench.hpp"

#include "core/arithmetic.hpp"
#include "core/diskcache.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace gst::cl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kib = 1024, mib = 1024 * kib;
/* As in kernels/lib/microbench.cl. */
constexpr size_t reread_bytes = 512 * 16;
constexpr cl_uint reread_rounds = 512;

/* A few runs suffice for the best one; slow devices get fewer. */
constexpr int most_runs = 10, least_runs = 3;
constexpr double patience_us = 50e3;

double
elapsed_us (Clock::time_point start)
{
  return std::chrono::duration<double, std::micro> (Clock::now () - start).count ();
}

/* The smallest result of run in µs, without the first one, which warms up. */
double
best_of (const std::function<double ()> &run)
{
  const auto start = Clock::now ();
  double best = run ();
  for (int i = 0; i < least_runs || (i < most_runs && elapsed_us (start) < patience_us); i++)
    best = std::min (best, run ());
  return best;
}

double
gb_s (size_t bytes, double us)
{
  return us > 0 ? double (bytes) / us / 1e3 : 0;
}

class Microbench {
public:
  explicit Microbench (Context &context_)
      : context (context_), is_cpu (context.device.type & CL_DEVICE_TYPE_CPU), has_images (context.device.has_images),
        program (built ("-DWORD=uint4 -DEXPONENTIAL=exp2 -DUNROLLED=1")),
        other (built ("-DWORD=uint2 -DEXPONENTIAL=native_exp2 -DUNROLLED=8")),
        relaxed (built ("-DWORD=uint -DEXPONENTIAL=exp2 -DUNROLLED=1 -cl-fast-relaxed-math"))
  {
  }

  DeviceFigures run ()
  {
    measure_copies ();
    if (has_images)
      measure_images ();
    measure_reads ();
    measure_arithmetic ();
    measure_concurrency ();
    measure_launches ();
    measure_transfers ();
    figures.measured = g_get_real_time () / G_USEC_PER_SEC;
    return figures;
  }

private:
  ::cl::Program built (const std::string &options)
  {
    return *context.programs.get ({{"lib/microbench.cl"}, options + (has_images ? " -DIMAGES=1" : "")}, builds);
  }

  /* PoCL turns the items of a work group into a loop, so large groups are best. */
  size_t group_items () const { return std::min<size_t> (context.device.max_work_group_size, is_cpu ? 1024 : 256); }

  /* A size beyond the caches, and small compared with the memory. */
  size_t large_bytes () const
  {
    const ::cl::Device &device = context.device.handle;
    const size_t bytes = std::min<cl_ulong> ({(is_cpu ? 64 : 256) * mib, device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE> (),
        device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE> () / 16});
    return bytes / mib * mib;
  }

  ::cl::Buffer filled (size_t bytes, cl_mem_flags flags = 0)
  {
    ::cl::Buffer buffer (context.handle, CL_MEM_READ_WRITE | flags, bytes);
    context.profiled.enqueueFillBuffer (buffer, cl_uint (0x5a3c9617), 0, bytes);
    return buffer;
  }

  /* The time of a kernel with these arguments, by the device's clock. */
  template <typename... Arguments>
  double kernel_us (const ::cl::Program &of, const char *function, const ::cl::NDRange &global, const ::cl::NDRange &local,
      const Arguments &...arguments)
  {
    ::cl::Kernel kernel (of, function);
    cl_uint index = 0;
    (kernel.setArg (index++, arguments), ...);
    return best_of ([&] {
      ::cl::Event event;
      context.profiled.enqueueNDRangeKernel (kernel, ::cl::NullRange, global, local, nullptr, &event);
      event.wait ();
      return double (
                 event.getProfilingInfo<CL_PROFILING_COMMAND_END> () - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ())
             / 1e3;
    });
  }

  /* The host's time for work on a queue, and for the wait for it. */
  static double host_us (const ::cl::CommandQueue &queue, const std::function<void ()> &work)
  {
    return best_of ([&] {
      const auto start = Clock::now ();
      work ();
      queue.finish ();
      return elapsed_us (start);
    });
  }

  void measure_copies ()
  {
    const size_t bytes = large_bytes (), local = group_items ();
    const ::cl::Buffer from = filled (bytes), to = filled (bytes);
    const auto rate = [&] (const ::cl::Program &of, const char *function, size_t item_bytes) {
      const size_t items = bytes / item_bytes;
      return gb_s (2 * bytes, kernel_us (of, function, ::cl::NDRange (round_up (items, local)), ::cl::NDRange (local), from, to,
                                  cl_uint (item_bytes > 16 ? bytes / 16 : items)));
    };
    figures.copy_gb_s = rate (program, "copy_words", 16);
    figures.copy_by_8_gb_s = rate (other, "copy_words", 8);
    figures.strided_copy_gb_s = rate (program, "copy_strided", 4);
    constexpr size_t tile_bytes = 1024 * 16, per_item = 16 * 16;
    if (context.device.local_bytes >= tile_bytes)
      figures.async_copy_gb_s = rate (program, "copy_async", tile_bytes / local);
    figures.prefetch_copy_gb_s = rate (program, "copy_prefetched", per_item);
    figures.copy_by_4_gb_s = rate (relaxed, "copy_words", 4);
    figures.copy_by_1_gb_s = rate (built ("-DWORD=uchar -DEXPONENTIAL=exp2 -DUNROLLED=1"), "copy_words", 1);
  }

  bool has_image_format (cl_mem_flags flags) const
  {
    std::vector<::cl::ImageFormat> formats;
    context.handle.getSupportedImageFormats (flags, CL_MEM_OBJECT_IMAGE2D, &formats);
    return std::ranges::any_of (formats, [] (const ::cl::ImageFormat &format) {
      return format.image_channel_order == CL_RGBA && format.image_channel_data_type == CL_UNORM_INT8;
    });
  }

  void measure_images ()
  {
    if (!has_image_format (CL_MEM_READ_ONLY) || !has_image_format (CL_MEM_WRITE_ONLY))
      return;
    /* images are slow on CPUs, where caches do not help them */
    const size_t width = is_cpu ? 1024 : 4096;
    const size_t height = std::min (is_cpu ? mib / width : 4096, large_bytes () / 4 / width);
    const ::cl::ImageFormat format (CL_RGBA, CL_UNORM_INT8);
    const ::cl::Image2D from (context.handle, CL_MEM_READ_WRITE, format, width, height);
    const ::cl::Image2D to (context.handle, CL_MEM_READ_WRITE, format, width, height);
    context.profiled.enqueueFillImage (from, cl_float4{{0.1f, 0.2f, 0.3f, 0.4f}}, {0, 0, 0}, {width, height, 1});
    const auto rate = [&] (int pixels) {
      const size_t local = is_cpu ? width / pixels : 16;
      const bool fits = context.device.max_work_group_size >= (is_cpu ? local : local * local);
      const ::cl::NDRange group = !fits ? ::cl::NullRange : ::cl::NDRange (local, is_cpu ? 1 : local);
      return gb_s (2 * width * height * 4,
          kernel_us (program, "copy_image", ::cl::NDRange (width / pixels, height), group, from, to, cl_int (pixels)));
    };
    figures.image_copy_gb_s = rate (1);
    figures.image_copy_by_2_gb_s = rate (2);
    figures.image_copy_by_4_gb_s = rate (4);
  }

  /* 1e9 rounds a second, over all items. */
  void measure_arithmetic ()
  {
    const cl_uint rounds = is_cpu ? 128 : 512;
    const size_t local = group_items (), items = context.device.compute_units * local * (is_cpu ? 1 : 64);
    const ::cl::Buffer from = filled (items * 4), to = filled (items * 4);
    const auto rate = [&] (const ::cl::Program &of, const char *function) {
      return gb_s (items * rounds, kernel_us (of, function, ::cl::NDRange (items), ::cl::NDRange (local), from, to, rounds));
    };
    figures.exp_g_s = rate (program, "exponentials");
    figures.native_exp_g_s = rate (other, "exponentials");
    figures.relaxed_exp_g_s = rate (relaxed, "exponentials");
    figures.loop_gflop_s = 2 * rate (program, "multiply_adds");
    figures.unrolled_gflop_s = 2 * rate (other, "multiply_adds");
  }

  /* Kernels of one group each, which leave most of a device idle. */
  void measure_concurrency ()
  {
    constexpr cl_uint rounds = 20000;
    const ::cl::CommandQueue beside (context.handle, context.device.handle);
    const ::cl::NDRange items (group_items ());
    const ::cl::Buffer from = filled (group_items () * 4);
    const std::array results{filled (group_items () * 4), filled (group_items () * 4)};
    context.profiled.finish ();
    std::array kernels{::cl::Kernel (program, "multiply_adds"), ::cl::Kernel (program, "multiply_adds")};
    for (size_t i = 0; i < kernels.size (); i++) {
      kernels[i].setArg (0, from);
      kernels[i].setArg (1, results[i]);
      kernels[i].setArg (2, rounds);
    }
    const auto us_on = [&] (const ::cl::CommandQueue &second) {
      return host_us (context.compute, [&] {
        context.compute.enqueueNDRangeKernel (kernels[0], ::cl::NullRange, items, items);
        context.compute.flush ();
        second.enqueueNDRangeKernel (kernels[1], ::cl::NullRange, items, items);
        second.finish ();
      });
    };
    figures.concurrent_speedup = us_on (context.compute) / us_on (beside);
  }

  void measure_reads ()
  {
    const size_t groups = context.device.compute_units * (is_cpu ? 64 : 32), local = group_items () / (is_cpu ? 4 : 1);
    const ::cl::Buffer from = filled (groups * reread_bytes), to = filled (groups * local * 16);
    const auto rate = [&] (const char *function) {
      return gb_s (groups * local * 16 * reread_rounds,
          kernel_us (program, function, ::cl::NDRange (groups * local), ::cl::NDRange (local), from, to, reread_rounds));
    };
    figures.cached_read_gb_s = rate ("reread");
    if (context.device.local_bytes >= reread_bytes)
      figures.local_read_gb_s = rate ("reread_local");
  }

  void measure_launches ()
  {
    constexpr int batch = 100;
    const ::cl::CommandQueue &queue = context.compute;
    const ::cl::Buffer to = filled (4 * kib);
    context.profiled.finish ();
    ::cl::Kernel kernel (program, "nothing");
    kernel.setArg (0, to);
    kernel.setArg (1, cl_uint (0));
    const ::cl::NDRange items (std::min<size_t> (context.device.max_work_group_size, 64));
    const auto mean_of_batch = [&] (bool with_event, const std::function<void ()> &then) {
      return host_us (queue, [&] {
        for (int i = 0; i < batch; i++) {
          ::cl::Event event;
          queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, items, items, nullptr, with_event ? &event : nullptr);
          then ();
        }
      }) / batch;
    };
    figures.launch_us = mean_of_batch (false, [] {});
    figures.launch_flush_us = mean_of_batch (true, [&] { queue.flush (); });
    figures.launch_wait_us = mean_of_batch (false, [&] { queue.finish (); });
  }

  void measure_transfers ()
  {
    const size_t bytes = std::min (32 * mib, large_bytes ());
    const ::cl::Buffer there = filled (bytes), pinned = filled (bytes, CL_MEM_ALLOC_HOST_PTR);
    context.profiled.finish ();
    const auto to_device = [&] (const void *pages) {
      const auto write = [&] { context.upload.enqueueWriteBuffer (there, CL_FALSE, 0, bytes, pages); };
      return gb_s (bytes, host_us (context.upload, write));
    };
    const auto from_device = [&] (void *pages) {
      const auto read = [&] { context.download.enqueueReadBuffer (there, CL_FALSE, 0, bytes, pages); };
      return gb_s (bytes, host_us (context.download, read));
    };
    void *pages = context.upload.enqueueMapBuffer (pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
    figures.upload_pinned_gb_s = to_device (pages);
    figures.download_pinned_gb_s = from_device (pages);
    context.upload.enqueueUnmapMemObject (pinned, pages);
    context.upload.finish ();
    std::vector<unsigned char> own (bytes, 1);
    figures.upload_pageable_gb_s = to_device (own.data ());
    figures.download_pageable_gb_s = from_device (own.data ());
  }

  Context &context;
  const bool is_cpu, has_images;
  BuildCounts builds;
  const ::cl::Program program, other, relaxed;
  DeviceFigures figures;
};

}  // namespace

DeviceFigures
measure_device (Context &context)
{
  return Microbench (context).run ();
}

DeviceFigures
ensure_figures (Context &context)
{
  if (const auto stored = stored_figures (context.device))
    return *stored;
  const DeviceFigures figures = measure_device (context);
  store_figures (context.device, figures);
  return figures;
}

/* Stores figures between runs, in a key file for each device. */

namespace {

/* Changes when a figure changes its meaning. */
constexpr int file_version = 2;
constexpr char figures_group[] = "figures";

}  // namespace

const std::vector<FigureField> &
figure_fields ()
{
  static const std::vector<FigureField> fields{
      {"copy-gb-s", "GB/s", "copy, 16 bytes an item", &DeviceFigures::copy_gb_s, false},
      {"copy-by-8-gb-s", "GB/s", "copy, 8 bytes an item", &DeviceFigures::copy_by_8_gb_s, false},
      {"copy-by-4-gb-s", "GB/s", "copy, 4 bytes an item", &DeviceFigures::copy_by_4_gb_s, false},
      {"copy-by-1-gb-s", "GB/s", "copy, 1 byte an item", &DeviceFigures::copy_by_1_gb_s, false},
      {"strided-copy-gb-s", "GB/s", "copy, 4 bytes, 64 bytes apart", &DeviceFigures::strided_copy_gb_s, false},
      {"async-copy-gb-s", "GB/s", "asynchronous copy to local memory", &DeviceFigures::async_copy_gb_s, true},
      {"prefetch-copy-gb-s", "GB/s", "copy, 16 bytes, with prefetch", &DeviceFigures::prefetch_copy_gb_s, false},
      {"image-copy-gb-s", "GB/s", "copy of images, a pixel an item", &DeviceFigures::image_copy_gb_s, true},
      {"image-copy-by-2-gb-s", "GB/s", "copy of images, 2 pixels an item", &DeviceFigures::image_copy_by_2_gb_s, true},
      {"image-copy-by-4-gb-s", "GB/s", "copy of images, 4 pixels an item", &DeviceFigures::image_copy_by_4_gb_s, true},
      {"cached-read-gb-s", "GB/s", "reads from the nearest cache", &DeviceFigures::cached_read_gb_s, false},
      {"local-read-gb-s", "GB/s", "reads from local memory", &DeviceFigures::local_read_gb_s, true},
      {"exp-g-s", "G/s", "exp2", &DeviceFigures::exp_g_s, false},
      {"native-exp-g-s", "G/s", "native_exp2", &DeviceFigures::native_exp_g_s, false},
      {"relaxed-exp-g-s", "G/s", "exp2, -cl-fast-relaxed-math", &DeviceFigures::relaxed_exp_g_s, false},
      {"loop-gflop-s", "Gflop/s", "multiply-adds in a loop", &DeviceFigures::loop_gflop_s, false},
      {"unrolled-gflop-s", "Gflop/s", "multiply-adds, unrolled by eight", &DeviceFigures::unrolled_gflop_s, false},
      {"concurrent-speedup", "times", "two small kernels on two queues", &DeviceFigures::concurrent_speedup, false},
      {"launch-us", "us", "launch, one of many", &DeviceFigures::launch_us, false},
      {"launch-flush-us", "us", "launch with event and flush", &DeviceFigures::launch_flush_us, false},
      {"launch-wait-us", "us", "launch and wait", &DeviceFigures::launch_wait_us, false},
      {"upload-pinned-gb-s", "GB/s", "to the device, pinned pages", &DeviceFigures::upload_pinned_gb_s, false},
      {"download-pinned-gb-s", "GB/s", "from the device, pinned pages", &DeviceFigures::download_pinned_gb_s, false},
      {"upload-pageable-gb-s", "GB/s", "to the device, ordinary pages", &DeviceFigures::upload_pageable_gb_s, false},
      {"download-pageable-gb-s", "GB/s", "from the device, ordinary pages", &DeviceFigures::download_pageable_gb_s, false},
  };
  return fields;
}

std::optional<DeviceFigures>
stored_figures (const Device &device)
{
  Ref<GKeyFile> file;
  g_autoptr (GError) unreadable = nullptr;
  run_guarded (
      &unreadable, [&] { file = disk_cache::read_key_file (disk_cache::device_file ("figures", device), FileTrust::own); });
  GKeyFile *const keys = file.get ();
  if (!keys || !disk_cache::identity_problem (keys, device).empty ()
      || g_key_file_get_integer (keys, figures_group, "version", nullptr) != file_version)
    return std::nullopt;
  DeviceFigures figures;
  figures.measured = g_key_file_get_int64 (keys, figures_group, "measured", nullptr);
  if (figures.measured <= 0)
    return std::nullopt;
  for (const FigureField &field : figure_fields ()) {
    g_autoptr (GError) error = nullptr;
    const double value = g_key_file_get_double (keys, figures_group, field.name, &error);
    if (error || !std::isfinite (value) || value < 0 || (value == 0 && !field.optional))
      return std::nullopt;
    figures.*field.value = value;
  }
  return figures;
}

bool
store_figures (const Device &device, const DeviceFigures &figures)
{
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  disk_cache::write_identity (keys, device);
  g_key_file_set_integer (keys, figures_group, "version", file_version);
  g_key_file_set_int64 (keys, figures_group, "measured", figures.measured);
  for (const FigureField &field : figure_fields ())
    g_key_file_set_double (keys, figures_group, field.name, figures.*field.value);
  return disk_cache::write_key_file (disk_cache::device_file ("figures", device), FileTrust::own, keys);
}

}  // namespace gst::cl

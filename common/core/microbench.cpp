/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/microbench.hpp"

#include "core/diskcache.hpp"

#include <algorithm>
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

  /* The time of a kernel by the device's clock. */
  double best_kernel_us (const ::cl::Kernel &kernel, const ::cl::NDRange &global, const ::cl::NDRange &local)
  {
    return best_of ([&] {
      ::cl::Event event;
      context.profiled.enqueueNDRangeKernel (kernel, ::cl::NullRange, global, local, nullptr, &event);
      event.wait ();
      return double (
                 event.getProfilingInfo<CL_PROFILING_COMMAND_END> () - event.getProfilingInfo<CL_PROFILING_COMMAND_START> ())
             / 1e3;
    });
  }

  double copy_rate (const ::cl::Program &of, const char *function, size_t item_bytes, const ::cl::Buffer &from,
      const ::cl::Buffer &to, size_t bytes)
  {
    ::cl::Kernel kernel (of, function);
    const size_t items = bytes / item_bytes, local = group_items ();
    kernel.setArg (0, from);
    kernel.setArg (1, to);
    kernel.setArg (2, cl_uint (item_bytes > 16 ? bytes / 16 : items));
    const ::cl::NDRange global ((items + local - 1) / local * local);
    return gb_s (2 * bytes, best_kernel_us (kernel, global, ::cl::NDRange (local)));
  }

  void measure_copies ()
  {
    const size_t bytes = large_bytes ();
    const ::cl::Buffer from = filled (bytes), to = filled (bytes);
    figures.copy_gb_s = copy_rate (program, "copy_words", 16, from, to, bytes);
    figures.copy_by_8_gb_s = copy_rate (other, "copy_words", 8, from, to, bytes);
    figures.strided_copy_gb_s = copy_rate (program, "copy_strided", 4, from, to, bytes);
    constexpr size_t tile_bytes = 1024 * 16, per_item = 16 * 16;
    if (context.device.handle.getInfo<CL_DEVICE_LOCAL_MEM_SIZE> () >= tile_bytes)
      figures.async_copy_gb_s = copy_rate (program, "copy_async", tile_bytes / group_items (), from, to, bytes);
    figures.prefetch_copy_gb_s = copy_rate (program, "copy_prefetched", per_item, from, to, bytes);
    figures.copy_by_4_gb_s = copy_rate (relaxed, "copy_words", 4, from, to, bytes);
    figures.copy_by_1_gb_s =
        copy_rate (built ("-DWORD=uchar -DEXPONENTIAL=exp2 -DUNROLLED=1"), "copy_words", 1, from, to, bytes);
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
      ::cl::Kernel kernel (program, "copy_image");
      kernel.setArg (0, from);
      kernel.setArg (1, to);
      kernel.setArg (2, cl_int (pixels));
      const size_t local = is_cpu ? width / pixels : 16;
      const bool fits = context.device.max_work_group_size >= (is_cpu ? local : local * local);
      const ::cl::NDRange group = !fits ? ::cl::NullRange : ::cl::NDRange (local, is_cpu ? 1 : local);
      return gb_s (2 * width * height * 4, best_kernel_us (kernel, ::cl::NDRange (width / pixels, height), group));
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
      ::cl::Kernel kernel (of, function);
      kernel.setArg (0, from);
      kernel.setArg (1, to);
      kernel.setArg (2, rounds);
      return gb_s (items * rounds, best_kernel_us (kernel, ::cl::NDRange (items), ::cl::NDRange (local)));
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
    const size_t local = group_items ();
    const ::cl::Buffer from = filled (local * 4), to = filled (local * 4), to_other = filled (local * 4);
    context.profiled.finish ();
    const auto kernel_to = [&] (const ::cl::Buffer &result) {
      ::cl::Kernel kernel (program, "multiply_adds");
      kernel.setArg (0, from);
      kernel.setArg (1, result);
      kernel.setArg (2, rounds);
      return kernel;
    };
    const ::cl::Kernel one = kernel_to (to), two = kernel_to (to_other);
    const auto us_on = [&] (const ::cl::CommandQueue &second) {
      return best_of ([&] {
        const auto start = Clock::now ();
        context.compute.enqueueNDRangeKernel (one, ::cl::NullRange, ::cl::NDRange (local), ::cl::NDRange (local));
        context.compute.flush ();
        second.enqueueNDRangeKernel (two, ::cl::NullRange, ::cl::NDRange (local), ::cl::NDRange (local));
        second.finish ();
        context.compute.finish ();
        return elapsed_us (start);
      });
    };
    figures.concurrent_speedup = us_on (context.compute) / us_on (beside);
  }

  void measure_reads ()
  {
    const size_t groups = context.device.compute_units * (is_cpu ? 64 : 32), local = group_items () / (is_cpu ? 4 : 1);
    const ::cl::Buffer from = filled (groups * reread_bytes), to = filled (groups * local * 16);
    const auto rate = [&] (const char *function) {
      ::cl::Kernel kernel (program, function);
      kernel.setArg (0, from);
      kernel.setArg (1, to);
      kernel.setArg (2, reread_rounds);
      const double us = best_kernel_us (kernel, ::cl::NDRange (groups * local), ::cl::NDRange (local));
      return gb_s (groups * local * 16 * reread_rounds, us);
    };
    figures.cached_read_gb_s = rate ("reread");
    if (context.device.handle.getInfo<CL_DEVICE_LOCAL_MEM_SIZE> () >= reread_bytes)
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
    const auto launch = [&] (::cl::Event *event) {
      queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, items, items, nullptr, event);
    };
    const auto mean_of_batch = [&] (const std::function<void ()> &each) {
      return best_of ([&] {
        const auto start = Clock::now ();
        for (int i = 0; i < batch; i++)
          each ();
        queue.finish ();
        return elapsed_us (start) / batch;
      });
    };
    figures.launch_us = mean_of_batch ([&] { launch (nullptr); });
    figures.launch_flush_us = mean_of_batch ([&] {
      ::cl::Event event;
      launch (&event);
      queue.flush ();
    });
    figures.launch_wait_us = mean_of_batch ([&] {
      launch (nullptr);
      queue.finish ();
    });
  }

  double upload_rate (const ::cl::Buffer &there, const void *pages, size_t bytes)
  {
    return gb_s (bytes, best_of ([&] {
      const auto start = Clock::now ();
      context.upload.enqueueWriteBuffer (there, CL_FALSE, 0, bytes, pages);
      context.upload.finish ();
      return elapsed_us (start);
    }));
  }

  double download_rate (const ::cl::Buffer &there, void *pages, size_t bytes)
  {
    return gb_s (bytes, best_of ([&] {
      const auto start = Clock::now ();
      context.download.enqueueReadBuffer (there, CL_FALSE, 0, bytes, pages);
      context.download.finish ();
      return elapsed_us (start);
    }));
  }

  void measure_transfers ()
  {
    const size_t bytes = std::min (32 * mib, large_bytes ());
    const ::cl::Buffer there = filled (bytes), pinned = filled (bytes, CL_MEM_ALLOC_HOST_PTR);
    context.profiled.finish ();
    void *pages = context.upload.enqueueMapBuffer (pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
    figures.upload_pinned_gb_s = upload_rate (there, pages, bytes);
    figures.download_pinned_gb_s = download_rate (there, pages, bytes);
    context.upload.enqueueUnmapMemObject (pinned, pages);
    context.upload.finish ();
    std::vector<unsigned char> own (bytes, 1);
    figures.upload_pageable_gb_s = upload_rate (there, own.data (), bytes);
    figures.download_pageable_gb_s = download_rate (there, own.data (), bytes);
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

std::string
path_of (const Device &device)
{
  return disk_cache::device_file ("figures", device);
}

/* Whether value can be the result of a measurement. */
bool
is_plausible (double value, bool optional)
{
  return std::isfinite (value) && (value > 0 || (optional && value == 0));
}

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
  run_guarded (&unreadable, [&] { file = disk_cache::read_key_file (path_of (device), FileTrust::own); });
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
    if (error || !is_plausible (value, field.optional))
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
  return disk_cache::write_key_file (path_of (device), FileTrust::own, keys);
}

}  // namespace gst::cl

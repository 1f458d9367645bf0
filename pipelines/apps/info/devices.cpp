/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "core/diskcache.hpp"
#include "core/error.hpp"
#include "core/microbench.hpp"
#include "core/tuning.hpp"
#ifdef HAVE_CUDA
#include "interop/cudalink.hpp"
#endif
#ifdef HAVE_DMABUF
#include "interop/dmabuf.hpp"
#endif

#include "report.hpp"

#include <CL/cl_ext.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

#ifndef CL_ICDL_OCL_VERSION
constexpr cl_uint CL_ICDL_OCL_VERSION = 1, CL_ICDL_VERSION = 2, CL_ICDL_NAME = 3;
#endif

/* Returns for example "OpenCL ICD Loader 2.3.1, OpenCL 3.0"; older loaders do not support the query. */
std::string
describe_loader ()
{
  /* asks the loader and not a platform, because there may be none */
  using Ask = cl_int (CL_API_CALL *) (cl_uint, size_t, void *, size_t *);
  const auto ask = reinterpret_cast<Ask> (clGetExtensionFunctionAddress ("clGetICDLoaderInfoOCLICD"));
  if (!ask)
    return "(not told)";
  const auto text_of = [ask] (cl_uint name) -> std::string {
    char text[256] = "";
    return ask (name, sizeof text - 1, text, nullptr) == CL_SUCCESS ? text : "";
  };
  return text_of (CL_ICDL_NAME) + " " + text_of (CL_ICDL_VERSION) + ", " + text_of (CL_ICDL_OCL_VERSION);
}

std::string
platform_text (const cl::Platform &platform, cl_platform_info name)
{
  std::string text;
  return platform.getInfo (name, &text) == CL_SUCCESS ? text : "(not told)";
}

/* Sends each answer before the next query, because a query may end the process. */
void
tell_platform (Json to, const cl::Platform &platform, size_t index)
{
  to.member ("platform", std::to_string (index));
  try {
    to.member ("name", platform_text (platform, CL_PLATFORM_NAME))
        .member ("vendor", platform_text (platform, CL_PLATFORM_VENDOR))
        .member ("version", platform_text (platform, CL_PLATFORM_VERSION));
  } catch (const cl::Error &error) {
    to.member ("problem", std::string (error.what ()) + ": " + gst::cl::error_name (error.err ()));
    return;
  }
  cl_uint count = 0;
  const cl_int code = clGetDeviceIDs (platform (), CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  to.member ("devices", code == CL_SUCCESS ? count : 0);
  if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND)
    to.member ("problem", std::string ("clGetDeviceIDs: ") + gst::cl::error_name (code));
}

/* Throws nothing. */
void
tell_platforms (Json to)
{
  gst::cl::disk_cache::ensure_driver_folder ();
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get (&platforms);
  } catch (const cl::Error &) {
    /* no platform is installed */
  }
  to.member ("opencl-loader", describe_loader ());
  for (size_t i = 0; i < platforms.size (); i++)
    tell_platform (to.add_item ("platforms"), platforms[i], i);
}

using gst::cl::Backend;
using gst::cl::Device;
using gst::cl::HostMemory;

constexpr const char *relevant[]{"cl_khr_fp64", "cl_khr_fp16", "cl_khr_subgroups", "cl_khr_gl_sharing", "cl_khr_gl_event",
    "cl_khr_egl_image", "cl_khr_egl_event", "cl_khr_external_memory", "cl_khr_external_memory_opaque_fd",
    "cl_khr_external_memory_dma_buf", "cl_khr_external_memory_opaque_win32", "cl_khr_external_semaphore",
    "cl_khr_external_semaphore_opaque_fd", "cl_khr_external_semaphore_sync_fd", "cl_khr_semaphore", "cl_khr_device_uuid",
    "cl_nv_device_attribute_query", "cl_intel_va_api_media_sharing", "cl_arm_import_memory"};

const char *
kind_of (const Device &device)
{
  return device.type & CL_DEVICE_TYPE_GPU ? "GPU" : device.type & CL_DEVICE_TYPE_CPU ? "CPU" : "accelerator";
}

/* The rank in the automatic choice. */
std::string
rank_of (const Device &device)
{
  if (!(device.type & CL_DEVICE_TYPE_GPU))
    return kind_of (device);
  return device.host_memory == HostMemory::staged ? "discrete GPU" : "integrated GPU";
}

/* Queries a value that a driver may not support. */
template <cl_int name>
auto
info_of (const Device &device)
{
  std::optional<decltype (device.handle.getInfo<name> ())> value;
  try {
    value = device.handle.getInfo<name> ();
  } catch (const cl::Error &) {
    /* stays unknown */
  }
  return value;
}

void
tell_uuid ([[maybe_unused]] Json to, [[maybe_unused]] const Device &device)
{
#ifdef CL_DEVICE_UUID_KHR
  unsigned char uuid[CL_UUID_SIZE_KHR];
  if (device.has_extension ("cl_khr_device_uuid")
      && !clGetDeviceInfo (device.handle (), CL_DEVICE_UUID_KHR, sizeof uuid, uuid, nullptr))
    to.member ("uuid", hex_of (uuid, sizeof uuid));
#endif
}

void
tell_limits (Json to, const Device &device)
{
  to.member ("compute-units", info_of<CL_DEVICE_MAX_COMPUTE_UNITS> (device))
      .member ("clock-mhz", info_of<CL_DEVICE_MAX_CLOCK_FREQUENCY> (device))
      .member ("memory-bytes", info_of<CL_DEVICE_GLOBAL_MEM_SIZE> (device))
      .member ("max-buffer-bytes", info_of<CL_DEVICE_MAX_MEM_ALLOC_SIZE> (device))
      .member ("local-memory-bytes", info_of<CL_DEVICE_LOCAL_MEM_SIZE> (device))
      .member ("cache-bytes", info_of<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE> (device))
      .member ("cache-line-bytes", info_of<CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE> (device))
      .member ("max-work-group", info_of<CL_DEVICE_MAX_WORK_GROUP_SIZE> (device))
      .member ("alignment-bits", info_of<CL_DEVICE_MEM_BASE_ADDR_ALIGN> (device));
  if (device.handle.getInfo<CL_DEVICE_IMAGE_SUPPORT> ())
    to.member ("max-image-width", info_of<CL_DEVICE_IMAGE2D_MAX_WIDTH> (device))
        .member ("max-image-height", info_of<CL_DEVICE_IMAGE2D_MAX_HEIGHT> (device));
}

/* Three decimals are enough. */
double
rounded (double value, double steps = 1000)
{
  return std::round (steps * value) / steps;
}

void
tell_figures (Json to, const gst::cl::DeviceFigures &figures)
{
  Json group = to.add_group ("figures");
  group.member ("measured", figures.measured);
  for (const gst::cl::FigureField &field : gst::cl::figure_fields ())
    group.member (field.name, rounded (figures.*field.value));
}

/* Adds the tuned shapes that elements use on the device, and how much time they save. */
void
tell_tuned (Json of, const Device &device)
{
  const auto table = gst::cl::Tuning::of (device);
  unsigned improved = 0;
  double best = 0, sum = 0;
  const auto entries = table->entries ();
  for (const auto &[key, entry] : entries) {
    if (entry.shape == gst::cl::Shape () || !(entry.shipped_us > 0))
      continue;
    const double gain = 1 - entry.best_us / entry.shipped_us;
    improved++;
    sum += gain;
    best = std::max (best, gain);
  }
  Json to = of.add_group ("tuned");
  to.member ("file", table->file ()).member ("entries", entries.size ()).member ("improved", improved);
  to.member ("mean-gain-percent", rounded (improved ? 100 * sum / improved : 0, 10));
  to.member ("best-gain-percent", rounded (100 * best, 10));
  if (!table->problem ().empty ())
    to.member ("problem", table->problem ());
}

void
tell_device (Json to, const Device &device)
{
  const HostMemory memory = device.host_memory;
  to.member ("device", device.numbers ()).member ("name", device.name).member ("type", kind_of (device));
  to.member ("rank", rank_of (device)).member ("platform", device.platform_name).member ("driver", device.driver_version);
  to.member ("version", info_of<CL_DEVICE_VERSION> (device));
  to.member ("c-version", info_of<CL_DEVICE_OPENCL_C_VERSION> (device));
  to.member ("host-memory", memory == HostMemory::shared ? "shared" : memory == HostMemory::mapped ? "mapped" : "staged");
  to.member ("backend", device.backend == Backend::cpu ? "cpu" : device.backend == Backend::gpu ? "gpu" : "image");
  try {
    tell_limits (to, device);
  } catch (const cl::Error &error) {
    to.member ("problem", std::string (error.what ()) + ": " + gst::cl::error_name (error.err ()));
  }
  if (device.nvidia_capability)
    to.member ("nvidia-capability",
        std::to_string (device.nvidia_capability / 10) + "." + std::to_string (device.nvidia_capability % 10));
  tell_uuid (to, device);
  std::string extensions;
  for (const char *name : relevant)
    if (device.has_extension (name))
      extensions += (extensions.empty () ? "" : " ") + std::string (name);
  to.member ("extensions", extensions);
  if (const auto figures = gst::cl::stored_figures (device))
    tell_figures (to, *figures);
  else
    to.member ("figures", nullptr);
  tell_tuned (to, device);
}

std::string
reason_for (const Device &chosen, const std::string &wanted, const std::vector<Device> &devices)
{
  const auto matching = std::ranges::count_if (devices, [&] (const Device &each) { return each.matches (wanted); });
  const std::string named = wanted.empty () ? "" : " that \"" + wanted + "\" names";
  if (matching == 1)
    return "the only device" + named;
  return "the first " + rank_of (chosen) + (chosen.is_pocl ? " of PoCL" : "") + " among " + std::to_string (matching)
         + " devices" + named + " (discrete GPUs come first, then integrated GPUs, accelerators, CPUs of PoCL and other CPUs)";
}

void
tell_choice (Json to, const std::string &wanted, const std::vector<Device> &devices)
{
  to.member ("wanted", gst::cl::effective_device (wanted));
  try {
    const Device chosen = gst::cl::choose_device (wanted);
    to.member ("device", chosen.numbers ());
    to.member ("reason", reason_for (chosen, gst::cl::effective_device (wanted), devices));
  } catch (const gst::cl::Failure &failure) {
    to.member ("problem", failure.what ());
  }
}

}  // namespace

void
probe_devices (Json to, const std::string &wanted)
{
  tell_platforms (to);
  const std::vector<Device> devices = gst::cl::list_devices ();
  for (const Device &device : devices)
    tell_device (to.add_item ("devices"), device);
  tell_choice (to.add_group ("choice"), wanted, devices);
}

void
probe_figures (Json to, const std::string &wanted)
{
  try {
    const gst::cl::ContextRef owner = gst::cl::create_context (wanted);
    gst::cl::Context &context = gst::cl::Context::of (owner.get ());
    const gst::cl::DeviceFigures figures = gst::cl::measure_device (context);
    tell_figures (to, figures);
    if (!gst::cl::store_figures (context.device, figures))
      to.member ("figures-problem", "the figures cannot be kept in the cache folder");
  } catch (const cl::Error &error) {
    to.member ("figures-problem", std::string (error.what ()) + ": " + gst::cl::error_name (error.err ()));
  } catch (const std::exception &error) {
    to.member ("figures-problem", error.what ());
  }
}

std::string
hex_of (const unsigned char *bytes, size_t count)
{
  std::string text;
  for (size_t i = 0; i < count; i++)
    text += printed ("%02x", bytes[i]);
  return text;
}

Json
tell_method (Json to, const char *name, const std::string &died)
{
  Json method = to.add_item ("methods").member ("method", name).member ("died", died);
  method.add_list ("formats");
  return method;
}

void
tell_format (Json method, const char *name, const gst::cl::Verdict &verdict)
{
  Json format = method.add_item ("formats").member ("format", name).member ("works", verdict.works);
  if (verdict.works)
    format.member ("microseconds", std::round (10 * verdict.microseconds) / 10);
  else
    format.member ("reason", verdict.reason);
}

int
probe_video (Json to, const std::string &device)
{
  to.add_list ("methods");
  try {
    [[maybe_unused]] const gst::cl::ContextRef context = gst::cl::create_context (device);
#ifdef HAVE_CUDA
    Json cuda = tell_method (to, "cuda");
    for (const GstVideoFormat format : {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA}) {
      gst::cl::Verdict verdict = gst::cl::probe_cuda (gst::cl::Context::of (context.get ()).device, format);
      const std::string name = gst_video_format_to_string (format);
      tell_format (cuda, name.c_str (), verdict);
      if (!verdict.works)
        continue;
      verdict.microseconds = verdict.microseconds_copied;
      tell_format (cuda, (name + " copied").c_str (), verdict);
    }
#endif
#ifdef HAVE_DMABUF
    Json dmabuf = tell_method (to, "dmabuf");
    tell_format (dmabuf, "reads", gst::cl::probe_dmabuf (context, false));
    tell_format (dmabuf, "writes", gst::cl::probe_dmabuf (context, true));
#endif
  } catch (const std::exception &error) {
    std::fprintf (stderr, "%s\n", error.what ());
    return 1;
  }
  return 0;
}

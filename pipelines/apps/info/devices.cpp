/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/microbench.hpp"
#include "filter/tuning.hpp"

#include "facts.hpp"
#include "probes.hpp"

#include <algorithm>
#include <cstdio>

namespace {

using gst::cl::Backend;
using gst::cl::Device;
using gst::cl::HostMemory;

const std::vector<std::string> relevant{"cl_khr_fp64", "cl_khr_fp16", "cl_khr_subgroups", "cl_khr_gl_sharing",
    "cl_khr_gl_event", "cl_khr_egl_image", "cl_khr_egl_event", "cl_khr_external_memory", "cl_khr_external_memory_opaque_fd",
    "cl_khr_external_memory_dma_buf", "cl_khr_external_memory_opaque_win32", "cl_khr_external_semaphore",
    "cl_khr_external_semaphore_opaque_fd", "cl_khr_external_semaphore_sync_fd", "cl_khr_semaphore", "cl_khr_device_uuid",
    "cl_nv_device_attribute_query", "cl_intel_va_api_media_sharing", "cl_arm_import_memory"};

const char *
kind_of (const Device &device)
{
  return device.type & CL_DEVICE_TYPE_GPU ? "GPU" : device.type & CL_DEVICE_TYPE_CPU ? "CPU" : "accelerator";
}

/* As the choice ranks them. */
std::string
rank_of (const Device &device)
{
  if (!(device.type & CL_DEVICE_TYPE_GPU))
    return kind_of (device);
  return device.host_memory == HostMemory::staged ? "discrete GPU" : "integrated GPU";
}

const char *
memory_of (HostMemory memory)
{
  return memory == HostMemory::shared ? "shared" : memory == HostMemory::mapped ? "mapped" : "staged";
}

const char *
backend_of (Backend backend)
{
  return backend == Backend::cpu ? "cpu" : backend == Backend::gpu ? "gpu" : "image";
}

/* An information that a driver may refuse. */
template <cl_int name>
void
tell_info (const char *fact_name, const Device &device)
{
  try {
    const auto value = device.handle.getInfo<name> ();
    if constexpr (std::is_same_v<std::remove_const_t<decltype (value)>, std::string>)
      tell (fact_name, value);
    else
      tell (fact_name, std::to_string (value));
  } catch (const cl::Error &) {
    tell (fact_name, "(not told)");
  }
}

std::string
uuid_of (const Device &device)
{
#ifdef CL_DEVICE_UUID_KHR
  unsigned char uuid[CL_UUID_SIZE_KHR];
  if (device.has_extension ("cl_khr_device_uuid")
      && !clGetDeviceInfo (device.handle (), CL_DEVICE_UUID_KHR, sizeof uuid, uuid, nullptr))
    return hexadecimal (uuid, sizeof uuid);
#endif
  return "";
}

void
tell_limits (const Device &device)
{
  tell_info<CL_DEVICE_MAX_COMPUTE_UNITS> ("compute-units", device);
  tell_info<CL_DEVICE_MAX_CLOCK_FREQUENCY> ("clock-mhz", device);
  tell_info<CL_DEVICE_GLOBAL_MEM_SIZE> ("memory-bytes", device);
  tell_info<CL_DEVICE_MAX_MEM_ALLOC_SIZE> ("max-buffer-bytes", device);
  tell_info<CL_DEVICE_LOCAL_MEM_SIZE> ("local-memory-bytes", device);
  tell_info<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE> ("cache-bytes", device);
  tell_info<CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE> ("cache-line-bytes", device);
  tell_info<CL_DEVICE_MAX_WORK_GROUP_SIZE> ("max-work-group", device);
  tell_info<CL_DEVICE_MEM_BASE_ADDR_ALIGN> ("alignment-bits", device);
  if (device.handle.getInfo<CL_DEVICE_IMAGE_SUPPORT> ()) {
    tell_info<CL_DEVICE_IMAGE2D_MAX_WIDTH> ("max-image-width", device);
    tell_info<CL_DEVICE_IMAGE2D_MAX_HEIGHT> ("max-image-height", device);
  }
}

void
tell_figures (const gst::cl::DeviceFigures &figures)
{
  tell (group_begins, "figures");
  tell ("measured", std::to_string (figures.measured));
  for (const gst::cl::FigureField &field : gst::cl::figure_fields ()) {
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    tell (field.name, g_ascii_formatd (text, sizeof text, "%.3f", figures.*field.value));
  }
}

std::string
percent (double share)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd (text, sizeof text, "%.1f", 100 * share);
}

/* What elements on the device take, and how much of their time that saves. */
void
tell_tuned (const Device &device)
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
  tell (group_begins, "tuned");
  tell ("file", table->file ());
  tell ("entries", std::to_string (entries.size ()));
  tell ("improved", std::to_string (improved));
  tell ("mean-gain-percent", percent (improved ? sum / improved : 0));
  tell ("best-gain-percent", percent (best));
  if (!table->problem ().empty ())
    tell ("problem", table->problem ());
}

void
tell_device (const Device &device)
{
  tell (group_begins, "device");
  tell ("device", device.numbers ());
  tell ("name", device.name);
  tell ("type", kind_of (device));
  tell ("rank", rank_of (device));
  tell ("platform", device.platform_name);
  tell ("driver", device.driver_version);
  tell_info<CL_DEVICE_VERSION> ("version", device);
  tell_info<CL_DEVICE_OPENCL_C_VERSION> ("c-version", device);
  tell ("host-memory", memory_of (device.host_memory));
  tell ("backend", backend_of (device.backend));
  try {
    tell_limits (device);
  } catch (const cl::Error &error) {
    tell ("problem", std::string (error.what ()) + ": " + gst::cl::error_name (error.err ()));
  }
  if (device.nvidia_capability)
    tell ("nvidia-capability",
        std::to_string (device.nvidia_capability / 10) + "." + std::to_string (device.nvidia_capability % 10));
  if (const std::string uuid = uuid_of (device); !uuid.empty ())
    tell ("uuid", uuid);
  tell ("extensions", present (device.extensions, relevant));
  if (const auto figures = gst::cl::stored_figures (device))
    tell_figures (*figures);
  tell_tuned (device);
}

std::string
reason_for (const Device &chosen, const std::string &wanted, const std::vector<Device> &devices)
{
  const auto matching = std::ranges::count_if (devices, [&] (const Device &each) { return each.matches (wanted); });
  const std::string named = wanted.empty () ? "" : " that \"" + wanted + "\" names";
  if (matching == 1)
    return "the only device" + named;
  return "the first " + rank_of (chosen) + " of " + std::to_string (matching) + " devices" + named
         + " (discrete GPUs come first, then integrated GPUs, accelerators and CPUs)";
}

void
tell_choice (const std::string &wanted, const std::vector<Device> &devices)
{
  tell (group_begins, "choice");
  tell ("wanted", gst::cl::effective_device (wanted));
  try {
    const Device chosen = gst::cl::choose_device (wanted);
    tell ("device", chosen.numbers ());
    tell ("reason", reason_for (chosen, gst::cl::effective_device (wanted), devices));
  } catch (const gst::cl::Failure &failure) {
    tell ("problem", failure.what ());
  }
}

}  // namespace

int
probe_devices (const std::string &wanted)
{
  tell_platforms ();
  const std::vector<Device> devices = gst::cl::list_devices ();
  for (const Device &device : devices)
    tell_device (device);
  tell_choice (wanted, devices);
  return 0;
}

int
probe_figures (const std::string &wanted)
{
  try {
    const gst::cl::ContextRef owner = gst::cl::create_context (wanted);
    gst::cl::Context &context = gst::cl::Context::of (owner.get ());
    const gst::cl::DeviceFigures figures = gst::cl::measure_device (context);
    tell_figures (figures);
    if (!gst::cl::store_figures (context.device, figures))
      tell ("problem", "the figures cannot be kept in the cache folder");
    return 0;
  } catch (const cl::Error &error) {
    tell ("problem", std::string (error.what ()) + ": " + gst::cl::error_name (error.err ()));
  } catch (const std::exception &error) {
    tell ("problem", error.what ());
  }
  return 0;
}

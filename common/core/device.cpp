/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/device.hpp"

#include "core/debug.hpp"
#include "core/diskcache.hpp"
#include "core/environment.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"cldevice", "OpenCL device choice">)

namespace gst::cl {

namespace {

std::string
lower (std::string text)
{
  std::transform (text.begin (), text.end (), text.begin (), [] (unsigned char c) { return std::tolower (c); });
  return text;
}

const char *
type_name (cl_device_type type)
{
  if (type & CL_DEVICE_TYPE_GPU)
    return "GPU";
  if (type & CL_DEVICE_TYPE_ACCELERATOR)
    return "accelerator";
  return "CPU";
}

int
rank (const Device &device)
{
  if (device.type & CL_DEVICE_TYPE_GPU)
    return device.host_memory == HostMemory::staged ? 4 : 3;
  if (device.type & CL_DEVICE_TYPE_ACCELERATOR)
    return 2;
  return device.is_pocl ? 1 : 0;
}

bool
is_name_of_pocl (const std::string &platform_name)
{
  return platform_name.starts_with ("Portable Computing Language");
}

/* GST_CL_BACKEND, GST_CL_HOST_MEMORY and GST_CL_BINARIES let a developer test the code for GPUs on a CPU. */
template <typename T>
std::optional<T>
forced (const char *variable, std::initializer_list<std::pair<std::string_view, T>> words)
{
  const char *text = environment (variable);
  for (const auto &[word, value] : words)
    if (text && text == word)
      return value;
  if (text)
    GST_WARNING ("%s=%s is unknown and has no effect", variable, text);
  return std::nullopt;
}

Backend
choose_backend (cl_device_type type, const std::string &platform_name)
{
  if (const auto backend =
          forced<Backend> ("GST_CL_BACKEND", {{"cpu", Backend::cpu}, {"gpu", Backend::gpu}, {"image", Backend::image}}))
    return *backend;
  /* The cpu form of a kernel needs Clang's vectors of any length, which these drivers compile. Other drivers get the gpu form,
   * which is plain OpenCL C: rusticl on llvmpipe aborts the process on a vector of 64 bytes. */
  const bool compiles_vectors = is_name_of_pocl (platform_name) || platform_name.starts_with ("Intel(R)");
  return type & CL_DEVICE_TYPE_CPU && compiles_vectors ? Backend::cpu : Backend::gpu;
}

HostMemory
choose_host_memory (const ::cl::Device &device, cl_device_type type)
{
  if (const auto memory =
          forced<HostMemory> ("GST_CL_HOST_MEMORY", {{"mapped", HostMemory::mapped}, {"staged", HostMemory::staged}}))
    return *memory;
  if (type & CL_DEVICE_TYPE_CPU)
    return HostMemory::shared;
  return device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY> () ? HostMemory::mapped : HostMemory::staged;
}

/* cl_nv_device_attribute_query */
constexpr cl_device_info compute_capability_major = 0x4000, compute_capability_minor = 0x4001;

int
read_nvidia_capability (const Device &device)
{
  cl_uint major = 0, minor = 0;
  const cl_device_id id = device.handle ();
  if (!device.has_extension ("cl_nv_device_attribute_query")
      || clGetDeviceInfo (id, compute_capability_major, sizeof major, &major, nullptr) != CL_SUCCESS
      || clGetDeviceInfo (id, compute_capability_minor, sizeof minor, &minor, nullptr) != CL_SUCCESS)
    return 0;
  return int (10 * major + minor);
}

/* Runs a query. If the driver fails it, the property stays unset, and problem keeps the first error. */
void
ask (const std::string &whom, std::optional<::cl::Error> &problem, const std::function<void ()> &work)
{
  try {
    work ();
  } catch (const ::cl::Error &error) {
    GST_INFO ("%s skipped: %s: %s", whom.c_str (), error.what (), error_name (error.err ()).c_str ());
    const bool is_empty = error.err () == CL_DEVICE_NOT_FOUND || error.err () == CL_PLATFORM_NOT_FOUND_KHR;
    if (!is_empty && !problem)
      problem = error;
  }
}

void
append_devices (
    std::vector<Device> &found, const ::cl::Platform &platform, unsigned platform_index, std::optional<::cl::Error> &problem)
{
  std::vector<::cl::Device> handles;
  platform.getDevices (CL_DEVICE_TYPE_ALL, &handles);
  for (unsigned i = 0; i < handles.size (); i++)
    ask ("device " + std::to_string (platform_index) + ":" + std::to_string (i), problem, [&] {
      if (handles[i].getInfo<CL_DEVICE_AVAILABLE> () && handles[i].getInfo<CL_DEVICE_COMPILER_AVAILABLE> ())
        found.emplace_back (handles[i], platform_index, i);
    });
}

}  // namespace

Device::Device (const ::cl::Device &handle_, unsigned platform_index_, unsigned device_index_)
    : handle (handle_), platform (handle.getInfo<CL_DEVICE_PLATFORM> ()), platform_index (platform_index_),
      device_index (device_index_), name (handle.getInfo<CL_DEVICE_NAME> ()),
      platform_name (platform.getInfo<CL_PLATFORM_NAME> ()), driver_version (handle.getInfo<CL_DRIVER_VERSION> ()),
      extensions (handle.getInfo<CL_DEVICE_EXTENSIONS> ()), type (handle.getInfo<CL_DEVICE_TYPE> ()),
      vendor_id (handle.getInfo<CL_DEVICE_VENDOR_ID> ()), host_memory (choose_host_memory (handle, type)),
      backend (choose_backend (type, platform_name)), max_work_group_size (handle.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE> ()),
      compute_units (handle.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS> ()), local_bytes (handle.getInfo<CL_DEVICE_LOCAL_MEM_SIZE> ()),
      has_images (handle.getInfo<CL_DEVICE_IMAGE_SUPPORT> ()), nvidia_capability (read_nvidia_capability (*this)),
      is_pocl (is_name_of_pocl (platform_name)), keeps_programs (is_pocl && !environment ("GST_CL_BINARIES"))
{
}

bool
Device::has_extension (const std::string &name) const
{
  return (" " + extensions + " ").find (" " + name + " ") != std::string::npos;
}

std::string
Device::describe () const
{
  return numbers () + " " + platform_name + ", " + name + " (" + type_name (type) + ")";
}

bool
Device::matches (const std::string &wanted) const
{
  const std::string text = lower (wanted);
  if (text.empty ())
    return true;
  if (text == "gpu" || text == "cpu" || text == "accelerator")
    return text == lower (type_name (type));
  if (text == numbers ())
    return true;
  const bool indices = text.find (':') != std::string::npos && text.find_first_not_of ("0123456789:") == std::string::npos;
  return !indices && (lower (name).find (text) != std::string::npos || lower (platform_name).find (text) != std::string::npos);
}

static std::vector<Device>
list_devices (std::optional<::cl::Error> &problem)
{
  /* the loader and drivers (PoCL 3.1) crash if the first calls come from two threads at once */
  static std::mutex mutex;
  const std::lock_guard lock (mutex);
  disk_cache::ensure_driver_folder ();
  std::vector<::cl::Platform> platforms;
  std::vector<Device> found;
  ask ("every platform", problem, [&] { ::cl::Platform::get (&platforms); });
  for (unsigned i = 0; i < platforms.size (); i++)
    ask ("platform " + std::to_string (i), problem, [&] { append_devices (found, platforms[i], i, problem); });
  return found;
}

std::vector<Device>
list_devices ()
{
  std::optional<::cl::Error> ignored;
  return list_devices (ignored);
}

std::string
effective_device (const std::string &wanted)
{
  const char *preset = environment ("GST_CL_DEVICE");
  return wanted.empty () && preset ? preset : wanted;
}

Device
choose_device (const std::string &wanted)
{
  std::optional<::cl::Error> problem;
  const std::vector<Device> devices = list_devices (problem);
  const std::string effective = effective_device (wanted);
  const Device *best = nullptr;
  std::string list;
  for (const Device &device : devices) {
    list += "\n  " + device.describe ();
    if (device.matches (effective) && (!best || rank (device) > rank (*best)))
      best = &device;
  }
  if (best) {
    GST_INFO ("chose %s", best->describe ().c_str ());
    return *best;
  }
  if (devices.empty () && problem)
    throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
        std::string ("The OpenCL drivers cannot list devices: ") + problem->what () + " failed with "
            + error_name (problem->err ()) + ". " + advice_at_start,
        std::string (problem->what ()) + ": " + error_name (problem->err ()) + " (" + std::to_string (problem->err ()) + ")");
  if (devices.empty ())
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "No OpenCL device was found. Install your GPU's OpenCL driver, or PoCL to use the CPU "
        "(package pocl-opencl-icd on Debian and Ubuntu).",
        "clGetPlatformIDs and clGetDeviceIDs list nothing; see clinfo and /etc/OpenCL/vendors, and whether the folder "
        "POCL_CACHE_DIR can be written where it is set");
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "No OpenCL device matches \"" + effective + "\".",
      "use gpu, cpu, accelerator, PLATFORM:DEVICE numbers or part of a name; available devices:" + list);
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/device.hpp"

#include "facts.hpp"
#include "probes.hpp"

namespace {

using gst::cl::Device;
using gst::cl::HostMemory;

const char *
kind_of (cl_device_type type)
{
  return type & CL_DEVICE_TYPE_GPU ? "GPU" : type & CL_DEVICE_TYPE_CPU ? "CPU" : "accelerator";
}

const char *
memory_of (HostMemory memory)
{
  switch (memory) {
    case HostMemory::shared:
      return "shared (the device computes in host pages)";
    case HostMemory::mapped:
      return "mapped (device buffers are in host memory)";
    default:
      return "staged (memory of its own behind a bus)";
  }
}

/* An information that a driver may refuse. */
template <cl_int name, typename Object>
std::string
text_of (const Object &object)
{
  try {
    return object.template getInfo<name> ();
  } catch (const cl::Error &) {
    return "(not told)";
  }
}

std::string
uuid_of (const Device &device, const std::string &extensions)
{
#ifdef CL_DEVICE_UUID_KHR
  unsigned char uuid[CL_UUID_SIZE_KHR];
  if (!present (extensions, {"cl_khr_device_uuid"}).empty ()
      && !clGetDeviceInfo (device.handle (), CL_DEVICE_UUID_KHR, sizeof uuid, uuid, nullptr))
    return hexadecimal (uuid, sizeof uuid);
#endif
  return "";
}

const std::vector<std::string> relevant{"cl_khr_gl_sharing", "cl_khr_gl_event", "cl_khr_egl_image", "cl_khr_egl_event",
    "cl_khr_external_memory", "cl_khr_external_memory_opaque_fd", "cl_khr_external_memory_dma_buf",
    "cl_khr_external_memory_opaque_win32", "cl_khr_external_semaphore", "cl_khr_external_semaphore_opaque_fd",
    "cl_khr_external_semaphore_sync_fd", "cl_khr_semaphore", "cl_khr_device_uuid", "cl_intel_va_api_media_sharing",
    "cl_arm_import_memory"};

void
tell_device (const Device &device)
{
  tell ("device", std::to_string (device.platform_index) + ":" + std::to_string (device.device_index));
  tell ("name", device.name);
  tell ("type", kind_of (device.type));
  tell ("platform", device.platform_name);
  tell ("driver", device.driver_version);
  tell ("version", text_of<CL_DEVICE_VERSION> (device.handle));
  tell ("memory", memory_of (device.host_memory));
  const std::string extensions = text_of<CL_DEVICE_EXTENSIONS> (device.handle);
  if (const std::string uuid = uuid_of (device, extensions); !uuid.empty ())
    tell ("uuid", uuid);
  tell ("extensions", present (extensions, relevant));
}

}  // namespace

int
probe_devices ()
{
  for (const Device &device : gst::cl::list_devices ())
    tell_device (device);
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The extensions of platforms and devices. */
#include <algorithm>
#include <cstring>
#include <string>

#include "external.hpp"
#include "objects.hpp"
#include "settings.hpp"

namespace layer {

namespace {

std::vector<std::string>
added_extensions ()
{
  std::vector<std::string> names;
  if (settings ().list_sharing)
    names.push_back ("cl_khr_gl_sharing");
  if (settings ().gl_event)
    names.push_back ("cl_khr_gl_event");
  if (importer_uuids () || settings ().dma_buf)
    names.push_back ("cl_khr_external_memory");
  if (importer_uuids ()) {
    for (const char *name : {"cl_khr_external_memory_opaque_fd", "cl_khr_device_uuid"})
      names.push_back (name);
  }
  if (settings ().dma_buf)
    names.push_back ("cl_khr_external_memory_dma_buf");
  if (settings ().arm_import) {
    for (const char *name : {"cl_arm_import_memory", "cl_arm_import_memory_dma_buf"})
      names.push_back (name);
  }
  return names;
}

/* Calls the next layer's clGet...Info. */
template <typename T, typename Function, typename Object>
cl_int
ask (Function function, Object object, cl_uint name, std::vector<T> &values)
{
  std::size_t size = 0;
  if (const cl_int error = function (object, name, 0, nullptr, &size); error != CL_SUCCESS)
    return error;
  values.resize (size / sizeof (T));
  return function (object, name, size, values.data (), nullptr);
}

template <typename Function, typename Object>
cl_int
give_names (Function function, Object object, cl_uint name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  std::vector<char> names;
  if (const cl_int error = ask (function, object, name, names); error != CL_SUCCESS)
    return error;
  std::string all (names.data (), strnlen (names.data (), names.size ()));
  for (const std::string &extension : added_extensions ()) {
    if (!all.empty () && all.back () != ' ')
      all += ' ';
    all += extension;
  }
  return give (all.c_str (), all.size () + 1, capacity, value, size_ret);
}

template <typename Function, typename Object>
cl_int
give_versions (Function function, Object object, cl_uint name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  std::vector<cl_name_version> versions;
  if (const cl_int error = ask (function, object, name, versions); error != CL_SUCCESS)
    return error;
  for (const std::string &extension : added_extensions ()) {
    cl_name_version entry = {};
    entry.version = CL_MAKE_VERSION (1, 0, 0);
    std::strncpy (entry.name, extension.c_str (), sizeof entry.name - 1);
    versions.push_back (entry);
  }
  return give (versions.data (), versions.size () * sizeof (cl_name_version), capacity, value, size_ret);
}

/* From a later revision of the extension than some headers: no handle type makes images linear. */
constexpr cl_device_info assume_linear_handle_types = 0x2052;

/* Whether cl_khr_external_memory or cl_khr_device_uuid adds this query. */
bool
is_import_info (cl_device_info name)
{
  return name == CL_DEVICE_UUID_KHR || name == CL_DRIVER_UUID_KHR || name == CL_DEVICE_LUID_VALID_KHR
         || name == CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR || name == assume_linear_handle_types;
}

constexpr cl_external_memory_handle_type_khr handle_types[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR};

cl_int
give_import_info (const Uuids &uuids, cl_device_info name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  const cl_bool no = CL_FALSE;
  switch (name) {
    case CL_DEVICE_UUID_KHR:
      return give (uuids.device.data (), uuids.device.size (), capacity, value, size_ret);
    case CL_DRIVER_UUID_KHR:
      return give (uuids.driver.data (), uuids.driver.size (), capacity, value, size_ret);
    case CL_DEVICE_LUID_VALID_KHR:
      return give (&no, sizeof no, capacity, value, size_ret);
    case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
      return give (handle_types, sizeof handle_types, capacity, value, size_ret);
  }
  return give (nullptr, 0, capacity, value, size_ret);
}

bool
has_emulated_device (cl_platform_id platform)
{
  const std::vector<cl_device_id> devices = devices_of (platform, CL_DEVICE_TYPE_CPU);
  return std::any_of (devices.begin (), devices.end (), is_emulated);
}

cl_int CL_API_CALL
get_platform_info (cl_platform_id platform, cl_platform_info name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  const auto function = next ().clGetPlatformInfo;
  if (name == CL_PLATFORM_EXTENSIONS && has_emulated_device (platform))
    return give_names (function, platform, name, capacity, value, size_ret);
  if (name == CL_PLATFORM_EXTENSIONS_WITH_VERSION && has_emulated_device (platform))
    return give_versions (function, platform, name, capacity, value, size_ret);
  if (name == CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR && importer_uuids () && has_emulated_device (platform))
    return give (handle_types, sizeof handle_types, capacity, value, size_ret);
  return function (platform, name, capacity, value, size_ret);
}

cl_int CL_API_CALL
get_device_info (cl_device_id device, cl_device_info name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  const auto function = next ().clGetDeviceInfo;
  if (name == CL_DEVICE_EXTENSIONS && is_emulated (device))
    return give_names (function, device, name, capacity, value, size_ret);
  if (name == CL_DEVICE_EXTENSIONS_WITH_VERSION && is_emulated (device))
    return give_versions (function, device, name, capacity, value, size_ret);
  if (is_import_info (name) && importer_uuids () && is_emulated (device))
    return give_import_info (*importer_uuids (), name, capacity, value, size_ret);
  return function (device, name, capacity, value, size_ret);
}

}  // namespace

void
hook_info (cl_icd_dispatch &dispatch)
{
  dispatch.clGetPlatformInfo = get_platform_info;
  dispatch.clGetDeviceInfo = get_device_info;
}

}  // namespace layer

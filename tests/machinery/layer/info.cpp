/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The extensions of platforms and devices. */
#include "external.hpp"
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
Answer
names_of (Function function, Object object, cl_uint name)
{
  std::vector<char> names;
  if (ask (function, object, name, names) != CL_SUCCESS)
    return {};
  std::string all (names.data (), strnlen (names.data (), names.size ()));
  for (const std::string &extension : added_extensions ()) {
    if (!all.empty () && all.back () != ' ')
      all += ' ';
    all += extension;
  }
  return bytes (all);
}

template <typename Function, typename Object>
Answer
versions_of (Function function, Object object, cl_uint name)
{
  std::vector<cl_name_version> versions;
  if (ask (function, object, name, versions) != CL_SUCCESS)
    return {};
  for (const std::string &extension : added_extensions ()) {
    cl_name_version entry = {};
    entry.version = CL_MAKE_VERSION (1, 0, 0);
    std::strncpy (entry.name, extension.c_str (), sizeof entry.name - 1);
    versions.push_back (entry);
  }
  return bytes (versions);
}

/* From a later revision of the extension than some headers: no handle type makes images linear. */
constexpr cl_device_info assume_linear_handle_types = 0x2052;

constexpr cl_external_memory_handle_type_khr handle_types[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR};

/* Queries that cl_khr_external_memory and cl_khr_device_uuid add. */
Answer
import_info (const Uuids &uuids, cl_device_info name)
{
  switch (name) {
    case CL_DEVICE_UUID_KHR:
      return bytes (uuids.device);
    case CL_DRIVER_UUID_KHR:
      return bytes (uuids.driver);
    case CL_DEVICE_LUID_VALID_KHR:
      return bytes<cl_bool> (CL_FALSE);
    case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
      return bytes (handle_types);
    case assume_linear_handle_types:
      return "";
  }
  return {};
}

bool
has_emulated_device (cl_platform_id platform)
{
  const std::vector<cl_device_id> devices = devices_of (platform, CL_DEVICE_TYPE_CPU);
  return std::any_of (devices.begin (), devices.end (), is_emulated);
}

Answer
platform_info (cl_platform_id platform, cl_platform_info name)
{
  if (name == CL_PLATFORM_EXTENSIONS && has_emulated_device (platform))
    return names_of (next ().clGetPlatformInfo, platform, name);
  if (name == CL_PLATFORM_EXTENSIONS_WITH_VERSION && has_emulated_device (platform))
    return versions_of (next ().clGetPlatformInfo, platform, name);
  const bool types = name == CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR;
  return types && importer_uuids () && has_emulated_device (platform) ? bytes (handle_types) : Answer ();
}

Answer
device_info (cl_device_id device, cl_device_info name)
{
  if (name == CL_DEVICE_EXTENSIONS && is_emulated (device))
    return names_of (next ().clGetDeviceInfo, device, name);
  if (name == CL_DEVICE_EXTENSIONS_WITH_VERSION && is_emulated (device))
    return versions_of (next ().clGetDeviceInfo, device, name);
  const Answer answer = import_info (Uuids (), name);
  return answer && importer_uuids () && is_emulated (device) ? import_info (*importer_uuids (), name) : Answer ();
}

}  // namespace

void
hook_info (cl_icd_dispatch &dispatch)
{
  LAYER_HOOK (dispatch, target, queries<platform_info>, clGetPlatformInfo);
  LAYER_HOOK (dispatch, target, queries<device_info>, clGetDeviceInfo);
}

}  // namespace layer

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL layer that lends PoCL cl_khr_external_memory_opaque_fd for the anonymous files of the driver beside it, and checks the
 * rules: kernels use such a buffer between acquire and release alone. CL_CUDA_LAYER_MODE: refuse (imports fail), corrupt
 * (OpenCL gets a copy), unlisted (the extension is missing). */
#include "../census/give.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <string>

namespace {

constexpr cl_device_info device_uuid = 0x106A;
constexpr cl_mem_properties opaque_fd = 0x2060;
constexpr char extensions[] = " cl_khr_device_uuid cl_khr_external_memory cl_khr_external_memory_opaque_fd";

cl_icd_dispatch next, hooks;
std::mutex mutex;

struct Import {
  void *pages;
  size_t size;
  bool acquired = false;
};

std::map<cl_mem, Import> imports;
std::map<std::pair<cl_kernel, cl_uint>, cl_mem> arguments;

bool
has_mode (const char *mode)
{
  const char *modes = std::getenv ("CL_CUDA_LAYER_MODE");
  return modes && std::string (modes).find (mode) != std::string::npos;
}

void
report (const char *what)
{
  std::fprintf (stderr, "CUDA layer: %s\n", what);
  std::abort ();
}

cl_int CL_API_CALL
get_device_info (cl_device_id device, cl_device_info name, size_t capacity, void *value, size_t *size)
{
  if (name == device_uuid) {
    std::array<unsigned char, 16> uuid;
    std::iota (uuid.begin (), uuid.end (), 0xc0);
    return give (uuid.data (), uuid.size (), capacity, value, size);
  }
  if (name != CL_DEVICE_EXTENSIONS || has_mode ("unlisted"))
    return next.clGetDeviceInfo (device, name, capacity, value, size);
  char own[16384] = {};
  const cl_int error = next.clGetDeviceInfo (device, name, sizeof own - sizeof extensions, own, nullptr);
  const std::string all = std::string (own) + extensions;
  return error == CL_SUCCESS ? give (all.c_str (), all.size () + 1, capacity, value, size) : error;
}

/* A command may hold the last reference, so that clReleaseMemObject() is never called for it, and another buffer soon gets its
 * address. */
void CL_CALLBACK
forget (cl_mem object, void *data)
{
  const std::lock_guard lock (mutex);
  imports.erase (object);
  std::erase_if (arguments, [object] (const auto &each) { return each.second == object; });
  auto *import = static_cast<Import *> (data);
  munmap (import->pages, import->size);
  delete import;
}

cl_mem CL_API_CALL
create_buffer (
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
  if (!properties || properties[0] != opaque_fd)
    return next.clCreateBufferWithProperties (context, properties, flags, size, host, error);
  cl_int unused;
  cl_int &result = error ? *error : unused;
  const int file = int (properties[1]);
  struct stat status = {};
  if (has_mode ("refuse") || properties[2] != 0 || host || fstat (file, &status) != 0 || size > size_t (status.st_size)) {
    result = CL_INVALID_VALUE;
    return nullptr;
  }
  void *pages = mmap (nullptr, size, PROT_READ | PROT_WRITE, has_mode ("corrupt") ? MAP_PRIVATE : MAP_SHARED, file, 0);
  if (has_mode ("corrupt") && pages != MAP_FAILED)
    std::memset (pages, 0, size);
  const cl_mem buffer =
      pages == MAP_FAILED ? nullptr : next.clCreateBuffer (context, flags | CL_MEM_USE_HOST_PTR, size, pages, &result);
  if (!buffer)
    return nullptr;
  close (file); /* OpenCL owns it from here on */
  const std::lock_guard lock (mutex);
  imports[buffer] = {pages, size};
  next.clSetMemObjectDestructorCallback (buffer, forget, new Import{pages, size});
  return buffer;
}

cl_int CL_API_CALL
release_mem_object (cl_mem object)
{
  cl_uint count = 0;
  next.clGetMemObjectInfo (object, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr);
  if (count == 1) {
    const std::lock_guard lock (mutex);
    if (const auto found = imports.find (object); found != imports.end ()) {
      if (found->second.acquired)
        report ("a buffer is released that was acquired");
      imports.erase (found);
    }
    std::erase_if (arguments, [object] (const auto &each) { return each.second == object; });
  }
  return next.clReleaseMemObject (object);
}

cl_int CL_API_CALL
set_kernel_arg (cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
  {
    const std::lock_guard lock (mutex);
    arguments.erase ({kernel, index});
    cl_mem object = nullptr;
    if (value && size == sizeof object)
      std::memcpy (&object, value, size);
    if (object && imports.count (object))
      arguments[{kernel, index}] = object;
  }
  return next.clSetKernelArg (kernel, index, size, value);
}

cl_int CL_API_CALL
enqueue_kernel (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n, const cl_event *wait, cl_event *event)
{
  {
    const std::lock_guard lock (mutex);
    for (const auto &[place, object] : arguments)
      if (place.first == kernel && !imports.at (object).acquired)
        report ("a kernel uses a buffer that is not acquired");
  }
  return next.clEnqueueNDRangeKernel (queue, kernel, dimensions, offset, global, local, n, wait, event);
}

cl_int
hand_over (bool acquires, cl_command_queue queue, cl_uint n_objects, const cl_mem *objects, cl_uint n, const cl_event *wait,
    cl_event *event)
{
  {
    const std::lock_guard lock (mutex);
    for (cl_uint i = 0; i < n_objects; i++) {
      const auto found = imports.find (objects[i]);
      if (found == imports.end ())
        return CL_INVALID_MEM_OBJECT;
      if (found->second.acquired == acquires)
        report (acquires ? "a buffer is acquired twice" : "a buffer is given back that was not acquired");
      found->second.acquired = acquires;
    }
  }
  return next.clEnqueueMarkerWithWaitList (queue, n, wait, event);
}

cl_int CL_API_CALL
acquire (cl_command_queue queue, cl_uint n_objects, const cl_mem *objects, cl_uint n, const cl_event *wait, cl_event *event)
{
  return hand_over (true, queue, n_objects, objects, n, wait, event);
}

cl_int CL_API_CALL
give_back (cl_command_queue queue, cl_uint n_objects, const cl_mem *objects, cl_uint n, const cl_event *wait, cl_event *event)
{
  return hand_over (false, queue, n_objects, objects, n, wait, event);
}

void *CL_API_CALL
get_function (cl_platform_id platform, const char *name)
{
  if (!std::strcmp (name, "clEnqueueAcquireExternalMemObjectsKHR"))
    return reinterpret_cast<void *> (acquire);
  if (!std::strcmp (name, "clEnqueueReleaseExternalMemObjectsKHR"))
    return reinterpret_cast<void *> (give_back);
  return next.clGetExtensionFunctionAddressForPlatform (platform, name);
}

bool
start ()
{
  hooks.clGetDeviceInfo = get_device_info;
  hooks.clCreateBufferWithProperties = create_buffer;
  hooks.clReleaseMemObject = release_mem_object;
  hooks.clSetKernelArg = set_kernel_arg;
  hooks.clEnqueueNDRangeKernel = enqueue_kernel;
  hooks.clGetExtensionFunctionAddressForPlatform = get_function;
  return true;
}

}  // namespace

DEFINE_LAYER ("CUDA memory emulation", next, hooks, start)

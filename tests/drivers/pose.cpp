/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL layer for ./run drivers. CL_POSE=amd or intel: every device answers as a GPU of this vendor, and refuses work-groups
 * that are too large for it. CL_POSE_PROGRAMS=FOLDER: the text and the options of each program are written there; nothing is compiled
 * and no kernel runs. */
#include "../census/census.hpp"
#include "../census/stubs.hpp"

#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

/** What a vendor's drivers say of a usual GPU. */
struct Facts {
  const char *pose, *platform, *vendor, *name;
  cl_uint vendor_id, units;
  size_t items;
  cl_ulong local_bytes;
  cl_bool unified;
  bool doubles;
};
const Facts all_facts[] = {
    {"amd", "AMD Accelerated Parallel Processing", "Advanced Micro Devices, Inc.", "gfx1030", 0x1002, 40, 256, 65536, CL_FALSE,
        true},
    {"intel", "Intel(R) OpenCL Graphics", "Intel(R) Corporation", "Intel(R) Iris(R) Xe Graphics", 0x8086, 96, 512, 65536,
        CL_TRUE, false},
};

cl_icd_dispatch target, hooks;
constexpr cl_uint n_functions = sizeof (cl_icd_dispatch) / sizeof (void *);
const Facts *facts = nullptr;
const char *folder = nullptr;

cl_int
give (const void *answer, size_t size, size_t capacity, void *value, size_t *size_ret)
{
  if (value && capacity < size)
    return CL_INVALID_VALUE;
  if (value)
    std::memcpy (value, answer, size);
  if (size_ret)
    *size_ret = size;
  return CL_SUCCESS;
}

std::string
extensions_of (cl_device_id device)
{
  size_t size = 0;
  target.clGetDeviceInfo (device, CL_DEVICE_EXTENSIONS, 0, nullptr, &size);
  std::string text (size, ' ');
  target.clGetDeviceInfo (device, CL_DEVICE_EXTENSIONS, size, text.data (), nullptr);
  const std::string doubles = "cl_khr_fp64";
  if (const size_t at = text.find (doubles); !facts->doubles && at != std::string::npos)
    text.erase (at, doubles.size ());
  return text.c_str ();
}

cl_int CL_API_CALL
device_info (cl_device_id device, cl_device_info what, size_t capacity, void *value, size_t *size_ret)
{
  const auto number = [&] (auto n) { return give (&n, sizeof n, capacity, value, size_ret); };
  const auto text = [&] (const std::string &s) { return give (s.c_str (), s.size () + 1, capacity, value, size_ret); };
  switch (what) {
    case CL_DEVICE_TYPE:
      return number (cl_device_type (CL_DEVICE_TYPE_GPU));
    case CL_DEVICE_VENDOR:
      return text (facts->vendor);
    case CL_DEVICE_NAME:
      return text (facts->name);
    case CL_DEVICE_VENDOR_ID:
      return number (facts->vendor_id);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return number (facts->units);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return number (facts->items);
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return number (facts->local_bytes);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      return number (facts->unified);
    case CL_DEVICE_EXTENSIONS:
      return text (extensions_of (device));
    default:
      return target.clGetDeviceInfo (device, what, capacity, value, size_ret);
  }
}

cl_int CL_API_CALL
platform_info (cl_platform_id platform, cl_platform_info what, size_t capacity, void *value, size_t *size_ret)
{
  return what == CL_PLATFORM_NAME ? give (facts->platform, std::strlen (facts->platform) + 1, capacity, value, size_ret)
                                  : target.clGetPlatformInfo (platform, what, capacity, value, size_ret);
}

/* No program has binaries: PoCL would compile every kernel for groups of all sizes to give them. */
cl_int CL_API_CALL
program_info (cl_program program, cl_program_info what, size_t capacity, void *value, size_t *size_ret)
{
  if (what == CL_PROGRAM_BINARIES)
    return CL_SUCCESS;
  if (what != CL_PROGRAM_BINARY_SIZES)
    return target.clGetProgramInfo (program, what, capacity, value, size_ret);
  cl_uint n = 0;
  target.clGetProgramInfo (program, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, nullptr);
  const std::vector<size_t> none (n);
  return give (none.data (), n * sizeof (size_t), capacity, value, size_ret);
}

std::mutex mutex;
std::map<cl_program, std::string> texts; /* with mutex held */

cl_program CL_API_CALL
create_program (cl_context context, cl_uint n, const char **parts, const size_t *lengths, cl_int *error)
{
  const cl_program program = target.clCreateProgramWithSource (context, n, parts, lengths, error);
  const std::lock_guard lock (mutex);
  std::string &text = texts[program] = "";
  for (cl_uint i = 0; i < n; i++)
    text += lengths && lengths[i] > 0 ? std::string (parts[i], lengths[i]) : parts[i];
  return program;
}

/* The first line holds the options. */
cl_int CL_API_CALL
build_program (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
    void (CL_CALLBACK *notify) (cl_program, void *), void *data)
{
  static unsigned count = 0;
  {
    const std::lock_guard lock (mutex);
    std::ofstream (std::string (folder) + "/" + std::to_string (getpid ()) + "-" + std::to_string (count++) + ".cl")
        << "//" << (options ? options : "") << "\n"
        << texts[program];
  }
  return target.clBuildProgram (program, n, devices, options, notify, data);
}

cl_int CL_API_CALL
enqueue_kernel (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n, const cl_event *wait, cl_event *event)
{
  size_t items = 1;
  for (cl_uint i = 0; local && i < dimensions; i++)
    items *= local[i];
  if (items > facts->items)
    return CL_INVALID_WORK_GROUP_SIZE;
  return target.clEnqueueNDRangeKernel (queue, kernel, dimensions, offset, global, local, n, wait, event);
}

/* A kernel takes no more items than the device. */
cl_int CL_API_CALL
work_group_info (
    cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t capacity, void *value, size_t *size_ret)
{
  return what == CL_KERNEL_WORK_GROUP_SIZE ? give (&facts->items, sizeof facts->items, capacity, value, size_ret)
                                           : target.clGetKernelWorkGroupInfo (kernel, device, what, capacity, value, size_ret);
}

bool
read_settings ()
{
  const char *pose = std::getenv ("CL_POSE");
  folder = std::getenv ("CL_POSE_PROGRAMS");
  const auto found =
      std::ranges::find_if (all_facts, [&] (const Facts &each) { return pose && !std::strcmp (each.pose, pose); });
  facts = found == std::end (all_facts) ? nullptr : found;
  return facts;
}

}  // namespace

#define POSE_EXPORT [[gnu::visibility ("default")]]

extern "C" {

POSE_EXPORT cl_int CL_API_CALL
clGetLayerInfo (cl_layer_info name, size_t capacity, void *value, size_t *size_ret)
{
  static constexpr char layer_name[] = "Posing as a vendor's GPU";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (name == CL_LAYER_API_VERSION)
    return give (&version, sizeof version, capacity, value, size_ret);
  return name == CL_LAYER_NAME ? give (layer_name, sizeof layer_name, capacity, value, size_ret) : CL_INVALID_VALUE;
}

POSE_EXPORT cl_int CL_API_CALL
clInitLayer (cl_uint n, const cl_icd_dispatch *next, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret)
{
  if (!next || !n_ret || !dispatch_ret || !read_settings ())
    return CL_INVALID_VALUE;
  std::memcpy (&target, next, std::min (n, n_functions) * sizeof (void *));
  cl_census_skip_kernels (folder);
  target = stubs::before (target);
  hooks = target;
  hooks.clGetDeviceInfo = device_info;
  hooks.clGetPlatformInfo = platform_info;
  hooks.clGetKernelWorkGroupInfo = work_group_info;
  hooks.clGetProgramInfo = program_info;
  hooks.clEnqueueNDRangeKernel = enqueue_kernel;
  if (folder) {
    hooks.clCreateProgramWithSource = create_program;
    hooks.clBuildProgram = build_program;
  }
  *n_ret = n_functions;
  *dispatch_ret = &hooks;
  return CL_SUCCESS;
}

POSE_EXPORT cl_int CL_API_CALL
clDeinitLayer ()
{
  return CL_SUCCESS;
}
}

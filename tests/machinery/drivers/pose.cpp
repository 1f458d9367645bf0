/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL layer for ./run drivers. CL_POSE=amd, intel or nvidia: every device answers as a GPU of this vendor, and refuses
 * work-groups that are too large for it. CL_POSE_PROGRAMS=FOLDER: the text and the options of each program are written there;
 * nothing is compiled and no kernel runs. */
#include "../census/answers.hpp"
#include "../census/census.hpp"
#include "../census/fakes.hpp"
#include "../census/give.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>

namespace {

/** The answers of a vendor's drivers for a typical GPU. */
struct Facts {
  const char *pose, *platform, *vendor, *name;
  cl_uint vendor_id, units;
  size_t items;
  cl_ulong local_bytes;
  cl_bool unified;
  bool doubles;
  cl_uint capability = 0; /* of NVIDIA's */
};
const Facts all_facts[] = {
    {"amd", "AMD Accelerated Parallel Processing", "Advanced Micro Devices, Inc.", "gfx1030", 0x1002, 40, 256, 65536, CL_FALSE,
        true},
    {"intel", "Intel(R) OpenCL Graphics", "Intel(R) Corporation", "Intel(R) Iris(R) Xe Graphics", 0x8086, 96, 512, 65536,
        CL_TRUE, false},
    {"nvidia", "NVIDIA CUDA", "NVIDIA Corporation", "NVIDIA H100 80GB HBM3", 0x10de, 132, 1024, 49152, CL_FALSE, true, 9},
};
constexpr cl_device_info capability_major = 0x4000, capability_minor = 0x4001; /* cl_nv_device_attribute_query */

cl_icd_dispatch target, hooks;
const Facts *facts = nullptr;
const char *folder = nullptr;

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
  return text.c_str () + std::string (facts->capability ? " cl_nv_device_attribute_query" : "");
}

Answer
device_info (cl_device_id device, cl_device_info what)
{
  const bool is_nvidia = facts->capability;
  return what == CL_DEVICE_EXTENSIONS            ? bytes (extensions_of (device))
         : is_nvidia && what == capability_major ? bytes (facts->capability)
         : is_nvidia && what == capability_minor ? bytes (cl_uint (0))
                                                 : Answer ();
}

/* The answers of every device and platform. */
void
answer_as_posed ()
{
  const auto number = [] (cl_uint what, auto n) { cl_census_answer (nullptr, what, &n, sizeof n); };
  const auto text = [] (cl_uint what, const char *s) { cl_census_answer (nullptr, what, s, std::strlen (s) + 1); };
  text (CL_PLATFORM_NAME, facts->platform);
  number (CL_DEVICE_TYPE, cl_device_type (CL_DEVICE_TYPE_GPU));
  text (CL_DEVICE_VENDOR, facts->vendor);
  text (CL_DEVICE_NAME, facts->name);
  number (CL_DEVICE_VENDOR_ID, facts->vendor_id);
  number (CL_DEVICE_MAX_COMPUTE_UNITS, facts->units);
  number (CL_DEVICE_MAX_WORK_GROUP_SIZE, facts->items);
  number (CL_DEVICE_LOCAL_MEM_SIZE, facts->local_bytes);
  number (CL_DEVICE_HOST_UNIFIED_MEMORY, facts->unified);
}

/* Programs have no binaries, for which PoCL would compile every kernel for all group sizes. */
Answer
program_info (cl_program program, cl_program_info what)
{
  cl_uint n = 0;
  target.clGetProgramInfo (program, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, nullptr);
  return what == CL_PROGRAM_BINARIES       ? Answer ("")
         : what == CL_PROGRAM_BINARY_SIZES ? Answer (std::string (n * sizeof (size_t), '\0'))
                                           : std::nullopt;
}

/* Writes the options in the first line. */
cl_int CL_API_CALL
build_program (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
    void (CL_CALLBACK *notify) (cl_program, void *), void *data)
{
  static std::atomic<unsigned> count = 0;
  std::ofstream (std::string (folder) + "/" + std::to_string (getpid ()) + "-" + std::to_string (count++) + ".cl")
      << "//" << (options ? options : "") << "\n"
      << fakes::text_of (program);
  return target.clBuildProgram (program, n, devices, options, notify, data);
}

constexpr auto launches = [] (auto original, const char *, cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local, auto... rest) {
  size_t items = 1;
  for (cl_uint i = 0; local && i < dimensions; i++)
    items *= local[i];
  return items > facts->items ? CL_INVALID_WORK_GROUP_SIZE
                              : original (queue, kernel, dimensions, offset, global, local, rest...);
};

/* A kernel allows at most as many items as the device. */
Answer
work_group_info (cl_kernel, cl_device_id, cl_kernel_work_group_info what)
{
  return what == CL_KERNEL_WORK_GROUP_SIZE ? bytes (facts->items) : Answer ();
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

bool
start ()
{
  if (!read_settings ())
    return false;
  cl_census_skip_kernels (folder);
  answer_as_posed ();
  target = fakes::before (answers::before (target));
  hooks = target;
  LAYER_HOOK (hooks, target, queries<device_info>, clGetDeviceInfo);
  LAYER_HOOK (hooks, target, queries<work_group_info>, clGetKernelWorkGroupInfo);
  LAYER_HOOK (hooks, target, queries<program_info>, clGetProgramInfo);
  LAYER_HOOK (hooks, target, launches, clEnqueueNDRangeKernel);
  if (folder)
    hooks.clBuildProgram = build_program;
  return true;
}

}  // namespace

DEFINE_LAYER ("Posing as a vendor's GPU", target, hooks, start)

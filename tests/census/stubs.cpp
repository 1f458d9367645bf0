/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stubs.hpp"

#include "census.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

namespace {

cl_icd_dispatch below;
std::atomic<bool> skips_kernels = false;

/* A kernel that is none. Loaders look for the table of functions at the begin of every object. */
struct Stub {
  const cl_icd_dispatch *dispatch = &below;
  std::atomic<unsigned> references = 1;
};

std::mutex mutex;
std::set<const void *> all_stubs; /* with mutex held */

Stub *
stub_of (cl_kernel kernel)
{
  const std::lock_guard lock (mutex);
  return all_stubs.contains (kernel) ? reinterpret_cast<Stub *> (kernel) : nullptr;
}

/* Kept by the driver, and not built: PoCL takes longer to read an empty program than a test with stubs takes. */
cl_program CL_API_CALL
create_program (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *error)
{
  const char *source = "kernel void empty () {}";
  return skips_kernels ? below.clCreateProgramWithSource (context, 1, &source, nullptr, error)
                       : below.clCreateProgramWithSource (context, n, texts, lengths, error);
}

cl_int CL_API_CALL
build_program (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
    void (CL_CALLBACK *notify) (cl_program, void *), void *data)
{
  return skips_kernels ? CL_SUCCESS : below.clBuildProgram (program, n, devices, options, notify, data);
}

cl_kernel CL_API_CALL
create_kernel (cl_program program, const char *name, cl_int *error)
{
  if (!skips_kernels)
    return below.clCreateKernel (program, name, error);
  auto *stub = new Stub;
  const std::lock_guard lock (mutex);
  all_stubs.insert (stub);
  if (error)
    *error = CL_SUCCESS;
  return reinterpret_cast<cl_kernel> (stub);
}

cl_int CL_API_CALL
retain_kernel (cl_kernel kernel)
{
  Stub *stub = stub_of (kernel);
  if (!stub)
    return below.clRetainKernel (kernel);
  stub->references++;
  return CL_SUCCESS;
}

cl_int CL_API_CALL
release_kernel (cl_kernel kernel)
{
  Stub *stub = stub_of (kernel);
  if (!stub)
    return below.clReleaseKernel (kernel);
  if (--stub->references > 0)
    return CL_SUCCESS;
  const std::lock_guard lock (mutex);
  all_stubs.erase (stub);
  delete stub;
  return CL_SUCCESS;
}

/* Every number that is asked for is this one. */
cl_int CL_API_CALL
work_group_info (
    cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t capacity, void *value, size_t *size_ret)
{
  if (!stub_of (kernel))
    return below.clGetKernelWorkGroupInfo (kernel, device, what, capacity, value, size_ret);
  const size_t answer = 1024;
  if (value && capacity >= sizeof answer)
    std::memcpy (value, &answer, sizeof answer);
  if (size_ret)
    *size_ret = sizeof answer;
  return CL_SUCCESS;
}

cl_int CL_API_CALL
set_argument (cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
  return stub_of (kernel) ? CL_SUCCESS : below.clSetKernelArg (kernel, index, size, value);
}

cl_int CL_API_CALL
enqueue_kernel (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n, const cl_event *wait, cl_event *event)
{
  return stub_of (kernel) ? below.clEnqueueMarkerWithWaitList (queue, n, wait, event)
                          : below.clEnqueueNDRangeKernel (queue, kernel, dimensions, offset, global, local, n, wait, event);
}

}  // namespace

cl_icd_dispatch
stubs::before (const cl_icd_dispatch &next)
{
  below = next;
  cl_icd_dispatch hooks = next;
  hooks.clCreateProgramWithSource = create_program;
  hooks.clBuildProgram = build_program;
  hooks.clCreateKernel = create_kernel;
  hooks.clRetainKernel = retain_kernel;
  hooks.clReleaseKernel = release_kernel;
  hooks.clGetKernelWorkGroupInfo = work_group_info;
  hooks.clSetKernelArg = set_argument;
  hooks.clEnqueueNDRangeKernel = enqueue_kernel;
  return hooks;
}

extern "C" [[gnu::visibility ("default")]] void
cl_census_skip_kernels (bool skips)
{
  skips_kernels = skips;
}

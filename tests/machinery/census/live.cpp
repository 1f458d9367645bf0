/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts references to OpenCL's objects: created and retained, minus released. */
#include "census.hpp"
#include "parts.hpp"

#include <atomic>

namespace {

cl_icd_dispatch inner;
std::atomic<long> contexts, queues, memories, mappings, programs, kernels;

/* Wraps a function that returns an object, and a code in its last argument. */
template <auto entry, std::atomic<long> &count, typename Function> struct Makes;
template <auto entry, std::atomic<long> &count, typename Result, typename... Arguments>
struct Makes<entry, count, Result (CL_API_CALL *) (Arguments...)> {
  static Result CL_API_CALL call (Arguments... arguments)
  {
    const Result object = (inner.*entry) (arguments...);
    count += object != nullptr;
    return object;
  }
};

template <auto entry, std::atomic<long> &count, int step, typename Function> struct Counts;
template <auto entry, std::atomic<long> &count, int step, typename Object>
struct Counts<entry, count, step, cl_int (CL_API_CALL *) (Object)> {
  static cl_int CL_API_CALL call (Object object)
  {
    const cl_int code = (inner.*entry) (object);
    count += code == CL_SUCCESS ? step : 0;
    return code;
  }
};

cl_int CL_API_CALL
create_kernels (cl_program program, cl_uint n, cl_kernel *made, cl_uint *n_ret)
{
  cl_uint found = 0;
  const cl_int code = inner.clCreateKernelsInProgram (program, n, made, &found);
  kernels += code == CL_SUCCESS && made ? long (found) : 0;
  if (n_ret)
    *n_ret = found;
  return code;
}

cl_int CL_API_CALL
unmap (cl_command_queue queue, cl_mem memory, void *mapped, cl_uint n, const cl_event *wait, cl_event *event)
{
  const cl_int code = inner.clEnqueueUnmapMemObject (queue, memory, mapped, n, wait, event);
  mappings -= code == CL_SUCCESS;
  return code;
}

}  // namespace

#define MAKES(function, count)                                                                                                 \
  hooks.function = Makes<&cl_icd_dispatch::function, count, decltype (cl_icd_dispatch::function)>::call
#define COUNTS(kind, count)                                                                                                    \
  hooks.clRetain##kind = Counts<&cl_icd_dispatch::clRetain##kind, count, 1, decltype (cl_icd_dispatch::clRetain##kind)>::call; \
  hooks.clRelease##kind =                                                                                                      \
      Counts<&cl_icd_dispatch::clRelease##kind, count, -1, decltype (cl_icd_dispatch::clRelease##kind)>::call

void
census::hook_lives (cl_icd_dispatch &hooks)
{
  inner = hooks;
  MAKES (clCreateContext, contexts);
  MAKES (clCreateContextFromType, contexts);
  MAKES (clCreateCommandQueue, queues);
  MAKES (clCreateCommandQueueWithProperties, queues);
  MAKES (clCreateBuffer, memories);
  MAKES (clCreateSubBuffer, memories);
  MAKES (clCreateImage, memories);
  MAKES (clCreateBufferWithProperties, memories);
  MAKES (clCreateImageWithProperties, memories);
  MAKES (clCreateFromGLTexture, memories);
  MAKES (clEnqueueMapBuffer, mappings);
  MAKES (clEnqueueMapImage, mappings);
  hooks.clEnqueueUnmapMemObject = unmap;
  MAKES (clCreateProgramWithSource, programs);
  MAKES (clCreateProgramWithBinary, programs);
  MAKES (clCreateKernel, kernels);
  hooks.clCreateKernelsInProgram = create_kernels;
  COUNTS (Context, contexts);
  COUNTS (CommandQueue, queues);
  COUNTS (MemObject, memories);
  COUNTS (Program, programs);
  COUNTS (Kernel, kernels);
}

extern "C" __attribute__ ((visibility ("default"))) void
cl_census_live (census::Live *live)
{
  *live = {contexts, queues, memories, mappings, programs, kernels};
}

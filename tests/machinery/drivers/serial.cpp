/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL layer for ./run drivers: of the functions that compile, enqueue or wait one runs at a time. Oclgrind compiles and runs kernels in
 * the threads that call these, and ends the process when there are two. */
#include "../census/give.hpp"

#include <CL/cl_icd.h>

#include <mutex>

namespace {

cl_icd_dispatch target, hooks;
std::recursive_mutex lock;

constexpr auto waits = [] (auto original, const char *, auto... arguments) {
  const std::lock_guard guard (lock);
  return original (arguments...);
};

bool
start ()
{
  hooks = target;
#define SERIAL_WAITS(function) LAYER_HOOK (hooks, target, waits, function);
  EACH (SERIAL_WAITS, clBuildProgram, clCreateProgramWithSource, clReleaseProgram, clCreateKernel, clReleaseKernel,
      clSetKernelArg, clCreateBuffer, clCreateSubBuffer, clReleaseMemObject, clCreateCommandQueue, clReleaseCommandQueue,
      clFlush, clFinish, clWaitForEvents, clReleaseEvent, clGetEventInfo, clEnqueueNDRangeKernel, clEnqueueReadBuffer,
      clEnqueueWriteBuffer, clEnqueueWriteBufferRect, clEnqueueCopyBuffer, clEnqueueFillBuffer, clEnqueueMapBuffer,
      clEnqueueUnmapMemObject, clEnqueueMarkerWithWaitList)
  return true;
}

}  // namespace

DEFINE_LAYER ("One call at a time", target, hooks, start)

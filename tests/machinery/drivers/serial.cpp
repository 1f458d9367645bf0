/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL layer for ./run drivers: of the functions that compile, enqueue, wait or count references one runs at a time. Oclgrind
 * compiles and runs kernels in the threads that call these, and crashes when there are two. */
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

/* Oclgrind's binaries grow while other programs are built, and would overflow memory of the size that it said before. */
constexpr auto without_binaries = [] (auto original, const char *, cl_program program, cl_program_info what, auto... answer) {
  const std::lock_guard guard (lock);
  return what == CL_PROGRAM_BINARY_SIZES ? CL_INVALID_OPERATION : original (program, what, answer...);
};

bool
start ()
{
  hooks = target;
#define SERIAL_WAITS(function) LAYER_HOOK (hooks, target, waits, function);
  EACH (SERIAL_WAITS, clCreateContext, clRetainContext, clReleaseContext, clBuildProgram, clCreateProgramWithSource,
      clRetainProgram, clReleaseProgram, clCreateKernel, clCreateKernelsInProgram, clRetainKernel, clReleaseKernel,
      clSetKernelArg, clCreateBuffer, clCreateSubBuffer, clCreateImage, clRetainMemObject, clReleaseMemObject,
      clCreateCommandQueue, clRetainCommandQueue, clReleaseCommandQueue, clFlush, clFinish, clWaitForEvents, clRetainEvent,
      clReleaseEvent, clGetEventInfo, clEnqueueNDRangeKernel, clEnqueueReadBuffer, clEnqueueWriteBuffer,
      clEnqueueWriteBufferRect, clEnqueueCopyBuffer, clEnqueueCopyBufferRect, clEnqueueFillBuffer, clEnqueueFillImage,
      clEnqueueMapBuffer, clEnqueueUnmapMemObject, clEnqueueMarkerWithWaitList)
  LAYER_HOOK (hooks, target, without_binaries, clGetProgramInfo);
  return true;
}

}  // namespace

DEFINE_LAYER ("One call at a time", target, hooks, start)

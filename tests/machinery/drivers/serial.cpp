/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OpenCL layer for ./run drivers: of the functions that compile, enqueue or wait one runs at a time. Oclgrind compiles and runs kernels in
 * the threads that call these, and ends the process when there are two. */
#include "../census/give.hpp"

#include <CL/cl_icd.h>

#include <mutex>

namespace {

cl_icd_dispatch target, hooks;
std::recursive_mutex lock;

template <auto member> struct Serial;

template <typename R, typename... A, R (CL_API_CALL *cl_icd_dispatch::*member) (A...)> struct Serial<member> {
  static R CL_API_CALL call (A... arguments)
  {
    const std::lock_guard guard (lock);
    return (target.*member) (arguments...);
  }
};

template <auto... members>
void
serialize ()
{
  ((hooks.*members = Serial<members>::call), ...);
}

using D = cl_icd_dispatch;

bool
start ()
{
  hooks = target;
  serialize<&D::clBuildProgram, &D::clCreateProgramWithSource, &D::clReleaseProgram, &D::clCreateKernel, &D::clReleaseKernel,
      &D::clSetKernelArg, &D::clCreateBuffer, &D::clCreateSubBuffer, &D::clReleaseMemObject, &D::clCreateCommandQueue,
      &D::clReleaseCommandQueue, &D::clFlush, &D::clFinish, &D::clWaitForEvents, &D::clReleaseEvent, &D::clGetEventInfo,
      &D::clEnqueueNDRangeKernel, &D::clEnqueueReadBuffer, &D::clEnqueueWriteBuffer, &D::clEnqueueWriteBufferRect,
      &D::clEnqueueCopyBuffer, &D::clEnqueueFillBuffer, &D::clEnqueueMapBuffer, &D::clEnqueueUnmapMemObject,
      &D::clEnqueueMarkerWithWaitList> ();
  return true;
}

}  // namespace

DEFINE_LAYER ("One call at a time", target, hooks, start)

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

}  // namespace

#define SERIAL_EXPORT [[gnu::visibility ("default")]]

extern "C" {

SERIAL_EXPORT cl_int CL_API_CALL
clGetLayerInfo (cl_layer_info name, size_t capacity, void *value, size_t *size_ret)
{
  return give_layer_info ("One call at a time", name, capacity, value, size_ret);
}

SERIAL_EXPORT cl_int CL_API_CALL
clInitLayer (cl_uint n, const cl_icd_dispatch *next, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret)
{
  if (!enter_layer (n, next, n_ret, dispatch_ret, target, hooks))
    return CL_INVALID_VALUE;
  hooks = target;
  serialize<&D::clBuildProgram, &D::clCreateProgramWithSource, &D::clReleaseProgram, &D::clCreateKernel, &D::clReleaseKernel,
      &D::clSetKernelArg, &D::clCreateBuffer, &D::clCreateSubBuffer, &D::clReleaseMemObject, &D::clCreateCommandQueue,
      &D::clReleaseCommandQueue, &D::clFlush, &D::clFinish, &D::clWaitForEvents, &D::clReleaseEvent, &D::clGetEventInfo,
      &D::clEnqueueNDRangeKernel, &D::clEnqueueReadBuffer, &D::clEnqueueWriteBuffer, &D::clEnqueueWriteBufferRect,
      &D::clEnqueueCopyBuffer, &D::clEnqueueFillBuffer, &D::clEnqueueMapBuffer, &D::clEnqueueUnmapMemObject,
      &D::clEnqueueMarkerWithWaitList> ();
  return CL_SUCCESS;
}

SERIAL_EXPORT cl_int CL_API_CALL
clDeinitLayer ()
{
  return CL_SUCCESS;
}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels, their arguments, events, and commands that transfer nothing between device and host. */
#include "command.hpp"
#include "dmabuf.hpp"
#include "report.hpp"

#include <cstring>

namespace layer {

namespace {

cl_int
check_use (const Object &object, Access access, const char *function)
{
  const auto [acquired, was_acquired] = locked (
      [&object] (const Ledger &) { return std::pair (object.acquired || !object.needs_acquire (), object.was_acquired); });
  if (!acquired) {
    report (was_acquired ? "used-after-release" : "not-acquired", "%s uses %s, which is not acquired", function,
        object.what ().c_str ());
    return CL_INVALID_OPERATION;
  }
  if (access == Access::bytes && !object.has_bytes ()) {
    report ("raw-access", "%s needs the bytes of %s, which the device does not give", function, object.what ().c_str ());
    return CL_INVALID_OPERATION;
  }
  check_fences (object, function);
  return CL_SUCCESS;
}

/* The objects in a kernel's arguments; null for a released one. */
std::vector<std::shared_ptr<Object>>
arguments_of (cl_kernel kernel)
{
  std::vector<std::shared_ptr<Object>> objects;
  const std::lock_guard lock (ledger ().mutex);
  for (const auto &[index, argument] : ledger ().arguments[kernel]) {
    const std::shared_ptr<Object> object = argument.lock ();
    objects.push_back (object && object->references > 0 ? object : nullptr);
  }
  return objects;
}

cl_int
check_kernel (cl_kernel kernel, const char *function)
{
  for (const std::shared_ptr<Object> &object : arguments_of (kernel)) {
    if (!object) {
      report ("stale-argument", "%s: an argument of the kernel is an object that was released", function);
      return CL_INVALID_KERNEL_ARGS;
    }
    if (const cl_int error = check_use (*object, Access::pixels, function); error != CL_SUCCESS)
      return error;
  }
  return CL_SUCCESS;
}

void
forget_arguments (cl_uint n, const cl_kernel *kernels)
{
  const std::lock_guard lock (ledger ().mutex);
  for (cl_uint i = 0; i < n; i++)
    ledger ().arguments.erase (kernels[i]);
}

/* Forgets old arguments, because a new kernel may have the handle of a released one. */
cl_kernel CL_API_CALL
create_kernel (cl_program program, const char *name, cl_int *errcode_ret)
{
  const cl_kernel kernel = next ().clCreateKernel (program, name, errcode_ret);
  if (kernel)
    forget_arguments (1, &kernel);
  return kernel;
}

cl_int CL_API_CALL
create_kernels_in_program (cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *n_ret)
{
  cl_uint found = 0;
  const cl_int error = next ().clCreateKernelsInProgram (program, n, kernels, &found);
  if (error == CL_SUCCESS && kernels)
    forget_arguments (found, kernels);
  if (n_ret)
    *n_ret = found;
  return error;
}

cl_kernel CL_API_CALL
clone_kernel (cl_kernel source, cl_int *errcode_ret)
{
  const cl_kernel kernel = next ().clCloneKernel (source, errcode_ret);
  const std::lock_guard lock (ledger ().mutex);
  if (kernel)
    ledger ().arguments[kernel] = ledger ().arguments[source];
  return kernel;
}

cl_int CL_API_CALL
set_kernel_arg (cl_kernel kernel, cl_uint index, std::size_t size, const void *value)
{
  const cl_int error = next ().clSetKernelArg (kernel, index, size, value);
  if (error != CL_SUCCESS)
    return error;
  std::shared_ptr<Object> object;
  if (cl_mem memory; size == sizeof memory && value) {
    std::memcpy (&memory, value, size); /* it may be two numbers, which lie anywhere */
    object = find_object (memory);
  }
  const std::lock_guard lock (ledger ().mutex);
  if (object)
    ledger ().arguments[kernel][index] = object;
  else
    ledger ().arguments[kernel].erase (index);
  return error;
}

constexpr auto launches = [] (auto original, const char *name, cl_command_queue queue, cl_kernel kernel, auto... rest) {
  const cl_int error = check_kernel (kernel, name);
  return error != CL_SUCCESS ? error : forward<Access::pixels> (original, name, queue, kernel, rest...);
};

constexpr auto migrates = [] (auto original, const char *name, cl_command_queue queue, cl_uint n, const cl_mem *objects,
                              auto... rest) {
  for (cl_uint i = 0; objects && i < n; i++) {
    if (const cl_int error = check_object (objects[i], Access::pixels, name); error != CL_SUCCESS)
      return error;
  }
  return forward<Access::pixels> (original, name, queue, n, objects, rest...);
};

Answer
event_info (cl_event handle, cl_event_info what)
{
  const cl_command_type type = find_type (handle);
  return type && what == CL_EVENT_COMMAND_TYPE ? bytes (type) : Answer ();
}

cl_int CL_API_CALL
release_event (cl_event handle)
{
  const std::shared_ptr<Event> last = drop_reference (ledger ().events, handle);
  const cl_int error = next ().clReleaseEvent (handle);
  if (last)
    next ().clReleaseEvent (handle);
  return error;
}

}  // namespace

cl_int
check_object (cl_mem handle, Access access, const char *function)
{
  const std::shared_ptr<Object> object = find_object (handle);
  return object ? check_use (*object, access, function) : CL_SUCCESS;
}

void
hook_commands (cl_icd_dispatch &dispatch)
{
  dispatch.clCreateKernel = create_kernel;
  dispatch.clCreateKernelsInProgram = create_kernels_in_program;
  dispatch.clCloneKernel = clone_kernel;
  dispatch.clSetKernelArg = set_kernel_arg;
  dispatch.clReleaseEvent = release_event;
  LAYER_HOOK (dispatch, target, launches, clEnqueueNDRangeKernel);
  LAYER_HOOK (dispatch, target, launches, clEnqueueTask);
  LAYER_HOOK (dispatch, target, migrates, clEnqueueMigrateMemObjects);
  LAYER_HOOK (dispatch, target, queries<event_info>, clGetEventInfo);
  LAYER_HOOK (dispatch, target, retains<&Ledger::events>, clRetainEvent);
#define LAYER_BYTES(function) LAYER_HOOK (dispatch, target, checked<Access::bytes>, function);
  EACH (LAYER_BYTES, clEnqueueCopyBuffer, clEnqueueCopyBufferRect, clEnqueueCopyImage, clEnqueueCopyImageToBuffer,
      clEnqueueCopyBufferToImage, clEnqueueFillBuffer)
#define LAYER_PIXELS(function) LAYER_HOOK (dispatch, target, checked<Access::pixels>, function);
  EACH (LAYER_PIXELS, clEnqueueFillImage, clEnqueueUnmapMemObject, clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList)
}

}  // namespace layer

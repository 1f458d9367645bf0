/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels, their arguments, events, and commands that transfer nothing between device and host. */
#include "command.hpp"
#include "dmabuf.hpp"
#include "report.hpp"

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
  if (size == sizeof (cl_mem) && value)
    object = find_object (*static_cast<const cl_mem *> (value));
  const std::lock_guard lock (ledger ().mutex);
  if (object)
    ledger ().arguments[kernel][index] = object;
  else
    ledger ().arguments[kernel].erase (index);
  return error;
}

cl_int CL_API_CALL
enqueue_nd_range_kernel (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t *offset,
    const std::size_t *global, const std::size_t *local, cl_uint n, const cl_event *events, cl_event *event)
{
  if (const cl_int error = check_kernel (kernel, "clEnqueueNDRangeKernel"); error != CL_SUCCESS)
    return error;
  return forward<Access::pixels> (next ().clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel", queue, kernel, dimensions, offset,
      global, local, n, events, event);
}

cl_int CL_API_CALL
enqueue_task (cl_command_queue queue, cl_kernel kernel, cl_uint n, const cl_event *events, cl_event *event)
{
  if (const cl_int error = check_kernel (kernel, "clEnqueueTask"); error != CL_SUCCESS)
    return error;
  return forward<Access::pixels> (next ().clEnqueueTask, "clEnqueueTask", queue, kernel, n, events, event);
}

cl_int CL_API_CALL
enqueue_migrate (cl_command_queue queue, cl_uint n_objects, const cl_mem *objects, cl_mem_migration_flags flags, cl_uint n,
    const cl_event *events, cl_event *event)
{
  for (cl_uint i = 0; objects && i < n_objects; i++) {
    if (const cl_int error = check_object (objects[i], Access::pixels, "clEnqueueMigrateMemObjects"); error != CL_SUCCESS)
      return error;
  }
  return forward<Access::pixels> (
      next ().clEnqueueMigrateMemObjects, "clEnqueueMigrateMemObjects", queue, n_objects, objects, flags, n, events, event);
}

cl_int CL_API_CALL
get_event_info (cl_event handle, cl_event_info name, std::size_t capacity, void *value, std::size_t *size_ret)
{
  const cl_command_type type = find_type (handle);
  if (type && name == CL_EVENT_COMMAND_TYPE)
    return give (&type, sizeof type, capacity, value, size_ret);
  return next ().clGetEventInfo (handle, name, capacity, value, size_ret);
}

cl_int CL_API_CALL
retain_event (cl_event handle)
{
  return add_reference (next ().clRetainEvent (handle), ledger ().events, handle);
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

template <auto entry, const char *name, typename Function> using Bytes = Checked<Access::bytes, entry, name, Function>;
template <auto entry, const char *name, typename Function> using Pixels = Checked<Access::pixels, entry, name, Function>;

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
  dispatch.clEnqueueNDRangeKernel = enqueue_nd_range_kernel;
  dispatch.clEnqueueTask = enqueue_task;
  dispatch.clEnqueueMigrateMemObjects = enqueue_migrate;
  dispatch.clGetEventInfo = get_event_info;
  dispatch.clRetainEvent = retain_event;
  dispatch.clReleaseEvent = release_event;
#define LAYER_BYTES(function) LAYER_HOOK (dispatch, Bytes, function);
  EACH (LAYER_BYTES, clEnqueueCopyBuffer, clEnqueueCopyBufferRect, clEnqueueCopyImage, clEnqueueCopyImageToBuffer,
      clEnqueueCopyBufferToImage, clEnqueueFillBuffer)
#define LAYER_PIXELS(function) LAYER_HOOK (dispatch, Pixels, function);
  EACH (LAYER_PIXELS, clEnqueueFillImage, clEnqueueUnmapMemObject, clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList)
}

}  // namespace layer

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers between OpenCL and the host. Their bytes are counted, so that a test can show that there were none. */
#include "command.hpp"
#include "report.hpp"

namespace layer {

namespace {

constexpr char read_bytes[] = "host-read-bytes", write_bytes[] = "host-write-bytes", map_bytes[] = "host-map-bytes";

std::size_t
volume (const std::size_t *region)
{
  return region ? region[0] * region[1] * region[2] : 0;
}

std::size_t
image_bytes (cl_mem image, const std::size_t *region)
{
  std::size_t element = 0;
  next ().clGetImageInfo (image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, nullptr);
  return volume (region) * element;
}

cl_int
count_if_good (cl_int error, const char *key, std::size_t bytes)
{
  if (error == CL_SUCCESS)
    count (key, bytes);
  return error;
}

cl_int CL_API_CALL
read_buffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset, std::size_t size, void *host,
    cl_uint n, const cl_event *events, cl_event *event)
{
  return count_if_good (forward<Access::bytes> (next ().clEnqueueReadBuffer, "clEnqueueReadBuffer", queue, buffer, blocking,
                            offset, size, host, n, events, event),
      read_bytes, size);
}

cl_int CL_API_CALL
write_buffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset, std::size_t size, const void *host,
    cl_uint n, const cl_event *events, cl_event *event)
{
  return count_if_good (forward<Access::bytes> (next ().clEnqueueWriteBuffer, "clEnqueueWriteBuffer", queue, buffer, blocking,
                            offset, size, host, n, events, event),
      write_bytes, size);
}

cl_int CL_API_CALL
read_buffer_rect (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const std::size_t *buffer_origin,
    const std::size_t *host_origin, const std::size_t *region, std::size_t buffer_row, std::size_t buffer_slice,
    std::size_t host_row, std::size_t host_slice, void *host, cl_uint n, const cl_event *events, cl_event *event)
{
  return count_if_good (
      forward<Access::bytes> (next ().clEnqueueReadBufferRect, "clEnqueueReadBufferRect", queue, buffer, blocking,
          buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice, host, n, events, event),
      read_bytes, volume (region));
}

cl_int CL_API_CALL
write_buffer_rect (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const std::size_t *buffer_origin,
    const std::size_t *host_origin, const std::size_t *region, std::size_t buffer_row, std::size_t buffer_slice,
    std::size_t host_row, std::size_t host_slice, const void *host, cl_uint n, const cl_event *events, cl_event *event)
{
  return count_if_good (
      forward<Access::bytes> (next ().clEnqueueWriteBufferRect, "clEnqueueWriteBufferRect", queue, buffer, blocking,
          buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice, host, n, events, event),
      write_bytes, volume (region));
}

cl_int CL_API_CALL
read_image (cl_command_queue queue, cl_mem image, cl_bool blocking, const std::size_t *origin, const std::size_t *region,
    std::size_t row, std::size_t slice, void *host, cl_uint n, const cl_event *events, cl_event *event)
{
  return count_if_good (forward<Access::bytes> (next ().clEnqueueReadImage, "clEnqueueReadImage", queue, image, blocking,
                            origin, region, row, slice, host, n, events, event),
      read_bytes, image_bytes (image, region));
}

cl_int CL_API_CALL
write_image (cl_command_queue queue, cl_mem image, cl_bool blocking, const std::size_t *origin, const std::size_t *region,
    std::size_t row, std::size_t slice, const void *host, cl_uint n, const cl_event *events, cl_event *event)
{
  return count_if_good (forward<Access::bytes> (next ().clEnqueueWriteImage, "clEnqueueWriteImage", queue, image, blocking,
                            origin, region, row, slice, host, n, events, event),
      write_bytes, image_bytes (image, region));
}

cl_int
check_map (cl_mem object, cl_uint n, const cl_event *events, const char *function, cl_int *errcode_ret)
{
  cl_int error = check_wait_list (n, events, false, function);
  if (error == CL_SUCCESS)
    error = check_object (object, Access::bytes, function);
  if (error != CL_SUCCESS && errcode_ret)
    *errcode_ret = error;
  return error;
}

void *CL_API_CALL
map_buffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, std::size_t offset, std::size_t size,
    cl_uint n, const cl_event *events, cl_event *event, cl_int *errcode_ret)
{
  if (check_map (buffer, n, events, "clEnqueueMapBuffer", errcode_ret) != CL_SUCCESS)
    return nullptr;
  count (map_bytes, size);
  return next ().clEnqueueMapBuffer (queue, buffer, blocking, flags, offset, size, n, events, event, errcode_ret);
}

void *CL_API_CALL
map_image (cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags, const std::size_t *origin,
    const std::size_t *region, std::size_t *row, std::size_t *slice, cl_uint n, const cl_event *events, cl_event *event,
    cl_int *errcode_ret)
{
  if (check_map (image, n, events, "clEnqueueMapImage", errcode_ret) != CL_SUCCESS)
    return nullptr;
  count (map_bytes, image_bytes (image, region));
  return next ().clEnqueueMapImage (queue, image, blocking, flags, origin, region, row, slice, n, events, event, errcode_ret);
}

}  // namespace

void
hook_host_copies (cl_icd_dispatch &dispatch)
{
  dispatch.clEnqueueReadBuffer = read_buffer;
  dispatch.clEnqueueWriteBuffer = write_buffer;
  dispatch.clEnqueueReadBufferRect = read_buffer_rect;
  dispatch.clEnqueueWriteBufferRect = write_buffer_rect;
  dispatch.clEnqueueReadImage = read_image;
  dispatch.clEnqueueWriteImage = write_image;
  dispatch.clEnqueueMapBuffer = map_buffer;
  dispatch.clEnqueueMapImage = map_image;
  for (const char *key : {read_bytes, write_bytes, map_bytes})
    count (key, 0);
}

}  // namespace layer

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers between OpenCL and the host. Their bytes are counted, so that a test can show that there were none. */
#include "command.hpp"
#include "report.hpp"

namespace layer {

namespace {

constexpr char read_bytes[] = "host-read-bytes", write_bytes[] = "host-write-bytes", map_bytes[] = "host-map-bytes";

std::size_t
image_bytes (cl_mem image, const std::size_t *region)
{
  std::size_t element = 0;
  next ().clGetImageInfo (image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, nullptr);
  return bytes_of (region) * element;
}

/* Whether a function transfers an image, by its arguments. */
constexpr std::size_t n_image_arguments = 11;

/* A checked transfer, whose bytes count under the key. */
template <const char *key, auto entry, const char *name, typename Function> struct Counted;
template <const char *key, auto entry, const char *name, typename... Arguments>
struct Counted<key, entry, name, cl_int (CL_API_CALL *) (Arguments...)> {
  static cl_int CL_API_CALL call (Arguments... arguments)
  {
    const std::tuple all (arguments...);
    const cl_int error = forward<Access::bytes> (next ().*entry, name, arguments...);
    if (error != CL_SUCCESS)
      return error;
    if constexpr (sizeof...(Arguments) == n_image_arguments)
      count (key, image_bytes (std::get<1> (all), std::get<4> (all)));
    else
      count (key, transfer_size (all));
    return error;
  }
};

template <auto entry, const char *name, typename Function> using Reads = Counted<read_bytes, entry, name, Function>;
template <auto entry, const char *name, typename Function> using Writes = Counted<write_bytes, entry, name, Function>;

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
#define LAYER_READ(function) LAYER_HOOK (dispatch, Reads, function);
#define LAYER_WRITE(function) LAYER_HOOK (dispatch, Writes, function);
  EACH (LAYER_READ, clEnqueueReadBuffer, clEnqueueReadBufferRect, clEnqueueReadImage)
  EACH (LAYER_WRITE, clEnqueueWriteBuffer, clEnqueueWriteBufferRect, clEnqueueWriteImage)
  dispatch.clEnqueueMapBuffer = map_buffer;
  dispatch.clEnqueueMapImage = map_image;
  for (const char *key : {read_bytes, write_bytes, map_bytes})
    count (key, 0);
}

}  // namespace layer

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
template <const char *key>
constexpr auto counted = [] (auto original, const char *name, auto... arguments) {
  const std::tuple all (arguments...);
  const cl_int error = forward<Access::bytes> (original, name, arguments...);
  if (error != CL_SUCCESS)
    return error;
  if constexpr (sizeof...(arguments) == n_image_arguments)
    count (key, image_bytes (std::get<1> (all), std::get<4> (all)));
  else
    count (key, transfer_size (all));
  return error;
};

/* A map's wait list, event and error come last; its sixth argument is a buffer's size or an image's region. */
constexpr auto maps = [] (auto original, const char *name, auto... arguments) -> void * {
  constexpr std::size_t n = sizeof...(arguments);
  const std::tuple all (arguments...);
  const cl_mem object = std::get<1> (all);
  cl_int error = check_wait_list (std::get<n - 4> (all), std::get<n - 3> (all), false, name);
  if (error == CL_SUCCESS)
    error = check_object (object, Access::bytes, name);
  if (error != CL_SUCCESS) {
    set_error (std::get<n - 1> (all), error);
    return nullptr;
  }
  if constexpr (std::is_same_v<std::tuple_element_t<5, decltype (all)>, const std::size_t>)
    count (map_bytes, std::get<5> (all));
  else
    count (map_bytes, image_bytes (object, std::get<5> (all)));
  return original (arguments...);
};

}  // namespace

void
hook_host_copies (cl_icd_dispatch &dispatch)
{
#define LAYER_READ(function) LAYER_HOOK (dispatch, target, counted<read_bytes>, function);
#define LAYER_WRITE(function) LAYER_HOOK (dispatch, target, counted<write_bytes>, function);
  EACH (LAYER_READ, clEnqueueReadBuffer, clEnqueueReadBufferRect, clEnqueueReadImage)
  EACH (LAYER_WRITE, clEnqueueWriteBuffer, clEnqueueWriteBufferRect, clEnqueueWriteImage)
  LAYER_HOOK (dispatch, target, maps, clEnqueueMapBuffer);
  LAYER_HOOK (dispatch, target, maps, clEnqueueMapImage);
  for (const char *key : {read_bytes, write_bytes, map_bytes})
    count (key, 0);
}

}  // namespace layer

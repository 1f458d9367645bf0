/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of a correct application: test-layer CASE. */
#include "fixture.hpp"

#include <cstdio>
#include <cstring>

namespace {

constexpr int width = 64, height = 48;
constexpr Bytes::size_type rgba_size = width * height * 4;

bool
lists (const std::string &extensions, const std::string &name)
{
  return (" " + extensions + " ").find (" " + name + " ") != std::string::npos;
}

void
check_listing (bool sharing, bool event)
{
  const cl::Device device = find_device ();
  const cl::Platform platform (platform_of (device));
  for (const std::string &extensions : {device.getInfo<CL_DEVICE_EXTENSIONS> (), platform.getInfo<CL_PLATFORM_EXTENSIONS> ()}) {
    CHECK_EQUAL (lists (extensions, "cl_khr_gl_sharing"), sharing);
    CHECK_EQUAL (lists (extensions, "cl_khr_gl_event"), event);
  }
  std::size_t size = 0;
  clGetDeviceInfo (device (), CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, nullptr, &size);
  std::vector<cl_name_version> versions (size / sizeof (cl_name_version));
  clGetDeviceInfo (device (), CL_DEVICE_EXTENSIONS_WITH_VERSION, size, versions.data (), nullptr);
  bool listed = false;
  for (const cl_name_version &version : versions)
    listed |= std::string (version.name) == "cl_khr_gl_sharing";
  CHECK_EQUAL (listed, sharing);
}

cl_int
context_info (const std::vector<cl_context_properties> &properties, cl_device_id *device, std::size_t *size)
{
  *device = nullptr;
  *size = 99;
  const cl_platform_id platform = platform_of (find_device ());
  const auto function =
      reinterpret_cast<clGetGLContextInfoKHR_fn> (clGetExtensionFunctionAddressForPlatform (platform, "clGetGLContextInfoKHR"));
  CHECK (function);
  return function (properties.data (), CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof *device, device, size);
}

void
check_device_named (const GlContext &gl)
{
  const cl::Device device = find_device ();
  cl_device_id named;
  std::size_t size;
  CHECK_EQUAL (context_info (sharing_properties (device, gl), &named, &size), CL_SUCCESS);
  CHECK_EQUAL (size, sizeof named);
  CHECK (named == device ());
}

CASE ("listing")
{
  const GlContext gl;
  check_listing (true, true);
  check_device_named (gl);
}

cl_int
try_context (std::vector<cl_context_properties> properties, const std::vector<cl_device_id> &devices)
{
  cl_int error = 1;
  const cl_context context = clCreateContext (properties.data (), devices.size (), devices.data (), nullptr, nullptr, &error);
  CHECK_EQUAL (context != nullptr, error == CL_SUCCESS);
  if (context)
    clReleaseContext (context);
  return error;
}

std::vector<cl_context_properties>
with (std::vector<cl_context_properties> properties, cl_context_properties name, cl_context_properties value)
{
  properties.insert (properties.begin (), {name, value});
  return properties;
}

CASE ("contexts")
{
  const GlContext gl;
  const cl::Device device = find_device ();
  const auto good = sharing_properties (device, gl);
  CHECK_EQUAL (try_context (good, {device ()}), CL_SUCCESS);
  CHECK_EQUAL (try_context (good, {device (), device ()}), CL_INVALID_OPERATION);
  CHECK_EQUAL (try_context (with (good, CL_GLX_DISPLAY_KHR, 1), {device ()}), CL_INVALID_OPERATION);
  CHECK_EQUAL (try_context (with (good, CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE), {device ()}), CL_INVALID_PROPERTY);
  CHECK_EQUAL (try_context (with (good, CL_GL_CONTEXT_KHR, good[3]), {device ()}), CL_INVALID_PROPERTY);
  auto bad = good;
  bad[3] = 0xdead;
  CHECK_EQUAL (try_context (bad, {device ()}), CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
  cl_device_id named;
  std::size_t size;
  CHECK_EQUAL (context_info (bad, &named, &size), CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
  bad[3] = 0;
  CHECK_EQUAL (try_context (bad, {device ()}), CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);

  cl_int error = 1;
  const cl_context context = clCreateContextFromType (good.data (), CL_DEVICE_TYPE_CPU, nullptr, nullptr, &error);
  CHECK_EQUAL (error, CL_SUCCESS);
  std::vector<cl_context_properties> properties (good.size ());
  clGetContextInfo (context, CL_CONTEXT_PROPERTIES, properties.size () * sizeof properties[0], properties.data (), &size);
  CHECK_EQUAL (size, good.size () * sizeof good[0]);
  CHECK (properties == good);
  clReleaseContext (context);
  CHECK_EQUAL (counter ("violations"), 0);
}

void
test_formats ()
{
  const GlSharing sharing;
  for (const TextureFormat &format : texture_formats) {
    std::printf ("%s\n", format.name);
    for (const auto &[w, h] : std::initializer_list<std::pair<int, int>>{{width, height}, {1, 1}, {7, 5}, {640, 3}})
      check_round_trip (sharing, format, w, h);
  }
  CHECK_EQUAL (counter ("violations"), 0);
  CHECK_EQUAL (counter ("textures-created"), counter ("textures-released"));
  CHECK_EQUAL (counter ("host-read-bytes") + counter ("host-write-bytes") + counter ("host-map-bytes"), 0);
}

CASE ("questions")
{
  const GlSharing sharing;
  for (const TextureFormat &format : texture_formats) {
    const GLuint texture = make_texture (format, width, height, noise (width * height * format.texel_bytes));
    const cl::Image2D image (sharing.create (texture, CL_MEM_READ_WRITE));
    const cl_image_format shown = image.getImageInfo<CL_IMAGE_FORMAT> ();
    CHECK_EQUAL (shown.image_channel_order, format.image.image_channel_order);
    CHECK_EQUAL (shown.image_channel_data_type, format.image.image_channel_data_type);
    CHECK_EQUAL (image.getImageInfo<CL_IMAGE_ELEMENT_SIZE> (), format.texel_bytes);
    CHECK_EQUAL (image.getImageInfo<CL_IMAGE_WIDTH> (), width);
    CHECK_EQUAL (image.getImageInfo<CL_IMAGE_HEIGHT> (), height);
    CHECK_EQUAL (image.getInfo<CL_MEM_FLAGS> (), CL_MEM_READ_WRITE);
    CHECK (!image.getInfo<CL_MEM_HOST_PTR> ());
    cl_gl_object_type type = 0;
    cl_GLuint name = 0;
    CHECK_EQUAL (clGetGLObjectInfo (image (), &type, &name), CL_SUCCESS);
    CHECK_EQUAL (type, CL_GL_OBJECT_TEXTURE2D);
    CHECK_EQUAL (name, texture);
    cl_GLenum target = 0;
    CHECK_EQUAL (clGetGLTextureInfo (image (), CL_GL_TEXTURE_TARGET, sizeof target, &target, nullptr), CL_SUCCESS);
    CHECK_EQUAL (target, GL_TEXTURE_2D);
  }
}

cl_int
try_texture (const Sharing &sharing, cl_mem_flags flags, cl_GLenum target, cl_GLint level, GLuint texture)
{
  cl_int error = 1;
  CHECK (!clCreateFromGLTexture (sharing.context (), flags, target, level, texture, &error));
  return error;
}

CASE ("refusals")
{
  const GlSharing sharing;
  const GLuint good = make_texture (rgba8, width, height, noise (rgba_size));
  CHECK_EQUAL (try_texture (sharing, CL_MEM_USE_HOST_PTR, GL_TEXTURE_2D, 0, good), CL_INVALID_VALUE);
  CHECK_EQUAL (try_texture (sharing, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, GL_TEXTURE_2D, 0, good), CL_INVALID_VALUE);
  CHECK_EQUAL (try_texture (sharing, CL_MEM_READ_ONLY, GL_RGBA8, 0, good), CL_INVALID_VALUE);
  CHECK_EQUAL (try_texture (sharing, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 1, good), CL_INVALID_MIP_LEVEL);
  CHECK_EQUAL (try_texture (sharing, CL_MEM_READ_ONLY, GL_TEXTURE_RECTANGLE, 0, good), CL_INVALID_GL_OBJECT);
  CHECK_EQUAL (try_texture (sharing, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, good + 99), CL_INVALID_GL_OBJECT);
  const TextureFormat half = {"R16F", GL_R16F, GL_RED, GL_HALF_FLOAT, 2, {}};
  const TextureFormat rgb = {"RGB8", GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 3, {}};
  for (const TextureFormat &format : {half, rgb}) {
    const GLuint texture = make_texture (format, width, height, noise (width * height * format.texel_bytes));
    CHECK_EQUAL (try_texture (sharing, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, texture), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  }
  const GLuint incomplete = make_texture (rgba8, width, height, noise (rgba_size));
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_LINEAR);
  CHECK_EQUAL (try_texture (sharing, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, incomplete), CL_INVALID_GL_OBJECT);

  const cl::Context plain (sharing.device);
  cl_int error = 1;
  CHECK (!clCreateFromGLTexture (plain (), CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, good, &error));
  CHECK_EQUAL (error, CL_INVALID_CONTEXT);
  const cl::Buffer buffer (sharing.context, CL_MEM_READ_WRITE, 64);
  CHECK_EQUAL (sharing.acquire ({buffer ()}), CL_INVALID_GL_OBJECT);
  CHECK_EQUAL (sharing.acquire ({}), CL_SUCCESS);
  CHECK_EQUAL (counter ("violations"), 0);
}

/* Pixels that a kernel does not write do not change. */
CASE ("partial-writes")
{
  const GlSharing sharing;
  const Bytes content = noise (rgba_size);
  const GLuint texture = make_texture (rgba8, width, height, content);
  const cl::Image2D image (sharing.create (texture, CL_MEM_WRITE_ONLY));
  const cl_kernel clear = sharing.kernel ("clear");
  clSetKernelArg (clear, 0, sizeof (cl_mem), &image ());
  CHECK_EQUAL (sharing.acquire ({image ()}), CL_SUCCESS);
  CHECK_EQUAL (sharing.run (clear, width, 3), CL_SUCCESS);
  CHECK_EQUAL (sharing.release ({image ()}), CL_SUCCESS);
  clFinish (sharing.queue ());
  Bytes expected = content;
  std::memset (expected.data (), 0, width * 3 * 4);
  CHECK (read_texture (texture, rgba8, width, height) == expected);
  clReleaseKernel (clear);
}

/* In such a queue only events order commands. */
CASE ("out-of-order")
{
  const GlSharing sharing (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const Bytes content = noise (rgba_size);
  const GLuint in = make_texture (rgba8, width, height, content), out = make_texture (rgba8, width, height, content);
  const cl::Image2D input (sharing.create (in, CL_MEM_READ_ONLY)), output (sharing.create (out, CL_MEM_READ_WRITE));
  const cl_kernel invert = sharing.kernel ("invert");
  clSetKernelArg (invert, 0, sizeof (cl_mem), &input ());
  clSetKernelArg (invert, 1, sizeof (cl_mem), &output ());
  cl_event acquired, computed, released;
  const std::size_t size[] = {width, height};
  CHECK_EQUAL (sharing.acquire ({input (), output ()}, {}, &acquired), CL_SUCCESS);
  CHECK_EQUAL (
      clEnqueueNDRangeKernel (sharing.queue (), invert, 2, nullptr, size, nullptr, 1, &acquired, &computed), CL_SUCCESS);
  CHECK_EQUAL (sharing.release ({input (), output ()}, {computed}, &released), CL_SUCCESS);
  CHECK_EQUAL (clWaitForEvents (1, &released), CL_SUCCESS);
  CHECK (read_texture (out, rgba8, width, height) == inverted (content));
  for (const cl_event event : {acquired, computed, released})
    clReleaseEvent (event);
  clReleaseKernel (invert);
}

/* A long drawing is complete when OpenCL reads, because of an event or of the current context. */
CASE ("gl-events")
{
  const GlSharing sharing;
  constexpr int side = 256;
  const Bytes black (side * side * 4, 0), white (side * side * 4, 255);
  const GLuint in = make_texture (rgba8, side, side, white), out = make_texture (rgba8, side, side, white);
  const cl::Image2D input (sharing.create (in, CL_MEM_READ_ONLY)), output (sharing.create (out, CL_MEM_WRITE_ONLY));
  for (const bool explicitly : {false, true}) {
    fill_texture (in, rgba8, side, side, black);
    draw_long (in, side, side);
    std::vector<cl_event> events;
    if (explicitly) {
      const GLsync sync = glFenceSync (GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
      glFlush ();
      events.push_back (sharing.create_event (sync));
      glDeleteSync (sync);
      cl_command_type type = 0;
      clGetEventInfo (events[0], CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
      CHECK_EQUAL (type, CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR);
      sharing.gl.make_current (false);
    }
    CHECK_EQUAL (sharing.acquire ({input (), output ()}, events), CL_SUCCESS);
    CHECK_EQUAL (sharing.invert (input (), output (), side, side), CL_SUCCESS);
    CHECK_EQUAL (sharing.release ({input (), output ()}), CL_SUCCESS);
    CHECK_EQUAL (clFinish (sharing.queue ()), CL_SUCCESS);
    for (const cl_event event : events)
      clReleaseEvent (event);
    sharing.gl.make_current (true);
    CHECK (read_texture (out, rgba8, side, side) == black);
  }
  CHECK_EQUAL (counter ("violations"), 0);
}

CASE ("counters")
{
  const GlSharing sharing;
  const cl::Buffer buffer (sharing.context, CL_MEM_READ_WRITE, 64);
  const GLuint texture = make_texture (rgba8, width, height, noise (rgba_size));
  const cl::Image2D image (sharing.create (texture, CL_MEM_READ_WRITE));
  char host[64] = {};
  clEnqueueWriteBuffer (sharing.queue (), buffer (), CL_TRUE, 0, 64, host, 0, nullptr, nullptr);
  clEnqueueReadBuffer (sharing.queue (), buffer (), CL_TRUE, 0, 60, host, 0, nullptr, nullptr);
  void *map = clEnqueueMapBuffer (sharing.queue (), buffer (), CL_TRUE, CL_MAP_READ, 0, 32, 0, nullptr, nullptr, nullptr);
  clEnqueueUnmapMemObject (sharing.queue (), buffer (), map, 0, nullptr, nullptr);
  CHECK_EQUAL (sharing.acquire ({image ()}), CL_SUCCESS);
  const std::size_t origin[3] = {}, region[] = {2, 3, 1};
  CHECK_EQUAL (
      clEnqueueReadImage (sharing.queue (), image (), CL_TRUE, origin, region, 0, 0, host, 0, nullptr, nullptr), CL_SUCCESS);
  CHECK_EQUAL (sharing.release ({image ()}), CL_SUCCESS);
  clFinish (sharing.queue ());
  CHECK_EQUAL (counter ("host-write-bytes"), 64);
  CHECK_EQUAL (counter ("host-read-bytes"), 60 + 2 * 3 * 4);
  CHECK_EQUAL (counter ("host-map-bytes"), 32);
  CHECK_EQUAL (counter ("acquires"), 1);
  CHECK_EQUAL (counter ("releases"), 1);
}

/* Imitated drivers; the environment selects a suitable one. */

CASE ("nogl_event")
{
  const GlSharing sharing;
  check_listing (true, false);
  check_round_trip (sharing, rgba8, width, height);
  const GLsync sync = glFenceSync (GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  CHECK (!sharing.create_event (sync, CL_INVALID_CONTEXT));
}

CASE ("glx_only")
{
  const GlContext gl;
  const cl::Device device = find_device ();
  CHECK_EQUAL (try_context (sharing_properties (device, gl), {device ()}), CL_INVALID_OPERATION);
}

CASE ("accept_but_fail")
{
  const GlSharing sharing;
  const GLuint texture = make_texture (rgba8, width, height, noise (rgba_size));
  sharing.create (texture, CL_MEM_READ_ONLY, CL_INVALID_OPERATION);
}

CASE ("unlisted")
{
  const GlContext gl;
  check_listing (false, true);
  check_device_named (gl);
  check_round_trip (Sharing (gl), rgba8, width, height);
}

CASE ("no_r8")
{
  const GlSharing sharing;
  check_round_trip (sharing, rgba8, width, height);
  const GLuint texture = make_texture (texture_formats[1], width, height, noise (width * height));
  sharing.create (texture, CL_MEM_READ_ONLY, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}

CASE ("bgra")
{
  const GlSharing sharing;
  check_round_trip (sharing, rgba8, width, height);
  const Bytes content = noise (rgba_size);
  const cl::Image2D image (sharing.create (make_texture (rgba8, width, height, content), CL_MEM_READ_ONLY));
  CHECK_EQUAL (image.getImageInfo<CL_IMAGE_FORMAT> ().image_channel_order, CL_BGRA);
  Bytes raw (4);
  const std::size_t origin[3] = {}, region[] = {1, 1, 1};
  CHECK_EQUAL (sharing.acquire ({image ()}), CL_SUCCESS);
  clEnqueueReadImage (sharing.queue (), image (), CL_TRUE, origin, region, 0, 0, raw.data (), 0, nullptr, nullptr);
  CHECK_EQUAL (sharing.release ({image ()}), CL_SUCCESS);
  clFinish (sharing.queue ());
  CHECK (raw == (Bytes{content[2], content[1], content[0], content[3]}));
}

CASE ("fail_at")
{
  const GlSharing sharing;
  const cl::Image2D image (sharing.create (make_texture (rgba8, width, height, noise (rgba_size)), CL_MEM_READ_ONLY));
  for (const cl_int expected : {CL_SUCCESS, CL_OUT_OF_RESOURCES, CL_SUCCESS}) {
    CHECK_EQUAL (sharing.acquire ({image ()}), expected);
    if (expected == CL_SUCCESS)
      CHECK_EQUAL (sharing.release ({image ()}), CL_SUCCESS);
  }
  clFinish (sharing.queue ());
  CHECK_EQUAL (counter ("violations"), 0);
}

/* Without sharing, nothing mentions it. */
CASE ("no_sharing")
{
  const GlContext gl;
  const cl::Device device = find_device ();
  check_listing (false, false);
  CHECK_EQUAL (try_context (sharing_properties (device, gl), {device ()}), CL_INVALID_OPERATION);
}

CASE ("corrupt")
{
  const GlSharing sharing;
  const Bytes content = noise (rgba_size);
  const GLuint in = make_texture (rgba8, width, height, content), out = make_texture (rgba8, width, height, content);
  const cl::Image2D input (sharing.create (in, CL_MEM_READ_ONLY)), output (sharing.create (out, CL_MEM_WRITE_ONLY));
  sharing.acquire ({input (), output ()});
  sharing.invert (input (), output (), width, height);
  sharing.release ({input (), output ()});
  clFinish (sharing.queue ());
  CHECK (read_texture (out, rgba8, width, height) != inverted (content));
}

const Case formats ("formats", test_formats);
const Case slow ("slow", test_formats);

}  // namespace

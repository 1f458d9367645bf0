/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fixture.hpp"

#include <EGL/eglext.h>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

namespace {

constexpr int skipped = 77;

const char *const kernels = R"(
constant sampler_t exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void
invert (read_only image2d_t in, write_only image2d_t out)
{
  int2 at = (int2) (get_global_id (0), get_global_id (1));
  write_imagef (out, at, 1.0f - read_imagef (in, exact, at));
}

kernel void
clear (write_only image2d_t out)
{
  write_imagef (out, (int2) (get_global_id (0), get_global_id (1)), (float4) (0.0f));
}
)";

const char *const vertex_shader = R"(#version 330 core
void
main ()
{
  gl_Position = vec4 (gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1);
}
)";

const char *const slow_fragment_shader = R"(#version 330 core
out vec4 colour;
void
main ()
{
  float x = gl_FragCoord.x;
  for (int i = 0; i < 3000; i++)
    x = fract (x * 1.37 + 0.1);
  colour = vec4 (x > 2.0 ? 0.0 : 1.0);
}
)";

EGLDisplay
open_display ()
{
  const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC> (eglGetProcAddress ("eglQueryDevicesEXT"));
  EGLDeviceEXT devices[16];
  EGLint n = 0;
  if (!query || !query (16, devices, &n))
    skip ("EGL cannot list devices");
  for (EGLint i = 0; i < n; i++) {
    const EGLDisplay display = eglGetPlatformDisplay (EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
    if (display != EGL_NO_DISPLAY && eglInitialize (display, nullptr, nullptr))
      return display;
  }
  skip ("no EGL device");
}

GLuint
compile (GLenum type, const char *source)
{
  const GLuint shader = glCreateShader (type);
  glShaderSource (shader, 1, &source, nullptr);
  glCompileShader (shader);
  return shader;
}

}  // namespace

void
fail (const char *file, int line, const std::string &text)
{
  std::fprintf (stderr, "%s:%d: %s\n", file, line, text.c_str ());
  std::_Exit (1);
}

void
skip (const char *why)
{
  std::fprintf (stderr, "skipped: %s\n", why);
  std::_Exit (skipped);
}

void
pack_tightly ()
{
  glPixelStorei (GL_PACK_ALIGNMENT, 1);
  glPixelStorei (GL_UNPACK_ALIGNMENT, 1);
}

GlContext::GlContext () : display_ (open_display ())
{
  eglBindAPI (EGL_OPENGL_API);
  const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint n = 0;
  eglChooseConfig (display_, wanted, &config, 1, &n);
  const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  context_ = n ? eglCreateContext (display_, config, EGL_NO_CONTEXT, attributes) : EGL_NO_CONTEXT;
  if (context_ == EGL_NO_CONTEXT)
    skip ("no GL 3.3 context");
  make_current (true);
  pack_tightly ();
}

GlContext::~GlContext ()
{
  destroy ();
}

void
GlContext::make_current (bool current) const
{
  CHECK (eglMakeCurrent (display_, EGL_NO_SURFACE, EGL_NO_SURFACE, current ? context_ : EGL_NO_CONTEXT));
}

void
GlContext::destroy ()
{
  if (context_ == EGL_NO_CONTEXT)
    return;
  make_current (false);
  eglDestroyContext (display_, context_);
  context_ = EGL_NO_CONTEXT;
}

const std::vector<TextureFormat> texture_formats = {
    {"RGBA8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, {CL_RGBA, CL_UNORM_INT8}},
    {"R8", GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, {CL_R, CL_UNORM_INT8}},
    {"RG8", GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, {CL_RG, CL_UNORM_INT8}},
    {"R16", GL_R16, GL_RED, GL_UNSIGNED_SHORT, 2, {CL_R, CL_UNORM_INT16}},
    {"RG16", GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 4, {CL_RG, CL_UNORM_INT16}},
    {"RGBA16", GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8, {CL_RGBA, CL_UNORM_INT16}},
};
const TextureFormat &rgba8 = texture_formats[0];

GLuint
make_texture (const TextureFormat &format, int width, int height, const Bytes &texels)
{
  GLuint texture = 0;
  glGenTextures (1, &texture);
  glBindTexture (GL_TEXTURE_2D, texture);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexImage2D (GL_TEXTURE_2D, 0, format.internal, width, height, 0, format.transfer, format.type, texels.data ());
  glFinish ();
  return texture;
}

void
fill_texture (GLuint texture, const TextureFormat &format, int width, int height, const Bytes &texels)
{
  glBindTexture (GL_TEXTURE_2D, texture);
  glTexSubImage2D (GL_TEXTURE_2D, 0, 0, 0, width, height, format.transfer, format.type, texels.data ());
  glFinish ();
}

Bytes
read_texture (GLuint texture, const TextureFormat &format, int width, int height)
{
  Bytes texels (width * height * format.texel_bytes);
  glBindTexture (GL_TEXTURE_2D, texture);
  glGetTexImage (GL_TEXTURE_2D, 0, format.transfer, format.type, texels.data ());
  return texels;
}

Bytes
noise (std::size_t size)
{
  std::minstd_rand random (static_cast<unsigned> (size));
  Bytes bytes (size);
  for (std::uint8_t &byte : bytes)
    byte = static_cast<std::uint8_t> (random () >> 8);
  return bytes;
}

Bytes
inverted (Bytes bytes)
{
  for (std::uint8_t &byte : bytes)
    byte = ~byte;
  return bytes;
}

void
draw_long (GLuint texture, int width, int height)
{
  static const GLuint program = [] {
    const GLuint made = glCreateProgram ();
    glAttachShader (made, compile (GL_VERTEX_SHADER, vertex_shader));
    glAttachShader (made, compile (GL_FRAGMENT_SHADER, slow_fragment_shader));
    glLinkProgram (made);
    GLuint array = 0, framebuffer = 0;
    glGenVertexArrays (1, &array);
    glBindVertexArray (array);
    glGenFramebuffers (1, &framebuffer);
    glBindFramebuffer (GL_FRAMEBUFFER, framebuffer);
    return made;
  }();
  glFramebufferTexture2D (GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  glUseProgram (program);
  glViewport (0, 0, width, height);
  glDrawArrays (GL_TRIANGLES, 0, 3);
}

cl::Device
find_device ()
{
  std::vector<cl::Platform> platforms;
  cl::Platform::get (&platforms);
  for (const cl::Platform &platform : platforms) {
    std::vector<cl::Device> devices;
    if (platform.getDevices (CL_DEVICE_TYPE_CPU, &devices) == CL_SUCCESS && !devices.empty ())
      return devices[0];
  }
  skip ("no OpenCL device of type CPU");
}

cl_platform_id
platform_of (const cl::Device &device)
{
  return cl::Platform (device.getInfo<CL_DEVICE_PLATFORM> ()) ();
}

std::vector<cl_context_properties>
sharing_properties (const cl::Device &device, const GlContext &gl)
{
  return {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties> (platform_of (device)), CL_GL_CONTEXT_KHR,
      reinterpret_cast<cl_context_properties> (gl.handle ()), CL_EGL_DISPLAY_KHR,
      reinterpret_cast<cl_context_properties> (gl.display ()), 0};
}

Sharing::Sharing (const GlContext &gl, cl_command_queue_properties properties)
    : Sharing (sharing_properties (find_device (), gl), properties)
{
}

Sharing::Sharing (const std::vector<cl_context_properties> &list, cl_command_queue_properties properties)
    : device (find_device ())
{
  cl_int error = CL_SUCCESS;
  context = cl::Context (device, list.empty () ? nullptr : list.data (), nullptr, nullptr, &error);
  CHECK_EQUAL (error, CL_SUCCESS);
  queue = cl::CommandQueue (context, device, properties, &error);
  CHECK_EQUAL (error, CL_SUCCESS);
  program_ = cl::Program (context, std::string (kernels));
  CHECK_EQUAL (program_.build (), CL_SUCCESS);
}

cl_mem
Sharing::create (GLuint texture, cl_mem_flags flags, cl_int expected) const
{
  cl_int error = 1;
  const cl_mem object = clCreateFromGLTexture (context (), flags, GL_TEXTURE_2D, 0, texture, &error);
  CHECK_EQUAL (error, expected);
  CHECK_EQUAL (object != nullptr, expected == CL_SUCCESS);
  return object;
}

cl_int
Sharing::acquire (std::vector<cl_mem> objects, std::vector<cl_event> events, cl_event *event) const
{
  return clEnqueueAcquireGLObjects (
      queue (), objects.size (), objects.data (), events.size (), events.empty () ? nullptr : events.data (), event);
}

cl_int
Sharing::release (std::vector<cl_mem> objects, std::vector<cl_event> events, cl_event *event) const
{
  return clEnqueueReleaseGLObjects (
      queue (), objects.size (), objects.data (), events.size (), events.empty () ? nullptr : events.data (), event);
}

/* Some loaders do not export this function. */
cl_event
Sharing::create_event (GLsync sync, cl_int expected) const
{
  using Create = cl_event (*) (cl_context, cl_GLsync, cl_int *);
  const auto create =
      reinterpret_cast<Create> (clGetExtensionFunctionAddressForPlatform (platform_of (device), "clCreateEventFromGLsyncKHR"));
  CHECK (create);
  cl_int error = 1;
  const cl_event event = create (context (), reinterpret_cast<cl_GLsync> (sync), &error);
  CHECK_EQUAL (error, expected);
  return event;
}

cl_kernel
Sharing::kernel (const char *name) const
{
  cl_int error = CL_SUCCESS;
  const cl_kernel kernel = clCreateKernel (program_ (), name, &error);
  CHECK_EQUAL (error, CL_SUCCESS);
  return kernel;
}

cl_int
Sharing::run (cl_kernel kernel, std::size_t width, std::size_t height, std::vector<cl_event> events) const
{
  const std::size_t size[] = {width, height};
  return clEnqueueNDRangeKernel (
      queue (), kernel, 2, nullptr, size, nullptr, events.size (), events.empty () ? nullptr : events.data (), nullptr);
}

cl_int
Sharing::invert (cl_mem in, cl_mem out, std::size_t width, std::size_t height) const
{
  const cl_kernel program = kernel ("invert");
  CHECK_EQUAL (clSetKernelArg (program, 0, sizeof in, &in), CL_SUCCESS);
  CHECK_EQUAL (clSetKernelArg (program, 1, sizeof out, &out), CL_SUCCESS);
  const cl_int error = run (program, width, height);
  clReleaseKernel (program);
  return error;
}

void
check_round_trip (const Sharing &sharing, const TextureFormat &format, int w, int h)
{
  const Bytes content = noise (w * h * format.texel_bytes);
  const GLuint in = make_texture (format, w, h, content), out = make_texture (format, w, h, content);
  const cl_mem input = sharing.create (in, CL_MEM_READ_ONLY), output = sharing.create (out, CL_MEM_WRITE_ONLY);
  for (int frame = 0; frame < 3; frame++) {
    fill_texture (out, format, w, h, Bytes (content.size (), 7));
    cl_event done = nullptr;
    CHECK_EQUAL (sharing.acquire ({input, output}), CL_SUCCESS);
    CHECK_EQUAL (sharing.invert (input, output, w, h), CL_SUCCESS);
    CHECK_EQUAL (sharing.release ({input, output}, {}, &done), CL_SUCCESS);
    CHECK_EQUAL (clWaitForEvents (1, &done), CL_SUCCESS);
    cl_command_type type = 0;
    clGetEventInfo (done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
    CHECK_EQUAL (type, CL_COMMAND_RELEASE_GL_OBJECTS);
    clReleaseEvent (done);
    CHECK (read_texture (out, format, w, h) == inverted (content));
    CHECK (read_texture (in, format, w, h) == content);
  }
  clReleaseMemObject (input);
  clReleaseMemObject (output);
  const GLuint textures[] = {in, out};
  glDeleteTextures (2, textures);
}

unsigned long long
counter (const std::string &key)
{
  using Read = unsigned long long (*) (const char *);
  static const Read read = [] {
    const char *path = std::getenv ("OPENCL_LAYERS");
    void *layer = path ? dlopen (path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    CHECK (layer);
    return reinterpret_cast<Read> (dlsym (layer, "clGlLayerCounter"));
  }();
  return read (key.c_str ());
}

static std::map<std::string, void (*) ()> &
cases ()
{
  static std::map<std::string, void (*) ()> all;
  return all;
}

Case::Case (const char *name, void (*run) ())
{
  cases ().emplace (name, run);
}

void
expect (const char *rule, unsigned long long times)
{
  CHECK_EQUAL (violations (rule), times);
  CHECK_EQUAL (counter ("violations"), times);
}

int
main (int argc, char **argv)
{
  const auto found = argc == 2 ? cases ().find (argv[1]) : cases ().end ();
  if (found == cases ().end ())
    fail (__FILE__, __LINE__, std::string ("usage: ") + argv[0] + " CASE");
  found->second ();
  return 0;
}

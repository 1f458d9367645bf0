/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sharing with a GLX context, on the test's own X server: test-layer-glx CASE. */
#include "fixture.hpp"
#include "glxcontext.hpp"

namespace {

constexpr int width = 64, height = 48;

std::vector<cl_context_properties>
properties_of (const GlxContext &gl)
{
  return {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties> (platform_of (find_device ())), CL_GL_CONTEXT_KHR,
      reinterpret_cast<cl_context_properties> (gl.handle ()), CL_GLX_DISPLAY_KHR,
      reinterpret_cast<cl_context_properties> (gl.display ()), 0};
}

void
check_round_trips (const GlxContext &gl)
{
  const Sharing sharing (properties_of (gl));
  for (const TextureFormat &format : texture_formats) {
    const Bytes content = noise (width * height * format.texel_bytes);
    const GLuint in = make_texture (format, width, height, content);
    const GLuint out = make_texture (format, width, height, content);
    const cl::Image2D input (sharing.create (in, CL_MEM_READ_ONLY)), output (sharing.create (out, CL_MEM_WRITE_ONLY));
    CHECK_EQUAL (sharing.acquire ({input (), output ()}), CL_SUCCESS);
    CHECK_EQUAL (sharing.invert (input (), output (), width, height), CL_SUCCESS);
    CHECK_EQUAL (sharing.release ({input (), output ()}), CL_SUCCESS);
    CHECK_EQUAL (clFinish (sharing.queue ()), CL_SUCCESS);
    CHECK (read_texture (out, format, width, height) == inverted (content));
  }
}

void
check_refusal (const GlxContext &gl)
{
  auto bad = properties_of (gl);
  bad[3] = 0xdead;
  cl_int error = 1;
  const cl_device_id device = find_device () ();
  CHECK (!clCreateContext (bad.data (), 1, &device, nullptr, nullptr, &error));
  CHECK_EQUAL (error, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
}

}  // namespace

int
main (int argc, char **argv)
{
  const std::string name = argc == 2 ? argv[1] : "";
  const XServer server;
  if (!server.is_running ())
    skip ("no X server");
  const GlxContext gl;
  if (!gl.is_current ())
    skip ("no GLX context");
  load_gl_functions ();
  if (name == "round-trips")
    check_round_trips (gl);
  else if (name == "refusals")
    check_refusal (gl);
  else
    fail (__FILE__, __LINE__, "usage: test-layer-glx CASE");
  CHECK_EQUAL (counter ("violations"), 0);
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sharing with a GLX context, on the test's own X server: test-layer-glx CASE. */
#include "fixture.hpp"
#include "glxcontext.hpp"

namespace {

struct Scene {
  XServer server;
  GlxContext gl;

  Scene ()
  {
    if (!server.is_running () || !gl.is_current ())
      skip (server.is_running () ? "no GLX context" : "no X server");
    pack_tightly ();
  }
  ~Scene () { CHECK_EQUAL (counter ("violations"), 0); }

  std::vector<cl_context_properties> properties () const
  {
    return {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties> (platform_of (find_device ())), CL_GL_CONTEXT_KHR,
        reinterpret_cast<cl_context_properties> (gl.handle ()), CL_GLX_DISPLAY_KHR,
        reinterpret_cast<cl_context_properties> (gl.display ()), 0};
  }
};

CASE ("round-trips")
{
  const Scene scene;
  const Sharing sharing (scene.properties ());
  for (const TextureFormat &format : texture_formats)
    check_round_trip (sharing, format, 64, 48);
}

CASE ("refusals")
{
  const Scene scene;
  auto bad = scene.properties ();
  bad[3] = 0xdead;
  cl_int error = 1;
  const cl_device_id device = find_device () ();
  CHECK (!clCreateContext (bad.data (), 1, &device, nullptr, nullptr, &error));
  CHECK_EQUAL (error, CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
}

}  // namespace

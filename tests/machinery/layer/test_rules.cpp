/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report of each broken rule and of no other: test-layer-rules RULE. Runs with CL_GL_LAYER_ABORT=0. */
#include "fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

namespace {

constexpr int side = 64;
constexpr std::size_t rgba_size = side * side * 4;

/* An input and an output, and kernels that use them. */
struct Scene {
  static constexpr cl_int wrong_release = CL_INVALID_GL_OBJECT;

  GlContext gl;
  Sharing sharing{gl};
  GLuint in = make_texture (rgba8, side, side, noise (rgba_size));
  GLuint out = make_texture (rgba8, side, side, noise (rgba_size));
  cl::Image2D input{sharing.create (in, CL_MEM_READ_ONLY)};
  cl::Image2D output{sharing.create (out, CL_MEM_WRITE_ONLY)};

  cl_int use () { return sharing.invert (input (), output (), side, side); }
  cl_int acquire () { return sharing.acquire ({input (), output ()}); }
  cl_int release () { return sharing.release ({input (), output ()}); }
  void finish () { clFinish (sharing.queue ()); }
};

const CommonRules<Scene> common;

CASE ("raw-not-acquired")
{
  Scene scene;
  const std::size_t origin[3] = {}, region[] = {1, 1, 1};
  char host[4];
  CHECK_EQUAL (
      clEnqueueReadImage (scene.sharing.queue (), scene.input (), CL_TRUE, origin, region, 0, 0, host, 0, nullptr, nullptr),
      CL_INVALID_OPERATION);
  cl_int error = 1;
  std::size_t pitch = 0;
  CHECK (!clEnqueueMapImage (scene.sharing.queue (), scene.input (), CL_TRUE, CL_MAP_READ, origin, region, &pitch, nullptr, 0,
      nullptr, nullptr, &error));
  CHECK_EQUAL (error, CL_INVALID_OPERATION);
  CHECK_EQUAL (
      clEnqueueCopyImage (scene.sharing.queue (), scene.input (), scene.output (), origin, origin, region, 0, nullptr, nullptr),
      CL_INVALID_OPERATION);
  expect ("not-acquired", 3);
}

/* Two readers may acquire a texture, a reader and a writer may not. */
CASE ("overlapping-acquire")
{
  Scene scene;
  const cl::Image2D second (scene.sharing.create (scene.in, CL_MEM_READ_ONLY));
  const cl::Image2D writer (scene.sharing.create (scene.in, CL_MEM_READ_WRITE));
  CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
  CHECK_EQUAL (scene.sharing.acquire ({second ()}), CL_SUCCESS);
  expect ("overlapping-acquire", 0);
  scene.sharing.acquire ({writer ()});
  CHECK_EQUAL (violations ("overlapping-acquire"), 1);
  scene.release ();
  scene.sharing.release ({second (), writer ()});
  scene.finish ();
}

/* In mode nogl_event. */
CASE ("gl-pending")
{
  Scene scene;
  draw_long (scene.in, side, side);
  glFinish ();
  CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
  CHECK_EQUAL (scene.release (), CL_SUCCESS);
  scene.finish ();
  expect ("gl-pending", 0);
  /* on a busy machine GL may be faster than this thread */
  for (int i = 0; i < 20 && violations ("gl-pending") == 0; i++) {
    draw_long (scene.in, side, side);
    scene.acquire ();
    scene.release ();
    scene.finish ();
  }
  CHECK_EQUAL (violations ("gl-pending"), 1);
}

/* Acquired without an event on a thread where the GL context is not current: GL's drawing comes too late. */
CASE ("gl-late")
{
  Scene scene;
  constexpr int large = 512;
  const Bytes black (large * large * 4, 0);
  const GLuint texture = make_texture (rgba8, large, large, black);
  const cl::Image2D image (scene.sharing.create (texture, CL_MEM_READ_ONLY));
  draw_long (texture, large, large);
  std::thread ([&] {
    CHECK_EQUAL (scene.sharing.acquire ({image ()}), CL_SUCCESS);
    scene.finish ();
  }).join ();
  glFinish ();
  CHECK_EQUAL (scene.sharing.release ({image ()}), CL_SUCCESS);
  scene.finish ();
  expect ("gl-write");
}

void
write_by_gl (GLuint Scene::*texture)
{
  Scene scene;
  CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
  scene.finish ();
  fill_texture (scene.*texture, rgba8, side, side, Bytes (rgba_size, 1));
  CHECK_EQUAL (scene.release (), CL_SUCCESS);
  scene.finish ();
  expect ("gl-write");
}

CASE ("texture-deleted")
{
  Scene scene;
  glDeleteTextures (1, &scene.in);
  scene.acquire ();
  scene.finish ();
  CHECK_EQUAL (violations ("texture-changed"), 1);
}

/* Also if another texture has the name by then. */
CASE ("deleted-texture")
{
  Scene scene;
  scene.input = {};
  glDeleteTextures (1, &scene.in);
  expect ("deleted-texture", 0);
  glDeleteTextures (1, &scene.out);
  cl::Image2D again = scene.output;
  scene.output = {};
  expect ("deleted-texture", 0);
  for (int i = 0; i < 3; i++)
    make_texture (rgba8, side, side, noise (rgba_size));
  clReleaseMemObject (scene.sharing.create (make_texture (rgba8, side, side, noise (rgba_size)), CL_MEM_READ_ONLY));
  expect ("deleted-texture", 0);
  again = {};
  expect ("deleted-texture");
}

CASE ("texture-respecified")
{
  Scene scene;
  const Bytes texels (rgba_size * 4);
  glBindTexture (GL_TEXTURE_2D, scene.in);
  glTexImage2D (GL_TEXTURE_2D, 0, GL_RGBA8, 2 * side, 2 * side, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data ());
  glFinish ();
  scene.acquire ();
  scene.finish ();
  CHECK_EQUAL (violations ("texture-changed"), 1);
}

/* PoCL lets a kernel write to every image that is declared writable. */
CASE ("read-only-written")
{
  Scene scene;
  CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
  const cl_kernel clear = scene.sharing.kernel ("clear");
  const cl_int error = clSetKernelArg (clear, 0, sizeof (cl_mem), &scene.input ());
  if (error == CL_SUCCESS)
    CHECK_EQUAL (scene.sharing.run (clear, side, side), CL_SUCCESS);
  scene.release ();
  scene.finish ();
  clReleaseKernel (clear);
  expect ("read-only-written", error == CL_SUCCESS);
}

CASE ("raw-access")
{
  Scene scene;
  const GLuint texture = make_texture (texture_formats[2], side, side, noise (side * side * 2));
  const cl::Image2D image (scene.sharing.create (texture, CL_MEM_READ_ONLY));
  CHECK_EQUAL (scene.sharing.acquire ({image ()}), CL_SUCCESS);
  const std::size_t origin[3] = {}, region[] = {1, 1, 1};
  char host[4];
  CHECK_EQUAL (clEnqueueReadImage (scene.sharing.queue (), image (), CL_TRUE, origin, region, 0, 0, host, 0, nullptr, nullptr),
      CL_INVALID_OPERATION);
  CHECK_EQUAL (scene.sharing.release ({image ()}), CL_SUCCESS);
  scene.finish ();
  expect ("raw-access");
}

CASE ("event-misuse")
{
  Scene scene;
  const GLsync sync = glFenceSync (GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  glFlush ();
  cl_event event = scene.sharing.create_event (sync);
  CHECK_EQUAL (scene.sharing.acquire ({scene.input (), scene.output ()}, {event}), CL_SUCCESS);
  expect ("event-misuse", 0);
  CHECK_EQUAL (scene.sharing.run (scene.sharing.kernel ("clear"), 1, 1, {event}), CL_INVALID_EVENT);
  CHECK_EQUAL (clEnqueueMarkerWithWaitList (scene.sharing.queue (), 1, &event, nullptr), CL_INVALID_EVENT);
  CHECK_EQUAL (scene.sharing.release ({scene.input (), scene.output ()}, {event}), CL_INVALID_EVENT);
  CHECK_EQUAL (scene.release (), CL_SUCCESS);
  scene.finish ();
  clReleaseEvent (event);
  expect ("event-misuse", 3);
}

CASE ("released-acquired")
{
  Scene scene;
  CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
  scene.finish ();
  scene.input = {};
  expect ("released-acquired");
  scene.sharing.release ({scene.output ()});
  scene.finish ();
}

CASE ("stale-argument")
{
  Scene scene;
  const cl_kernel clear = scene.sharing.kernel ("clear");
  clSetKernelArg (clear, 0, sizeof (cl_mem), &scene.output ());
  scene.output = {};
  CHECK_EQUAL (scene.sharing.run (clear, side, side), CL_INVALID_KERNEL_ARGS);
  expect ("stale-argument");
}

CASE ("leaked-object")
{
  const GlContext gl;
  cl_mem leaked = nullptr;
  {
    const Sharing sharing (gl);
    leaked = sharing.create (make_texture (rgba8, side, side, noise (rgba_size)), CL_MEM_READ_ONLY);
  }
  expect ("leaked-object");
  clReleaseMemObject (leaked);
}

CASE ("context-order")
{
  GlContext gl;
  {
    const Sharing sharing (gl);
    gl.destroy ();
  }
  expect ("context-order");
}

/* In mode no_sharing. */
CASE ("unlisted-call")
{
  const GlContext gl;
  const cl::Device device = find_device ();
  const auto ask = reinterpret_cast<clGetGLContextInfoKHR_fn> (
      clGetExtensionFunctionAddressForPlatform (platform_of (device), "clGetGLContextInfoKHR"));
  cl_device_id named;
  ask (sharing_properties (device, gl).data (), CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof named, &named, nullptr);
  expect ("unlisted-call");
}

/* A reader that does not wait for OpenCL sees magenta. In a mode with a long delay. */
CASE ("release-unfinished")
{
  Scene scene;
  CHECK_EQUAL (scene.acquire (), CL_SUCCESS);
  CHECK_EQUAL (scene.use (), CL_SUCCESS);
  scene.finish ();
  CHECK_EQUAL (scene.release (), CL_SUCCESS);
  clFlush (scene.sharing.queue ());
  const Bytes early = read_texture (scene.out, rgba8, side, side);
  CHECK (Bytes (early.begin (), early.begin () + 4) == (Bytes{255, 0, 255, 255}));
  scene.finish ();
  CHECK (read_texture (scene.out, rgba8, side, side) == inverted (read_texture (scene.in, rgba8, side, side)));
  expect ("any", 0);
}

/* By default a broken rule ends the process. */
CASE ("abort")
{
  const pid_t child = fork ();
  if (child == 0) {
    unsetenv ("CL_GL_LAYER_ABORT");
    CommonRules<Scene>::not_acquired ();
    std::_Exit (0);
  }
  int status = 0;
  CHECK_EQUAL (waitpid (child, &status, 0), child);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
    skip ("the child skipped");
  CHECK (WIFSIGNALED (status) && WTERMSIG (status) == SIGABRT);
}

const Case gl_write_input ("gl-write-input", [] { write_by_gl (&Scene::in); });
const Case gl_write_output ("gl-write-output", [] { write_by_gl (&Scene::out); });

}  // namespace

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sharing with a GLX context, on the test's own X server: test-layer-glx CASE. */
#include "fixture.hpp"

#include <csignal>
#include <cstdlib>
#include <GL/glx.h>
#include <GL/glxext.h>
#include <string>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/* A virtual X server; sets DISPLAY. */
class XServer {
public:
  XServer ()
  {
    int ends[2] = {-1, -1};
    if (pipe (ends) < 0)
      std::abort ();
    process_ = fork ();
    if (process_ == 0) {
      close (ends[0]);
      prctl (PR_SET_PDEATHSIG, SIGTERM);
      const std::string fd = std::to_string (ends[1]);
      execlp ("Xvfb", "Xvfb", "-displayfd", fd.c_str (), "-screen", "0", "64x48x24", "+extension", "GLX", nullptr);
      std::_Exit (1);
    }
    close (ends[1]);
    std::string name (1, ':');
    for (char c; read (ends[0], &c, 1) == 1 && c != '\n';)
      name += c;
    close (ends[0]);
    running_ = name.size () > 1;
    setenv ("DISPLAY", name.c_str (), 1);
  }

  ~XServer ()
  {
    kill (process_, SIGTERM);
    waitpid (process_, nullptr, 0);
  }

  XServer (const XServer &) = delete;

  bool is_running () const { return running_; }

private:
  pid_t process_;
  bool running_;
};

/* A context with core profile 3.3, current on the thread that made it. */
class GlxContext {
public:
  GlxContext () : display_ (XOpenDisplay (nullptr))
  {
    const int attributes[] = {GLX_CONTEXT_MAJOR_VERSION_ARB, 3, GLX_CONTEXT_MINOR_VERSION_ARB, 3, GLX_CONTEXT_PROFILE_MASK_ARB,
        GLX_CONTEXT_CORE_PROFILE_BIT_ARB, 0};
    const auto create = reinterpret_cast<PFNGLXCREATECONTEXTATTRIBSARBPROC> (
        glXGetProcAddressARB (reinterpret_cast<const GLubyte *> ("glXCreateContextAttribsARB")));
    int n = 0;
    GLXFBConfig *configs = display_ ? glXChooseFBConfig (display_, DefaultScreen (display_), nullptr, &n) : nullptr;
    if (n > 0 && create)
      context_ = create (display_, configs[0], nullptr, True, attributes);
    if (configs)
      XFree (configs);
    current_ = context_ && glXMakeContextCurrent (display_, 0, 0, context_);
  }

  ~GlxContext ()
  {
    if (context_) {
      glXMakeContextCurrent (display_, 0, 0, nullptr);
      glXDestroyContext (display_, context_);
    }
    if (display_)
      XCloseDisplay (display_);
  }

  GlxContext (const GlxContext &) = delete;

  bool is_current () const { return current_; }
  void *display () const { return display_; }
  void *handle () const { return context_; }

private:
  struct _XDisplay *display_;
  struct __GLXcontextRec *context_ = nullptr;
  bool current_ = false;
};

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

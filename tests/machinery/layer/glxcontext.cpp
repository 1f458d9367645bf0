/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "glxcontext.hpp"

#include <GL/glx.h>
#include <GL/glxext.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

XServer::XServer ()
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

XServer::~XServer ()
{
  kill (process_, SIGTERM);
  waitpid (process_, nullptr, 0);
}

GlxContext::GlxContext () : display_ (XOpenDisplay (nullptr))
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

GlxContext::~GlxContext ()
{
  if (context_) {
    glXMakeContextCurrent (display_, 0, 0, nullptr);
    glXDestroyContext (display_, context_);
  }
  if (display_)
    XCloseDisplay (display_);
}

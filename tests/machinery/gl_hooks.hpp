/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes calls of a GL context fail as on a real one: no memory, or the context is lost. */
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gst/gl/gl.h>

namespace test {

enum class GlFault {
  /* This call finds no memory, or no framebuffer that suits it: it does nothing, and glGetError () tells. */
  once,
  /* The context is lost with this call, and stays so. */
  lost,
};

/* Every context of GStreamer has a table of GL's functions, which elements use as well. From now on this one's calls are
 * counted. */
void hook_gl (GstGLContext *context);

/* Makes the n-th call from now on fail; 0: none. An earlier loss is over, as in a new context. */
void fail_gl (unsigned n, GlFault how);

/* The names of the calls that could have failed since then. */
std::vector<std::string> gl_calls ();

/* Live GL objects, by the function that made them: "GenTextures". */
std::map<std::string, int> gl_alive ();

/* While one exists, calls succeed and are not counted; for the test's own calls. */
struct GlPause {
  GlPause ();
  ~GlPause ();
  GlPause (const GlPause &) = delete;
};

}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GL context whose calls fail as they may on a real one: no memory, or the context is lost. */
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

/* Every context of GStreamer's has a table of GL's functions, which it uses and so do elements: from now on this one's calls are
 * counted. */
void hook_gl (GstGLContext *context);

/* The n-th call from now on goes wrong, 0: none. A loss that was is over, as for a context that is made after it. */
void fail_gl (unsigned n, GlFault how);

/* The names of those that could have failed since then. */
std::vector<std::string> gl_calls ();

/* GL's objects that are there, by what made them: "GenTextures". */
std::map<std::string, int> gl_alive ();

/* While there is one, calls succeed and are not counted: those of the test's own. */
struct GlPause {
  GlPause ();
  ~GlPause ();
  GlPause (const GlPause &) = delete;
};

}  // namespace test

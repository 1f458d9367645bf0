/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GLX context on the test's own X server, for the test of the layer. */
#pragma once

#include <sys/types.h>

/* A virtual X server; sets DISPLAY. */
class XServer {
public:
  XServer ();
  ~XServer ();
  XServer (const XServer &) = delete;

  bool is_running () const { return running_; }

private:
  pid_t process_;
  bool running_;
};

/* A context with core profile 3.3, current on the thread that made it. */
class GlxContext {
public:
  GlxContext ();
  ~GlxContext ();
  GlxContext (const GlxContext &) = delete;

  bool is_current () const { return current_; }
  void *display () const { return display_; }
  void *handle () const { return context_; }

private:
  struct _XDisplay *display_;
  struct __GLXcontextRec *context_ = nullptr;
  bool current_ = false;
};

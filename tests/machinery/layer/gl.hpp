/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer's own GL context, which shares with the application's and lives on a separate thread. */
#pragma once

#include <EGL/egl.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#include <functional>
#include <memory>

#include "../census/each.hpp"

namespace layer {

/* A GL context that a thread of the layer makes, uses and destroys. */
class OwnContext {
public:
  virtual ~OwnContext () = default;
  virtual bool make_current () = 0;
  virtual void destroy () = 0;
};

/* A member for a GL function, which is looked up by its name. */
#define LAYER_GL_MEMBER(name) decltype (&::gl##name) name = reinterpret_cast<decltype (name)> (eglGetProcAddress ("gl" #name));

/* The functions work with the context that is current on the calling thread. */
struct Gl {
  EACH (LAYER_GL_MEMBER, BindFramebuffer, BindTexture, CheckFramebufferStatus, ClientWaitSync, DeleteFramebuffers, DeleteSync,
      FenceSync, Finish, Flush, FramebufferTexture2D, GenFramebuffers, GetError, GetObjectLabel, GetSynciv,
      GetTexLevelParameteriv, GetTexParameteriv, IsSync, IsTexture, ObjectLabel, PixelStorei, ReadPixels, TexSubImage2D)

  /* Null if a function is missing. */
  static const Gl *get ();
};

/* The application's GL context, from the properties of a CL context. */
struct Binding {
  enum class Platform { none, egl, glx };

  Platform platform = Platform::none;
  void *display = nullptr;
  void *context = nullptr;

  bool is_valid () const;
  /* Whether it is current on the calling thread. */
  bool is_current () const;
};

/* Whether the calling thread has a current context. */
bool has_current_context ();

class GlThread {
public:
  /* Null if no context can be made that shares with the binding's. */
  static std::shared_ptr<GlThread> create (const Binding &binding);
  /* With a context that shares nothing, on a separate display. */
  static std::shared_ptr<GlThread> create_unshared ();
  ~GlThread ();

  /* Jobs run in order, with the context current. Returns false after stop (). */
  bool post (std::function<void (const Gl &)> job);
  bool run (const std::function<void (const Gl &)> &job);

  /* Announces work that will be posted; stop () waits for it. */
  void announce ();
  void conclude ();

  /* Runs posted and announced work, then ends the thread and its context. */
  void stop ();

private:
  struct Work;

  explicit GlThread (std::shared_ptr<Work> work);
  static std::shared_ptr<GlThread> start (const std::function<std::unique_ptr<OwnContext> ()> &make_context);

  std::shared_ptr<Work> work_;
};

/* GLX is loaded when an application first uses a GLX context, so that building and running do not need X11. */

/* Whether the context exists. */
bool is_glx_context (void *display, void *context);

/* Null if there is no current context, or no GLX. */
void *current_glx_context ();

/* Makes a context that shares with this one, over a separate connection to the same X server. */
std::unique_ptr<OwnContext> make_glx_context (void *display, void *context);

}  // namespace layer

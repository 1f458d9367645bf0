/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer's own GL context, which shares with the application's and lives on a separate thread. */
#pragma once

#include <EGL/egl.h>
#include <GL/glcorearb.h>

#include <functional>
#include <memory>

#include "owncontext.hpp"

namespace layer {

/* Name and type of each GL function that the layer calls. */
#define LAYER_GL_FUNCTIONS(X)                                                                                                  \
  X (BindFramebuffer, BINDFRAMEBUFFER)                                                                                         \
  X (BindTexture, BINDTEXTURE)                                                                                                 \
  X (CheckFramebufferStatus, CHECKFRAMEBUFFERSTATUS)                                                                           \
  X (ClientWaitSync, CLIENTWAITSYNC)                                                                                           \
  X (DeleteFramebuffers, DELETEFRAMEBUFFERS)                                                                                   \
  X (DeleteSync, DELETESYNC)                                                                                                   \
  X (FenceSync, FENCESYNC)                                                                                                     \
  X (Finish, FINISH)                                                                                                           \
  X (Flush, FLUSH)                                                                                                             \
  X (FramebufferTexture2D, FRAMEBUFFERTEXTURE2D)                                                                               \
  X (GenFramebuffers, GENFRAMEBUFFERS)                                                                                         \
  X (GetError, GETERROR)                                                                                                       \
  X (GetObjectLabel, GETOBJECTLABEL)                                                                                           \
  X (GetSynciv, GETSYNCIV)                                                                                                     \
  X (GetTexLevelParameteriv, GETTEXLEVELPARAMETERIV)                                                                           \
  X (GetTexParameteriv, GETTEXPARAMETERIV)                                                                                     \
  X (IsSync, ISSYNC)                                                                                                           \
  X (IsTexture, ISTEXTURE)                                                                                                     \
  X (ObjectLabel, OBJECTLABEL)                                                                                                 \
  X (PixelStorei, PIXELSTOREI)                                                                                                 \
  X (ReadPixels, READPIXELS)                                                                                                   \
  X (TexSubImage2D, TEXSUBIMAGE2D)

/* The functions work with the context that is current on the calling thread. */
struct Gl {
#define LAYER_GL_MEMBER(name, type) PFNGL##type##PROC name = nullptr;
  LAYER_GL_FUNCTIONS (LAYER_GL_MEMBER)
#undef LAYER_GL_MEMBER

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

}  // namespace layer

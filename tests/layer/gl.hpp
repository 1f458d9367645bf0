/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer's own GL context: shares with the application's, lives on a thread of its own. */
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

/* The functions work in whichever context is current on the calling thread. */
struct Gl {
#define LAYER_GL_MEMBER(name, type) PFNGL##type##PROC name = nullptr;
  LAYER_GL_FUNCTIONS (LAYER_GL_MEMBER)
#undef LAYER_GL_MEMBER

  /* Null where a function is missing. */
  static const Gl *get ();
};

/* The application's GL context as the properties of a CL context name it. */
struct Binding {
  enum class Platform { none, egl, glx };

  Platform platform = Platform::none;
  void *display = nullptr;
  void *context = nullptr;

  bool is_valid () const;
  /* On the calling thread. */
  bool is_current () const;
};

/* Whether the calling thread has any. */
bool has_current_context ();

class GlThread {
public:
  /* Null when no context that shares with the binding's can be made. */
  static std::shared_ptr<GlThread> create (const Binding &binding);
  /* With a context that shares nothing, on a display of its own. */
  static std::shared_ptr<GlThread> create_unshared ();
  ~GlThread ();

  /* Jobs run in the order of their posting, with the context current. False when the thread has been stopped. */
  bool post (std::function<void (const Gl &)> job);
  bool run (const std::function<void (const Gl &)> &job);

  /* Work that is going to be posted; stop waits for it. */
  void announce ();
  void conclude ();

  /* Does what was posted and announced, then ends the thread and its context. */
  void stop ();

private:
  struct Work;

  explicit GlThread (std::shared_ptr<Work> work);
  static std::shared_ptr<GlThread> start (const std::function<std::unique_ptr<OwnContext> ()> &make_context);

  std::shared_ptr<Work> work_;
};

}  // namespace layer

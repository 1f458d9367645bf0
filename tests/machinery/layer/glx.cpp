/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl.hpp"

#include "../census/libraryfunction.hpp"

namespace layer {

namespace {

/* Declarations that X11's and GLX's headers would provide. */
using Display = void;
using FbConfig = void *;
using Context = void *;
using ErrorHandler = int (*) (Display *, void *);
constexpr int glx_screen = 0x800c, glx_fbconfig_id = 0x8013;
constexpr int glx_major_version = 0x2091, glx_minor_version = 0x2092, glx_profile_mask = 0x9126, glx_core_profile = 1;

constexpr char x11[] = "libX11.so.6", glx_library[] = "libGLX.so.0";

struct Glx {
  Display *(*open_display) (const char *) = LibraryFunction (x11, "XOpenDisplay");
  int (*close_display) (Display *) = LibraryFunction (x11, "XCloseDisplay");
  const char *(*display_string) (Display *) = LibraryFunction (x11, "XDisplayString");
  int (*sync) (Display *, int) = LibraryFunction (x11, "XSync");
  int (*free) (void *) = LibraryFunction (x11, "XFree");
  ErrorHandler (*set_error_handler) (ErrorHandler) = LibraryFunction (x11, "XSetErrorHandler");
  int (*query_context) (Display *, Context, int, int *) = LibraryFunction (glx_library, "glXQueryContext");
  FbConfig *(*get_configs) (Display *, int, int *) = LibraryFunction (glx_library, "glXGetFBConfigs");
  int (*get_config_attribute) (Display *, FbConfig, int, int *) = LibraryFunction (glx_library, "glXGetFBConfigAttrib");
  int (*make_current) (Display *, unsigned long, unsigned long, Context) = LibraryFunction (
      glx_library, "glXMakeContextCurrent");
  void (*destroy_context) (Display *, Context) = LibraryFunction (glx_library, "glXDestroyContext");
  Context (*get_current) () = LibraryFunction (glx_library, "glXGetCurrentContext");
  void *(*get_address) (const char *) = LibraryFunction (glx_library, "glXGetProcAddressARB");
  Context (*create_context) (Display *, FbConfig, Context, int, const int *) = LibraryFunction (
      get_address ? get_address ("glXCreateContextAttribsARB") : nullptr);

  bool is_complete () const { return open_display && query_context && create_context && make_current; }
};

const Glx &
glx ()
{
  static const Glx instance;
  return instance;
}

/* Handles X11's errors, which otherwise end the process. */
class TakeErrors {
public:
  explicit TakeErrors (Display *display_)
      : display (display_), before (glx ().set_error_handler ([] (Display *, void *) { return 0; }))
  {
  }
  ~TakeErrors ()
  {
    glx ().sync (display, 0);
    glx ().set_error_handler (before);
  }

private:
  Display *display;
  ErrorHandler before;
};

FbConfig
find_config (Display *display, int screen, int wanted)
{
  int n = 0;
  FbConfig *configs = glx ().get_configs (display, screen, &n);
  FbConfig found = nullptr;
  for (int i = 0; i < n && !found; i++) {
    int id = 0;
    glx ().get_config_attribute (display, configs[i], glx_fbconfig_id, &id);
    found = id == wanted ? configs[i] : nullptr;
  }
  if (configs)
    glx ().free (configs);
  return found;
}

class GlxContext : public OwnContext {
public:
  GlxContext (Display *other, Context shared)
  {
    int id = 0, screen = 0;
    if (glx ().query_context (other, shared, glx_fbconfig_id, &id) || glx ().query_context (other, shared, glx_screen, &screen))
      return;
    display = glx ().open_display (glx ().display_string (other));
    if (!display)
      return;
    const TakeErrors take (display);
    const int attributes[] = {glx_major_version, 3, glx_minor_version, 3, glx_profile_mask, glx_core_profile, 0};
    if (const FbConfig config = find_config (display, screen, id))
      context = glx ().create_context (display, config, shared, 1, attributes);
  }

  bool make_current () override { return context && glx ().make_current (display, 0, 0, context); }

  void destroy () override
  {
    if (context) {
      glx ().make_current (display, 0, 0, nullptr);
      glx ().destroy_context (display, context);
    }
    if (display)
      glx ().close_display (display);
  }

private:
  Display *display = nullptr;
  Context context = nullptr;
};

}  // namespace

bool
is_glx_context (void *display, void *context)
{
  if (!glx ().is_complete ())
    return false;
  const TakeErrors take (display);
  int id = 0;
  return glx ().query_context (display, context, glx_fbconfig_id, &id) == 0;
}

void *
current_glx_context ()
{
  void *loaded = dlopen (glx_library, RTLD_LAZY | RTLD_NOLOAD);
  if (!loaded)
    return nullptr;
  dlclose (loaded);
  return glx ().get_current ? glx ().get_current () : nullptr;
}

std::unique_ptr<OwnContext>
make_glx_context (void *display, void *context)
{
  return std::make_unique<GlxContext> (display, context);
}

}  // namespace layer

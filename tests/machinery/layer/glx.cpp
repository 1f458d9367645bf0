/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl.hpp"

#include <dlfcn.h>

namespace layer {

namespace {

/* Declarations that X11's and GLX's headers would provide. */
using Display = void;
using FbConfig = void *;
using Context = void *;
using ErrorHandler = int (*) (Display *, void *);
constexpr int glx_screen = 0x800c, glx_fbconfig_id = 0x8013;
constexpr int glx_major_version = 0x2091, glx_minor_version = 0x2092, glx_profile_mask = 0x9126, glx_core_profile = 1;

struct Glx {
  Display *(*open_display) (const char *) = nullptr;
  int (*close_display) (Display *) = nullptr;
  const char *(*display_string) (Display *) = nullptr;
  int (*sync) (Display *, int) = nullptr;
  int (*free) (void *) = nullptr;
  ErrorHandler (*set_error_handler) (ErrorHandler) = nullptr;
  int (*query_context) (Display *, Context, int, int *) = nullptr;
  FbConfig *(*get_configs) (Display *, int, int *) = nullptr;
  int (*get_config_attribute) (Display *, FbConfig, int, int *) = nullptr;
  Context (*create_context) (Display *, FbConfig, Context, int, const int *) = nullptr;
  int (*make_current) (Display *, unsigned long, unsigned long, Context) = nullptr;
  void (*destroy_context) (Display *, Context) = nullptr;
  Context (*get_current) () = nullptr;

  Glx ();
  bool is_complete () const { return open_display && query_context && create_context && make_current; }
};

template <typename Function>
void
load (void *library, const char *name, Function &function)
{
  function = reinterpret_cast<Function> (dlsym (library, name));
}

Glx::Glx ()
{
  void *x11 = dlopen ("libX11.so.6", RTLD_LAZY), *glx = dlopen ("libGLX.so.0", RTLD_LAZY);
  if (!x11 || !glx)
    return;
  load (x11, "XOpenDisplay", open_display);
  load (x11, "XCloseDisplay", close_display);
  load (x11, "XDisplayString", display_string);
  load (x11, "XSync", sync);
  load (x11, "XFree", free);
  load (x11, "XSetErrorHandler", set_error_handler);
  load (glx, "glXQueryContext", query_context);
  load (glx, "glXGetFBConfigs", get_configs);
  load (glx, "glXGetFBConfigAttrib", get_config_attribute);
  load (glx, "glXMakeContextCurrent", make_current);
  load (glx, "glXDestroyContext", destroy_context);
  load (glx, "glXGetCurrentContext", get_current);
  void *(*get_address) (const char *) = nullptr;
  load (glx, "glXGetProcAddressARB", get_address);
  if (get_address)
    create_context = reinterpret_cast<decltype (create_context)> (get_address ("glXCreateContextAttribsARB"));
}

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
  void *loaded = dlopen ("libGLX.so.0", RTLD_LAZY | RTLD_NOLOAD);
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

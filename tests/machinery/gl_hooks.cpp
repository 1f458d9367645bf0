/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl_hooks.hpp"

#include <gst/gl/gstglfuncs.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "census/each.hpp"

#ifndef GL_CONTEXT_LOST
#define GL_CONTEXT_LOST 0x0507
#endif

namespace test {

namespace {

/* The driver's functions, which are the same for all contexts of one kind. */
GstGLFuncs below;
std::map<std::string, gpointer> extensions;
gpointer (*find_below) (GstGLAPI, const gchar *);

std::mutex mutex;
/* with mutex held */
unsigned failing = 0;
GlFault fault = GlFault::once;
bool is_lost = false;
GLenum pending = GL_NO_ERROR;
std::vector<std::string> calls;
std::map<std::string, int> alive;

std::atomic<int> pauses = 0;

/* Whether this call fails. */
bool
goes_wrong (const char *name)
{
  if (pauses > 0)
    return false;
  const std::lock_guard lock (mutex);
  calls.emplace_back (name);
  is_lost = is_lost || (fault == GlFault::lost && calls.size () == failing);
  if (!is_lost && calls.size () != failing)
    return false;
  pending = is_lost ? GL_CONTEXT_LOST : GL_OUT_OF_MEMORY;
  return true;
}

void
count (const char *maker, int n)
{
  const std::lock_guard lock (mutex);
  alive[maker] += n;
}

/* The return value of a call that did nothing. */
template <typename Result>
Result
nothing (const char *name)
{
  if constexpr (std::is_same_v<Result, GLenum>)
    return strcmp (name, "ClientWaitSync") == 0 ? GL_WAIT_FAILED : 0;
  else if constexpr (!std::is_void_v<Result>)
    return Result{};
}

template <auto entry, const char *name, typename Function> struct Fails;
template <auto entry, const char *name, typename Result, typename... Arguments>
struct Fails<entry, name, Result (GSTGLAPI *) (Arguments...)> {
  static Result GSTGLAPI call (Arguments... arguments)
  {
    return goes_wrong (name) ? nothing<Result> (name) : (below.*entry) (arguments...);
  }
};

/* What a call that failed leaves in its arguments. */
void
make_none (GLsizei n, GLuint *objects)
{
  std::fill_n (objects, n, 0);
}

template <typename... Others>
void
make_none (Others...)
{
}

/* A function that writes n object names, or none if it fails. */
template <auto entry, const char *name, typename Function> struct Makes {
  static void GSTGLAPI call (GLsizei n, GLuint *objects)
  {
    if (goes_wrong (name))
      return make_none (n, objects);
    (below.*entry) (n, objects);
    count (name, n);
  }
};

template <auto entry, const char *maker, typename Function> struct Deletes {
  static void GSTGLAPI call (GLsizei n, const GLuint *objects)
  {
    count (maker, -int (std::count_if (objects, objects + n, [] (GLuint each) { return each != 0; })));
    (below.*entry) (n, objects);
  }
};

GLenum GSTGLAPI
take_error ()
{
  const GLenum real = below.GetError ();
  if (pauses > 0)
    return real;
  const std::lock_guard lock (mutex);
  return pending == GL_NO_ERROR ? real : std::exchange (pending, GL_NO_ERROR);
}

/* A function that is looked up by name. */
template <const char *name, typename Function> struct Extends;
template <const char *name, typename... Arguments> struct Extends<name, void (Arguments...)> {
  static void GSTGLAPI call (Arguments... arguments)
  {
    goes_wrong (name) ? make_none (arguments...)
                      : reinterpret_cast<void (GSTGLAPI *) (Arguments...)> (extensions.at (name)) (arguments...);
  }
};

#define GL_EXTENDS(function, ...)                                                                                              \
  do {                                                                                                                         \
    static constexpr char own[] = #function;                                                                                   \
    if (strcmp (name, own) == 0)                                                                                               \
      return reinterpret_cast<gpointer> (Extends<own, void (__VA_ARGS__)>::call);                                              \
  } while (0)

gpointer
find_function (GstGLAPI api, const gchar *name)
{
  const gpointer found = find_below (api, name);
  if (!found)
    return nullptr;
  extensions[name] = found;
  GL_EXTENDS (glCreateMemoryObjectsEXT, GLsizei, GLuint *);
  GL_EXTENDS (glMemoryObjectParameterivEXT, GLuint, GLenum, const GLint *);
  GL_EXTENDS (glTexStorageMem2DEXT, GLenum, GLsizei, GLenum, GLsizei, GLsizei, GLuint, guint64);
  GL_EXTENDS (glDispatchCompute, GLuint, GLuint, GLuint);
  GL_EXTENDS (glCopyImageSubData, GLuint, GLenum, GLint, GLint, GLint, GLint, GLuint, GLenum, GLint, GLint, GLint, GLint,
      GLsizei, GLsizei, GLsizei);
  /* the importer keeps the descriptor if the call fails */
  GL_EXTENDS (glImportMemoryFdEXT, GLuint, guint64, GLenum, GLint);
  return found;
}

/* name: by which calls, and objects, are counted */
#define GL_HOOK(Kind, function, name)                                                                                          \
  do {                                                                                                                         \
    static constexpr char own[] = #name;                                                                                       \
    if (table.function)                                                                                                        \
      table.function = Kind<&GstGLFuncs::function, own, decltype (table.function)>::call;                                      \
  } while (0)

void
hook_table (GstGLFuncs &table)
{
#define GL_OBJECTS(Objects)                                                                                                    \
  GL_HOOK (Makes, Gen##Objects, Gen##Objects);                                                                                 \
  GL_HOOK (Deletes, Delete##Objects, Gen##Objects);
#define GL_FAILS(function) GL_HOOK (Fails, function, function);
  EACH (GL_OBJECTS, Textures, Buffers, Framebuffers)
  EACH (GL_FAILS, TexImage2D, TexSubImage2D, CopyTexImage2D, GetTexImage, BufferData, MapBufferRange, FramebufferTexture2D,
      CheckFramebufferStatus, BlitFramebuffer, ReadPixels, ClientWaitSync, WaitSync, CreateShader, CreateProgram, LinkProgram)
  if (table.FenceSync) {
    table.FenceSync = [] (GLenum condition, GLbitfield flags) {
      const GLsync fence = goes_wrong ("FenceSync") ? nullptr : below.FenceSync (condition, flags);
      count ("FenceSync", fence ? 1 : 0);
      return fence;
    };
    table.DeleteSync = [] (GLsync fence) {
      count ("FenceSync", fence ? -1 : 0);
      below.DeleteSync (fence);
    };
  }
  table.GetError = take_error;
}

}  // namespace

void
hook_gl (GstGLContext *context)
{
  const std::lock_guard lock (mutex);
  if (context->gl_vtable->GetError == take_error)
    return;
  below = *context->gl_vtable;
  hook_table (*context->gl_vtable);
  GstGLContextClass *klass = GST_GL_CONTEXT_GET_CLASS (context);
  if (klass->get_proc_address != find_function)
    find_below = std::exchange (klass->get_proc_address, find_function);
}

void
fail_gl (unsigned n, GlFault how)
{
  const std::lock_guard lock (mutex);
  failing = n;
  fault = how;
  is_lost = false;
  pending = GL_NO_ERROR;
  calls.clear ();
}

std::vector<std::string>
gl_calls ()
{
  const std::lock_guard lock (mutex);
  return calls;
}

std::map<std::string, int>
gl_alive ()
{
  const std::lock_guard lock (mutex);
  return alive;
}

GlPause::GlPause ()
{
  pauses++;
}

GlPause::~GlPause ()
{
  pauses--;
}

}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/glnegotiation.hpp"

#include "config.h"
#include "core/debug.hpp"
#include "filter/types.hpp"

#include <cstdlib>
#ifdef HAVE_GL
#include "filter/glelement.hpp"
#include "memory/glinterop.hpp"
#endif

GST_DEBUG_CATEGORY_STATIC (gst_cl_gl_negotiation_debug);
#define GST_CAT_DEFAULT gst_cl_gl_negotiation_debug

namespace gst::cl {

namespace {

/* $GST_CL_GL_INTEROP takes the place of the default, for a whole program. */
GlInterop
default_interop ()
{
  const char *text = std::getenv ("GST_CL_GL_INTEROP");
  auto *names = static_cast<GEnumClass *> (g_type_class_ref (gl_interop_get_type ()));
  const GEnumValue *value = text ? g_enum_get_value_by_nick (names, text) : nullptr;
  g_type_class_unref (names);
  return value ? GlInterop (value->value) : GlInterop::automatic;
}

}  // namespace

void
GlNegotiation::set_interop (GlInterop interop)
{
  if (wanted.exchange (interop) != interop)
    stale = true;
}

/* OpenCL memory first, which only another element of this kind takes, so that a chain of them goes through GL at its ends
 * only. Where the device cannot reach textures by itself, a GL element nearby moves frames better than this one would. */
std::vector<MemoryKind>
GlNegotiation::preferred (MemoryKind from, const Device &device) const
{
  const bool system_is_free = from != MemoryKind::gl && device.host_memory == HostMemory::shared;
  const bool gl_is_better = from == MemoryKind::gl ? direct || !known : direct && !system_is_free;
  if (gl_is_better)
    return {MemoryKind::opencl, MemoryKind::gl, MemoryKind::system};
  return {MemoryKind::opencl, MemoryKind::system, MemoryKind::gl};
}

#ifdef HAVE_GL

GlNegotiation::GlNegotiation (GstElement *element_)
    : element (element_), gl (std::make_unique<GlElement> (element_)), wanted (default_interop ())
{
  GST_CL_ENSURE_CATEGORY (gst_cl_gl_negotiation_debug, "clglnegotiation", "GL memory between elements");
}

GlNegotiation::~GlNegotiation () = default;

bool
GlNegotiation::set_context (GstContext *context)
{
  if (!gl->set_context (context))
    return false;
  stale = true;
  known = false;
  return true;
}

bool
GlNegotiation::query_context (GstQuery *query)
{
  return gl->query_context (query);
}

void
GlNegotiation::explore (const ContextRef &context, const GstVideoInfo &info) noexcept
{
  if (known)
    return;
  try {
    const GlContextRef found = gl->ensure ();
    direct = choose_gl_path (context, found.get (), info, wanted).path != GlPath::staged;
    known = true;
  } catch (const std::exception &error) {
    GST_INFO_OBJECT (element, "GL memory is not preferred: %s", error.what ());
  }
}

std::shared_ptr<GlLink>
GlNegotiation::link (const ContextRef &context, const GstVideoInfo &info)
{
  GlContextRef found = gl->ensure ();
  const GlChoice choice = choose_gl_path (context, found.get (), info, wanted);
  path = choice.path;
  direct = path != GlPath::staged;
  known = true;
  if (!choice.reason.empty ())
    warn_of_staging (choice.reason);
  GST_INFO_OBJECT (element, "frames in GL memory: %s", name_of (path));
  return std::make_shared<GlLink> (make_gl_link (path, context, std::move (found), info));
}

void
GlNegotiation::warn_of_staging (const std::string &reason)
{
  if (std::exchange (warned, true))
    return;
  GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
      ("Frames in GL memory are copied through the host, because OpenCL and OpenGL share no memory here. "
       "cl-info --gl tells more; gl-interop=staged silences this."),
      ("%s", reason.c_str ()));
}

/* An element upstream may go over to another GL display while it plays; its buffers are the first to tell. */
bool
GlNegotiation::is_stale (GstBuffer *buffer)
{
  if (stale.exchange (false))
    return true;
  GstMemory *memory = gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : nullptr;
  if (!memory || !gst_is_gl_memory (memory))
    return false;
  GstGLContext *writer = reinterpret_cast<GstGLBaseMemory *> (memory)->context;
  const GlContextRef current = gl->current ();
  if (!current || current.get () == writer || gst_gl_context_can_share (current.get (), writer))
    return false;
  gl->use (writer);
  return true;
}

void
GlNegotiation::propose (const ContextRef &context, GstCaps *caps, bool need_pool, GstQuery *query)
{
  const GlContextRef current = gl->current ();
  if (!current)
    return;
  GstVideoInfo info;
  if (need_pool && gst_video_info_from_caps (&info, caps)) {
    const PoolRef pool = propose_gl_pool (path, context, current.get ());
    GstStructure *config = gst_buffer_pool_get_config (pool.get ());
    gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&info), 0, 0);
    gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
    if (gst_buffer_pool_set_config (pool.get (), config))
      gst_query_add_allocation_pool (query, pool.get (), GST_VIDEO_INFO_SIZE (&info), 0, 0);
  }
  if (current.get ()->gl_vtable->FenceSync)
    gst_query_add_allocation_meta (query, GST_GL_SYNC_META_API_TYPE, nullptr);
}

void
GlNegotiation::forget (const ContextRef &context)
{
  forget_gl_context (context);
}

void
GlNegotiation::reset ()
{
  gl->reset ();
  known = false;
  direct = false;
  warned = false;
}

#else

class GlElement {};

GlNegotiation::GlNegotiation (GstElement *element_) : element (element_), wanted (default_interop ()) {}

GlNegotiation::~GlNegotiation () = default;

bool
GlNegotiation::set_context (GstContext *)
{
  return false;
}

bool
GlNegotiation::query_context (GstQuery *)
{
  return false;
}

void
GlNegotiation::explore (const ContextRef &, const GstVideoInfo &) noexcept
{
}

std::shared_ptr<GlLink>
GlNegotiation::link (const ContextRef &, const GstVideoInfo &)
{
  return nullptr;
}

bool
GlNegotiation::is_stale (GstBuffer *)
{
  return stale.exchange (false);
}

void
GlNegotiation::propose (const ContextRef &, GstCaps *, bool, GstQuery *)
{
}

void
GlNegotiation::forget (const ContextRef &)
{
}

void
GlNegotiation::reset ()
{
}

#endif

}  // namespace gst::cl

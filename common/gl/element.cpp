/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GL memory of an element, which exchanges GL displays and contexts like GStreamer's GL elements. */
#include "interop/element.hpp"

#include "core/debug.hpp"
#include "gl/interop.hpp"
#include "gl/sharing.hpp"

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clglelement", "GL memory between elements">)

namespace gst::cl {

namespace {

Failure
no_gl (const std::string &debug)
{
  return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
      "OpenGL is not available for frames in GL memory. Without a display, try GST_GL_PLATFORM=egl "
      "GST_GL_WINDOW=egl-device; or use gldownload to bring the frames to system memory.",
      debug);
}

class ElementOfGl : public MemoryElement {
public:
  explicit ElementOfGl (GstElement *element) : MemoryElement (MemoryKind::gl, element) {}
  ~ElementOfGl () override { reset (); }

  bool set_context (GstContext *offered) override
  {
    const GlDisplayRef old_display = current (display);
    const GlContextRef old_other = current (other);
    gst_gl_handle_set_context (element, offered, &display, &other);
    const bool changed = old_display.get () != current (display).get () || old_other.get () != current (other).get ();
    if (!changed || !old_display)
      return false;
    replace (own, nullptr);
    stale = true;
    known = false;
    return true;
  }

  bool query_context (GstQuery *query) override
  {
    GST_OBJECT_LOCK (element);
    const GlDisplayRef shown = GlDisplayRef::retain (display);
    const GlContextRef mine = GlContextRef::retain (own), application = GlContextRef::retain (other);
    GST_OBJECT_UNLOCK (element);
    return gst_gl_handle_context_query (element, query, shown.get (), mine.get (), application.get ());
  }

  std::shared_ptr<MemoryLink> link (const ContextRef &context, const GstVideoInfo &info) override
  {
    GlContextRef found = ensure ();
    const GlChoice choice = choose_gl_path (context, found.get (), info, wanted);
    path = choice.path;
    direct = path != GlPath::staged;
    known = true;
    if (!choice.reason.empty ())
      warn_of_staging ("OpenCL and OpenGL share no memory here", choice.reason);
    GST_INFO_OBJECT (element, "frames in GL memory: %s", name_of (path));
    return make_gl_link (path, context, std::move (found), info);
  }

  /* An element upstream may change its GL display while it plays, which shows first in its buffers. */
  bool is_stale (GstBuffer *buffer) override
  {
    if (stale.exchange (false))
      return true;
    GstMemory *memory = gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : nullptr;
    if (!memory || !gst_is_gl_memory (memory))
      return false;
    GstGLContext *writer = reinterpret_cast<GstGLBaseMemory *> (memory)->context;
    const GlContextRef shown = current (own);
    if (!shown || shown.get () == writer || gst_gl_context_can_share (shown.get (), writer))
      return false;
    replace (own, writer);
    return true;
  }

  void propose (const ContextRef &context, GstCaps *caps, bool need_pool, GstQuery *query) override
  {
    const GlContextRef shown = current (own);
    if (!shown)
      return;
    if (need_pool)
      offer_pool (query, propose_gl_pool (path, context, shown.get ()).get (), caps, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
    if (shown.get ()->gl_vtable->FenceSync)
      gst_query_add_allocation_meta (query, GST_GL_SYNC_META_API_TYPE, nullptr);
  }

  void forget (const ContextRef &context) override { forget_bound_context (context.get ()); }

  void reset () override
  {
    if (const GlContextRef used = current (own))
      forget_refusals (used.get ());
    replace (own, nullptr);
    replace (other, nullptr);
    replace (display, nullptr);
    MemoryElement::reset ();
  }

private:
  void find_out (const ContextRef &context, const GstVideoInfo &info) override
  {
    direct = choose_gl_path (context, ensure ().get (), info, wanted).path != GlPath::staged;
    known = true;
  }

  /* The neighbours' context, else a context of this element's display. Posts messages and queries like GStreamer's GL elements.
   * Throws Failure (RESOURCE, NOT_FOUND). */
  GlContextRef ensure ()
  {
    if (!gst_gl_ensure_element_data (element, &display, &other))
      throw no_gl ("no GL display");
    GstGLContext *found = nullptr;
    for (GstPadDirection side : {GST_PAD_SRC, GST_PAD_SINK})
      if (!found)
        gst_gl_query_local_gl_context (element, side, &found);
    GlContextRef neighbour (found);
    if (!neighbour)
      neighbour = current (own);
    if (!neighbour)
      neighbour = find_or_create ();
    replace (own, neighbour.get ());
    return neighbour;
  }

  /* If another element of the display adds a context at the same time, adding this one fails, and the other one is used. */
  GlContextRef find_or_create ()
  {
    GST_OBJECT_LOCK (display);
    GstGLContext *found = nullptr;
    g_autoptr (GError) error = nullptr;
    do {
      gst_clear_object (&found);
      found = gst_gl_display_get_gl_context_for_thread (display, nullptr);
      if (!found && !gst_gl_display_create_context (display, other, &found, &error))
        break;
    } while (!gst_gl_display_add_context (display, found));
    GST_OBJECT_UNLOCK (display);
    if (found)
      return GlContextRef (found);
    throw no_gl (error ? error->message : "no GL context");
  }

  /* guarded by the element's object lock, as GStreamer's helpers expect */
  GstGLDisplay *display = nullptr;
  GstGLContext *other = nullptr, *own = nullptr;

  /* for the streaming thread */
  GlPath path = GlPath::staged;
};

}  // namespace

std::unique_ptr<MemoryElement>
make_gl_element (GstElement *element)
{
  return std::make_unique<ElementOfGl> (element);
}

}  // namespace gst::cl

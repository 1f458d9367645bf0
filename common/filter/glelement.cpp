/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/glelement.hpp"

namespace gst::cl {

namespace {

Failure
no_gl (const std::string &debug)
{
  return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
      "There is no OpenGL here for frames in GL memory. Without a display, try GST_GL_PLATFORM=egl "
      "GST_GL_WINDOW=egl-device; or let gldownload bring the frames to system memory.",
      debug);
}

}  // namespace

GlElement::~GlElement ()
{
  reset ();
}

bool
GlElement::set_context (GstContext *offered)
{
  GST_OBJECT_LOCK (element);
  const GlDisplayRef old_display = GlDisplayRef::retain (display);
  const GlContextRef old_other = GlContextRef::retain (other);
  GST_OBJECT_UNLOCK (element);
  gst_gl_handle_set_context (element, offered, &display, &other);
  GST_OBJECT_LOCK (element);
  const bool changed = old_display.get () != display || old_other.get () != other;
  const bool replaced = changed && old_display;
  GST_OBJECT_UNLOCK (element);
  if (replaced) {
    GST_OBJECT_LOCK (element);
    const GlContextRef stale (std::exchange (context, nullptr));
    GST_OBJECT_UNLOCK (element);
  }
  return replaced;
}

bool
GlElement::query_context (GstQuery *query)
{
  GST_OBJECT_LOCK (element);
  const GlDisplayRef shown = GlDisplayRef::retain (display);
  const GlContextRef mine = GlContextRef::retain (context), application = GlContextRef::retain (other);
  GST_OBJECT_UNLOCK (element);
  return gst_gl_handle_context_query (element, query, shown.get (), mine.get (), application.get ());
}

GlContextRef
GlElement::current ()
{
  GST_OBJECT_LOCK (element);
  GlContextRef result = GlContextRef::retain (context);
  GST_OBJECT_UNLOCK (element);
  return result;
}

/* Other elements of the display may be creating one as well: then adding this one fails, and theirs is there. */
GlContextRef
GlElement::find_or_create ()
{
  GST_OBJECT_LOCK (display);
  GstGLContext *found = nullptr;
  GError *error = nullptr;
  do {
    gst_clear_object (&found);
    found = gst_gl_display_get_gl_context_for_thread (display, nullptr);
    if (!found && !gst_gl_display_create_context (display, other, &found, &error))
      break;
  } while (!gst_gl_display_add_context (display, found));
  GST_OBJECT_UNLOCK (display);
  if (found)
    return GlContextRef (found);
  const std::string debug = error ? error->message : "no GL context";
  g_clear_error (&error);
  throw no_gl (debug);
}

GlContextRef
GlElement::ensure ()
{
  if (!gst_gl_ensure_element_data (element, &display, &other))
    throw no_gl ("no GL display");
  GstGLContext *found = nullptr;
  for (GstPadDirection side : {GST_PAD_SRC, GST_PAD_SINK})
    if (!found)
      gst_gl_query_local_gl_context (element, side, &found);
  GlContextRef neighbour (found);
  if (!neighbour)
    neighbour = current ();
  if (!neighbour)
    neighbour = find_or_create ();
  use (neighbour.get ());
  return neighbour;
}

void
GlElement::use (GstGLContext *gl)
{
  GST_OBJECT_LOCK (element);
  const GlContextRef old (std::exchange (context, GlContextRef::retain (gl).release ()));
  GST_OBJECT_UNLOCK (element);
}

void
GlElement::reset ()
{
  GST_OBJECT_LOCK (element);
  const GlContextRef old_context (std::exchange (context, nullptr)), old_other (std::exchange (other, nullptr));
  const GlDisplayRef old_display (std::exchange (display, nullptr));
  GST_OBJECT_UNLOCK (element);
}

}  // namespace gst::cl

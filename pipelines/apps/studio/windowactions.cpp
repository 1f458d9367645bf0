/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window's actions for menus, keys and buttons. */
#include "../common/mappedframe.hpp"
#include "window.hpp"

#include <glib/gstdio.h>

namespace studio {

namespace {

/* Writes a frame in BGRx as PNG. Throws std::runtime_error. */
void
write_picture (GstSample *frame, const std::string &path)
{
  GstVideoInfo info;
  GstBuffer *buffer = frame ? gst_sample_get_buffer (frame) : nullptr;
  ensure (buffer && gst_video_info_from_caps (&info, gst_sample_get_caps (frame)), "There is no frame yet");
  const MappedFrame mapped (&info, buffer, GST_MAP_READ);
  ensure (mapped && GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_BGRx, "The frame cannot be read");
  const auto picture = Ref<GdkPixbuf>::take (gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, info.width, info.height));
  ensure (bool (picture), "There is no memory for the picture");
  for (int y = 0; y < info.height; y++) {
    const auto *from =
        static_cast<const guint8 *> (mapped.frame.data[0]) + gsize (y) * GST_VIDEO_FRAME_PLANE_STRIDE (&mapped.frame, 0);
    guint8 *to = gdk_pixbuf_get_pixels (picture.get ()) + gsize (y) * gdk_pixbuf_get_rowstride (picture.get ());
    for (int x = 0; x < info.width; x++)
      for (int c = 0; c < 3; c++)
        to[3 * x + c] = from[4 * x + 2 - c];
  }
  checked_call ([&] (GError **error) { return gdk_pixbuf_save (picture.get (), path.c_str (), "png", error, nullptr); });
}

}  // namespace

void
Window::open_source (const std::string &path_or_uri)
{
  pipeline.set_source (file_source (path_or_uri));
  source.update ();
}

void
Window::open_line (const std::string &text)
{
  const std::vector<std::string> left_out = pipeline.open (text);
  list.rebuild (pipeline.filters ().empty () ? std::nullopt : std::optional<size_t> (0));
  source.update ();
  messages.hide ();
  if (!left_out.empty ())
    say ("Left out of the line: " + joined (left_out), "The studio can only use its own filters.", GTK_MESSAGE_WARNING);
  update ();
}

void
Window::open_dropped (const std::string &uri)
{
  const Chars chars (g_filename_from_uri (uri.c_str (), nullptr, nullptr));
  const std::string path = chars ? chars.get () : "";
  if (path.ends_with (".sh")) {
    open_line (read_file (path));
  } else if (path.ends_with (".cl")) {
    list.add ("clprogram");
    editor.set_text (read_file (path));
  } else if (path.ends_with (".cube")) {
    list.add ("cllut3d");
    pipeline.set_property (*list.selected_index (), "location", path);
  } else {
    open_source (uri);
  }
}

void
Window::set_drawing_region (bool on)
{
  video.region ().set_drawing (on);
  if (on && !video.region ().is_drawing ())
    say ("Select a filter that has a region first", "The region belongs to the filter that is selected in the list.",
        GTK_MESSAGE_INFO);
  video.redraw ();
  update ();
}

void
Window::set_scopes (bool on)
{
  scopes.set_shown (on);
  update ();
}

/* Shows only the video. */
void
Window::set_full_screen (bool on)
{
  if (on == full_screen)
    return;
  full_screen = on;
  for (GtkWidget *part : {side, status_bar})
    gtk_widget_set_visible (part, !on);
  gtk_widget_set_visible (editor.widget (), !on && Editor::edits (list.selected ()));
  on ? gtk_window_fullscreen (get ()) : gtk_window_unfullscreen (get ());
  update ();
}

void
Window::set_split (double share)
{
  pipeline.split ().set_position (share);
  if (!pipeline.is_playing ())
    pipeline.touched ();
  update ();
  video.redraw ();
}

bool
Window::may_close ()
{
  return !exports.is_running ()
         || ask (get (), "A video is being exported. Cancel the export and quit?", "_Go on exporting", "_Quit");
}

void
Window::undo (bool again)
{
  if (!editor.undo (again))
    again ? history.redo () : history.undo ();
}

/* Takes an open dialog, if there is one. */
void
Window::screenshot (const std::string &path)
{
  GtkWidget *shown = window;
  const std::unique_ptr<GList, Releases<g_list_free>> windows (gtk_window_list_toplevels ());
  for (const GList *i = windows.get (); i; i = i->next) {
    if (GTK_IS_DIALOG (i->data) && gtk_widget_get_mapped (GTK_WIDGET (i->data)))
      shown = GTK_WIDGET (i->data);
  }
  const auto picture = Ref<GdkPixbuf>::take (gdk_pixbuf_get_from_window (
      gtk_widget_get_window (shown), 0, 0, gtk_widget_get_allocated_width (shown), gtk_widget_get_allocated_height (shown)));
  ensure (bool (picture), "The window cannot be read");
  checked_call ([&] (GError **error) {
    return gdk_pixbuf_save (picture.get (), path.c_str (), "png", error, "compression", "9", nullptr);
  });
}

void
Window::save_frame_to (const std::string &path)
{
  const Sample frame = pipeline.split ().latest ();
  write_picture (frame.get (), path);
  say ("The frame was saved", path, GTK_MESSAGE_INFO);
}

void
Window::copy (const std::string &text, const char *what)
{
  copy_to_clipboard (text);
  say (std::string (what) + " was copied to the clipboard", text, GTK_MESSAGE_INFO);
}

void
Window::save_script_to (const std::string &path)
{
  write_file (path, launch_script (pipeline.words ()));
  g_chmod (path.c_str (), 0755);
}

}  // namespace studio

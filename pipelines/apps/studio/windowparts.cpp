/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the parts of the window, binds keys, and does what menus, keys and buttons ask for. */
#include "../common/mappedframe.hpp"
#include "examples.hpp"
#include "window.hpp"

#include <glib/gstdio.h>

namespace studio {

namespace {

/* Writes a frame as PNG. Throws std::runtime_error. */
void
write_picture (GstSample *frame, const std::string &path)
{
  ensure (frame, "There is no frame yet");
  const Caps rgb (gst_caps_from_string ("video/x-raw,format=RGB"));
  const Sample converted (
      checked_call ([&] (GError **error) { return gst_video_convert_sample (frame, rgb.get (), GST_SECOND, error); },
          "The frame cannot be read"));
  const MappedFrame mapped (converted.get ());
  ensure (bool (mapped), "The frame cannot be read");
  const GstVideoFrame &shown = mapped.frame;
  const auto picture = Ref<GdkPixbuf>::take (gdk_pixbuf_new_from_data (static_cast<const guchar *> (shown.data[0]),
      GDK_COLORSPACE_RGB, FALSE, 8, shown.info.width, shown.info.height, shown.info.stride[0], nullptr, nullptr));
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
  pipeline.source ().spare (path);
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
  pipeline.source ().spare (path);
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
  pipeline.source ().spare (path);
  write_file (path, launch_script (pipeline.words ()));
  g_chmod (path.c_str (), 0755);
}

void
Window::build ()
{
  gtk_window_set_titlebar (get (), build_header ());
  GtkWidget *screen = make_box (GTK_ORIENTATION_VERTICAL, 0, {video.widget (), scopes.widget (), build_transport ()});
  GtkWidget *left = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  gtk_paned_pack1 (GTK_PANED (left), screen, TRUE, FALSE);
  gtk_paned_pack2 (GTK_PANED (left), with (editor.widget (), "height-request", 300), FALSE, FALSE);
  side =
      make_box (GTK_ORIENTATION_VERTICAL, 0, {list.widget (), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL), panel.widget ()});
  GtkWidget *halves = make (GTK_TYPE_PANED, "orientation", GTK_ORIENTATION_HORIZONTAL, "vexpand", TRUE);
  gtk_paned_pack1 (GTK_PANED (halves), left, TRUE, FALSE);
  gtk_paned_pack2 (GTK_PANED (halves), with (add_style (side, "side"), "width-request", 400), FALSE, FALSE);
  gtk_container_add (GTK_CONTAINER (window),
      make_box (GTK_ORIENTATION_VERTICAL, 0, {messages.widget (), halves, exports.widget (), status_bar = build_status ()}));
  accept_drops ();
}

GtkWidget *
Window::build_header ()
{
  GtkWidget *header = make (GTK_TYPE_HEADER_BAR, "show-close-button", TRUE, "title", "OpenCL studio", "has-subtitle", FALSE);
  play_image = make_icon ("media-playback-pause-symbolic");
  GtkWidget *play = make (GTK_TYPE_BUTTON, "image", play_image, "name", "play", "tooltip-text", "Play or pause (Ctrl+P)",
      "action-name", "win.play");
  GtkWidget *loop = make (GTK_TYPE_TOGGLE_BUTTON, "child", make_icon ("media-playlist-repeat-symbolic"), "tooltip-text",
      "Repeat at the end", "action-name", "win.loop");
  undo_button = named (make_button ("edit-undo-symbolic", "Undo (Ctrl+Z)", [this] { history.undo (); }), "undo");
  redo_button = named (make_button ("edit-redo-symbolic", "Redo (Ctrl+Shift+Z)", [this] { history.redo (); }), "redo");
  GtkWidget *changes = add_style (make_box (GTK_ORIENTATION_HORIZONTAL, 0, {undo_button, redo_button}), "linked");
  for (GtkWidget *each : {source.widget (), play, loop, changes})
    gtk_header_bar_pack_start (GTK_HEADER_BAR (header), each);
  gtk_header_bar_pack_end (GTK_HEADER_BAR (header), build_menu ());
  for (const auto &[text, name, tip] : {std::tuple ("Before | After", "split",
                                            "Show the unfiltered picture left of a line (Ctrl+B); drag the line in the video"),
           {"Region", "region",
               "Draw the region that the selected filter works in (Ctrl+R): drag in the video; a click takes the region away"},
           {"Scopes", "scopes", "Show a histogram and a waveform of the picture (Ctrl+H)"}})
    gtk_header_bar_pack_end (GTK_HEADER_BAR (header), make (GTK_TYPE_TOGGLE_BUTTON, "label", text, "name", name, "tooltip-text",
                                                          tip, "action-name", (std::string ("win.") + name).c_str ()));
  return header;
}

GtkWidget *
Window::build_menu ()
{
  const Ref<GMenu> menu = Ref<GMenu>::take (g_menu_new ());
  for (const auto &[text, action] : {std::pair ("Export the video…", "win.export"), {"Save the frame…", "win.frame"},
           {"Copy as gst-launch-1.0", "win.copy"}, {"Copy as C", "win.copy-c"}, {"Copy as Python", "win.copy-python"},
           {"Save as a script…", "win.save"}, {"Open a script…", "win.open"}})
    g_menu_append (menu.get (), text, action);
  return make (GTK_TYPE_MENU_BUTTON, "child", make_icon ("open-menu-symbolic"), "tooltip-text", "Export, save, open, copy",
      "name", "menu", "menu-model", menu.get ());
}

/* The bar below the video, for sources with a length. */
GtkWidget *
Window::build_transport ()
{
  seeker = make (GTK_TYPE_SCALE, "draw-value", FALSE, "hexpand", TRUE);
  connect<> (seeker, "value-changed", [this] {
    if (!silent)
      pipeline.seek (gint64 (gtk_range_get_value (GTK_RANGE (seeker))));
  });
  time = make_label ("", "cost");
  transport = make_box (GTK_ORIENTATION_HORIZONTAL, 8, {seeker, time});
  return hidden (with (transport, "margin-start", 10, "margin-end", 10));
}

GtkWidget *
Window::build_status ()
{
  rate_label = with (make_label ("", "cost"), "ellipsize", PANGO_ELLIPSIZE_NONE);
  device_label = with (make_label ("", "cost"), "max-width-chars", 34);
  line_label = with (make_label ("", "line"), "hexpand", TRUE, "selectable", TRUE, "can-focus", FALSE);
  GtkWidget *copy =
      with (make_small_button ("edit-copy-symbolic", "Copy the launch line (Ctrl+Shift+C)"), "action-name", "win.copy");
  return add_style (make_box (GTK_ORIENTATION_HORIZONTAL, 12,
                        {rate_label, gtk_separator_new (GTK_ORIENTATION_VERTICAL), line_label, copy,
                            gtk_separator_new (GTK_ORIENTATION_VERTICAL), device_label,
                            gtk_separator_new (GTK_ORIENTATION_VERTICAL), build_zoom ()}),
      "statusbar");
}

GtkWidget *
Window::build_chains ()
{
  const auto save = [this] (const std::string &name) {
    const std::string line = joined (pipeline.filter_words (), " ");
    ensure (!line.empty (), "There are no filters to save: add some first");
    save_chain (name, line);
  };
  return make_name_menu ({.title = "Chains",
      .tip = "Filters for a purpose: load a chain by name, or save these filters as one",
      .id = "chains",
      .prompt = "Name for these filters",
      .list = chains,
      /* replaces the filters and keeps the source */
      .choose = [this] (const std::string &name) { open_line (chain_of (name).text); },
      .save = save,
      .remove = delete_chain});
}

GtkWidget *
Window::build_zoom ()
{
  constexpr struct {
    const char *icon, *tip, *action;
  } entries[] = {{"zoom-fit-best-symbolic", "Fit the video to the window (Ctrl+0)", "fit"},
      {"zoom-original-symbolic", "One pixel of the screen for each of the video (Ctrl+1)", "original"},
      {"view-fullscreen-symbolic", "Full screen (F11, or a double click on the video)", "full-screen"}};
  zoom_label = with (make_label ("", "cost"), "width-chars", 5);
  GtkWidget *box = make_box (GTK_ORIENTATION_HORIZONTAL, 2, {zoom_label});
  for (const auto &[icon, tip, action] : entries)
    gtk_container_add (GTK_CONTAINER (box),
        with (make_small_button (icon, tip), "name", action, "action-name", (std::string ("win.") + action).c_str ()));
  return box;
}

void
Window::accept_drops ()
{
  gtk_drag_dest_set (window, GTK_DEST_DEFAULT_ALL, nullptr, 0, GDK_ACTION_COPY);
  gtk_drag_dest_add_uri_targets (window);
  connect<GdkDragContext *, int, int, GtkSelectionData *, guint, guint> (
      window, "drag-data-received", [this] (GdkDragContext *, int, int, GtkSelectionData *data, guint, guint) {
        const Strings uris (gtk_selection_data_get_uris (data));
        if (uris && *uris)
          open_dropped (*uris.get ());
      });
}

void
Window::add_action (const char *name, const char *key, std::function<void ()> action, std::function<bool ()> is_on)
{
  GSimpleAction *made =
      is_on ? g_simple_action_new_stateful (name, nullptr, g_variant_new_boolean (FALSE)) : g_simple_action_new (name, nullptr);
  connect<GVariant *> (made, "activate", [action = std::move (action)] (GVariant *) { action (); });
  g_action_map_add_action (G_ACTION_MAP (window), G_ACTION (made));
  g_object_unref (made);
  if (is_on)
    toggles.emplace_back (made, std::move (is_on));
  const Strings keys (g_strsplit (key, " ", -1));
  gtk_application_set_accels_for_action (application, (std::string ("win.") + name).c_str (), keys.get ());
}

void
Window::add_actions ()
{
  const auto save = [this] (const char *title, const char *name, void (Window::*save_to) (const std::string &)) {
    choose_file (get (), title, name, false, [this, save_to] (const std::string &path) { (this->*save_to) (path); });
  };
  add_action ("copy", "<Control><Shift>c", [this] { copy (launch_line (pipeline.words ()), "The launch line"); });
  add_action ("copy-c", "", [this] { copy (c_program (pipeline.words ()), "The C program"); });
  add_action ("copy-python", "", [this] { copy (python_program (pipeline.words ()), "The Python program"); });
  add_action ("save", "<Control>s", [=] { save ("Save the pipeline as a script", "pipeline.sh", &Window::save_script_to); });
  add_action ("open", "<Control>o", [this] {
    choose_file (get (), "Open a script with a launch line", nullptr, false,
        [this] (const std::string &path) { open_line (read_file (path)); });
  });
  add_action ("export", "<Control>e", [this] { exports.ask (); });
  add_action ("frame", "<Control><Shift>s", [=] { save ("Save the frame", "frame.png", &Window::save_frame_to); });
  add_action ("undo", "<Control>z", [this] { undo (); });
  add_action ("redo", "<Control><Shift>z", [this] { undo (true); });
  add_action (
      "split", "<Control>b", [this] { set_split (pipeline.split ().position () > 0 ? 0 : 0.5); },
      [this] { return pipeline.split ().position () > 0; });
  add_action (
      "region", "<Control>r", [this] { set_drawing_region (!video.region ().is_drawing ()); },
      [this] { return video.region ().is_drawing (); });
  add_action (
      "scopes", "<Control>h", [this] { set_scopes (!scopes.is_shown ()); }, [this] { return scopes.is_shown (); });
  add_action ("fit", "<Control>0", [this] { video.zoom ().set (0); });
  add_action ("original", "<Control>1", [this] { video.zoom ().set (1); });
  add_action ("zoom-in", "<Control>plus <Control>equal", [this] { video.zoom ().set (1.25 * video.zoom ().shown ()); });
  add_action ("zoom-out", "<Control>minus", [this] { video.zoom ().set (0.8 * video.zoom ().shown ()); });
  add_action ("full-screen", "F11", [this] { set_full_screen (!full_screen); });
  add_action ("play", "<Control>p",
      [this] { pipeline.is_playing () && !pipeline.has_failed () ? pipeline.pause () : pipeline.play (); });
  add_action (
      "loop", "",
      [this] {
        pipeline.set_looping (!pipeline.is_looping ());
        update ();
      },
      [this] { return pipeline.is_looping (); });
  add_action ("close", "<Control>q", [this] { gtk_window_close (get ()); });
}

}  // namespace studio

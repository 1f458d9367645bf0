/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the parts of the window, and binds keys. */
#include "examples.hpp"
#include "window.hpp"

namespace studio {

void
Window::build ()
{
  gtk_window_set_titlebar (get (), build_header ());
  GtkWidget *screen = make_box (GTK_ORIENTATION_VERTICAL, 0, {video.widget (), scopes.widget (), build_transport ()});
  GtkWidget *left = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  gtk_paned_pack1 (GTK_PANED (left), screen, TRUE, FALSE);
  gtk_paned_pack2 (GTK_PANED (left), editor.widget (), FALSE, FALSE);
  gtk_widget_set_size_request (editor.widget (), -1, 300);
  side =
      make_box (GTK_ORIENTATION_VERTICAL, 0, {list.widget (), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL), panel.widget ()});
  gtk_widget_set_size_request (side, 400, -1);
  add_style (side, "side");
  GtkWidget *halves = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  gtk_paned_pack1 (GTK_PANED (halves), left, TRUE, FALSE);
  gtk_paned_pack2 (GTK_PANED (halves), side, FALSE, FALSE);
  gtk_widget_set_vexpand (halves, TRUE);
  gtk_container_add (GTK_CONTAINER (window),
      make_box (GTK_ORIENTATION_VERTICAL, 0, {messages.widget (), halves, exports.widget (), status_bar = build_status ()}));
  accept_drops ();
}

GtkWidget *
Window::build_header ()
{
  GtkWidget *header = gtk_header_bar_new ();
  gtk_header_bar_set_show_close_button (GTK_HEADER_BAR (header), TRUE);
  gtk_header_bar_set_title (GTK_HEADER_BAR (header), "OpenCL studio");
  gtk_header_bar_set_has_subtitle (GTK_HEADER_BAR (header), FALSE);
  play = make_button ("media-playback-pause-symbolic", "Play or pause (Ctrl+P)", [this] { toggle_play (); });
  play_image = gtk_button_get_image (GTK_BUTTON (named (play, "play")));
  loop = make_toggle ("media-playlist-repeat-symbolic", "Repeat at the end");
  connect<> (loop, "toggled", [this] {
    if (!silent)
      pipeline.set_looping (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (loop)));
  });
  split = build_toggle ("Before | After", "split",
      "Show the unfiltered picture left of a line (Ctrl+B); drag the line in the video",
      [this] (bool on) { set_split (on ? 0.5 : 0); });
  region = build_toggle ("Region", "region",
      "Draw the region that the selected filter works in (Ctrl+R): drag in the video; a click takes the region away",
      [this] (bool on) { set_drawing_region (on); });
  scope_button = build_toggle (
      "Scopes", "scopes", "Show a histogram and a waveform of the picture (Ctrl+H)", [this] (bool on) { set_scopes (on); });
  for (GtkWidget *each : {source.widget (), play, loop, build_history ()})
    gtk_header_bar_pack_start (GTK_HEADER_BAR (header), each);
  for (GtkWidget *each : {build_menu (), split, region, scope_button})
    gtk_header_bar_pack_end (GTK_HEADER_BAR (header), each);
  return header;
}

GtkWidget *
Window::build_toggle (const char *text, const char *name, const char *tip, std::function<void (bool)> switched)
{
  GtkWidget *button = named (gtk_toggle_button_new_with_label (text), name);
  gtk_widget_set_tooltip_text (button, tip);
  connect<> (button, "toggled", [this, button, switched = std::move (switched)] {
    if (!silent)
      switched (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button)));
  });
  return button;
}

GtkWidget *
Window::build_history ()
{
  undo_button = named (make_button ("edit-undo-symbolic", "Undo (Ctrl+Z)", [this] { history.undo (); }), "undo");
  redo_button = named (make_button ("edit-redo-symbolic", "Redo (Ctrl+Shift+Z)", [this] { history.redo (); }), "redo");
  GtkWidget *both = make_box (GTK_ORIENTATION_HORIZONTAL, 0, {undo_button, redo_button});
  add_style (both, "linked");
  return both;
}

GtkWidget *
Window::build_menu ()
{
  const Ref<GMenu> menu = Ref<GMenu>::take (g_menu_new ());
  for (const auto &[text, action] : {std::pair ("Export the video…", "win.export"), {"Save the frame…", "win.frame"},
           {"Copy as gst-launch-1.0", "win.copy"}, {"Copy as C", "win.copy-c"}, {"Copy as Python", "win.copy-python"},
           {"Save as a script…", "win.save"}, {"Open a script…", "win.open"}})
    g_menu_append (menu.get (), text, action);
  GtkWidget *button = make_menu_button (make_icon ("open-menu-symbolic"), "Export, save, open, copy", "menu");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu.get ()));
  return button;
}

/* The bar below the video, for sources with a length. */
GtkWidget *
Window::build_transport ()
{
  seeker = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 1);
  gtk_scale_set_draw_value (GTK_SCALE (seeker), FALSE);
  connect<> (expanding (seeker), "value-changed", [this] {
    if (!silent)
      pipeline.seek (gint64 (gtk_range_get_value (GTK_RANGE (seeker))));
  });
  time = make_label ("", "cost");
  transport = make_box (GTK_ORIENTATION_HORIZONTAL, 8, {seeker, time});
  gtk_widget_set_margin_start (transport, 10);
  gtk_widget_set_margin_end (transport, 10);
  return hidden (transport);
}

GtkWidget *
Window::build_status ()
{
  rate_label = make_label ("", "cost");
  gtk_label_set_ellipsize (GTK_LABEL (rate_label), PANGO_ELLIPSIZE_NONE);
  device_label = make_label ("", "cost");
  gtk_label_set_max_width_chars (GTK_LABEL (device_label), 34);
  line_label = expanding (make_label ("", "line"));
  gtk_label_set_selectable (GTK_LABEL (line_label), TRUE);
  gtk_widget_set_can_focus (line_label, FALSE);
  GtkWidget *copy = make_small_button ("edit-copy-symbolic", "Copy the launch line (Ctrl+Shift+C)");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (copy), "win.copy");
  GtkWidget *bar = make_box (GTK_ORIENTATION_HORIZONTAL, 12,
      {rate_label, gtk_separator_new (GTK_ORIENTATION_VERTICAL), line_label, copy, gtk_separator_new (GTK_ORIENTATION_VERTICAL),
          device_label, gtk_separator_new (GTK_ORIENTATION_VERTICAL), build_zoom ()});
  add_style (bar, "statusbar");
  return bar;
}

GtkWidget *
Window::build_chains ()
{
  const auto list = [] {
    std::vector<NamedThing> things;
    for (const Chain &chain : chains ())
      things.push_back ({chain.name, chain.about, chain.own});
    return things;
  };
  const auto save = [this] (const std::string &name) {
    const std::string line = joined (pipeline.filter_words (), " ");
    ensure (!line.empty (), "There are no filters to save: add some first");
    save_chain (name, line);
  };
  return make_name_menu ({.title = "Chains",
      .tip = "Filters for a purpose: load a chain by name, or save these filters as one",
      .id = "chains",
      .prompt = "Name for these filters",
      .list = list,
      /* replaces the filters and keeps the source */
      .choose = [this] (const std::string &name) { open_line (chain_of (name).line); },
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
  zoom_label = make_label ("", "cost");
  gtk_label_set_width_chars (GTK_LABEL (zoom_label), 5);
  GtkWidget *box = make_box (GTK_ORIENTATION_HORIZONTAL, 2, {zoom_label});
  for (const auto &entry : entries) {
    GtkWidget *button = named (make_small_button (entry.icon, entry.tip), entry.action);
    gtk_actionable_set_action_name (GTK_ACTIONABLE (button), (std::string ("win.") + entry.action).c_str ());
    gtk_container_add (GTK_CONTAINER (box), button);
  }
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
Window::add_action (const char *name, const char *key, std::function<void ()> action)
{
  const Ref<GSimpleAction> made = Ref<GSimpleAction>::take (g_simple_action_new (name, nullptr));
  connect<GVariant *> (made.get (), "activate", [action = std::move (action)] (GVariant *) { action (); });
  g_action_map_add_action (G_ACTION_MAP (window), G_ACTION (made.get ()));
  const std::string full = std::string ("win.") + name;
  const Strings keys (g_strsplit (key, " ", -1));
  gtk_application_set_accels_for_action (application, full.c_str (), keys.get ());
}

void
Window::add_actions ()
{
  add_action ("copy", "<Control><Shift>c", [this] { copy (launch_line (pipeline.words ()), "The launch line"); });
  add_action ("copy-c", "", [this] { copy (c_program (pipeline.words ()), "The C program"); });
  add_action ("copy-python", "", [this] { copy (python_program (pipeline.words ()), "The Python program"); });
  add_action ("save", "<Control>s", [this] { save_script (); });
  add_action ("open", "<Control>o", [this] { open_script (); });
  add_action ("export", "<Control>e", [this] { exports.ask (); });
  add_action ("frame", "<Control><Shift>s", [this] { save_frame (); });
  add_action ("undo", "<Control>z", [this] { undo (); });
  add_action ("redo", "<Control><Shift>z", [this] { undo (true); });
  add_action ("split", "<Control>b", [this] { set_split (pipeline.split ().position () > 0 ? 0 : 0.5); });
  add_action ("region", "<Control>r", [this] { set_drawing_region (!video.region ().is_drawing ()); });
  add_action ("scopes", "<Control>h", [this] { set_scopes (!scopes.is_shown ()); });
  add_action ("fit", "<Control>0", [this] { video.zoom ().set (0); });
  add_action ("original", "<Control>1", [this] { video.zoom ().set (1); });
  add_action ("zoom-in", "<Control>plus <Control>equal", [this] { video.zoom ().set (1.25 * video.zoom ().shown ()); });
  add_action ("zoom-out", "<Control>minus", [this] { video.zoom ().set (0.8 * video.zoom ().shown ()); });
  add_action ("full-screen", "F11", [this] { set_full_screen (!full_screen); });
  add_action ("play", "<Control>p", [this] { toggle_play (); });
  add_action ("close", "<Control>q", [this] { gtk_window_close (get ()); });
}

}  // namespace studio

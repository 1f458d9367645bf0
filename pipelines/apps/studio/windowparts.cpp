/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the window, where they stand, and the keys. */
#include "window.hpp"

namespace studio {

namespace {

constexpr int side_width = 400;

}  // namespace

void
Window::build ()
{
  gtk_window_set_titlebar (get (), build_header ());
  build_info_bar ();
  GtkWidget *screen = make_box (GTK_ORIENTATION_VERTICAL, 0, {video.widget (), build_transport ()});
  GtkWidget *left = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  gtk_paned_pack1 (GTK_PANED (left), screen, TRUE, FALSE);
  gtk_paned_pack2 (GTK_PANED (left), editor.widget (), FALSE, FALSE);
  gtk_widget_set_size_request (editor.widget (), -1, 300);
  GtkWidget *side =
      make_box (GTK_ORIENTATION_VERTICAL, 0, {list.widget (), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL), panel.widget ()});
  gtk_widget_set_size_request (side, side_width, -1);
  add_style (side, "side");
  GtkWidget *halves = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  gtk_paned_pack1 (GTK_PANED (halves), left, TRUE, FALSE);
  gtk_paned_pack2 (GTK_PANED (halves), side, FALSE, FALSE);
  gtk_widget_set_vexpand (halves, TRUE);
  gtk_container_add (GTK_CONTAINER (window), make_box (GTK_ORIENTATION_VERTICAL, 0, {info, halves, build_status ()}));
}

GtkWidget *
Window::build_header ()
{
  GtkWidget *header = gtk_header_bar_new ();
  gtk_header_bar_set_show_close_button (GTK_HEADER_BAR (header), TRUE);
  gtk_header_bar_set_title (GTK_HEADER_BAR (header), "OpenCL studio");
  gtk_header_bar_set_has_subtitle (GTK_HEADER_BAR (header), FALSE);
  play = make_button ("media-playback-pause-symbolic", "Play or pause (Ctrl+P)");
  play_image = gtk_button_get_image (GTK_BUTTON (play));
  gtk_widget_set_name (play, "play");
  connect<> (play, "clicked", [this] { toggle_play (); });
  loop = make_toggle ("media-playlist-repeat-symbolic", "Repeat at the end");
  connect<> (loop, "toggled", [this] {
    if (!silent)
      pipeline.set_looping (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (loop)));
  });
  split = gtk_toggle_button_new_with_label ("Before | After");
  gtk_widget_set_tooltip_text (split, "Show the unfiltered picture left of a line (Ctrl+B); drag the line in the video");
  gtk_widget_set_name (split, "split");
  connect<> (split, "toggled", [this] {
    if (!silent)
      set_split (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (split)) ? 0.5 : 0);
  });
  gtk_header_bar_pack_start (GTK_HEADER_BAR (header), source.widget ());
  gtk_header_bar_pack_start (GTK_HEADER_BAR (header), play);
  gtk_header_bar_pack_start (GTK_HEADER_BAR (header), loop);
  gtk_header_bar_pack_end (GTK_HEADER_BAR (header), build_menu ());
  gtk_header_bar_pack_end (GTK_HEADER_BAR (header), split);
  return header;
}

GtkWidget *
Window::build_menu ()
{
  const Ref<GMenu> menu = Ref<GMenu>::take (g_menu_new ());
  g_menu_append (menu.get (), "Copy the launch line", "win.copy");
  g_menu_append (menu.get (), "Save as a script…", "win.save");
  g_menu_append (menu.get (), "Open a script…", "win.open");
  GtkWidget *button = gtk_menu_button_new ();
  gtk_container_add (GTK_CONTAINER (button), gtk_image_new_from_icon_name ("open-menu-symbolic", GTK_ICON_SIZE_BUTTON));
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu.get ()));
  gtk_widget_set_tooltip_text (button, "Save, open, copy");
  return button;
}

/* The bar below the video, for sources that have a length. */
GtkWidget *
Window::build_transport ()
{
  seeker = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 1);
  gtk_scale_set_draw_value (GTK_SCALE (seeker), FALSE);
  gtk_widget_set_hexpand (seeker, TRUE);
  connect<> (seeker, "value-changed", [this] {
    if (!silent)
      pipeline.seek (gint64 (gtk_range_get_value (GTK_RANGE (seeker))));
  });
  time = make_label ("", "cost");
  transport = make_box (GTK_ORIENTATION_HORIZONTAL, 8, {seeker, time});
  gtk_widget_set_margin_start (transport, 10);
  gtk_widget_set_margin_end (transport, 10);
  gtk_widget_show_all (transport);
  gtk_widget_set_no_show_all (transport, TRUE);
  gtk_widget_hide (transport);
  return transport;
}

GtkWidget *
Window::build_status ()
{
  rate_label = make_label ("", "cost");
  gtk_label_set_ellipsize (GTK_LABEL (rate_label), PANGO_ELLIPSIZE_NONE);
  device_label = make_label ("", "cost");
  gtk_label_set_max_width_chars (GTK_LABEL (device_label), 34);
  line_label = make_label ("", "line");
  gtk_label_set_selectable (GTK_LABEL (line_label), TRUE);
  gtk_widget_set_can_focus (line_label, FALSE);
  gtk_widget_set_hexpand (line_label, TRUE);
  GtkWidget *copy = make_button ("edit-copy-symbolic", "Copy the launch line (Ctrl+Shift+C)");
  add_style (copy, "small");
  gtk_button_set_relief (GTK_BUTTON (copy), GTK_RELIEF_NONE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (copy), "win.copy");
  GtkWidget *bar = make_box (GTK_ORIENTATION_HORIZONTAL, 12,
      {rate_label, gtk_separator_new (GTK_ORIENTATION_VERTICAL), line_label, copy, gtk_separator_new (GTK_ORIENTATION_VERTICAL),
          device_label});
  add_style (bar, "statusbar");
  return bar;
}

void
Window::build_info_bar ()
{
  info = gtk_info_bar_new ();
  gtk_info_bar_set_show_close_button (GTK_INFO_BAR (info), TRUE);
  info_text = make_label ("", "heading");
  info_details = make_label ("");
  gtk_label_set_lines (GTK_LABEL (info_details), 5);
  for (GtkWidget *label : {info_text, info_details}) {
    gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
    gtk_label_set_line_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_selectable (GTK_LABEL (label), TRUE);
    gtk_widget_set_can_focus (label, FALSE);
  }
  retry = gtk_info_bar_add_button (GTK_INFO_BAR (info), "Try again", GTK_RESPONSE_APPLY);
  GtkWidget *content = make_box (GTK_ORIENTATION_VERTICAL, 2, {info_text, info_details});
  gtk_container_add (GTK_CONTAINER (gtk_info_bar_get_content_area (GTK_INFO_BAR (info))), content);
  connect<int> (info, "response", [this] (int response) {
    hide_message ();
    if (response == GTK_RESPONSE_APPLY)
      pipeline.restart ();
  });
  gtk_widget_show_all (info);
  gtk_widget_set_no_show_all (info, TRUE);
  gtk_widget_hide (info);
}

void
Window::add_action (const char *name, const char *key, std::function<void ()> action)
{
  const Ref<GSimpleAction> made = Ref<GSimpleAction>::take (g_simple_action_new (name, nullptr));
  connect<GVariant *> (made.get (), "activate", [action = std::move (action)] (GVariant *) { action (); });
  g_action_map_add_action (G_ACTION_MAP (window), G_ACTION (made.get ()));
  const std::string full = std::string ("win.") + name;
  const char *keys[] = {key, nullptr};
  gtk_application_set_accels_for_action (application, full.c_str (), keys);
}

void
Window::add_actions ()
{
  add_action ("copy", "<Control><Shift>c", [this] { copy_line (); });
  add_action ("save", "<Control>s", [this] { save_script (); });
  add_action ("open", "<Control>o", [this] { open_script (); });
  add_action ("split", "<Control>b", [this] { set_split (pipeline.split ().position () > 0 ? 0 : 0.5); });
  add_action ("play", "<Control>p", [this] { toggle_play (); });
  add_action ("close", "<Control>q", [this] { gtk_window_close (get ()); });
}

}  // namespace studio

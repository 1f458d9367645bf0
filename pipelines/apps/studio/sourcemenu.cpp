/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sourcemenu.hpp"
#include "catalog.hpp"

#include <algorithm>

namespace studio {

namespace {

constexpr struct {
  const char *name, *title;
} formats_offered[] = {{"BGRx", "RGB, 8 bits"}, {"RGBA", "RGBA, 8 bits"}, {"I420", "YUV 4:2:0 (I420)"},
    {"NV12", "YUV 4:2:0 (NV12)"}, {"Y444", "YUV 4:4:4"}, {"I420_10LE", "YUV 4:2:0, 10 bits"}, {"RGBA64_LE", "RGBA, 16 bits"},
    {"GRAY8", "Gray, 8 bits"}, {"", "As it comes"}};

GtkWidget *
field (const char *name, GtkWidget *control)
{
  GtkWidget *label = make_label (name);
  gtk_widget_set_size_request (label, 100, -1);
  return make_box (GTK_ORIENTATION_HORIZONTAL, 8, {label, expanding (control)});
}

}  // namespace

SourceMenu::SourceMenu (Model &model, GtkWindow *window) : model (model), window (window)
{
  label = make_label ("");
  gtk_label_set_max_width_chars (GTK_LABEL (label), 26);
  GtkWidget *title = make_box (
      GTK_ORIENTATION_HORIZONTAL, 8, {make_icon ("video-x-generic-symbolic"), label, make_icon ("pan-down-symbolic")});
  button = make_menu_button (title, "Where the pictures come from", "source");
  popover = gtk_popover_new (button);
  camera_list = make_box (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *file = make_text_button ("document-open-symbolic", "Open a video…", "Any file that GStreamer can decode");
  connect<> (file, "clicked", [this] { choose_file (); });
  GtkWidget *content = make_box (GTK_ORIENTATION_VERTICAL, 10,
      {file, field ("Test pattern", patterns ()), camera_list, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL),
          field ("Filter in", formats ())});
  gtk_container_set_border_width (GTK_CONTAINER (content), 12);
  gtk_widget_set_size_request (content, 300, -1);
  gtk_container_add (GTK_CONTAINER (popover), content);
  gtk_widget_show_all (content);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  /* to look for cameras takes a while, and they come and go */
  connect<> (popover, "map", [this] { list_cameras (); });
}

GtkWidget *
SourceMenu::patterns ()
{
  pattern_box = gtk_combo_box_text_new ();
  for (const Choice &pattern : test_patterns ())
    gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (pattern_box), pattern.nick.c_str (), pattern.nick.c_str ());
  gtk_combo_box_set_wrap_width (GTK_COMBO_BOX (pattern_box), 2);
  connect<> (pattern_box, "changed", [this] {
    const char *nick = gtk_combo_box_get_active_id (GTK_COMBO_BOX (pattern_box));
    if (nick && !silent)
      choose ({.what = nick});
  });
  return pattern_box;
}

GtkWidget *
SourceMenu::formats ()
{
  format_box = gtk_combo_box_text_new ();
  for (const auto &format : formats_offered)
    gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (format_box), format.name, format.title);
  gtk_widget_set_tooltip_text (format_box, "Format to which frames are converted before the filters");
  connect<> (format_box, "changed", [this] {
    const char *name = gtk_combo_box_get_active_id (GTK_COMBO_BOX (format_box));
    if (!name || silent)
      return;
    model.set_format (name);
    on_change ();
  });
  return format_box;
}

void
SourceMenu::list_cameras ()
{
  clear (camera_list);
  for (const Choice &camera : cameras ()) {
    GtkWidget *entry = make_text_button ("camera-web-symbolic", camera.title, camera.nick);
    connect<> (entry, "clicked", [this, device = camera.nick] {
      gtk_popover_popdown (GTK_POPOVER (popover));
      choose ({.kind = Source::Kind::camera, .what = device});
    });
    gtk_container_add (GTK_CONTAINER (camera_list), entry);
  }
  gtk_widget_show_all (camera_list);
}

void
SourceMenu::choose_file ()
{
  gtk_popover_popdown (GTK_POPOVER (popover));
  const std::string uri = studio::choose_file (window, "Open a video", nullptr, true);
  if (!uri.empty ())
    choose (file_source (uri));
}

void
SourceMenu::choose (const Source &source)
{
  model.set_source (source);
  update ();
  on_change ();
}

void
SourceMenu::update ()
{
  silent = true;
  const Source &source = model.source ();
  const std::string title = source.title ();
  gtk_label_set_text (GTK_LABEL (label), title.c_str ());
  /* a label that may be shortened claims no place of its own in a title bar */
  gtk_label_set_width_chars (GTK_LABEL (label), int (std::min<glong> (g_utf8_strlen (title.c_str (), -1), 26)));
  if (source.kind == Source::Kind::pattern)
    gtk_combo_box_set_active_id (GTK_COMBO_BOX (pattern_box), source.what.c_str ());
  else
    gtk_combo_box_set_active (GTK_COMBO_BOX (pattern_box), -1);
  gtk_combo_box_set_active_id (GTK_COMBO_BOX (format_box), model.format ().c_str ());
  silent = false;
}

}  // namespace studio

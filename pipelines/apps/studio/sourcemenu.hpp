/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The menu of the source: test patterns, files, cameras, and the format for the filters. */
#pragma once

#include "gui.hpp"
#include "model.hpp"

#include <algorithm>

namespace studio {

class SourceMenu {
public:
  SourceMenu (Model &model, GtkWindow *window) : model (model), window (window)
  {
    label = with (make_label (""), "max-width-chars", 26);
    GtkWidget *title = make_box (
        GTK_ORIENTATION_HORIZONTAL, 8, {make_icon ("video-x-generic-symbolic"), label, make_icon ("pan-down-symbolic")});
    button = make (GTK_TYPE_MENU_BUTTON, "child", title, "tooltip-text", "Where the pictures come from", "name", "source");
    camera_list = make_box (GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *file =
        make_text_button ("document-open-symbolic", "Open a video…", "Any file that GStreamer can decode", [this] {
          gtk_popover_popdown (GTK_POPOVER (popover));
          choose_file (
              this->window, "Open a video", nullptr, true, [this] (const std::string &uri) { choose (file_source (uri)); });
        });
    std::vector<Choice> patterns = test_patterns ();
    for (Choice &pattern : patterns)
      pattern.title = pattern.nick;
    pattern_box = with (make_combo (patterns,
                            [this] (const std::string &nick) {
                              if (!silent)
                                choose ({.what = nick});
                            }),
        "wrap-width", 2);
    format_box = make_combo (formats_offered, [this] (const std::string &name) {
      if (silent)
        return;
      this->model.set_format (name);
      on_change ();
    });
    gtk_widget_set_tooltip_text (format_box, "Format to which frames are converted before the filters");
    GtkWidget *content = make_box (GTK_ORIENTATION_VERTICAL, 10,
        {file, field ("Test pattern", pattern_box), camera_list, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL),
            field ("Filter in", format_box)});
    popover = add_popover (button, with (content, "width-request", 300), 12);
    /* the list of cameras changes, and takes a while to find */
    connect<> (popover, "map", [this] { list_cameras (); });
  }

  GtkWidget *widget () const { return button; }
  /* Shows the model's source. */
  void update ()
  {
    silent = true;
    const Source &source = model.source ();
    const std::string title = source.title ();
    /* a label that may be ellipsized requests no width in a title bar */
    with (label, "label", title.c_str (), "width-chars", int (std::min<glong> (g_utf8_strlen (title.c_str (), -1), 26)));
    const bool is_pattern = source.kind == Source::Kind::pattern;
    gtk_combo_box_set_active_id (GTK_COMBO_BOX (pattern_box), is_pattern ? source.what.c_str () : nullptr);
    gtk_combo_box_set_active_id (GTK_COMBO_BOX (format_box), model.format ().c_str ());
    silent = false;
  }

  Hook<> on_change;

private:
  static inline const std::vector<Choice> formats_offered = {{"BGRx", "RGB, 8 bits"}, {"RGBA", "RGBA, 8 bits"},
      {"I420", "YUV 4:2:0 (I420)"}, {"NV12", "YUV 4:2:0 (NV12)"}, {"Y444", "YUV 4:4:4"}, {"I420_10LE", "YUV 4:2:0, 10 bits"},
      {"RGBA64_LE", "RGBA, 16 bits"}, {"GRAY8", "Gray, 8 bits"}, {"", "As it comes"}};

  static GtkWidget *field (const char *name, GtkWidget *control)
  {
    return make_box (GTK_ORIENTATION_HORIZONTAL, 8, {with (make_label (name), "width-request", 100), expanding (control)});
  }

  void list_cameras ()
  {
    clear (camera_list);
    for (const Choice &camera : cameras ()) {
      const auto take = [this, device = camera.nick] {
        gtk_popover_popdown (GTK_POPOVER (popover));
        choose ({.kind = Source::Kind::camera, .what = device});
      };
      gtk_container_add (
          GTK_CONTAINER (camera_list), make_text_button ("camera-web-symbolic", camera.title, camera.nick, take));
    }
    gtk_widget_show_all (camera_list);
  }

  void choose (const Source &source)
  {
    model.set_source (source);
    update ();
    on_change ();
  }

  Model &model;
  GtkWindow *window;
  GtkWidget *button, *label, *popover, *pattern_box, *format_box, *camera_list;
  bool silent = false;
};

}  // namespace studio

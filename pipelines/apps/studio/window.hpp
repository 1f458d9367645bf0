/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The studio's window, which connects all parts. */
#pragma once

#include "editor.hpp"
#include "exporter.hpp"
#include "filterlist.hpp"
#include "history.hpp"
#include "panel.hpp"
#include "scopeview.hpp"
#include "sourcemenu.hpp"
#include "video.hpp"

#include <optional>

namespace studio {

class Window {
public:
  explicit Window (GtkApplication *application);
  ~Window () { silence (); }
  Window (const Window &) = delete;
  Window &operator= (const Window &) = delete;

  GtkWindow *get () const { return GTK_WINDOW (window); }
  Model &model () { return pipeline; }
  FilterList &filters () { return list; }
  Editor &text () { return editor; }

  void open_source (const std::string &path_or_uri);
  void open_line (const std::string &text);
  /* Opens a dropped video, script, kernel or colour table. */
  void open_dropped (const std::string &uri);
  void set_split (double share);
  void set_full_screen (bool on);
  bool is_full_screen () const { return full_screen; }
  void set_drawing_region (bool on);
  void set_scopes (bool on);
  Video &screen () { return video; }
  void save_script_to (const std::string &path);
  void save_frame_to (const std::string &path);
  Exporter &exporter () { return exports; }
  void undo (bool again = false);
  History &changes () { return history; }
  /* Writes the window, or an open dialog, as a PNG file. */
  void screenshot (const std::string &path);
  /* Shows a message with advice, and returns at once. */
  void say (const std::string &text, const std::string &details, GtkMessageType type = GTK_MESSAGE_ERROR);
  std::string message () const { return messages.text (); }
  std::string status () const { return gtk_label_get_text (GTK_LABEL (rate_label)); }

private:
  void build ();
  GtkWidget *build_header ();
  GtkWidget *build_menu ();
  GtkWidget *build_transport ();
  GtkWidget *build_status ();
  GtkWidget *build_zoom ();
  void accept_drops ();
  void show_zoom () { show_text (zoom_label, printed ("%.0f %%", 100 * video.zoom ().shown ())); }
  GtkWidget *build_chains ();
  void listen ();
  void silence ();
  void add_actions ();
  /* is_on: the state, for a button that toggles */
  void add_action (const char *name, const char *key, std::function<void ()> action, std::function<bool ()> is_on = {});
  void update ();
  void show_line ();
  bool tick ();
  void copy (const std::string &text, const char *what);

  GtkApplication *application;
  GtkWidget *window;
  MessageBar messages;
  Video video;
  Model pipeline;
  History history;
  FilterList list;
  Panel panel;
  Editor editor;
  SourceMenu source;
  Exporter exports;
  ScopeView scopes;
  GtkWidget *undo_button, *redo_button, *play_image, *transport, *seeker, *time, *rate_label, *line_label, *device_label, *side,
      *status_bar, *zoom_label;
  std::vector<std::pair<GSimpleAction *, std::function<bool ()>>> toggles;
  guint timer = 0;
  gint64 last_time = 0;
  guint64 last_frames = 0;
  bool silent = false, failing = false, full_screen = false;
};

/* The place of the widget with this name on the screen; menu items are found by their texts. */
std::optional<GdkRectangle> place_of (const std::string &name);

}  // namespace studio

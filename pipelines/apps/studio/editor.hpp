/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pane in which a clprogram's kernel is written, and where its compiler answers. */
#pragma once

#include "gui.hpp"
#include "model.hpp"

namespace studio {

class Editor {
public:
  Editor (Model &model, GtkWindow *window);
  GtkWidget *widget () const { return pane; }

  /* True where the filter runs a kernel of the user's. */
  static bool edits (GstElement *element)
  {
    return element && spec_of (element, "source") && spec_of (element, "location") && spec_of (element, "params");
  }
  /* Shows the filter's text; null leaves nothing to edit. */
  void show (GstElement *filter);
  void set_text (const std::string &shown) { gtk_text_buffer_set_text (buffer, shown.c_str (), -1); }
  void apply ();
  /* A new filter gets something to run. */
  static void prepare (GObject *filter);
  /* Called when an example has set other properties. */
  Hook<> on_settings;
  /* GstClProgramBuild of some filter. */
  void hear (GstElement *filter, const GstStructure *build);
  std::string log () const { return gtk_label_get_text (GTK_LABEL (status)); }
  /* Takes back what was typed, or brings it again, if the text has the keyboard; false where it has not. */
  bool undo (bool again);

private:
  GtkWidget *make_toolbar ();
  GtkWidget *make_text ();
  void build_examples (GtkWidget *button);
  void load (const struct Example &example);
  void open_file ();
  void save_file ();
  std::string text () const;
  void changed ();
  void mark (int line);
  void show_build (bool success, double ms, int line, const std::string &message, const std::string &hint);

  Model &model;
  GtkWindow *window;
  Ref<GstElement> filter;
  GtkTextBuffer *buffer = nullptr;
  GtkWidget *pane, *view, *status, *hint, *output, *output_box;
  guint timer = 0;
  bool silent = false;
};

}  // namespace studio

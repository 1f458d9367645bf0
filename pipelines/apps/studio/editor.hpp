/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pane for the text of a clprogram's kernel, and for the compiler's messages. */
#pragma once

#include "gui.hpp"
#include "model.hpp"

namespace studio {

class Editor {
public:
  Editor (Model &model, GtkWindow *window);
  GtkWidget *widget () const { return pane; }

  /* Whether the filter runs a kernel of the user's. */
  static bool edits (GstElement *element)
  {
    return element && spec_of (element, "source") && spec_of (element, "location") && spec_of (element, "params");
  }
  /* Shows the filter's text; null shows none. */
  void show (GstElement *filter);
  void set_text (const std::string &shown) { gtk_text_buffer_set_text (buffer, shown.c_str (), -1); }
  void apply ();
  /* Gives a new filter a kernel. */
  static void prepare (GObject *filter);
  /* Called when an example has set other properties. */
  Hook<> on_settings;
  /* Takes the message GstClProgramBuild of a filter. */
  void hear (GstElement *filter, const GstStructure *build);
  std::string log () const { return gtk_label_get_text (GTK_LABEL (status)); }
  /* Undoes or redoes typing if the text has the focus; returns false otherwise. */
  bool undo (bool again);

private:
  GtkWidget *make_toolbar ();
  GtkWidget *make_text ();
  GtkWidget *make_examples ();
  void load (const struct Example &example);
  std::string text () const;
  void changed ();
  void mark (int line);

  Model &model;
  GtkWindow *window;
  Ref<GstElement> filter;
  GtkTextBuffer *buffer = nullptr;
  GtkWidget *pane, *view, *status, *hint, *output, *output_box;
  guint timer = 0;
  bool silent = false;
};

}  // namespace studio

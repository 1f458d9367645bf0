/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of one filter, as controls. */
#pragma once

#include "control.hpp"
#include "model.hpp"

namespace studio {

class Panel {
public:
  explicit Panel (Model &model);
  GtkWidget *widget () const { return scroller; }
  /* Null shows what to do first. */
  void show (GstElement *filter);
  /* The filter may have got other children: a kernel has the arguments that its text says. */
  void refresh ();

private:
  static GType child_type (GstElement *filter);
  void show_nothing ();
  GtkWidget *rows (GObject *object, const std::vector<GParamSpec *> &specs);
  void add_row (GtkWidget *grid, int row, GObject *object, GParamSpec *spec);
  GtkWidget *make_presets (GstElement *filter);
  void add_children (GstElement *filter);

  Model &model;
  Ref<GstElement> shown;
  GtkWidget *scroller, *content;
  GType shown_child = G_TYPE_NONE;
  bool common_open = false;
};

}  // namespace studio

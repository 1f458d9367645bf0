/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controls for the properties of one filter. */
#pragma once

#include "gui.hpp"
#include "model.hpp"

namespace studio {

/* Makes a widget for a property from its GParamSpec. The widget follows changes of the property, and calls `set` with a value of the spec's type. Null if no widget supports the
 * type. */
GtkWidget *make_control (GObject *object, GParamSpec *spec, std::function<void (const GValue *)> set);

class Panel {
public:
  explicit Panel (Model &model);
  GtkWidget *widget () const { return scroller; }
  /* Null shows a hint for beginners. */
  void show (GstElement *filter);
  /* Call this when the filter's children have changed, for example a kernel's arguments. */
  void refresh ();

private:
  static GType child_type (GstElement *filter);
  void show_nothing ();
  GtkWidget *rows (GObject *object, const std::vector<GParamSpec *> &specs);
  GtkWidget *make_presets (GstElement *filter);
  void add_children (GstElement *filter);

  Model &model;
  Ref<GstElement> shown;
  GtkWidget *scroller, *content;
  GType shown_child = G_TYPE_NONE;
  bool common_open = false;
};

}  // namespace studio

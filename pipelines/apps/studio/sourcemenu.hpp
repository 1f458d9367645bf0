/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The menu of the source: test patterns, files, cameras, and the format for the filters. */
#pragma once

#include "gui.hpp"
#include "model.hpp"

namespace studio {

class SourceMenu {
public:
  SourceMenu (Model &model, GtkWindow *window);
  GtkWidget *widget () const { return button; }
  /* Shows the model's source. */
  void update ();
  Hook<> on_change;

private:
  void list_cameras ();
  void choose (const Source &source);

  Model &model;
  GtkWindow *window;
  GtkWidget *button, *label, *popover, *pattern_box, *format_box, *camera_list;
  bool silent = false;
};

}  // namespace studio

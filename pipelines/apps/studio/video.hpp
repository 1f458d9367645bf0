/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The video, with the line between before and after that a hand can move. */
#pragma once

#include "gui.hpp"
#include "model.hpp"

namespace studio {

class Video {
public:
  /* Throws std::runtime_error where there is no sink for GTK. */
  Video ();
  GstElement *sink () const { return element.get (); }
  GtkWidget *widget () const { return overlay; }
  void attach (Model &model);

  /* Called when a hand has moved the line. */
  std::function<void ()> on_split;
  void redraw () { gtk_widget_queue_draw (curtain); }

private:
  struct Area {
    double x, y, width, height;
  };
  Area picture () const;
  void draw (cairo_t *cairo) const;
  void drag_to (double x);

  Ref<GstElement> element;
  Model *model = nullptr;
  GtkWidget *overlay, *curtain;
  bool dragging = false;
};

}  // namespace studio

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histogram and waveform of the shown picture, below the video. */
#pragma once

#include "gui.hpp"
#include "model.hpp"
#include "scopes.hpp"

namespace studio {

class ScopeView {
public:
  explicit ScopeView (Model &model);
  GtkWidget *widget () const { return box; }

  void set_shown (bool on)
  {
    gtk_widget_set_visible (box, on);
    measured = 0;
  }
  bool is_shown () const { return gtk_widget_get_visible (box); }

private:
  void refresh ();
  void draw_histogram (cairo_t *cairo, double width, double height) const;
  void draw_waveform (cairo_t *cairo, double width, double height) const;

  Model &model;
  GtkWidget *box, *histogram, *waveform;
  Scopes scopes;
  guint64 measured = 0;
};

}  // namespace studio

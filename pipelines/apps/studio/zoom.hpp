/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How large the video is shown: as large as there is place, or a number of pixels of the screen for each of its own. What
   does not fit is scrolled to. */
#pragma once

#include "gui.hpp"

#include <optional>

namespace studio {

class Zoom {
public:
  /* screen: the widget that shows the video, within content. */
  Zoom (GtkWidget *content, GtkWidget *screen);
  GtkWidget *widget () const { return scroller; }

  /* Of the video, as it is shown at 1:1. */
  void set_size (double width, double height);
  /* 0 fits the video to the place. x and y, of the content, stay where they are. */
  void set (double factor, double x, double y);
  /* The same for the middle of what is seen. */
  void set (double factor);
  void by (double factor, double x, double y) { set (shown () * factor, x, y); }
  bool fits () const { return wanted == 0; }
  /* What is shown now. */
  double shown () const;
  /* Moves what is seen. */
  void pan (double dx, double dy);

  Hook<> on_change;

private:
  void apply ();

  GtkWidget *scroller, *content, *screen;
  double wanted = 0, width = 0, height = 0;
  struct Place {
    /* shares of the content, and where they stand in what is seen */
    double x, y, left, top;
  };
  std::optional<Place> kept;
};

}  // namespace studio

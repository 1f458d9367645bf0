/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The video, with the line between before and after and the region of interest, which a hand can move. */
#pragma once

#include "gui.hpp"
#include "model.hpp"
#include "region.hpp"

#include <optional>

namespace studio {

/* How large the video is shown: as large as there is place, or a number of pixels of the screen for each of its own. What
   does not fit is scrolled to. */
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

class Video {
public:
  /* Throws std::runtime_error where there is no sink for GTK. */
  Video ();
  GstElement *sink () const { return element.get (); }
  GtkWidget *widget () const { return zoomed->widget (); }
  void attach (Model &model);
  Zoom &zoom () { return *zoomed; }
  Region &region () { return *selected; }
  /* Follows the size of the frames. */
  void refresh ();

  /* Called when a hand has moved the line. */
  Hook<> on_split;
  Hook<> on_double_click;
  void redraw () { gtk_widget_queue_draw (curtain); }

private:
  Area picture () const;
  void draw (cairo_t *cairo) const;
  void drag_to (double x);
  void listen ();
  bool press (const GdkEventButton *event);
  void move (const GdkEventMotion *event);
  bool scroll (const GdkEventScroll *event);

  Ref<GstElement> element;
  Model *model = nullptr;
  GtkWidget *overlay, *curtain;
  std::unique_ptr<Zoom> zoomed;
  std::unique_ptr<Region> selected;
  enum class Grip { none, line, region, picture } grip = Grip::none;
  /* where the pointer was when it moved the picture, on the screen */
  double held_x = 0, held_y = 0;
};

}  // namespace studio

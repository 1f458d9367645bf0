/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The video, with a movable line between before and after, and a movable region of interest. */
#pragma once

#include "gui.hpp"
#include "model.hpp"
#include "region.hpp"

#include <optional>

namespace studio {

/* The zoom of the video: fitted to its area, or a number of screen pixels for each pixel; larger content is scrolled. */
class Zoom {
public:
  /* screen: the widget that shows the video, inside content. */
  Zoom (GtkWidget *content, GtkWidget *screen);
  GtkWidget *widget () const { return scroller; }

  /* The size of the video at 1:1. */
  void set_size (double width, double height);
  /* 0 fits the video to its area. The point x, y of the content stays in place. */
  void set (double factor, double x, double y);
  /* The same; the middle of the visible part stays in place. */
  void set (double factor);
  void by (double factor, double x, double y) { set (shown () * factor, x, y); }
  /* The current zoom. */
  double shown () const;
  /* Moves the visible part. */
  void pan (double dx, double dy);

  Hook<> on_change;

private:
  void apply ();

  GtkWidget *scroller, *content, *screen;
  double wanted = 0, width = 0, height = 0;
  struct Place {
    /* a position as shares of the content, and its place in the visible part */
    double x, y, left, top;
  };
  std::optional<Place> kept;
};

class Video {
public:
  /* Throws std::runtime_error if there is no sink for GTK. */
  Video ();
  GstElement *sink () const { return element.get (); }
  GtkWidget *widget () const { return zoomed->widget (); }
  void attach (Model &model);
  Zoom &zoom () { return *zoomed; }
  Region &region () { return *selected; }
  /* Adapts to the size of the frames. */
  void refresh ();

  /* Called when the user has moved the line. */
  Hook<> on_split;
  Hook<> on_double_click;
  void redraw () { gtk_widget_queue_draw (curtain); }

private:
  Area picture () const;
  void draw (cairo_t *cairo) const;
  void drag_to (double x);
  bool press (const GdkEventButton *event);
  void move (const GdkEventMotion *event);
  bool scroll (const GdkEventScroll *event);

  Ref<GstElement> element;
  Model *model = nullptr;
  GtkWidget *overlay, *curtain;
  std::unique_ptr<Zoom> zoomed;
  std::unique_ptr<Region> selected;
  enum class Grip { none, line, region, picture } grip = Grip::none;
  /* the pointer's last position on the screen while it moves the picture */
  double held_x = 0, held_y = 0;
};

}  // namespace studio

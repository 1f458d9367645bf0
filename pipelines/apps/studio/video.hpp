/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The video, with the line between before and after and the region of interest, which a hand can move. */
#pragma once

#include "gui.hpp"
#include "model.hpp"
#include "region.hpp"
#include "zoom.hpp"

namespace studio {

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

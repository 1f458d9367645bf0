/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "video.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace studio {

namespace {

/* how near the pointer has to be to the line, in pixels */
constexpr double reach = 14;
constexpr double pi = 3.14159265358979;

void
draw_tag (cairo_t *cairo, const char *text, double x, double y, bool right_aligned)
{
  cairo_text_extents_t extents;
  cairo_text_extents (cairo, text, &extents);
  const double width = extents.width + 16, left = right_aligned ? x - width : x;
  cairo_set_source_rgba (cairo, 0, 0, 0, 0.55);
  cairo_rectangle (cairo, left, y, width, 22);
  cairo_fill (cairo);
  cairo_set_source_rgb (cairo, 1, 1, 1);
  cairo_move_to (cairo, left + 8, y + 15.5);
  cairo_show_text (cairo, text);
}

void
draw_handle (cairo_t *cairo, double x, double y)
{
  cairo_set_source_rgba (cairo, 0, 0, 0, 0.6);
  cairo_arc (cairo, x, y, 15, 0, 2 * pi);
  cairo_fill_preserve (cairo);
  cairo_set_source_rgb (cairo, 1, 1, 1);
  cairo_set_line_width (cairo, 1.5);
  cairo_stroke (cairo);
  for (const int side : {-1, 1}) {
    cairo_move_to (cairo, x + side * 10, y);
    cairo_line_to (cairo, x + side * 4, y - 5);
    cairo_line_to (cairo, x + side * 4, y + 5);
    cairo_close_path (cairo);
    cairo_fill (cairo);
  }
}

}  // namespace

Video::Video ()
{
  GstElement *made = gst_element_factory_make ("gtksink", nullptr);
  ensure (made, "GStreamer has no gtksink, which shows video in GTK windows (package gstreamer1.0-gtk3)");
  element = Ref<GstElement> (made);
  /* a frame that a slow filter made late is shown all the same */
  g_object_set (made, "max-lateness", gint64 (-1), nullptr);
  GtkWidget *screen = nullptr;
  g_object_get (made, "widget", &screen, nullptr);
  overlay = gtk_overlay_new ();
  gtk_container_add (GTK_CONTAINER (overlay), screen);
  g_object_unref (screen);

  curtain = gtk_drawing_area_new ();
  gtk_widget_set_name (curtain, "video");
  gtk_widget_add_events (curtain,
      GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK | GDK_POINTER_MOTION_MASK | GDK_SCROLL_MASK | GDK_SMOOTH_SCROLL_MASK);
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), curtain);
  zoomed = std::make_unique<Zoom> (overlay, screen);
  add_style (zoomed->widget (), "screen");
  listen ();
}

void
Video::attach (Model &wanted)
{
  model = &wanted;
  selected = std::make_unique<Region> (wanted);
}

void
Video::listen ()
{
  connect<cairo_t *> (curtain, "draw", [this] (cairo_t *cairo) -> gboolean {
    draw (cairo);
    return FALSE;
  });
  connect<GdkEventButton *> (
      curtain, "button-press-event", [this] (GdkEventButton *event) -> gboolean { return press (event); });
  connect<GdkEventButton *> (curtain, "button-release-event", [this] (GdkEventButton *) -> gboolean {
    grip = Grip::none;
    selected->release ();
    return FALSE;
  });
  connect<GdkEventMotion *> (curtain, "motion-notify-event", [this] (GdkEventMotion *event) -> gboolean {
    move (event);
    return FALSE;
  });
  connect<GdkEventScroll *> (curtain, "scroll-event", [this] (GdkEventScroll *event) -> gboolean { return scroll (event); });
}

/* The first button moves the line, draws a region, or does nothing; the middle one moves a picture that is larger than its
   place. */
bool
Video::press (const GdkEventButton *event)
{
  const Area area = picture ();
  const double share = model->split ().position (), line = area.x + share * area.width;
  held_x = event->x_root;
  held_y = event->y_root;
  if (event->button == GDK_BUTTON_MIDDLE)
    grip = Grip::picture;
  else if (event->button != GDK_BUTTON_PRIMARY)
    return false;
  else if (event->type == GDK_2BUTTON_PRESS && !selected->is_drawing ())
    on_double_click ();
  else if (event->type != GDK_BUTTON_PRESS)
    return false;
  else if (share > 0 && (!selected->is_drawing () || std::abs (event->x - line) < reach))
    grip = Grip::line;
  else if (selected->press (area, event->x, event->y))
    grip = Grip::region;
  if (grip == Grip::line)
    drag_to (event->x);
  return grip != Grip::none;
}

void
Video::move (const GdkEventMotion *event)
{
  if (grip == Grip::line) {
    drag_to (event->x);
  } else if (grip == Grip::region) {
    selected->drag (picture (), event->x, event->y);
    redraw ();
  } else if (grip == Grip::picture) {
    zoomed->pan (event->x_root - held_x, event->y_root - held_y);
    held_x = event->x_root;
    held_y = event->y_root;
  }
}

/* With Ctrl, as in other programs that show pictures. */
bool
Video::scroll (const GdkEventScroll *event)
{
  if (!(event->state & GDK_CONTROL_MASK))
    return false;
  double steps = event->direction == GDK_SCROLL_UP ? 1 : event->direction == GDK_SCROLL_DOWN ? -1 : 0;
  if (event->direction == GDK_SCROLL_SMOOTH)
    steps = -event->delta_y;
  zoomed->by (std::pow (1.25, steps), event->x, event->y);
  return true;
}

void
Video::refresh ()
{
  const auto [width, height] = model->split ().shape ();
  if (width > 0)
    zoomed->set_size (width, height);
  if (selected->is_drawing ())
    redraw ();
}

/* Where the sink puts the picture: in the middle, as large as its shape lets it. */
Area
Video::picture () const
{
  const double width = gtk_widget_get_allocated_width (curtain), height = gtk_widget_get_allocated_height (curtain);
  const auto [columns, rows] = model->split ().shape ();
  if (columns == 0 || rows == 0)
    return {0, 0, width, height};
  const double scale = std::min (width / columns, height / rows);
  return {(width - columns * scale) / 2, (height - rows * scale) / 2, columns * scale, rows * scale};
}

void
Video::drag_to (double x)
{
  const Area area = picture ();
  model->split ().set_position (std::clamp ((x - area.x) / area.width, 0.01, 1.0));
  if (!model->is_playing ())
    model->touched ();
  redraw ();
  on_split ();
}

void
Video::draw (cairo_t *cairo) const
{
  const Area area = picture ();
  selected->draw (cairo, area);
  const double share = model->split ().position ();
  if (share <= 0)
    return;
  const double x = std::round (area.x + share * area.width) + 0.5;
  cairo_set_line_width (cairo, 3);
  cairo_set_source_rgba (cairo, 0, 0, 0, 0.5);
  cairo_move_to (cairo, x, area.y);
  cairo_line_to (cairo, x, area.y + area.height);
  cairo_stroke_preserve (cairo);
  cairo_set_line_width (cairo, 1.5);
  cairo_set_source_rgb (cairo, 1, 1, 1);
  cairo_stroke (cairo);
  draw_handle (cairo, x, area.y + area.height / 2);
  cairo_select_font_face (cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size (cairo, 12);
  if (x - area.x > 80)
    draw_tag (cairo, "before", x - reach, area.y + 10, true);
  if (area.x + area.width - x > 80)
    draw_tag (cairo, "after", x + reach, area.y + 10, false);
}

}  // namespace studio

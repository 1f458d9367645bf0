/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The video, with a movable line between before and after, and a movable region of interest. */
#pragma once

#include "../common/mappedframe.hpp"
#include "gui.hpp"
#include "model.hpp"
#include "region.hpp"

#include <algorithm>
#include <cmath>
#include <gst/app/gstappsink.h>
#include <mutex>
#include <optional>

namespace studio {

/* The zoom of the video: fitted to its area, or a number of screen pixels for each pixel; larger content is scrolled. */
class Zoom {
public:
  /* screen: the widget that shows the video, inside content. */
  Zoom (GtkWidget *content, GtkWidget *screen)
      : scroller (make (GTK_TYPE_SCROLLED_WINDOW, "child", content, "hexpand", TRUE, "vexpand", TRUE)), content (content),
        screen (screen), across (gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scroller))),
        down (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)))
  {
    apply ();
    connect<GdkRectangle *> (content, "size-allocate", [this] (GdkRectangle *size) {
      if (!kept)
        return;
      const Place place = *kept;
      kept.reset ();
      /* the scroller handles the new size after its content */
      later ([scroller = Ref<GtkWidget> (scroller), across = across, down = down, place, width = size->width,
                 height = size->height] {
        if (!gtk_widget_get_mapped (scroller.get ()))
          return;
        gtk_adjustment_set_value (across, place.x * width - place.left);
        gtk_adjustment_set_value (down, place.y * height - place.top);
      });
    });
  }

  GtkWidget *widget () const { return scroller; }

  /* The size of the video at 1:1. */
  void set_size (double new_width, double new_height)
  {
    if (width == new_width && height == new_height)
      return;
    width = new_width;
    height = new_height;
    apply ();
  }

  /* 0 fits the video to its area. The point x, y of the content stays in place. */
  void set (double factor, double x, double y)
  {
    const double total_width = gtk_widget_get_allocated_width (content),
                 total_height = gtk_widget_get_allocated_height (content);
    kept = {x / total_width, y / total_height, x - gtk_adjustment_get_value (across), y - gtk_adjustment_get_value (down)};
    wanted = factor > 0 ? std::clamp (factor, smallest, std::min (largest, longest_side / std::max ({width, height, 1.0}))) : 0;
    apply ();
    on_change ();
  }

  /* The same; the middle of the visible part stays in place. */
  void set (double factor)
  {
    set (factor, gtk_adjustment_get_value (across) + gtk_widget_get_allocated_width (scroller) / 2.0,
        gtk_adjustment_get_value (down) + gtk_widget_get_allocated_height (scroller) / 2.0);
  }

  void by (double factor, double x, double y) { set (shown () * factor, x, y); }
  /* The current zoom. */
  double shown () const
  {
    if (width <= 0 || height <= 0)
      return 1;
    const double wide = gtk_widget_get_allocated_width (content) / width,
                 high = gtk_widget_get_allocated_height (content) / height;
    return (wanted > 0 ? wanted : std::min (wide, high) * gtk_widget_get_scale_factor (content));
  }

  /* Moves the visible part. */
  void pan (double dx, double dy)
  {
    gtk_adjustment_set_value (across, gtk_adjustment_get_value (across) - dx);
    gtk_adjustment_set_value (down, gtk_adjustment_get_value (down) - dy);
  }

  Hook<> on_change;

private:
  /* zoom factors */
  static constexpr double smallest = 0.1, largest = 16;
  /* X11's windows have at most 32767 pixels */
  static constexpr double longest_side = 16000;
  static constexpr int narrowest = 320, lowest = 180;

  void apply ()
  {
    const bool zoomed = wanted > 0 && width > 0;
    const GtkPolicyType policy = zoomed ? GTK_POLICY_AUTOMATIC : GTK_POLICY_NEVER;
    const double factor = wanted / gtk_widget_get_scale_factor (screen);
    /* a minimum size, so that the area does not shrink with the video */
    with (scroller, "hscrollbar-policy", policy, "vscrollbar-policy", policy, "width-request", narrowest, "height-request",
        lowest);
    gtk_widget_set_size_request (
        screen, zoomed ? int (std::lround (width * factor)) : narrowest, zoomed ? int (std::lround (height * factor)) : lowest);
    const GtkAlign align = zoomed ? GTK_ALIGN_CENTER : GTK_ALIGN_FILL;
    with (content, "halign", align, "valign", align);
  }

  GtkWidget *scroller, *content, *screen;
  GtkAdjustment *across, *down;
  double wanted = 0, width = 0, height = 0;
  struct Place {
    /* a position as shares of the content, and its place in the visible part */
    double x, y, left, top;
  };
  std::optional<Place> kept;
};

class Video {
public:
  /* Throws std::runtime_error if GStreamer has no appsink. */
  Video () : element (make_element ("appsink")), screen (make (GTK_TYPE_DRAWING_AREA))
  {
    /* qos: slow filters let sources drop frames */
    g_object_set (element.get (), "max-buffers", 1, "drop", TRUE, "qos", TRUE, nullptr);
    GstAppSinkCallbacks callbacks{};
    callbacks.new_preroll = take<gst_app_sink_pull_preroll>;
    callbacks.new_sample = take<gst_app_sink_pull_sample>;
    gst_app_sink_set_callbacks (GST_APP_SINK (element.get ()), &callbacks, this, nullptr);
    connect_event<cairo_t *> (screen.get (), "draw", [this] (cairo_t *cairo) { draw_frame (cairo); });
    overlay = make (GTK_TYPE_OVERLAY, "child", screen.get ());
    curtain = make (GTK_TYPE_DRAWING_AREA, "name", "video", "events",
        GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK | GDK_POINTER_MOTION_MASK | GDK_SCROLL_MASK | GDK_SMOOTH_SCROLL_MASK);
    gtk_overlay_add_overlay (GTK_OVERLAY (overlay), curtain);
    zoomed = std::make_unique<Zoom> (overlay, screen.get ());
    add_style (zoomed->widget (), "screen");
    connect_event<cairo_t *> (curtain, "draw", [this] (cairo_t *cairo) { draw (cairo); });
    connect<GdkEventButton *> (
        curtain, "button-press-event", [this] (GdkEventButton *event) -> gboolean { return press (event); });
    connect_event<GdkEventButton *> (curtain, "button-release-event", [this] (GdkEventButton *) {
      grip = Grip::none;
      selected->release ();
    });
    connect_event<GdkEventMotion *> (curtain, "motion-notify-event", [this] (GdkEventMotion *event) { move (event); });
    connect<GdkEventScroll *> (curtain, "scroll-event", [this] (GdkEventScroll *event) -> gboolean { return scroll (event); });
  }

  GstElement *sink () const { return element.get (); }
  GtkWidget *widget () const { return zoomed->widget (); }

  void attach (Model &wanted)
  {
    model = &wanted;
    selected = std::make_unique<Region> (wanted);
  }

  Zoom &zoom () { return *zoomed; }
  Region &region () { return *selected; }
  /* Adapts to the size of the frames. */
  void refresh ()
  {
    const auto [width, height] = model->split ().shape ();
    if (width > 0)
      zoomed->set_size (width, height);
    if (selected->is_drawing ())
      redraw ();
  }

  /* Called when the user has moved the line. */
  Hook<> on_split;
  Hook<> on_double_click;
  void redraw () { gtk_widget_queue_draw (curtain); }

private:
  /* Takes a frame from the thread that plays. */
  template <auto pull> static GstFlowReturn take (GstAppSink *sink, gpointer data)
  {
    auto &self = *static_cast<Video *> (data);
    {
      const std::lock_guard lock (self.mutex);
      self.shown.reset (pull (sink));
    }
    later ([screen = self.screen] { gtk_widget_queue_draw (screen.get ()); });
    return GST_FLOW_OK;
  }

  void draw_frame (cairo_t *cairo)
  {
    cairo_set_source_rgb (cairo, 0, 0, 0);
    cairo_paint (cairo);
    const std::lock_guard lock (mutex);
    const MappedFrame mapped (shown.get ());
    if (!mapped)
      return;
    const GstVideoInfo &info = mapped.frame.info;
    const Area area = fitted (double (info.width) * info.par_n / info.par_d, info.height);
    cairo_surface_t *frame = cairo_image_surface_create_for_data (
        static_cast<guchar *> (mapped.frame.data[0]), CAIRO_FORMAT_RGB24, info.width, info.height, info.stride[0]);
    cairo_translate (cairo, area.x, area.y);
    cairo_scale (cairo, area.width / info.width, area.height / info.height);
    cairo_rectangle (cairo, 0, 0, info.width, info.height);
    cairo_set_source_surface (cairo, frame, 0, 0);
    cairo_pattern_set_extend (cairo_get_source (cairo), CAIRO_EXTEND_PAD);
    cairo_fill (cairo);
    cairo_surface_destroy (frame);
  }

  /* Draws the path in a colour, with a dark edge. */
  static void stroke (cairo_t *cairo, double edge, double red, double green, double blue)
  {
    cairo_set_line_width (cairo, 3);
    cairo_set_source_rgba (cairo, 0, 0, 0, edge);
    cairo_stroke_preserve (cairo);
    cairo_set_line_width (cairo, 1.5);
    cairo_set_source_rgb (cairo, red, green, blue);
    cairo_stroke (cairo);
  }

  /* With a handle at each corner. */
  static void draw_region (cairo_t *cairo, const Area &region)
  {
    cairo_rectangle (cairo, region.x + 0.5, region.y + 0.5, region.width - 1, region.height - 1);
    stroke (cairo, 0.6, 1, 0.85, 0.2);
    for (const double x : {region.x, region.x + region.width}) {
      for (const double y : {region.y, region.y + region.height}) {
        cairo_rectangle (cairo, x - 4, y - 4, 8, 8);
        cairo_fill (cairo);
      }
    }
  }

  /* how near the pointer has to be to the line, in pixels */
  static constexpr double reach = 14;
  static constexpr double pi = 3.14159265358979;

  static void draw_tag (cairo_t *cairo, const char *text, double x, double y, bool right_aligned)
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

  static void draw_handle (cairo_t *cairo, double x, double y)
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

  /* The area of a picture of this shape: centred, with its aspect ratio. */
  Area fitted (double columns, double rows) const
  {
    const double width = gtk_widget_get_allocated_width (screen.get ()),
                 height = gtk_widget_get_allocated_height (screen.get ());
    if (columns == 0 || rows == 0)
      return {0, 0, width, height};
    const double scale = std::min (width / columns, height / rows);
    return {(width - columns * scale) / 2, (height - rows * scale) / 2, columns * scale, rows * scale};
  }

  Area picture () const
  {
    const auto [columns, rows] = model->split ().shape ();
    return fitted (columns, rows);
  }

  void draw (cairo_t *cairo) const
  {
    const Area area = picture ();
    if (const std::optional<Area> region = selected->outline (area))
      draw_region (cairo, *region);
    const double share = model->split ().position ();
    if (share <= 0)
      return;
    const double x = std::round (area.x + share * area.width) + 0.5;
    cairo_move_to (cairo, x, area.y);
    cairo_line_to (cairo, x, area.y + area.height);
    stroke (cairo, 0.5, 1, 1, 1);
    draw_handle (cairo, x, area.y + area.height / 2);
    cairo_select_font_face (cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size (cairo, 12);
    if (x - area.x > 80)
      draw_tag (cairo, "before", x - reach, area.y + 10, true);
    if (area.x + area.width - x > 80)
      draw_tag (cairo, "after", x + reach, area.y + 10, false);
  }

  void drag_to (double x)
  {
    const Area area = picture ();
    model->split ().set_position (std::clamp ((x - area.x) / area.width, 0.01, 1.0));
    if (!model->is_playing ())
      model->touched ();
    redraw ();
    on_split ();
  }

  /* The first button moves the line or draws a region; the middle button moves a picture that is larger than its area. */
  bool press (const GdkEventButton *event)
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

  void move (const GdkEventMotion *event)
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

  /* Zooms with Ctrl, as other programs do. */
  bool scroll (const GdkEventScroll *event)
  {
    if (!(event->state & GDK_CONTROL_MASK))
      return false;
    double steps = event->direction == GDK_SCROLL_UP ? 1 : event->direction == GDK_SCROLL_DOWN ? -1 : 0;
    if (event->direction == GDK_SCROLL_SMOOTH)
      steps = -event->delta_y;
    zoomed->by (std::pow (1.25, steps), event->x, event->y);
    return true;
  }

  Ref<GstElement> element;
  /* the frame on the screen, under the mutex */
  std::mutex mutex;
  Sample shown;
  Model *model = nullptr;
  /* frames may still arrive when the window has been closed */
  Ref<GtkWidget> screen;
  GtkWidget *overlay, *curtain;
  std::unique_ptr<Zoom> zoomed;
  std::unique_ptr<Region> selected;
  enum class Grip { none, line, region, picture } grip = Grip::none;
  /* the pointer's last position on the screen while it moves the picture */
  double held_x = 0, held_y = 0;
};

}  // namespace studio

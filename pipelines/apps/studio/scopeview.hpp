/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histogram and waveform of the shown picture, below the video. */
#pragma once

#include "gui.hpp"
#include "model.hpp"
#include "scopes.hpp"

#include <algorithm>
#include <cmath>

namespace studio {

class ScopeView {
public:
  explicit ScopeView (Model &model) : model (model)
  {
    histogram = make_area ("histogram",
        "How many pixels have each value, from black on the left to white: red, green, blue, and luma as a line",
        [this] (cairo_t *cairo, double width, double height) { draw_histogram (cairo, width, height); });
    waveform = make_area ("waveform", "The luma of each column of the picture, from black at the bottom to white at the top",
        [this] (cairo_t *cairo, double width, double height) { draw_waveform (cairo, width, height); });
    box = hidden (with (make_box (GTK_ORIENTATION_HORIZONTAL, 2, {histogram, waveform}), "homogeneous", TRUE));
    const guint timer = every (refresh_ms, [this] {
      if (is_shown ())
        refresh ();
      return true;
    });
    connect<> (box, "destroy", [timer] { g_source_remove (timer); });
  }

  GtkWidget *widget () const { return box; }

  void set_shown (bool on)
  {
    gtk_widget_set_visible (box, on);
    measured = 0;
  }
  bool is_shown () const { return gtk_widget_get_visible (box); }

private:
  static constexpr int least_height = 140;
  static constexpr guint refresh_ms = 120;

  static GtkWidget *make_area (const char *name, const char *tip, std::function<void (cairo_t *, double, double)> draw)
  {
    GtkWidget *area = make (GTK_TYPE_DRAWING_AREA, "name", name, "tooltip-text", tip, "width-request", 100, "height-request",
        least_height, "hexpand", TRUE);
    connect_event<cairo_t *> (area, "draw", [area, draw = std::move (draw)] (cairo_t *cairo) {
      const double width = gtk_widget_get_allocated_width (area), height = gtk_widget_get_allocated_height (area);
      cairo_set_source_rgb (cairo, 0.06, 0.07, 0.08);
      cairo_paint (cairo);
      /* lines at quarters of the range */
      cairo_set_source_rgba (cairo, 1, 1, 1, 0.12);
      cairo_set_line_width (cairo, 1);
      draw (cairo, width, height);
    });
    return area;
  }

  static void draw_line (cairo_t *cairo, double x1, double y1, double x2, double y2)
  {
    cairo_move_to (cairo, std::floor (x1) + 0.5, std::floor (y1) + 0.5);
    cairo_line_to (cairo, std::floor (x2) + 0.5, std::floor (y2) + 0.5);
    cairo_stroke (cairo);
  }

  static void name_it (cairo_t *cairo, const char *text)
  {
    cairo_select_font_face (cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size (cairo, 11);
    cairo_set_source_rgba (cairo, 1, 1, 1, 0.6);
    cairo_move_to (cairo, 8, 15);
    cairo_show_text (cairo, text);
  }

  void refresh ()
  {
    const guint64 frames = model.split ().frames ();
    if (frames == measured)
      return;
    measured = frames;
    const Sample frame = model.split ().latest ();
    scopes = measure (frame.get ());
    gtk_widget_queue_draw (box);
  }

  /* Draws square roots, so that rare values are visible beside frequent ones. */
  void draw_histogram (cairo_t *cairo, double width, double height) const
  {
    constexpr double colours[][4] = {{0.95, 0.2, 0.2, 0.75}, {0.2, 0.9, 0.3, 0.75}, {0.3, 0.45, 1, 0.75}, {1, 1, 1, 0.85}};
    for (int i = 1; i < 4; i++)
      draw_line (cairo, width * i / 4, 0, width * i / 4, height);
    unsigned most = 1;
    for (const auto &component : scopes.histogram)
      most = std::max (most, *std::ranges::max_element (component));
    cairo_set_operator (cairo, CAIRO_OPERATOR_ADD);
    for (size_t c = 0; c < scopes.histogram.size (); c++) {
      cairo_set_source_rgba (cairo, colours[c][0], colours[c][1], colours[c][2], colours[c][3]);
      cairo_move_to (cairo, 0, height);
      for (int i = 0; i < Scopes::levels; i++) {
        const double y = height - (height - 2) * std::sqrt (double (scopes.histogram[c][size_t (i)]) / most);
        cairo_line_to (cairo, width * (i + 0.5) / Scopes::levels, y);
      }
      cairo_line_to (cairo, width, height);
      c == Scopes::luma ? cairo_stroke (cairo) : cairo_fill (cairo);
    }
    cairo_set_operator (cairo, CAIRO_OPERATOR_OVER);
    name_it (cairo, "Histogram");
  }

  void draw_waveform (cairo_t *cairo, double width, double height) const
  {
    cairo_surface_t *picture = cairo_image_surface_create (CAIRO_FORMAT_A8, Scopes::columns, Scopes::levels);
    const int stride = cairo_image_surface_get_stride (picture);
    unsigned char *bytes = cairo_image_surface_get_data (picture);
    const double of_column = std::max (1.0, double (scopes.pixels) / Scopes::columns);
    for (int x = 0; x < Scopes::columns; x++) {
      for (int level = 0; level < Scopes::levels; level++) {
        const double share = scopes.waveform[size_t (x)][size_t (level)] / of_column;
        bytes[(Scopes::levels - 1 - level) * stride + x] = guint8 (255 * std::min (1.0, std::sqrt (share * 8)));
      }
    }
    cairo_surface_mark_dirty (picture);
    for (int i = 1; i < 4; i++)
      draw_line (cairo, 0, height * i / 4, width, height * i / 4);
    cairo_save (cairo);
    cairo_scale (cairo, width / Scopes::columns, height / Scopes::levels);
    cairo_set_source_rgb (cairo, 0.55, 1, 0.65);
    cairo_mask_surface (cairo, picture, 0, 0);
    cairo_restore (cairo);
    cairo_surface_destroy (picture);
    name_it (cairo, "Waveform");
  }

  Model &model;
  GtkWidget *box, *histogram, *waveform;
  Scopes scopes;
  guint64 measured = 0;
};

}  // namespace studio

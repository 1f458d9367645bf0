/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "zoom.hpp"

#include <algorithm>
#include <cmath>

namespace studio {

namespace {

constexpr double least = 0.1, greatest = 16;
/* X11's windows end at 32767 pixels */
constexpr double longest_side = 16000;
constexpr int least_width = 320, least_height = 180;

GtkAdjustment *
horizontal (GtkWidget *scroller)
{
  return gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scroller));
}

GtkAdjustment *
vertical (GtkWidget *scroller)
{
  return gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
}

}  // namespace

Zoom::Zoom (GtkWidget *content, GtkWidget *screen)
    : scroller (gtk_scrolled_window_new (nullptr, nullptr)), content (content), screen (screen)
{
  gtk_container_add (GTK_CONTAINER (scroller), content);
  gtk_widget_set_hexpand (scroller, TRUE);
  gtk_widget_set_vexpand (scroller, TRUE);
  apply ();
  connect<GdkRectangle *> (content, "size-allocate", [this] (GdkRectangle *size) {
    if (!kept)
      return;
    const Place place = *kept;
    kept.reset ();
    /* the scroller learns the new size behind its content */
    later ([scroller = Ref<GtkWidget> (scroller), place, width = size->width, height = size->height] {
      if (!gtk_widget_get_mapped (scroller.get ()))
        return;
      gtk_adjustment_set_value (horizontal (scroller.get ()), place.x * width - place.left);
      gtk_adjustment_set_value (vertical (scroller.get ()), place.y * height - place.top);
    });
  });
}

double
Zoom::shown () const
{
  if (width <= 0 || height <= 0)
    return 1;
  const double wide = gtk_widget_get_allocated_width (content) / width,
               high = gtk_widget_get_allocated_height (content) / height;
  return (wanted > 0 ? wanted : std::min (wide, high) * gtk_widget_get_scale_factor (content));
}

void
Zoom::set_size (double new_width, double new_height)
{
  if (width == new_width && height == new_height)
    return;
  width = new_width;
  height = new_height;
  apply ();
}

void
Zoom::set (double factor, double x, double y)
{
  const double total_width = gtk_widget_get_allocated_width (content), total_height = gtk_widget_get_allocated_height (content);
  kept = {x / total_width, y / total_height, x - gtk_adjustment_get_value (horizontal (scroller)),
      y - gtk_adjustment_get_value (vertical (scroller))};
  wanted = factor > 0 ? std::clamp (factor, least, std::min (greatest, longest_side / std::max ({width, height, 1.0}))) : 0;
  apply ();
  on_change ();
}

void
Zoom::set (double factor)
{
  set (factor, gtk_adjustment_get_value (horizontal (scroller)) + gtk_widget_get_allocated_width (scroller) / 2.0,
      gtk_adjustment_get_value (vertical (scroller)) + gtk_widget_get_allocated_height (scroller) / 2.0);
}

void
Zoom::apply ()
{
  const bool zoomed = wanted > 0 && width > 0;
  const GtkPolicyType policy = zoomed ? GTK_POLICY_AUTOMATIC : GTK_POLICY_NEVER;
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), policy, policy);
  const double factor = wanted / gtk_widget_get_scale_factor (screen);
  /* the place that the video takes stays as it is while it is larger */
  gtk_widget_set_size_request (scroller, least_width, least_height);
  gtk_widget_set_size_request (screen, zoomed ? int (std::lround (width * factor)) : least_width,
      zoomed ? int (std::lround (height * factor)) : least_height);
  gtk_widget_set_halign (content, zoomed ? GTK_ALIGN_CENTER : GTK_ALIGN_FILL);
  gtk_widget_set_valign (content, zoomed ? GTK_ALIGN_CENTER : GTK_ALIGN_FILL);
}

void
Zoom::pan (double dx, double dy)
{
  gtk_adjustment_set_value (horizontal (scroller), gtk_adjustment_get_value (horizontal (scroller)) - dx);
  gtk_adjustment_set_value (vertical (scroller), gtk_adjustment_get_value (vertical (scroller)) - dy);
}

}  // namespace studio

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "threshold/navigation.hpp"

#include <gst/video/navigation.h>

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

/* How far a key moves the threshold: 1 for Up, -1 for Down, 0 for every other. Names are those of X's keysyms, which
 * sinks send on most platforms, with those of the keypad and of web views. */
int
direction_of (const gchar *key)
{
  static constexpr struct {
    const char *name;
    int direction;
  } keys[] = {{"Up", 1}, {"KP_Up", 1}, {"ArrowUp", 1}, {"Down", -1}, {"KP_Down", -1}, {"ArrowDown", -1}};
  for (const auto &[name, direction] : keys)
    if (key && g_ascii_strcasecmp (key, name) == 0)
      return direction;
  return 0;
}

}  // namespace

void
threshold_handle_key (GstObject *element, GstEvent *event)
{
  const gchar *key = nullptr;
  if (gst_navigation_event_get_type (event) != GST_NAVIGATION_EVENT_KEY_PRESS
      || !gst_navigation_event_parse_key_event (event, &key))
    return;
  const int direction = direction_of (key);
  gboolean wanted = FALSE;
  gdouble threshold = 0;
  g_object_get (element, "navigation", &wanted, "threshold", &threshold, nullptr);
  if (!wanted || !direction)
    return;
  /* in hundredths, so that steps up and down return to the same number */
  constexpr double step = 2;
  const double moved = std::clamp (std::round (threshold * 1e8) / 1e6 + direction * step, 0.0, 100.0) / 100;
  g_object_set (element, "threshold", moved, nullptr);
}

}  // namespace gst::cl

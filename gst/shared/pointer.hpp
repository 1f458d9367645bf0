/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Navigation events of elements whose result has another size or orientation than the input. */
#pragma once

#include <gst/gst.h>

namespace gst::cl {

/** Whether a navigation event has a pointer position, and the position. gst_navigation_event_get_coordinates () of GStreamer 1.22 does
 *  not support scroll events. */
inline bool
pointer_of (GstEvent *event, double &x, double &y)
{
  const GstStructure *structure = gst_event_get_structure (event);
  return structure && gst_structure_get (structure, "pointer_x", G_TYPE_DOUBLE, &x, "pointer_y", G_TYPE_DOUBLE, &y, nullptr);
}

/** Takes a navigation event, and returns it with its pointer moved: `move (x, y)` turns pixels of the result into pixels of the
 *  input. Returns events without a pointer unchanged. */
template <typename Move>
GstEvent *
move_pointer (GstEvent *event, Move &&move)
{
  double x, y;
  if (!pointer_of (event, x, y))
    return event;
  move (x, y);
  event = GST_EVENT (gst_mini_object_make_writable (GST_MINI_OBJECT_CAST (event)));
  gst_structure_set (
      gst_event_writable_structure (event), "pointer_x", G_TYPE_DOUBLE, x, "pointer_y", G_TYPE_DOUBLE, y, nullptr);
  return event;
}

}  // namespace gst::cl

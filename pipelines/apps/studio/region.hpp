/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The region of interest of a filter, drawn on the video: a drag makes a new one, moves it, or pulls one of its corners. Knows no window. */
#pragma once

#include "model.hpp"

#include <optional>

namespace studio {

/* The picture's place in a widget. */
struct Area {
  double x, y, width, height;
};

class Region {
public:
  explicit Region (Model &model) : model (model) {}

  /* Shows the filter's region; null, and filters without regions, have none. */
  void show (GstElement *filter);
  void set_drawing (bool on) { drawing = on; }
  bool is_drawing () const { return drawing && filter; }

  /* Mouse button pressed, moved and released; press returns whether the region handles the drag. */
  bool press (const Area &picture, double x, double y);
  void drag (const Area &picture, double x, double y);
  void release () { held = false; }

  /* Lets the filter see to the whole frame again. */
  void clear ();

  /* Where the region stands in the widget, while it is drawn. */
  std::optional<Area> outline (const Area &picture) const;
  /* In pixels of the filter's frames, as "roi-x,roi-y,roi-width,roi-height". */
  std::string text () const;

private:
  struct Box {
    int left = 0, top = 0, width = 0, height = 0;
    bool operator== (const Box &) const = default;
  };
  Box box () const;
  void set (const Box &box);
  /* The size of the filter's input frames. */
  FrameSize frame_size () const;

  Model &model;
  Ref<GstElement> filter;
  bool drawing = false, held = false, moves = false;
  /* the fixed corner while another one moves, or the distance of the pointer from the corner of a moving region */
  double anchor_x = 0, anchor_y = 0;
  Box at_press;
};

}  // namespace studio

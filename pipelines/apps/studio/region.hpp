/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The region of interest of a filter, drawn on the video: a drag makes a new one, moves it, or pulls one of its corners. Knows no window. */
#pragma once

#include "catalog.hpp"
#include "model.hpp"

#include <algorithm>
#include <cmath>
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
  void show (GstElement *element)
  {
    const bool has_region = element && spec_of (element, names[0]);
    filter = Ref<GstElement> (has_region ? element : nullptr);
    held = false;
  }

  void set_drawing (bool on) { drawing = on; }
  bool is_drawing () const { return drawing && filter; }

  /* Mouse button pressed, moved and released; press returns whether the region handles the drag. */
  bool press (const Area &picture, double x, double y)
  {
    if (!is_drawing ())
      return false;
    const auto [width, height] = frame_size ();
    if (width <= 0 || height <= 0)
      return false;
    const double column = (x - picture.x) / picture.width * width, row = (y - picture.y) / picture.height * height;
    at_press = box ();
    const bool is_whole = at_press == Box{0, 0, width, height};
    const double right = at_press.left + at_press.width, bottom = at_press.top + at_press.height;
    const double near = corner_reach * width / picture.width;
    const bool at_left = std::abs (column - at_press.left) < near, at_right = std::abs (column - right) < near;
    const bool at_top = std::abs (row - at_press.top) < near, at_bottom = std::abs (row - bottom) < near;
    const bool inside = column > at_press.left && column < right && row > at_press.top && row < bottom;
    held = true;
    moves = false;
    anchor_x = column;
    anchor_y = row;
    if (is_whole)
      return true;
    if ((at_left || at_right) && (at_top || at_bottom)) {
      anchor_x = at_left ? right : at_press.left;
      anchor_y = at_top ? bottom : at_press.top;
    } else if (inside) {
      moves = true;
      anchor_x = column - at_press.left;
      anchor_y = row - at_press.top;
    }
    return true;
  }

  void drag (const Area &picture, double x, double y)
  {
    if (!held || !filter)
      return;
    const auto [width, height] = frame_size ();
    const double column = (x - picture.x) / picture.width * width, row = (y - picture.y) / picture.height * height;
    Box box = at_press;
    if (moves) {
      box.left = std::clamp (int (std::lround (column - anchor_x)), 0, std::max (0, width - box.width));
      box.top = std::clamp (int (std::lround (row - anchor_y)), 0, std::max (0, height - box.height));
    } else {
      const auto [left, right] =
          std::minmax ({std::clamp (column, 0.0, double (width)), std::clamp (anchor_x, 0.0, double (width))});
      const auto [top, bottom] =
          std::minmax ({std::clamp (row, 0.0, double (height)), std::clamp (anchor_y, 0.0, double (height))});
      box = {int (std::lround (left)), int (std::lround (top)), int (std::lround (right - left)),
          int (std::lround (bottom - top))};
      if (box.width < least || box.height < least)
        box = {};
    }
    set (box);
  }

  void release () { held = false; }

  /* Lets the filter see to the whole frame again. */
  void clear ()
  {
    held = false;
    if (filter)
      set ({});
  }

  /* Where the region stands in the widget, while it is drawn. */
  std::optional<Area> outline (const Area &picture) const
  {
    if (!is_drawing ())
      return std::nullopt;
    const auto [width, height] = frame_size ();
    if (width <= 0 || height <= 0)
      return std::nullopt;
    const Box now = box ();
    const double scale_x = picture.width / width, scale_y = picture.height / height;
    return Area{picture.x + now.left * scale_x, picture.y + now.top * scale_y, now.width * scale_x, now.height * scale_y};
  }

  /* In pixels of the filter's frames, as "roi-x,roi-y,roi-width,roi-height". */
  std::string text () const
  {
    if (!filter)
      return "";
    const Box now = box ();
    return printed ("%d,%d,%d,%d", now.left, now.top, now.width, now.height);
  }

private:
  /* how near to a corner the pointer must be to take it, in screen pixels */
  static constexpr double corner_reach = 12;
  /* a smaller drag is a click, which removes the region */
  static constexpr int least = 3;
  static constexpr const char *names[] = {"roi-x", "roi-y", "roi-width", "roi-height"};

  struct Box {
    int left = 0, top = 0, width = 0, height = 0;
    bool operator== (const Box &) const = default;
  };

  Region::Box box () const
  {
    Box box;
    const auto [width, height] = frame_size ();
    g_object_get (filter.get (), names[0], &box.left, names[1], &box.top, names[2], &box.width, names[3], &box.height, nullptr);
    if (box.width == 0)
      box.width = std::max (0, width - box.left);
    if (box.height == 0)
      box.height = std::max (0, height - box.top);
    return box;
  }

  void set (const Box &wanted)
  {
    /* a filter that follows a detector gets the region by hand */
    const auto set = [this] (const char *name, const std::string &text) {
      GParamSpec *spec = spec_of (filter.get (), name);
      if (value_text (G_OBJECT (filter.get ()), spec) != text)
        model.set_text (G_OBJECT (filter.get ()), spec, text);
    };
    set ("roi-source", "static");
    const int numbers[] = {wanted.left, wanted.top, wanted.width, wanted.height};
    for (int i = 0; i < 4; i++)
      set (names[i], std::to_string (numbers[i]));
  }

  /* The size of the filter's input frames. */
  FrameSize frame_size () const
  {
    FrameSize size = model.split ().size ();
    const Ref<GstPad> pad = pad_of (filter.get (), "sink");
    if (const Caps caps{pad ? gst_pad_get_current_caps (pad.get ()) : nullptr})
      gst_structure_get (gst_caps_get_structure (caps.get (), 0), "width", G_TYPE_INT, &size.width, "height", G_TYPE_INT,
          &size.height, nullptr);
    return size;
  }

  Model &model;
  Ref<GstElement> filter;
  bool drawing = false, held = false, moves = false;
  /* the fixed corner while another one moves, or the distance of the pointer from the corner of a moving region */
  double anchor_x = 0, anchor_y = 0;
  Box at_press;
};

}  // namespace studio

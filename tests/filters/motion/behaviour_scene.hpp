/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A moving scene for tests of motion search. */
#pragma once

#include "../../elements/frames.hpp"
#include "../stabilize/behaviour_scene.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cmath>

namespace test::motion_scene {

/* Where a point at (u, v) from the middle of frame 0 appears in the next frame: zoomed, rotated, shifted. */
struct Step {
  double x = 0, y = 0, zoom = 1, degrees = 0;
};

struct Shot {
  GstVideoFormat format = GST_VIDEO_FORMAT_GRAY8;
  int width = 96, height = 72;
  std::string settings;
  ref::MotionSettings reference = {};
  Step step{.x = 2.6, .y = -1.3};
  int cut = G_MAXINT;
  bool interlaced = false;
  /* Of frame 0, and what each frame adds; samples are multiplied by it. */
  double brightness = 1, brightens = 0;
};

struct Point {
  double x, y;
};

/* One step forward, or back. */
inline Point
moved (const Step &s, Point p, int direction)
{
  const double angle = s.degrees * G_PI / 180, c = s.zoom * std::cos (angle), d = s.zoom * std::sin (angle);
  if (direction > 0)
    return {c * p.x - d * p.y + s.x, d * p.x + c * p.y + s.y};
  const double x = (p.x - s.x) / (s.zoom * s.zoom), y = (p.y - s.y) / (s.zoom * s.zoom);
  return {c * x + d * y, -d * x + c * y};
}

inline ref::Picture
picture_of (const Shot &shot, int t)
{
  ref::Picture picture = ref::make_picture (shot.format, shot.width, shot.height);
  for (ref::Component &component : picture.components)
    for (int y = 0; y < component.height; y++)
      for (int x = 0; x < component.width; x++) {
        Point p{(x + 0.5) * component.sub_x - shot.width / 2.0, (y + 0.5) * component.sub_y - shot.height / 2.0};
        for (int i = 0; i < t; i++)
          p = moved (shot.step, p, -1);
        component.at (x, y) = int (
            std::nearbyint (stabilize_scene::scene (p.x + 500, p.y + 500, unsigned (component.name) + (t >= shot.cut ? 50 : 0))
                            * picture.max () * std::clamp (shot.brightness + t * shot.brightens, 0.0, 1.0)));
      }
  return picture;
}

inline std::string
caps_of (const Shot &shot)
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=25/1%s", gst_video_format_to_string (shot.format),
      shot.width, shot.height, shot.interlaced ? ",interlace-mode=interleaved" : "");
}

}  // namespace test::motion_scene

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps given on the command line, done one after the other: for pictures of the window, demonstrations and tests. */
#pragma once

#include "window.hpp"

#include <string>
#include <vector>

namespace studio {

class Steps {
public:
  Steps (Window &window, std::vector<std::string> steps);
  ~Steps ();
  static std::string help ();

private:
  void next ();
  /* Returns the milliseconds to wait behind it. */
  guint run (const std::string &name, const std::string &argument);
  std::string report () const;
  void go_on_in (guint milliseconds);
  guint await (bool is_there, const std::string &step);
  guint await_frames (guint64 n);
  guint print_place (const std::string &name);

  Window &window;
  std::vector<std::string> steps;
  size_t done = 0;
  guint timer = 0, waited = 0;
  guint64 frames_before = 0;
  GdkRectangle last_place = {};
};

}  // namespace studio

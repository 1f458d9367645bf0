/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pipelines of random filters, and events that may happen while they play. */
#pragma once

#include <gst/gst.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace soak {

/** Random numbers from a seed. */
class Dice {
public:
  explicit Dice (unsigned seed) : engine (seed) {}
  /** Returns 0 .. n - 1. */
  int below (int n) { return int (engine () % unsigned (n)); }
  bool chance (int percent) { return below (100) < percent; }
  double between (double low, double high) { return low + (high - low) * below (17) / 16; }
  template <typename Container> const auto &pick (const Container &from)
  {
    return from[size_t (below (int (std::size (from))))];
  }

private:
  std::mt19937 engine;
};

/** A numeric property whose value does not change the kernel. */
struct Knob {
  const char *property;
  double low, high;
};

struct Filter {
  const char *description;
  std::array<Knob, 2> knobs;
};

/** A pipeline that can be played repeatedly. */
struct Scene {
  std::vector<Filter> filters;
  /** Caps of the frames, before and after a renegotiation. */
  std::array<std::string, 2> caps;
  std::string before, behind;
  /** Hash of the undisturbed picture; "" while unknown. */
  std::string hash;

  std::string launch (int frames) const;
};

Scene make_scene (Dice &dice, bool has_gl);

/** Whether GL frames work here. */
bool has_gl_here ();

}  // namespace soak

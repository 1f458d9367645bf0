/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The average of frames along motion. */
#pragma once

#include "motion/search.hpp"

namespace gst::cl {

class MotionAverage {
public:
  struct Settings {
    /** How many frames to each side. */
    int reach = 2;
    /** threshold: the mean difference, relative to full scale, from which on a block is ignored. scene_threshold: the fraction
     *  of blocks without a match that makes a cut. strength: the weight of the result. */
    double threshold = 0.1, scene_threshold = 0.5, strength = 1;
  };

  /** Call this before the other planes: finds the blocks of the first plane in all other inputs. first_input: the number of the
   *  window's first frame. */
  void look (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input);
  void run (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input);

private:
  /** One launch. */
  struct Part {
    /** An input; nothing stands for the frame itself. */
    size_t input;
    bool first, last;
  };

  ::cl::Buffer field (Runner &runner, int number, size_t input, size_t main) const;
  void add (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input, const Part &part);

  /** One for each field; whole frames use the first. */
  std::array<MotionSearch, 2> searches{MotionSearch (0), MotionSearch (1)};
  std::array<MotionGrid, 2> grids{};
};

}  // namespace gst::cl

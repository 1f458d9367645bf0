/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The average of frames along motion. */
#pragma once

#include "motion/search.hpp"

namespace gst::cl {

class MotionAverage {
public:
  struct Settings {
    /** Frames on either side. */
    int reach = 2;
    /** A mean difference, of full scale, from which on a block has no part; the fraction without a match that makes a cut; and of
     *  the result. */
    double threshold = 0.1, scene_threshold = 0.5, strength = 1;
  };

  /** Before the other planes: looks for the blocks of the first plane in all other inputs. first_input: of the window. */
  void look (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input);
  void run (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input);

private:
  /** One launch. */
  struct Part {
    /** An input, or none: then the frame is left with itself. */
    size_t input;
    bool first, last;
  };

  ::cl::Buffer field (Runner &runner, int number, size_t input, size_t main) const;
  void add (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input, const Part &part);

  /** Of both fields; those of whole frames are the first one's. */
  std::array<MotionSearch, 2> searches{MotionSearch (0), MotionSearch (1)};
  std::array<MotionGrid, 2> grids{};
};

}  // namespace gst::cl

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
    /** The most that a sample may change, relative to full scale. */
    double limit = 1, chroma_limit = 1;
    /** How many frames a running value stands for, at most. */
    int running = 1;
  };

  /** Call this before the other planes: finds the blocks of the first plane in all other inputs. first_input: the number of the
   *  window's first frame. */
  void look (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input);
  void run (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 first_input);
  /** The same without other inputs: averages the frame with the result of the frame before, or in reverse the one after it. */
  void look_back (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 frame);
  void run_on (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 frame);

private:
  /** One launch: another picture and the field of vectors to it. */
  struct Part {
    const PlaneView &plane;
    /** The number of its luma in the search. */
    guint64 picture;
    ::cl::Buffer field;
    bool first, last;
    int weight = 1;
  };

  /** The last result of a plane, or of one of its fields: which frame's it is, which of two buffers has it, and its rows; in mixed streams
   *  the first field alternates with whole frames. */
  struct Running {
    std::optional<guint64> frame;
    int place = 0, rows = 0;

    bool is_beside (guint64 other, const PlaneView &plane) const
    {
      return frame && (*frame + 1 == other || other + 1 == *frame) && rows == plane.height;
    }
  };

  ::cl::Buffer field (Runner &runner, int number, size_t input, size_t main) const;
  void add (Runner &runner, const PlaneTask &task, const Settings &settings, const Part &part);
  static PlaneView result (Runner &runner, const PlaneTask &task, const Running &running);
  void make_result (Runner &runner, const PlaneTask &task, const Settings &settings, guint64 frame);

  /** One for each field; whole frames use the first. */
  std::array<MotionSearch, 2> searches{MotionSearch (0), MotionSearch (1)};
  std::array<MotionGrid, 2> grids{};
  std::array<std::array<Running, 2>, most_planes> results;
  /** For each field, the frame that was searched last in a result, and the number of its picture, which follows the result's. */
  std::array<std::optional<guint64>, 2> searched;
  std::array<guint64, 2> number{};
};

}  // namespace gst::cl

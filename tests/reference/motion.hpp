/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmotion's search in plain loops: pictures are read by clamped places, one block after the other. */
#pragma once

#include <vector>

#include "picture.hpp"

namespace ref {

struct MotionSettings {
  int block = 16;
  double overlap = 0.5;
  int precision = 1;
  int levels = 0;
  double scene_threshold = 0.5;
};

struct MotionVector {
  int x, y, sad, confidence;

  bool operator== (const MotionVector &) const = default;
};

struct MotionField {
  bool cut;
  int columns, rows, step;
  std::vector<MotionVector> vectors;
};

/* Where the blocks of a picture are found in others of its format and size: one of them, or two in opposite directions. nearer: where they
 * were found in as many that are one frame nearer, of `distance` frames; else none. */
std::vector<MotionField> find_motion (const Picture &own, const std::vector<const Picture *> &others,
    const MotionSettings &settings, const std::vector<MotionField> &nearer = {}, int distance = 1);

struct MotionAverage {
  int frames = 5;
  double threshold = 0.1, strength = 1, scene_threshold = 0.5;
};

/* cltemporal's method=motion: frame t of a stream. */
Picture average_along_motion (const std::vector<Picture> &stream, int t, const MotionAverage &settings);

}  // namespace ref

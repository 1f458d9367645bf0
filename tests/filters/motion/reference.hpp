/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clmotion's search in plain loops: pictures are read at clamped positions, block by block. */
#pragma once

#include <vector>

#include "../../reference/picture.hpp"

namespace ref {

struct MotionSettings {
  int block = 16;
  double overlap = 0.5;
  int precision = 1;
  int levels = 0;
  double scene_threshold = 0.5;
  /* Whether a fade between two pictures is disregarded, and the picture of vectors is the first or the second of them. */
  enum { none, first, second } matched = none;
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

/* Finds the blocks of a picture in others of its format and size: in one, or in two in opposite directions. nearer: the fields
 * for pictures that are one frame nearer than `distance` frames; may be empty. */
std::vector<MotionField> find_motion (const Picture &own, const std::vector<const Picture *> &others,
    const MotionSettings &settings, const std::vector<MotionField> &nearer = {}, int distance = 1);

struct MotionAverage {
  int frames = 5;
  double threshold = 0.1, strength = 1, scene_threshold = 0.5, limit = 1, chroma_limit = 1;
};

/* cltemporal's method=motion for frame t of a stream. */
Picture average_along_motion (const std::vector<Picture> &stream, int t, const MotionAverage &settings);

/* cltemporal's method=motion-recursive for a stream. */
std::vector<Picture> run_along_motion (const std::vector<Picture> &stream, const MotionAverage &settings);

}  // namespace ref

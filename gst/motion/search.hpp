/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the blocks of a picture are found in other pictures: motion, on the device. docs/elements/clmotion.md says how. */
#pragma once

#include "filter/runner.hpp"

#include <array>
#include <optional>

namespace gst::cl {

/** How motion is looked for. */
struct MotionSettings {
  /** Width of a block, 8, 16 or 32, and the fraction of it that the next one has, too. */
  int block = 16;
  double overlap = 0.5;
  /** Of vectors, in quarter pixels: 4, 2 or 1. */
  int precision = 1;
  /** Of the pyramid; 0: by size. */
  int levels = 0;
  /** The fraction of blocks without a match that makes a cut; with 1 there is none. */
  double scene_threshold = 0.5;

  bool operator== (const MotionSettings &) const = default;
};

/** Blocks begin `step` samples apart. */
struct MotionGrid {
  int columns, rows, step;

  int blocks () const { return columns * rows; }
  /** Of a field on the device: a header as large as two vectors, then a vector for each block (GstClMotionField). */
  size_t field_bytes () const { return size_t (blocks () + 2) * 8; }
};

class MotionSearch {
public:
  /** number: tells searches of one stage apart. */
  explicit MotionSearch (int number = 0) : name (number) {}

  /** The plane with luma or RGB of a frame, or one field of it, and the frame's number. */
  struct Picture {
    const PlaneView &plane;
    guint64 number;
  };
  /** What is looked for. */
  struct Job {
    Picture own;
    /** One or two of them, in opposite directions, that many frames away. */
    std::span<const Picture> others;
    unsigned distance = 1;
    /** Rows of the frame for each of the plane. */
    int row_step = 1;
    /** Where the fields go, one for each of the others. */
    std::span<const ::cl::Buffer> to;
  };

  /** The plane that kernels on luma are launched for, which all formats share. */
  static const PlaneTask &any_plane ();
  /** Begins again where they have changed. What was made of frames is kept while their numbers are among the last n. */
  void set (const MotionSettings &settings, unsigned n);
  MotionGrid grid_of (int width, int height) const;
  /** Takes a frame that others will be compared with later on: from then on its plane is not looked at. task: of the plane. */
  void look (Runner &runner, const PlaneTask &task, const Picture &picture);
  bool knows (guint64 number) const { return known[number % known.size ()] == number; }
  /** Of a frame that it knows: the picture, with half pixels, and where the finest level stands in it (kernels/motion/blocks.clh). */
  const ::cl::Buffer &picture (Runner &runner, guint64 number) const;
  ValueArgument finest_level () const { return ValueArgument (std::vector{levels[0]}); }
  /** Enqueues a search. Vectors of the same picture that were found at one frame less are a hint. task: of the plane. */
  void find (Runner &runner, const PlaneTask &task, const Job &job);

private:
  const int name;
  /** As kernels/motion/blocks.clh has them. */
  struct Level {
    cl_int at, stride, width, height, pad, plane;
  };
  struct Search {
    cl_int known_columns, known_rows, coarser, hint, hint_of, radius, first_step, last_step, turns, price, most;
  };
  /** What a turn at a level begins with. */
  struct Known {
    ::cl::Buffer field, hints;
  };

  void lay_out (int width, int height);
  int pad () const;
  const ::cl::Buffer &take (Runner &runner, const PlaneTask &task, const Picture &picture);
  void make_levels (Runner &runner, const PlaneTask &task, const PlaneView &plane, const ::cl::Buffer &buffer);
  void turn (Runner &runner, int level, const Search &search, const Known &known, const ::cl::Buffer &to);
  ::cl::Buffer field (Runner &runner, const char *what, int level, unsigned distance = 0) const;
  void search (Runner &runner, unsigned distance, bool hinted);
  void judge (Runner &runner, const Job &job);
  KernelSpec spec (const char *source, const char *function, const Options &more = {}) const;

  MotionSettings settings;
  int width = 0, height = 0;
  std::vector<Level> levels;
  std::vector<MotionGrid> grids;
  /** Of a picture's buffer, and of the finest plane with its edges: where that begins. */
  size_t picture_samples = 0;
  int finest = 0, finest_samples = 0;
  /** Which frames' pictures there are, by number. */
  std::vector<std::optional<guint64>> known = std::vector<std::optional<guint64>> (2);
  /** Of the search at hand: own, before, after; how many are looked in; and what was looked for last. */
  std::array<::cl::Buffer, 3> pictures;
  int n_others = 0;
  std::optional<std::array<guint64, 3>> last;
};

}  // namespace gst::cl

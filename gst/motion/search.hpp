/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the motion of blocks between pictures, on the device; see docs/elements/clmotion.md. */
#pragma once

#include "filter/runner.hpp"

#include <array>
#include <optional>

namespace gst::cl {

/** Settings of a search. */
struct MotionSettings {
  /** Width of a block (8, 16 or 32 samples), and the fraction of it that the next block overlaps. */
  int block = 16;
  double overlap = 0.5;
  /** Precision of vectors in quarter pixels: 4, 2 or 1. */
  int precision = 1;
  /** Levels of the pyramid; 0: depends on the size. */
  int levels = 0;
  /** The fraction of blocks without a match that makes a cut; 1 disables cuts. */
  double scene_threshold = 0.5;
  /** Whether vectors get a confidence. */
  bool confidence = false;

  bool operator== (const MotionSettings &) const = default;
};

/** Blocks begin `step` samples apart. */
struct MotionGrid {
  int columns, rows, step;

  int blocks () const { return columns * rows; }
  /** Size of a field on the device: a header as large as two vectors, then one vector for each block (GstClMotionField). */
  size_t field_bytes () const { return size_t (blocks () + 2) * 8; }
};

/** A plane that vectors point into: struct other of kernels/motion/moved.clh. */
struct ReadPlane {
  cl_int offset, stride, width, height;

  static ValueArgument of (const PlaneView &plane)
  {
    return ValueArgument (std::vector{ReadPlane{plane.offset, plane.stride, plane.width, plane.height}});
  }
};

class MotionSearch {
public:
  /** number identifies the search within its stage. */
  explicit MotionSearch (int number = 0) : name (number) {}

  /** The plane with luma or RGB of a frame, or of one of its fields, and the frame's number. */
  struct Picture {
    const PlaneView &plane;
    guint64 number;
  };
  /** One search. */
  struct Job {
    Picture own;
    /** One or two pictures, in opposite directions, `distance` frames away. */
    std::span<const Picture> others;
    unsigned distance = 1;
    /** Rows of the frame for each row of the plane: 2 for a field. */
    int row_step = 1;
    /** Where results go, one field for each of the others. */
    std::span<const ::cl::Buffer> to;
  };

  /** The plane for kernels on luma; all formats share it. */
  static const PlaneTask &any_plane ();
  /** Sets the settings, and forgets everything if they have changed. Keeps the pictures of the last n frames. */
  void set (const MotionSettings &settings, unsigned n);
  MotionGrid grid_of (int width, int height) const;
  /** Copies a frame for later comparisons, and does not use its plane afterwards. task must be for this plane. */
  void look (Runner &runner, const PlaneTask &task, const Picture &picture);
  bool knows (guint64 number) const { return known[number % known.size ()] == number; }
  /** The picture of a kept frame, with half pixels, and the position of the finest level in it (kernels/motion/blocks.clh). */
  const ::cl::Buffer &picture (Runner &runner, guint64 number) const;
  ValueArgument finest_level () const { return ValueArgument (std::vector{levels[0]}); }
  /** If both frames are of a fade, searches between them then use frames that are equally bright. */
  void match (Runner &runner, const PlaneTask &task, const Picture &first, const Picture &second);
  /** The fade that match () found, and the changed frame (kernels/motion/blocks.clh). */
  const ::cl::Buffer &fade (Runner &runner) const;
  /** Enqueues a search. Uses vectors of the same picture at a distance of one frame less as a hint, if they exist. task must be
   *  for this plane. */
  void find (Runner &runner, const PlaneTask &task, const Job &job);

private:
  const int name;
  /** See kernels/motion/blocks.clh. */
  struct Level {
    cl_int at, stride, width, height, pad, plane;
  };
  struct Search {
    cl_int known_columns, known_rows, coarser, hint, radius, precision, price, most;
  };
  void lay_out (int width, int height);
  int pad () const;
  const ::cl::Buffer &take (Runner &runner, const PlaneTask &task, const Picture &picture);
  void make_levels (Runner &runner, const PlaneTask &task, const PlaneView &plane, const ::cl::Buffer &buffer);
  ::cl::Buffer field (Runner &runner, int level, unsigned distance) const;
  void search (Runner &runner, unsigned distance, bool hinted);
  void judge (Runner &runner, const Job &job);
  KernelSpec spec (const Runner &runner, const char *function) const;

  MotionSettings settings;
  int width = 0, height = 0;
  std::vector<Level> levels;
  std::vector<MotionGrid> grids;
  /** Samples of a picture's buffer; start and size of the finest plane with its edges. */
  size_t picture_samples = 0;
  int finest = 0, finest_samples = 0;
  /** The numbers of the frames whose pictures are kept. */
  std::vector<std::optional<guint64>> known = std::vector<std::optional<guint64>> (2);
  /** For the current search: the pictures (own, before, after); how many of them are searched; own's place among the matched
   *  frames, 1 or 2, or -1; and the arguments of the last search. */
  std::array<::cl::Buffer, 3> pictures;
  int n_others = 0, place = -1;
  std::optional<std::array<guint64, 3>> last;
  /** The frames that match () compared last. */
  std::array<std::optional<guint64>, 2> matched;
};

}  // namespace gst::cl

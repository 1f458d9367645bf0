/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures how a picture has moved since the previous one, by phase correlation of its blocks, on the device. */
#pragma once

#include "core/arithmetic.hpp"
#include "filter/runner.hpp"
#include "shared/histogram_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gst::cl {

/** The plane of a frame, or of its upper field, in which motion is measured. */
struct MotionSource {
  const PlaneView &plane;
  /** Size of the frame in pixels, and the pixels' width divided by their height. */
  int width, height;
  double pixel_aspect;
  /** Rows of the frame for each row of the plane. */
  int row_step;
};

/* See kernels/stabilize. */
constexpr int block = 64, most_blocks = 128, motion_ring = 2048;
constexpr size_t motion_bytes = 9 * sizeof (cl_float), spectrum_bytes = 2 * block * block * sizeof (cl_float);

/* Large enough to measure a fortieth of a pixel of 1080p, small enough for five times real time on two cores. */
constexpr double small_pixels = 480 * 270;
/* The distance between blocks; samples that one block's window suppresses are in the next block. */
constexpr double block_step = 52;
/* The Gaussian low pass, in periods per block, and the power of noise in the small picture's samples that is ignored. */
constexpr double low_pass = 12, noise_power = 1;
/* The largest difference between a block's shift and the picture's, in samples: in the coarse picture, in the fine one, and
 * after the first compensation. */
constexpr double near_in_coarse = 2, near_at_first = 1.5, near_later = 0.4;
/* The minimum confidence at which a path continues: unrelated pictures stay below 0.06. */
constexpr float least_confidence = 0.1f;

/* Adds a Hann window over the existing part, in case the picture is smaller than a block. */
inline void
add_window (std::vector<float> &to, int length)
{
  const int n = std::min (block, length);
  for (int i = 0; i < block; i++)
    to.push_back (i < n ? float (0.5 - 0.5 * std::cos (2 * std::numbers::pi * (i + 0.5) / n)) : 0);
}

inline double
sum_of (std::span<const float> values, auto of)
{
  double sum = 0;
  for (float value : values)
    sum += of (double (value));
  return sum;
}

/* The name of a small picture; two consecutive frames have different names. */
inline const char *
small_name (guint64 number)
{
  return number % 2 ? "stabilize-small-odd" : "stabilize-small-even";
}

inline const char *
spectra_name (guint64 number)
{
  return number % 2 ? "stabilize-odd" : "stabilize-even";
}

/* The name of a coarse picture. */
inline const char *
far_name (guint64 number)
{
  return number % 2 ? "stabilize-far-odd" : "stabilize-far-even";
}

/* How many blocks there are along a side. */
inline int
blocks_along (int length)
{
  return std::max (1, int (std::lround ((length - block) / block_step)) + 1);
}

/* n groups of ITEMS; see kernels/stabilize/blocks.clh. */
inline WorkSize
groups (const Runner &runner, size_t n)
{
  const size_t items = runner.backend () == Backend::cpu ? 1 : block;
  return {{items * n, 1}, {items, 1}};
}

class MotionFinder {
public:
  /** Enqueues the search for the motion between frame `number` and the last frame; the later of the two then has an entry in
   *  motions(). Numbers rise with time, and fall in reverse. A frame that does not follow the last frame starts a new path. */
  void look (Runner &runner, const PlaneTask &task, const MotionSource &source, guint64 number)
  {
    if (fine.tables.empty ())
      plan (source);
    const bool follows = last && *last + 1 == number, precedes = last && *last == number + 1;
    shrink (runner, task, source.plane, number);
    measure (runner, spectra_name (number), number, fine, none (runner));
    if (follows) {
      note (runner, number, false, compare (runner, number), false);
    } else {
      measure (runner, far_name (number), number, coarse, none (runner));
      note (runner, number, true, none (runner), false);
      if (precedes)
        note (runner, number + 1, false, compare (runner, number + 1), true);
    }
    last = number;
  }

  /** The record of each frame for kernels/stabilize/path.cl. */
  static const ::cl::Buffer &motions (Runner &runner)
  {
    return runner.memory.zeros ("stabilize-motions", motion_ring * motion_bytes);
  }

  /** Kernels on samples of a plane, which share a program. */
  static KernelSpec plane_spec (const Runner &runner, const PlaneTask &task, const char *function)
  {
    const int samples = task.samples_per_pixel ();
    return {.sources = {"lib/pixel.clh", "stabilize/shrink.cl", "stabilize/warp.cl"},
        .function = function,
        .item_samples = runner.backend () == Backend::cpu ? 1
                        : samples == 3                    ? 12
                                                          : 4,
        .own_borders = true,
        .joins_chroma = runner.format ().sample_size () == 1,
        .tunable = {.local = true}};
  }

  /** Kernels on blocks and on their shifts; all formats share them. */
  static KernelSpec spec (const char *function)
  {
    return {.sources = {"stabilize/blocks.clh", "stabilize/transform.clh", "stabilize/spectra.clh", "stabilize/correlate.clh",
                "stabilize/slopes.clh", "stabilize/measure.cl", "stabilize/fit.cl", "stabilize/path.cl"},
        .function = function,
        .moves_samples = true};
  }

  static PlaneTask any_plane ()
  {
    PlaneTask task{};
    task.src = task.dst = {.memory = {}, .offset = 0, .stride = block, .width = block, .height = 1, .layout = &one_sample};
    task.border = Border::replicate;
    return task;
  }

private:
  /** How a picture is divided into blocks, and the tables for their spectra. */
  struct Layout {
    Layout () = default;
    Layout (const char *name_, int width_, int height_, double unit_x_, double unit_y_, int step_);

    /** The tables' name, which differs between layouts. */
    const char *name = "";
    int width = 0, height = 0, columns = 0, rows = 0;
    /** The size of a sample, in units of the frame's height. */
    double unit_x = 0, unit_y = 0;
    /** Samples of the small picture from one block to the next. */
    int step = 1;
    /** The windows, cosines and low pass of kernels/stabilize/transform.clh; the sums of window and low pass. */
    std::vector<float> tables;
    double window_sum = 0, window_power = 0, low_pass_sum = 0;
    /** The window's spread of a single frequency, squared. */
    cl_float2 leak{};

    int blocks () const { return columns * rows; }
    cl_int4 numbers () const { return {{columns, rows, width, height}}; }
  };

  void plan (const MotionSource &source)
  {
    const double scale = std::sqrt (double (source.width) * source.height / small_pixels);
    box_width = std::clamp (int (std::lround (scale)), 1, source.plane.width);
    box_height = std::clamp (int (std::lround (scale / source.row_step)), 1, source.plane.height);
    const int width = source.plane.width / box_width, height = source.plane.height / box_height;
    const double unit_x = box_width * source.pixel_aspect, unit_y = box_height * source.row_step;
    fine = Layout ("stabilize-fine", width, height, unit_x, unit_y, 1);
    coarse = Layout ("stabilize-coarse", std::max (width / 2, 1), std::max (height / 2, 1), 2 * unit_x, 2 * unit_y, 2);
  }

  static const ::cl::Buffer &none (Runner &runner) { return runner.memory.zeros ("stabilize-none", 2 * sizeof (cl_float4)); }

  void shrink (Runner &runner, const PlaneTask &task, const PlaneView &plane, guint64 number)
  {
    const int left = plane.width % box_width / 2, top = plane.height % box_height / 2;
    const double scale = 255.0 / runner.format ().max_value () / 100 / box_width / box_height;
    const size_t width = size_t (fine.width), height = size_t (fine.height);
    runner.run (
        task, Launch::range (plane_spec (runner, task, "shrink_picture"), runner.size_for (fine.width, fine.height, {16, 4}),
                  {plane.memory, plane.offset, plane.stride, cl_int4{{box_width, box_height, left, top}},
                      cl_int2{{fine.width, fine.height}}, luma_weights (runner.format (), *plane.layout), cl_float (scale),
                      ScratchArgument{small_name (number), width * height * sizeof (cl_float)}}));
  }

  /** How the blocks of a picture are compared with another picture's; see kernels/stabilize/measure.cl. */
  enum class Comparison { alone, correlated, by_slopes };

  /* Computes spectra into the buffer `name`, and with another picture's spectra the shifts of blocks. */
  void measure (Runner &runner, const char *name, guint64 number, const Layout &layout, const ::cl::Buffer &estimate,
      Comparison comparison = Comparison::alone, const char *before = nullptr)
  {
    const size_t n = layout.blocks (), bytes = n * spectrum_bytes;
    runner.run (any_plane (),
        Launch::range (spec ("measure_blocks"), groups (runner, n),
            {ScratchArgument{small_name (number), 0}, cl_int4{{fine.width, fine.height, layout.step, 0}}, layout.numbers (),
                estimate,
                cl_float4{{float (fine.unit_x), float (fine.unit_y), float (layout.window_sum), float (layout.low_pass_sum)}},
                layout.leak, cl_float (noise_power * layout.window_power), cl_int (comparison),
                TableArgument (layout.name, layout.tables), ScratchArgument{"stabilize-work", bytes},
                ScratchArgument{name, bytes}, ScratchArgument{before ? before : name, bytes},
                ScratchArgument{"stabilize-surfaces", bytes}, ScratchArgument{"stabilize-shifts", n * sizeof (cl_float4)},
                ScratchArgument{"stabilize-axes", n * sizeof (cl_float4)}}));
  }

  void fit (Runner &runner, const Layout &layout, double near, bool begins)
  {
    runner.run (
        any_plane (), Launch::range (spec ("fit_motion"), groups (runner, 1),
                          {ScratchArgument{"stabilize-shifts", 0}, ScratchArgument{"stabilize-axes", 0}, layout.numbers (),
                              cl_float2{{float (layout.unit_x), float (layout.unit_y)}}, cl_float (near), cl_int (begins),
                              ScratchArgument{"stabilize-estimate", 2 * sizeof (cl_float4)}}));
  }

  /* Compares frame `number` with the frame before it. First uses the coarse picture, with shifts of blocks at the same
   * position. Then moves and rotates the blocks accordingly, with subsample precision, and measures their shifts again; for the
   * small shifts that remain, it uses the slopes of phases, which are the most precise. */
  const ::cl::Buffer &compare (Runner &runner, guint64 number)
  {
    const ::cl::Buffer &estimate = runner.memory.buffer ("stabilize-estimate", 2 * sizeof (cl_float4));
    const char *before = spectra_name (number - 1);
    measure (runner, far_name (number), number, coarse, none (runner), Comparison::correlated, far_name (number - 1));
    fit (runner, coarse, near_in_coarse, true);
    measure (runner, "stabilize-moved", number, fine, estimate, Comparison::correlated, before);
    fit (runner, fine, near_at_first, false);
    for (int turn = 0; turn < 2; turn++) {
      measure (runner, "stabilize-moved", number, fine, estimate, Comparison::by_slopes, before);
      fit (runner, fine, near_later, false);
    }
    return estimate;
  }

  void note (Runner &runner, guint64 number, bool begins, const ::cl::Buffer &estimate, bool backwards)
  {
    runner.run (any_plane (),
        Launch::range (spec ("note_motion"), {{1, 1}, {1, 1}},
            {estimate, cl_int (number & G_MAXINT), cl_int (begins), cl_int (backwards), least_confidence, motions (runner)}));
  }

  /** The box of samples that becomes one sample of the small picture. */
  int box_width = 0, box_height = 0;
  /** The small picture, and one of half its size, in which large shifts are small. */
  Layout fine, coarse;
  std::optional<guint64> last;
};

inline MotionFinder::Layout::Layout (const char *name_, int width_, int height_, double unit_x_, double unit_y_, int step_)
    : name (name_), width (width_), height (height_), rows (std::min (blocks_along (height), most_blocks)), unit_x (unit_x_),
      unit_y (unit_y_), step (step_)
{
  columns = std::min (blocks_along (width), most_blocks / rows);
  add_window (tables, width);
  add_window (tables, height);
  for (int i = 0; i < block; i++)
    tables.push_back (float (std::cos (2 * std::numbers::pi * i / block)));
  for (int i = 0; i < block; i++)
    tables.push_back (float (std::exp (-std::pow (std::min (i, block - i) / low_pass, 2) / 2)));
  const auto part = [&] (int i) { return std::span<const float> (tables).subspan (i * block, block); };
  const auto itself = [] (double v) { return v; };
  const auto square = [] (double v) { return v * v; };
  window_sum = sum_of (part (0), itself) * sum_of (part (1), itself);
  window_power = sum_of (part (0), square) * sum_of (part (1), square);
  low_pass_sum = square (sum_of (part (3), itself));
  /* a Hann window of a whole block spreads a frequency's power into 1/6, 2/3, 1/6 */
  const auto leak_of = [] (int length) { return cl_float (std::pow (double (block) / std::min (block, length), 2) / 3); };
  leak = {{leak_of (width), leak_of (height)}};
}

}  // namespace gst::cl

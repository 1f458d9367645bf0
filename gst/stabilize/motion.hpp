/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures how a picture has moved since the previous one, by phase correlation of its blocks, on the device. */
#pragma once

#include "filter/runner.hpp"

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

class MotionFinder {
public:
  /** Enqueues the search for the motion between frame `number` and the last one; motions() then has it for the later of the
   *  two. Numbers rise with time, and fall in reverse. A frame that does not follow the last one starts again. */
  void look (Runner &runner, const PlaneTask &task, const MotionSource &source, guint64 number);

  /** What kernels/stabilize/path.cl knows of each frame. */
  static const ::cl::Buffer &motions (Runner &runner);
  /** Kernels on the results, and the plane for which they are launched; all formats share it. */
  static KernelSpec spec (const char *function);
  static PlaneTask any_plane ();

private:
  /** How a picture is divided into blocks. */
  struct Layout {
    Layout () = default;
    Layout (int width, int height, double unit_x, double unit_y, int step);

    int width = 0, height = 0, columns = 0, rows = 0;
    /** The size of a sample, in units of the frame's height. */
    double unit_x = 0, unit_y = 0;
    /** Samples of the small picture from one block to the next. */
    int step = 1;

    int blocks () const { return columns * rows; }
    cl_int4 numbers () const { return {{columns, rows, width, height}}; }
  };
  /** The window by which blocks are multiplied, its sums, and its spread of a single frequency, squared. */
  struct Tables {
    const char *name = "";
    std::vector<float> values = {};
    double window_sum = 0, window_power = 0, low_pass_sum = 0;
    cl_float2 leak{};

    TableArgument argument () const { return TableArgument (name, values); }
  };

  void plan (const MotionSource &source);
  static Tables tables_for (const Layout &layout);
  void shrink (Runner &runner, const PlaneTask &task, const PlaneView &plane, guint64 number);
  const ::cl::Buffer &spectra (Runner &runner, const char *name, guint64 number, const Layout &layout, const Tables &tables,
      const ::cl::Buffer &estimate);
  void correlate (
      Runner &runner, const Layout &layout, const Tables &tables, const ::cl::Buffer &before, const ::cl::Buffer &now);
  void fit (Runner &runner, const Layout &layout, double near, bool begins);
  const ::cl::Buffer &compare (Runner &runner, guint64 number);
  void note (Runner &runner, guint64 number, bool begins, const ::cl::Buffer &estimate, bool backwards);

  /** The box of samples that becomes one sample of the small picture. */
  int box_width = 0, box_height = 0;
  /** The small picture, and one of half its size, in which large shifts are small. */
  Layout fine, coarse;
  Tables fine_tables, coarse_tables;
  std::optional<guint64> last;
};

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures how a picture has moved since the previous one, by phase correlation of its blocks, on the device. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

/** The plane of a frame, or of its upper field, that tells of motion, and what it is. */
struct MotionSource {
  const PlaneView &plane;
  /** Size of the frame, and the width of its pixels over their height. */
  int width, height;
  double pixel_aspect;
  /** Rows of the frame for each of the plane. */
  int row_step;
};

class MotionFinder {
public:
  /** Enqueues what finds the motion between frame number and the last one, which motions() then has for the later of the two:
   *  numbers rise with time, and in reverse they fall. Frames that are no neighbours of the last one begin again. */
  void look (Runner &runner, const PlaneTask &task, const MotionSource &source, guint64 number);

  /** What kernels/stabilize/path.cl knows of each frame. */
  static const ::cl::Buffer &motions (Runner &runner);
  /** Of kernels that work on what was found, and the plane that they are launched for, which all formats share. */
  static KernelSpec spec (const char *function);
  static PlaneTask any_plane ();

private:
  /** How the picture is cut. */
  struct Layout {
    /** Of a box that becomes a sample, and the samples. */
    int box_width, box_height, width, height;
    int columns, rows;
    /** A sample in pixels of the frame's height. */
    double unit_x, unit_y;

    int blocks () const { return columns * rows; }
  };

  void plan (const MotionSource &source);
  void shrink (Runner &runner, const PlaneTask &task, const PlaneView &plane, guint64 number);
  const ::cl::Buffer &spectra (Runner &runner, const char *name, guint64 number, const ::cl::Buffer &estimate);
  void fit (Runner &runner, double near, bool begins);
  const ::cl::Buffer &compare (Runner &runner, guint64 number);
  void note (Runner &runner, guint64 number, bool begins, const ::cl::Buffer &estimate, bool backwards);

  Layout layout{};
  std::vector<float> tables;
  double window_sum = 0, window_power = 0, low_pass_sum = 0;
  std::optional<guint64> last;
};

}  // namespace gst::cl

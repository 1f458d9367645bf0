/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From clmedian's window and rank to a kernel: which one, built and called how. Knows no GStreamer and no OpenCL. */
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gst::cl {

/** A window of (2 radius_x + 1) x (2 radius_y + 1) samples, and which of them in order is the result, from 0. */
struct MedianWindow {
  int radius_x = 1, radius_y = 1;
  int rank = 4;

  int samples () const { return (2 * radius_x + 1) * (2 * radius_y + 1); }
  bool middle () const { return rank == samples () / 2; }
};

/** floor (percentile * (samples - 1) + 0.5). */
int median_rank (double percentile, int samples);

struct MedianTarget {
  bool gpu = false;
  /** Bits of a sample's value: 8, 10 or 16. */
  int depth = 8;
  int samples_per_pixel = 1;
  /** What is written, in pixels. */
  int width = 1, height = 1;
  int compute_units = 1;
  /** Bytes of local memory that a work-group may have. */
  std::size_t local_bytes = 32768;
  /** The device's compiler takes min.u16x2 and max.u16x2 in inline PTX: NVIDIA, compute capability 9.0 and later. */
  bool ptx_lanes = false;
  /** gpu: what is taken of the methods that take the window, 0 for the usual one. */
  int method = 0;
};

/** Of the gpu back end, all with the same result. */
enum MedianMethod { median_by_network = 1, median_by_descent, median_by_march };

struct MedianPlan {
  /** gpu: which of them; 0 on the cpu back end and for windows of few samples. */
  int method = 0;
  /** The argument list after PLANE_ARGS. */
  enum class Arguments {
    limit,            /* int limit */
    limit_rank,       /* int limit, int rank, int2 radius */
    limit_rank_jobs,  /* int limit, int rank, int2 radius, int strip, int band, buffer scratch,
                               int scratch_each */
    limit_rank_planes /* int limit, int rank, int2 radius, int pitch, int plane_bytes, buffer planes,
                               buffer far */
  };

  /** For `stats`. */
  const char *algorithm = "";
  /** Files below kernels/, after lib/plane.clh, lib/border.clh and lib/gpu.clh. */
  std::vector<std::string> sources;
  std::string function;
  /** -D values besides the plane's own names, ITEM_SAMPLES and ITEM_ROWS. */
  std::string options;
  /** What a work item writes. The cpu back end may use 1 for either where a part of the plane is smaller. */
  int item_samples = 1, item_rows = 1;
  /** Work-group size on the gpu back end. */
  int local_x = 32, local_y = 4;
  Arguments arguments = Arguments::limit;

  /** Not 0: so many work items, on the gpu back end so many groups of job_items, share out the work among
   *  themselves. Starting costs them as much as a window's height of rows, so the plane should be filtered in one
   *  piece, padded as a whole. */
  std::size_t jobs = 0, job_items = 1;
  /** The kernel knows about borders on the cpu back end, too. */
  bool own_borders = false;
  int strip = 0, band = 0;
  /** Scratch memory of one job; jobs * scratch_each in all. */
  int scratch_each = 0;

  std::size_t scratch_bytes () const { return jobs * scratch_each; }

  /** limit_rank_planes: a kernel of this name runs before, in prepare_jobs groups of prepare_items, and writes the
   *  samples by component: one plane of plane_bytes for each, rows `pitch` bytes apart. */
  const char *prepare = nullptr;
  std::size_t prepare_jobs = 0, prepare_items = 256;
  int pitch = 0, plane_bytes = 0;
  /** Scratch memory for results, 0 where local memory holds them. */
  std::size_t far_bytes = 0;
};

/** any_radius: a kernel that takes the radius as an argument, for the time in which the program for a radius of its own,
 *  which is faster, is being built. */
MedianPlan plan_median (const MedianWindow &window, const MedianTarget &target, bool any_radius = false);

}  // namespace gst::cl

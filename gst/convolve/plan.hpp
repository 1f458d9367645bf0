/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a matrix and the element's settings to kernels, -D values and arguments. Knows neither GStreamer nor OpenCL. */
#pragma once

#include "shared/convolve_matrix.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

namespace gst::cl {

struct ConvolveSettings {
  ConvolveMatrix matrix;
  double divisor = 0; /* 0: the sum of taps, or 1 where that is 0 */
  double bias = 0;    /* of full scale */
  bool absolute = false;
  bool flip = false;
};

struct ConvolveTarget {
  bool gpu = false;
  int depth = 8;      /* bits of a sample's value */
  int components = 1; /* samples interleaved per pixel */
  /* A kernel that takes the matrix's size as an argument, for the time in which the program for that size is built. */
  bool any_size = false;
  bool image = false;        /* source, result or both are images */
  bool nvidia = false;       /* the gpu is one of NVIDIA's, whose multiply-adds take denormal floats at full speed */
  bool matrix_units = false; /* it has mma.sync of bytes: NVIDIA from compute capability 8.0 on */
};

enum class ConvolveAlgorithm {
  identity, /* every sample stays what it is: pass through, no kernel */
  direct,
  separable,
  low_rank
};

enum class ConvolveSum { float32, int32, int64 };

/* How the kernel's global and local sizes follow from the region. */
enum class ConvolveLaunch {
  rows,  /* cpu: one sample times item_rows per item, groups along the row */
  tiles, /* cpu: global (ceil (width / tile_samples), ceil (height / item_rows)), local (1, 1) */
  grid,  /* gpu: item_samples x item_rows per item, any local size */
  groups /* gpu: the same, local size (group_x, group_y) and global sizes rounded up to it */
};

using ConvolveArgument = std::variant<float, std::int32_t, std::int64_t>;

struct ConvolvePlan {
  ConvolveAlgorithm algorithm = ConvolveAlgorithm::identity;
  ConvolveSum sum = ConvolveSum::float32;
  bool exact = true; /* the bytes are the formula's, rounded; otherwise within 1 */
  int rank = 0;      /* products of the separable kernel */

  /* The program: these decide what is compiled, and depend on sizes, algorithm and type, never on values. */
  std::vector<std::string> sources; /* after lib/plane.clh, lib/border.clh and lib/gpu.clh */
  std::string kernel;
  std::string options; /* all but the plane's own names, ITEM_SAMPLES and ITEM_ROWS */
  ConvolveLaunch launch = ConvolveLaunch::rows;
  int item_samples = 1;
  int item_rows = 1; /* on the cpu back end 1 works with the same options, for regions of fewer rows */
  int tile_samples = 0;
  int group_x = 0;
  int group_y = 0;

  /* Pixels that the window reaches beyond the sample on each side. */
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;

  std::vector<unsigned char> taps; /* the argument behind PLANE_ARGS: a buffer, or these bytes themselves */
  bool taps_by_value = false;
  /* Behind the taps: divisor, inverse, offset, absolute of shared/quotient.clh or those of convolve/convolve.clh:
   * column_factor, column_half and result_shift where there are two passes, then offset, inverse, under. */
  std::vector<ConvolveArgument> arguments;
  /* Width and height, the last argument, int2; nothing where the size is compiled in. */
  std::optional<std::array<std::int32_t, 2>> size;
};

/* Whether every sample stays what it is. */
bool convolve_is_identity (const ConvolveSettings &settings);

ConvolvePlan convolve_make_plan (const ConvolveSettings &settings, const ConvolveTarget &target);

const char *convolve_algorithm_name (ConvolveAlgorithm algorithm);

}  // namespace gst::cl

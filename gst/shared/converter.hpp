/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts frames: chooses kernels and makes their tables. */
#pragma once

#include "filter/gstclfilter.hpp"
#include "shared/axis.hpp"
#include "shared/colors.hpp"

#include <optional>

namespace gst::cl {

/** For IN_PAIRS of kernels/shared/convert_gpu.cl. */
struct PairTables {
  Options options;
  /** Two entries for each pair of columns, and two for each row. */
  std::vector<cl_uint4> columns, rows;
};

/** Columns of the result for each item, and items of a group. */
inline constexpr int pair_pixels = 4;
inline constexpr std::array<size_t, 2> pair_group{64, 2};

enum class Dither { automatic, none, bayer, noise };

enum class ChromaResampling { linear, nearest };

/** Work items of a group in the gpu back end's kernels. */
inline constexpr std::array<size_t, 2> convert_group{32, 4};

struct ConvertSettings {
  Resampling method = Resampling::bilinear;
  Dither dither = Dither::automatic;
  ChromaResampling chroma_resampler = ChromaResampling::linear;
  bool add_borders = true;
  PrimariesMode primaries = PrimariesMode::merge_only;
};

class FrameConverter : public With<ConvertSettings, Converter> {
public:
  /** The settings may stay constant. */
  explicit FrameConverter (const ConvertSettings &constant = {})
  {
    settings = constant;
    algorithm = "none";
  }

  void changed () override { plans = {}; }
  Launches plan (Runner &runner, const ConvertTask &task) override;

private:
  /** One launch: planes of the result with the same sample positions, and their inputs. */
  struct Part {
    /** See kernels/shared/convert.clh. */
    struct Window {
      cl_int offset, stride, width, height, rows, columns, row_starts, row_weights, column_starts, column_weights;
    };
    struct Numbers {
      std::array<Window, 4> in;
      std::array<cl_int, 4> out_offset, out_stride;
      cl_int width, height, piece, read;
      std::array<std::array<cl_float, 4>, 4> factors;
      std::array<cl_float, 4> constants;
    };

    /** Planes of the result and their components, including padding; one component per plane in planar formats. */
    std::vector<int> planes, components;
    /** Components that are read, and their planes, each plane once. */
    std::vector<int> inputs;
    std::vector<int> sources;
    /** See kernels/shared/convert.clh. */
    int plane_steps = 0, in_planes = 0, in_places = 0;
    /** In pixels of the plane. */
    Rect rect;
    Numbers numbers{};
    std::vector<cl_int> starts;
    std::vector<cl_float> weights;
    /** numbers.in, for the back end's kernel. gpu: whether work-groups make tiles, and how many rows an item makes. */
    std::array<Window, 4> windows{};
    bool is_tiled = false;
    int item_lines = 1;
    std::optional<TableArgument> start_table, weight_table;
    Options options;
    /** gpu: for frames with aligned rows, if IN_PAIRS applies. */
    struct Pairs {
      Options options;
      TableArgument columns, rows;
      /** Replaces the factors in numbers. */
      std::array<std::array<cl_float, 4>, 4> factors;
      std::array<cl_float, 4> constants;
    };
    std::optional<Pairs> pairs;
  };

  void make_parts (const ConvertTask &task, const Runner &runner);
  Part make_part (const ConvertTask &task, std::vector<int> planes, const Runner &runner) const;
  void add_input (Part &part, const ConvertTask &task, const PlaneLayout &of, int component) const;
  void add_source (Part &part, const ConvertTask &task, const PlaneLayout &of, int plane) const;
  Axis axis (const ConvertTask &task, const PlaneLayout &from, const PlaneLayout &to, int source, int n, bool vertical) const;
  /** Whether a plane has fewer columns than a vector. */
  static bool is_narrow (const Part &part, const ConvertTask &task);
  /** Whether each column of the result is made from the same column of planes whose pixels are words. */
  static bool stays_in_columns (const Part &part, const ConvertTask &task);
  /** Adds the gpu back end's options, and sets its windows. */
  static void fit_windows (Part &part, const ConvertTask &task);
  /** How many samples of source i a row of a tile needs. */
  static int tile_samples (const Part &part, const ConvertTask &task, size_t i);
  /** Rearranges weights for tiles. */
  static void turn_weights (Part &part, size_t i, bool bytes);
  std::optional<PairTables> pair_tables (const Part &part, const ConvertTask &task) const;
  static Part::Pairs make_pairs (const Part &part, const PairTables &tables, const ScratchName &name);
  static Launch launch (const Runner &runner, const ConvertTask &task, const Part &part);
  int dither_for (const ConvertTask &task) const;

  /** Indexed by the number of fields less one, then by field. */
  std::array<std::array<std::vector<Part>, 2>, 2> plans;
  /** Where the picture lies in the result. */
  Rect rect{};
};

/** Fills a rectangle of a plane with a colour, or with squares of two colours; colours are indexed by component, and padding
 *  gets the greatest sample. */
Launches fill_pixels (const Runner &runner, const PlaneView &plane, const Format &format, const Rect &rect,
    const std::array<int, 4> &even, const std::array<int, 4> &odd);

/** Where a picture of `from` lies in a frame of `to`: centred, with its aspect ratio. */
Rect place_with_borders (const GstVideoInfo &from, const GstVideoInfo &to);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes the source positions of a warped picture's pixels. */
#pragma once

#include "filter/operation.hpp"
#include "shared/convolve_matrix.hpp"
#include "shared/known_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gst::cl {

/** A source point for each pixel of the result, read from a file. */
struct PointMap {
  std::string path;
  /** x and y of each point, row by row. */
  std::vector<float> points;
};

constexpr guint64 most_map_bytes = guint64 (4) << 30, point_bytes = 2 * sizeof (float);

/** Reads a file of points: float32, little endian. The file is read once for all users, and again when it changes. Throws
 *  Failure. Thread-safe. */
inline std::shared_ptr<const PointMap>
load_map (const std::string &path)
{
  return load_known_file<PointMap> (path, most_map_bytes, [&] (InputFile &file) {
    if (file.size () == 0 || file.size () % point_bytes)
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
          path + " has " + std::to_string (file.size ())
              + " bytes; a map has 8 bytes for each pixel of a frame: x and y as float32.",
          "");
    PointMap map{path, std::vector<float> (size_t (file.size ()) / sizeof (float))};
    file.read (map.points.data (), size_t (file.size ()));
    return map;
  });
}

/** In the order of the element's enum. */
enum class WarpInterpolation : int { nearest, bilinear, bicubic, lanczos };

struct WarpSettings {
  std::string matrix, undistort, map;
  WarpInterpolation interpolation = WarpInterpolation::bilinear;
};

/* Row `row` of the matrix times (x, y, 1): x, y or z in by_matrix(). Beyond the horizon z is not positive. */
inline double
row_at (const std::array<double, 9> &m, int row, double x, double y)
{
  return m[3 * row] * x + m[3 * row + 1] * y + m[3 * row + 2];
}

inline bool
by_matrix (const std::array<double, 9> &m, double &x, double &y)
{
  const double w = row_at (m, 2, x, y);
  std::tie (x, y) = std::pair (row_at (m, 0, x, y) / w, row_at (m, 1, x, y) / w);
  return w > 0;
}

/* See kernels/warp/positions.cl. */
inline void
by_lens (const std::array<double, 12> &lens, double &px, double &py)
{
  const auto &[fx, fy, cx, cy, k1, k2, p1, p2, k3, k4, k5, k6] = lens;
  const double x = (px - cx) / fx, y = (py - cy) / fy, r2 = x * x + y * y;
  const double radial = (1 + ((k3 * r2 + k2) * r2 + k1) * r2) / (1 + ((k6 * r2 + k5) * r2 + k4) * r2);
  px = (x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)) * fx + cx;
  py = (y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y) * fy + cy;
}

inline bool
by_map (const std::vector<float> &points, double &px, double &py, int width, int height)
{
  if (!(px >= -1 && py >= -1 && px <= width && py <= height))
    return false;
  const int x = std::clamp (int (std::floor (px)), 0, std::max (width - 2, 0));
  const int y = std::clamp (int (std::floor (py)), 0, std::max (height - 2, 0));
  const double along = px - x, down = py - y;
  const auto between = [] (double a, double b, double share) {
    return share == 0 ? a : share == 1 ? b : std::lerp (a, b, share);
  };
  const auto entry = [&] (int axis) {
    const auto at = [&] (int column, int row) {
      return double (points[2 * (size_t (std::min (row, height - 1)) * width + std::min (column, width - 1)) + size_t (axis)]);
    };
    return between (between (at (x, y), at (x + 1, y), along), between (at (x, y + 1), at (x + 1, y + 1), along), down);
  };
  std::tie (px, py) = std::pair (entry (0), entry (1));
  return true;
}

/* The numbers of a text; `initial` supplies missing numbers. */
template <size_t n>
std::array<double, n>
numbers_in (const std::string &text, std::array<double, n> initial)
{
  if (!text.empty ())
    std::ranges::copy (convolve_parse_matrix (text).matrix->taps, initial.begin ());
  return initial;
}

/** Maps a point of the result to a point of the input: each step takes the result of the step before. Integer coordinates are
 *  centres of pixels. */
struct Warp {
  std::array<double, 9> matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
  /** fx fy cx cy, k1 k2 p1 p2 k3 k4 k5 k6; all 0 without a lens. */
  std::array<double, 12> lens{};
  std::shared_ptr<const PointMap> map;

  bool has_matrix () const
  {
    const auto &[a, b, c, d, e, f, g, h, i] = matrix;
    return !(b == 0 && c == 0 && d == 0 && f == 0 && g == 0 && h == 0 && a == e && a == i && a != 0);
  }

  bool has_lens () const
  {
    return std::any_of (lens.begin () + 4, lens.end (), [] (double v) { return v != 0; });
  }
  bool is_neutral () const { return !has_matrix () && !has_lens () && !map; }
  /** The matrix, with the sign that puts the middle of a frame of this size in front of the horizon. */
  std::array<double, 9> matrix_for (int width, int height) const
  {
    std::array<double, 9> result = matrix;
    if (row_at (matrix, 2, (width - 1) / 2.0, (height - 1) / 2.0) < 0)
      for (double &v : result)
        v = -v;
    return result;
  }

  /** Moves a point of a frame of this size. Returns false if the point has no source. */
  bool move (double &x, double &y, int width, int height) const
  {
    if (!by_matrix (matrix_for (width, height), x, y))
      return false;
    if (has_lens ())
      by_lens (lens, x, y);
    if (map && !by_map (map->points, x, y, width, height))
      return false;
    return std::isfinite (x) && std::isfinite (y);
  }
};

/** Why texts of the properties are not valid. */
inline std::optional<std::string>
warp_matrix_complaint (const std::string &text)
{
  if (text.empty ())
    return std::nullopt;
  const ConvolveParse parsed = convolve_parse_matrix (text);
  if (!parsed.matrix)
    return parsed.error;
  if (parsed.matrix->width == 3 && parsed.matrix->height == 3)
    return std::nullopt;
  return "'" + text + "' has " + std::to_string (parsed.matrix->height) + " rows of " + std::to_string (parsed.matrix->width)
         + "; write 3 rows of 3 numbers, for example \"1 0 0; 0 1 0; 0 0 1\"";
}

inline std::optional<std::string>
warp_lens_complaint (const std::string &text)
{
  constexpr int least = 8, most = 12;
  if (text.empty ())
    return std::nullopt;
  const ConvolveParse parsed = convolve_parse_matrix (text);
  if (!parsed.matrix)
    return parsed.error;
  const ConvolveMatrix &numbers = *parsed.matrix;
  if (numbers.height != 1 || numbers.width < least || numbers.width > most)
    return "'" + text + "' has " + std::to_string (numbers.taps.size ())
           + " numbers; write 8 to 12 in one row: fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6";
  if (numbers.taps[0] == 0 || numbers.taps[1] == 0)
    return "'" + text + "' has a focal length of 0; the first two numbers are fx and fy, in pixels";
  return std::nullopt;
}

inline std::optional<std::string>
warp_map_complaint (const std::string &text)
{
  try {
    if (!text.empty ())
      load_map (text);
  } catch (const Failure &failure) {
    return failure.what ();
  }
  return std::nullopt;
}

inline Warp
warp_without_map (const WarpSettings &settings)
{
  return {numbers_in (settings.matrix, Warp{}.matrix), numbers_in (settings.undistort, Warp{}.lens), nullptr};
}

/** Texts must have passed the functions above. Throws Failure if the map file no longer exists. */
inline Warp
warp_of (const WarpSettings &settings)
{
  Warp warp = warp_without_map (settings);
  warp.map = settings.map.empty () ? nullptr : load_map (settings.map);
  return warp;
}

inline bool
warp_is_neutral (const WarpSettings &settings)
{
  return settings.map.empty () && warp_without_map (settings).is_neutral ();
}

/** Throws Failure if the map is not for frames of this size. */
inline void
check_map (const PointMap &map, int width, int height)
{
  const size_t bytes = map.points.size () * sizeof (float), wanted = size_t (width) * height * point_bytes;
  if (bytes != wanted)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "The map " + map.path + " has " + std::to_string (bytes) + " bytes; the map for frames of " + std::to_string (width)
            + "x" + std::to_string (height) + " has " + std::to_string (wanted)
            + ": x and y as float32 for each pixel. Set a map of that size.",
        "");
}

}  // namespace gst::cl

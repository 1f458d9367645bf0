/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* yadif and bwdif sample by sample, with FFmpeg's integers: quotients are rounded down. */
#include "reference.hpp"

namespace ref {

namespace {

int
floor_of (double v)
{
  return (int) std::floor (v);
}

/* A row of a component is a row of the plane. */
class Maker {
public:
  Maker (const std::vector<Picture> &stream, const Field &field, size_t component, const Deinterlace &settings_)
      : settings (settings_), current (at (stream, field.frame, component)),
        previous (at (stream, std::max (field.frame - 1, 0), component)),
        next (at (stream, std::min<int> (field.frame + 1, (int) stream.size () - 1), component)),
        earlier (field.is_second ? current : previous), later (field.is_second ? next : current), max (stream[0].max ()),
        starts (field.frame == 0 && !field.is_second), ends (field.frame + 1 == (int) stream.size () && field.is_second),
        is_alone (field.is_alone)
  {
  }

  int make (int x, int y) const
  {
    switch (settings.method) {
      case Deinterlace::Weave:
        return earlier.at (x, y);
      case Deinterlace::Linear:
        return (int) std::nearbyint ((own (x, y, -1) + own (x, y, 1)) / 2.0);
      case Deinterlace::Yadif:
        return yadif (x, y);
      default:
        return bwdif (x, y);
    }
  }

private:
  static const Component &at (const std::vector<Picture> &stream, int frame, size_t component)
  {
    return stream[frame].components[component];
  }

  /* The row beside y, or the row on the other side at the edges. */
  int beside (int y, int step) const
  {
    const int row = y + step;
    return std::clamp (row < 0 || row >= current.height ? y - step : row, 0, current.height - 1);
  }
  int own (int x, int y, int step) const { return current.at (x, beside (y, step)); }
  /* The sum of the other field's samples before and after this field. */
  int others (int x, int y) const { return earlier.at (x, y) + later.at (x, y); }

  int change (int x, int y) const
  {
    const int up = beside (y, -1), down = beside (y, 1);
    const auto from = [&] (const Component &other) {
      return floor_of (
          (std::abs (other.at (x, up) - current.at (x, up)) + std::abs (other.at (x, down) - current.at (x, down))) / 2.0);
    };
    return std::max ({floor_of (std::abs (earlier.at (x, y) - later.at (x, y)) / 2.0), from (previous), from (next)});
  }

  /* The change, or more of it at static detail; up2 and down2 are the rows two further. */
  int with_detail (int change, int x, int y, int up2, int down2) const
  {
    const int centre = floor_of (others (x, y) / 2.0);
    const int c = own (x, y, -1), e = own (x, y, 1);
    const int b = floor_of (others (x, up2) / 2.0) - c, f = floor_of (others (x, down2) / 2.0) - e;
    const int most = std::max ({centre - e, centre - c, std::min (b, f)});
    const int least = std::min ({centre - e, centre - c, std::max (b, f)});
    return std::max ({change, least, -most});
  }

  int yadif (int x, int y) const
  {
    const int up = beside (y, -1), down = beside (y, 1), height = current.height;
    double value = along_edge (x, up, down);
    if (is_alone)
      return floor_of (value);
    int allowed = change (x, y);
    if (y != 1 && y + 2 != height)
      allowed = with_detail (allowed, x, y, std::clamp (2 * up - y, 0, height - 1), std::clamp (2 * down - y, 0, height - 1));
    const int centre = floor_of (others (x, y) / 2.0);
    return std::clamp (floor_of (value), centre - allowed, centre + allowed);
  }

  /* The mean of two opposite samples in the best of five directions; only vertical near the left and right edges. */
  double along_edge (int x, int up, int down) const
  {
    const auto a = [&] (int dx) { return current.at (x + dx, up); };
    const auto b = [&] (int dx) { return current.at (x + dx, down); };
    if (x < 3 || x >= current.width - 3)
      return (a (0) + b (0)) / 2.0;
    const auto score = [&] (int d) {
      int sum = 0;
      for (int i = -1; i <= 1; i++)
        sum += std::abs (a (i + d) - b (i - d));
      return sum;
    };
    int best = score (0) - 1, direction = 0;
    for (const int side : {-1, 1})
      for (int d = side; std::abs (d) <= 2 && score (d) < best; d += side) {
        best = score (d);
        direction = d;
      }
    return (a (direction) + b (-direction)) / 2.0;
  }

  int bwdif (int x, int y) const
  {
    const int height = current.height;
    const int up3 = y > 2 ? y - 3 : beside (y, 1), down3 = y + 3 < height ? y + 3 : beside (y, -1);
    const double near = own (x, y, -1) + own (x, y, 1), far = current.at (x, up3) + current.at (x, down3);
    if (is_alone || starts || ends)
      return std::clamp (floor_of ((5077 * near - 981 * far) / 8192), 0, max);
    int allowed = change (x, y);
    const int centre = floor_of (others (x, y) / 2.0);
    if (allowed == 0)
      return centre;
    if (y >= 2 && y + 3 <= height)
      allowed = with_detail (allowed, x, y, y - 2, y + 2);
    double value = floor_of (near / 2);
    if (y >= 4 && y + 5 <= height) {
      const double second = others (x, y - 2) + others (x, y + 2), fourth = others (x, y - 4) + others (x, y + 4);
      const double high = floor_of ((5570.0 * others (x, y) - 3801 * second + 1016 * fourth) / 4);
      const bool rests = std::abs (own (x, y, -1) - own (x, y, 1)) > std::abs (earlier.at (x, y) - later.at (x, y));
      value = rests ? (high + 4309 * near - 213 * far) / 8192 : (5077 * near - 981 * far) / 8192;
    }
    return std::clamp (std::clamp (floor_of (value), centre - allowed, centre + allowed), 0, max);
  }

  const Deinterlace &settings;
  const Component &current, &previous, &next, &earlier, &later;
  const int max;
  const bool starts, ends, is_alone;
};

}  // namespace

Picture
deinterlaced (const std::vector<Picture> &stored, const Field &field, const Deinterlace &settings)
{
  const std::vector<Picture> stream = bounded (stored);
  Picture result = stored[field.frame];
  for (size_t c = 0; c < result.components.size (); c++) {
    Component &component = result.components[c];
    const Maker maker (stream, field, c, settings);
    for (int y = field.is_bottom ? 0 : 1; y < component.height; y += 2)
      for (int x = 0; x < component.width; x++)
        component.at (x, y) = maker.make (x, y);
  }
  return result;
}

std::vector<Picture>
deinterlaced (const std::vector<Picture> &stream, bool top_first, const Deinterlace &settings)
{
  const bool moves = settings.method == Deinterlace::Motion;
  std::vector<Picture> results;
  for (int t = 0; t < (int) stream.size (); t++)
    for (const bool is_second : {false, true})
      results.push_back (
          deinterlaced (stream, {t, is_second == top_first, is_second}, moves ? Deinterlace{Deinterlace::Bwdif} : settings));
  const std::vector<Picture> whole = results;
  for (size_t i = 1; moves && i + 1 < whole.size (); i++)
    results[i] = steadied (whole[i], whole[i - 1], whole[i + 1], (i % 2 == 1) == top_first);
  return results;
}

}  // namespace ref

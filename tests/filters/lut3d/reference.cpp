/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

namespace ref {

namespace {

struct Position {
  int cell;
  double rest;
};

Position
position (double v, const Lut &lut, int size)
{
  const double at = std::clamp ((v - lut.low) / (lut.high - lut.low), 0.0, 1.0) * (size - 1);
  const int cell = std::min (int (at), size - 2);
  return {cell, at - cell};
}

Color
on_curves (const Color &in, const Lut &lut)
{
  Color out;
  for (int c = 0; c < 3; c++) {
    const auto [cell, rest] = position (in[c], lut, int (lut.curve.size ()));
    out[c] = lut.curve[cell][c] * (1 - rest) + lut.curve[cell + 1][c] * rest;
  }
  return out;
}

/* Trilinear: each corner of the cell is weighted by the opposite volume. Tetrahedral: walks from the darkest corner along the
 * axes, in the order of their remainders. */
Color
in_cube (const Color &in, const Lut &lut)
{
  Position at[3];
  for (int c = 0; c < 3; c++)
    at[c] = position (in[c], lut, lut.edge);
  const auto entry = [&] (const int *corner) -> const Color & {
    return lut
        .cube[(at[0].cell + corner[0]) + lut.edge * ((at[1].cell + corner[1]) + size_t (lut.edge) * (at[2].cell + corner[2]))];
  };
  Color out{};
  const auto add = [&] (const int *corner, double share) {
    for (int c = 0; c < 3; c++)
      out[c] += share * entry (corner)[c];
  };
  if (lut.trilinear) {
    for (int i = 0; i < 8; i++) {
      const int corner[] = {i & 1, i >> 1 & 1, i >> 2};
      double share = 1;
      for (int c = 0; c < 3; c++)
        share *= corner[c] ? at[c].rest : 1 - at[c].rest;
      add (corner, share);
    }
    return out;
  }
  std::vector<int> axes{0, 1, 2};
  std::ranges::stable_sort (axes, [&] (int a, int b) { return at[a].rest > at[b].rest; });
  int corner[3] = {0, 0, 0};
  double before = 1;
  for (const int axis : axes) {
    add (corner, before - at[axis].rest);
    before = at[axis].rest;
    corner[axis] = 1;
  }
  add (corner, before);
  return out;
}

}  // namespace

Picture
lut3d (const Picture &in, const Lut &lut, const ColorSpace &space)
{
  return map_colors (in, space, [&lut] (const Color &color) {
    Color out = color;
    if (!lut.curve.empty ())
      out = on_curves (out, lut);
    if (lut.edge)
      out = in_cube (out, lut);
    for (int c = 0; c < 3; c++)
      out[c] = color[c] + lut.strength * (out[c] - color[c]);
    return out;
  });
}

}  // namespace ref

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scene for clstabilize's tests. */
#pragma once

#include <glib.h>

#include <cmath>

namespace test::stabilize_scene {

/* A number from 0 to 1 for a point of a lattice. */
inline double
lattice (int x, int y, unsigned seed)
{
  guint32 h = guint32 (x) * 0x9e3779b1u ^ guint32 (y) * 0x85ebca77u ^ seed * 0xc2b2ae3du;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (h ^ h >> 15) / double (G_MAXUINT32);
}

/* A smooth surface through such points, `size` pixels apart. */
inline double
surface (double x, double y, double size, unsigned seed)
{
  const double u = x / size, v = y / size;
  const int i = int (std::floor (u)), j = int (std::floor (v));
  const auto ease = [] (double t) { return t * t * t * (t * (6 * t - 15) + 10); };
  const double s = ease (u - i), t = ease (v - j);
  return (1 - t) * ((1 - s) * lattice (i, j, seed) + s * lattice (i + 1, j, seed))
         + t * ((1 - s) * lattice (i, j + 1, seed) + s * lattice (i + 1, j + 1, seed));
}

inline double
scene (double x, double y, unsigned seed)
{
  return 0.1 + 0.4 * surface (x, y, 5, seed) + 0.4 * surface (x, y, 17, seed + 100);
}

}  // namespace test::stabilize_scene

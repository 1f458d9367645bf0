/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For each pixel of a plane, the place from which it is taken: pixels of the plane times `scale`, a power of two; xs is NOWHERE if there is
 * none. Points are in pixels of the frame, whose centres are integers. Without doubles (DOUBLES 0) positions are computed in floats. */
#pragma OPENCL FP_CONTRACT OFF
#if DOUBLES
typedef double real;
#else
typedef float real;
#endif

enum { NOWHERE = INT_MIN };
/* Larger numbers and NaN are not positions. */
constant float farthest = 1e9f;

static inline int lower_integer (real v) /* floor () takes several times as long in PoCL */
{
  const int i = (int) v;
  return i - (i > v);
}

/* How a coordinate beyond the plane comes inside, or a few pixels beyond: v = clamp (v, low, high) + shift, modulo period, period - v if v is
 * beyond `last`, minus shift. per_period: 1 / period, or 0 if nothing repeats. */
struct period { real low, high, shift, period, per_period, last; };

/* Keep in step with gst/warp/clwarp.cpp. */
struct warp {
  real matrix[9];
  /* fx fy cx cy, k1 k2 p1 p2 k3 k4 k5 k6 */
  real lens[12];
  /* Column x of the plane is at x * step_x + first_x of the frame; rows likewise. */
  real step_x, first_x, step_y, first_y, scale;
  struct period columns, rows;
};

struct point { real x, y; };
static inline struct point nowhere () { return (struct point){(real) as_float (0x7fc00000), (real) as_float (0x7fc00000)}; }

/* OpenCV's initUndistortRectifyMap with the same camera matrix before and after. */
static inline struct point by_lens (struct point p, const struct warp *c)
{
  const real fx = c->lens[0], fy = c->lens[1], cx = c->lens[2], cy = c->lens[3];
  const real k1 = c->lens[4], k2 = c->lens[5], p1 = c->lens[6], p2 = c->lens[7];
  const real k3 = c->lens[8], k4 = c->lens[9], k5 = c->lens[10], k6 = c->lens[11];
  const real x = (p.x - cx) / fx, y = (p.y - cy) / fy, r2 = x * x + y * y;
  const real radial = (1 + ((k3 * r2 + k2) * r2 + k1) * r2) / (1 + ((k6 * r2 + k5) * r2 + k4) * r2);
  return (struct point){(x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)) * fx + cx,
      (y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y) * fy + cy};
}

static inline real between (real a, real b, real share) { return share == 0 ? a : share == 1 ? b : a + share * (b - a); }

/* The entry of a map file for a point, interpolated between four; the outermost continue for one pixel. Shares of 0 and 1 take one entry
 * alone, so that an entry that is no number does not reach beyond its pixel. */
static inline struct point by_map (struct point p, global const float2 *map, int width, int height)
{
  if (!(p.x >= -1 && p.y >= -1 && p.x <= width && p.y <= height))
    return nowhere ();
  const int x = clamp (lower_integer (p.x), 0, max (width - 2, 0)), y = clamp (lower_integer (p.y), 0, max (height - 2, 0));
  const real along = p.x - x, down = p.y - y;
  const int right = x + 1 < width, below = y + 1 < height ? width : 0;
  global const float2 *at = map + y * width + x;
  const float2 a = at[0], b = at[right], c = at[below], d = at[below + right];
  return (struct point){between (between (a.x, b.x, along), between (c.x, d.x, along), down),
      between (between (a.y, b.y, along), between (c.y, d.y, along), down)};
}

static inline real wrapped (real v, struct period by)
{
  v = clamp (v, by.low, by.high) + by.shift;
  v -= lower_integer (v * by.per_period) * by.period;
  return (v > by.last ? by.period - v : v) - by.shift;
}

/* size: of the map with HAS_MAP. HAS_LENS: whether there is a lens. EACH_PLACE (16), for vectors of four doubles: masks of more are slow. */
ITEM_KERNEL (find_positions, (global int *restrict xs, global int *restrict ys, global const float2 *restrict map, struct warp c, int2 plane,
    int2 size), (xs, ys, map, c, plane, size))
{
  const real per_step_x = 1 / c.step_x, per_step_y = 1 / c.step_y;
  EACH_PLACE (16, plane.x, plane.y)
  {
    /* OpenCV's warpPerspective with WARP_INVERSE_MAP, in front of the horizon */
    const real u = x * c.step_x + c.first_x, v = y * c.step_y + c.first_y;
    const real w = c.matrix[6] * u + c.matrix[7] * v + c.matrix[8], per_w = w > 0 ? 1 / w : nowhere ().x;
    struct point p = {(c.matrix[0] * u + c.matrix[1] * v + c.matrix[2]) * per_w, (c.matrix[3] * u + c.matrix[4] * v + c.matrix[5]) * per_w};
    if (HAS_LENS)
      p = by_lens (p, &c);
    if (HAS_MAP)
      p = by_map (p, map, size.x, size.y);
    const bool somewhere = fabs (p.x) < farthest && fabs (p.y) < farthest;
    const real column = wrapped ((p.x - c.first_x) * per_step_x, c.columns) * c.scale;
    const real row = wrapped ((p.y - c.first_y) * per_step_y, c.rows) * c.scale;
    xs[y * plane.x + x] = somewhere ? lower_integer (column + 0.5f) : NOWHERE;
    ys[y * plane.x + x] = somewhere ? lower_integer (row + 0.5f) : 0;
  }
}

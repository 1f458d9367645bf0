/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows the comments in pipelines/kernels. */
#include "reference_examples.hpp"

#include "../../reference/common.hpp"
#include "../noise/reference.hpp"

namespace ref {

Picture
motion_trail (const Sight &sight, double persistence)
{
  if (!sight.previous_output)
    return *sight.inputs[0];
  const Screen before (*sight.previous_output, sight.border);
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const Values p = screen.at (x, y);
    const Values dark = screen.from_rgb ({0, 0, 0, p.w}), trail = mix (dark, before.at (x, y), persistence);
    return screen.intensity (trail) > std::max (screen.intensity (p), screen.intensity (dark)) ? trail : p;
  });
}

Picture
film_grain (const Sight &sight, double amount, double colour)
{
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    /* the sum of four uniform numbers has a variance of a third */
    const auto grain = [&] (uint32_t first) {
      double sum = 0;
      for (uint32_t n = first; n < first + 4; n++)
        sum += (philox ({(uint32_t) x, (uint32_t) y, sight.frame, 0}, {n, 0x6b656c63}, 7)[0] >> 8) / 16777216.0;
      return (sum - 2) * std::sqrt (3.0);
    };
    const Values p = screen.to_rgb (screen.at (x, y));
    const double light = std::clamp (p.light (), 0.0, 1.0);
    const double common = grain (0), response = amount * std::sqrt (4 * light * (1 - light));
    const Values noise = mix ({common, common, common, 0}, {grain (4), grain (8), grain (12), 0}, colour);
    return screen.from_rgb (p + noise * response);
  });
}

Picture
tilt_shift (const Sight &sight, double focus, double breadth, double blur, double saturation)
{
  const int places = 48;
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const double outside = std::max (std::abs ((y + 0.5) / screen.height () - focus) - breadth / 2, 0.0);
    const double far = std::max (std::max (focus, 1 - focus) - breadth / 2, 0.01);
    const double radius = blur * std::min (outside / far, 1.0);
    Values p = screen.at (x, y);
    if (radius > 0.25) {
      p = {0, 0, 0, 0};
      for (int i = 0; i < places; i++) {
        const double r = radius * std::sqrt ((i + 0.5) / places), turn = i * 2.3999632;
        p = p + screen.between (x + r * std::cos (turn), y + r * std::sin (turn)) * (1.0 / places);
      }
    }
    p = screen.to_rgb (p);
    const double grey = p.light ();
    return screen.from_rgb (mix ({grey, grey, grey, p.w}, p, saturation));
  });
}

Picture
halftone (const Sight &sight, double size, double angle, const Values &ink, const Values &paper)
{
  const double s = std::sin (angle * M_PI / 180), c = std::cos (angle * M_PI / 180);
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const double along = (c * x + s * y) / size, across = (c * y - s * x) / size;
    const double mx = std::nearbyint (along), my = std::nearbyint (across);
    const Values p = screen.to_rgb (screen.between ((c * mx - s * my) * size, (s * mx + c * my) * size));
    const double light = p.light ();
    const double radius = std::sqrt (std::clamp (1 - light, 0.0, 1.0) / M_PI) * 1.12;
    const double inked = std::clamp ((radius - std::hypot (along - mx, across - my)) * size + 0.5, 0.0, 1.0);
    Values colour = mix (paper, ink, inked);
    colour.w = screen.at (x, y).w;
    return screen.from_rgb (colour);
  });
}

Picture
heat (const Sight &sight, double amount)
{
  static const Values palette[] = {
      {0, 0, 0.02}, {0.25, 0.04, 0.43}, {0.58, 0.15, 0.40}, {0.86, 0.31, 0.23}, {0.99, 0.64, 0.04}, {0.99, 0.99, 0.75}};
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const Values p = screen.to_rgb (screen.at (x, y));
    const double place = 5 * std::clamp (p.light (), 0.0, 1.0);
    const int below = std::min ((int) place, 4);
    Values colour = mix (palette[below], palette[below + 1], place - below);
    colour.w = p.w;
    return screen.from_rgb (mix (p, colour, amount));
  });
}

Picture
ink_drawing (const Sight &sight, int levels, double line, double ink)
{
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const auto light = [&] (int dx, int dy) { return screen.to_rgb (screen.at (x + dx, y + dy)).light (); };
    double gx = 0, gy = 0;
    for (int i = -1; i <= 1; i++) {
      gx += (light (1, i) - light (-1, i)) * (i == 0 ? 2 : 1) / 4;
      gy += (light (i, 1) - light (i, -1)) * (i == 0 ? 2 : 1) / 4;
    }
    const double inked = ink * smoothstep (line, 2 * line + 0.001, std::hypot (gx, gy));
    const double l = std::clamp (light (0, 0), 0.0, 1.0), steps = levels - 1, below = std::floor (l * steps);
    const double flat = (below + smoothstep (0.35, 0.65, l * steps - below)) / steps;
    const Values p = screen.to_rgb (screen.at (x, y));
    const double factor = (flat + 0.02) / (l + 0.02) * (1 - inked);
    return screen.from_rgb ({p.x * factor, p.y * factor, p.z * factor, p.w});
  });
}

/* The rank of a position in Bayer's matrix of 2^n x 2^n, by its definition. */
static int
bayer (int x, int y, int n)
{
  static const int smallest[2][2] = {{0, 2}, {3, 1}};
  if (n == 0)
    return 0;
  const int half = 1 << (n - 1);
  return 4 * bayer (x % half, y % half, n - 1) + smallest[y / half % 2][x / half % 2];
}

Picture
dither (const Sight &sight, int levels)
{
  Picture out = *sight.inputs[0];
  const int steps = levels - 1, max = out.max ();
  for (Component &c : out.components)
    for (const auto [x, y] : c.places ()) {
      const double wanted = c.at (x, y) * steps / (double) max;
      const double rank = bayer (x % 8, y % 8, 3) + (max / 2) / (double) max;
      const int step = (int) std::floor (wanted + rank / 64 + 1e-12);
      c.at (x, y) = (2 * step * max + steps) / (2 * steps);
    }
  return out;
}

}  // namespace ref

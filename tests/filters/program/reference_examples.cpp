/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows the comments in pipelines/kernels. */
#include "reference_examples.hpp"

#include <cmath>
#include <limits>

namespace ref {

Picture
vignette (const Sight &sight, double strength, double radius, const Values &colour)
{
  const Picture &in = *sight.inputs[0];
  const double cx = (in.width - 1) / 2.0, cy = (in.height - 1) / 2.0;
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const double distance = std::hypot (x - cx, y - cy) / std::max (std::hypot (cx, cy), 1.0);
    const Values p = screen.at (x, y);
    const double falloff = strength * smoothstep (std::min (radius, 0.999), 1, distance);
    return mix (p, screen.from_rgb ({colour.x, colour.y, colour.z, p.w}), falloff);
  });
}

Picture
swirl (const Sight &sight, double angle, double radius, double centre_x, double centre_y)
{
  const Picture &in = *sight.inputs[0];
  const double cx = centre_x * (in.width - 1), cy = centre_y * (in.height - 1);
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const double dx = x - cx, dy = y - cy;
    const double reach = std::max (radius * std::min (in.width, in.height) / 2, 1.0);
    const double rest = std::max (1 - std::hypot (dx, dy) / reach, 0.0);
    const double turn = angle * M_PI / 180 * rest * rest;
    const double sx = dx * std::cos (turn) - dy * std::sin (turn), sy = dx * std::sin (turn) + dy * std::cos (turn);
    return turn == 0 ? screen.at (x, y) : screen.between (cx + sx, cy + sy);
  });
}

Picture
tile_blur (const Sight &sight, int radius)
{
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    Values sum{0, 0, 0, 0};
    for (const auto [dx, dy] : window (radius, radius))
      sum = sum + screen.at (x + dx, y + dy);
    return sum * (1.0 / ((2 * radius + 1) * (2 * radius + 1)));
  });
}

/* Filters both directions at once. */
Picture
separable (const Sight &sight, double amount)
{
  static const double row[] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    Values sum{0, 0, 0, 0};
    for (const auto [i, j] : window (4, 4))
      sum = sum + screen.at (x + i, y + j) * (row[i + 4] * row[j + 4] / 65536);
    return screen.at (x, y) * (1 - amount) + sum * amount;
  });
}

Picture
kuwahara (const Sight &sight, int radius)
{
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    Values calmest;
    double least = std::numeric_limits<double>::max ();
    for (const auto &[left, top] : {std::pair{-radius, -radius}, {0, -radius}, {-radius, 0}, {0, 0}}) {
      Values sum{0, 0, 0, 0};
      std::vector<double> light;
      for (const auto [px, py] : Places{radius + 1, radius + 1, x + left, y + top}) {
        sum = sum + screen.at (px, py);
        light.push_back (screen.intensity (screen.at (px, py)));
      }
      double mean = 0, variance = 0;
      for (const double l : light)
        mean += l / light.size ();
      for (const double l : light)
        variance += (l - mean) * (l - mean) / light.size ();
      if (variance < least) {
        least = variance;
        calmest = sum * (1.0 / light.size ());
      }
    }
    return calmest;
  });
}

Picture
life (const Sight &sight, int cell, double threshold, double motion, double glow)
{
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const auto light_of = [&] (const Values &v) { return std::clamp (screen.to_rgb (v).light (), 0.0, 1.0); };
    const int left = x - x % cell, top = y - y % cell;
    const double now = light_of (screen.at (left, top)), alpha = screen.at (x, y).w;
    bool alive = now > threshold;
    Values light{0, 0, 0, alpha};
    if (sight.previous_output) {
      const Screen output (*sight.previous_output, sight.border), input (*sight.previous_input, sight.border);
      int neighbours = 0;
      for (const auto [i, j] : window (1, 1))
        neighbours += (i || j) && light_of (output.at (left + i * cell, top + j * cell)) > 0.5;
      const Values was = screen.to_rgb (output.at (left, top));
      const bool lived = light_of (output.at (left, top)) > 0.5;
      alive = neighbours == 3 || (neighbours == 2 && lived);
      alive = alive || std::abs (now - light_of (input.at (left, top))) > motion;
      light = {
          std::min (was.x, 0.45) * glow * 0.80, std::min (was.y, 0.45) * glow * 0.90, std::min (was.z, 0.45) * glow, alpha};
    }
    return screen.from_rgb (alive ? Values{1, 1, 1, alpha} : light);
  });
}

Picture
difference_key (const Sight &sight, double threshold, double softness, const Values &background)
{
  const Screen scene (*sight.inputs[0], sight.border), plate (*sight.inputs[1], sight.border);
  return paint (*sight.inputs[0], [&] (int x, int y) {
    Values sum{0, 0, 0, 0};
    for (const auto [dx, dy] : window (1, 1))
      sum = sum + scene.to_rgb (scene.at (x + dx, y + dy)) - plate.to_rgb (plate.at (x + dx, y + dy));
    const double difference = std::sqrt (sum.x * sum.x + sum.y * sum.y + sum.z * sum.z) / 9;
    const double key = smoothstep (threshold, threshold + std::max (softness, 0.001), difference);
    const Values behind =
        sight.inputs.size () > 2 ? Screen (*sight.inputs[2], sight.border).at (x, y) : scene.from_rgb (background);
    return mix (behind, scene.at (x, y), key);
  });
}

/* BT.601's Cb and Cr, as x and y. */
static Values
chroma_of (const Values &p)
{
  const double luma = 0.299 * p.x + 0.587 * p.y + 0.114 * p.z;
  return {(p.z - luma) / 1.772, (p.x - luma) / 1.402, 0, 0};
}

Picture
chroma_key (const Sight &sight, const Values &green, double tolerance, double softness, double spill, const Values &background)
{
  const Values hue = chroma_of (green);
  const double strength = std::max (std::hypot (hue.x, hue.y), 0.001);
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const Values p = screen.to_rgb (screen.at (x, y)), chroma = chroma_of (p);
    const double distance = std::hypot (chroma.x - hue.x, chroma.y - hue.y);
    const double key = smoothstep (tolerance, tolerance + std::max (softness, 0.001), distance);
    const double towards = (chroma.x * hue.x + chroma.y * hue.y) / strength;
    const double across = std::abs (chroma.x * hue.y - chroma.y * hue.x) / strength;
    const double cast = spill * std::max (towards - across, 0.0) / strength, u = hue.x * cast, v = hue.y * cast;
    const Values clean{p.x - 1.402 * v, p.y + 0.344136 * u + 0.714136 * v, p.z - 1.772 * u, p.w};
    const Values behind =
        sight.inputs.size () > 1 ? Screen (*sight.inputs[1], sight.border).at (x, y) : screen.from_rgb (background);
    return mix (behind, screen.from_rgb (clean), key);
  });
}

Picture
pixelate (const Sight &sight, int size, double round)
{
  const int places = std::min (size, 8);
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const int left = x / size * size, top = y / size * size;
    Values sum{0, 0, 0, 0};
    int n = 0;
    for (const auto [i, j] : Places{places, places}) {
      const int px = left + (2 * i + 1) * size / (2 * places), py = top + (2 * j + 1) * size / (2 * places);
      if (px >= screen.width () || py >= screen.height ())
        continue;
      sum = sum + screen.at (px, py);
      n++;
    }
    const double half = size / 2.0;
    const double fx = std::abs (x - left + 0.5 - half) / half, fy = std::abs (y - top + 0.5 - half) / half;
    const double distance = std::max (fx, fy) * (1 - round) + std::hypot (fx, fy) * round;
    const double lit = 1 - smoothstep (1 - 2.0 / size, 1, distance) * round;
    const Values colour = sum * (1.0 / std::max (n, 1));
    return mix (screen.from_rgb ({0, 0, 0, colour.w}), colour, lit);
  });
}

Picture
lens_distortion (const Sight &sight, double k1, double k2, double zoom, double fringe)
{
  const Picture &in = *sight.inputs[0];
  const double cx = (in.width - 1) / 2.0, cy = (in.height - 1) / 2.0;
  return painted (sight, [&] (const Screen &screen, int x, int y) {
    const double dx = x - cx, dy = y - cy, r2 = (dx * dx + dy * dy) / std::max (cx * cx + cy * cy, 1.0);
    const double scale = (1 + k1 * r2 + k2 * r2 * r2) / zoom;
    const auto seen = [&] (double factor) {
      return scale == 1 && factor == 0 ? screen.at (x, y)
                                       : screen.between (x + dx * (scale - 1 + factor), y + dy * (scale - 1 + factor));
    };
    Values p = screen.to_rgb (seen (0));
    if (fringe != 0) {
      p.x = screen.to_rgb (seen (-fringe)).x;
      p.z = screen.to_rgb (seen (fringe)).z;
    }
    return fringe != 0 ? screen.from_rgb (p) : seen (0);
  });
}

}  // namespace ref

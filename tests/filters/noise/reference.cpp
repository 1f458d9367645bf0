/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows docs/elements/clnoise.md. */
#include "reference.hpp"

#include <bit>
#include <map>

#include "../../reference/common.hpp"

namespace ref {

std::array<uint32_t, 4>
philox (std::array<uint32_t, 4> c, std::array<uint32_t, 2> key, int rounds)
{
  for (int round = 0; round < rounds; round++) {
    const uint64_t a = (uint64_t) 0xD2511F53 * c[0], b = (uint64_t) 0xCD9E8D57 * c[2];
    c = {(uint32_t) (b >> 32) ^ c[1] ^ key[0], (uint32_t) b, (uint32_t) (a >> 32) ^ c[3] ^ key[1], (uint32_t) a};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return c;
}

/* The random number of a position, of 16 or 32 bits. */
static uint32_t
number_at (const Noise &settings, uint64_t frame, int x, int y, int component, int bits)
{
  if (!settings.temporal)
    frame = 0;
  const int rows = 128 / bits, row = y % rows;
  const auto words = philox ({(uint32_t) x, (uint32_t) (y / rows), (uint32_t) frame, (uint32_t) component},
      {settings.seed, (uint32_t) (frame >> 32)}, 7);
  return bits == 32 ? words[row] : row % 2 ? words[row / 2] >> 16 : words[row / 2] & 0xffff;
}

/* Solves P(|z| > m) = p with Newton's method; the result is in 4096ths. */
static double
knot (double p)
{
  static std::map<double, double> known;
  const auto found = known.find (p);
  if (found != known.end ())
    return found->second;
  double m = 0;
  for (int i = 0; i < 200; i++) {
    const double density = std::sqrt (2 / M_PI) * std::exp (-m * m / 2);
    m += (std::erfc (m * M_SQRT1_2) - p) / density;
  }
  return known[p] = std::nearbyint (4096 * m);
}

/* Interpolates linearly between the knots at eighths of an octave. */
static float
normal_magnitude (double f)
{
  double octave = 0.5;
  while (f < octave)
    octave /= 2;
  const double step = octave / 8, below = std::floor (f / step) * step;
  const double from = knot (below), to = knot (below + step);
  return (float) ((from + (to - from) * ((f - below) / step)) / 4096);
}

static int
noisy (int v, const Noise &settings, uint32_t number, int bits, int black, int white, int max)
{
  if (settings.type == "salt-pepper") {
    const bool hit = number / 2 < std::nearbyint (settings.strength * 2147483648.0);
    return !hit ? v : number % 2 ? white : black;
  }
  const int fraction_bits = bits == 16 ? 15 : 22;
  const uint32_t fraction = (number >> (bits - 1 - fraction_bits)) & ((1u << fraction_bits) - 1);
  const double f = (2.0 * fraction + 1) / (2.0 * (1u << fraction_bits));
  const float magnitude = settings.type == "uniform" ? (float) f : normal_magnitude (f);
  const float z = number >> (bits - 1) ? -magnitude : magnitude;
  const float scale =
      settings.type == "speckle" ? (float) settings.strength * v : (float) (settings.strength * (white - black));
  /* rounds once, because a long double holds product and sum exactly */
  return (int) std::fmin (std::fmax (std::nearbyint ((long double) z * scale + v), 0), max);
}

Picture
noise (const Picture &in, const Noise &settings, uint64_t frame, int field, int n_fields)
{
  const bool whole_pixels = settings.mono || settings.type == "salt-pepper";
  const int bits = settings.type == "salt-pepper" || in.layout->depth > 8 ? 32 : 16;
  Picture out = in;
  for (Component &component : out.components) {
    const unsigned bit = plane_bit (component.name);
    if (!bit)
      continue;
    const bool limited = !settings.full && in.is_limited () && component.name == 'y';
    const int black = limited ? in.black () : 0, white = limited ? in.white () : in.max ();
    for (const auto [x, y] : component.places ()) {
      const int pixel_x = x * (whole_pixels ? component.sub_x : 1), pixel_y = y * (whole_pixels ? component.sub_y : 1);
      const uint32_t number =
          number_at (settings, frame, pixel_x, pixel_y * n_fields + field, whole_pixels ? 0 : std::countr_zero (bit), bits);
      component.at (x, y) = noisy (component.at (x, y), settings, number, bits, black, white, in.max ());
    }
  }
  return out;
}

}  // namespace ref

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of clprogram in both scopes: a shift with an optional inversion, which shows where samples are read and written. */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::program_cases {

static Settings
shift_settings (int dx, int dy, bool whole_pixels, bool negative, int history)
{
  static const char *const pixels =
      "kernel void shift (PIXEL_ARGS, int2 d, int negative) { PIXEL_BEGIN float4 p = PIXEL (d.x, d.y); "
      "if (negative) p = 1.0f - p; OUT_PIXEL (p); }";
  static const char *const samples =
      "kernel void shift (COMPONENT_ARGS, int2 d, int negative) { COMPONENT_BEGIN int v = PX (d.x, d.y); "
      "OUT (negative ? MAX_VALUE - v : v); }";
  return {.properties = format ("timeout=60000 history=%d params=\"params,d=<%d,%d>,negative=%s;\" source=\"%s\"", history, dx,
              dy, negative ? "true" : "false", whole_pixels ? pixels : samples),
      .filter = [=] (const ref::Picture &p, const ref::Scene &scene) {
        return ref::shifted (
            p, dx, dy, whole_pixels, scene.border, [negative] (int v, int max) { return negative ? max - v : v; });
      }};
}

static const Element program (
    "clprogram",
    [] (Windows windows, Random &random) {
      const int reach = windows == Windows::Huge ? 90 : 4;
      return shift_settings (random.between (-reach, reach), random.between (-reach, reach), random.chance (60),
          random.chance (50), random.chance (25) ? random.between (1, 3) : 0);
    },
    [] {
      std::vector<Settings> all;
      for (const bool whole_pixels : {true, false})
        for (const int history : {0, 2}) {
          all.push_back (shift_settings (0, 0, whole_pixels, false, history)); /* the same bytes */
          all.push_back (shift_settings (1, -1, whole_pixels, true, history));
        }
      return all;
    });

}  // namespace test::program_cases

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::warp_cases {

static const char *const methods[] = {"nearest", "bilinear", "bicubic", "lanczos"};

static Settings
settings_for (const ref::Warp &set)
{
  Settings settings;
  settings.properties = "interpolation=" + set.method + " matrix=\"";
  for (int i = 0; i < 9; i++)
    settings.properties += format ("%.17g%s", set.matrix[i], i == 8 ? "\"" : i % 3 == 2 ? "; " : " ");
  if (!set.lens.empty ()) {
    settings.properties += " undistort=\"";
    for (size_t i = 0; i < set.lens.size (); i++)
      settings.properties += format ("%.17g%s", set.lens[i], i + 1 == set.lens.size () ? "\"" : ", ");
  }
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) {
    ref::Warp here = set;
    here.cosited_x = p.height * scene.n_fields > 576; /* GStreamer's default */
    return ref::warp (p, here, scene);
  };
  settings.tolerance = settings.yuv_tolerance = 1;
  settings.heavy = true;
  return settings;
}

/* No position of such a matrix is halfway between two pixels, where the nearest one would depend on rounding. */
static ref::Warp
random_warp (Random &random, const std::string &method)
{
  const auto number = [&random] (double least, double most) { return random.steps (least, most, 1000) + 0.000137; };
  ref::Warp set;
  set.matrix = {number (0.5, 1.5), number (-0.5, 0.5), number (-10, 10), number (-0.5, 0.5), number (0.5, 1.5),
      number (-10, 10), number (-0.001, 0.001), number (-0.001, 0.001), 1};
  set.method = method;
  return set;
}

static ref::Warp
random_lens (Random &random, const std::string &method)
{
  ref::Warp set;
  set.lens = {41.3, 38.7, 30.1, 19.8, random.steps (-0.3, 0.1, 100), random.steps (0, 0.1, 100), 0.013, -0.021,
      random.steps (0, 0.01, 100), 0.02, 0.003, 0.0004};
  set.method = method;
  return set;
}

static const Element warp (
    "clwarp",
    [] (Windows, Random &random) {
      return settings_for (random.chance (50) ? random_warp (random, "bilinear") : random_lens (random, "bilinear"));
    },
    [] {
      Random random (815);
      std::vector<Settings> all;
      for (const char *method : methods) {
        ref::Warp both = random_lens (random, method);
        both.matrix = random_warp (random, method).matrix;
        all.push_back (settings_for (both));
      }
      for (const std::array<double, 9> &matrix : {
               std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, -0.0619, 1}, /* a horizon inside the picture */
               {-0.9, 0.013, 3, 0, -1.1, 0.3, 0.0001, 0, -1},          /* the same as its negative */
               {0, 0, 3.3, 0, 0, 2.2, 0, 0, 1},                        /* one source for all pixels */
               {0, 1, 0, -1, 0, 20, 0, 0, 1},                          /* a quarter turn moves samples without changing them */
               {},                                                     /* no pixel has a source */
               {1, 0, 1e7, 0, 1, -1e7, 0, 0, 1},                       /* far outside */
           })
        all.push_back (settings_for ({.matrix = matrix}));
      return all;
    });

}  // namespace test::warp_cases

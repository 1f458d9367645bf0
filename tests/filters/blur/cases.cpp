/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

test::Settings
test::blur_with (const ref::Blur &set)
{
  const bool box = set.type == ref::Blur::Box;
  return {.properties = format ("type=%s sigma=%.17g radius=%d", box ? "box" : "gaussian", set.sigma, set.radius),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::blur (p, set, scene.border); },
      .tolerance = box ? 0 : 1,
      .heavy = set.radius > 200 || set.sigma > 50};
}

namespace test::blur_cases {

static const Element element (
    "clblur",
    [] (Windows windows, Random &random) {
      ref::Blur set;
      set.type = random.chance (50) ? ref::Blur::Box : ref::Blur::Gaussian;
      set.sigma = windows == Windows::Common ? random.pick ({0.5, 1.0, 2.0})
                  : windows == Windows::Any  ? random.between (1, 80) / 10.0
                                             : random.pick ({12.0, 40.0, 100.0});
      set.radius = pick (windows, random, {0, 1, 3}, {0, 0, 1, 2, 5, 10, 17}, {0, 60, 512});
      return blur_with (set);
    },
    /* Windows at the ends of the ranges, and where one form of the kernel replaces another. */
    [] {
      using enum ref::Blur::Type;
      return settings_of (
          blur_with, {{Gaussian, 0.01, 0}, {Gaussian, 0.4, 0}, {Gaussian, 2, 0}, {Gaussian, 2, 3}, {Gaussian, 1, 100},
                         {Gaussian, 5, 0}, {Gaussian, 8, 0}, {Gaussian, 100, 2}, {Gaussian, 100, 0}, {Gaussian, 100, 512},
                         {Box, 2, 0}, {Box, 2, 1}, {Box, 2, 10}, {Box, 2, 16}, {Box, 2, 50}, {Box, 2, 128}, {Box, 2, 512}});
    });

}  // namespace test::blur_cases

namespace test::sharpen_cases {

static Settings
settings_for (const ref::Sharpen &set)
{
  const bool laplacian = set.method == ref::Sharpen::Laplacian;
  return {.properties = format ("method=%s amount=%.17g sigma=%.17g threshold=%.17g", laplacian ? "laplacian" : "unsharp",
              set.amount, set.sigma, set.threshold),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::sharpen (p, set, scene.border); },
      .tolerance = laplacian && set.amount == std::floor (set.amount) ? 0 : 1};
}

static const Element element (
    "clsharpen",
    [] (Windows windows, Random &random) {
      ref::Sharpen set;
      set.method = random.chance (35) ? ref::Sharpen::Laplacian : ref::Sharpen::Unsharp;
      set.amount = random.chance (50) ? random.between (-3, 4) : random.between (-40, 40) / 8.0 + 0.03;
      set.sigma = windows == Windows::Common ? random.pick ({0.5, 1.0, 2.0})
                  : windows == Windows::Any  ? random.between (1, 60) / 10.0
                                             : random.pick ({10.0, 20.0});
      /* means of samples are hardly ever close to such a limit */
      if (random.chance (40))
        set.threshold = random.pick ({0.0101, 0.0503, 0.2017});
      return settings_for (set);
    },
    [] {
      using enum ref::Sharpen::Method;
      return settings_of (
          settings_for, {{Unsharp, 1, 1, 0}, {Unsharp, 10, 0.1, 0}, {Unsharp, -10, 20, 0}, {Unsharp, 10, 20, 0},
                            {Unsharp, 2.5, 3, 0.1007}, {Unsharp, -1, 1.5, 0}, {Unsharp, 1, 1, 0.9999}, {Laplacian, 1, 1, 0},
                            {Laplacian, -10, 1, 0}, {Laplacian, 0.3, 1, 0.5}, {Laplacian, 10, 1, 1}});
    });

}  // namespace test::sharpen_cases

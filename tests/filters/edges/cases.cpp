/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clemboss; and clprewitt, clsobel and clscharr, which differ in the operator. */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::edges_cases {

static Settings
settings_for (const ref::Emboss &set)
{
  /* integer factors of the gradient: integer depths along a diagonal */
  const bool diagonal = std::fmod (set.angle, 90) == 45;
  return {.properties =
              format ("angle=%.17g depth=%.17g domain=%s", set.angle, set.depth, set.gray ? "intensity" : "per-component"),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::emboss (p, set, scene.border); },
      .tolerance = set.depth == std::floor (set.depth) && (diagonal || set.depth == 0) ? 0 : 1};
}

static const Element emboss (
    "clemboss",
    [] (Windows, Random &random) {
      ref::Emboss set;
      set.angle = random.chance (50) ? random.pick ({45, 135, 225, 315}) : random.steps (0, 360, 64);
      set.depth = random.chance (50) ? random.between (0, 10) : random.steps (0, 10, 64);
      set.gray = random.chance (50);
      return settings_for (set);
    },
    [] {
      std::vector<Settings> all;
      for (const bool gray : {false, true})
        for (const ref::Emboss &set :
            {ref::Emboss{45, 1, gray}, {225, 10, gray}, {0, 0, gray}, {0, 1, gray}, {360, 10, gray}, {90, 2.5, gray}})
          all.push_back (settings_for (set));
      return all;
    });

static Settings
settings_for (const ref::Edges &set)
{
  static const char *const outputs[] = {"magnitude", "l1", "x", "y"};
  static const char *const domains[] = {"per-component", "intensity", "auto"};
  return {.properties = format ("output=%s scale=%.17g delta=%.17g signed=%s domain=%s", outputs[set.output], set.scale,
              set.delta, set.is_signed ? "true" : "false", domains[set.domain]),
      .filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::edges (p, set, scene.border); },
      .tolerance = set.scale == std::floor (set.scale) ? 0 : 1};
}

static Settings
random_edges (ref::Edges::Operator which, Random &random)
{
  ref::Edges set;
  set.which = which;
  set.output = random.pick ({ref::Edges::Magnitude, ref::Edges::L1, ref::Edges::X, ref::Edges::Y});
  set.scale = random.chance (50) ? 1 : random.chance (50) ? random.pick ({0, 2, 3, 255, 65535}) : random.steps (0, 4, 64);
  if (random.chance (50))
    set.delta = random.steps (-1, 1, 32);
  set.is_signed = random.chance (50);
  set.domain = random.pick ({ref::Edges::PerComponent, ref::Edges::Intensity, ref::Edges::Auto});
  return settings_for (set);
}

static std::vector<Settings>
special_edges (ref::Edges::Operator which)
{
  using Edges = ref::Edges;
  return settings_of<Edges> (
      settings_for, {
                        {which, Edges::Magnitude, 1, 0.5},     /* full scale is odd, so its half gives ties */
                        {which, Edges::Magnitude, 1, 0.1},     /* exactly a tenth, not the nearest double */
                        {which, Edges::Magnitude, 1, -0.3125}, /* a negative delta, not a multiple of a half */
                        {which, Edges::Magnitude, 65535, -1},  /* one step, or saturated */
                        {which, Edges::Magnitude, 0.25, 0},    /* within 1 */
                        {which, Edges::L1, 1, 0.03},           /* */
                        {which, Edges::X, 3, 0.5, true},       /* signed, with ties of halves of g */
                        {which, Edges::Y, 1, -0.25, true},     /* */
                        {which, Edges::Magnitude, 1, 0, false, Edges::Intensity},   /* */
                        {which, Edges::Magnitude, 2, 0.5, false, Edges::Intensity}, /* */
                        {which, Edges::L1, 1, 0.1, false, Edges::Intensity},        /* */
                        {which, Edges::Magnitude, 1, 0, false, Edges::Auto},        /* */
                        {which, Edges::X, 50, -0.5, true, Edges::Intensity},        /* halves, quarters */
                    });
}

static const Element prewitt (
    "clprewitt", [] (Windows, Random &random) { return random_edges (ref::Edges::Prewitt, random); },
    [] { return special_edges (ref::Edges::Prewitt); });
static const Element scharr (
    "clscharr", [] (Windows, Random &random) { return random_edges (ref::Edges::Scharr, random); },
    [] { return special_edges (ref::Edges::Scharr); });
static const Element sobel (
    "clsobel", [] (Windows, Random &random) { return random_edges (ref::Edges::Sobel, random); },
    [] { return special_edges (ref::Edges::Sobel); });

}  // namespace test::edges_cases

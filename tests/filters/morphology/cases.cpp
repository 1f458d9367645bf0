/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clerode, cldilate and clmorphology, which differ in the operation. */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::morphology_cases {

static std::string
element_text (const std::vector<std::vector<int>> &rows)
{
  std::string text;
  for (const std::vector<int> &row : rows) {
    text += text.empty () ? "" : ";";
    for (size_t i = 0; i < row.size (); i++)
      text += format (i ? " %d" : "%d", row[i]);
  }
  return text;
}

/* has_operation: whether the element has the property `operation`. */
static Settings
settings_for (const ref::Morphology &set, bool has_operation)
{
  Settings settings;
  settings.properties =
      format ("radius=%d radius-y=%d shape=%s iterations=%d", set.radius, set.radius_y, set.shape.c_str (), set.iterations);
  if (!set.element.empty ())
    settings.properties += " element=\"" + element_text (set.element) + "\"";
  if (has_operation)
    settings.properties += " operation=" + set.operation;
  settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::morphology (p, set, scene.border); };
  const int rows = set.radius_y < 0 ? set.radius : set.radius_y;
  settings.heavy = set.iterations * (2 * set.radius + 1) * (2 * rows + 1) > 900;
  return settings;
}

static std::vector<std::vector<int>>
random_element (Random &random)
{
  std::vector<std::vector<int>> rows (random.between (1, 5), std::vector<int> (random.between (1, 6)));
  for (std::vector<int> &row : rows)
    for (int &sample : row)
      sample = random.chance (40);
  rows[random.between (0, (int) rows.size () - 1)][random.between (0, (int) rows[0].size () - 1)] = 1;
  return rows;
}

static Settings
random_morphology (const std::string &operation, bool has_operation, Windows windows, Random &random)
{
  ref::Morphology set;
  set.operation = operation;
  set.shape = random.pick ({"rect", "rect", "cross", "ellipse"});
  set.radius = pick (windows, random, {1, 2}, {0, 1, 2, 3, 6, 9}, {31, 127});
  set.radius_y = pick (windows, random, {-1}, {-1, -1, 0, 1, 4, 8}, {-1, 0, 127});
  set.iterations = pick (windows, random, {1}, {1, 1, 2, 3}, {1});
  if (windows != Windows::Huge && random.chance (25))
    set.element = random_element (random);
  return settings_for (set, has_operation);
}

/* Every shape, small and large, elements that exclude the middle, and repetitions. */
static std::vector<Settings>
special_morphology (const std::string &operation)
{
  return settings_of<ref::Morphology> ([] (const ref::Morphology &set) { return settings_for (set, false); },
      {
          {operation, 1, -1, "rect", {}, 1},
          {operation, 7, -1, "rect", {}, 1},
          {operation, 127, -1, "rect", {}, 1},
          {operation, 40, 0, "rect", {}, 3},
          {operation, 1, 2, "rect", {}, 64},
          {operation, 9, 12, "cross", {}, 1},
          {operation, 1, -1, "cross", {}, 5},
          {operation, 12, 5, "ellipse", {}, 2},
          {operation, 127, 90, "ellipse", {}, 1},
          /* rectangles off the middle, one of them excluding it */
          {operation, 1, -1, "rect", {{1, 1}, {1, 1}}, 4},
          {operation, 1, -1, "rect", {{0, 0, 0, 1, 1}}, 3},
          /* nothing below or to the left of the middle, with a gap */
          {operation, 1, -1, "rect", {{1, 0, 0, 1, 1, 0, 1}, {0, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0}}, 2},
      });
}

static const char *const operations[] = {"open", "close", "gradient", "tophat", "blackhat", "erode", "dilate"};

static const Element morphology (
    "clmorphology",
    [] (Windows windows, Random &random) { return random_morphology (random.pick (operations), true, windows, random); },
    /* Each operation with a rectangle, and with an asymmetric element; the last step of a difference by each method. */
    [] {
      const std::vector<std::vector<int>> hook = {{1, 0, 0, 0}, {1, 0, 0, 1}, {1, 1, 0, 0}};
      std::vector<Settings> all;
      for (const char *operation : operations) {
        all.push_back (settings_for ({operation, 2, 1, "rect", {}, 2}, true));
        all.push_back (settings_for ({operation, 1, -1, "rect", hook, 2}, true));
      }
      for (const char *operation : {"tophat", "blackhat", "gradient"}) {
        all.push_back (settings_for ({operation, 3, 11, "cross", {}, 1}, true));
        all.push_back (settings_for ({operation, 6, -1, "ellipse", {}, 1}, true));
        all.push_back (settings_for ({operation, 20, -1, "rect", {}, 1}, true));
        all.push_back (settings_for ({operation, 0, -1, "rect", {}, 1}, true));
      }
      return all;
    });

static const Element erode (
    "clerode", [] (Windows windows, Random &random) { return random_morphology ("erode", false, windows, random); },
    [] { return special_morphology ("erode"); });
static const Element dilate (
    "cldilate", [] (Windows windows, Random &random) { return random_morphology ("dilate", false, windows, random); },
    [] { return special_morphology ("dilate"); });

}  // namespace test::morphology_cases

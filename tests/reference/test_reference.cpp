/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the references against results computed by hand, because everything else is compared with the references. */
#include "../elements/suite.hpp"
#include "../filters/bilateral/reference.hpp"
#include "../filters/convolve/reference.hpp"
#include "../filters/median/reference.hpp"
#include "common.hpp"

static test::Tests tests;

static ref::Picture
gray (int width, std::vector<int> values)
{
  ref::Picture picture = ref::make_picture (GST_VIDEO_FORMAT_GRAY8, width, (int) values.size () / width);
  picture.components[0].value = values;
  return picture;
}

static void
expect (const ref::Picture &picture, const std::vector<int> &values)
{
  fail_unless (picture.components[0].value == values);
}

TEST (rounding)
{
  ck_assert_int_eq (ref::round_to_sample (0.5, 255), 0);
  ck_assert_int_eq (ref::round_to_sample (1.5, 255), 2);
  ck_assert_int_eq (ref::round_to_sample (2.5, 255), 2);
  ck_assert_int_eq (ref::round_to_sample (-7, 255), 0);
  ck_assert_int_eq (ref::round_to_sample (255.6, 255), 255);
}

TEST (border_rules)
{
  static const char row[] = "abcdef";
  static const struct {
    ref::Border::Rule rule;
    const char *expected; /* from -8 to 13 */
  } rules[] = {
      {ref::Border::Replicate, "aaaaaaaaabcdefffffffff"},
      {ref::Border::Reflect, "effedcbaabcdeffedcbaab"},
      {ref::Border::Reflect101, "cdefedcbabcdefedcbabcd"},
      {ref::Border::Wrap, "efabcdefabcdefabcdefab"},
  };
  for (const auto &rule : rules)
    for (int i = -8; i < 14; i++)
      ck_assert_int_eq (row[ref::inside (i, 6, rule.rule)], rule.expected[i + 8]);
  ck_assert_int_eq (ref::inside (-1, 6, ref::Border::Constant), -1);
  ck_assert_int_eq (ref::inside (5, 1, ref::Border::Reflect101), 0);
  ck_assert_int_eq (ref::inside (-9, 1, ref::Border::Reflect), 0);
}

TEST (convolve_by_hand)
{
  ref::Convolve set;
  set.matrix = {{1, 2}}; /* the anchor is the right tap */
  set.divisor = 1;
  expect (ref::convolve (gray (3, {10, 20, 30}), set, {}), {30, 50, 80});
  set.flip = true;
  expect (ref::convolve (gray (3, {10, 20, 30}), set, {}), {30, 40, 70});
  set.flip = false;
  expect (ref::convolve (gray (3, {10, 20, 30}), set, {ref::Border::Constant, 1}), {255, 50, 80});
  set.matrix = {{1, -1}};
  set.absolute = true;
  set.bias = 0.2;
  expect (ref::convolve (gray (3, {10, 20, 50}), set, {}), {51, 61, 81});
  set = {};
  set.matrix = ref::preset ("box3");
  expect (ref::convolve (gray (1, {0, 9, 3}), set, {}), {3, 4, 5});
}

TEST (median_by_hand)
{
  ref::Median set;
  set.radius_y = 0;
  expect (ref::median (gray (5, {9, 1, 8, 2, 7}), set, {}), {9, 8, 2, 7, 7});
  set.percentile = 0.25; /* rank floor (0.25 * 2 + 0.5) = 1 */
  expect (ref::median (gray (5, {9, 1, 8, 2, 7}), set, {}), {9, 8, 2, 7, 7});
  set.percentile = 0;
  expect (ref::median (gray (5, {9, 1, 8, 2, 7}), set, {}), {1, 1, 1, 2, 2});
  set.percentile = 0.5;
  set.threshold = 6 / 255.0;
  expect (ref::median (gray (5, {9, 1, 8, 2, 7}), set, {}), {9, 8, 8, 2, 7});
}

TEST (bilateral_by_hand)
{
  ref::Bilateral set;
  set.radius = 1;
  set.sigma_space = 1;
  set.sigma_range = 1;
  /* One row, replicated above and below: all rows have the same weight, so only the columns matter. */
  const double w = std::exp (-0.5) * std::exp (-0.5 * (100.0 / 255) * (100.0 / 255));
  const ref::Picture out = ref::bilateral (gray (2, {100, 200}), set, {});
  const double left = (100 + std::exp (-0.5) * 100 + w * 200) / (1 + std::exp (-0.5) + w);
  ck_assert_int_eq (out.components[0].at (0, 0), (int) std::nearbyint (left));
  set.sigma_range = 0;
  expect (ref::bilateral (gray (2, {100, 200}), set, {}), {100, 200});
}

TEST (common_by_hand)
{
  ref::Picture in = ref::make_picture (GST_VIDEO_FORMAT_I420, 5, 5);
  auto white = [] (ref::Picture p, const ref::Scene &) {
    for (ref::Component &c : p.components)
      c.value.assign (c.value.size (), p.max ());
    return p;
  };
  ref::Common common;
  common.whole_frame = false;
  common.roi = {{3, 1, 1, 1}};
  common.planes = 3;
  const ref::Picture out = ref::apply (in, common, white);
  for (const auto [x, y] : ref::Places{5, 5})
    ck_assert_int_eq (out.find ('y')->at (x, y), x == 3 && y == 1 ? 255 : 0);
  ck_assert_int_eq (out.find ('u')->at (1, 0), 255);
  ck_assert_int_eq (out.find ('u')->at (0, 0) + out.find ('u')->at (1, 1) + out.find ('v')->at (1, 0), 0);

  common = {};
  common.mix = 0.5;
  ck_assert_int_eq (ref::apply (in, common, white).find ('y')->at (0, 0), 128);
}

TEST (fields)
{
  const ref::Picture in = gray (1, {1, 2, 3, 4, 5});
  expect (ref::field_of (in, 0), {1, 3, 5});
  expect (ref::field_of (in, 1), {2, 4});
  ref::Picture out = gray (1, {0, 0, 0, 0, 0});
  ref::weave (out, ref::field_of (in, 0), 0);
  ref::weave (out, ref::field_of (in, 1), 1);
  expect (out, {1, 2, 3, 4, 5});
}

int
main ()
{
  return test::run ("reference", test::Needs::Nothing, tests);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clnlmeans at the edges of the frame, where a weaker filter would average anything nearby, and with changing windows. */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::nlmeans_suite {

static Tests tests ("nlmeans", Needs::Device);

static constexpr GstVideoFormat gray = GST_VIDEO_FORMAT_GRAY8;
static const ref::Border::Rule rules[] = {
    ref::Border::Replicate, ref::Border::Reflect, ref::Border::Reflect101, ref::Border::Wrap, ref::Border::Constant};

/* In white noise no patch resembles another: nothing changes, not even at the edges. */
TEST (noise_stays, std::size (rules))
{
  Case c = case_of ("clnlmeans", gray, 75, 52, nlmeans_with ({0.04, 3, 7}));
  c.common.border = {rules[__i__], 0.3};
  const ref::Picture picture = noise_for (c, 1);
  const ref::Component before = picture.components[0], after = filtered (c, picture).components[0];
  for (const auto [x, y] : ref::Places{c.width, c.height})
    test_check (std::abs (before.at (x, y) - after.at (x, y)) <= 2, "sample (%d, %d) goes from %d to %d", x, y,
        before.at (x, y), after.at (x, y));
}

/* Grain on a flat picture with a step is removed, at the edges of the frame as in the middle, and the step stays. */
TEST (grain_goes, 3)
{
  Case c = case_of ("clnlmeans", gray, 96, 64, nlmeans_with ({0.06, 2, 7}));
  c.common.border.rule = rules[__i__];
  Random random (2);
  ref::Picture picture = ref::make_picture (c.format, c.width, c.height);
  ref::Component &component = picture.components[0];
  auto level = [] (int x) { return x < 48 ? 80 : 170; };
  for (const auto [x, y] : ref::Places{c.width, c.height})
    component.at (x, y) = level (x) + random.between (-9, 9);
  const ref::Component after = filtered (c, picture).components[0];
  double before_sum[2] = {}, after_sum[2] = {};
  for (const auto [x, y] : ref::Places{c.width, c.height}) {
    const bool edge = x < 3 || y < 3 || x >= c.width - 3 || y >= c.height - 3;
    before_sum[edge] += std::pow (component.at (x, y) - level (x), 2);
    after_sum[edge] += std::pow (after.at (x, y) - level (x), 2);
  }
  test_check (after_sum[0] < 0.05 * before_sum[0], "inside, %.3f of the variance is left", after_sum[0] / before_sum[0]);
  test_check (after_sum[1] < 0.2 * before_sum[1], "at the edge, %.3f of the variance is left", after_sum[1] / before_sum[1]);
}

/* A change of the patch needs another program; the old one is used until it is built. */
TEST (patch_changes)
{
  ref::NlMeans set{0.3, 1, 2};
  const Case first = case_of ("clnlmeans", gray, 131, 70, nlmeans_with (set));
  Link link = open (first);
  unsigned number = 1;
  for (const int radius : {1, 4, 2, 5, 0, 8}) {
    set.patch_radius = radius;
    const Case c = case_of ("clnlmeans", gray, 131, 70, nlmeans_with (set));
    link.set ("clnlmeans", "patch-radius", format ("%d", radius));
    for (int i = 0; i < 2; i++)
      filter_and_check (c, link, number++, format ("patch-radius=%d", radius));
  }
}

}  // namespace test::nlmeans_suite

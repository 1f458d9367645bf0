/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldeblock on pictures with blocks: against the reference in every format; and its purpose: blocks of a smooth picture come
 * closer to the original, and edges stay. */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::deblock_suite {

static Tests tests ("deblock", Needs::Device);

static Case
case_of (GstVideoFormat format, int width, int height, const ref::Deblock &set)
{
  return test::case_of ("cldeblock", format, width, height, deblock_with (set));
}

static ref::Picture
checked (const Case &c, const ref::Picture &picture)
{
  Link link = open (c);
  const Own result = link.filter (make_buffer (c, picture, Storage::Tight));
  check_result (c, picture, result, launch_of (c));
  return picture_in (c, result);
}

static int
changed_samples (const ref::Picture &a, const ref::Picture &b)
{
  int n = 0;
  for (size_t c = 0; c < a.components.size (); c++)
    for (size_t i = 0; i < a.components[c].value.size (); i++)
      n += a.components[c].value[i] != b.components[c].value[i];
  return n;
}

/* Waves, a different level for each block, and very little grain. */
static ref::Picture
blocky_picture (const Case &c, const ref::Deblock &set, Random &random)
{
  ref::Picture picture = ref::make_picture (c.format, c.width, c.height);
  const int max = picture.max ();
  for (ref::Component &component : picture.components) {
    const int width = set.block_size / component.sub_x, height = set.block_size / component.sub_y;
    const int columns = component.width / width + 2, left = set.offset_x / component.sub_x % width;
    const int top = set.offset_y / component.sub_y % height;
    std::vector<int> level (columns * (component.height / height + 2));
    for (int &v : level)
      v = random.between (-max / 6, max / 6);
    for (const auto [x, y] : component.places ()) {
      const double wave = 0.5 + 0.2 * std::sin (x / 40.0) * std::cos (y / 30.0);
      const int block = (y - top + height) / height * columns + (x - left + width) / width;
      component.at (x, y) = (int) (wave * max) + level[block] + random.between (0, max / 200);
    }
  }
  return picture;
}

TEST (blocks, ref::tried_layouts (), 2)
{
  static const ref::Deblock sets[] = {{8, 0.5, 0, 0}, {4, 0.75, 3, 5}, {16, 1, 20, 9}, {32, 0.25, 31, 2}, {8, 1, 1, 7}};
  const ref::Layout &layout = ref::layouts ()[__i__];
  if (expected_gl_path ())
    return;
  Random random (7000 + __i__);
  int i = 0;
  for (const auto &[width, height] : {std::pair (131, 73), {67, 41}, {23, 9}}) {
    const ref::Deblock &set = sets[(i + __i__) % 5];
    Case c = case_of (layout.format, width, height, set);
    c.common.border.rule = ref::Border::Rule ((i + __i__ / 5) % 5);
    if (c.common.border.rule == ref::Border::Constant)
      c.common.border.value = random.steps (0, 1, 15);
    if (i == 0)
      c.common.roi = {{random.between (0, 40), random.between (0, 30), 61, 37}}, c.common.whole_frame = false;
    const ref::Picture picture = blocky_picture (c, set, random);
    const ref::Picture result = checked (c, picture);
    test_check (i > 1 || changed_samples (picture, result) > 0, "%s of %s changed nothing", c.settings.properties.c_str (),
        layout.planes);
    i++;
  }
}

/* Replaces the samples of each block by their mean: a smooth picture coded without any detail. */
static ref::Picture
coded (const std::vector<double> &ramp, int size, int block, int offset)
{
  ref::Picture picture = ref::make_picture (GST_VIDEO_FORMAT_GRAY8, size, size);
  auto index = [&] (int v) { return (v - offset + block) / block; };
  constexpr int most = 64; /* blocks per row */
  std::vector<double> sum (most * most), n (most * most);
  for (int i = 0; i < size * size; i++) {
    const int at = index (i / size) * most + index (i % size);
    sum[at] += ramp[i];
    n[at]++;
  }
  for (int i = 0; i < size * size; i++) {
    const int at = index (i / size) * most + index (i % size);
    picture.components[0].value[i] = (int) std::lround (sum[at] / n[at]);
  }
  return picture;
}

static double
mean_squared_error (const ref::Picture &picture, const std::vector<double> &ramp)
{
  double sum = 0;
  for (size_t i = 0; i < ramp.size (); i++)
    sum += std::pow (picture.components[0].value[i] - ramp[i], 2);
  return sum / (double) ramp.size ();
}

/* At most a fifth of the error of a coded ramp remains; a misplaced grid would not reduce it. */
TEST (ramp)
{
  constexpr int size = 128;
  static const struct {
    int block, offset;
    double slope_x, slope_y, remains;
  } all[] = {{8, 0, 1.1, 0.6, 0.2}, {8, 5, -0.7, 0.8, 0.2}, {4, 0, 0.9, -0.8, 0.3}, {16, 3, 0.5, 0.6, 0.65}};
  for (const auto &set : all) {
    std::vector<double> ramp;
    for (int i = 0; i < size * size; i++)
      ramp.push_back (127 + (i % size - size / 2) * set.slope_x + (i / size - size / 2) * set.slope_y);
    const ref::Picture picture = coded (ramp, size, set.block, set.offset);
    const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, size, size, {set.block, 0.5, set.offset, set.offset});
    const double before = mean_squared_error (picture, ramp), after = mean_squared_error (checked (c, picture), ramp);
    test_check (after < set.remains * before, "blocks of %d: the error falls from %.3f to %.3f only", set.block, before, after);
    const int wrong = set.offset + set.block / 2;
    const Case misplaced = case_of (GST_VIDEO_FORMAT_GRAY8, size, size, {set.block, 0.5, wrong, wrong});
    test_check (changed_samples (checked (misplaced, picture), picture) == 0, "changes where there are no blocks");
  }
}

/* Chessboards on the block grid whose steps reach the limit are edges of the picture. */
TEST (edges)
{
  for (const auto &[square, contrast] : {std::pair (8, 64), {8, 200}, {8, 255}, {16, 100}, {4, 255}}) {
    ref::Picture picture = ref::make_picture (GST_VIDEO_FORMAT_GRAY8, 96, 64);
    for (const auto [x, y] : ref::Places{96, 64})
      picture.components[0].at (x, y) = (x / square + y / square) % 2 * contrast;
    const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 96, 64, {8, 0.5, 0, 0});
    test_check (
        changed_samples (checked (c, picture), picture) == 0, "squares of %d with contrast %d change", square, contrast);
  }
}

/* A texture of equal contrast on both sides of a line is not a block edge. */
TEST (texture)
{
  ref::Picture picture = ref::make_picture (GST_VIDEO_FORMAT_GRAY8, 96, 64);
  for (const auto [x, y] : ref::Places{96, 64})
    picture.components[0].at (x, y) = 100 + x % 2 * 9 + y % 2 * 9;
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 96, 64, {8, 1, 0, 0});
  test_check (changed_samples (checked (c, picture), picture) == 0, "texture changes");
}

}  // namespace test::deblock_suite

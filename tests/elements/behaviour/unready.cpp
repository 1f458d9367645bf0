/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What elements do with a frame while the kernel for it is still being built: the same. A layer (tests/census) says of the device that it is
 * one of NVIDIA's, where the first frame does not wait for kernels that take long to build. */
#include <cmath>

#include "core/context.hpp"

#include "../../reference/border.hpp"
#include "../filtercase.hpp"
#include "../link.hpp"
#include "answers.hpp"

using namespace test;

namespace {

/* kernels/blur/gaussian_matrix.cl: weights of 16 bits whose sum is 2^16, of which what is rounded is the sum of all that are farther out. */
std::vector<int>
integer_weights (double sigma, int radius)
{
  constexpr int whole = 1 << 16;
  std::vector<double> half;
  double sum = 0;
  for (int d = 0; d <= radius; d++) {
    half.push_back (std::exp (-d * d / (2 * sigma * sigma)));
    sum += (d ? 2 : 1) * half[d];
  }
  std::vector<int> weights (2 * radius + 1);
  double outer = 0;
  int rounded = 0;
  for (int d = radius; d > 0; d--) {
    outer += half[d] / sum;
    const int before = std::exchange (rounded, int (std::lround (outer * whole)));
    weights[radius - d] = weights[radius + d] = rounded - before;
  }
  weights[radius] = whole - 2 * rounded;
  return weights;
}

/* Sums across are rounded to 1/256 of a step, and those down to steps. */
void
blur (ref::Component &component, const std::vector<int> &weights, const ref::Border &border, int constant)
{
  const int radius = int (weights.size ()) / 2, w = component.width, h = component.height;
  const auto summed = [&] (auto at, unsigned rounding) {
    unsigned sum = rounding;
    for (int d = -radius; d <= radius; d++)
      sum += unsigned (weights[radius + d]) * unsigned (at (d));
    return sum;
  };
  const auto sample = [&] (int x, int y) { return component.at (x, y); };
  std::vector<int> across;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      across.push_back (
          int (summed ([&] (int d) { return ref::sample (x + d, y, w, h, border, sample, constant); }, 1 << 7) >> 8));
  const auto sum_at = [&] (int x, int y) { return across[y * w + x]; };
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      component.at (x, y) =
          int (summed ([&] (int d) { return ref::sample (x, y + d, w, h, border, sum_at, constant << 8); }, 1 << 23) >> 24);
}

struct Set {
  GstVideoFormat format;
  double sigma;
  ref::Border::Rule rule;
  const char *name;
};

const Set sets[] = {
    {GST_VIDEO_FORMAT_GRAY8, 2, ref::Border::Replicate, "replicate"},
    {GST_VIDEO_FORMAT_RGBA, 3, ref::Border::Constant, "constant"},
    {GST_VIDEO_FORMAT_RGB, 7.5, ref::Border::Reflect101, "reflect101"},
    {GST_VIDEO_FORMAT_NV12, 1, ref::Border::Wrap, "wrap"},
};

GST_START_TEST (gaussian)
{
  const Set &set = sets[__i__];
  Case c = median_case (75, 83);
  c.format = set.format;
  Random random (400 + __i__);
  const ref::Picture in = make_picture (c.format, c.width, c.height, Content::Noise, random);
  ref::Picture expected = in;
  const double constant = 0.25;
  const std::vector<int> weights = integer_weights (set.sigma, int (std::ceil (3 * set.sigma)));
  for (ref::Component &component : expected.components)
    if (component.name != 'a')
      blur (component, weights, {set.rule, constant}, int (std::lround (constant * in.max ())));
  answer (nullptr, CL_DEVICE_TYPE, cl_device_type (CL_DEVICE_TYPE_GPU));
  answer (nullptr, CL_DEVICE_EXTENSIONS, "cl_khr_icd cl_nv_device_attribute_query");
  answer (nullptr, capability_major, cl_uint (8));
  answer (nullptr, capability_minor, cl_uint (0));
  {
    Link link (format ("clblur sigma=%g border=%s border-value=%g", set.sigma, set.name, constant), in_caps_of (c));
    GstBuffer *result = link.filter (make_buffer (c, in, Storage::Tight));
    g_autoptr (GstCaps) caps = gst_caps_from_string (in_caps_of (c).c_str ());
    expect_same (from_buffer (result, caps), expected, format ("sigma %g, border %s", set.sigma, set.name));
    gst_buffer_unref (result);
  }
  answer_nothing ();
}

GST_END_TEST;

}  // namespace

static const Program main_program ("unready", Needs::Device,
    [] (Suite *suite) { add_loop (add_group (suite, "unready"), "gaussian", gaussian, std::size (sets)); });

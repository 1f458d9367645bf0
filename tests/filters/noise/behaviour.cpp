/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of clnoise: the distribution of its numbers, their independence, and the noise of each frame. */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::noise_suite {

static Tests tests ("noise", Needs::Device);

constexpr int width = 640, height = 480;
constexpr double n = width * height;

static Case
case_of (GstVideoFormat format, const ref::Noise &set, int w = width, int h = height)
{
  const std::string line = test::format ("clnoise type=%s strength=%.17g seed=%u temporal=%d mono=%d", set.type.c_str (),
      set.strength, set.seed, set.temporal, set.mono);
  return test::case_of (line, format, w, h);
}

static ref::Picture
flat (const Case &c, double value)
{
  ref::Picture picture = ref::make_picture (c.format, c.width, c.height);
  for (ref::Component &component : picture.components)
    std::ranges::fill (component.value, (int) std::nearbyint (value * picture.max ()));
  return picture;
}

static ref::Picture
filtered (const Case &c, Link &link, const ref::Picture &picture, unsigned number)
{
  const GstClockTime time = gst_util_uint64_scale (number, GST_SECOND, 30);
  const Own result = link.filter (timed (make_buffer (c, picture, Storage::Tight), time));
  return picture_in (c, result);
}

/* The changes of a flat picture's component in the first frame. */
static std::vector<double>
differences (GstVideoFormat format, const ref::Noise &set, int component = 0, unsigned number = 0)
{
  const Case c = case_of (format, set);
  Link link = open (c);
  const ref::Picture in = flat (c, 0.5), out = filtered (c, link, in, number);
  std::vector<double> all;
  for (size_t i = 0; i < in.components[component].value.size (); i++)
    all.push_back (out.components[component].value[i] - in.components[component].value[i]);
  return all;
}

static double
moment (const std::vector<double> &v, int order)
{
  double sum = 0;
  for (const double x : v)
    sum += std::pow (x, order);
  return sum / v.size ();
}

/* Kolmogorov-Smirnov: the largest distance between the measured distribution and another. */
template <typename Distribution>
static double
distance (std::vector<double> v, Distribution distribution)
{
  std::ranges::sort (v);
  double largest = 0;
  for (size_t i = 0; i < v.size (); i++) {
    const double expected = distribution (v[i]);
    largest = std::max ({largest, std::fabs (expected - i / n), std::fabs ((i + 1) / n - expected)});
  }
  return largest;
}

static void
check_uncorrelated (const std::vector<double> &a, const std::vector<double> &b, const char *what)
{
  double sum = 0;
  const size_t length = std::min (a.size (), b.size ());
  for (size_t i = 0; i < length; i++)
    sum += a[i] * b[i];
  const double r = sum / length / std::sqrt (moment (a, 2) * moment (b, 2));
  test_check (std::fabs (r) < 4 / std::sqrt (n), "%s are correlated: %.4f", what, r);
}

static std::vector<double>
from (const std::vector<double> &v, size_t first)
{
  return {v.begin () + first, v.end ()};
}

/* Published results of Philox4x32 (Random123's known-answer tests). */
TEST (known_answers)
{
  using Words = std::array<uint32_t, 4>;
  fail_unless (ref::philox ({0, 0, 0, 0}, {0, 0}, 7) == (Words{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}));
  fail_unless (ref::philox ({0, 0, 0, 0}, {0, 0}, 10) == (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  fail_unless (
      ref::philox ({ones, ones, ones, ones}, {ones, ones}, 10) == (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST (gaussian)
{
  for (const uint32_t seed : {0u, 77u}) {
    const std::vector<double> eight = differences (GST_VIDEO_FORMAT_GRAY8, {"gaussian", 0.1, seed, true, false});
    const std::vector<double> sixteen = differences (GST_VIDEO_FORMAT_GRAY16_LE, {"gaussian", 0.1, seed, true, false});
    for (const auto &[v, sigma] : {std::pair (&eight, 25.5), {&sixteen, 6553.5}}) {
      const double mean = moment (*v, 1), variance = moment (*v, 2), quantum = 1 / 12.0;
      test_check (std::fabs (mean) < 4 * sigma / std::sqrt (n), "mean %g, sigma %g", mean, sigma);
      test_check (
          std::fabs (std::sqrt (variance - quantum) / sigma - 1) < 0.006, "sigma %g, not %g", std::sqrt (variance), sigma);
      if (v == &sixteen) {
        const double skewness = moment (*v, 3) / std::pow (variance, 1.5);
        const double kurtosis = moment (*v, 4) / variance / variance;
        test_check (std::fabs (skewness) < 4 * std::sqrt (6 / n), "skewness %g", skewness);
        test_check (std::fabs (kurtosis - 3) < 4 * std::sqrt (24 / n), "kurtosis %g", kurtosis);
        const double off = distance (*v, [sigma] (double x) { return std::erfc (-x / sigma * M_SQRT1_2) / 2; });
        test_check (off < 1.63 / std::sqrt (n), "distance from the normal distribution %g", off);
        const double largest = std::ranges::max (*v) / sigma;
        test_check (largest > 4.1 && largest < 6, "the largest of so many is %g sigma", largest);
      }
    }
  }
}

TEST (uniform)
{
  const std::vector<double> v = differences (GST_VIDEO_FORMAT_GRAY16_LE, {"uniform", 0.25, 3, true, false});
  const double end = 0.25 * 65535;
  const auto [least, greatest] = std::ranges::minmax (v);
  test_check (least >= -end - 0.5 && greatest <= end + 0.5 && greatest - least > 1.999 * end, "from %g to %g", least, greatest);
  const double off = distance (v, [end] (double x) { return std::clamp ((x / end + 1) / 2, 0.0, 1.0); });
  test_check (off < 1.63 / std::sqrt (n), "distance from the uniform distribution %g", off);
}

TEST (independent)
{
  const ref::Noise set{"gaussian", 0.1, 9, true, false}, other{"gaussian", 0.1, 10, true, false};
  const std::vector<double> v = differences (GST_VIDEO_FORMAT_RGBA, set);
  check_uncorrelated (v, from (v, 1), "neighbours in a row");
  check_uncorrelated (v, from (v, 2), "next but one neighbours in a row");
  for (const int rows : {1, 2, 7, 8, 16})
    check_uncorrelated (v, from (v, rows * width), test::format ("samples %d rows apart", rows).c_str ());
  check_uncorrelated (v, differences (GST_VIDEO_FORMAT_RGBA, set, 1), "red and green");
  check_uncorrelated (v, differences (GST_VIDEO_FORMAT_RGBA, set, 2), "red and blue");
  check_uncorrelated (v, differences (GST_VIDEO_FORMAT_RGBA, set, 0, 1), "frames");
  check_uncorrelated (v, differences (GST_VIDEO_FORMAT_RGBA, other), "seeds");
}

TEST (impulses)
{
  for (const double share : {0.02, 0.5}) {
    const Case c = case_of (GST_VIDEO_FORMAT_RGBA, {"salt-pepper", share, 1, true, false});
    Link link = open (c);
    const ref::Picture in = flat (c, 0.5), out = filtered (c, link, in, 0);
    double salt = 0, pepper = 0;
    int others = 0;
    for (int i = 0; i < n; i++) {
      const int r = out.find ('r')->value[i];
      salt += r == 255;
      pepper += r == 0;
      others += (r != 0 && r != 255 && r != 128) || out.find ('g')->value[i] != r || out.find ('b')->value[i] != r;
    }
    test_check (others == 0, "%d pixels are neither salt nor pepper nor as they were", others);
    const double allowed = 4 * std::sqrt (share * n);
    test_check (std::fabs (salt - share / 2 * n) < allowed && std::fabs (pepper - share / 2 * n) < allowed,
        "share %g: %g salt, %g pepper of %g", share, salt, pepper, n);
  }
}

TEST (speckle)
{
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY16_LE, {"speckle", 0.1, 1, true, false});
  Link link = open (c);
  for (const double level : {0.0, 0.2, 0.5}) {
    const ref::Picture in = flat (c, level), out = filtered (c, link, in, 0);
    double sum = 0;
    for (const int v : out.components[0].value)
      sum += std::pow (v - in.components[0].value[0], 2);
    const double sigma = std::sqrt (sum / n), expected = level * 6553.5;
    test_check (std::fabs (sigma - expected) <= 0.006 * expected, "level %g: sigma %g, not %g", level, sigma, expected);
  }
}

/* Depends on the time stamp, so that a seek restores a position's noise; without a framerate, frames are counted from the start
 * of the segment. */
TEST (frames)
{
  const ref::Noise set{"gaussian", 0.1, 4, true, false};
  Case c = case_of (GST_VIDEO_FORMAT_GRAY8, set, 33, 21);
  const ref::Picture in = flat (c, 0.5);
  Link link = open (c);
  for (const unsigned number : {0u, 1u, 2u, 700u, 3u, 1000000u})
    fail_unless (filtered (c, link, in, number).components[0].value == ref::noise (in, set, number).components[0].value,
        "frame %u", number);

  Link variable (launch_of (c), "video/x-raw,format=GRAY8,width=33,height=21,framerate=0/1");
  for (const unsigned number : {0u, 1u, 2u}) {
    const ref::Picture out = filtered (c, variable, in, number * 10);
    fail_unless (out.components[0].value == ref::noise (in, set, number).components[0].value, "counted frame %u", number);
  }

  /* a camera's times vary, but no frame repeats the noise of the one before */
  Link uneven = open (c);
  for (const unsigned number : {0u, 1u, 2u, 3u}) {
    const GstClockTime time = (2 * number + 1) * GST_SECOND / 60 + (number % 2 ? GST_MSECOND : -GST_MSECOND);
    const Own result = uneven.filter (timed (make_buffer (c, in, Storage::Tight), time));
    fail_unless (picture_in (c, result).components[0].value == ref::noise (in, set, number).components[0].value,
        "frame %u at an uneven time", number);
  }

  const ref::Noise still{"gaussian", 0.1, 4, false, false};
  Case frozen = c;
  frozen.settings.properties = case_of (c.format, still).settings.properties;
  Link link_still = open (frozen);
  for (const unsigned number : {0u, 5u})
    fail_unless (filtered (frozen, link_still, in, number).components[0].value == ref::noise (in, set, 0).components[0].value,
        "temporal=false, frame %u", number);
}

/* The luma of interlaced frames has the noise of other frames; the chroma of a field follows the field's pixels. */
TEST (interlaced)
{
  const ref::Noise set{"gaussian", 0.1, 4, true, true};
  Case c = case_of (GST_VIDEO_FORMAT_I420, set, 35, 23);
  c.common.interlaced = true;
  const ref::Picture in = flat (c, 0.5);
  ref::Picture expected = in;
  for (const int field : {0, 1})
    ref::weave (expected, ref::noise (ref::field_of (in, field), set, 0, field, 2), field);
  ck_assert (expected.components[0].value == ref::noise (in, set, 0).components[0].value);
  Link link = open (c);
  expect_same (filtered (c, link, in, 0), expected, "two fields");
}

/* Every change while playing applies to the next frame, and programs are not rebuilt for numbers. */
TEST (live)
{
  ref::Noise set{"gaussian", 0.1, 4, true, false};
  Case c = case_of (GST_VIDEO_FORMAT_RGBA, set, 65, 17);
  const ref::Picture in = flat (c, 0.5);
  Link link = open (c);
  filtered (c, link, in, 0);
  const guint64 builds = stat (link.element ("clnoise"), "builds");
  for (unsigned number = 1; number < 5; number++) {
    set.strength = number / 8.0;
    set.seed = number;
    set.mono = number % 2;
    g_object_set (link.element ("clnoise"), "strength", set.strength, "seed", set.seed, "mono", set.mono, nullptr);
    expect_same (filtered (c, link, in, number), ref::noise (in, set, number), format ("frame %u", number), 0, "a");
  }
  fail_unless (stat (link.element ("clnoise"), "builds") == builds, "numbers cause builds");
}

}  // namespace test::noise_suite

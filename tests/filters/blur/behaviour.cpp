/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clblur with changing sigma and radius, on flat pictures, and with the largest windows and values. */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::blur_suite {

static Tests tests ("blur", Needs::Device);

/* Each frame uses the values that were set before it, without a new program for each: the element has at most ten forms. */
TEST (moving, 2)
{
  constexpr int values = 40;
  /* the frames of multiples of this number are stored alike: the gpu back end has other programs for rows that do not begin at words */
  constexpr unsigned alike = 240;
  const ref::Blur::Type type = __i__ ? ref::Blur::Box : ref::Blur::Gaussian;
  auto case_at = [type] (int i) {
    const ref::Blur set{type, 0.3 + i * 0.37, type == ref::Blur::Box ? 1 + i : 0};
    return case_of ("clblur", GST_VIDEO_FORMAT_RGBA, 67, 41, blur_with (set));
  };
  Link link = open (case_at (0));
  for (int i = 0; i < values; i++) {
    const Case c = case_at (i);
    link.set ("clblur", "sigma", test::format ("%.17g", 0.3 + i * 0.37));
    if (type == ref::Blur::Box)
      link.set ("clblur", "radius", test::format ("%d", 1 + i));
    filter_and_check (c, link, alike * unsigned (i + 1), launch_of (c));
  }
  GstElement *element = link.element ("clblur");
  const guint64 programs = stat (element, "builds") + stat (element, "cache-hits");
  test_check (programs >= 1 && programs <= 10, "%d programs for %d values", (int) programs, values);
}

/* A picture of one value does not change, from black to white, whatever the rounding of the weights. */
TEST (flat, 7)
{
  using enum ref::Blur::Type;
  static const ref::Blur sets[] = {
      {Gaussian, 0.5, 0}, {Gaussian, 2, 0}, {Gaussian, 8, 0}, {Gaussian, 40, 0}, {Box, 2, 3}, {Box, 2, 60}, {Box, 2, 512}};
  std::vector<GstVideoFormat> formats = {
      GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA64_LE};
  if (sets[__i__].radius > 361) /* sums of 2^31 and more */
    formats.push_back (GST_VIDEO_FORMAT_I420_12LE);
  for (const GstVideoFormat format : formats) {
    const Case c = case_of ("clblur", format, 150, 20, blur_with (sets[__i__]));
    Link link = open (c);
    ref::Picture picture = ref::make_picture (format, c.width, c.height);
    for (const int value : {0, 1, picture.max () / 3, picture.max () - 1, picture.max ()}) {
      for (ref::Component &component : picture.components)
        component.value.assign (component.value.size (), value);
      expect_same (filtered (c, link, picture), picture, test::format ("%s, flat %d", launch_of (c).c_str (), value));
    }
  }
}

}  // namespace test::blur_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clwarp: files, chroma siting, pointers, and invalid settings. */
#include <cstring>
#include <fstream>

#include <gst/cl/gstclmotionmeta.h>

#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"
#include "reference.hpp"

namespace test::warp_suite {

static Tests tests ("warp", Needs::Device);

static std::string
write_map (const std::vector<float> &points, size_t left_out = 0)
{
  static int number = 0;
  const std::string path = scratch_folder () + test::format ("/%d.map", number++);
  std::vector<char> bytes;
  for (const float v : points) {
    guint32 bits;
    std::memcpy (&bits, &v, sizeof bits);
    for (int i = 0; i < 4; i++)
      bytes.push_back (char (bits >> (8 * i)));
  }
  std::ofstream (path, std::ios::binary).write (bytes.data (), std::streamsize (bytes.size () - left_out));
  return path;
}

/* A ripple, a pixel without a source, and a pixel with a source far away. */
static std::vector<float>
ripple (int width, int height)
{
  std::vector<float> points;
  for (const auto [x, y] : ref::Places{width, height}) {
    points.push_back (float (x + 3 * std::sin (y / 5.0) - 1.3));
    points.push_back (float (y + 2 * std::cos (x / 4.0) + 0.7));
  }
  points[2 * (size_t (width) * (height / 2) + width / 2)] = NAN;
  points[2 * (size_t (width) * (height / 3) + width / 3)] = 1e30f;
  points[2 * (size_t (width) * (height / 4) + width / 3)] = -4000;
  return points;
}

static Case
case_of (GstVideoFormat format, int width, int height, const ref::Warp &set, const std::string &properties)
{
  Case c = test::case_of ("clwarp " + properties, format, width, height);
  c.settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::warp (p, set, scene); };
  c.settings.tolerance = c.settings.yuv_tolerance = 1;
  return c;
}

static void
filter_noise (const Case &c)
{
  Link link = open (c);
  filter_and_check (c, link, 1, launch_of (c));
}

const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420};

/* A map alone and after a matrix, on frames and on fields, with every border rule. */
TEST (maps, 12)
{
  const GstVideoFormat format = formats[__i__ % 4];
  const int width = 61 - __i__, height = 38 + __i__ / 4;
  ref::Warp set;
  set.map = ripple (width, height);
  std::string properties = "map=" + write_map (set.map);
  if (__i__ >= 4) {
    set.matrix = {0.9, 0.05, 1.3, -0.1, 1.1, -2.21, 0.001, 0, 1};
    properties += " matrix=\"0.9 0.05 1.3; -0.1, 1.1, -2.21; 0.001 0 1\"";
  }
  Case c = case_of (format, width, height, set, properties);
  c.common.border.rule = ref::Border::Rule (__i__ % 5);
  c.common.border.value = c.common.border.rule == ref::Border::Constant ? 0.4 : 0;
  c.common.interlaced = __i__ % 3 == 2;
  filter_noise (c);
}

/* Chroma moves with luma, whatever its siting in the caps. */
TEST (sitings, 4)
{
  static const struct {
    const char *site;
    bool x, y;
  } sites[] = {{"jpeg", false, false}, {"mpeg2", true, false}, {"cosited", true, true}, {"v-cosited", false, true}};
  const auto &[site, cosited_x, cosited_y] = sites[__i__];
  ref::Warp set;
  set.matrix = {0.5, 0.1, 3.25, -0.2, 0.75, 6.1, 0, 0.002, 1};
  set.cosited_x = cosited_x;
  set.cosited_y = cosited_y;
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_I420_10LE}) {
    Case c = case_of (format, 45, 34, set, "matrix=\"0.5 0.1 3.25; -0.2 0.75 6.1; 0 0.002 1\"");
    c.colorimetry = std::string ("bt601,chroma-site=") + site;
    c.common.interlaced = __i__ == 1;
    filter_noise (c);
  }
}

/* A picture whose samples encode their positions: each sample of the result comes from the matrix's position, also in
 * chroma. */
TEST (places)
{
  Case c = case_of (GST_VIDEO_FORMAT_I420, 96, 64, {}, "matrix=\"0.8 0.1 6.5; -0.1 0.9 7.25; 0 0 1\"");
  ref::Picture picture = ref::make_picture (c.format, c.width, c.height);
  for (ref::Component &component : picture.components)
    for (const auto [x, y] : component.places ()) {
      const double middle = (component.sub_x - 1) / 2.0;
      component.at (x, y) = int (2 * (x * component.sub_x + middle)) + 20;
    }
  for (const ref::Component &component : filtered (c, picture).components)
    for (const auto [x, y] : ref::Places{component.width - 8, component.height - 8, 4, 4}) {
      const double middle = (component.sub_x - 1) / 2.0;
      const double at_x = x * component.sub_x + middle, at_y = y * component.sub_y + middle;
      const double wanted = 2 * (0.8 * at_x + 0.1 * at_y + 6.5) + 20;
      test_check (std::abs (component.at (x, y) - wanted) < 0.51, "%c at %d, %d is %d, not %g", component.name, x, y,
          component.at (x, y), wanted);
    }
}

/* One error with the mistake and the expected value; then a valid value plays. */
TEST (refused, 11)
{
  const std::string torn = write_map (ripple (4, 4), 3), empty = write_map ({});
  const struct {
    const char *property;
    std::string value;
    std::vector<std::string> words;
  } bad[] = {{"matrix", "1 0 0; 0 1 0", {"2 rows of 3", "3 rows of 3"}}, {"matrix", "1 0 0; 0 one 0; 0 0 1", {"one"}},
      {"matrix", "1 0 0; 0 nan 0; 0 0 1", {"nan"}}, {"undistort", "1 2 3 4 5 6 7", {"7 numbers", "8 to 12"}},
      {"undistort", "1 2 3 4 5 6 7 8 9 10 11 12 13", {"13 numbers", "8 to 12"}},
      {"undistort", "0 2 3 4 5 6 7 8", {"focal length of 0"}}, {"undistort", "1 2 3 4; 5 6 7 8", {"8 to 12"}},
      {"map", torn, {"125 bytes"}}, {"map", empty, {"0 bytes"}}, {"map", scratch_folder (), {"a folder"}},
      {"map", scratch_folder () + "/none", {"none"}}};
  const auto &[property, value, words] = bad[__i__];
  expect_refusal ("clwarp", property, value, words, "");
}

/* A map for frames of another size ends the stream, and the error names both sizes. */
TEST (wrong_size)
{
  Pipeline pipeline ("videotestsrc num-buffers=2 ! video/x-raw,format=GRAY8,width=40,height=30 ! clwarp name=warp map="
                     + write_map (ripple (40, 31)) + " ! fakesink");
  expect_one_error (
      pipeline.play_to_error ("warp"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, {"9920", "9600", "40x30"});
}

/* A pointer moves to its pixel's source; above the horizon it is outside the picture. */
TEST (pointer)
{
  static const struct {
    double x, y, from_x, from_y;
  } points[] = {{55, 20, 0.5 * 55 + 3, 2 * 20 - 5.5}, {0, 0, 3, -5.5}, {10, 70, -1, -1}};
  Link link ("clwarp matrix=\"0.5 0 3; 0 2 -5.5; 0 0 1\"", "video/x-raw,format=GRAY8,width=100,height=60,framerate=30/1");
  for (const auto &[x, y, from_x, from_y] : points) {
    if (from_x < 0)
      link.set ("clwarp", "matrix", "1 0 0; 0 1 0; 0 -0.02 1");
    gst_buffer_unref (link.filter (gst_buffer_new_allocate (nullptr, 100 * 60, nullptr)));
    const auto [at_x, at_y] = link.pointer_from (x, y);
    test_check (at_x == from_x && at_y == from_y, "the pointer at %g, %g comes from %g, %g", x, y, at_x, at_y);
  }
  Link chain ("clchain filters=\"clmedian ! clwarp matrix=1,0,7;0,1,0;0,0,1\"",
      "video/x-raw,format=GRAY8,width=64,height=16,framerate=30/1");
  gst_buffer_unref (chain.filter (filled (64 * 16)));
  ck_assert (chain.pointer_from (0, 0).first == 7);
}

/* Each new matrix applies from the next frame on. Regions are dropped, because faces have moved. */
TEST (changes)
{
  Link link ("clwarp matrix=\"1 0 7; 0 1 0; 0 0 1\"", "video/x-raw,format=GRAY8,width=64,height=16,framerate=30/1");
  for (int i = 0; i < 12; i++) {
    const int shift = i == 3 ? 0 : 3 + i;
    link.set ("clwarp", "matrix", test::format ("2 0 %d; 0 2 0; 0 0 2", 2 * shift));
    GstBuffer *in = gst_buffer_new_allocate (nullptr, 64 * 16, nullptr);
    for (guint8 at = 0; at < 64; at++)
      for (int row = 0; row < 16; row++)
        gst_buffer_memset (in, gsize (row * 64 + at), at, 1);
    gst_buffer_add_video_region_of_interest_meta (in, "face", 2, 3, 4, 5);
    const GstClMotionMeta vectors{.vectors = gst_buffer_peek_memory (in, 0)};
    gst_cl_motion_meta_add (in, &vectors);
    const Own out = link.filter (in);
    ck_assert_int_eq (gst_buffer_get_n_meta (out, gst_cl_motion_meta_api_get_type ()), shift ? 0 : 1);
    ck_assert_int_eq (gst_buffer_get_n_meta (out, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), shift ? 0 : 1);
    guint8 row[64];
    gst_buffer_extract (out, 64 * 9, row, sizeof row);
    for (int x = 0; x < 64; x++)
      ck_assert_int_eq (row[x], std::min (x + shift, 63));
  }
}

}  // namespace test::warp_suite

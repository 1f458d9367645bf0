/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllut3d's files: invalid ones with the reasons, and files that change. */
#include <fstream>

#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"

namespace test::lut3d_suite {

static Tests tests ("lut3d", Needs::Device);

static std::string
write_file (const std::string &name, const std::string &content)
{
  const std::string path = scratch_folder () + "/" + name;
  std::ofstream (path, std::ios::binary) << content;
  return path;
}

static const std::string eight = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n";

/* An invalid table makes the start fail with one error that names the place; then a valid one plays. */
TEST (refused, 17)
{
  static const struct {
    const char *name;
    std::string content;
    std::vector<std::string> words;
  } bad[] = {{"empty", "", {"line 1", "LUT_3D_SIZE"}}, {"early", "0 0 0\n" + eight, {"line 1", "before"}},
      {"short", "LUT_3D_SIZE 2\n0 0 0\n", {"after 1 of 8 entries"}},
      {"long", "LUT_3D_SIZE 2\n" + eight + "0 0 0\n", {"line 10", "more than 8"}},
      {"nan", "LUT_3D_SIZE 2\nnan 0 0\n" + eight, {"line 2", "nan"}},
      {"inf", "LUT_1D_SIZE 2\n0 0 0\n1 1e999 1\n", {"line 3", "1e999"}},
      {"two", "LUT_3D_SIZE 2\n0 0\n" + eight, {"line 2", "three numbers, not 2"}},
      {"word", "LUT_3D_SIZE 2\n0 0 red\n", {"line 2", "red"}}, {"huge", "LUT_3D_SIZE 130\n", {"line 1", "2 to 129"}},
      {"one", "LUT_1D_SIZE 1\n0 0 0\n", {"line 1", "2 to 65536"}}, {"half", "LUT_3D_SIZE 2.5\n", {"2 to 129"}},
      {"comma", "LUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0,1\n", {"line 2", "0,1"}},
      {"letter", "LUT_3D_SIZE 2\n0.o 0 0\n" + eight, {"line 2", "0.o"}},
      {"CR", "TITLE x\rLUT_3D_SIZE 2\r0 0\r" + eight, {"line 3", "three numbers, not 2"}},
      {"late", "LUT_3D_SIZE 2\n0 0 0\nDOMAIN_MAX 1 1 1\n", {"line 3", "after the entries"}},
      {"domain", "DOMAIN_MIN 1 0 0\nLUT_3D_SIZE 2\n" + eight, {"domain"}},
      {"binary", std::string ("\0\1\2\3LUT", 7), {"line 1", "not text"}}};
  auto [name, content, words] = bad[__i__ % std::size (bad)];
  const std::string path = write_file (name, content);
  const std::string good = write_file ("good", "LUT_3D_SIZE 2\n" + eight);
  words.push_back (path);
  expect_refusal ("cllut3d", "location", path, words, good.c_str ());
}

/* Paths that are not readable files. */
TEST (unreadable, 3)
{
  const std::string paths[] = {scratch_folder () + "/none", scratch_folder (), "/dev/zero"};
  expect_refusal ("cllut3d", "location", paths[__i__], {paths[__i__]});
}

/* The last value of a gray frame of 100s. */
static int
filtered (Link &link)
{
  GstBuffer *in = filled (64 * 16);
  const Own out = link.filter (in);
  guint8 v = 0;
  gst_buffer_extract (out, 64 * 16 - 1, &v, 1);
  return v;
}

/* Files in the style of Windows, Macs, Resolve and other programs; 100 of 255 becomes 200 with `doubled`. */
TEST (readable)
{
  const std::string identity = "0 0 0\n1 1 1\n", doubled = "0 0 0\n2 2 2\n";
  const struct {
    std::string content;
    int result;
  } good[] = {{"\xef\xbb\xbfLUT_1D_SIZE 2\n" + doubled, 200}, {"LUT_1D_SIZE 2\r0 0 0\r2 2 2", 200},
      {"# x\r\n\r\nLUT_1D_SIZE 2\r\n0 0 0\r\n2 2 2\r\n", 200}, {"title x\nlut_1d_size 2\ndomain_max 2 2 2\n" + doubled, 100},
      {"3D LUT of X 1.0\n// x\nLUT_1D_SIZE 2\nBMD_TITLE x\nGAMMA 2.4\nInfo x\n-- x\n" + doubled + "end", 200},
      {"LUT_1D_SIZE 2\nLUT_3D_INPUT_RANGE 0 0\n" + doubled, 200},
      {"LUT_3D_SIZE 2\nLUT_1D_INPUT_RANGE 0 0\nLUT_3D_INPUT_RANGE 0 2\n" + eight, 50},
      {"LUT_1D_SIZE 2\nLUT_IN_VIDEO_RANGE\n" + identity, 102}, {"LUT_1D_SIZE 2\nLUT_OUT_VIDEO_RANGE\n" + identity, 98},
      {"LUT_IN_VIDEO_RANGE\nLUT_3D_SIZE 2\nLUT_OUT_VIDEO_RANGE\n" + eight, 100},
      {"LUT_1D_SIZE 2\nLUT_3D_SIZE 2\nLUT_IN_VIDEO_RANGE\n" + identity + eight, 102},
      {"LUT_1D_SIZE 2\nLUT_3D_SIZE 2\nLUT_OUT_VIDEO_RANGE\n" + identity + eight, 98}};
  Link link ("cllut3d", "video/x-raw,format=GRAY8,width=64,height=16,framerate=30/1");
  for (size_t i = 0; i < std::size (good); i++) {
    const std::string path = write_file (format ("good%zu.cube", i), good[i].content);
    g_object_set (link.element ("cllut3d"), "location", path.c_str (), nullptr);
    const int v = filtered (link);
    test_check (v == good[i].result, "file %zu: %d, not %d", i, v, good[i].result);
  }
}

static std::string
constant (double v)
{
  return format ("LUT_1D_SIZE 2\n%g %g %g\n%g %g %g\n", v, v, v, v, v, v);
}

/* A change of a watched file takes effect within two seconds; an invalid file leaves the old table. */
TEST (watch)
{
  const std::string path = write_file ("watched.cube", constant (0.2));
  Link link ("cllut3d watch=true location=" + path, "video/x-raw,format=GRAY8,width=64,height=16,framerate=30/1");
  ck_assert_int_eq (filtered (link), 51);
  const auto wait_for = [&] (int v) {
    for (int i = 0; i < 150 && filtered (link) != v; i++)
      g_usleep (20000);
    ck_assert_int_eq (filtered (link), v);
  };
  write_file ("watched.cube", "LUT_1D_SIZE broken");
  g_usleep (1200000);
  ck_assert_int_eq (filtered (link), 51);
  write_file ("watched.cube", constant (0.4) + "# longer\n");
  wait_for (102);
  g_object_set (link.element ("cllut3d"), "location", write_file ("other.cube", constant (0.6)).c_str (), nullptr);
  ck_assert_int_eq (filtered (link), 153);
  g_object_set (link.element ("cllut3d"), "location", "", nullptr);
  ck_assert_int_eq (filtered (link), 100);
}

/* A file that breaks before the next frame reads it: frames fail until it is mended, without the table before. */
TEST (broken)
{
  Link link ("cllut3d location=" + write_file ("sound.cube", constant (0.2)),
      "video/x-raw,format=GRAY8,width=64,height=16,framerate=30/1");
  ck_assert_int_eq (filtered (link), 51);
  const std::string path = write_file ("breaks.cube", constant (0.4));
  link.set ("cllut3d", "location", path);
  write_file ("breaks.cube", "LUT_1D_SIZE broken");
  for (int frame = 0; frame < 2; frame++)
    ck_assert_int_eq (link.push (filled (64 * 16)), GST_FLOW_ERROR);
  expect_one_error (link.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, {path});
  write_file ("breaks.cube", constant (0.6) + "# longer\n");
  ck_assert_int_eq (filtered (link), 153);
}

}  // namespace test::lut3d_suite

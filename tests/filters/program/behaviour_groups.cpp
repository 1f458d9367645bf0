/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprogram: kernels that run in work-groups, with local memory and barriers, and passes with pictures and tables between them. */
#include "../../elements/inputs.hpp"

namespace test::program_groups_suite {

static Tests tests ("program_groups", Needs::Device);

constexpr int width = 37, height = 19;

static std::string
element (const std::string &source, const std::string &more = "")
{
  return "clprogram timeout=60000 planes=15 " + more + " source=\"" + source + "\"";
}

static ref::Picture
filtered (Link &link, const ref::Picture &picture)
{
  const Own result =
      link.filter (to_buffer (picture, Storage::Odd, raw_caps (picture.layout->format, picture.width, picture.height)));
  return from_buffer (result, raw_caps (picture.layout->format, picture.width, picture.height));
}

/* The nearest sample. */
static int
at (const ref::Component &component, int x, int y)
{
  return component.at (std::clamp (x, 0, component.width - 1), std::clamp (y, 0, component.height - 1));
}

/* Compares a rectangle of the frame with a function, and the rest with the input. */
template <typename Expected>
static void
compare (const ref::Picture &in, const ref::Picture &out, const GstVideoRectangle &region, Expected expected)
{
  for (size_t c = 0; c < in.components.size (); c++) {
    const ref::Component &from = in.components[c], &to = out.components[c];
    const int left = region.x / from.sub_x, top = region.y / from.sub_y;
    const int right = (region.x + region.w + from.sub_x - 1) / from.sub_x,
              bottom = (region.y + region.h + from.sub_y - 1) / from.sub_y;
    for (const auto [x, y] : to.places ()) {
      const bool inside = x >= left && x < right && y >= top && y < bottom && from.name != 'x';
      const int should = inside ? expected (from, x, y, left, top) : from.at (x, y);
      test_check (to.at (x, y) == should, "%s: component %c at %d, %d is %d, expected %d",
          gst_video_format_to_string (in.layout->format), from.name, x, y, to.at (x, y), should);
    }
  }
}

static ref::Picture
noise (GstVideoFormat format)
{
  return random_picture (format, width, height, format);
}

const GstVideoRectangle whole{0, 0, width, height}, part{6, 4, 22, 10};
const char part_properties[] = "roi-x=6 roi-y=4 roi-width=22 roi-height=10 ";

const struct {
  GstVideoFormat format;
  bool whole_pixels, is_part;
} tiled[] = {{GST_VIDEO_FORMAT_RGBA, true, false}, {GST_VIDEO_FORMAT_RGBA, true, true}, {GST_VIDEO_FORMAT_RGB, true, false},
    {GST_VIDEO_FORMAT_xBGR, false, true}, {GST_VIDEO_FORMAT_GRAY8, true, false}, {GST_VIDEO_FORMAT_Y444_10LE, true, true},
    {GST_VIDEO_FORMAT_NV12, false, false}, {GST_VIDEO_FORMAT_YUY2, false, true}, {GST_VIDEO_FORMAT_P010_10LE, false, false}};

/* Every group reverses its tile: each item passes its sample to another item, also beyond the edge. */
TEST (tiles, std::size (tiled))
{
  const auto &[format, whole_pixels, is_part] = tiled[__i__];
  const std::string begin = "// @group 16 8\nkernel void k (",
                    middle = "[8][16];\nconst int i = get_local_id (0), j = get_local_id (1);\n",
                    barrier = ";\nbarrier (CLK_LOCAL_MEM_FENCE);\n";
  Link link (element (whole_pixels ? begin + "PIXEL_ARGS) { PIXEL_BEGIN local float4 tile" + middle
                                         + "tile[j][i] = PIXEL (0, 0)" + barrier + "OUT_PIXEL (tile[7 - j][15 - i]); }"
                                   : begin + "COMPONENT_ARGS) { COMPONENT_BEGIN local int tile" + middle + "tile[j][i] = VAL"
                                         + barrier + "OUT (tile[7 - j][15 - i]); }",
                 is_part ? part_properties : ""),
      raw_caps (format, width, height));
  for (int frame = 0; frame < 2; frame++) {
    const ref::Picture in = noise (format);
    compare (
        in, filtered (link, in), is_part ? part : whole, [&] (const ref::Component &from, int x, int y, int left, int top) {
          const int i = (x - left) % 16, j = (y - top) % 8;
          return std::min (at (from, x - i + 15 - i, y - j + 7 - j), in.max ());
        });
  }
  ck_assert_int_eq (count_warnings (link.bus ()), 0);
}

const char separable[] =
    "// @table weights int 3 1 2 1\n"
    "// @scratch rows int\n"
    "// @param lift int 0 [0, 9]\n"
    "// @pass 2\n"
    "kernel void columns (COMPONENT_ARGS, int lift) { COMPONENT_BEGIN int sum = 0;\n"
    "for (int i = 0; i < 3; i++) sum += weights[i] * SCRATCH (rows, 0, i - 1); OUT ((sum >> 4) + lift); }\n"
    "// @group 8 4\n"
    "// @pass 1\n"
    "kernel void lines (COMPONENT_ARGS, local int *line) { COMPONENT_BEGIN\n"
    "const int i = get_local_id (0) + 8 * get_local_id (1); line[i] = 0; barrier (CLK_LOCAL_MEM_FENCE);\n"
    "for (int i = 0; i < 3; i++) line[get_local_id (0) + 8 * get_local_id (1)] += weights[i] * PX (i - 1, 0);\n"
    "OUT_SCRATCH (rows, line[i]); }";

/* Two one-dimensional passes against a two-dimensional one, on a part of the frame and on all of it; an argument changes while
 * playing. */
TEST (passes, 6)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_GRAY16_LE};
  const bool is_part = __i__ % 2;
  Link link (element (separable, is_part ? part_properties : ""), raw_caps (formats[__i__ / 2], width, height));
  guint64 builds = 0;
  for (const int lift : {0, 5}) {
    if (lift)
      builds = stat (link.element ("clprogram"), "builds");
    if (lift)
      gst_child_proxy_set (GST_CHILD_PROXY (link.element ("clprogram")), "params::lift", lift, nullptr);
    const ref::Picture in = noise (formats[__i__ / 2]);
    compare (in, filtered (link, in), is_part ? part : whole, [&] (const ref::Component &from, int x, int y, int, int) {
      int sum = 0;
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
          sum += (2 - std::abs (i)) * (2 - std::abs (j)) * at (from, x + i, y + j);
      return std::min ((sum >> 4) + lift, in.max ());
    });
  }
  ck_assert_uint_eq (stat (link.element ("clprogram"), "builds"), builds);
  ck_assert_int_eq (count_warnings (link.bus ()), 0);
  ck_assert_str_eq (stat_text (link.element ("clprogram"), "algorithm").c_str (), "lines+columns");
}

/* A picture of half the size: the pass that writes it runs over its size, and knows the frame's size. */
TEST (scaled_picture, 2)
{
  static const char *const types[] = {"RGBA", "float4"};
  Link link (
      element (std::string ("// @scratch small ") + types[__i__]
               + " 0.5\n// @pass 1\nkernel void down (PIXEL_ARGS) { PIXEL_BEGIN\n"
                 "const int right = width == (frame_width + 1) / 2 && height == (frame_height + 1) / 2;\n"
                 "OUT_SCRATCH (small, right ? pixel_at (2 * x, 2 * y) : 0); }\n"
                 "// @pass 2\nkernel void up (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (scratch_between (small, x / 2, y / 2)); }"),
      raw_caps (GST_VIDEO_FORMAT_RGBA, width, height));
  const ref::Picture in = noise (GST_VIDEO_FORMAT_RGBA);
  compare (in, filtered (link, in), whole,
      [] (const ref::Component &from, int x, int y, int, int) { return at (from, x / 2 * 2, y / 2 * 2); });
}

/* Arguments in local memory: one element for each item, or as many as a line declares. */
TEST (local_arguments)
{
  Link link (element ("// @local last 2 1\n// @group 8 8\nkernel void mean (COMPONENT_ARGS, local int *sums, int lift, local "
                      "int2 *last) {\n"
                      "COMPONENT_BEGIN const int l = get_local_id (0) + 8 * get_local_id (1); sums[l] = VAL;\n"
                      "for (int n = 32; n > 0; n /= 2) { barrier (CLK_LOCAL_MEM_FENCE); if (l < n) sums[l] += sums[l + n]; }\n"
                      "if (l < 2) last[l] = (int2) (sums[0], 64); barrier (CLK_LOCAL_MEM_FENCE);\n"
                      "OUT (last[1].x / last[0].y + lift); }",
                 "params=\"p,lift=1\""),
      raw_caps (GST_VIDEO_FORMAT_GRAY8, width, height));
  const ref::Picture in = noise (GST_VIDEO_FORMAT_GRAY8);
  compare (in, filtered (link, in), whole, [] (const ref::Component &from, int x, int y, int, int) {
    int sum = 0;
    for (int j = 0; j < 8; j++)
      for (int i = 0; i < 8; i++)
        sum += at (from, x / 8 * 8 + i, y / 8 * 8 + j);
    return sum / 64 + 1;
  });
}

/* Arrays in local memory in every form that compiles. */
TEST (local_arrays)
{
  Link link (
      element (
          "// @group 8 8\n#define TILE local int tile[8]\n#define SIZE [8]\nkernel void k (COMPONENT_ARGS, local int *sums) {\n"
          "COMPONENT_BEGIN TILE[8]; local int rows SIZE, columns[8], one; local struct { int a, b; } two; __local uchar "
          "bytes[8];\n"
          "const int i = get_local_id (0), j = get_local_id (1); local int *const line = tile[j];\n"
          "line[i] = VAL; rows[j] = j; columns[i] = i; one = 1; two.b = 2; bytes[i] = 3; sums[8 * j + i] = 0;\n"
          "{ local int *const inner = (local int *) &one; barrier (CLK_LOCAL_MEM_FENCE); *inner = 1; }\n"
          "OUT (tile[rows[j]][columns[i]] + one + two.b + bytes[0] + sums[8 * j + i]); }\n"
          "// @group 8 8\nkernel void other (COMPONENT_ARGS) { COMPONENT_BEGIN\n#ifdef MISSING\nlocal int none[4];\n#endif\n"
          "local int some[4]; some[0] = 0; barrier (CLK_LOCAL_MEM_FENCE); OUT (some[0]); }"),
      raw_caps (GST_VIDEO_FORMAT_GRAY8, width, height));
  const ref::Picture in = noise (GST_VIDEO_FORMAT_GRAY8);
  compare (in, filtered (link, in), whole,
      [] (const ref::Component &from, int x, int y, int, int) { return std::min (from.at (x, y) + 6, 255); });
}

/* Earlier inputs and results, and another field of an interlaced frame, which is a separate picture. */
TEST (frames_before, 2)
{
  const bool whole_pixels = __i__;
  Link link (
      element (
          whole_pixels
              ? "// @group 8 8\nkernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (PIXEL (0, 0) + previous_output (1, x, y)); "
                "}"
              : "// @group 8 8\nkernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (VAL + previous_output_sample (1, x, y) "
                "+ (y >= height) + (height != 9 && height != 10 && height != 5)); }",
          "history=1"),
      raw_caps (GST_VIDEO_FORMAT_NV12, width, height, "framerate=30/1,interlace-mode=interleaved"));
  int sum = 0;
  for (int frame = 1; frame < 5; frame++) {
    const ref::Picture in = flat (GST_VIDEO_FORMAT_NV12, width, height, frame);
    sum += frame;
    compare (in, filtered (link, in), whole, [=] (const ref::Component &, int, int, int, int) { return sum; });
  }
}

/* Consecutive frames use the same memory. */
TEST (steady, 2)
{
  static const char *const formats[] = {"RGBA", "I420"};
  static const char queue[] = " ! queue max-size-buffers=3 ! ";
  Pipeline pipeline (std::string ("videotestsrc num-buffers=100 ! video/x-raw,width=67,height=41,format=") + formats[__i__]
                     + queue + element (separable, "name=filter") + queue + "fakesink sync=false");
  pipeline.play_to_end ();
  GstElement *filter = pipeline.element ("filter");
  ck_assert_uint_eq (stat (filter, "frames"), 100);
  test_check (stat (filter, "allocations") <= 12, "%d allocations after the first frame", (int) stat (filter, "allocations"));
}

const std::string line = "videotestsrc num-buffers=2 ! video/x-raw,format=RGBA,width=64,height=48 ! clprogram name=filter ";
const std::string kernel = "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (1.0f); }";
const std::string tile = "{ PIXEL_BEGIN local float4 tile[16][16]; const int i = get_local_id (0), j = get_local_id (1);\n"
                         "tile[j][i] = PIXEL (0, 0); ",
                  back = " OUT_PIXEL (tile[j][15 - i]); }";

const struct {
  std::string source;
  std::vector<std::string> words;
} bad[] = {
    {"kernel void mirror (PIXEL_ARGS) " + tile + "barrier (CLK_LOCAL_MEM_FENCE);" + back,
        {"source:2:", "kernel mirror", "barrier", "// @group 16 16"}},
    {"#define SYNC(flags) barrier (flags)\nvoid wait (void) { SYNC (CLK_LOCAL_MEM_FENCE); }\nkernel void mirror (PIXEL_ARGS) "
            + tile + "wait ();" + back,
        {"source:1:21", "kernel mirror", "barrier", "@group"}},
    {"kernel void mirror (PIXEL_ARGS) " + tile + "work_group_barrier (CLK_LOCAL_MEM_FENCE);" + back,
        {"source:2:", "kernel mirror", "work_group_barrier"}},
    {"// @group 16 16\nkernel void mirror (PIXEL_ARGS) " + tile
            + "for (int n = 0; n < 4; n++) {\nbarrier (1); { if (n == x) return; } }" + back,
        {"source:4:", "kernel mirror", "return", "last barrier"}},
    {"kernel void mirror (PIXEL_ARGS) " + tile + back, {"source:1:", "kernel mirror", "local memory", "@group"}},
    {"// @group 16 16\nkernel void mirror (PIXEL_ARGS) " + tile + "if (x >= width) return; barrier (1);" + back,
        {"source:3:", "kernel mirror", "return", "last barrier"}},
    {"// @group 16\n" + kernel, {"source:1:", "A number is missing", "@group WIDTH HEIGHT"}},
    {"// @group 16 big\n" + kernel, {"source:1:14", "big"}},
    {"\n// @group 16 0\n" + kernel, {"source:2:14", "0", "whole number"}},
    {"// @group 4096 4096\n" + kernel, {"source:1", "kernel k", "4096 x 4096"}},
    {"// @group 8 8\n// @group 8 8\n" + kernel, {"source:2:", "kernel k", "line 1"}},
    {kernel + "\n// @group 8 8", {"source:2:", "no kernel after @group"}},
    {"// @groups 8 8\n" + kernel, {"source:1:4", "@groups", "Write @group"}},
    {"// @Group 8 8\n" + kernel, {"source:1:4", "@Group", "Write @group"}},
    {"// @pass first\n" + kernel, {"source:1:10", "first", "@pass NUMBER"}},
    {"// @pass 1\n" + kernel + "\n// @pass 1\nkernel void l (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (0.0f); }",
        {"source:3:10", "k and l", "pass 1"}},
    {"// @pass 1\n" + kernel + "\n// @pass 2\nkernel void l (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (0); }",
        {"kernel l", "PIXEL_ARGS"}},
    {"// @scratch rows real\n" + kernel, {"source:1:18", "real", "float4"}},
    {"// @scratch rows float 99\n" + kernel, {"source:1:24", "99", "16"}},
    {"// @scratch a float\n// @scratch b float 0.5\n// @pass 1\nkernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_SCRATCH (a, 0); "
     "OUT_SCRATCH (b, 0); }",
        {"source:4:", "kernel k", "b and a"}},
    {"// @table t float 3 1 2\n" + kernel, {"source:1:", "table t", "2 values", "3"}},
    {"// @table t float 2 1 2 3\n" + kernel, {"source:1:", "table t", "more values"}},
    {"// @table t int 1 0.5\n" + kernel, {"source:1:19", "0.5", "int"}},
    {"// @local t 4\n// @group 8 8\n" + kernel, {"source:1", "kernel k", "no argument t"}},
    {"// @group 8 8\nkernel void k (PIXEL_ARGS) { PIXEL_BEGIN local float4 t[4096][4096]; t[y][x] = 0; OUT_PIXEL (t[y][x]); }",
        {"source:1", "kernel k", "bytes of local memory"}},
    {"// @local t 16777216\n// @group 8 8\nkernel void k (PIXEL_ARGS, local float4 *t) { PIXEL_BEGIN t[y] = 0; OUT_PIXEL "
     "(t[y]); }",
        {"source:2", "kernel k", "bytes of local memory"}},
};

/* One error that names line and token, and no other effect. */
TEST (errors, std::size (bad))
{
  Pipeline pipeline (line + "! fakesink");
  g_object_set (pipeline.element ("filter"), "source", bad[__i__].source.c_str (), nullptr);
  const std::vector<Report> reports = pipeline.play_to_error ("filter");
  expect_one_error (reports, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, {});
  expect_words (reports[0].text, bad[__i__].words);
}

/* The word barrier in other uses; functions that only a kernel with a group calls; and an invalid text that is set while
 * another one runs. */
TEST (allowed)
{
  const std::string words =
      "/* barrier (1) */ // a local barrier\nvoid wait (void) { barrier (CLK_LOCAL_MEM_FENCE); }\n"
      "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN if (VAL > 1000) printf (\\\"barrier (1) // {\\\"); OUT (7); }\n"
      "// @group 4 4\nkernel void other (COMPONENT_ARGS) { COMPONENT_BEGIN wait (); OUT (9); return; }";
  Link link (element (words), raw_caps (GST_VIDEO_FORMAT_GRAY8, width, height));
  const ref::Picture in = noise (GST_VIDEO_FORMAT_GRAY8);
  const auto expect = [&] (int value) {
    compare (in, filtered (link, in), whole, [=] (const ref::Component &, int, int, int, int) { return value; });
  };
  expect (7);
  link.set ("clprogram", "source", "// @group 4\n" + kernel);
  expect (7);
  ck_assert_int_eq (count_warnings (link.bus ()), 1);
  fail_unless (link.errors ().empty ());
  Link second (element (words, "kernel=other"), raw_caps (GST_VIDEO_FORMAT_GRAY8, width, height));
  compare (in, filtered (second, in), whole, [] (const ref::Component &, int, int, int, int) { return 9; });
}

/* Pixels of planes that are subsampled by four, or followed by alpha, do not change. */
TEST (whole_planes, 3)
{
  constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_YUV9, GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_A420};
  const GstVideoFormat format = formats[__i__];
  const ref::Picture in = noise (format);
  Link link (
      element ("kernel void f (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (PIXEL (0, 0)); }"), raw_caps (format, width, height));
  compare (in, filtered (link, in), {0, 0, width, height},
      [] (const ref::Component &from, int x, int y, int, int) { return from.at (x, y); });
}

}  // namespace test::program_groups_suite

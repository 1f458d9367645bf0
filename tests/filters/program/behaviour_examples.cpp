/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of pipelines/kernels in clprogram: against references, with neutral settings, and the game of life with known
 * patterns. */
#include "../../elements/inputs.hpp"
#include "paths.h"
#include "reference_examples.hpp"

namespace test::examples_suite {

static Tests tests;

struct Example {
  std::string file, params; /* only fields */
  std::function<ref::Picture (const ref::Sight &)> reference;
  int inputs = 1, history = 0, tolerance = 1;
  ref::Border::Rule border = ref::Border::Replicate;
};

const ref::Values blue{0x20 / 255.0, 0x40 / 255.0, 0xc0 / 255.0, 1}, green{0x10 / 255.0, 0xd0 / 255.0, 0x30 / 255.0, 1},
    paper{0xf4 / 255.0, 0xec / 255.0, 0xd8 / 255.0, 1};

/* The group of tests: "usual", or "more" for the other formats, the smallest frames and neutral settings. */
static std::string group;

static std::string
element_of (const Example &e)
{
  static const char *rules[] = {"replicate", "reflect", "reflect101", "wrap", "constant"};
  /* strings of a structure are quoted within the string of a launch line */
  std::string fields;
  for (const char c : e.params)
    fields += c == '"' ? "\\\"" : std::string (1, c);
  return format ("clprogram location=\"%s/%s.cl\" params=\"params,%s\" history=%d border=%s timeout=100000", EXAMPLE_KERNELS,
      e.file.c_str (), fields.c_str (), e.history, rules[e.border]);
}

static std::vector<InputLine>
inputs_of (const std::string &caps, int count)
{
  std::vector<InputLine> lines;
  for (int i = 0; i < count; i++)
    lines.push_back ({caps, i ? format ("sink_%d", i) : "sink", ""});
  return lines;
}

/* Filters frames of noise with an example, and compares each with the reference for the same input. */
static void
check_example (const Example &e, GstVideoFormat video, int width, int height, int frames = 1)
{
  Random random (width * 31 + video);
  const std::string caps = raw_caps (video, width, height);
  Inputs inputs (element_of (e), inputs_of (caps, e.inputs));
  ref::Picture before_in, before_out;
  for (int t = 0; t < frames; t++) {
    std::vector<ref::Picture> pictures;
    for (int i = 0; i < e.inputs; i++)
      pictures.push_back (make_picture (video, width, height, Content::Noise, random));
    for (int i = 0; i < e.inputs; i++)
      inputs.push (i, pictures[i], t * GST_SECOND / 30, GST_SECOND / 30, storages[t % std::size (storages)]);
    const ref::Picture got = inputs.pull_picture ();

    ref::Sight sight{{}, t ? &before_in : nullptr, t ? &before_out : nullptr, (unsigned) t, {e.border, 0}};
    for (const ref::Picture &picture : pictures)
      sight.inputs.push_back (&picture);
    const ref::Picture expected =
        ref::apply (pictures[0], {}, [&] (const ref::Picture &, const ref::Scene &) { return e.reference (sight); });
    expect_same (got, expected, format ("%s ! %s, frame %d", caps.c_str (), element_of (e).c_str (), t), e.tolerance);
    before_in = pictures[0];
    before_out = got;
  }
}

/* No sample of 8 or 10 bits equals one of the thresholds. */
static std::vector<Example>
examples ()
{
  using namespace ref;
  using S = const ref::Sight &;
  const std::string key = "threshold=0.1,softness=0.3,background=\"#2040c0\"";
  const std::string screen = "screen=\"#10d030\",tolerance=0.2,softness=0.4,background=\"#2040c0\"";
  return {
      {"vignette", "strength=0.8,radius=0.25,colour=\"#2040c0\"", [] (S s) { return vignette (s, 0.8, 0.25, blue); }},
      {"swirl", "angle=130.0,radius=1.2,centre=\"0.4 0.6\"", [] (S s) { return swirl (s, 130, 1.2, 0.4, 0.6); }, 1, 0, 1,
          ref::Border::Reflect},
      {"kuwahara", "radius=3", [] (S s) { return kuwahara (s, 3); }},
      {"tile_blur", "radius=5", [] (S s) { return tile_blur (s, 5); }, 1, 0, 1, ref::Border::Reflect},
      {"separable", "amount=1.5", [] (S s) { return separable (s, 1.5); }, 1, 0, 1, ref::Border::Wrap},
      {"life", "cell=2,threshold=0.503,motion=0.3701,glow=0.9", [] (S s) { return life (s, 2, 0.503, 0.3701, 0.9); }, 1, 1, 1,
          ref::Border::Wrap},
      {"difference_key", key, [] (S s) { return difference_key (s, 0.1, 0.3, blue); }, 2},
      {"difference_key", key, [] (S s) { return difference_key (s, 0.1, 0.3, blue); }, 3},
      {"chroma_key", screen + ",spill=0.7", [] (S s) { return chroma_key (s, green, 0.2, 0.4, 0.7, blue); }},
      {"chroma_key", screen + ",spill=1.0", [] (S s) { return chroma_key (s, green, 0.2, 0.4, 1, blue); }, 2},
      {"pixelate", "size=9,roundness=0.75", [] (S s) { return pixelate (s, 9, 0.75); }},
      {"lens_distortion", "k1=0.3,k2=-0.2,zoom=1.1,fringe=0.02", [] (S s) { return lens_distortion (s, 0.3, -0.2, 1.1, 0.02); },
          1, 0, 1, ref::Border::Constant},
      {"motion_trail", "persistence=0.877", [] (S s) { return motion_trail (s, 0.877); }, 1, 1},
      {"film_grain", "amount=0.1,colour=0.4", [] (S s) { return film_grain (s, 0.1, 0.4); }},
      {"tilt_shift", "focus=0.4,breadth=0.1,blur=5.0,saturation=1.3", [] (S s) { return tilt_shift (s, 0.4, 0.1, 5, 1.3); }},
      {"halftone", "size=5.0,angle=31.0,ink=\"#2040c0\",paper=\"#f4ecd8\"",
          [] (S s) { return halftone (s, 5, 31, blue, paper); }},
      {"false_colour", "palette=0,amount=0.9", [] (S s) { return heat (s, 0.9); }},
      {"ink", "levels=5,line=0.2,ink=0.8", [] (S s) { return ink_drawing (s, 5, 0.2, 0.8); }},
      {"dither", "levels=3", [] (S s) { return dither (s, 3); }, 1, 0, 0},
  };
}

/* RGBA and one other format; the other formats are in "more", because compiling these kernels takes long. */
TEST (references, examples ().size ())
{
  const std::vector<Example> all = examples ();
  const Example &e = all[__i__];
  const int frames = e.history || e.file == "film_grain" ? 5 : 1;
  const bool more = group == "more", even = __i__ % 2 == 0;
  if (!more)
    check_example (e, GST_VIDEO_FORMAT_RGBA, 35, 19, frames);
  /* previous results have full resolution, which is not visible if chroma is subsampled */
  if (even != more)
    check_example (e, e.history ? GST_VIDEO_FORMAT_Y444 : GST_VIDEO_FORMAT_I420, 35, 19, frames);
  else
    check_example (e, even || e.history ? GST_VIDEO_FORMAT_BGR : GST_VIDEO_FORMAT_P010_10LE, 18, 11, frames);
}

/* The smallest frames, and GRAY, where chroma_key has no colours to use. */
TEST (small, group == "more" ? examples ().size () : 0)
{
  const std::vector<Example> all = examples ();
  const Example &e = all[__i__];
  const int frames = e.history ? 3 : 1;
  check_example (e, __i__ % 2 ? GST_VIDEO_FORMAT_RGBA : GST_VIDEO_FORMAT_NV12, 1, 1, frames);
  check_example (e, __i__ % 2 ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_GRAY8, 7, 3, frames);
}

/* Settings that do not change the picture, bit by bit. */
const Example neutral[] = {
    {"vignette", "strength=0.0,radius=0.2,colour=\"#ff0000\""},
    {"swirl", "angle=0.0,radius=1.5,centre=\"0.3 0.3\""},
    {"pixelate", "size=1,roundness=0.0"},
    {"lens_distortion", "k1=0.0,k2=0.0,zoom=1.0,fringe=0.0"},
    {"motion_trail", "persistence=0.0", nullptr, 1, 1},
    {"film_grain", "amount=0.0,colour=1.0"},
    {"tilt_shift", "focus=0.5,breadth=0.0,blur=0.0,saturation=1.0"},
    {"false_colour", "palette=1,amount=0.0"},
};

TEST (neutral_settings, group == "more" ? std::size (neutral) : 0)
{
  Example e = neutral[__i__];
  e.reference = [] (const ref::Sight &sight) { return *sight.inputs[0]; };
  e.tolerance = 0;
  for (const GstVideoFormat video : {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGBA64_LE})
    check_example (e, video, 33, 17, 3);
}

static ref::Picture
flat_rgba (int width, int height, int r, int g, int b)
{
  ref::Picture picture = flat (GST_VIDEO_FORMAT_RGBA, width, height, 255);
  for (const auto &[name, value] : {std::pair{'r', r}, {'g', g}, {'b', b}})
    for (ref::Component &c : picture.components)
      if (c.name == name)
        std::fill (c.value.begin (), c.value.end (), value);
  return picture;
}

/* A scene that equals the plate is background everywhere; a very different scene is kept everywhere. */
TEST (keys, group == "usual")
{
  const Example e{"difference_key", "threshold=0.05,softness=0.05,background=\"#2040c0\"", nullptr, 2};
  const ref::Picture scene = random_picture (GST_VIDEO_FORMAT_RGBA, 20, 9, 7);
  Inputs inputs (element_of (e) + " planes=15", inputs_of (raw_caps (GST_VIDEO_FORMAT_RGBA, 20, 9), 2));
  inputs.push (0, scene);
  inputs.push (1, scene);
  expect_same (inputs.pull_picture (), flat_rgba (20, 9, 0x20, 0x40, 0xc0), "scene and plate are equal");
  const ref::Picture white = flat_rgba (20, 9, 255, 255, 255);
  inputs.push (0, white, GST_SECOND / 30);
  inputs.push (1, flat_rgba (20, 9, 10, 20, 30), GST_SECOND / 30);
  expect_same (inputs.pull_picture (), white, "scene far from the plate");
}

/* The screen is removed in any light, grey stays grey, and a green tinge is removed. */
TEST (green_screen, group == "usual")
{
  const Example e{"chroma_key", "screen=\"#10d030\",tolerance=0.1,softness=0.1,spill=1.0,background=\"#2040c0\""};
  const InputLine line{raw_caps (GST_VIDEO_FORMAT_RGBA, 8, 8), "sink", ""};
  Inputs inputs (element_of (e), {line});
  auto keyed = [&, t = 0] (int r, int g, int b) mutable {
    inputs.push (0, flat_rgba (8, 8, r, g, b), t++ * GST_SECOND / 30);
    return inputs.pull_picture ();
  };
  expect_same (keyed (0x10, 0xd0, 0x30), flat_rgba (8, 8, 0x20, 0x40, 0xc0), "screen");
  expect_same (keyed (0x20, 0xe0, 0x40), flat_rgba (8, 8, 0x20, 0x40, 0xc0), "bright screen");
  expect_same (keyed (90, 90, 90), flat_rgba (8, 8, 90, 90, 90), "grey", 1);
  const ref::Picture skin = keyed (180, 150, 120), tinged = keyed (150, 190, 150);
  ck_assert_int_gt (skin.find ('r')->at (4, 4), skin.find ('b')->at (4, 4) + 20);
  ck_assert_int_le (tinged.find ('g')->at (4, 4), tinged.find ('r')->at (4, 4) + 12);
}

TEST (zones, group == "usual")
{
  const Example e{"false_colour", "palette=1,amount=1.0"};
  const InputLine line{raw_caps (GST_VIDEO_FORMAT_RGBA, 4, 4), "sink", ""};
  Inputs inputs (element_of (e), {line});
  const struct {
    int grey, r, g, b;
  } expected[] = {{0, 115, 26, 153}, {15, 26, 64, 217}, {60, 60, 60, 60}, {105, 51, 178, 64}, {140, 242, 153, 178},
      {200, 200, 200, 200}, {240, 242, 230, 64}, {255, 230, 26, 26}};
  int t = 0;
  for (const auto &[grey, r, g, b] : expected) {
    inputs.push (0, flat_rgba (4, 4, grey, grey, grey), t++ * GST_SECOND / 30);
    expect_same (inputs.pull_picture (), flat_rgba (4, 4, r, g, b), format ("grey %d", grey), 1);
  }
}

/* Grain has the requested deviation, and differs between frames. */
TEST (grain, group == "usual")
{
  const Example e{"film_grain", "amount=0.1,colour=1.0"};
  const InputLine line{raw_caps (GST_VIDEO_FORMAT_GRAY8, 160, 120), "sink", ""};
  Inputs inputs (element_of (e), {line});
  std::vector<int> first;
  for (int t = 0; t < 2; t++) {
    inputs.push (0, flat (GST_VIDEO_FORMAT_GRAY8, 160, 120, 128), t * GST_SECOND / 30);
    const ref::Picture got = inputs.pull_picture ();
    const std::vector<int> &values = got.components[0].value;
    double sum = 0, squares = 0;
    for (const int v : values) {
      sum += v - 128;
      squares += (v - 128) * (v - 128);
    }
    const double mean = sum / values.size (), deviation = std::sqrt (squares / values.size ());
    test_check (std::abs (mean) < 0.5, "the mean is off by %g", mean);
    /* three independent grains, with the weights of the intensity */
    const double expected = 25.5 * std::sqrt (0.3 * 0.3 + 0.59 * 0.59 + 0.11 * 0.11);
    test_check (std::abs (deviation - expected) < 0.6, "the deviation is %g, expected %g", deviation, expected);
    test_check (values != first, "both frames have the same grain");
    first = values;
  }
}

using Cells = std::vector<std::string>;

static ref::Picture
drawn (GstVideoFormat video, const Cells &cells, int side)
{
  ref::Picture picture = flat (video, (int) cells[0].size () * side, (int) cells.size () * side, 0);
  for (ref::Component &c : picture.components)
    for (const auto [x, y] : ref::Places{c.width, c.height})
      c.at (x, y) = c.name == 'u' || c.name == 'v'                         ? 128
                    : c.name == 'a'                                        ? 255
                    : cells[y * c.sub_y / side][x * c.sub_x / side] == '#' ? 255
                                                                           : 16;
  return picture;
}

static Cells
cells_in (const ref::Picture &picture, int side)
{
  Cells cells;
  for (int y = 0; y < picture.height; y += side) {
    cells.emplace_back ();
    for (int x = 0; x < picture.width; x += side)
      cells.back () += picture.components[0].at (x, y) > 127 ? '#' : '.';
  }
  return cells;
}

/* The rules, cell by cell, on a torus. */
static Cells
next (const Cells &cells)
{
  const int height = (int) cells.size (), width = (int) cells[0].size ();
  Cells after = cells;
  for (const auto [x, y] : ref::Places{width, height}) {
    int n = 0;
    for (int j = height - 1; j <= height + 1; j++)
      for (int i = width - 1; i <= width + 1; i++)
        n += (i != width || j != height) && cells[(y + j) % height][(x + i) % width] == '#';
    after[y][x] = n == 3 || (n == 2 && cells[y][x] == '#') ? '#' : '.';
  }
  return after;
}

static void
check_life (GstVideoFormat video, Cells cells, int side, int generations)
{
  const Example e{"life", format ("cell=%d,threshold=0.5,motion=1.0,glow=0.8", side), nullptr, 1, 1, 1, ref::Border::Wrap};
  const ref::Picture seed = drawn (video, cells, side);
  const ref::Picture later = drawn (video, Cells (cells.size (), std::string (cells[0].size (), '.')), side);
  Inputs inputs (element_of (e), {{raw_caps (video, seed.width, seed.height), "sink", ""}});
  for (int t = 0; t < generations; t++) {
    inputs.push (0, t ? later : seed, t * GST_SECOND / 30);
    const Cells got = cells_in (inputs.pull_picture (), side);
    for (size_t y = 0; y < cells.size (); y++)
      test_check (got[y] == cells[y], "%s, cells of %d, generation %d, row %d: %s, expected %s",
          gst_video_format_to_string (video), side, t, (int) y, got[y].c_str (), cells[y].c_str ());
    cells = next (cells);
  }
}

const Cells blinker = {".....", "..#..", "..#..", "..#..", "....."};
const Cells glider = {".#.......", "..#......", "###......", ".........", ".........", ".........", "........."};

TEST (game_of_life, group == "usual" ? 3 : 0)
{
  const GstVideoFormat video[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_GRAY8};
  check_life (video[__i__], blinker, 1, 6);
  check_life (video[__i__], blinker, 4, 4);
  check_life (video[__i__], glider, 1, 40);
  check_life (video[__i__], glider, 3, 12);
}

const Program main_program ("examples", "usual|more", [] (const Arguments &arguments) -> int {
  if (arguments.size () != 1 || (arguments[0] != "usual" && arguments[0] != "more"))
    throw BadArguments ();
  group = arguments[0];
  return run (("examples-" + group).c_str (), Needs::Device, tests);
});

}  // namespace test::examples_suite

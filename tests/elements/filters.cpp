/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every sample of an element's result against its reference: formats, sizes, memory layouts, borders, planes, mix, regions,
 * fields, memory on either side, random settings. Called as: filters ELEMENT GROUP. A few frame sizes, and one set of settings
 * per format, serve most groups, because a CPU driver compiles a kernel again for each local size. GST_CL_TEST_FORMAT=I420_10LE
 * tests only that format. */
#include "filtercase.hpp"
#include "gl.hpp"

#include <span>

namespace test::filters_suite {

static std::string element, group;
static Tests tests;
static const std::pair<int, int> sizes[] = {{1, 1}, {1, 7}, {9, 1}, {5, 3}, {33, 17}, {67, 41}};

static bool
is_forced ()
{
  const char *backend = g_getenv ("GST_CL_BACKEND");
  return (backend && *backend && !g_str_equal (backend, "cpu")) || g_strcmp0 (expected_gl_path (), "gl-shared") == 0;
}

static bool
is_set (const char *variable)
{
  const char *value = g_getenv (variable);
  return value && *value;
}

using Sizes = std::vector<std::pair<int, int>>;

/* If buffers end beside an inaccessible page, a row's padding hides reads beyond the last sample, so these sizes are also
 * tested with rows without padding. */
static Sizes
fenced (Sizes some)
{
  constexpr int multiple = 16; /* for planes of a quarter of the width */
  if (!is_set ("CL_CENSUS_GUARD"))
    return some;
  Sizes both = some;
  for (const auto &[width, height] : some)
    both.emplace_back ((width + multiple - 1) / multiple * multiple, height);
  return both;
}

/* Building programs takes most of the time, and the gpu back end's programs are the longest: a forced back end gets fewer cases
 * of every test, and GST_CL_TEST_BRIEF also omits some common properties, which other elements test, unless takes_all (). */
static bool
is_brief ()
{
  return is_set ("GST_CL_TEST_BRIEF") && !takes_all ();
}

static int
in_group (const char *name, int loops)
{
  return group == "all" || group == name ? loops : 0;
}

/* Brief elements divide the tests of common properties among them: each takes every third. */
static int
in_turn (int test, int loops)
{
  return is_brief () && (g_str_hash (element.c_str ()) + unsigned (test)) % 3 ? 0 : loops;
}

static bool
is_thorough ()
{
  return takes_all () || (!is_brief () && !is_forced ());
}

/* Formats to test: all, or those that GL memory can hold; and one of each kind: gray, packed, planar and semi-planar, 8, 10 and
 * 16 bits. */
static std::vector<GstVideoFormat> all_formats, kinds;

static void
choose_formats ()
{
  const bool gl = expected_gl_path ();
  all_formats.clear ();
  kinds = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, gl ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_RGB,
      GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_P010_10LE};
  if (!gl)
    kinds.push_back (GST_VIDEO_FORMAT_RGBA64_LE);
  if (is_thorough ()) {
    const size_t n = element == "clmedian" ? ref::layouts ().size () : size_t (ref::tried_layouts ());
    for (const ref::Layout &layout : std::span (ref::layouts ()).first (n))
      all_formats.push_back (layout.format);
  } else {
    all_formats = kinds;
    if (!is_brief ())
      all_formats.insert (all_formats.end (), {GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_Y444_10LE});
    if (element == "clbilateral") /* chroma uses blocks of luma */
      all_formats.push_back (GST_VIDEO_FORMAT_Y41B);
  }
  if (is_brief ())
    kinds = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV21, gl ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_RGB,
        GST_VIDEO_FORMAT_P010_10LE};
  const auto is_out = [gl] (GstVideoFormat format) { return gl && !fits_texture (format); };
  std::erase_if (all_formats, is_out);
  std::erase_if (kinds, is_out);
  if (is_set ("GST_CL_TEST_FORMAT"))
    all_formats = kinds = {gst_video_format_from_string (g_getenv ("GST_CL_TEST_FORMAT"))};
}

/* Whether the element reads neighbours, and so has borders. */
static bool looks_around;

static bool
has_borders ()
{
  g_autoptr (GstElement) made = gst_element_factory_make (element.c_str (), nullptr);
  g_assert (made); /* not inside a test */
  return g_object_class_find_property (G_OBJECT_GET_CLASS (made), "border");
}

/* The formats of tests that would take too long with one of each kind: three, or one. */
static std::vector<GstVideoFormat>
few_kinds (bool one = is_brief ())
{
  if (is_thorough ())
    return kinds;
  if (one)
    return {GST_VIDEO_FORMAT_NV21};
  return {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_P010_10LE};
}

/* The settings depend only on the format, unless any window will do: then there are a few sets of settings, so that formats
 * share programs, or only one for each sample size. */
static Case
make_case (GstVideoFormat format, std::pair<int, int> size, Windows windows, unsigned number, Random &random)
{
  Random of_format (is_thorough () ? (unsigned) format % 4 : (unsigned) ref::layout_of (format).bytes);
  Case c = case_of (element, format, whole_width (format, size.first), size.second,
      Element::named (element).make (windows, windows == Windows::Any ? random : of_format));
  c.number = number;
  c.frames = {{random.pick (contents), random.pick (storages)}, {Content::Noise, random.pick (storages)}};
  return c;
}

static ref::Border
make_border (int rule, Random &random)
{
  ref::Border border;
  if (!looks_around)
    return border;
  border.rule = (ref::Border::Rule) rule;
  if (border.rule == ref::Border::Constant)
    border.value = random.steps (0, 1, 15);
  return border;
}

/* A rectangle that overlaps the frame, often at odd positions and sometimes beyond its edge. */
static ref::Rectangle
make_rectangle (const Case &c, Random &random)
{
  const int x = random.between (0, c.width - 1), y = random.between (0, c.height - 1);
  return {x, y, random.between (0, c.width - x + 3), random.between (0, c.height - y + 3)};
}

TEST (formats, in_group ("formats", all_formats.size ()))
{
  const GstVideoFormat format = all_formats[__i__];
  unsigned number = 1000 + __i__ * 10;
  for (const auto &size : fenced (is_thorough () ? Sizes{sizes[0], sizes[3], sizes[4], sizes[5]} : Sizes{sizes[5]})) {
    Random random (number);
    check (make_case (format, size, Windows::Common, number++, random));
  }
}

TEST (larger, in_group ("sizes", kinds.size ()))
{
  Random random (2000 + __i__);
  check (make_case (kinds[__i__], {200, 100}, Windows::Common, 2000 + __i__, random));
}

TEST (size_720p, in_group ("sizes", in_turn (0, 1)))
{
  Random random (2100);
  Case c = make_case (GST_VIDEO_FORMAT_NV12, {1280, 720}, Windows::Common, 2100, random);
  c.frames = {{Content::Noise, Storage::Tight}};
  check (c);
}

TEST (storage, in_group ("sizes", kinds.size ()))
{
  unsigned number = 3000 + __i__ * 10;
  for (const Storage kind : storages) {
    Random random (number);
    Case c = make_case (kinds[__i__], {33, 17}, Windows::Common, number++, random);
    c.frames = {{Content::Noise, kind}, {Content::Natural, Storage::Tight}, {Content::Noise, kind}};
    check (c);
  }
}

/* Every rule, with windows that extend beyond the frame, and with windows several times its size. */
TEST (borders, in_group ("borders", looks_around ? 5 * few_kinds ().size () : 0))
{
  const GstVideoFormat format = few_kinds ()[__i__ / 5];
  const bool huge = __i__ / 5 % 3 == (is_thorough () ? 1 : 0); /* RGBA, I420, RGBA64 */
  unsigned number = 4000 + __i__ * 10;
  const Sizes some = is_thorough () ? Sizes (sizes, sizes + 5) : Sizes{sizes[0], sizes[4]};
  for (const auto &size : fenced (some)) {
    Random random (number);
    const bool inside = size.second == sizes[4].second || !huge;
    Case c = make_case (format, size, inside ? Windows::Common : Windows::Huge, number++, random);
    c.common.border = make_border (__i__ % 5, random);
    check (c);
  }
}

TEST (planes, in_group ("common", in_turn (1, is_brief () ? 2 : 6)))
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_ARGB,
      GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_GRAY8};
  for (unsigned mask = 0; mask < 16; mask++) {
    const unsigned number = 5000 + __i__ * 16 + mask;
    Random random (number);
    Case c = make_case (formats[__i__], sizes[4], Windows::Common, number, random);
    c.common.planes = mask;
    check (c);
  }
}

TEST (mix, in_group ("common", in_turn (2, kinds.size ())))
{
  unsigned number = 6000 + __i__ * 10;
  for (const double share : {0.0, 0.25, 0.3, 63 / 64.0}) {
    Random random (number);
    Case c = make_case (kinds[__i__], sizes[4], Windows::Common, number++, random);
    c.common.mix = share;
    check (c);
  }
}

/* Rows long enough for several work-groups, and not a multiple of their width. */
TEST (mix_wide, in_group ("common", in_turn (2, is_thorough () ? 3 : 1)))
{
  static constexpr int widths[] = {720, 1280, 1999};
  Random random (6900 + __i__);
  Case c = make_case (GST_VIDEO_FORMAT_RGBA, {widths[__i__], 5}, Windows::Common, 6900 + __i__, random);
  c.common.mix = 0.5;
  check (c);
}

TEST (roi, in_group ("common", in_turn (0, kinds.size ())))
{
  unsigned number = 7000 + __i__ * 10;
  for (int i = 0; i < 5; i++) {
    Random random (number);
    const bool small = i == 0 && is_thorough ();
    Case c = make_case (kinds[__i__], small ? sizes[3] : sizes[4], Windows::Common, number++, random);
    c.common.whole_frame = false;
    c.common.roi = {make_rectangle (c, random)};
    c.common.interlaced = i == 1 || i == 4;
    if (i > 2) {
      c.common.planes = 5;
      c.common.mix = 0.5;
    }
    check (c);
  }
}

/* Two rectangles from metas; without metas, nothing is filtered. */
TEST (roi_meta, in_group ("common", in_turn (1, kinds.size ())))
{
  unsigned number = 7500 + __i__ * 10;
  for (const int count : {0, 1, 2}) {
    Random random (number);
    Case c = make_case (kinds[__i__], sizes[4], Windows::Common, number++, random);
    c.by_meta = true;
    c.common.whole_frame = false;
    if (count > 0)
      c.roi_metas.push_back ({3, 2, 9, 8});
    if (count > 1)
      c.roi_metas.push_back ({17, 11, 7, 6});
    c.common.roi = c.roi_metas;
    check (c);
  }
}

TEST (interlaced, in_group ("common", kinds.size ()))
{
  unsigned number = 8000 + __i__ * 10;
  /* the last one: in 4:2:0, one luma row's chroma belongs to the other field */
  const Sizes all{sizes[4], sizes[3], sizes[1], sizes[0], {33, 18}};
  for (const auto &size : is_thorough () ? all : Sizes{all.back ()}) {
    Random random (number);
    Case c = make_case (kinds[__i__], size, Windows::Common, number++, random);
    c.common.interlaced = true;
    c.common.border = make_border (random.between (0, 4), random);
    check (c);
  }
}

TEST (memory_paths, in_group ("paths", few_kinds (true).size ()))
{
  unsigned number = 9000 + __i__ * 10;
  const GstVideoFormat format = few_kinds (true)[__i__];
  for (const Path path : paths_of (format)) {
    Random random (number);
    Case c = make_case (format, sizes[4], Windows::Common, number++, random);
    c.chosen_path = path;
    c.frames.push_back ({Content::Natural, Storage::Odd});
    if (random.chance (50)) {
      c.common.whole_frame = false;
      c.common.roi = {make_rectangle (c, random)};
    }
    check (c);
  }
}

/* Decimal fractions, and a share that no float holds: the same bytes in any memory. */
TEST (same_on_every_path, in_group ("paths", few_kinds (true).size ()))
{
  const GstVideoFormat format = few_kinds (true)[__i__];
  std::vector<Path> all = paths_of (format);
  all.insert (all.begin (), {Memory::System, Memory::System});
  std::vector<ref::Picture> results;
  for (const Path path : all) {
    Random random (21000 + __i__);
    Case c = make_case (format, sizes[4], Windows::Common, 21000 + __i__, random);
    c.common.mix = 0.3;
    c.chosen_path = path;
    Link link = open (c);
    const ref::Picture in = make_picture (format, c.width, c.height, Content::Noise, random);
    results.push_back (filtered (c, link, in));
    expect_same (results.back (), results[0], launch_of (c) + " by " + name_of (path));
  }
}

TEST (anything, in_group ("random", takes_all () ? 24 : is_thorough () ? 12 : is_brief () ? 4 : 8))
{
  Random random (10000 + __i__);
  const GstVideoFormat format = random.pick (all_formats);
  Case c = make_case (format, random.pick (sizes), Windows::Any, 10000 + __i__, random);
  c.chosen_path = random.pick (paths_of (format));
  c.common.border = make_border (random.between (0, 4), random);
  if (random.chance (25))
    c.common.planes = random.between (1, 15);
  if (random.chance (25))
    c.common.mix = random.steps (0, 1, 64);
  if (random.chance (25)) {
    c.common.whole_frame = false;
    c.common.roi = {make_rectangle (c, random)};
  }
  if (random.chance (20))
    c.common.interlaced = true;
  check (c);
}

/* A format of more than 8 bits: all 16, or, for every other pair of settings, fewer than a stored sample has (ref::bounded). */
static GstVideoFormat
wide_format (int number)
{
  if (is_set ("GST_CL_TEST_FORMAT"))
    return all_formats[0];
  const bool gl = expected_gl_path ();
  if (number % 4 > 1 && !gl)
    return GST_VIDEO_FORMAT_Y444_10LE;
  return number % 2 ? GST_VIDEO_FORMAT_GRAY16_LE : gl ? GST_VIDEO_FORMAT_P010_10LE : GST_VIDEO_FORMAT_RGBA64_LE;
}

/* Important settings, at 8 and 16 bits, which a quick run alternates. On the gpu back end it takes a third of the settings with
 * buffers and another third with images, because CPU drivers are slow there. Some cases have a region at odd positions, and
 * each has another border rule, because most elements have no other group of these. */
TEST (special, in_group ("special", Element::named (element).special ().size ()))
{
  const Settings settings = Element::named (element).special ()[__i__];
  unsigned number = 20000 + __i__ * 10;
  if (!is_thorough () && is_forced () && __i__ % 3 != (expected_gl_path () ? 2 : 0))
    return;
  for (const GstVideoFormat format : {__i__ % 2 ? GST_VIDEO_FORMAT_RGBA : GST_VIDEO_FORMAT_NV12, wide_format (__i__)}) {
    if (!is_thorough () && (ref::layout_of (format).bytes == 2) != (__i__ / 2 % 2))
      continue;
    Case c = case_of (element, expected_gl_path () ? format : settings.format.value_or (format), settings.heavy ? 33 : 67,
        settings.heavy ? 17 : 41, settings);
    c.number = number++;
    c.frames = {{Content::Noise, Storage::Tight}};
    if (!settings.heavy)
      c.frames.push_back ({Content::Natural, Storage::Padded});
    if (is_forced ()) {
      Random random (number);
      c.common.border = make_border (__i__ % 5, random);
    }
    check (c);
    if (!is_forced () || !(is_thorough () || (is_brief () && (format == GST_VIDEO_FORMAT_NV12 || __i__ % 9 == 1))))
      continue;
    c.frames.resize (1);
    c.common.whole_frame = false;
    c.common.roi = {{7, 3, 23, 11}};
    check (c);
  }
}

static const Program main_program (
    "filters", "ELEMENT formats|sizes|borders|common|paths|random|special|all", [] (const Arguments &arguments) -> int {
      if (arguments.size () != 2)
        throw BadArguments ();
      element = arguments[0];
      group = arguments[1];
      return run ((element + "-" + group).c_str (), Needs::DeviceOrGL, [] (Suite *suite) {
        choose_formats ();
        looks_around = has_borders ();
        tests (suite);
      });
    });
}  // namespace test::filters_suite

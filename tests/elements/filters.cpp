/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every sample of an element's result against its reference: formats, sizes, memory layouts, borders, planes, mix,
 * regions, fields, memory on either side, random settings. Called as: filters ELEMENT GROUP. A few frame sizes, and one
 * set of settings per format, serve most groups, because a CPU driver compiles a kernel again for each local size. */
#include "filtercase.hpp"
#include "link.hpp"

using namespace test;

static std::string element;

static const std::pair<int, int> sizes[] = {{1, 1}, {1, 7}, {9, 1}, {5, 3}, {33, 17}, {67, 41}};

/* One of each kind: gray, packed, planar and semi-planar, 8, 10 and 16 bits. */
static const GstVideoFormat kinds[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_xBGR,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_RGBA64_LE};
static const int kind_count = G_N_ELEMENTS (kinds);

/* Building programs takes most of the time, and the gpu back end's are the longest: a forced one gets every test, but
 * fewer cases of it, unless GST_CL_TEST_FULL asks for all. */
static bool
is_thorough ()
{
  const char *full = g_getenv ("GST_CL_TEST_FULL");
  return (full && *full) || g_strcmp0 (g_getenv ("GST_CL_BACKEND"), "gpu") != 0;
}

/* The settings follow from the format alone, unless any window will do: a few sets of them, so that formats share
 * programs. */
static Case
make_case (GstVideoFormat format, std::pair<int, int> size, Windows windows, unsigned number, Random &random)
{
  Random of_format ((unsigned) format % 4);
  Case c;
  c.element = element;
  c.settings = make_settings (element, windows, windows == Windows::Any ? random : of_format);
  c.format = format;
  c.width = size.first;
  c.height = size.second;
  c.number = number;
  c.frames = {{random.pick (contents), random.pick (storages)}, {Content::Noise, random.pick (storages)}};
  return c;
}

static ref::Border
make_border (int rule, Random &random)
{
  ref::Border border;
  border.rule = (ref::Border::Rule) rule;
  if (border.rule == ref::Border::Constant)
    border.value = random.steps (0, 1, 15);
  return border;
}

/* A rectangle that touches the frame, often at odd positions and sometimes beyond its edge. */
static ref::Rectangle
make_rectangle (const Case &c, Random &random)
{
  const int x = random.between (0, c.width - 1), y = random.between (0, c.height - 1);
  return {x, y, random.between (0, c.width - x + 3), random.between (0, c.height - y + 3)};
}

GST_START_TEST (formats)
{
  const GstVideoFormat format = ref::layouts ()[__i__].format;
  unsigned number = 1000 + __i__ * 10;
  for (const auto &size : {sizes[0], sizes[3], sizes[4], sizes[5]}) {
    if (!is_thorough () && size != sizes[5])
      continue;
    Random random (number);
    check (make_case (format, size, Windows::Common, number++, random));
  }
}

GST_END_TEST;

GST_START_TEST (larger)
{
  Random random (2000 + __i__);
  check (make_case (kinds[__i__], {200, 100}, Windows::Common, 2000 + __i__, random));
}

GST_END_TEST;

GST_START_TEST (size_720p)
{
  Random random (2100);
  Case c = make_case (GST_VIDEO_FORMAT_NV12, {1280, 720}, Windows::Common, 2100, random);
  c.frames = {{Content::Noise, Storage::Tight}};
  check (c);
}

GST_END_TEST;

GST_START_TEST (storage)
{
  unsigned number = 3000 + __i__ * 10;
  for (const Storage kind : storages) {
    Random random (number);
    Case c = make_case (kinds[__i__], {33, 17}, Windows::Common, number++, random);
    c.frames = {{Content::Noise, kind}, {Content::Natural, Storage::Tight}, {Content::Noise, kind}};
    check (c);
  }
}

GST_END_TEST;

/* Every rule, with windows that reach out of the frame and with windows that are several times its size. */
GST_START_TEST (borders)
{
  const GstVideoFormat format = kinds[__i__ / 5];
  const bool huge = __i__ / 5 % 3 == 1; /* RGBA, I420, RGBA64 */
  unsigned number = 4000 + __i__ * 10;
  for (const auto &size : {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]}) {
    if (!is_thorough () && size != sizes[0] && size != sizes[4])
      continue;
    Random random (number);
    const bool inside = size == sizes[4] || !huge;
    Case c = make_case (format, size, inside ? Windows::Common : Windows::Huge, number++, random);
    c.common.border = make_border (__i__ % 5, random);
    check (c);
  }
}

GST_END_TEST;

GST_START_TEST (planes)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_BGRx,
      GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_GRAY8};
  for (unsigned mask = 0; mask < 16; mask++) {
    const unsigned number = 5000 + __i__ * 16 + mask;
    Random random (number);
    Case c = make_case (formats[__i__], sizes[4], Windows::Common, number, random);
    c.common.planes = mask;
    check (c);
  }
}

GST_END_TEST;

GST_START_TEST (mix)
{
  unsigned number = 6000 + __i__ * 10;
  for (const double share : {0.0, 0.25, 0.3, 63 / 64.0}) {
    Random random (number);
    Case c = make_case (kinds[__i__], sizes[4], Windows::Common, number++, random);
    c.common.mix = share;
    check (c);
  }
}

GST_END_TEST;

/* Rows long enough for several work-groups, which do not divide them. */
GST_START_TEST (mix_wide)
{
  static constexpr int widths[] = {720, 1280, 1999};
  Random random (6900 + __i__);
  Case c = make_case (GST_VIDEO_FORMAT_RGBA, {widths[__i__], 5}, Windows::Common, 6900 + __i__, random);
  c.common.mix = 0.5;
  check (c);
}

GST_END_TEST;

GST_START_TEST (roi)
{
  unsigned number = 7000 + __i__ * 10;
  for (int i = 0; i < 5; i++) {
    Random random (number);
    Case c = make_case (kinds[__i__], i ? sizes[4] : sizes[3], Windows::Common, number++, random);
    c.common.whole_frame = false;
    c.common.roi = {make_rectangle (c, random)};
    if (i > 2) {
      c.common.planes = 5;
      c.common.mix = 0.5;
    }
    check (c);
  }
}

GST_END_TEST;

/* Two rectangles from metas; with none, nothing is filtered. */
GST_START_TEST (roi_meta)
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

GST_END_TEST;

GST_START_TEST (interlaced)
{
  unsigned number = 8000 + __i__ * 10;
  for (const auto &size : {sizes[4], sizes[3], sizes[1], sizes[0], std::make_pair (33, 18)}) {
    Random random (number);
    Case c = make_case (kinds[__i__], size, Windows::Common, number++, random);
    c.common.interlaced = true;
    c.common.border = make_border (random.between (0, 4), random);
    check (c);
  }
}

GST_END_TEST;

GST_START_TEST (memory_paths)
{
  unsigned number = 9000 + __i__ * 10;
  for (const Path path : paths) {
    Random random (number);
    Case c = make_case (kinds[__i__], sizes[4], Windows::Common, number++, random);
    c.path = path;
    c.frames.push_back ({Content::Natural, Storage::Odd});
    if (random.chance (50)) {
      c.common.whole_frame = false;
      c.common.roi = {make_rectangle (c, random)};
    }
    check (c);
  }
}

GST_END_TEST;

/* Decimals, and a share that no float holds: the same bytes wherever the frame is. */
GST_START_TEST (same_on_every_path)
{
  const GstVideoFormat format = kinds[__i__];
  std::vector<ref::Picture> results;
  for (const Path path : paths) {
    Random random (21000 + __i__);
    Case c = make_case (format, sizes[4], Windows::Common, 21000 + __i__, random);
    c.common.mix = 0.3;
    c.path = path;
    Link link (launch_of (c), caps_of (c));
    GstCaps *caps = gst_caps_from_string (caps_of (c).c_str ());
    const ref::Picture in = make_picture (format, c.width, c.height, Content::Noise, random);
    GstBuffer *result = link.filter (make_buffer (c, in, Storage::Tight));
    results.push_back (from_buffer (result, caps));
    gst_buffer_unref (result);
    gst_caps_unref (caps);
    for (size_t i = 0; i < in.components.size (); i++)
      test_check (results.back ().components[i].value == results[0].components[i].value,
          "%s: component %c differs between %s and %s", launch_of (c).c_str (), in.components[i].name, name_of (path),
          name_of (Path::System));
  }
}

GST_END_TEST;

GST_START_TEST (anything)
{
  Random random (10000 + __i__);
  const GstVideoFormat format = random.pick (ref::layouts ()).format;
  Case c = make_case (format, random.pick (sizes), Windows::Any, 10000 + __i__, random);
  c.path = random.pick (paths);
  c.common.border = make_border (random.between (0, 4), random);
  if (random.chance (25))
    c.common.planes = random.between (1, 15);
  if (random.chance (25))
    c.common.mix = random.steps (0, 1, 64);
  if (random.chance (25)) {
    c.common.whole_frame = false;
    c.common.roi = {make_rectangle (c, random)};
  } else if (random.chance (20)) {
    c.common.interlaced = true;
  }
  check (c);
}

GST_END_TEST;

/* Settings that matter, on 8 and on 16 bits; on the gpu back end in turn, because a CPU driver is slow with it. */
GST_START_TEST (special)
{
  const Settings settings = special_settings (element)[__i__];
  unsigned number = 20000 + __i__ * 10;
  for (const GstVideoFormat format : {__i__ % 2 ? GST_VIDEO_FORMAT_RGBA : GST_VIDEO_FORMAT_NV12,
           __i__ % 2 ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_RGBA64_LE}) {
    if (g_strcmp0 (g_getenv ("GST_CL_BACKEND"), "gpu") == 0 && (ref::layout_of (format).bytes == 2) != (__i__ / 2 % 2))
      continue;
    Case c;
    c.element = element;
    c.settings = settings;
    c.format = format;
    c.width = settings.heavy ? 33 : 67;
    c.height = settings.heavy ? 17 : 41;
    c.number = number++;
    c.frames = {{Content::Noise, Storage::Tight}};
    if (!settings.heavy)
      c.frames.push_back ({Content::Natural, Storage::Padded});
    check (c);
  }
}

GST_END_TEST;

static void
fill (Suite *suite, const std::string &wanted)
{
  const struct {
    const char *group, *name;
    TFun test;
    int loops;
  } tests[] = {
      {"formats", "formats", formats, (int) ref::layouts ().size ()},
      {"sizes", "larger", larger, kind_count},
      {"sizes", "size_720p", size_720p, 1},
      {"sizes", "storage", storage, kind_count},
      {"borders", "borders", borders, 5 * kind_count},
      {"common", "planes", planes, 6},
      {"common", "mix", mix, kind_count},
      {"common", "mix_wide", mix_wide, 3},
      {"common", "roi", roi, kind_count},
      {"common", "roi_meta", roi_meta, kind_count},
      {"common", "interlaced", interlaced, kind_count},
      {"paths", "memory_paths", memory_paths, kind_count},
      {"paths", "same_on_every_path", same_on_every_path, kind_count},
      {"random", "anything", anything, 24},
      {"special", "special", special, (int) special_settings (element).size ()},
  };
  for (const auto &each : tests)
    if (wanted == "all" || wanted == each.group)
      add_loop (add_group (suite, each.name), each.name, each.test, each.loops);
}

int
main (int argc, char **argv)
{
  if (argc != 3) {
    g_printerr ("usage: %s ELEMENT formats|sizes|borders|common|paths|random|special|all\n", argv[0]);
    return 2;
  }
  element = argv[1];
  const std::string group = argv[2];
  const std::string name = element + "-" + group;
  return run (name.c_str (), Needs::Device, [&] (Suite *suite) { fill (suite, group); });
}

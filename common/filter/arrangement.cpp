/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/arrangement.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Rows of one work item on the cpu back end. */
constexpr int rows_at_once = 8;

/* Four samples of ten bits. */
constexpr int bytes_of_four = 5;

constexpr int byte_bits = 8;

WorkSize
size_for (const Runner &runner, int columns, int rows)
{
  return runner.size_for (columns, rows, {64, 4}, rows_at_once);
}

/* A macro VALUE_i of kernels/lib/words.cl: the plane, the sample's index among the group's samples of that plane, the word, the
 * lowest bit, and the number of bits. */
constexpr cl_uint
value (int plane, int sample, int word, int bit, int bits)
{
  return cl_uint (plane | sample << 4 | word << 8 | bit << 12 | bits << 20);
}

/* The values of a group. Pixels are in the order G B R A. */
std::vector<cl_uint>
values_of (Packing packing, int depth)
{
  const int high = 16 - depth;
  switch (packing) {
    case Packing::v210:
      return {value (1, 0, 0, 0, 10), value (0, 0, 0, 10, 10), value (2, 0, 0, 20, 10), value (0, 1, 1, 0, 10),
          value (1, 1, 1, 10, 10), value (0, 2, 1, 20, 10), value (2, 1, 2, 0, 10), value (0, 3, 2, 10, 10),
          value (1, 2, 2, 20, 10), value (0, 4, 3, 0, 10), value (2, 2, 3, 10, 10), value (0, 5, 3, 20, 10)};
    case Packing::yuyv:
      return {value (0, 0, 0, high, depth), value (1, 0, 1, high, depth), value (0, 1, 2, high, depth),
          value (2, 0, 3, high, depth)};
    case Packing::uyvy:
      return {value (0, 0, 1, high, depth), value (1, 0, 0, high, depth), value (0, 1, 3, high, depth),
          value (2, 0, 2, high, depth)};
    case Packing::y410:
      return {value (1, 0, 0, 0, 10), value (0, 0, 0, 10, 10), value (2, 0, 0, 20, 10), value (3, 0, 0, 30, 2)};
    case Packing::bgr10:
      return {value (0, 1, 0, 0, 10), value (0, 0, 0, 10, 10), value (0, 2, 0, 20, 10), value (0, 3, 0, 30, 2)};
    case Packing::rgb10:
      return {value (0, 2, 0, 0, 10), value (0, 0, 0, 10, 10), value (0, 1, 0, 20, 10), value (0, 3, 0, 30, 2)};
    case Packing::r210:
      return {value (0, 1, 0, 0, 10), value (0, 0, 0, 10, 10), value (0, 2, 0, 20, 10), value (0, 3, 0, 30, 0)};
    case Packing::three:
      return {value (0, 0, 0, 0, 10), value (0, 1, 0, 10, 10), value (0, 2, 0, 20, 10)};
    case Packing::four:
      return {value (0, 0, 0, 0, 10), value (0, 1, 0, 10, 10), value (0, 2, 0, 20, 10), value (0, 3, 0, 30, 10)};
    case Packing::four_big_endian:
      return {value (0, 3, 0, 0, 10), value (0, 2, 0, 10, 10), value (0, 1, 0, 20, 10), value (0, 0, 0, 30, 10)};
    case Packing::uyvp:
      return {value (0, 1, 0, 0, 10), value (2, 0, 0, 10, 10), value (0, 0, 0, 20, 10), value (1, 0, 0, 30, 10)};
    case Packing::v308:
      return {value (0, 0, 0, 0, 8), value (1, 0, 1, 0, 8), value (2, 0, 2, 0, 8)};
    case Packing::iyu2:
      return {value (0, 0, 1, 0, 8), value (1, 0, 0, 0, 8), value (2, 0, 2, 0, 8)};
    case Packing::iyu1:
      return {value (1, 0, 0, 0, 8), value (0, 0, 1, 0, 8), value (0, 1, 2, 0, 8), value (2, 0, 3, 0, 8), value (0, 2, 4, 0, 8),
          value (0, 3, 5, 0, 8)};
    default: {
      const bool red_first = packing == Packing::bgr16 || packing == Packing::bgr15;
      const int green = packing == Packing::rgb16 || packing == Packing::bgr16 ? 6 : 5;
      return {value (0, red_first ? 2 : 1, 0, 0, 5), value (0, 0, 0, 5, green), value (0, red_first ? 1 : 2, 0, 5 + green, 5),
          value (0, 3, 0, 0, 0)};
    }
  }
}

/* The task of kernels without PLANE_ARGS. It leaves out the pixel layout, so that all layouts share a program. */
PlaneTask
task_on (const PlaneView &plane)
{
  PlaneView view = plane;
  view.layout = &one_sample;
  return {.src = view, .dst = view, .plane = 0, .components = 0};
}

}  // namespace

Arrangement::Arrangement (const Format &stored_, const Format &seen_, const GstVideoInfo &info)
    : stored (stored_), seen (seen_), lies (&seen == stored.in_words || &seen == &stored), width (GST_VIDEO_INFO_WIDTH (&info)),
      height (GST_VIDEO_INFO_HEIGHT (&info))
{
}

Planes
Arrangement::scratch (Runner &runner, const ScratchName &name) const
{
  Planes planes{};
  for (int i = 0; i < seen.n_planes; i++) {
    const PlaneView like{.width = int (round_up (plane_width (seen.planes[i], width), 2)), /* in whole groups */
        .height = plane_height (seen.planes[i], height),
        .layout = &seen.planes[i]};
    planes[i] = runner.scratch_plane (name.with ("plane", i), like);
    planes[i].width = plane_width (seen.planes[i], width);
  }
  return planes;
}

Planes
Arrangement::in_words (const PlaneView &packed) const
{
  Planes planes{};
  for (int i = 0; i < seen.n_planes; i++) {
    planes[i] = packed;
    planes[i].offset /= seen.sample_size ();
    planes[i].stride /= seen.sample_size ();
    planes[i].layout = &seen.planes[i];
    planes[i].width = plane_width (seen.planes[i], width);
  }
  return planes;
}

Planes
Arrangement::result (Runner &runner, const Planes &frame) const
{
  if (!lies)
    return scratch (runner, "arranged-result");
  Planes to = frame;
  for (int i = 0; i < stored.n_planes; i++)
    if (frame[i].image)
      to[i] = runner.scratch_plane ({"stored-result", i}, frame[i]);
  return in_place (to);
}

void
Arrangement::launch_groups (Runner &runner, bool splits, const PlaneView &groups, const Planes &planes) const
{
  const auto &components = groups.layout->components;
  PlaneView words = groups;
  words.offset /= most_planes;
  words.stride /= most_planes;
  Words how{.unpacks = splits, .word_bytes = most_planes * stored.sample_size ()};
  if (groups.layout->subsample_x > 0) { /* 4:2:2: luma, chroma, luma, chroma */
    const int luma = components[0] == first ? 0 : byte_bits, chroma = byte_bits - luma;
    how.group_pixels = 2;
    for (const int i : {0, 1})
      how.values.insert (how.values.end (),
          {value (0, i, 0, luma + 2 * i * byte_bits, byte_bits), value (1, i, 0, chroma + 2 * i * byte_bits, byte_bits)});
    return launch_words (runner, how, words, std::span (planes).first (2),
        {{planes[0].width, groups.height, planes[0].width, 2 * groups.width}});
  }
  const int n = stored.n_planes > 1 ? stored.n_planes : seen.n_planes;
  for (int i = 0; i < n; i++) {
    const int component = n == stored.n_planes ? stored.planes[i].components[0] : seen.planes[i].components[0];
    const int at = int (std::ranges::find (components, component) - components.begin ());
    how.values.push_back (value (i, 0, 0, at * stored.sample_bits, stored.sample_bits));
  }
  launch_words (runner, how, words, std::span (planes).first (n), {{groups.width, groups.height, groups.width, groups.width}});
}

void
Arrangement::launch_words (
    Runner &runner, const Words &how, const PlaneView &words, std::span<const PlaneView> planes, const cl_int4 &size) const
{
  constexpr size_t most_values = 12;
  constexpr std::array stored_types{"", "uchar", "ushort", "", "uint", "uchar", "", "", "ulong"};
  const bool is_plane = planes.size () == 1, samples = stored.packing == Packing::none, is_long = how.word_bytes > 4;
  const int chroma_pixels = is_plane || samples ? 1 : 1 << seen.planes[1].subsample_x;
  const bool is_big =
      stored.packing == Packing::r210 || stored.packing == Packing::four_big_endian || stored.packing == Packing::uyvp;
  KernelSpec spec{.sources = {"lib/words.cl"},
      .function = how.unpacks ? "unpack_words" : "pack_words",
      .options = {{"SWAPPED", stored.big_endian}, {"IS_BIG", is_big},
          {"DEPTH_OF_SEEN", samples ? stored.sample_bits : seen.depth}, {"GROUP_PIXELS", how.group_pixels},
          {"GROUP_WORDS", how.group_words}, {"WORD_BYTES", how.word_bytes}, {"stored_t", stored_types[size_t (how.word_bytes)]},
          {"word_t", is_long ? "ulong" : "uint"},
          {"LOOP_BYTES", samples   ? how.word_bytes
                         : is_long ? 8
                                   : 4},
          {"PIXEL_SAMPLES", samples || !is_plane || seen.n_planes > 1 ? 1 : seen.planes[0].samples_per_pixel},
          {"CHROMA_PIXELS", chroma_pixels}, {"LAST_AGAIN", samples && how.group_pixels > 1}, {"ROWS_AT_ONCE", rows_at_once}},
      .moves_samples = true};
  const std::vector<cl_uint> values = samples ? how.values : values_of (stored.packing, seen.depth);
  spec.options.emplace_back ("GROUP_VALUES", values.size ());
  for (size_t i = 0; i < most_values; i++)
    spec.options.emplace_back ("VALUE_", int (i), i < values.size () ? values[i] : 0);
  Arguments arguments{words.memory, cl_int2{{words.offset, words.stride}}};
  for (size_t i = 0; i < most_planes; i++) {
    const PlaneView &plane = planes[std::min (i, planes.size () - 1)];
    arguments.insert (arguments.end (), {plane.memory, cl_int2{{plane.offset, plane.stride}}});
  }
  arguments.push_back (
      cl_int4{{size.s[0], size.s[1], size.s[2], size.s[3] ? size.s[3] : divide_up (size.s[0], chroma_pixels)}});
  runner.run (
      task_on (words), Launch::range (spec, size_for (runner, divide_up (size.s[0], how.group_pixels), size.s[1]), arguments));
}

/* How many samples fit into a row of a plane. */
int
Arrangement::samples_in_words (int plane) const
{
  const PlaneLayout &layout = stored.planes[plane];
  const int groups = plane_width (layout, width);
  return layout.tile ? groups * layout.tile.row_bytes * 4 / bytes_of_four : groups * layout.pixels;
}

void
Arrangement::arrange_words (Runner &runner, bool unpacks, const Planes &words, const Planes &planes) const
{
  Words how{.unpacks = unpacks,
      .group_pixels = stored.planes[0].pixels,
      .group_words = stored.planes[0].samples_per_pixel,
      .word_bytes = stored.sample_size ()};
  if (stored.packing == Packing::four || stored.packing == Packing::four_big_endian || stored.packing == Packing::uyvp)
    how = {unpacks, stored.packing == Packing::uyvp ? 2 : 4, 1, bytes_of_four};
  if (stored.n_planes == 1)
    return launch_words (
        runner, how, words[0], std::span (planes).first (seen.n_planes), {{width, planes[0].height, width, 0}});
  /* with an odd width, a row of chroma may be one sample short */
  for (int i = 0; i < stored.n_planes; i++) {
    const int samples = planes[i].width * planes[i].layout->samples_per_pixel;
    launch_words (
        runner, how, words[i], {&planes[i], 1}, {{std::min (samples, samples_in_words (i)), planes[i].height, samples, 0}});
  }
}

void
Arrangement::launch_palette (Runner &runner, bool unpacks, const Planes &counts, const PlaneView &pixels) const
{
  const KernelSpec spec{.sources = {"lib/palette.cl"},
      .function = unpacks ? "look_up" : "choose_entries",
      .options = {{"ROWS_AT_ONCE", rows_at_once}},
      .moves_samples = true};
  const PlaneView &palette = counts[1];
  Arguments arguments{counts[0].memory, cl_int2{{counts[0].offset, counts[0].stride}}, palette.memory, palette.offset,
      pixels.memory, cl_int2{{pixels.offset / most_planes, pixels.stride / most_planes}},
      cl_int2{{pixels.width, pixels.height}}};
  if (!unpacks) {
    gsize bytes = 0;
    const auto *entries = static_cast<const guint8 *> (gst_video_format_get_palette (stored.id, &bytes));
    arguments.insert (
        arguments.end (), {TableArgument ("palette", std::vector<guint8> (entries, entries + bytes)), cl_int (bytes)});
  }
  runner.run (task_on (pixels), Launch::range (spec, size_for (runner, pixels.width, pixels.height), arguments));
}

/* Scratch memory for rows of unpacked samples. Four samples of a group are packed in five bytes; unpacked, a sample has two
 * bytes. */
PlaneView
Arrangement::rows_of_words (Runner &runner, int plane, int samples) const
{
  const PlaneView like{.width = divide_up (divide_up (samples, 4) * bytes_of_four, seen.sample_size ()),
      .height = plane_height (seen.planes[plane], height),
      .layout = &one_sample};
  PlaneView rows = runner.scratch_plane ({"words of tiles", plane}, like);
  rows.offset *= seen.sample_size ();
  rows.stride *= seen.sample_size ();
  rows.width = divide_up (samples, 4);
  return rows;
}

void
Arrangement::arrange_tiles (Runner &runner, bool from_tiles, const Planes &tiles, const Planes &planes) const
{
  using LowBits = PlaneLayout::Tile::LowBits;
  const LowBits low_bits = stored.planes[0].tile.low_bits;
  const KernelSpec spec{.sources = {"lib/tiles.cl"},
      .function = low_bits == LowBits::inside ? "move_tiles" : "move_blocks",
      .options = {{"ROWS_AT_ONCE", rows_at_once}},
      .moves_samples = true};
  const int item_rows = low_bits == LowBits::inside ? 1 : 4;
  Planes rows = planes;
  std::array<int, most_planes> row_bytes{};
  for (int i = 0; i < stored.n_planes; i++) {
    row_bytes[i] = planes[i].width * planes[i].layout->samples_per_pixel;
    if (stored.packing != Packing::none)
      rows[i] = rows_of_words (runner, i, row_bytes[i]);
  }
  if (!from_tiles && stored.packing != Packing::none)
    arrange_words (runner, false, rows, planes);
  for (int i = 0; i < stored.n_planes; i++) {
    const PlaneLayout::Tile &tile = stored.planes[i].tile;
    const int columns = tiles[i].width * tiles[i].layout->samples_per_pixel / tile.bytes ();
    if (stored.packing != Packing::none)
      row_bytes[i] = std::min (rows[i].width * bytes_of_four, columns * tile.row_bytes);
    runner.run (task_on (tiles[i]),
        Launch::range (spec, size_for (runner, columns, tiles[i].height * tile.rows / item_rows),
            {tiles[i].memory, cl_int2{{tiles[i].offset, tiles[i].stride}}, rows[i].memory,
                cl_int2{{rows[i].offset, rows[i].stride}},
                cl_int4{{tile.row_bytes, tile.rows, tile.zigzag || low_bits == LowBits::by_rows, from_tiles}},
                cl_int4{{row_bytes[i], planes[i].height, columns, tiles[i].height}}}));
  }
  if (from_tiles && stored.packing != Packing::none)
    arrange_words (runner, true, rows, planes);
}

/* Both `from` and `to` must be buffers. */
void
Arrangement::arrange (Runner &runner, const Planes &from, const Planes &to, const Format &from_format) const
{
  const bool enters = &from_format == &stored;
  if (stored.planes[0].tile) {
    arrange_tiles (runner, enters, enters ? from : to, enters ? to : from);
  } else if (stored.packing == Packing::palette) {
    launch_palette (runner, enters, enters ? from : to, enters ? to[0] : from[0]);
  } else if (stored.packing != Packing::none) {
    arrange_words (runner, enters, enters ? from : to, enters ? to : from);
  } else if (stored.n_planes == seen.n_planes) {
    for (int i = 0; i < stored.n_planes; i++) {
      const int samples = from[i].width * from[i].layout->samples_per_pixel;
      launch_words (runner,
          {.unpacks = true, .word_bytes = stored.sample_size (), .values = {value (0, 0, 0, 0, stored.sample_bits)}}, from[i],
          {&to[i], 1}, {{samples, from[i].height, samples, 0}});
    }
  } else if (from_format.n_planes == 1) {
    launch_groups (runner, true, from[0], to);
  } else {
    launch_groups (runner, false, to[0], from);
  }
}

/* Views a plane in a buffer with the format's own layout; the plane's layout may be a texture's. */
PlaneView
Arrangement::as_stored (PlaneView plane, int index) const
{
  plane.layout = &stored.planes[index];
  plane.width = plane_width (*plane.layout, width);
  return plane;
}

/* The kernels of this file read and write only buffers. */
Planes
Arrangement::enter (Runner &runner, const Planes &frame, const ScratchName &name) const
{
  Planes from = frame;
  for (int i = 0; i < stored.n_planes; i++)
    from[i] = as_stored (in_buffer (runner, frame[i], name.with ("stored", i)), i);
  if (lies)
    return in_place (from);
  const Planes to = scratch (runner, name);
  arrange (runner, from, to, stored);
  return to;
}

void
Arrangement::leave (Runner &runner, const Planes &result, const Planes &frame) const
{
  Planes to = frame, groups{};
  for (int i = 0; i < stored.n_planes; i++) {
    if (frame[i].image)
      to[i] = runner.scratch_plane ({"stored-result", i}, frame[i]);
    groups[i] = as_stored (to[i], i);
  }
  if (!lies)
    arrange (runner, result, groups, seen);
  for (int i = 0; i < stored.n_planes; i++)
    if (frame[i].image)
      copy_plane (runner, to[i], frame[i]);
}

}  // namespace gst::cl

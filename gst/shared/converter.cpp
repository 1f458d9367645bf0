/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/converter.hpp"

#include "core/arithmetic.hpp"
#include "core/vendors.hpp"
#include "shared/range.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Sizes in the cpu back end's kernel. */
constexpr int lanes = 16, piece_columns = 128;

/* Bits in an option for each plane, input or component. */
constexpr int four_bits = 4;

const char *
type_of_bits (int bits)
{
  return bits == 8 ? "uchar" : "ushort";
}

/* The type of a word that holds a pixel of the result; any type does for three samples. */
const char *
type_of_pixel (int step, int bits)
{
  return step == 1 ? type_of_bits (bits) : step * bits == 16 ? "ushort" : step * bits == 64 ? "ulong" : "uint";
}

/* The part of a rectangle of the frame, or of a field, on a plane. */
Rect
on_plane (const Rect &rect, const PlaneView &plane, const ConvertTask &task)
{
  if (rect.width == GST_VIDEO_INFO_WIDTH (&task.dst_info) && rect.height == GST_VIDEO_INFO_HEIGHT (&task.dst_info))
    return {0, 0, plane.width, plane.height};
  const int x = rect.x >> plane.layout->subsample_x, y = rect.y / task.n_fields >> plane.layout->subsample_y;
  const int right = plane_width (*plane.layout, rect.x + rect.width);
  const int bottom = plane_height (*plane.layout, divide_up (rect.y + rect.height - task.field, task.n_fields));
  return {x, y, std::min (right, plane.width) - x, std::min (bottom, plane.height) - y};
}

/* An 8 x 8 Bayer matrix, whose neighbouring thresholds differ strongly: the threshold of column x and row y, in sixteenths. */
std::vector<cl_float>
bayer_thresholds ()
{
  std::vector<cl_float> thresholds;
  for (unsigned x = 0; x < 8; x++)
    for (unsigned y = 0; y < lanes; y++) {
      unsigned value = 0;
      for (unsigned bit = 0; bit < 3; bit++)
        value = value << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1);
      thresholds.push_back (cl_float ((value + 0.5) / 64 - 0.5));
    }
  return thresholds;
}

/* Appends an axis to the tables; returns its positions in both. */
std::pair<cl_int, cl_int>
append (const Axis &axis, std::vector<cl_int> &starts, std::vector<cl_float> &weights)
{
  const std::pair<cl_int, cl_int> begin{cl_int (starts.size ()), cl_int (weights.size ())};
  starts.insert (starts.end (), axis.first.begin (), axis.first.end ());
  weights.insert (weights.end (), axis.weights.begin (), axis.weights.end ());
  return begin;
}

}  // namespace

Rect
place_with_borders (const GstVideoInfo &from, const GstVideoInfo &to)
{
  const int width = GST_VIDEO_INFO_WIDTH (&to), height = GST_VIDEO_INFO_HEIGHT (&to);
  gint n, d, n_in, d_in;
  if (!gst_util_fraction_multiply (GST_VIDEO_INFO_WIDTH (&from), GST_VIDEO_INFO_HEIGHT (&from), GST_VIDEO_INFO_PAR_N (&from),
          GST_VIDEO_INFO_PAR_D (&from), &n_in, &d_in)
      || !gst_util_fraction_multiply (n_in, d_in, GST_VIDEO_INFO_PAR_D (&to), GST_VIDEO_INFO_PAR_N (&to), &n, &d))
    return {0, 0, width, height};
  const guint64 high = gst_util_uint64_scale_int (guint64 (width), d, n);
  const guint64 wide = gst_util_uint64_scale_int (guint64 (height), n, d);
  Rect rect{0, 0, width, height};
  if (high < guint64 (height)) {
    rect.height = std::max (int (high), 1);
    rect.y = (height - rect.height) / 2;
  } else if (wide < guint64 (width)) {
    rect.width = std::max (int (wide), 1);
    rect.x = (width - rect.width) / 2;
  }
  /* a chroma sample must not lie half in the border; in interlaced frames, rows of chroma belong to two fields */
  const GstVideoFormatInfo *format = to.finfo;
  const int interlaced = GST_VIDEO_INFO_IS_INTERLACED (&to);
  rect.x &= ~((1 << GST_VIDEO_FORMAT_INFO_W_SUB (format, 1)) - 1);
  rect.y &= ~((1 << (GST_VIDEO_FORMAT_INFO_H_SUB (format, 1) + interlaced)) - 1);
  return rect;
}

/* The axis that maps a plane's rows or columns to another plane's. */
Axis
FrameConverter::axis (
    const ConvertTask &task, const PlaneLayout &from, const PlaneLayout &to, int source, int n, bool vertical) const
{
  const int from_sub = vertical ? from.subsample_y : from.subsample_x, to_sub = vertical ? to.subsample_y : to.subsample_x;
  const gint64 in = vertical ? GST_VIDEO_INFO_HEIGHT (&task.src_info) : GST_VIDEO_INFO_WIDTH (&task.src_info);
  const gint64 out = vertical ? rect.height : rect.width, offset = vertical ? task.y : task.x;
  const int from_first = twice_first_place (task.src_info, from_sub, vertical);
  const int to_first = twice_first_place (task.dst_info, to_sub, vertical);
  /* the unit is a quarter of a luma row or column of the result, measured in the input */
  Places places{(2 * to_first + 4 * offset) * in - 2 * from_first * out, 4 * in << to_sub, 4 * out << from_sub};
  /* the rows of a field are a quarter of their distance from the middle between both fields' rows */
  if (vertical && task.n_fields == 2)
    places.origin += (in - out) * (2 * task.field - 1);
  Resampling how = settings.method;
  if ((from_sub || to_sub) && settings.chroma_resampler == ChromaResampling::nearest)
    how = Resampling::nearest;
  else if (in == out)
    how = places.step > places.unit ? Resampling::area : Resampling::bilinear;
  return make_axis (source, n, places, how);
}

bool
FrameConverter::is_narrow (const Part &part, const ConvertTask &task)
{
  const auto narrow = [&] (int plane) { return task.src[plane].width < lanes; };
  return part.rect.width < lanes || std::ranges::any_of (part.sources, narrow);
}

bool
FrameConverter::stays_in_columns (const Part &part, const ConvertTask &task)
{
  constexpr int unlike_a_word = 3;
  for (size_t i = 0; i < part.sources.size (); i++) {
    const Part::Window &window = part.numbers.in[i];
    if (window.columns != 1 || window.width != part.rect.width
        || task.src[part.sources[i]].layout->samples_per_pixel == unlike_a_word)
      return false;
    for (int x = 0; x < part.rect.width; x++)
      if (part.starts[size_t (window.column_starts + x)] != x)
        return false;
  }
  return true;
}

void
FrameConverter::add_source (Part &part, const ConvertTask &task, const PlaneLayout &of, int plane) const
{
  const PlaneView &view = task.src[plane];
  const PlaneLayout &layout = *view.layout;
  Part::Window &window = part.numbers.in[part.sources.size ()];
  const auto same = [&] (int known) {
    const PlaneLayout &other = *task.src[known].layout;
    return other.subsample_x == layout.subsample_x && other.subsample_y == layout.subsample_y;
  };
  const Axis columns = axis (task, layout, of, view.width, part.rect.width, false);
  if (const auto known = std::ranges::find_if (part.sources, same); known != part.sources.end ()) {
    window = part.numbers.in[known - part.sources.begin ()];
  } else {
    const Axis rows = axis (task, layout, of, view.height, part.rect.height, true);
    window = {.width = view.width, .height = view.height, .rows = rows.taps, .columns = columns.taps};
    std::tie (window.row_starts, window.row_weights) = append (rows, part.starts, part.weights);
    std::tie (window.column_starts, window.column_weights) = append (columns, part.starts, part.weights);
  }
  for (int piece = 0; piece < part.rect.width; piece += piece_columns) {
    const int right = std::min (piece + piece_columns, part.rect.width), left = std::max (std::min (piece, right - lanes), 0);
    const int read = std::max (columns.first[right - 1] + columns.taps - columns.first[left], lanes);
    part.numbers.read = std::max (part.numbers.read, cl_int (round_up (read * layout.samples_per_pixel, lanes)));
  }
  part.plane_steps |= layout.samples_per_pixel << four_bits * part.sources.size ();
  part.sources.push_back (plane);
}

void
FrameConverter::add_input (Part &part, const ConvertTask &task, const PlaneLayout &of, int component) const
{
  const auto has = [&] (const PlaneView &view) {
    return std::ranges::find (view.layout->components, component) != view.layout->components.end ();
  };
  const int plane = int (std::ranges::find_if (task.src, has) - task.src.begin ());
  if (std::ranges::find (part.sources, plane) == part.sources.end ())
    add_source (part, task, of, plane);
  const PlaneLayout &layout = *task.src[plane].layout;
  const int source = int (std::ranges::find (part.sources, plane) - part.sources.begin ());
  const int position = int (std::ranges::find (layout.components, component) - layout.components.begin ());
  part.in_planes |= source << four_bits * part.inputs.size ();
  part.in_places |= position << four_bits * part.inputs.size ();
  part.inputs.push_back (component);
}

FrameConverter::Part
FrameConverter::make_part (const ConvertTask &task, std::vector<int> planes, const Runner &runner) const
{
  const bool gpu = runner.backend () == Backend::gpu;
  const PlaneLayout &layout = task.dst_format.planes[planes.front ()];
  const Rect place = on_plane (rect, task.dst[planes.front ()], task);
  Part part{.planes = std::move (planes), .rect = place};
  for (const int plane : part.planes)
    for (int i = 0; i < layout.samples_per_pixel; i++)
      part.components.push_back (task.dst_format.planes[plane].components[i]);
  const ColorConversion colors =
      convert_colors (task.src_info, task.src_format, task.dst_info, task.dst_format, settings.primaries);
  for (int component = 0; component < 4; component++) {
    const auto reads = [&] (int of) { return of != padding && colors.factors[of][component] != 0; };
    if (std::ranges::any_of (part.components, reads))
      add_input (part, task, layout, component);
  }
  if (part.inputs.empty ()) /* all samples are constant, like the chroma of grey */
    add_input (part, task, layout, task.src_format.planes[0].components[0]);
  Part::Numbers &numbers = part.numbers;
  unsigned uses = 0;
  for (size_t o = 0; o < part.components.size (); o++) {
    const int of = part.components[o];
    numbers.constants[o] = cl_float (of == padding ? task.dst_format.max_value () : colors.constants[of]);
    for (size_t i = 0; i < part.inputs.size () && of != padding; i++) {
      numbers.factors[o][i] = cl_float (colors.factors[of][part.inputs[i]]);
      uses |= unsigned (numbers.factors[o][i] != 0) << (four_bits * o + i);
    }
  }
  numbers.width = part.rect.width;
  numbers.height = part.rect.height;
  numbers.piece = piece_columns;
  part.options += Options{{"INS", int (part.inputs.size ())}, {"PLANES", int (part.sources.size ())}, {"USES", int (uses)},
      {"PLANE_STEPS", part.plane_steps}, {"IN_PLANES", part.in_planes}, {"IN_PLACES", part.in_places},
      {"DITHER", dither_for (task)}, {"NARROW", is_narrow (part, task)},
      {"IN_PLACE", !is_narrow (part, task) && !dither_for (task) && stays_in_columns (part, task)},
      {"OUTS", int (part.components.size ())}, {"OUT_STEP", layout.samples_per_pixel},
      {"out_t", type_of_bits (task.dst_format.sample_bits)},
      {"stored_t", type_of_pixel (layout.samples_per_pixel, task.dst_format.sample_bits)},
      {"OUT_BITS", task.dst_format.sample_bits}, {"OUT_DEPTH", task.dst_format.depth}, {"OUT_SHIFT", task.dst_format.shift}};
  part.windows = numbers.in;
  if (gpu)
    fit_windows (part, task);
  const ScratchName of_part{"part", task.n_fields, task.field};
  part.start_table.emplace (of_part.with ("starts", part.planes[0]), part.starts);
  part.weight_table.emplace (of_part.with ("weights", part.planes[0]), part.weights);
  if (gpu && vendors::takes_pairs (runner.cl ().device))
    if (const std::optional<PairTables> tables = pair_tables (part, task))
      part.pairs.emplace (make_pairs (part, *tables, of_part));
  return part;
}

int
FrameConverter::dither_for (const ConvertTask &task) const
{
  const bool falls = task.dst_format.depth < task.src_format.depth;
  switch (settings.dither) {
    case Dither::none:
      return 0;
    case Dither::noise:
      return 2;
    case Dither::bayer:
      return 1;
    default:
      return falls;
  }
}

void
FrameConverter::make_parts (const ConvertTask &task, const Runner &runner)
{
  rect = {0, 0, GST_VIDEO_INFO_WIDTH (&task.dst_info), GST_VIDEO_INFO_HEIGHT (&task.dst_info)};
  if (settings.add_borders)
    rect = place_with_borders (task.src_info, task.dst_info);
  std::vector<Part> &parts = plans[task.n_fields - 1][task.field];
  std::vector<std::vector<int>> groups;
  for (int i = 0; i < task.dst_format.n_planes; i++) {
    const PlaneLayout &layout = task.dst_format.planes[i];
    const auto shares = [&] (const std::vector<int> &group) {
      const PlaneLayout &other = task.dst_format.planes[group.front ()];
      return layout.samples_per_pixel == 1 && other.samples_per_pixel == 1 && layout.subsample_x == other.subsample_x
             && layout.subsample_y == other.subsample_y;
    };
    const auto group = std::ranges::find_if (groups, shares);
    if (group == groups.end ())
      groups.push_back ({i});
    else
      group->push_back (i);
  }
  int taps = 1;
  for (std::vector<int> &group : groups) {
    parts.push_back (make_part (task, std::move (group), runner));
    for (size_t i = 0; i < parts.back ().inputs.size (); i++)
      taps = std::max ({taps, parts.back ().numbers.in[i].rows, parts.back ().numbers.in[i].columns});
  }
  algorithm = taps == 1 ? "direct" : "windows of " + std::to_string (taps);
}

Launch
FrameConverter::launch (const Runner &runner, const ConvertTask &task, const Part &part)
{
  Part::Numbers numbers = part.numbers;
  numbers.in = part.windows;
  Arguments arguments;
  bool quads = true;
  for (size_t i = 0; i < 4; i++) {
    const PlaneView &plane = task.src[part.sources[std::min (i, part.sources.size () - 1)]];
    numbers.in[i].offset = plane.offset;
    numbers.in[i].stride = plane.stride;
    quads = quads && (plane.offset | plane.stride) % 4 == 0;
    arguments.push_back (plane.memory);
  }
  const PlaneView &first = task.dst[part.planes[0]];
  const int step = first.layout->samples_per_pixel;
  for (size_t i = 0; i < 4; i++) {
    const PlaneView &plane = task.dst[part.planes[std::min (i, part.planes.size () - 1)]];
    numbers.out_offset[i] = plane.offset + part.rect.y * plane.stride + part.rect.x * step;
    numbers.out_stride[i] = plane.stride;
    arguments.push_back (plane.memory);
  }
  const bool cpu = runner.backend () == Backend::cpu, in_pairs = part.pairs && quads;
  KernelSpec spec{.sources = {"shared/convert.clh"}, .function = "convert_frame", .options = part.options};
  static const std::vector<cl_float> thresholds = bayer_thresholds ();
  size_t scratch = sizeof (cl_float);
  if (cpu) {
    spec.sources.insert (spec.sources.end (), {"shared/transpose.clh", "shared/convert_cpu.cl"});
    scratch *= divide_up (part.rect.height, lanes) * part.sources.size () * numbers.read * lanes;
  } else {
    spec.sources.push_back ("shared/convert_gpu.cl");
    spec.options += {{"QUADS", quads}, {"IN_PAIRS", in_pairs}};
  }
  constexpr int word = 4;
  int pixels = part.is_tiled ? 1 : std::max (1, word / (step * task.dst_format.sample_size ()));
  if (in_pairs) {
    spec.options += part.pairs->options;
    numbers.factors = part.pairs->factors;
    numbers.constants = part.pairs->constants;
    pixels = pair_pixels;
    arguments.insert (arguments.end (), {part.pairs->columns, part.pairs->rows});
  } else {
    arguments.insert (arguments.end (), {*part.start_table, *part.weight_table});
  }
  arguments.insert (arguments.end (),
      {TableArgument ("thresholds", thresholds), ScratchArgument{"columns", scratch}, ValueArgument (std::vector{numbers})});
  return Launch::range (std::move (spec),
      runner.size_for (divide_up (part.rect.width, pixels), divide_up (part.rect.height, part.item_lines),
          in_pairs ? pair_group : convert_group, lanes),
      std::move (arguments))
      .on ({.src = task.src[0], .dst = first, .plane = 0, .components = 0});
}

Launches
fill_pixels (const Runner &runner, const PlaneView &plane, const Format &format, const Rect &rect,
    const std::array<int, 4> &even, const std::array<int, 4> &odd)
{
  if (rect.empty ())
    return {};
  const auto stored = [&] (const std::array<int, 4> &color) {
    cl_int4 pixel{};
    for (int s = 0; s < plane.layout->samples_per_pixel; s++) {
      const int component = plane.layout->components[s];
      pixel.s[s] = (component == padding ? format.max_value () : color[component]) << format.shift;
    }
    return pixel;
  };
  KernelSpec spec{.sources = {"shared/fill_pixels.cl"},
      .function = "fill_pixels",
      .options = {{"fill_t", type_of_bits (format.sample_bits)}, {"FILL_STEP", plane.layout->samples_per_pixel},
          {"ROWS_AT_ONCE", 1}},
      .moves_samples = true};
  return {Launch::range (std::move (spec), runner.size_for (rect.width, rect.height, convert_group),
      {plane.memory, cl_int2{{plane.offset, plane.stride}}, cl_int4{{rect.x, rect.y, rect.width, rect.height}}, stored (even),
          stored (odd)})
              .on ({.src = plane, .dst = plane, .plane = 0, .components = 0})};
}

Launches
FrameConverter::plan (Runner &runner, const ConvertTask &task)
{
  std::vector<Part> &parts = plans[task.n_fields - 1][task.field];
  if (parts.empty ())
    make_parts (task, runner);
  Launches launches;
  for (const Part &part : parts)
    if (!part.rect.empty ())
      launches.push_back (launch (runner, task, part));
  const std::array<int, 4> black = black_of (task.dst_info, task.dst_format);
  for (const PlaneView &plane : task.dst) {
    const Rect inner = on_plane (rect, plane, task);
    const int right = inner.x + inner.width, bottom = inner.y + inner.height;
    for (const Rect &border : {Rect{0, 0, plane.width, inner.y}, Rect{0, bottom, plane.width, plane.height - bottom},
             Rect{0, inner.y, inner.x, inner.height}, Rect{right, inner.y, plane.width - right, inner.height}})
      launches += fill_pixels (runner, plane, task.dst_format, border, black, black);
  }
  return launches;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FrameConverter: tables and options for the kernels of the gpu back end. */
#include "core/arithmetic.hpp"
#include "shared/converter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>

namespace gst::cl {

namespace {

/** The first source sample of each row or column of the result, and the weights of `taps` samples. */
struct Windows {
  int taps;
  std::span<const cl_int> first;
  std::span<const cl_float> weights;
};

/** A source plane of bytes. */
struct PairSource {
  /** Samples of a pixel, and pixels of a row. */
  int step, width;
  Windows columns, rows;
};

/** The sum of the weights of a window's row, and the bias of the sums. */
constexpr int pair_whole_weight = 1 << 15, pair_bias = 1 << 23;

constexpr int word_bytes = 4, pair_bytes = 2 * word_bytes;

/* The most samples along a window's side: on the axes of the first plane, and of the other planes. */
constexpr int most_taps[] = {3, 2};

bool
is_possible (const PairSource &source, int most)
{
  const int row_bytes = source.step * source.width, most_columns = source.step == 2 ? 2 : most;
  return source.step != 3 && source.columns.taps <= most_columns && source.rows.taps <= most && row_bytes % word_bytes == 0
         && row_bytes >= pair_bytes && row_bytes / word_bytes <= UINT16_MAX
         && std::ranges::all_of (source.columns.weights, [] (float weight) { return weight >= 0; });
}

bool
has_same_windows (const PairSource &a, const PairSource &b)
{
  return a.step == b.step && a.width == b.width && a.columns.first.data () == b.columns.first.data ()
         && a.rows.first.data () == b.rows.first.data ();
}

/* Selects bytes from two words, starting with byte `at`: the samples of a window of pixels. For two bytes per pixel, the first
 * byte of each pixel comes first. */
cl_uint
selector (const PairSource &source, int at)
{
  const int next = source.columns.taps > 1 ? source.step : 0;
  const int bytes[] = {
      at, at + next, source.step == 2 ? at + 1 : at + 2 * (source.columns.taps > 2), source.step == 2 ? at + 1 + next : at};
  cl_uint result = 0;
  for (int i = 0; i < 4; i++)
    result |= cl_uint (bytes[i]) << (4 * i);
  return result;
}

/* The weights of the first two samples of column x; the third sample has the rest. */
std::pair<cl_uint, cl_uint>
first_weights (const Windows &windows, int x)
{
  const auto weight = [&] (int tap) {
    return tap < windows.taps ? std::lrint (windows.weights[size_t (x) * windows.taps + tap] * pair_whole_weight) : 0;
  };
  const long first = weight (0), rest = pair_whole_weight - first;
  return {cl_uint (first), cl_uint (windows.taps == 2 ? rest : std::min (weight (1), rest))};
}

/* Where the windows of neighbouring columns `left` and `right` begin: a word with a selector for each; if pixels are words, an
 * offset in pixels. Nothing if the windows do not fit into two words. */
struct PairPlace {
  cl_uint word;
  std::array<cl_uint, 2> selectors;
};

std::optional<PairPlace>
place_of (const PairSource &source, int left, int right)
{
  if (source.step == word_bytes)
    return PairPlace{
        cl_uint (source.columns.first[left]), {0, cl_uint (source.columns.first[right] - source.columns.first[left])}};
  const int begin = source.columns.first[left] * source.step, second = source.columns.first[right] * source.step;
  const int word = std::min (begin, source.step * source.width - pair_bytes) / word_bytes, at = word * word_bytes;
  if (second < begin || second + source.columns.taps * source.step - at > pair_bytes)
    return std::nullopt;
  return PairPlace{cl_uint (word), {selector (source, begin - at), selector (source, second - at)}};
}

/* Returns nothing if windows are too large for that kernel, or weights are negative. */
std::optional<PairTables>
make_pair_tables (std::span<const PairSource> sources)
{
  const std::span<const PairSource> others = sources.subspan (1);
  const auto fits = [&] (const PairSource &other) {
    return is_possible (other, most_taps[1]) && has_same_windows (other, others[0]);
  };
  if (!is_possible (sources[0], most_taps[0]) || !std::ranges::all_of (others, fits))
    return std::nullopt;
  const PairSource &first = sources[0], *const other = others.empty () ? nullptr : &others[0];
  PairTables tables{.options = {{"PAIR_PIXELS", pair_pixels}, {"COLUMNS_0", first.columns.taps}, {"ROWS_0", first.rows.taps},
                        {"COLUMNS_1", other ? other->columns.taps : 1}, {"ROWS_1", other ? other->rows.taps : 1}}};
  const int width = int (first.columns.first.size ());
  for (int x = 0; x < int (round_up (width, pair_pixels)); x += 2) {
    const int left = std::min (x, width - 1), right = std::min (x + 1, width - 1);
    const std::optional<PairPlace> place = place_of (first, left, right);
    const std::optional<PairPlace> other_place = other ? place_of (*other, left, right) : PairPlace{};
    if (!place || !other_place)
      return std::nullopt;
    const auto both = [&] (int p) { return place->selectors[p] | other_place->selectors[p] << 16; };
    const auto first_weight = [&] (int column) { return other ? first_weights (other->columns, column).first : 0; };
    tables.columns.push_back (
        {{place->word | other_place->word << 16, both (0), both (1), first_weight (left) | first_weight (right) << 16}});
    constexpr cl_uint whole = pair_whole_weight;
    const auto [left_one, left_two] = first_weights (first.columns, left);
    const auto [right_one, right_two] = first_weights (first.columns, right);
    tables.columns.push_back (
        {{left_one | left_two << 16, right_one | right_two << 16, whole - left_one - left_two, whole - right_one - right_two}});
  }
  for (size_t y = 0; y < first.rows.first.size (); y++) {
    const auto weight = [y] (const Windows &windows, int tap) {
      return std::bit_cast<cl_uint> (tap < windows.taps ? windows.weights[y * windows.taps + tap] : 0.0f);
    };
    tables.rows.push_back ({{cl_uint (first.rows.first[y]), other ? cl_uint (other->rows.first[y]) : 0,
        other ? weight (other->rows, 0) : 0, other ? weight (other->rows, 1) : 0}});
    tables.rows.push_back ({{weight (first.rows, 0), weight (first.rows, 1), weight (first.rows, 2), 0}});
  }
  return tables;
}

/* For BYTE_COLUMNS in shared/convert_gpu.cl: the sum of a column's weights, and the most weights for which this sum is exact
 * enough. */
constexpr int byte_weight = 8192, most_byte_rows = 24;

bool
is_bytes (const Format &format)
{
  return format.sample_bits == 8 && format.depth == 8;
}

}  // namespace

int
FrameConverter::tile_samples (const Part &part, const ConvertTask &task, size_t i)
{
  constexpr int quad = 4;
  const Part::Window &window = part.numbers.in[i];
  const int step = task.src[part.sources[i]].layout->samples_per_pixel;
  const auto first = [&] (int x) { return part.starts[size_t (window.column_starts + x)] * step; };
  int samples = 0;
  for (int left = 0; left < part.rect.width; left += int (convert_group[0])) {
    const int last = std::min (left + int (convert_group[0]), part.rect.width) - 1;
    samples = std::max (samples, first (last) + window.columns * step - (first (left) & -quad));
  }
  return samples;
}

/* Rearranges weights: for each row of the source, the weights of all lines of an item. `bytes` puts two rows into a word. */
void
FrameConverter::turn_weights (Part &part, size_t i, bool bytes)
{
  const Part::Window &window = part.numbers.in[i];
  const int width = part.rect.width, height = part.rect.height, lines = part.item_lines, unit = bytes ? 2 : 1;
  const auto first = [&] (int y) { return part.starts[size_t (window.row_starts + std::min (y, height - 1))]; };
  const auto weight = [&] (int row, int line) -> cl_float {
    const int tap = row - first (line);
    const bool counts = line < height && tap >= 0 && tap < window.rows;
    return counts ? part.weights[size_t (window.row_weights + line * window.rows + tap)] : 0;
  };
  /* rounds sums and not weights, so that the total stays exact */
  const auto steps = [&] (int row, int line) {
    double before = 0;
    for (int r = first (line); r < row; r++)
      before += weight (r, line);
    return std::lrint ((before + weight (row, line)) * byte_weight) - std::lrint (before * byte_weight);
  };
  Part::Window &turned = part.windows[i];
  for (int y = 0; y < height; y += lines)
    turned.rows = std::max (turned.rows, first (y + lines - 1) + window.rows - first (y));
  turned.rows = int (round_up (turned.rows, unit));
  part.weights.resize (round_up (part.weights.size (), lines));
  turned.row_weights = cl_int (part.weights.size ());
  for (int y = 0; y < height; y += lines)
    for (int row = first (y); row < first (y) + turned.rows; row += unit)
      for (int line = y; line < y + lines; line++)
        part.weights.push_back (
            bytes ? std::bit_cast<cl_float> (cl_uint (steps (row, line) & 0xffff) | cl_uint (steps (row + 1, line)) << 16)
                  : weight (row, line));
  turned.column_weights = cl_int (part.weights.size ());
  for (int tap = 0; tap < window.columns; tap++)
    for (int x = 0; x < width; x++)
      part.weights.push_back (
          part.weights[size_t (window.column_weights + x * window.columns + tap)] / (bytes ? byte_weight : 1));
}

/* The loops of small windows are unrolled, which takes a third less time on an H100. If local memory cannot hold a tile, each
 * item sums its own columns. */
void
FrameConverter::fit_windows (Part &part, const ConvertTask &task)
{
  constexpr int small = 3, most_lines = 4;
  constexpr size_t local_bytes = 32768; /* every device has at least this */
  int longest = 0, samples = 0, sides = 0;
  for (size_t i = 0; i < part.sources.size (); i++) {
    const int side = std::max (part.numbers.in[i].rows, part.numbers.in[i].columns);
    sides |= side << 4 * i;
    longest = std::max (longest, side);
    samples = std::max (samples, tile_samples (part, task, i));
  }
  samples = int (round_up (samples, 2 * convert_group[0])); /* rounded, so that a few programs serve all sizes */
  const Part::Window &first = part.numbers.in[0];
  const bool is_apart = 2 * first.width > 3 * part.rect.width; /* whether windows are apart by about two pixels */
  const size_t line_bytes = convert_group[1] * samples * sizeof (cl_float);
  part.options += {{"WINDOWS", longest <= small ? sides : 0}};
  part.is_tiled = longest > small && line_bytes <= local_bytes;
  if (!part.is_tiled) {
    part.options += {{"TILE_SAMPLES", 0}};
    return;
  }
  part.item_lines = most_lines * line_bytes <= local_bytes ? most_lines : 1;
  part.options += {{"TILE_SAMPLES", samples}, {"ITEM_LINES", part.item_lines}, {"TILE_SPLIT", is_apart},
      {"GROUP_COLUMNS", int (convert_group[0])}, {"GROUP_ROWS", int (convert_group[1])}};
  const auto fits_bytes = [&] (size_t i) { return part.numbers.in[i].rows <= most_byte_rows; };
  const bool bytes =
      is_bytes (task.src_format) && std::ranges::all_of (std::views::iota (size_t (0), part.sources.size ()), fits_bytes);
  part.options += {{"BYTE_COLUMNS", bytes}};
  for (size_t i = 0; i < part.sources.size (); i++)
    turn_weights (part, i, bytes);
}

std::optional<PairTables>
FrameConverter::pair_tables (const Part &part, const ConvertTask &task) const
{
  if (!is_bytes (task.src_format) || !is_bytes (task.dst_format) || part.is_tiled || dither_for (task))
    return std::nullopt;
  std::vector<PairSource> sources;
  for (size_t i = 0; i < part.sources.size (); i++) {
    const Part::Window &window = part.numbers.in[i];
    const auto windows = [&] (int taps, int n, cl_int starts, cl_int weights) {
      return Windows{
          taps, std::span (part.starts).subspan (starts, n), std::span (part.weights).subspan (weights, size_t (n) * taps)};
    };
    sources.push_back ({task.src[part.sources[i]].layout->samples_per_pixel, window.width,
        windows (window.columns, part.rect.width, window.column_starts, window.column_weights),
        windows (window.rows, part.rect.height, window.row_starts, window.row_weights)});
  }
  return make_pair_tables (sources);
}

/* For sums of weighted bytes with a bias; results are in 256ths. */
FrameConverter::Part::Pairs
FrameConverter::make_pairs (const Part &part, const PairTables &tables, const ScratchName &name)
{
  Part::Pairs pairs{tables.options, {name.with ("pairs", part.planes[0]), tables.columns},
      {name.with ("pair rows", part.planes[0]), tables.rows}, part.numbers.factors, part.numbers.constants};
  constexpr int whole = 256;
  for (size_t o = 0; o < pairs.factors.size (); o++) {
    double constant = double (pairs.constants[o]) / whole;
    for (cl_float &factor : pairs.factors[o]) {
      factor /= cl_float (pair_whole_weight) * whole;
      constant -= double (factor) * pair_bias;
    }
    pairs.constants[o] = cl_float (constant);
  }
  return pairs;
}

}  // namespace gst::cl

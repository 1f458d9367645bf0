/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/convert_pairs.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gst::cl {

namespace {

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

}  // namespace

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

}  // namespace gst::cl

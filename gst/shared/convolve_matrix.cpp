/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shared/convolve_matrix.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace gst::cl {

namespace {

bool
is_space (char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Reads taps row by row, and tracks the position for messages, which count from 1. */
class MatrixReader {
public:
  explicit MatrixReader (std::string_view text) : text_ (text) {}

  ConvolveParse read ()
  {
    ConvolveMatrix matrix;
    do {
      if (!read_row (matrix))
        return {std::nullopt, error_};
    } while (take (';'));
    return {std::move (matrix), {}};
  }

private:
  bool read_row (ConvolveMatrix &matrix)
  {
    const std::size_t start = position_;
    row_++;
    tap_ = 0;
    skip_spaces ();
    if (at_end_of_row ())
      return fail (start, row_ == 1 && position_ == text_.size () ? "the matrix is empty" : "the row has no taps",
          "write rows separated by ';', for example \"0 -1 0; -1 5 -1; 0 -1 0\"");
    if (row_ > ConvolveMatrix::max_side)
      return fail (start, "there are more than 31 rows", "a matrix has 1 to 31 rows");
    while (true) {
      if (take (','))
        return fail (position_ - 1, "a tap is missing next to ','", "write one comma or spaces between two taps");
      if (!read_tap (matrix))
        return false;
      skip_spaces ();
      const std::size_t comma = position_;
      const bool has_comma = take (',');
      skip_spaces ();
      if (has_comma && at_end_of_row ())
        return fail (comma, "a tap is missing next to ','", "write one comma or spaces between two taps");
      if (at_end_of_row ())
        break;
    }
    if (row_ == 1)
      matrix.width = tap_;
    if (const int taps = std::exchange (tap_, 0); taps != matrix.width)
      return fail (start, "taps in the row: " + std::to_string (taps) + ", in the first row: " + std::to_string (matrix.width),
          "every row must have the same number of taps");
    matrix.height = row_;
    return true;
  }

  bool read_tap (ConvolveMatrix &matrix)
  {
    std::size_t end = position_;
    while (end < text_.size () && !is_space (text_[end]) && text_[end] != ',' && text_[end] != ';')
      end++;
    const std::string_view token = text_.substr (position_, end - position_);
    tap_++;
    if (tap_ > ConvolveMatrix::max_side)
      return fail (position_, "the row has more than 31 taps", "a row has 1 to 31 taps");
    /* from_chars takes no leading plus. */
    const bool plus = token.size () > 1 && token[0] == '+' && token[1] != '-' && token[1] != '+';
    const char *first = token.data () + (plus ? 1 : 0), *last = token.data () + token.size ();
    double value = 0;
    const auto [stop, status] = std::from_chars (first, last, value);
    if (status == std::errc::result_out_of_range)
      return fail (position_, "'" + std::string (token) + "' is out of range", "use a number that a double can hold");
    if (token.empty () || status != std::errc () || stop != last || !std::isfinite (value))
      return fail (position_, "'" + std::string (token) + "' is not a number",
          "write numbers such as 1, -0.5 or 2e-3, with spaces between them");
    matrix.taps.push_back (value);
    position_ = end;
    return true;
  }

  void skip_spaces ()
  {
    while (position_ < text_.size () && is_space (text_[position_]))
      position_++;
  }

  bool at_end_of_row () const { return position_ == text_.size () || text_[position_] == ';'; }

  bool take (char c)
  {
    if (position_ == text_.size () || text_[position_] != c)
      return false;
    position_++;
    return true;
  }

  bool fail (std::size_t position, const std::string &what, const std::string &advice)
  {
    error_ = "row " + std::to_string (row_) + (tap_ > 0 ? ", tap " + std::to_string (tap_) : std::string ()) + " (character "
             + std::to_string (position + 1) + "): " + what + "; " + advice;
    return false;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int row_ = 0;
  int tap_ = 0;
  std::string error_;
};

ConvolveMatrix
square (int side, std::vector<double> taps)
{
  return {side, side, std::move (taps)};
}

ConvolveMatrix
outer_product (const std::vector<double> &v)
{
  ConvolveMatrix matrix{static_cast<int> (v.size ()), static_cast<int> (v.size ()), {}};
  for (double y : v)
    for (double x : v)
      matrix.taps.push_back (y * x);
  return matrix;
}

}  // namespace

ConvolveParse
convolve_parse_matrix (std::string_view text)
{
  return MatrixReader (text).read ();
}

ConvolveMatrix
convolve_preset_matrix (ConvolvePreset preset)
{
  switch (preset) {
    case ConvolvePreset::edge:
      return square (3, {-1, -1, -1, -1, 8, -1, -1, -1, -1});
    case ConvolvePreset::sharpen:
      return square (3, {0, -1, 0, -1, 5, -1, 0, -1, 0});
    case ConvolvePreset::emboss:
      return square (3, {-2, -1, 0, -1, 1, 1, 0, 1, 2});
    case ConvolvePreset::gaussian3:
      return outer_product ({1, 2, 1});
    case ConvolvePreset::gaussian5:
      return outer_product ({1, 4, 6, 4, 1});
    case ConvolvePreset::box3:
      return outer_product ({1, 1, 1});
    case ConvolvePreset::box5:
      return outer_product ({1, 1, 1, 1, 1});
    case ConvolvePreset::laplacian4:
      return square (3, {0, 1, 0, 1, -4, 1, 0, 1, 0});
    case ConvolvePreset::laplacian8:
      return square (3, {1, 1, 1, 1, -8, 1, 1, 1, 1});
    case ConvolvePreset::identity:
      break;
  }
  return square (1, {1});
}

}  // namespace gst::cl

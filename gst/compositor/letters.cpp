/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/letters.hpp"

#include <cctype>

namespace gst::cl {

namespace {

/* Seven rows of five bits, the leftmost one highest. */
using Glyph = std::array<uint8_t, 7>;

struct Letter {
  char sign;
  Glyph rows;
};

constexpr Letter letters[] = {
    {'A', {14, 17, 17, 31, 17, 17, 17}},
    {'B', {30, 17, 17, 30, 17, 17, 30}},
    {'C', {14, 17, 16, 16, 16, 17, 14}},
    {'D', {30, 17, 17, 17, 17, 17, 30}},
    {'E', {31, 16, 16, 30, 16, 16, 31}},
    {'F', {31, 16, 16, 30, 16, 16, 16}},
    {'G', {14, 17, 16, 23, 17, 17, 14}},
    {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},
    {'J', {7, 2, 2, 2, 2, 18, 12}},
    {'K', {17, 18, 20, 24, 20, 18, 17}},
    {'L', {16, 16, 16, 16, 16, 16, 31}},
    {'M', {17, 27, 21, 21, 17, 17, 17}},
    {'N', {17, 25, 21, 19, 17, 17, 17}},
    {'O', {14, 17, 17, 17, 17, 17, 14}},
    {'P', {30, 17, 17, 30, 16, 16, 16}},
    {'Q', {14, 17, 17, 17, 21, 18, 13}},
    {'R', {30, 17, 17, 30, 20, 18, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},
    {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'U', {17, 17, 17, 17, 17, 17, 14}},
    {'V', {17, 17, 17, 17, 17, 10, 4}},
    {'W', {17, 17, 17, 21, 21, 21, 10}},
    {'X', {17, 17, 10, 4, 10, 17, 17}},
    {'Y', {17, 17, 10, 4, 4, 4, 4}},
    {'Z', {31, 1, 2, 4, 8, 16, 31}},
    {'0', {14, 17, 19, 21, 25, 17, 14}},
    {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 6, 8, 16, 31}},
    {'3', {30, 1, 1, 14, 1, 1, 30}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},
    {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},
    {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},
    {' ', {0, 0, 0, 0, 0, 0, 0}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},
    {',', {0, 0, 0, 0, 12, 4, 8}},
    {':', {0, 12, 12, 0, 12, 12, 0}},
    {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'_', {0, 0, 0, 0, 0, 0, 31}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},
    {'/', {1, 1, 2, 4, 8, 16, 16}},
    {'%', {24, 25, 2, 4, 8, 19, 3}},
    {'#', {10, 10, 31, 10, 31, 10, 10}},
    {'(', {2, 4, 8, 8, 8, 4, 2}},
    {')', {8, 4, 2, 2, 2, 4, 8}},
    {'=', {0, 0, 31, 0, 31, 0, 0}},
    {'!', {4, 4, 4, 4, 4, 0, 4}},
    {'?', {14, 17, 1, 2, 4, 0, 4}},
    {'\'', {4, 4, 8, 0, 0, 0, 0}},
    {'&', {12, 18, 20, 8, 21, 18, 13}},
    {'*', {0, 21, 14, 31, 14, 21, 0}},
};

/* Unknown characters are drawn as a frame. */
Glyph
glyph_of (char sign)
{
  const char capital = char (std::toupper (static_cast<unsigned char> (sign)));
  for (const Letter &letter : letters)
    if (letter.sign == capital)
      return letter.rows;
  return {31, 17, 17, 17, 17, 17, 31};
}

/* One sign for each character of UTF-8. */
bool
begins_character (char byte)
{
  return (static_cast<unsigned char> (byte) & 0xc0) != 0x80;
}

}  // namespace

Lettering
letter (const std::string &text)
{
  std::string signs;
  for (const char byte : text)
    if (begins_character (byte))
      signs += byte;
  Lettering result{int (signs.size ()) * cell_width + 1, cell_height, {}};
  result.bits.assign (size_t (result.width) * result.height, 0);
  for (size_t i = 0; i < signs.size (); i++) {
    const Glyph glyph = glyph_of (signs[i]);
    for (size_t row = 0; row < glyph.size (); row++)
      for (int column = 0; column < 5; column++)
        result.bits[(row + 1) * result.width + i * cell_width + 1 + column] = glyph[row] >> (4 - column) & 1;
  }
  return result;
}

}  // namespace gst::cl

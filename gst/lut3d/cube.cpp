/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lut3d/cube.hpp"

#include "core/text.hpp"

#include <CL/cl_half.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace gst::cl {

namespace {

constexpr int most_title = 400;

/* Converts a value of video range, 64 .. 940 of 1023, to full scale. */
float
of_video_range (float v)
{
  return (v * 1023 - 64) / (940 - 64);
}

class CubeParser {
public:
  CubeParser (std::string content, const std::string &name_) : file (plain_text (std::move (content))), name (name_) {}

  Cube parse ()
  {
    for (std::string line; std::getline (file, line);) {
      number++;
      take_line (line);
    }
    number++;
    if (!cube.curve_size && !cube.cube_size)
      refuse ("the file ends without LUT_1D_SIZE or LUT_3D_SIZE");
    if (entries () < wanted ())
      refuse ("the file ends after " + std::to_string (entries ()) + " of " + std::to_string (wanted ()) + " entries");
    if (cube.curve_size)
      finish_domain (cube.curve_low, cube.curve_high, reads_video);
    if (cube.cube_size)
      finish_domain (cube.cube_low, cube.cube_high, reads_video && !cube.curve_size);
    return std::move (cube);
  }

private:
  [[noreturn]] void refuse (const std::string &why) const
  {
    throw Failure (
        GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, name + ", line " + std::to_string (number) + ": " + why, "");
  }

  void finish_domain (std::array<float, 3> &low, std::array<float, 3> &high, bool is_video) const
  {
    for (size_t i = 0; i < low.size (); i++) {
      if (!(low[i] < high[i]))
        refuse ("the minimum of the domain is not below its maximum");
      if (is_video) {
        low[i] = of_video_range (low[i]);
        high[i] = of_video_range (high[i]);
      }
    }
  }

  size_t entries () const { return (cube.curve.size () + cube.cube.size ()) / 4; }
  size_t wanted () const { return size_t (cube.curve_size) + size_t (cube.cube_size) * cube.cube_size * cube.cube_size; }

  void take_line (std::string &line)
  {
    if (line.find ('\0') != std::string::npos)
      refuse ("this is not text");
    line = line.substr (0, line.find ('#'));
    std::istringstream words (line);
    std::string word;
    if (!(words >> word))
      return;
    if (is_number (word))
      return take_entry (line);
    std::ranges::transform (word, word.begin (), g_ascii_toupper);
    take_keyword (word, words);
  }

  /* Also true after the size for words that only look like a number; text before it may begin with "3D". */
  bool is_number (const std::string &word) const
  {
    gchar *end = nullptr;
    g_ascii_strtod (word.c_str (), &end);
    const size_t first = word.find_first_not_of ("+-.");
    return !*end || (wanted () && first != std::string::npos && g_ascii_isdigit (word[first]));
  }

  /* Skips titles and keywords of other programs. */
  void take_keyword (const std::string &keyword, std::istringstream &words)
  {
    if (keyword == "LUT_1D_SIZE")
      cube.curve_size = take_size (words, keyword, Cube::largest_curve);
    else if (keyword == "LUT_3D_SIZE")
      cube.cube_size = take_size (words, keyword, Cube::largest_cube);
    else if (keyword == "DOMAIN_MIN")
      cube.curve_low = cube.cube_low = take_three (words, keyword);
    else if (keyword == "DOMAIN_MAX")
      cube.curve_high = cube.cube_high = take_three (words, keyword);
    else if (keyword == "LUT_1D_INPUT_RANGE")
      take_range (words, keyword, cube.curve_low, cube.curve_high);
    else if (keyword == "LUT_3D_INPUT_RANGE")
      take_range (words, keyword, cube.cube_low, cube.cube_high);
    else if (keyword == "LUT_IN_VIDEO_RANGE")
      reads_video = true;
    else if (keyword == "LUT_OUT_VIDEO_RANGE")
      gives_video = true;
    else
      return;
    if (entries ())
      refuse (keyword + " comes after the entries");
  }

  /* All remaining numbers of a line, parsed in the C locale. */
  std::vector<float> take_numbers (std::istringstream &words) const
  {
    std::vector<float> numbers;
    for (std::string word; words >> word;) {
      gchar *end = nullptr;
      const double v = g_ascii_strtod (word.c_str (), &end);
      if (*end || !std::isfinite (float (v)))
        refuse ("\"" + word.substr (0, most_title) + "\" is not a number");
      numbers.push_back (float (v));
    }
    return numbers;
  }

  std::array<float, 3> take_three (std::istringstream &words, const std::string &what) const
  {
    const std::vector<float> numbers = take_numbers (words);
    if (numbers.size () != 3)
      refuse (what + " needs three numbers, not " + std::to_string (numbers.size ()));
    return {numbers[0], numbers[1], numbers[2]};
  }

  void take_range (
      std::istringstream &words, const std::string &what, std::array<float, 3> &low, std::array<float, 3> &high) const
  {
    const std::vector<float> numbers = take_numbers (words);
    if (numbers.size () != 2)
      refuse (what + " needs two numbers, not " + std::to_string (numbers.size ()));
    low.fill (numbers[0]);
    high.fill (numbers[1]);
  }

  int take_size (std::istringstream &words, const std::string &what, int most) const
  {
    const std::vector<float> numbers = take_numbers (words);
    if (numbers.size () != 1 || numbers[0] != std::floor (numbers[0]) || numbers[0] < 2 || numbers[0] > float (most))
      refuse (what + " needs one integer from 2 to " + std::to_string (most));
    return int (numbers[0]);
  }

  void take_entry (const std::string &line)
  {
    if (!cube.curve_size && !cube.cube_size)
      refuse ("an entry comes before LUT_1D_SIZE or LUT_3D_SIZE");
    if (entries () == wanted ())
      refuse ("there are more than " + std::to_string (wanted ()) + " entries");
    std::istringstream words (line);
    std::array<float, 3> entry = take_three (words, "an entry");
    std::vector<float> &table = entries () < size_t (cube.curve_size) ? cube.curve : cube.cube;
    if (gives_video && (&table == &cube.cube || !cube.cube_size))
      std::ranges::transform (entry, entry.begin (), of_video_range);
    table.insert (table.end (), {entry[0], entry[1], entry[2], 0});
  }

  std::istringstream file;
  const std::string &name;
  Cube cube;
  /* the range of inputs of the first table, and of results of the last one */
  bool reads_video = false, gives_video = false;
  size_t number = 0;
};

}  // namespace

Cube
parse_cube (std::string content, const std::string &name)
{
  return CubeParser (std::move (content), name).parse ();
}

std::vector<std::uint16_t>
halves_of (const Cube &cube)
{
  constexpr int largest = 127;
  constexpr float most = 2;
  const size_t size = size_t (cube.cube_size);
  if (size == 0 || size > largest || !std::ranges::all_of (cube.cube, [] (float v) { return std::fabs (v) <= most; }))
    return {};
  std::vector<std::uint16_t> halves (cube.cube.size () + 4 * (1 + size + size * size));
  std::ranges::transform (cube.cube, halves.begin (), [] (float v) { return cl_half_from_float (v, CL_HALF_RTE); });
  return halves;
}

}  // namespace gst::cl

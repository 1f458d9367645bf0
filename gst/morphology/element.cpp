/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "morphology/element.hpp"

#include "shared/convolve_matrix.hpp"

#include <algorithm>
#include <charconv>

namespace gst::cl {

namespace {

std::string
number_text (double value)
{
  char text[32];
  const auto end = std::to_chars (text, text + sizeof text, value).ptr;
  return {text, end};
}

/* Appends the runs of ones of one row, relative to the anchor, which lies as in clconvolve. */
void
append_runs (std::vector<MorphologyRun> &runs, const ConvolveMatrix &matrix, int row)
{
  for (int x = 0; x < matrix.width; x++) {
    if (matrix.at (x, row) == 0)
      continue;
    const int first = x;
    while (x + 1 < matrix.width && matrix.at (x + 1, row) != 0)
      x++;
    runs.push_back ({row - matrix.height / 2, first - matrix.width / 2, x - matrix.width / 2});
  }
}

/* Part i of n almost equal parts of total. */
int
share (int total, int i, int n)
{
  return total * (i + 1) / n - total * i / n;
}

bool
contains_origin (const MorphologyReach &r)
{
  return r.left >= 0 && r.right >= 0 && r.top >= 0 && r.bottom >= 0;
}

/* Whether several steps with a rectangle equal one step with their sum. If samples outside are ignored, steps inside the frame
 * reach every sample of the sum. If the picture is mirrored or repeated, so are the results. */
bool
may_merge (const MorphologyElement &element, MorphologyBorder border)
{
  const MorphologyReach &r = element.reach ();
  if (!element.is_rectangle () || !contains_origin (r))
    return false;
  switch (border) {
    case MorphologyBorder::ignore:
    case MorphologyBorder::repeat:
      return true;
    case MorphologyBorder::mirror:
      return r.left == r.right && r.top == r.bottom;
    case MorphologyBorder::constant:
      break;
  }
  return false;
}

}  // namespace

MorphologyElement::MorphologyElement (std::vector<MorphologyRun> runs)
    : all (std::move (runs)), extent{-all[0].first, all[0].last, -all.front ().row, all.back ().row}
{
  for (const MorphologyRun &run : all) {
    extent.left = std::max (extent.left, -run.first);
    extent.right = std::max (extent.right, run.last);
  }
}

MorphologyElement
MorphologyElement::rectangle (const MorphologyReach &reach)
{
  std::vector<MorphologyRun> runs;
  for (int row = -reach.top; row <= reach.bottom; row++)
    runs.push_back ({row, -reach.left, reach.right});
  return MorphologyElement (std::move (runs));
}

MorphologyElement
MorphologyElement::of_shape (MorphologyShape shape, int rx, int ry)
{
  if (shape == MorphologyShape::rect)
    return rectangle ({rx, rx, ry, ry});
  std::vector<MorphologyRun> runs;
  for (int y = -ry; y <= ry; y++) {
    int x = y == 0 ? rx : 0;
    if (shape == MorphologyShape::ellipse)
      for (x = rx; x * x * ry * ry + y * y * rx * rx > rx * rx * ry * ry; x--)
        ;
    runs.push_back ({y, -x, x});
  }
  return MorphologyElement (std::move (runs));
}

int
MorphologyElement::samples () const
{
  int n = 0;
  for (const MorphologyRun &run : all)
    n += run.last - run.first + 1;
  return n;
}

bool
MorphologyElement::is_cross () const
{
  return contains_origin (extent) && samples () == extent.width () + extent.height () - 1
         && std::ranges::all_of (all, [this] (const MorphologyRun &run) {
              return run.row == 0 ? run.first == -extent.left && run.last == extent.right : run.first == 0 && run.last == 0;
            });
}

MorphologyElement
MorphologyElement::reflected () const
{
  std::vector<MorphologyRun> runs;
  for (auto run = all.rbegin (); run != all.rend (); ++run)
    runs.push_back ({-run->row, -run->last, -run->first});
  return MorphologyElement (std::move (runs));
}

MorphologyParse
morphology_parse_element (std::string_view text)
{
  const ConvolveParse parse = convolve_parse_matrix (text);
  if (!parse.matrix)
    return {std::nullopt, parse.error};
  const ConvolveMatrix &matrix = *parse.matrix;
  for (std::size_t i = 0; i < matrix.taps.size (); i++)
    if (matrix.taps[i] != 0 && matrix.taps[i] != 1)
      return {std::nullopt, "row " + std::to_string (i / matrix.width + 1) + ", tap " + std::to_string (i % matrix.width + 1)
                                + ": '" + number_text (matrix.taps[i])
                                + "' is neither 0 nor 1; write 0 and 1 with spaces between them"};
  std::vector<MorphologyRun> runs;
  for (int row = 0; row < matrix.height; row++)
    append_runs (runs, matrix, row);
  if (runs.empty ())
    return {std::nullopt, "there are only '0'; a structuring element has at least one 1"};
  return {MorphologyElement (std::move (runs)), {}};
}

std::vector<MorphologyStep>
morphology_steps (const MorphologyElement &element, bool dilate, int iterations, MorphologyBorder border, int width, int height)
{
  const MorphologyElement lying = dilate ? element.reflected () : element;
  if (iterations == 1 || !may_merge (lying, border))
    return std::vector<MorphologyStep> (iterations, {dilate, lying});

  /* a window larger than the plane plus one sample adds nothing new */
  const MorphologyReach &r = lying.reach ();
  const MorphologyReach sum{std::min (r.left * iterations, width), std::min (r.right * iterations, width),
      std::min (r.top * iterations, height), std::min (r.bottom * iterations, height)};
  const int most = std::max ({sum.left, sum.right, sum.top, sum.bottom});
  const int n = std::max (1, (most + morphology_max_reach - 1) / morphology_max_reach);
  std::vector<MorphologyStep> steps;
  for (int i = 0; i < n; i++)
    steps.push_back ({dilate, MorphologyElement::rectangle ({share (sum.left, i, n), share (sum.right, i, n),
                                  share (sum.top, i, n), share (sum.bottom, i, n)})});
  return steps;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The slow, simple implementations of tests/reference, as the CPU's part of the documents' tables. */
#include "sources.hpp"

#ifdef HAVE_REFERENCE

#include "../../tests/filters/bilateral/reference.hpp"
#include "../../tests/filters/blur/reference.hpp"
#include "../../tests/filters/convolve/reference.hpp"
#include "../../tests/filters/edges/reference.hpp"
#include "../../tests/filters/equalize/reference.hpp"
#include "../../tests/filters/histogram/reference.hpp"
#include "../../tests/filters/median/reference.hpp"
#include "../../tests/filters/morphology/reference.hpp"
#include "../../tests/filters/noise/reference.hpp"

namespace bench {

namespace {

using Work = std::function<void (const ref::Picture &)>;

const std::string &
property (const Case &what, const char *name)
{
  static const std::string none;
  for (const auto &[key, value] : what.properties)
    if (key == name)
      return value;
  return none;
}

ref::Matrix
matrix_of (const Case &what)
{
  ref::Matrix matrix;
  const auto edge = size_t (what.window);
  for (size_t row = 0; row < edge; row++)
    matrix.emplace_back (what.taps.begin () + long (row * edge), what.taps.begin () + long ((row + 1) * edge));
  return matrix;
}

Work
neighbourhood_work (const Case &what)
{
  const ref::Border border;
  switch (what.operation) {
    case Operation::convolve:
      return [settings = ref::Convolve{.matrix = matrix_of (what)}, border] (
                 const ref::Picture &in) { ref::convolve (in, settings, border); };
    case Operation::edges: {
      const auto which = what.filter == "prewitt" ? ref::Edges::Prewitt : ref::Edges::Sobel;
      return [which, border] (const ref::Picture &in) { ref::edges (in, {.which = which}, border); };
    }
    case Operation::median:
      return [radius = what.window / 2, border] (const ref::Picture &in) { ref::median (in, {.radius = radius}, border); };
    case Operation::bilateral: {
      ref::Bilateral settings{.sigma_space = what.sigma_space, .sigma_range = what.sigma_range, .radius = what.window / 2};
      if (property (what, "distance") == "per-component")
        settings.distance = ref::Bilateral::PerComponent;
      return [settings, border] (const ref::Picture &in) { ref::bilateral (in, settings, border); };
    }
    case Operation::erode:
      return [radius = what.window / 2, border] (
                 const ref::Picture &in) { ref::morphology (in, {.operation = "erode", .radius = radius}, border); };
    default:
      return {};
  }
}

Work
work_of (const Case &what, Size size)
{
  const ref::Rectangle all{0, 0, size.width, size.height};
  switch (what.operation) {
    case Operation::equalize:
      return [all] (const ref::Picture &in) { ref::equalize (in, {}, all); };
    case Operation::histogram: {
      const std::string bins = property (what, "bins");
      return [all, n = bins.empty () ? 256 : std::stoi (bins)] (const ref::Picture &in) {
        for (const ref::Component &component : in.components)
          ref::histogram (in, component, all, n);
      };
    }
    case Operation::noise:
      return [] (const ref::Picture &in) { ref::noise (in, {}, 0); };
    default:
      return neighbourhood_work (what);
  }
}

/* Three components of RGBA, as in the documents' pictures. */
ref::Picture
picture_of (const Frames &frames)
{
  const bool gray = frames.format == "GRAY8";
  ref::Picture picture =
      ref::make_picture (gray ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_RGB, frames.size.width, frames.size.height);
  const std::vector<uint8_t> &pixels = frames.pixels.front ();
  for (size_t c = 0; c < picture.components.size (); c++)
    for (size_t i = 0; i < picture.components[c].value.size (); i++)
      picture.components[c].value[i] = pixels[gray ? i : 4 * i + c];
  return picture;
}

}  // namespace

std::optional<Contender>
plain_contender (const Case &what, const Frames &frames)
{
  /* these implementations are slow and keep every sample as an integer */
  constexpr double most_pixels = 4096.0 * 4096, most_samples_in_windows = 3e9;
  const double pixels = double (frames.size.width) * frames.size.height;
  const double reads = pixels * what.window * what.window * (frames.format == "GRAY8" ? 1 : 3);
  const Work work = work_of (what, frames.size);
  if (!work || pixels > most_pixels || reads > most_samples_in_windows)
    return std::nullopt;
  return Contender{plain_code,
      [work, picture = std::make_shared<ref::Picture> (picture_of (frames))] {
        const double begin = now_us ();
        work (*picture);
        return now_us () - begin;
      },
      3};
}

}  // namespace bench

#else

namespace bench {

std::optional<Contender>
plain_contender (const Case &, const Frames &)
{
  return std::nullopt;
}

}  // namespace bench

#endif

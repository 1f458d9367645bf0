/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The documents' measurements of filters, and their published figures. */
#include "sources.hpp"

namespace bench {

namespace {

constexpr Size hd{1280, 720};

Size
square (int edge)
{
  return {edge, edge};
}

/* Integer taps, as in the documents' fixed kernels. */
Case
matrix_case (const char *title, int window, std::vector<float> taps, const char *preset)
{
  return {title, window, title, Operation::convolve, "clconvolve", {{"preset", preset}}, 7, std::move (taps), true};
}

Case
bilateral_case (const char *title, const char *distance)
{
  return {title, 9, title, Operation::bilateral, "clbilateral",
      {{"radius", "4"}, {"sigma-space", "2"}, {"sigma-range", "0.1"}, {"distance", distance}}, 7, {}, false, 2, 0.1};
}

Case
histogram_case (const char *title, const char *bins)
{
  Case c{title, 1, title, Operation::histogram, "clhistogram", {{"bins", bins}, {"components", "7"}}, 7};
  c.looks_only = true;
  return c;
}

Case
in_gray (Case c)
{
  c.gray = true;
  return c;
}

/* A threshold followed by erosion, which the document counts as one filter. */
Case
erode_case_of_a ()
{
  Case c{"threshold and erosion", 3, "threshold and erosion", Operation::threshold, "clthreshold", {}, 7, {}};
  c.chain.push_back ({"clerode", {}, 7});
  return c;
}

/* OpenCV needs two calls for this, so it is added here; all other cases are known to peers. */
void
append_opencv (const Case &what, const Frames &frames, std::vector<Contender> &contenders)
{
#ifdef HAVE_OPENCV
  if (!what.chain.empty ())
    return;
  if (std::optional<Contender> contender = make_opencv ()->contender (what, frames)) {
    contender->name = "OpenCV, all threads";
    contenders.push_back (std::move (*contender));
  }
#endif
}

void
measure_filter (Sources &sources, SourceTable &table, const Case &what, const Frames &frames, const char *published)
{
  std::vector<Contender> contenders;
  if (what.chain.empty ())
    if (std::optional<Contender> plain = plain_contender (what, frames))
      contenders.push_back (std::move (*plain));
  append_opencv (what, frames, contenders);
  for (const SourceDevice &device : sources.devices) {
    try {
      Contender kernel = kernel_contender (device.context.get (), device.device, what, frames);
      kernel.name = device.device.name + ", kernel";
      contenders.push_back (std::move (kernel));
      if (what.looks_only)
        continue;
      Contender whole = pipeline_contender (system_pipeline,
          std::make_shared<Pipeline> (device.context.get (), device.device.index, what, frames, Memory::system, false));
      whole.name = device.device.name + ", whole";
      contenders.push_back (std::move (whole));
    } catch (const std::exception &error) {
      sources.notes.push_back (what.title + " on " + device.device.name + ": " + error.what ());
    }
  }
  sources.add (table, {what.title, frames.size.text () + (what.gray ? " gray" : ""), published}, contenders);
}

Frames
frames_for (Size size, bool gray)
{
  const Frames frames = make_moved_frames (size);
  return gray ? gray_of (frames) : frames;
}

void
measure_a (Sources &sources)
{
  SourceTable &table = sources.tables.emplace_back (SourceTable{
      "a", "A. Filters of 720p video, 3 components (HD5770; one thread of a Core i7 920)", SourceUnit::frames_a_second});
  const Frames frames = frames_for (hd, false);
  const std::pair<Case, const char *> rows[] = {
      {matrix_case ("convolution 3x3, 8 in the middle", 3, {-1, -1, -1, -1, 8, -1, -1, -1, -1}, "edge"),
          "GPU 19.4, CPU 5.1; 25 wished for"},
      {find_case ("prewitt 3"), "GPU 18.8, CPU 4.4"},
      {find_case ("median 3"), "GPU 12.7, CPU 0.47"},
      {find_case ("emboss 3"), ""},
      {matrix_case ("sharpen", 3, {0, -1, 0, -1, 5, -1, 0, -1, 0}, "sharpen"), ""},
      {find_case ("equalize 1"), "CPU only"},
      {erode_case_of_a (), ""},
      {find_case ("noise 1"), "CPU only"},
  };
  for (auto [what, published] : rows) {
    what.planes = 7;
    measure_filter (sources, table, what, frames, published);
  }
}

void
measure_b (Sources &sources)
{
  SourceTable &equalize = sources.tables.emplace_back (
      SourceTable{"b", "B. Histogram equalisation by size (start-up counted in the published times)"});
  for (int edge : {512, 1024, 2048, 4096, 8192})
    measure_filter (sources, equalize, find_case ("equalize-gray 1"), frames_for (square (edge), true),
        edge == 512    ? "OpenCL 241, CPU 1"
        : edge == 8192 ? "OpenCL 458, CPU 432"
                       : "OpenCL 241 to 458, CPU 1 to 432");
  SourceTable &sharpen =
      sources.tables.emplace_back (SourceTable{"b", "B. Sharpening by size (start-up counted in the published times)"});
  for (int edge : {256, 512, 1024, 2048, 4096})
    measure_filter (sources, sharpen, in_gray (matrix_case ("sharpen", 3, {0, -1, 0, -1, 5, -1, 0, -1, 0}, "sharpen")),
        frames_for (square (edge), true),
        edge == 256    ? "OpenCL 250, CPU 2"
        : edge == 4096 ? "OpenCL 580, CPU 704"
                       : "OpenCL 250 to 580, CPU 2 to 704");
}

/* The document's pictures were floats; these are bytes, for OpenCV as well. */
void
measure_c (Sources &sources)
{
  SourceTable &table = sources.tables.emplace_back (
      SourceTable{"c", "C. Convolution by size (GeForce 330M; Matlab, IPP, its SDK and FFT beside it)"});
  const auto direct_text = [] (int edge) {
    return edge == 1024   ? "direct 7.3 (kernel 2.262, at first 6.537), Matlab 21.8, IPP 5.6, SDK 7.0, FFT 11"
           : edge == 4096 ? "direct 7.3 to 626, Matlab 21.8 to 1292, IPP 5.6 to 154, SDK 7.0 to 476, FFT 211"
           : edge == 8192 ? "direct 626, Matlab 1292, IPP 154, SDK 476"
                          : "direct 7.3 to 626, Matlab 21.8 to 1292, IPP 5.6 to 154, SDK 7.0 to 476, FFT 11 to 211";
  };
  for (int edge : {1024, 2048, 4096, 8192}) {
    const Frames frames = frames_for (square (edge), true);
    Case direct = in_gray (convolve_case (3, false));
    direct.title = "direct 3x3";
    measure_filter (sources, table, direct, frames, direct_text (edge));
    /* clconvolve uses one pass for such a small matrix, whatever its rank */
    Case separable = in_gray (blur_case (0.85, 1));
    separable.title = "separable 3x3";
    measure_filter (sources, table, separable, frames,
        edge == 1024   ? "separable 7.2 (kernel 1.966)"
        : edge == 8192 ? "separable 614"
                       : "separable 7.2 to 614");
  }
  SourceTable rates = table;
  rates.title = "C. The same as a rate";
  rates.unit = SourceUnit::gflop_s;
  for (SourceRow &row : rates.rows) {
    constexpr double of_direct = 2 * 9, of_separable = 2 * (3 + 3);
    const double edge = std::stod (row.size);
    row.amount = edge * edge * (row.what.starts_with ("direct") ? of_direct : of_separable);
    row.published = row.what.starts_with ("direct") && edge == 1024 ? "kernel 4.19" : "";
  }
  sources.tables.push_back (std::move (rates));
}

void
measure_d (Sources &sources)
{
  SourceTable &table = sources.tables.emplace_back (SourceTable{"d", "D. Bilateral 9x9 and histograms of 720p, 3 components"});
  const Frames frames = frames_for (hd, false);
  const char *const published = "GTX 295 4.8 (at first 440), HD5850 8.2, 8800 GT 14, 9400M 200, Core 2 Duo 2400";
  measure_filter (sources, table, bilateral_case ("bilateral 9x9 by intensity", "intensity"), frames, published);
  measure_filter (sources, table, bilateral_case ("bilateral 9x9 per component", "per-component"), frames, "");
  measure_filter (sources, table, histogram_case ("histogram of 64 bins", "64"), frames, "0.6 to 3.4, CPU 3.3");
  measure_filter (sources, table, histogram_case ("histogram of 256 bins", "256"), frames, "0.6 to 3.4, CPU 3.3");
}

void
measure_e (Sources &sources)
{
  SourceTable &table = sources.tables.emplace_back (
      SourceTable{"e", "E. Median by window and size (Tesla P40: 200 to 400 times its CPU, which was std::nth_element)",
          SourceUnit::mean_and_deviation});
  for (const Size size : {Size{640, 480}, hd, Size{1920, 1080}}) {
    const Frames frames = frames_for (size, true);
    for (int window : {3, 5, 7, 9, 11, 13, 15})
      measure_filter (sources, table, in_gray (median_case (window)), frames, "");
  }
}

}  // namespace

void
measure_filters (Sources &sources)
{
  const std::pair<const char *, void (*) (Sources &)> parts[] = {
      {"a", measure_a}, {"b", measure_b}, {"c", measure_c}, {"d", measure_d}, {"e", measure_e}};
  for (const auto &[part, run] : parts)
    if (sources.options.wants_part (part))
      run (sources);
}

}  // namespace bench

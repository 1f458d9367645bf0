/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel time against the number of pixels and against window size; and kernel time per byte, for formats of decoders and cameras
 * compared to planar formats of the same depth. */
#include "../../pipelines/apps/common/mappedframe.hpp"
#include "growth.hpp"

#include <gst/video/video.h>

#include <algorithm>
#include <memory>

namespace bench {

namespace {

/** How much faster than proportionally a time may grow and still count as linear, and how much a flat one may grow. Effects of
 *  caches on small frames, and of windows at block edges, stay below this. */
constexpr double tolerance = 1.25;

constexpr const char *copy_line = "copy limit";

/* One point of a line, with the number of samples. */
struct Ask {
  std::string line;
  Case what;
  const Frames *frames;
  double x;
};

Samples &
samples_at (Plot &plot, const std::string &name, double x)
{
  for (Line &line : plot.lines)
    for (auto &[at, samples] : line.points)
      if (line.name == name && at == x)
        return samples;
  return plot.at (name, x, name == copy_line);
}

/* Adds samples of the element, or of the copy limit if there is none. */
void
measure_point (Growth &growth, Plot &plot, const Ask &ask, const Effort &effort)
{
  try {
    const bool is_copy = ask.what.element.empty ();
    const Contender contender = is_copy ? copy_contender (growth.context, ask.frames->bytes ())
                                        : kernel_contender (growth.context, growth.device, ask.what, *ask.frames);
    const Outcome outcome = growth.measure (ask.frames->size.text () + " " + ask.what.title, {contender}, effort);
    for (const auto &[name, reason] : outcome.failures)
      plot.notes.push_back (ask.what.title + " at " + ask.frames->size.text () + ": " + reason);
    for (const auto &[name, taken] : outcome.times)
      for (double us : taken.us)
        samples_at (plot, ask.line, ask.x).us.push_back (us / 1000);
  } catch (const std::exception &error) { /* a small device */
    plot.notes.push_back (ask.what.title + " at " + ask.frames->size.text () + ": " + error.what ());
  }
}

/* The points of a line are measured at different times, and other load only makes times longer, so the shortest samples are
 * compared. Time may grow like pixels or like the copy, whichever grows faster, because frames in caches are copied faster. */
Verdict
judge_linear (const Plot &plot, const Line &line)
{
  const Line *copy = plot.find (copy_line);
  Verdict verdict{line.name + ", time linear in pixels", 1, std::nullopt};
  for (size_t i = 1; copy && i < line.points.size () && i < copy->points.size (); i++) {
    const double pixels = line.points[i].first / line.points[i - 1].first;
    const double copies = copy->points[i].second.minimum () / copy->points[i - 1].second.minimum ();
    const double allowed = tolerance * std::max (pixels, copies) * line.points[i - 1].second.minimum ();
    verdict.reached = std::min (verdict.reached.value_or (1e9), allowed / line.points[i].second.minimum ());
  }
  if (!verdict.reached)
    verdict.why = "too few sizes could be measured";
  return verdict;
}

/* From 13x13 on. */
Verdict
judge_flat (const Plot &, const Line &line)
{
  constexpr int first_window = 13;
  Verdict verdict{line.name + ", flat from 13x13 up", 1, std::nullopt};
  double base = 0;
  for (const auto &[window, samples] : line.points) {
    if (window >= first_window && base == 0)
      base = samples.minimum ();
    else if (window > first_window)
      verdict.reached = std::min (verdict.reached.value_or (1e9), tolerance * base / samples.minimum ());
  }
  if (!verdict.reached)
    verdict.why = "too few windows could be measured";
  return verdict;
}

/* Measures all points; then, up to twice, with more samples, the points of a line that misses its target. */
void
measure_lines (Growth &growth, Plot &plot, const std::vector<Ask> &asks, const std::vector<std::string> &judged,
    Verdict (*judge_line) (const Plot &, const Line &))
{
  for (const Ask &ask : asks)
    measure_point (growth, plot, ask, growth.effort ());
  for (const std::string &name : judged) {
    const Line *line = plot.find (name);
    for (int again = 0; line && again < 2 && judge_line (plot, *line).missed (); again++)
      for (const Ask &ask : asks)
        if (ask.line == name || ask.line == copy_line)
          measure_point (growth, plot, ask, {21, 2, 3});
    if (line)
      growth.verdicts.push_back (judge_line (plot, *line));
  }
}

struct Family {
  const char *name;
  std::vector<int> windows, brief_windows;
  Case (*make) (int window);
  bool is_flat;
};

const Family families[] = {
    {"median", {3, 5, 7, 9, 11, 13, 15, 21, 31, 63, 127, 255}, {13, 31, 127}, median_case, true},
    {"box", {3, 5, 9, 13, 21, 31, 63, 127, 255}, {13, 31, 127}, [] (int window) { return box_case (window / 2); }, true},
    {"gaussian", {5, 7, 13, 21, 31, 63, 127}, {}, [] (int window) { return blur_case (window / 6.0, window / 2); }, false},
    {"erode", {3, 5, 9, 15, 31, 63, 127, 255}, {}, [] (int window) { return erode_case (window / 2); }, false},
    {"convolve, real taps", {3, 5, 7, 9, 11, 15, 21, 31}, {}, [] (int window) { return convolve_case (window, false); }, false},
};

}  // namespace

void
grow_pixels (Growth &growth)
{
  std::vector<Size> sizes{{640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}, {7680, 4320}};
  std::vector<const char *> keys{"convolve-int 3", "convolve-int 7", "median 3", "median 15", "blur 13", "box 21",
      "bilateral 5", "erode 15", "sobel 3", "equalize 1", "threshold 1", "noise 1"};
  if (growth.brief ()) {
    sizes = {{640, 480}, {1920, 1080}, {7680, 4320}};
    keys = {"convolve-int 3", "median 3", "median 15", "blur 13"};
  }
  Plot &plot = growth.plots.emplace_back (
      Plot{"pixels", growth.device.name, "kernel time against pixels", "megapixels", "milliseconds a frame", true, true});
  std::vector<std::unique_ptr<Frames>> frames;
  std::vector<Ask> asks;
  std::vector<std::string> lines;
  for (const char *key : keys)
    lines.push_back (find_case (key).title);
  for (const Size &size : sizes) {
    frames.push_back (std::make_unique<Frames> (make_moved_frames (size)));
    const double x = double (size.width) * size.height / 1e6;
    asks.push_back ({copy_line, {.title = copy_line}, frames.back ().get (), x});
    for (const char *key : keys)
      asks.push_back ({find_case (key).title, find_case (key), frames.back ().get (), x});
  }
  measure_lines (growth, plot, asks, lines, judge_linear);
}

void
grow_windows (Growth &growth)
{
  const Size size = growth.size ();
  const Frames frames = make_moved_frames (size);
  Plot &plot = growth.plots.emplace_back (
      Plot{"windows", growth.device.name, "kernel time against the window, " + size.text () + " RGBA",
          "edge of the window, pixels", "milliseconds a frame", true, true});
  std::vector<Ask> asks;
  std::vector<std::string> flat;
  for (const Family &family : families) {
    const std::vector<int> &windows = growth.brief () ? family.brief_windows : family.windows;
    for (int window : windows)
      asks.push_back ({family.name, family.make (window), &frames, double (window)});
    if (family.is_flat)
      flat.push_back (family.name);
  }
  for (double x : {3.0, growth.brief () ? 127.0 : 255.0})
    asks.push_back ({copy_line, {.title = copy_line}, &frames, x});
  measure_lines (growth, plot, asks, flat, judge_flat);
}

namespace {

/** A byte may take this many times as long as in the planar format. */
constexpr double byte_tolerance = 1.15;

struct Compared {
  const char *format, *twin;
};
constexpr Compared formats[] = {{"RGBA", ""}, {"GRAY8", ""}, {"I420", ""}, {"NV12", "I420"}, {"Y42B", ""}, {"YUY2", "Y42B"},
    {"I420_10LE", ""}, {"P010_10LE", "I420_10LE"}};

std::vector<Case>
compared_cases ()
{
  Case sobel = find_case ("sobel 3"), threshold = find_case ("threshold 1");
  sobel.properties = threshold.properties = {}; /* with default properties */
  std::vector<Case> all{find_case ("convolve-int 3"), find_case ("median 3"), find_case ("gaussian 13"), sobel, threshold,
      find_case ("clahe-gray 1")};
  for (Case &c : all)
    c.planes = 7;
  all.back ().title = "equalize, clahe";
  return all;
}

Frames
convert_frames (const Frames &rgba, const char *format)
{
  GstVideoInfo from, to;
  const auto width = guint (rgba.size.width), height = guint (rgba.size.height);
  gst_video_info_set_format (&from, gst_video_format_from_string (rgba.format.c_str ()), width, height);
  gst_video_info_set_format (&to, gst_video_format_from_string (format), width, height);
  const std::unique_ptr<GstVideoConverter, decltype (&gst_video_converter_free)> converter (
      gst_video_converter_new (&from, &to, nullptr), gst_video_converter_free);
  Frames frames{rgba.size, {}, rgba.origin, format};
  for (const std::vector<uint8_t> &pixels : rgba.pixels) {
    std::vector<uint8_t> &result = frames.pixels.emplace_back (GST_VIDEO_INFO_SIZE (&to));
    const Buffer in (gst_buffer_new_wrapped_full (
        GST_MEMORY_FLAG_READONLY, gpointer (pixels.data ()), pixels.size (), 0, pixels.size (), nullptr, nullptr));
    const Buffer out (
        gst_buffer_new_wrapped_full (GstMemoryFlags (0), result.data (), result.size (), 0, result.size (), nullptr, nullptr));
    const MappedFrame source (&from, in.get (), GST_MAP_READ);
    MappedFrame target (&to, out.get (), GST_MAP_WRITE);
    ensure (source && target, "a frame could not be converted");
    gst_video_converter_frame (converter.get (), &source.frame, &target.frame);
  }
  return frames;
}

/* Microseconds per megabyte for each format, in the order of formats[]. */
std::vector<Samples>
measure_formats (Growth &growth, const Case &what, const std::vector<Frames> &frames)
{
  std::vector<Contender> contenders;
  for (const Frames &each : frames) {
    contenders.push_back (kernel_contender (growth.context, growth.device, what, each));
    contenders.back ().name = each.format;
  }
  const Outcome outcome = growth.measure ("formats, " + what.title, contenders, growth.effort ());
  std::vector<Samples> all;
  for (const Frames &each : frames) {
    const auto found = outcome.times.find (each.format);
    const double megabytes = double (each.bytes ()) / 1e6;
    all.push_back (converted (
        found == outcome.times.end () ? Samples{} : found->second, [megabytes] (double us) { return us / megabytes; }));
  }
  return all;
}

void
judge_formats (Growth &growth, const Case &what, const std::vector<Frames> &frames, const std::vector<Samples> &times)
{
  for (size_t i = 0; i < frames.size (); i++)
    for (size_t twin = 0; twin < frames.size (); twin++) {
      if (frames[twin].format != formats[i].twin || times[i].us.empty () || times[twin].us.empty ())
        continue;
      growth.verdicts.push_back (
          {what.title + ", a byte of " + formats[i].format + " within 1.15 times one of " + formats[i].twin, 1,
              per_turn (times[twin], times[i], [] (double a, double b) { return byte_tolerance * a / b; })});
    }
}

}  // namespace

void
compare_formats (Growth &growth)
{
  const Frames rgba = make_moved_frames ({1920, 1080});
  std::vector<Frames> frames;
  for (const Compared &each : formats)
    frames.push_back (convert_frames (rgba, each.format));
  Plot &plot = growth.plots.emplace_back (Plot{
      "formats", growth.device.name, "kernel time by the byte, 1920x1080", "filter", "microseconds a megabyte", false, true});
  for (const Case &what : compared_cases ()) {
    const std::vector<Samples> times = measure_formats (growth, what, frames);
    plot.labels.push_back (what.title);
    for (size_t i = 0; i < frames.size (); i++)
      plot.at_label (formats[i].format) = times[i];
    judge_formats (growth, what, frames, times);
  }
}

}  // namespace bench

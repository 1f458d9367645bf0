/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel time per byte, for formats of decoders and cameras compared to planar formats of the same depth. */
#include "../../pipelines/apps/common/mappedframe.hpp"
#include "growth.hpp"

#include <gst/video/video.h>

#include <memory>

namespace bench {

namespace {

/** A byte may take this many times as long as in the planar format. */
constexpr double tolerance = 1.15;

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
  const Outcome outcome = measure (contenders, growth.effort (), growth.progress.detail ());
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
judge (Growth &growth, const Case &what, const std::vector<Frames> &frames, const std::vector<Samples> &times)
{
  for (size_t i = 0; i < frames.size (); i++)
    for (size_t twin = 0; twin < frames.size (); twin++) {
      if (frames[twin].format != formats[i].twin || times[i].us.empty () || times[twin].us.empty ())
        continue;
      growth.verdicts.push_back (
          {what.title + ", a byte of " + formats[i].format + " within 1.15 times one of " + formats[i].twin, 1,
              per_turn (times[twin], times[i], [] (double a, double b) { return tolerance * a / b; })});
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
  Plot plot{"formats", growth.device.name, "kernel time by the byte, 1920x1080", "filter", "microseconds a megabyte", false,
      true, {}};
  for (const Case &what : compared_cases ()) {
    growth.progress.step (growth.device.name + " formats, " + what.title);
    const std::vector<Samples> times = measure_formats (growth, what, frames);
    plot.labels.push_back (what.title);
    for (size_t i = 0; i < frames.size (); i++)
      plot.at_label (formats[i].format) = times[i];
    judge (growth, what, frames, times);
  }
  growth.plots.push_back (std::move (plot));
}

}  // namespace bench

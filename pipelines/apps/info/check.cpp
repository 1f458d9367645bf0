/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-info --check: filters three small frames with every element on a device, and compares the results with PoCL's. */
#include "core/device.hpp"

#include "../common/mappedframe.hpp"
#include "report.hpp"

#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

/** How many bytes of a result, spread evenly, are kept to estimate the size of a difference. */
constexpr size_t n_samples = 48;

struct Result {
  /** FNV-1a hash of all bytes. */
  guint64 hash = 14695981039346656037u;
  std::array<guint8, n_samples> samples{};
};

/** A launch line to check, with the format of its input, and what PoCL makes of it; samples are null before that is recorded. Each
 * element is in at least one line; clupload and cldownload are parts of other elements' lines. */
struct Known {
  const char *line, *format;
  guint64 hash;
  const char *samples;
};

const Known known_results[] = {
#include "check_results.inc"
};

constexpr int width = 163, height = 98, n_frames = 3;

Result
result_of (const std::vector<guint8> &bytes)
{
  Result result;
  for (const guint8 byte : bytes)
    result.hash = (result.hash ^ byte) * 1099511628211u;
  for (size_t n = 0; n < n_samples && !bytes.empty (); n++)
    result.samples[n] = bytes[bytes.size () * n / n_samples];
  return result;
}

/** A gradient with noise, which moves from frame to frame. */
GstBuffer *
make_frame (const GstVideoInfo &info, int number)
{
  GstBuffer *frame = gst_buffer_new_allocate (nullptr, info.size, nullptr);
  GstMapInfo map;
  gst_buffer_map (frame, &map, GST_MAP_WRITE);
  guint32 noise = 1;
  for (gsize i = 0; i < map.size; i++) {
    noise = noise * 1664525 + 1013904223;
    map.data[i] =
        guint8 (40 + (i + 2 * number) % info.stride[0] * 120 / info.stride[0] + i / info.stride[0] % 64 + (noise >> 28));
  }
  gst_buffer_unmap (frame, &map);
  GST_BUFFER_PTS (frame) = number * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
  return frame;
}

std::string
launch_of (const std::string &line, const std::string &format, const std::string &table)
{
  std::string element = line;
  if (const size_t at = element.find ("%s"); at != std::string::npos)
    element.replace (at, 2, table);
  const std::string colours = line.starts_with ("cltonemap") ? ",colorimetry=bt2100-pq" : "";
  const std::string source = "appsrc name=source format=time caps=video/x-raw,format=" + format + ",width="
                             + std::to_string (width) + ",height=" + std::to_string (height) + ",framerate=25/1" + colours;
  const std::string sink = " ! appsink name=sink sync=false";
  if (line.find ("name=two") == std::string::npos)
    return source + " ! " + element + sink;
  const char *second = line.starts_with ("clcompare") ? "two.reference" : "two.";
  return element + sink + " " + source + " ! tee name=both ! queue ! two. both. ! queue ! clflip video-direction=horiz ! "
         + second;
}

/** All frames of a launch line, appended. Throws std::runtime_error with the first error. */
std::vector<guint8>
play (const std::string &launch)
{
  const Running pipeline = parse_launch (launch);
  const Ref<GstElement> source = element_in (pipeline, "source"), sink = element_in (pipeline, "sink");
  const Caps caps (gst_app_src_get_caps (GST_APP_SRC (source.get ())));
  GstVideoInfo info;
  gst_video_info_from_caps (&info, caps.get ());
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
  for (int n = 0; n < n_frames; n++)
    gst_app_src_push_buffer (GST_APP_SRC (source.get ()), make_frame (info, n));
  gst_app_src_end_of_stream (GST_APP_SRC (source.get ()));
  std::vector<guint8> bytes;
  while (const Sample sample{gst_app_sink_try_pull_sample (GST_APP_SINK (sink.get ()), 60 * GST_SECOND)})
    if (const MappedFrame mapped (sample.get ()); mapped) {
      const std::vector<guint8> more = visible_bytes (mapped.frame);
      bytes.insert (bytes.end (), more.begin (), more.end ());
    }
  const std::string failure = error_on (bus_of (pipeline.get ()).get ());
  ensure (failure.empty (), failure);
  ensure (!bytes.empty (), "no frame came out");
  return bytes;
}

/** Writes a colour table for cllut3d. */
std::string
write_table ()
{
  g_autofree char *path = nullptr;
  const int file = g_file_open_tmp ("cl-info-XXXXXX.cube", &path, nullptr);
  if (file < 0)
    return "";
  g_close (file, nullptr);
  g_file_set_contents (path, "LUT_3D_SIZE 2\n0 0 0\n1 0 0.1\n0 0.8 0\n1 1 0\n0.1 0 1\n1 0 0.9\n0 1 1\n1 1 1\n", -1, nullptr);
  return path;
}

int
greatest_difference (const Known &known, const Result &result)
{
  int greatest = 0;
  for (size_t i = 0; i < n_samples; i++) {
    const char digits[] = {known.samples[2 * i], known.samples[2 * i + 1], 0};
    greatest = std::max (greatest, std::abs (int (std::strtol (digits, nullptr, 16)) - int (result.samples[i])));
  }
  return greatest;
}

void
print_known (const Known &known, const Result &result)
{
  g_autofree char *escaped = g_strescape (known.line, nullptr);
  std::printf ("{\"%s\", \"%s\", 0x%016" G_GINT64_MODIFIER "x, \"", escaped, known.format, result.hash);
  for (const guint8 sample : result.samples)
    std::printf ("%02x", sample);
  std::printf ("\"},\n");
}

}  // namespace

int
check_elements (const std::string &device, bool record)
{
  gst_init (nullptr, nullptr);
  if (!device.empty ())
    g_setenv ("GST_CL_DEVICE", device.c_str (), TRUE);
  /* without a device, throws once and not for every line */
  gst::cl::choose_device (device);
  const gint64 begin = g_get_monotonic_time ();
  const std::string table = write_table ();
  int equal = 0, close = 0, wrong = 0;
  for (const Known &known : known_results) {
    std::string problem = "not recorded";
    int off = 256;
    bool same = false;
    try {
      const Result result = result_of (play (launch_of (known.line, known.format, table)));
      if (record) {
        print_known (known, result);
        continue;
      }
      if (known.samples) {
        off = greatest_difference (known, result);
        problem = "off by " + std::to_string (off);
        same = known.hash == result.hash;
      }
    } catch (const std::exception &error) {
      problem = error.what ();
    }
    ++(off > 3 ? wrong : same ? equal : close);
    if (off > 3)
      std::printf ("wrong: %s, %s: %s\n", known.line, known.format, problem.c_str ());
    std::fflush (stdout);
  }
  if (!table.empty ())
    std::remove (table.c_str ());
  if (!record)
    std::printf ("%d of %d right (%d equal to PoCL's bytes, %d within 3 of them) in %.0f s\n", equal + close,
        equal + close + wrong, equal, close, double (g_get_monotonic_time () - begin) / G_USEC_PER_SEC);
  return wrong ? 1 : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-demo: runs a video through several filters. For each filter it measures the speed, writes the filtered video, and shows a
 * frame before and after on a contact sheet. The program uses the elements like any others, without OpenCL. */
#include "../common/json.hpp"
#include "../common/mappedframe.hpp"
#include "../common/options.hpp"
#include "../common/removal.hpp"
#include "pipeline.hpp"

#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace {

/* The first frames of a video file, decoded into memory, so that a filter can be timed without a decoder. */
struct Clip {
  std::vector<Sample> frames;
  int width, height;
  gsize sharpest;    /* the frame with the most detail, which is shown */
  double frame_rate; /* from time stamps, so that it is right for variable rates, too */

  GstCaps *caps () const { return gst_sample_get_caps (frames.front ().get ()); }
};

/* The results of one filter. */
struct Measurement {
  std::string filter;
  double fps = 0;
  std::string device, algorithm; /* from the element's stats */
  Sample shown;                  /* the clip's sharpest frame, filtered */
};

constexpr gsize max_clip_bytes = 400u << 20;
constexpr guint warm_up_frames = 4; /* the first frame builds programs */
constexpr gint64 least_time = 2 * G_USEC_PER_SEC;
constexpr gint64 most_time = 10 * G_USEC_PER_SEC;

/* The duration of the frames in seconds; 0 without time stamps. */
double
duration_of (const std::vector<Sample> &frames)
{
  const GstBuffer *first = gst_sample_get_buffer (frames.front ().get ());
  const GstBuffer *last = gst_sample_get_buffer (frames.back ().get ());
  if (!GST_BUFFER_PTS_IS_VALID (first) || !GST_BUFFER_PTS_IS_VALID (last) || frames.size () < 2)
    return 0;
  const double span = double (GST_BUFFER_PTS (last) - GST_BUFFER_PTS (first)) / GST_SECOND;
  return span * double (frames.size ()) / double (frames.size () - 1);
}

/* The sum of differences between neighbouring green samples, in every eighth row. */
guint64
detail_of (GstSample *sample)
{
  const MappedFrame mapped (sample);
  if (!mapped)
    return 0;
  const GstVideoFrame &frame = mapped.frame;
  guint64 sum = 0;
  for (int y = 0; y < GST_VIDEO_FRAME_HEIGHT (&frame); y += 8) {
    const guint8 *row = GST_VIDEO_FRAME_COMP_DATA (&frame, 1) + y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, 1);
    for (int x = 1; x < GST_VIDEO_FRAME_WIDTH (&frame); x++)
      sum += guint64 (ABS (row[4 * x] - row[4 * x - 4]));
  }
  return sum;
}

/* Counts arrivals at the end of the timed pipeline; written by its streaming thread, read after the end of the stream. */
struct Arrivals {
  guint count = 0, shown = 0;
  gint64 warm = 0, last = 0;
  Buffer kept = {};
};

void
note_arrival (Arrivals &arrivals, GstBuffer *buffer)
{
  GstMapInfo map;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ))
    gst_buffer_unmap (buffer, &map);
  if (arrivals.count == arrivals.shown)
    arrivals.kept.reset (gst_buffer_copy_deep (buffer));
  arrivals.count++;
  arrivals.last = g_get_monotonic_time ();
  if (arrivals.count == warm_up_frames)
    arrivals.warm = arrivals.last;
}

/* Pushes the clip repeatedly until enough time has passed. */
void
feed (GstElement *source, const Clip &clip)
{
  connect<guint> (source, "need-data", [source, &clip, pushed = gsize (0), start = gint64 (0)] (guint) mutable {
    const gint64 now = g_get_monotonic_time ();
    if (pushed == warm_up_frames)
      start = now;
    const gint64 elapsed = start ? now - start : 0;
    if (elapsed > most_time || (elapsed > least_time && pushed >= clip.frames.size ()))
      gst_app_src_end_of_stream (GST_APP_SRC (source));
    else
      gst_app_src_push_sample (GST_APP_SRC (source), clip.frames[pushed++ % clip.frames.size ()].get ());
  });
}

/* Decodes the file of the element "file", upright, to the raw format that all filters of the demo take. */
constexpr const char *decode_launch = "filesrc name=file ! decodebin ! videoconvert n-threads=2 ! "
                                      "clflip video-direction=auto ! video/x-raw,format=RGBA";

void
pull_frames (Clip &clip, const std::string &file, double seconds)
{
  Pipeline pipeline (std::string (decode_launch) + " ! appsink name=frames sync=false max-buffers=4", file);
  const auto sink = pipeline.element ("frames");
  pipeline.play ();

  ProgressLine progress ("decoding");
  gsize bytes = 0;
  while (Sample sample = pipeline.pull (sink.get ())) {
    const gsize size = gst_buffer_get_size (gst_sample_get_buffer (sample.get ()));
    clip.frames.push_back (std::move (sample));
    bytes += size;
    const double decoded = duration_of (clip.frames);
    progress.show (MAX (decoded / seconds, double (bytes) / max_clip_bytes));
    if (decoded >= seconds || bytes + size > max_clip_bytes)
      return;
  }
}

/* Decodes at most this many seconds, and at most a few hundred megabytes. */
Clip
decode_clip (const std::string &file, double seconds)
{
  Clip clip{};
  try {
    pull_frames (clip, file, seconds);
  } catch (const std::runtime_error &error) {
    throw std::runtime_error ("no video can be decoded from " + file + "\n" + error.what ());
  }
  ensure (!clip.frames.empty (), "no video in " + file);

  GstVideoInfo info;
  ensure (gst_video_info_from_caps (&info, clip.caps ()), "no raw video in " + file);
  clip.width = GST_VIDEO_INFO_WIDTH (&info);
  clip.height = GST_VIDEO_INFO_HEIGHT (&info);
  std::vector<guint64> details;
  for (const Sample &frame : clip.frames)
    details.push_back (detail_of (frame.get ()));
  clip.sharpest = gsize (std::ranges::max_element (details) - details.begin ());
  const double duration = duration_of (clip.frames);
  clip.frame_rate = duration > 0 ? double (clip.frames.size ()) / duration : 0;
  return clip;
}

/* Pushes the clip's frames through a filter for about two seconds. Timing starts when the filter is warm. Every result is
 * mapped for reading, so the time includes everything until a frame can be used. */
Measurement
measure_filter (const Clip &clip, const std::string &filter)
{
  Pipeline pipeline ("appsrc name=source format=time ! " + filter + " name=filter ! fakesink name=sink sync=false");
  Arrivals arrivals{.shown = guint (clip.sharpest)};
  const Ref<GstPad> end = pad_of (pipeline.element ("sink").get (), "sink");
  add_probe (end.get (), GST_PAD_PROBE_TYPE_BUFFER, [&arrivals] (GstPadProbeInfo *info) {
    note_arrival (arrivals, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  });
  feed (pipeline.element ("source").get (), clip);
  pipeline.play ();
  pipeline.wait ();

  Measurement result{.filter = filter};
  if (const Structure stats = stats_of (pipeline.element ("filter").get ())) {
    result.device = field_of (stats.get (), "device");
    result.algorithm = field_of (stats.get (), "algorithm");
  }
  if (arrivals.count > warm_up_frames && arrivals.last > arrivals.warm)
    result.fps = double (arrivals.count - warm_up_frames) * G_USEC_PER_SEC / double (arrivals.last - arrivals.warm);
  if (arrivals.kept)
    result.shown.reset (gst_sample_new (arrivals.kept.get (), clip.caps (), nullptr, nullptr));
  return result;
}

/* A contact sheet: labelled pictures in rows of two, composed and written as PNG by a GStreamer pipeline. */
constexpr int columns = 2;
constexpr int cell_width = 800;
constexpr int gap = 4;

/* How a picture fills a cell: what is cropped on each side, and the cell's height. */
struct Layout {
  int cut_x, cut_y, height;
};

Layout
make_layout (GstSample *picture)
{
  GstVideoInfo info;
  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (picture)))
    throw std::logic_error ("a cell without a picture");
  const double aspect = double (info.width) * info.par_n / (double (info.height) * info.par_d);
  const int height = MAX (2, int (cell_width / aspect / 2) * 2);
  /* the same share of width and height, to keep the aspect ratio */
  const double share = MIN (1.0, double (cell_width) / info.width);
  return {int (info.width * (1 - share) / 2), int (info.height * (1 - share) / 2), height};
}

std::string
sheet_launch (gsize cells, const Layout &layout)
{
  std::string launch = "compositor name=sheet background=black";
  for (gsize i = 0; i < cells; i++) {
    const std::string pad = " sink_" + std::to_string (i);
    launch += pad + "::xpos=" + std::to_string (int (i % columns) * (cell_width + gap));
    launch += pad + "::ypos=" + std::to_string (int (i / columns) * (layout.height + gap));
  }
  launch += " ! videoconvert ! pngenc snapshot=true ! filesink name=file";
  const std::string x = std::to_string (layout.cut_x), y = std::to_string (layout.cut_y);
  const std::string to_cell = " format=time ! videocrop left=" + x + " right=" + x + " top=" + y + " bottom=" + y
                              + " ! videoconvert ! videoscale method=lanczos ! video/x-raw,width=" + std::to_string (cell_width)
                              + ",height=" + std::to_string (layout.height)
                              + ",pixel-aspect-ratio=1/1 ! textoverlay font-desc=\"Monospace, 12\" halignment=left "
                                "valignment=bottom shaded-background=true name=label";
  for (gsize i = 0; i < cells; i++) {
    const std::string n = std::to_string (i);
    launch += " appsrc name=picture" + n + to_cell + n + " ! sheet.sink_" + n;
  }
  return launch;
}

/* Pushes the picture as the only frame of a stream. */
void
push_picture (GstAppSrc *source, GstSample *picture)
{
  GstBuffer *buffer = gst_buffer_copy (gst_sample_get_buffer (picture));
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  const Caps caps (gst_caps_copy (gst_sample_get_caps (picture)));
  gst_caps_set_simple (caps.get (), "framerate", GST_TYPE_FRACTION, 1, 1, nullptr);
  gst_app_src_set_caps (source, caps.get ());
  gst_app_src_push_buffer (source, buffer);
  gst_app_src_end_of_stream (source);
}

struct Cell {
  GstSample *picture;
  std::string label;
};

/* Gives a file its name when `write` has written it; removes what a failure or a signal leaves of it. */
void
write_whole (const std::string &path, const std::function<void (const std::string &unfinished)> &write)
{
  const std::string unfinished = unfinished_name (path);
  const Removal removal (unfinished);
  write (unfinished);
  std::filesystem::rename (unfinished, path);
}

/* Writes the cells row by row; all pictures have the size of the first. The middle of larger pictures is shown at full size, so
 * that details can be compared; smaller pictures are enlarged. */
void
write_sheet (const std::string &file, const std::vector<Cell> &cells)
{
  Pipeline pipeline (sheet_launch (cells.size (), make_layout (cells.front ().picture)), file);
  for (gsize i = 0; i < cells.size (); i++) {
    const std::string n = std::to_string (i);
    g_object_set (pipeline.element ("label" + n).get (), "text", cells[i].label.c_str (), nullptr);
    push_picture (GST_APP_SRC (pipeline.element ("picture" + n).get ()), cells[i].picture);
  }
  pipeline.play ();
  pipeline.wait ();
}

struct Look {
  const char *name;
  const char *filter;
};

constexpr Look looks[] = {
    {"median", "clmedian radius=3"},
    {"bilateral", "clbilateral sigma-space=3 sigma-range=0.1"},
    {"edges", "clsobel domain=intensity"},
    {"sharpen", "clsharpen amount=1.5"},
    {"contrast", "clequalize method=clahe"},
    {"sepia", "clcolormatrix preset=sepia"},
};

/* The best installed encoder; each writes an MP4 file. */
const char *
encoder_launch ()
{
  for (const auto &[element, launch] : {std::pair ("x264enc", "x264enc speed-preset=veryfast"),
           {"openh264enc", "openh264enc bitrate=6000000 complexity=low ! h264parse"},
           {"avenc_mpeg4", "avenc_mpeg4 bitrate=8000000 ! mpeg4videoparse"}}) {
    if (Ref<GstElementFactory>::take (gst_element_factory_find (element)))
      return launch;
  }
  throw std::runtime_error ("no video encoder is installed: x264enc, openh264enc or avenc_mpeg4");
}

struct Options {
  std::string file;
  std::filesystem::path output = "demo-output";
  double seconds = 8;
  bool json = false;
};

std::string
video_path (const Options &options, const Look &look)
{
  return options.output / (std::string (look.name) + ".mp4");
}

/* Returns how many seconds decoding, filtering and encoding took. */
double
write_video (const Options &options, const Look &look, const Clip &clip, const std::string &output)
{
  ProgressLine progress ("writing " + video_path (options, look));
  /* streams with framerate 0/1 are limited to the number of decoded frames */
  const int frames = clip.frame_rate > 0 ? int (options.seconds * clip.frame_rate) : int (clip.frames.size ());
  Pipeline pipeline (std::string (decode_launch) + " ! " + end_after (MAX (frames, 1)) + " ! queue ! " + look.filter
                         + " ! queue ! videoconvert n-threads=2 ! " + encoder_launch () + " ! mp4mux ! filesink name=output",
      options.file);
  const auto sink = pipeline.element ("output");
  g_object_set (sink.get (), "location", output.c_str (), nullptr);

  const gint64 start = g_get_monotonic_time ();
  const auto cut = pipeline.element ("end");
  pipeline.play ();
  pipeline.wait ([&] {
    gint64 position = 0;
    if (gst_element_query_position (cut.get (), GST_FORMAT_TIME, &position))
      progress.show (double (position) / GST_SECOND / options.seconds);
  });
  return double (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
}

void
print_rates (const Look &look, const Measurement &measured, const Clip &clip)
{
  std::printf ("  %-46s %8.1f frames/s", look.filter, measured.fps);
  if (clip.frame_rate > 0)
    std::printf ("  %6.2f x real time", measured.fps / clip.frame_rate);
  if (!measured.algorithm.empty ())
    std::printf ("  %s", measured.algorithm.c_str ());
  std::printf ("\n");
}

void
demo (const Options &options)
{
  const JsonOutput document (options.json);
  const std::string sheet = options.output / "contact-sheet.png";
  std::vector<std::string> outputs{sheet};
  for (const Look &look : looks)
    outputs.push_back (video_path (options, look));
  for (const std::string &output : outputs)
    ensure_apart (options.file, output);
  make_folders (options.output);
  const Clip clip = decode_clip (options.file, options.seconds);
  std::printf ("%s\n  %d x %d, %.4g frames/s; %zu frames held in memory as RGBA\n\n", options.file.c_str (), clip.width,
      clip.height, clip.frame_rate, clip.frames.size ());

  std::vector<Measurement> measured;
  GstSample *before = clip.frames[clip.sharpest].get ();
  std::vector<Cell> cells;
  for (const Look &look : looks) {
    {
      ProgressLine progress (std::string ("timing ") + look.filter);
      progress.show (0);
      measured.push_back (measure_filter (clip, look.filter));
    }
    if (measured.size () == 1)
      std::printf (
          "Filter alone, frames from memory to memory, decoding and encoding left out, on %s:\n", measured[0].device.c_str ());
    print_rates (look, measured.back (), clip);
    cells.push_back ({before, "before"});
    cells.push_back ({measured.back ().shown.get (), printed ("%s    %.1f frames/s", look.filter, measured.back ().fps)});
  }

  std::printf ("\nFrom file to file, decoding and encoding included:\n");
  for (const Look &look : looks) {
    const std::string output = video_path (options, look);
    write_whole (output, [&] (const std::string &unfinished) {
      std::printf ("  %-46s %8.1f s\n", output.c_str (), write_video (options, look, clip, unfinished));
    });
  }
  write_whole (sheet, [&cells] (const std::string &unfinished) { write_sheet (unfinished, cells); });
  std::printf ("\nBefore and after, the middle of the sharpest frame: %s\n", sheet.c_str ());
  if (document) {
    Json json;
    json.member ("file", options.file).member ("width", clip.width).member ("height", clip.height);
    json.member ("device", measured[0].device).objects ("filters", measured, [] (Json to, const Measurement &each) {
      to.member ("filter", each.filter).member ("frames-per-second", each.fps).member ("algorithm", each.algorithm);
    });
    document.write (json.document ());
  }
}

}  // namespace

int
main (int argc, char **argv)
{
  std::setvbuf (stdout, nullptr, _IOLBF, 0);
  Options options;
  return run_program (
      {.program = "cl-demo",
          .summary = "Runs a video through OpenCL filters, writes the results, and prints the frame rate of each filter.",
          .options = {{"output", 'o', &options.output, "Folder for the results (demo-output)", "DIR"},
              {"seconds", 's', &options.seconds, "Length of the part to use (8)", "SECONDS"},
              {"json", 'j', &options.json, "Print JSON; the text goes to standard error"}},
          .file = &options.file,
          .file_name = "FILE",
          .groups = {gst_init_get_option_group ()}},
      argc, argv, [&options] {
        if (options.file.empty ())
          throw WrongUsage ("name a video file");
        if (!(options.seconds > 0))
          throw WrongUsage ("--seconds has to be above 0");
        demo (options);
        return 0;
      });
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stabilize/stabilize.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numbers>

namespace gst::cl {

namespace {

/* As in kernels/stabilize/path.cl. */
enum : size_t { PATH_X, PATH_Y, PATH_ANGLE, SHIFT_X, SHIFT_Y, SHIFT_ANGLE, CONFIDENCE, REPORTED };
constexpr size_t map_longs = 6;

constexpr double degrees = 180 / std::numbers::pi;

double
pixel_aspect_of (const GstVideoInfo &info)
{
  return double (GST_VIDEO_INFO_PAR_N (&info)) / GST_VIDEO_INFO_PAR_D (&info);
}

/* Twice the place of a plane's first sample, in pixels from the edge of the frame. */
cl_int
first_place (const GstVideoInfo &info, int subsampling, GstVideoChromaSite cosited)
{
  return GST_VIDEO_INFO_CHROMA_SITE (&info) & cosited ? 1 : 1 << subsampling;
}

GstStructure *
message_of (const FrameTimes &times, std::span<const std::byte> bytes)
{
  std::array<cl_float, REPORTED> found;
  std::memcpy (found.data (), bytes.data (), sizeof found);
  return gst_structure_new ("clstabilize", "frame", G_TYPE_UINT64, times.number, "timestamp", GST_TYPE_CLOCK_TIME,
      times.timestamp, "stream-time", GST_TYPE_CLOCK_TIME, times.stream_time, "running-time", GST_TYPE_CLOCK_TIME,
      times.running_time, "shift-x", G_TYPE_DOUBLE, double (found[PATH_X]), "shift-y", G_TYPE_DOUBLE, double (found[PATH_Y]),
      "angle", G_TYPE_DOUBLE, double (found[PATH_ANGLE]) * degrees, "correction-x", G_TYPE_DOUBLE, double (found[SHIFT_X]),
      "correction-y", G_TYPE_DOUBLE, double (found[SHIFT_Y]), "correction-angle", G_TYPE_DOUBLE,
      double (found[SHIFT_ANGLE]) * degrees, "confidence", G_TYPE_DOUBLE, double (found[CONFIDENCE]), nullptr);
}

}  // namespace

void
Stabilize::begin_frame (Runner &, const FrameInfo &info)
{
  times = info;
  job = StabilizeJob::of (info.job);
  video = info.video;
  reporter = &info.reporter;
  has_looked = false;
}

/* The newest input, if it has not been before. */
void
Stabilize::look (Runner &runner, const PlaneTask &task)
{
  if (job.is_known && task.inputs.size () == 1)
    return;
  const bool is_main = !job.is_known;
  const PlaneView &plane = is_main ? task.src : task.inputs.back ();
  const int height = GST_VIDEO_INFO_HEIGHT (&video);
  finder.look (runner, task,
      {.plane = plane,
          .width = GST_VIDEO_INFO_WIDTH (&video),
          .height = height,
          .pixel_aspect = pixel_aspect_of (video),
          .row_step = interlaced ? 2 : 1},
      times.first_input + (is_main ? 0 : job.ahead));
}

/* Regions come one by one, and the motion is that of the whole picture. */
void
Stabilize::observe (Runner &runner, const PlaneTask &task)
{
  if (task.plane != 0 || task.field != 0 || std::exchange (has_looked, true))
    return;
  interlaced = task.src.height < GST_VIDEO_INFO_HEIGHT (&video);
  look (runner, task);
  if (!job.only_looks)
    find_correction (runner);
}

void
Stabilize::find_correction (Runner &runner)
{
  const int reach = settings.smoothing;
  const double aspect = pixel_aspect_of (video);
  const double width = GST_VIDEO_INFO_WIDTH (&video), height = GST_VIDEO_INFO_HEIGHT (&video);
  const int ahead = std::min (int (job.ahead), reach);
  runner.launch_range (MotionFinder::spec ("find_correction"), MotionFinder::any_plane (), {{1, 1}, {1, 1}},
      {MotionFinder::motions (runner), cl_int (times.first_input & G_MAXINT), cl_int4{{ahead, reach, reach, 0}},
          cl_float4{{float (settings.max_shift * width * aspect), float (settings.max_shift * height),
              float (settings.max_angle / degrees), 0}},
          cl_float (1 - settings.crop), cl_float4{{float (width), float (height), float (aspect), 0}},
          ScratchArgument{"stabilize-map", map_longs * sizeof (cl_long)},
          ScratchArgument{"stabilize-report", REPORTED * sizeof (cl_float)}});
}

void
Stabilize::run (Runner &runner, const PlaneTask &task)
{
  const bool gpu = runner.backend () == Backend::gpu;
  const PlaneLayout &layout = *task.src.layout;
  const KernelSpec spec{.sources = {"stabilize/warp.cl"},
      .function = "warp_plane",
      .item_samples = gpu ? 4 : 1,
      .own_borders = true,
      .tunable = {.local = true}};
  const cl_int fields = interlaced ? 2 : 1;
  const cl_int first_y = first_place (video, layout.subsample_y, GST_VIDEO_CHROMA_SITE_V_COSITED) + 2 * task.field;
  PlaneTask moved = task;
  /* alpha moves with the picture */
  moved.components |= 1u << alpha;
  runner.launch (spec, moved, Patch::of (moved),
      {ScratchArgument{"stabilize-map", 0},
          cl_int4{{layout.subsample_x, layout.subsample_y + fields - 1,
              first_place (video, layout.subsample_x, GST_VIDEO_CHROMA_SITE_H_COSITED), first_y}},
          cl_int2{{GST_VIDEO_INFO_WIDTH (&video), GST_VIDEO_INFO_HEIGHT (&video)}}});
}

void
Stabilize::end_frame (Runner &runner)
{
  if (!has_looked || job.only_looks)
    return;
  const bool is_due = settings.posts && frames % settings.interval == 0;
  frames++;
  if (is_due)
    runner.commands.read_back (runner.memory.buffer ("stabilize-report", 0), REPORTED * sizeof (cl_float),
        [of = times, to = reporter] (std::span<const std::byte> bytes) { to->post_message (message_of (of, bytes)); });
}

}  // namespace gst::cl

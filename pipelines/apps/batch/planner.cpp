/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "verbs.hpp"

#include "../demo/pipeline.hpp"

#include <glib/gstdio.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

namespace {

/* The combined reach of all filters. */
struct Reach {
  guint before = 0, after = 0;
  bool counts = false;
  /* The first element that sets times of its own, counted from the start of the stream. */
  std::string retimes;
  /* Elements of other packages, whose reach is unknown. */
  std::set<std::string> silent;

  static guint sum (guint a, guint b) { return a == every_frame || b == every_frame ? every_frame : a + b; }
};

/* Tasks run in other folders, and perhaps on other machines. */
void
refuse_relative_files (GstElement *element)
{
  for (const char *name : {"location", "map"}) {
    g_autofree gchar *path = nullptr;
    if (const GParamSpec *spec = spec_of (element, name); spec && G_IS_PARAM_SPEC_STRING (spec))
      g_object_get (element, name, &path, nullptr);
    ensure (!path || !*path || g_path_is_absolute (path) || std::strstr (path, "://"),
        printed ("%s=%s: give the whole path, because tasks run in other folders", name, path));
  }
}

void
add_element (Reach &reach, GstElement *element)
{
  refuse_relative_files (element);
  /* elements that are known to handle each frame independently */
  static const std::set<std::string> of_one_frame{"capsfilter", "identity", "queue", "videoconvert", "videoscale",
      "videoconvertscale", "clupload", "cldownload", "glupload", "gldownload", "glcolorconvert", "glcolorscale", "videobalance",
      "videocrop", "videoflip", "videobox", "tee"};
  /* elements that place their results on a grid of times, which begins where the stream does */
  static const std::set<std::string> of_new_times{"videorate", "clframerate"};
  for (const Ref<GObject> &child : children_of (element))
    if (GST_IS_ELEMENT (child.get ()))
      add_element (reach, GST_ELEMENT (child.get ()));
  if (GST_IS_BIN (element))
    return;
  const std::string name = kind_of (element);
  const GType aggregator = g_type_from_name ("GstAggregator");
  if (of_new_times.contains (name) || (aggregator && g_type_is_a (G_OBJECT_TYPE (element), aggregator)))
    reach.retimes = name;
  const Structure stats = spec_of (element, "stats") ? stats_of (element) : nullptr;
  guint before = 0, after = 0;
  gboolean counts = FALSE;
  const bool tells = stats
                     && gst_structure_get (stats.get (), "frames-before", G_TYPE_UINT, &before, "frames-after", G_TYPE_UINT,
                         &after, "counts-frames", G_TYPE_BOOLEAN, &counts, nullptr);
  if (!tells && reach.retimes.empty () && !of_one_frame.contains (name))
    reach.silent.insert (name);
  reach.before = Reach::sum (reach.before, before);
  reach.after = Reach::sum (reach.after, after);
  reach.counts |= counts;
}

Reach
reach_of (const std::string &filters)
{
  /* the line may begin or end with caps */
  const std::string line = "identity ! " + filters + " ! identity";
  const Ref<GstElement> bin = checked_call (
      [&] (GError **error) { return Ref<GstElement> (gst_parse_bin_from_description (line.c_str (), FALSE, error)); },
      "the filters do not parse");
  Reach reach;
  add_element (reach, bin.get ());
  return reach;
}

/* Throws unless the encoder can stand in the line that writes chunks. */
void
check_encoder (const std::string &encoder)
{
  try {
    parse_launch ("videoconvert ! " + encoder + " ! matroskamux");
  } catch (const std::exception &error) {
    throw std::runtime_error ("\"" + encoder + "\" does not encode video for Matroska: " + error.what ());
  }
}

/* The contents of a video. */
struct Scan {
  /* Stream times in nanoseconds, in order. */
  std::vector<GstClockTime> frames;
  /* Why the video cannot be cut into segments; empty if it can. */
  std::string whole_because;
  /* Whether the caps have a framerate. */
  bool has_rate = false;
};

bool
is_video (GstPad *pad)
{
  Caps caps (gst_pad_get_current_caps (pad));
  if (!caps)
    caps.reset (gst_pad_query_caps (pad, nullptr));
  return is_of (caps.get (), "video/") || is_of (caps.get (), "image/");
}

/* Reads the first video stream of a file. */
class Scanner {
public:
  /* decodes: decodes it, which takes long but sees the decoder's frames; otherwise uses the container's times. */
  Scanner (const std::string &path, bool decodes)
      : pipeline (std::string ("filesrc name=file ! ") + (decodes ? "decodebin" : "parsebin") + " name=parts", path)
  {
    connect<GstPad *> (pipeline.element ("parts").get (), "pad-added", [this] (GstPad *pad) { take_pad (pad); });
  }

  Scan run ()
  {
    pipeline.play ();
    pipeline.wait ();
    const std::lock_guard lock (mutex);
    ensure (bool (video), "it has no video");
    std::ranges::sort (scan.frames);
    if (untimed)
      scan.whole_because = "some frames have no time";
    else if (std::ranges::adjacent_find (scan.frames) != scan.frames.end ())
      scan.whole_because = "several frames have the same time";
    else if (sizes > 1)
      scan.whole_because = "its frames change their size";
    else if (!is_seekable ())
      scan.whole_because = "it cannot be sought in";
    else if (estimates_seeks ())
      scan.whole_because = "after a seek in an MPEG stream, frames have other times";
    return std::move (scan);
  }

private:
  void take_pad (GstPad *pad)
  {
    GstElement *sink = gst_element_factory_make ("fakesink", nullptr);
    /* one thread may feed several sinks, so none must wait for its first buffer */
    g_object_set (sink, "sync", FALSE, "async", FALSE, nullptr);
    gst_bin_add (GST_BIN (pipeline.get ()), sink);
    gst_element_sync_state_with_parent (sink);
    const Ref<GstPad> to = pad_of (sink, "sink");
    {
      const std::lock_guard lock (mutex);
      if (!video && is_video (pad)) {
        video = to;
        add_probe (to.get (), GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, [this] (GstPadProbeInfo *info) {
          const std::lock_guard lock (mutex);
          if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
            note (GST_PAD_PROBE_INFO_BUFFER (info));
          else
            note (GST_PAD_PROBE_INFO_EVENT (info));
          return GST_PAD_PROBE_OK;
        });
      }
    }
    gst_pad_link (pad, to.get ());
  }

  void note (GstBuffer *buffer)
  {
    if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DECODE_ONLY) || !gst_buffer_get_size (buffer))
      return;
    if (!GST_BUFFER_PTS_IS_VALID (buffer) || segment.format != GST_FORMAT_TIME) {
      untimed = true;
      return;
    }
    /* an edit list excludes frames; the frame at its end belongs to the next part */
    if (GST_CLOCK_TIME_IS_VALID (segment.stop) && GST_BUFFER_PTS (buffer) >= segment.stop)
      return;
    const GstClockTime time = gst_segment_to_stream_time (&segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    if (GST_CLOCK_TIME_IS_VALID (time))
      scan.frames.push_back (time);
  }

  void note (GstEvent *event)
  {
    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
      take_segment (event);
      return;
    }
    if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
      return;
    GstCaps *caps = nullptr;
    gst_event_parse_caps (event, &caps);
    const GstStructure *structure = gst_caps_get_structure (caps, 0);
    int w = 0, h = 0, rate = 0, unit = 1;
    gst_structure_get (structure, "width", G_TYPE_INT, &w, "height", G_TYPE_INT, &h, nullptr);
    scan.has_rate = gst_structure_get_fraction (structure, "framerate", &rate, &unit) && rate > 0;
    sizes += sizes == 0 || w != width || h != height;
    width = w;
    height = h;
  }

  /* If sound begins before the video, matroskademux sends another segment after the first frames. A task seeks, and gets this
   * segment for all frames. */
  void take_segment (GstEvent *event)
  {
    const GstSegment before = segment;
    gst_event_copy_segment (event, &segment);
    const bool corrects = before.format == GST_FORMAT_TIME && segment.format == GST_FORMAT_TIME && before.time == segment.time
                          && before.stop == GST_CLOCK_TIME_NONE && segment.stop == GST_CLOCK_TIME_NONE;
    if (corrects && before.start > segment.start)
      for (GstClockTime &time : scan.frames)
        time += before.start - segment.start;
  }

  /* These demuxers find a time by the bit rate, and count from there. */
  bool estimates_seeks () const
  {
    bool estimates = false;
    for_each_element (gst_bin_iterate_recurse (GST_BIN (pipeline.get ())), [&] (GstElement *element) {
      const std::string kind = kind_of (element);
      estimates = estimates || kind == "tsdemux" || kind == "mpegpsdemux";
    });
    return estimates;
  }

  bool is_seekable () const
  {
    const std::unique_ptr<GstQuery, Unref> query (gst_query_new_seeking (GST_FORMAT_TIME));
    gboolean seekable = FALSE;
    if (gst_element_query (pipeline.get (), query.get ()))
      gst_query_parse_seeking (query.get (), nullptr, &seekable, nullptr, nullptr);
    return seekable;
  }

  Pipeline pipeline;
  /* protects what streaming threads write */
  std::mutex mutex;
  Ref<GstPad> video;
  GstSegment segment{};
  Scan scan;
  bool untimed = false;
  int sizes = 0, width = 0, height = 0;
};

std::string
absolute (const std::string &path)
{
  return text_of (g_canonicalize_filename (path.c_str (), nullptr));
}

/* The file's name without its extension, plus a number if that name is taken. */
std::string
name_for (const std::string &path, std::set<std::string> &taken)
{
  std::string name = text_of (g_path_get_basename (path.c_str ()));
  if (const size_t dot = name.rfind ('.'); dot != std::string::npos && dot > 0)
    name.resize (dot);
  std::string unique = name;
  for (int i = 2; !taken.insert (unique).second; i++)
    unique = name + "-" + std::to_string (i);
  return unique;
}

/* Divides frames into tasks of about `seconds`; a last task of less than half joins the one before. */
std::vector<Task>
cut (size_t source, const std::vector<GstClockTime> &frames, double seconds)
{
  std::vector<Task> tasks;
  const auto length = GstClockTime (seconds * GST_SECOND);
  size_t first = 0;
  while (first < frames.size ()) {
    size_t end = size_t (std::ranges::lower_bound (frames, frames[first] + length) - frames.begin ());
    if (frames.back () < frames[first] + length + length / 2)
      end = frames.size ();
    tasks.push_back ({source, first, end - first, frames[first]});
    first = end;
  }
  return tasks;
}

std::string
why_whole (const Scan &scan, const Reach &reach, guint before)
{
  if (!scan.whole_because.empty ())
    return scan.whole_because;
  if (!reach.retimes.empty ())
    return reach.retimes + " gives frames times that it counts from the beginning";
  if (before == every_frame)
    return "the filters depend on all frames before; --warm-up=FRAMES says how many are enough";
  if (reach.counts && !scan.has_rate)
    return "the filters count frames, and its frame rate varies";
  return "";
}

/* The results of planning one video. */
struct Finding {
  std::vector<Task> tasks;
  /* remark: why it is a single task. problem: why it cannot be a task. */
  std::string remark, problem;
};

/* Writes what it knows of the video's frames at once, so that memory never holds more than a few videos. */
Finding
plan_video (Job &job, size_t number, const PlanOptions &options, const Reach &reach, guint before)
{
  Source &source = job.sources[number];
  Finding found;
  GStatBuf file;
  const bool is_there = g_access (source.path.c_str (), R_OK) == 0 && g_stat (source.path.c_str (), &file) == 0;
  ensure (is_there, g_strerror (errno));
  ensure (!S_ISDIR (file.st_mode), "a folder, not a video");
  ensure (g_utf8_validate (source.path.c_str (), -1, nullptr), "the name is not UTF-8, so the plan cannot hold it");
  source.bytes = guint64 (file.st_size);
  /* a task for the whole video needs no times */
  if (options.segment_seconds > 0) {
    const Scan scan = Scanner (source.path, options.decodes).run ();
    found.remark = why_whole (scan, reach, before);
    if (found.remark.empty ())
      found.tasks = cut (number, scan.frames, options.segment_seconds);
    /* a video of one task needs no seek */
    if (found.tasks.size () > 1) {
      source.frames = scan.frames.size ();
      save_frames (job, number, scan.frames);
      return found;
    }
  }
  found.tasks = {{number, 0, 0, 0}};
  return found;
}

/* Plans the videos of a job in parallel. */
void
plan_videos (Job &job, const PlanOptions &options, const Reach &reach, guint before)
{
  std::vector<Finding> findings (job.sources.size ());
  std::atomic<size_t> next = 0;
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < std::min<size_t> (g_get_num_processors (), findings.size ()); i++)
      threads.emplace_back ([&] {
        for (size_t source; (source = next++) < findings.size ();)
          try {
            findings[source] = plan_video (job, source, options, reach, before);
          } catch (const std::exception &error) {
            findings[source].problem = job.sources[source].path + ": " + error.what ();
          }
      });
  }
  size_t failed = 0;
  for (size_t source = 0; source < findings.size (); source++) {
    const Finding &found = findings[source];
    if (!found.problem.empty ())
      std::fprintf (stderr, "cl-batch: %s\n", found.problem.c_str ());
    else if (!found.remark.empty ())
      std::fprintf (stderr, "cl-batch: %s is one task: %s\n", job.sources[source].path.c_str (), found.remark.c_str ());
    failed += !found.problem.empty ();
    job.tasks.insert (job.tasks.end (), found.tasks.begin (), found.tasks.end ());
  }
  ensure (!failed, printed ("%zu of %zu videos cannot be planned", failed, findings.size ()));
}

}  // namespace

Job
plan_job (const PlanOptions &options)
{
  check_encoder (options.encoder);
  const Reach reach = reach_of (options.filters);
  for (const std::string &name : reach.silent)
    std::fprintf (stderr, "cl-batch: %s does not say which frames it looks at; one at a time is assumed\n", name.c_str ());
  const guint before = reach.before == every_frame && options.warm_up >= 0 ? guint (options.warm_up) : reach.before;
  Job job{.folder = absolute (options.folder),
      .filters = options.filters,
      .encoder = options.encoder,
      .before = before == every_frame ? 0 : before,
      .after = reach.after == every_frame ? 0 : reach.after,
      .sources = {},
      .tasks = {}};
  std::set<std::string> taken;
  for (const std::string &video : options.videos) {
    const std::string path = absolute (video);
    job.sources.push_back ({path, name_for (path, taken)});
  }
  make_folder (job.folder);
  try {
    plan_videos (job, options, reach, before);
    save_plan (job);
  } catch (...) {
    remove_folder (job);
    throw;
  }
  return job;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "verbs.hpp"

#include "../demo/pipeline.hpp"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <optional>

namespace {

/* Rounding may change the time of a frame by less than this. */
constexpr GstClockTime same_time = GST_USECOND;
/* One frame more than filters read, because a seek clips the time of the first frame. */
constexpr size_t spare = 1;

/* The frames of a source that a task reads, and the times that it keeps. */
struct Span {
  GstClockTime from = 0;
  GstClockTime keep_from = 0, keep_to = GST_CLOCK_TIME_NONE;

  bool is_before (GstClockTime time) const { return time + same_time < keep_from; }
  bool is_behind (GstClockTime time) const { return GST_CLOCK_TIME_IS_VALID (keep_to) && time + same_time >= keep_to; }
};

/* A time between two frames, so that rounding does not matter. */
GstClockTime
middle (const std::vector<GstClockTime> &frames, size_t i)
{
  return frames[i - 1] + (frames[i] - frames[i - 1]) / 2;
}

/* frames: times of the task's source */
Span
span_of (const Job &job, const Task &task, const std::vector<GstClockTime> &frames)
{
  Span span;
  if (task.is_whole ())
    return span;
  const size_t end = task.first + task.count, before = job.before + spare;
  if (task.first > before)
    span.from = middle (frames, task.first - before);
  if (task.first > 0)
    span.keep_from = frames[task.first];
  if (end < frames.size ())
    span.keep_to = frames[end];
  return span;
}

/* Writes frames into a file, and removes the file unless it is kept. */
class Chunk {
public:
  /* elements: from raw frames of caps to an encoder's. */
  Chunk (std::string path, const std::string &elements, GstCaps *caps)
      : path (std::move (path)),
        pipeline ("appsrc name=video format=time ! " + elements + " ! matroskamux ! filesink name=file", this->path)
  {
    g_object_set (pipeline.element ("video").get (), "caps", caps, nullptr);
    pipeline.play ();
  }

  ~Chunk ()
  {
    if (!kept)
      g_unlink (path.c_str ());
  }

  void write (GstBuffer *buffer, GstClockTime time)
  {
    const Ref<GstElement> video = pipeline.element ("video");
    GstBuffer *copy = gst_buffer_copy (buffer);
    if (!GST_CLOCK_TIME_IS_VALID (first))
      first = time;
    GST_BUFFER_PTS (copy) = time - first;
    GST_BUFFER_DTS (copy) = GST_CLOCK_TIME_NONE;
    pipeline.push (GST_APP_SRC (video.get ()), copy);
  }

  /* Returns when the file is complete and on disk. */
  void finish ()
  {
    gst_app_src_end_of_stream (GST_APP_SRC (pipeline.element ("video").get ()));
    pipeline.wait ();
    gst_element_set_state (pipeline.get (), GST_STATE_NULL);
    const int file = g_open (path.c_str (), O_RDONLY);
    ensure_call (file >= 0, path);
    const int failed = fsync (file) ? errno : 0;
    close (file);
    ensure (!failed, path + ": " + g_strerror (failed));
  }

  void keep () { kept = true; }
  const std::string &file () const { return path; }

private:
  const std::string path;
  Pipeline pipeline;
  GstClockTime first = GST_CLOCK_TIME_NONE;
  bool kept = false;
};

class Worker {
public:
  Worker (const Job &job, size_t number)
      : job (job), number (number), task (job.tasks[number]), planned (job.frames_of (task.source)),
        span (span_of (job, task, planned)), pipeline ("filesrc name=file ! decodebin ! video/x-raw(ANY) ! " + job.filters
                                                           + " ! appsink name=frames sync=false max-buffers=4 caps=video/x-raw",
                                                 job.sources[task.source].path)
  {
  }

  void run ()
  {
    const gint64 begin = g_get_monotonic_time ();
    start ();
    const Ref<GstElement> sink = pipeline.element ("frames");
    for (Sample sample = pipeline.pull (sink.get ()); sample && take (sample.get ());)
      sample = pipeline.pull (sink.get ());
    ensure (chunk.has_value (), "no frame came out of the filters");
    chunk->finish ();
    check_frames ();
    result.chunk = chunk->file ();
    result.sha256 = hash_of (result.chunk);
    result.seconds = double (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
    result.host = g_get_host_name ();
    result.device = g_getenv ("GST_CL_DEVICE") ? g_getenv ("GST_CL_DEVICE") : "";
    note_stats ();
    commit_result (job, number, result);
    chunk->keep ();
  }

private:
  void start ()
  {
    gst_element_set_state (pipeline.get (), GST_STATE_PAUSED);
    while (gst_element_get_state (pipeline.get (), nullptr, nullptr, GST_SECOND / 10) == GST_STATE_CHANGE_ASYNC)
      pipeline.check ();
    pipeline.check ();
    if (!task.is_whole () && !is_beyond_seeks ()) {
      /* The seek has no stop time: demuxers stop at the first frame after it, though frames that are shown earlier may follow. */
      const bool sought = gst_element_seek_simple (
          pipeline.get (), GST_FORMAT_TIME, GstSeekFlags (GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE), gint64 (span.from));
      ensure (sought, "the video cannot be sought in; plan it without --segment");
    }
    pipeline.play ();
  }

  /* Whether the task reads a last frame that begins where the container says that the video ends, as one without a duration does.
   * After a seek, demuxers stop there; without one, they do not. */
  bool is_beyond_seeks () const
  {
    gint64 duration = 0;
    return task.first + task.count + job.after >= planned.size ()
           && gst_element_query_duration (pipeline.get (), GST_FORMAT_TIME, &duration)
           && GstClockTime (duration) <= planned.back () + same_time;
  }

  /* Returns whether more frames are needed. */
  bool take (GstSample *sample)
  {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    const std::optional<GstClockTime> time = time_of (sample);
    if (!time || span.is_before (*time))
      return true;
    if (span.is_behind (*time))
      return false;
    GstCaps *now = gst_sample_get_caps (sample);
    if (!chunk) {
      caps.reset (gst_caps_ref (now));
      /* few muxers write the tag, so the frames are turned */
      const std::string upright = printed ("videoconvert ! clflip video-direction=%d ! ", int (direction ()));
      chunk.emplace (new_chunk (job, number), (direction () ? upright : "") + "videoconvert ! " + job.encoder, now);
    }
    ensure (gst_caps_is_equal (caps.get (), now), "the frames change their format or size; end the filters with \"clconvert ! "
                                                  "video/x-raw,format=I420,width=1280,height=720,pixel-aspect-ratio=1/1\"");
    chunk->write (buffer, *time);
    result.frames.push_back (*time);
    return true;
  }

  /* Returns nothing if the frame is outside its stream's segment. In a task for a whole video, a frame without a time follows
   * the frame before it, and a late frame is shown together with it, as in sinks. */
  std::optional<GstClockTime> time_of (GstSample *sample)
  {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    GstClockTime time = next_time;
    if (GST_BUFFER_PTS_IS_VALID (buffer)) {
      time = gst_segment_to_stream_time (gst_sample_get_segment (sample), GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
      if (!GST_CLOCK_TIME_IS_VALID (time))
        return {};
    }
    if (!task.is_whole ())
      return time;
    if (!result.frames.empty ())
      time = std::max (time, result.frames.back ());
    GstVideoInfo info;
    const bool has_rate = gst_video_info_from_caps (&info, gst_sample_get_caps (sample)) && info.fps_n > 0;
    ensure (has_rate || GST_BUFFER_PTS_IS_VALID (buffer) || result.frames.empty (),
        "frames have no times, and the video has no frame rate; begin the filters with \"videorate ! "
        "video/x-raw,framerate=25/1\"");
    next_time = time + (has_rate ? gst_util_uint64_scale (GST_SECOND, guint64 (info.fps_d), guint64 (info.fps_n)) : 0);
    return time;
  }

  /* How the filters' results are to be turned: by the tag, unless a filter turns them already, which videoflip does without a
   * change of the tag. */
  GstVideoOrientationMethod direction () const
  {
    GstVideoOrientationMethod turn = GST_VIDEO_ORIENTATION_IDENTITY;
    for_each_tags (pad_of (pipeline.element ("frames").get (), "sink").get (),
        [&turn] (GstTagList *tags) { gst_video_orientation_from_tag (tags, &turn); });
    for_each_element (gst_bin_iterate_recurse (GST_BIN (pipeline.get ())), [&turn] (GstElement *element) {
      const GParamSpec *spec = spec_of (element, "video-direction");
      int value = 0;
      if (spec && spec->value_type == GST_TYPE_VIDEO_ORIENTATION_METHOD)
        g_object_get (element, "video-direction", &value, nullptr);
      if (value == GST_VIDEO_ORIENTATION_AUTO)
        turn = GST_VIDEO_ORIENTATION_IDENTITY;
    });
    return turn;
  }

  /* Records the statistics of elements that count. */
  void note_stats ()
  {
    for_each_element (gst_bin_iterate_recurse (GST_BIN (pipeline.get ())), [this] (GstElement *element) {
      const GParamSpec *stats = spec_of (element, "stats");
      if (stats && stats->value_type == GST_TYPE_STRUCTURE)
        if (const Structure all = stats_of (element)) {
          const std::string text = text_of (gst_structure_to_string (all.get ()));
          const size_t comma = text.find (", ");
          result.stats.emplace_back (GST_OBJECT_NAME (element), comma == std::string::npos ? "" : text.substr (comma + 2));
        }
    });
  }

  /* Checks that each planned frame is present; there may be more frames between them. */
  void check_frames () const
  {
    for (size_t i = 1; !task.is_whole () && i < result.frames.size (); i++)
      ensure (result.frames[i] > result.frames[i - 1],
          printed ("two frames have the time %" GST_TIME_FORMAT "; plan without --segment", GST_TIME_ARGS (result.frames[i])));
    for (size_t i = task.first; i < task.first + task.count; i++) {
      const auto found = std::ranges::lower_bound (result.frames, planned[i] - std::min (planned[i], same_time));
      const bool is_there = found != result.frames.end () && *found <= planned[i] + same_time;
      ensure (is_there, printed ("the frame at %" GST_TIME_FORMAT
                                 " is missing; plan with --decode, or without --segment where the filters drop frames",
                            GST_TIME_ARGS (planned[i])));
    }
  }

  const Job &job;
  const size_t number;
  const Task &task;
  /* The times of the source's frames. */
  const std::vector<GstClockTime> planned;
  const Span span;
  /* For the next frame without a time. */
  GstClockTime next_time = 0;
  Pipeline pipeline;
  Caps caps;
  std::optional<Chunk> chunk;
  Result result;
};

/* Redirects this process's output to the task's log. The process that started it also reads errors on the original standard
 * error. */
class Log {
public:
  Log (const Job &job, size_t task) : task (task)
  {
    const int file = g_open (job.log_path (task).c_str (), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    ensure_call (file >= 0, job.log_path (task));
    std::fflush (nullptr);
    dup2 (file, STDOUT_FILENO);
    dup2 (file, STDERR_FILENO);
    close (file);
    say ("begins");
  }

  ~Log ()
  {
    std::fflush (nullptr);
    dup2 (output, STDOUT_FILENO);
    dup2 (errors, STDERR_FILENO);
    close (output);
    close (errors);
  }

  void say (const std::string &what) const
  {
    char now[32];
    const time_t clock = std::time (nullptr);
    std::strftime (now, sizeof now, "%F %T", std::localtime (&clock));
    std::fprintf (stderr, "%s %s[%d]: task %zu %s\n", now, g_get_host_name (), int (getpid ()), task, what.c_str ());
  }

private:
  const size_t task;
  const int output = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), errors = fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
};

}  // namespace

void
run_task (const Job &job, size_t task)
{
  ensure (task < job.tasks.size (), printed ("there is no task %zu; the job has %zu", task, job.tasks.size ()));
  if (job.is_done (task))
    return;
  const Source &source = job.sources[job.tasks[task].source];
  const Log log (job, task);
  try {
    GStatBuf file;
    const bool is_there = g_stat (source.path.c_str (), &file) == 0;
    ensure (is_there, g_strerror (errno));
    ensure (guint64 (file.st_size) == source.bytes, "the file is not the one that was planned; make a new plan");
    Worker (job, task).run ();
    log.say ("is done");
  } catch (const std::exception &error) {
    log.say (std::string ("fails: ") + error.what ());
    /* another worker with the same task may have been faster, and removed this result */
    ensure (job.is_done (task), "task " + std::to_string (task) + ", " + source.path + ": " + error.what ());
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "worker.hpp"

#include "push.hpp"

#include <glib/gstdio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace {

/* Times of one frame differ by less, whatever they went through. */
constexpr GstClockTime same_time = GST_USECOND;
/* Frames beside those that filters look at: a seek cuts the time of the first and of the last one. */
constexpr size_t spare = 1;

/* Which of a source's frames a task reads, and which times it keeps. */
struct Span {
  GstClockTime from = 0, to = GST_CLOCK_TIME_NONE;
  GstClockTime keep_from = 0, keep_to = GST_CLOCK_TIME_NONE;

  bool keeps (GstClockTime time) const
  {
    return time + same_time >= keep_from && (!keep_to_is_set () || time + same_time < keep_to);
  }

private:
  bool keep_to_is_set () const { return GST_CLOCK_TIME_IS_VALID (keep_to); }
};

/* Between two frames, so that rounding decides nothing. */
GstClockTime
middle (const std::vector<GstClockTime> &frames, size_t i)
{
  return frames[i - 1] + (frames[i] - frames[i - 1]) / 2;
}

Span
span_of (const Job &job, const Task &task)
{
  Span span;
  if (task.is_whole ())
    return span;
  const std::vector<GstClockTime> &frames = job.sources[task.source].frames;
  const size_t end = task.first + task.count, before = job.before + spare, after = job.after + spare;
  if (task.first > before)
    span.from = middle (frames, task.first - before);
  if (task.first > 0)
    span.keep_from = frames[task.first];
  if (end < frames.size ()) {
    span.keep_to = frames[end];
    if (end + after < frames.size ())
      span.to = middle (frames, end + after);
  }
  return span;
}

/* Writes frames into a file, which has its name once it is whole. */
class Chunk {
public:
  Chunk (const std::string &path, const std::string &encoder, GstCaps *caps)
      : name (path), part (path + "." + std::to_string (getpid ()) + ".part"),
        pipeline ("appsrc name=video format=time ! videoconvert ! " + encoder + " ! matroskamux ! filesink name=file", part)
  {
    g_object_set (pipeline.element ("video").get (), "caps", caps, nullptr);
    pipeline.play ();
  }

  ~Chunk ()
  {
    if (!finished)
      g_unlink (part.c_str ());
  }

  void write (GstBuffer *buffer, GstClockTime time)
  {
    const Ref<GstElement> video = pipeline.element ("video");
    GstBuffer *copy = gst_buffer_copy (buffer);
    if (!GST_CLOCK_TIME_IS_VALID (first))
      first = time;
    GST_BUFFER_PTS (copy) = time - first;
    GST_BUFFER_DTS (copy) = GST_CLOCK_TIME_NONE;
    push_buffer (pipeline, GST_APP_SRC (video.get ()), copy);
  }

  void finish ()
  {
    gst_app_src_end_of_stream (GST_APP_SRC (pipeline.element ("video").get ()));
    pipeline.wait ();
    gst_element_set_state (pipeline.get (), GST_STATE_NULL);
    ensure (g_rename (part.c_str (), name.c_str ()) == 0, nullptr, (name + ": " + g_strerror (errno)).c_str ());
    finished = true;
  }

private:
  const std::string name, part;
  Pipeline pipeline;
  GstClockTime first = GST_CLOCK_TIME_NONE;
  bool finished = false;
};

class Worker {
public:
  Worker (const Job &job, size_t number)
      : job (job), number (number), task (job.tasks[number]), span (span_of (job, task)),
        pipeline ("filesrc name=file ! decodebin ! video/x-raw(ANY) ! " + job.filters
                      + " ! appsink name=frames sync=false max-buffers=4 caps=video/x-raw",
            job.sources[task.source].path)
  {
  }

  void run ()
  {
    const gint64 begin = g_get_monotonic_time ();
    start ();
    while (const Sample sample = next ())
      take (sample.get ());
    ensure (chunk.has_value (), nullptr, "no frame came out of the filters");
    chunk->finish ();
    check_frames ();
    result.seconds = double (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
    result.sha256 = hash_of (job.chunk_path (number));
    save_result (job, number, result);
  }

private:
  void start ()
  {
    gst_element_set_state (pipeline.get (), GST_STATE_PAUSED);
    while (gst_element_get_state (pipeline.get (), nullptr, nullptr, GST_SECOND / 10) == GST_STATE_CHANGE_ASYNC)
      pipeline.check ();
    pipeline.check ();
    if (!task.is_whole ()) {
      const bool ends = GST_CLOCK_TIME_IS_VALID (span.to);
      const bool sought =
          gst_element_seek (pipeline.get (), 1, GST_FORMAT_TIME, GstSeekFlags (GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
              GST_SEEK_TYPE_SET, gint64 (span.from), ends ? GST_SEEK_TYPE_SET : GST_SEEK_TYPE_NONE, gint64 (span.to));
      ensure (sought, nullptr, "the video cannot be sought in; plan it without --segment");
    }
    pipeline.play ();
  }

  Sample next ()
  {
    const Ref<GstElement> sink = pipeline.element ("frames");
    for (;;) {
      if (GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink.get ()), GST_SECOND / 10))
        return Sample (sample);
      pipeline.check ();
      if (gst_app_sink_is_eos (GST_APP_SINK (sink.get ())))
        return {};
    }
  }

  void take (GstSample *sample)
  {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    const GstClockTime time =
        gst_segment_to_stream_time (gst_sample_get_segment (sample), GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    if (!GST_CLOCK_TIME_IS_VALID (time) || !span.keeps (time))
      return;
    GstCaps *now = gst_sample_get_caps (sample);
    if (!chunk) {
      caps.reset (gst_caps_ref (now));
      chunk.emplace (job.chunk_path (number), job.encoder, now);
    }
    ensure (gst_caps_is_equal (caps.get (), now), nullptr,
        "the frames change their format or size; end the filters with caps that fix both");
    chunk->write (buffer, time);
    result.frames.push_back (time);
  }

  /* Each frame of the plan is there, perhaps with more between them. */
  void check_frames () const
  {
    for (size_t i = 1; i < result.frames.size (); i++)
      ensure (result.frames[i] > result.frames[i - 1], nullptr,
          printed ("two frames have the time %" GST_TIME_FORMAT, GST_TIME_ARGS (result.frames[i])).c_str ());
    const std::vector<GstClockTime> &planned = job.sources[task.source].frames;
    for (size_t i = task.first; i < task.first + task.count; i++) {
      const auto found = std::ranges::lower_bound (result.frames, planned[i] - std::min (planned[i], same_time));
      const bool is_there = found != result.frames.end () && *found <= planned[i] + same_time;
      ensure (is_there, nullptr,
          printed ("the frame at %" GST_TIME_FORMAT
                   " is missing; plan with --decode, or without --segment where the filters drop frames",
              GST_TIME_ARGS (planned[i]))
              .c_str ());
    }
  }

  const Job &job;
  const size_t number;
  const Task &task;
  const Span span;
  Pipeline pipeline;
  Caps caps;
  std::optional<Chunk> chunk;
  Result result;
};

}  // namespace

void
run_task (const Job &job, size_t task)
{
  ensure (
      task < job.tasks.size (), nullptr, printed ("there is no task %zu; the job has %zu", task, job.tasks.size ()).c_str ());
  if (job.is_done (task))
    return;
  try {
    Worker (job, task).run ();
  } catch (const std::exception &error) {
    throw std::runtime_error (
        "task " + std::to_string (task) + ", " + job.sources[job.tasks[task].source].path + ": " + error.what ());
  }
}

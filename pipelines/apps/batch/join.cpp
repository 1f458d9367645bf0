/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "join.hpp"

#include "push.hpp"

#include <glib/gstdio.h>
#include <unistd.h>

#include <algorithm>

namespace {

/* Matroska counts milliseconds. */
constexpr GstClockTime rounding = GST_MSECOND;

std::string
muxer_for (const std::string &path)
{
  if (g_str_has_suffix (path.c_str (), ".mkv"))
    return "matroskamux";
  if (g_str_has_suffix (path.c_str (), ".mp4"))
    return "mp4mux";
  if (g_str_has_suffix (path.c_str (), ".mov"))
    return "qtmux";
  return "";
}

/* The tasks of a source, whose frames follow one another. */
using Parts = std::vector<Result>;

/* Throws where the chunk is not what its task noted; the task is to be done again then. */
Result
checked_result (const Job &job, size_t task)
{
  std::string problem;
  try {
    Result result = load_result (job, task);
    if (result.frames.empty ())
      problem = "has no frames";
    else if (hash_of (result.chunk) == result.sha256)
      return result;
    else
      problem = result.chunk + " is damaged";
  } catch (const std::exception &error) {
    problem = error.what ();
  }
  discard_result (job, task);
  throw std::runtime_error (
      printed ("task %zu: %s. It counts as not done now, and cl-batch submit does it again", task, problem.c_str ()));
}

Parts
find_parts (const Job &job, size_t source)
{
  Parts parts;
  GstClockTime last = GST_CLOCK_TIME_NONE;
  for (size_t i = 0; i < job.tasks.size (); i++) {
    if (job.tasks[i].source != source)
      continue;
    Result result = checked_result (job, i);
    ensure (!GST_CLOCK_TIME_IS_VALID (last) || result.frames.front () > last, nullptr,
        printed ("task %zu begins before the one before it ends", i).c_str ());
    last = result.frames.back ();
    parts.push_back (std::move (result));
  }
  return parts;
}

/* What matroskademux makes, for matroskamux, which calls the version of FFV1 by another name. */
GstCaps *
caps_for_muxer (const GstCaps *demuxed)
{
  GstCaps *caps = gst_caps_copy (demuxed);
  if (gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-ffv"))
    gst_caps_set_simple (caps, "ffversion", G_TYPE_INT, 1, nullptr);
  return caps;
}

class Joiner {
public:
  Joiner (const Job &job, size_t source, std::string path)
      : job (job), out (std::move (path)), part (out + "." + std::to_string (getpid ()) + ".part"),
        pipeline (printed ("%s name=mux ! filesink name=out appsrc name=video format=time ! queue ! mux.video_0 "
                           "filesrc name=file ! parsebin name=parts",
                      muxer_for (out).c_str ()),
            job.sources[source].path)
  {
    g_object_set (pipeline.element ("out").get (), "location", part.c_str (), nullptr);
    g_signal_connect (pipeline.element ("parts").get (), "pad-added", G_CALLBACK (on_pad), this);
  }

  ~Joiner () { g_unlink (part.c_str ()); }

  void run (const Parts &parts)
  {
    /* the muxer wants all of its streams before the first frame; parsebin shows them all before it passes anything on */
    pipeline.play ();
    while (!g_atomic_int_get (&complete)) {
      pipeline.check ();
      g_usleep (1000);
    }
    for (const Result &part : parts)
      feed (part.chunk, part.frames);
    gst_app_src_end_of_stream (video ());
    pipeline.wait ();
    gst_element_set_state (pipeline.get (), GST_STATE_NULL);
    ensure (g_rename (part.c_str (), out.c_str ()) == 0, nullptr, (out + ": " + g_strerror (errno)).c_str ());
  }

private:
  GstAppSrc *video () const { return GST_APP_SRC (pipeline.element ("video").get ()); }

  /* The source's own video goes nowhere, and what the container does not take neither. */
  static void on_pad (GstElement *, GstPad *pad, gpointer user)
  {
    auto *self = static_cast<Joiner *> (user);
    GstCaps *caps = gst_pad_query_caps (pad, nullptr);
    const char *name = gst_caps_is_empty (caps) ? "" : gst_structure_get_name (gst_caps_get_structure (caps, 0));
    const bool wanted = !g_str_has_prefix (name, "video/") && !g_str_has_prefix (name, "image/");
    const Ref<GstElement> mux = self->pipeline.element ("mux");
    GstPad *to = wanted ? gst_element_get_compatible_pad (mux.get (), pad, caps) : nullptr;
    gst_caps_unref (caps);
    GstElement *between = gst_element_factory_make (to ? "queue" : "fakesink", nullptr);
    if (!to) {
      g_object_set (between, "sync", FALSE, "async", FALSE, nullptr);
      gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_data, self, nullptr);
    }
    gst_bin_add (GST_BIN (self->pipeline.get ()), between);
    if (to) {
      GstPad *from = gst_element_get_static_pad (between, "src");
      gst_pad_link (from, to);
      gst_object_unref (from);
      gst_object_unref (to);
    }
    gst_element_sync_state_with_parent (between);
    GstPad *into = gst_element_get_static_pad (between, "sink");
    gst_pad_link (pad, into);
    gst_object_unref (into);
  }

  static GstPadProbeReturn on_data (GstPad *, GstPadProbeInfo *, gpointer user)
  {
    g_atomic_int_set (&static_cast<Joiner *> (user)->complete, 1);
    return GST_PAD_PROBE_REMOVE;
  }

  /* Encoded frames of a chunk, each at the time that its task noted. */
  void feed (const std::string &path, const std::vector<GstClockTime> &times)
  {
    Pipeline chunk ("filesrc name=file ! matroskademux ! appsink name=frames sync=false", path);
    chunk.play ();
    const Ref<GstElement> sink = chunk.element ("frames");
    size_t count = 0;
    for (;;) {
      const Sample sample (gst_app_sink_try_pull_sample (GST_APP_SINK (sink.get ()), GST_SECOND / 10));
      chunk.check ();
      pipeline.check ();
      if (!sample) {
        if (gst_app_sink_is_eos (GST_APP_SINK (sink.get ())))
          break;
        continue;
      }
      push (sample.get (), times, path);
      count++;
    }
    ensure (count == times.size (), nullptr,
        printed ("%s has %zu frames; its task made %zu", path.c_str (), count, times.size ()).c_str ());
  }

  void push (GstSample *sample, const std::vector<GstClockTime> &times, const std::string &path)
  {
    if (!caps) {
      caps.reset (gst_caps_ref (gst_sample_get_caps (sample)));
      const Caps muxed (caps_for_muxer (caps.get ()));
      gst_app_src_set_caps (video (), muxed.get ());
    }
    ensure (gst_caps_is_equal (caps.get (), gst_sample_get_caps (sample)), nullptr,
        (path + " is encoded otherwise than the chunks before it").c_str ());
    GstBuffer *buffer = gst_buffer_copy (gst_sample_get_buffer (sample));
    const GstClockTime shown = times.front () + GST_BUFFER_PTS (buffer);
    const auto next = std::ranges::lower_bound (times, shown);
    const auto nearest = next == times.end () || (next != times.begin () && shown - next[-1] < *next - shown) ? next - 1 : next;
    const GstClockTime off = *nearest > shown ? *nearest - shown : shown - *nearest;
    ensure (off <= rounding, nullptr, (path + " has a frame at a time that its task did not note").c_str ());
    if (GST_BUFFER_DTS_IS_VALID (buffer))
      GST_BUFFER_DTS (buffer) += *nearest - GST_BUFFER_PTS (buffer);
    GST_BUFFER_PTS (buffer) = *nearest;
    push_buffer (pipeline, video (), buffer);
  }

  const Job &job;
  const std::string out, part;
  gint complete = 0;
  Pipeline pipeline;
  Caps caps;
};

}  // namespace

std::vector<std::string>
join_job (const Job &job, const std::string &out)
{
  const std::vector<size_t> pending = job.pending ();
  ensure (pending.empty (), nullptr,
      printed ("%zu of %zu tasks are not done, task %zu first; cl-batch submit does them", pending.size (), job.tasks.size (),
          pending.empty () ? 0 : pending.front ())
          .c_str ());
  const bool is_video = !muxer_for (out).empty ();
  ensure (!is_video || job.sources.size () == 1, nullptr, "the job has several videos; -o takes a folder");
  if (!is_video)
    ensure (g_mkdir_with_parents (out.c_str (), 0777) == 0, nullptr, (out + ": " + g_strerror (errno)).c_str ());
  std::vector<std::string> written;
  for (size_t source = 0; source < job.sources.size (); source++) {
    const std::string path = is_video ? out : out + "/" + job.sources[source].name + ".mkv";
    Joiner (job, source, path).run (find_parts (job, source));
    written.push_back (path);
  }
  return written;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "verbs.hpp"

#include "../common/removal.hpp"
#include "../demo/pipeline.hpp"

#include <glib/gstdio.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>

namespace {

/* Matroska rounds times to milliseconds. */
constexpr GstClockTime rounding = GST_MSECOND;

struct Container {
  const char *ending, *muxer, *name;
};

/* Returns null if the path is not a video's. */
const Container *
container_of (const std::string &path)
{
  static constexpr Container containers[] = {
      {".mkv", "matroskamux", "Matroska"}, {".mp4", "mp4mux", "MP4"}, {".mov", "qtmux", "QuickTime"}};
  const auto found = std::ranges::find_if (containers, [&] (const Container &each) { return path.ends_with (each.ending); });
  return found == std::end (containers) ? nullptr : found;
}

/* Returns a task's result. Throws if the chunk does not match it; the task must then be repeated. */
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
  g_unlink (job.result_path (task).c_str ()); /* marks the task as not done */
  throw std::runtime_error (
      printed ("task %zu: %s. It counts as not done now, and cl-batch submit does it again", task, problem.c_str ()));
}

/* The results of a source's tasks, whose frames are consecutive. */
std::vector<Result>
find_parts (const Job &job, size_t source)
{
  std::vector<Result> parts;
  GstClockTime last = GST_CLOCK_TIME_NONE;
  for (size_t i = 0; i < job.tasks.size (); i++) {
    if (job.tasks[i].source != source)
      continue;
    Result result = checked_result (job, i);
    ensure (!GST_CLOCK_TIME_IS_VALID (last) || result.frames.front () > last,
        printed ("task %zu begins before the one before it ends", i));
    last = result.frames.back ();
    parts.push_back (std::move (result));
  }
  return parts;
}

/* Throws if the container does not take the encoder's format. */
void
check_format (const Container &container, const Result &part)
{
  Pipeline chunk ("filesrc name=file ! matroskademux ! appsink name=frames sync=false", part.chunk);
  chunk.play ();
  const Sample sample = chunk.pull (chunk.element ("frames").get ());
  ensure (bool (sample), part.chunk + " has no frames");
  GstCaps *caps = gst_sample_get_caps (sample.get ());
  const auto muxer = Ref<GstElementFactory>::take (gst_element_factory_find (container.muxer));
  ensure (muxer && gst_element_factory_can_sink_any_caps (muxer.get (), caps),
      printed ("%s does not take the encoder's format, %s; join into NAME.mkv, or plan with --encoder \"x264enc ! h264parse\"",
          container.name, gst_structure_get_name (gst_caps_get_structure (caps, 0))));
}

/* Calls `take` with each encoded frame of a part, in the order in which they are decoded. */
template <typename Take>
void
read_part (const Result &part, Take take)
{
  Pipeline chunk ("filesrc name=file ! matroskademux ! appsink name=frames sync=false", part.chunk);
  chunk.play ();
  const Ref<GstElement> sink = chunk.element ("frames");
  size_t count = 0;
  for (; const Sample sample = chunk.pull (sink.get ()); count++)
    take (sample.get ());
  ensure (count == part.frames.size (),
      printed ("%s has %zu frames; its task made %zu", part.chunk.c_str (), count, part.frames.size ()));
}

/* The number of an encoded frame among those of its part, in the order of their times. */
size_t
number_of (const Result &part, GstSample *sample)
{
  const std::vector<GstClockTime> &times = part.frames;
  const GstClockTime shown = times.front () + GST_BUFFER_PTS (gst_sample_get_buffer (sample));
  const auto next = std::ranges::lower_bound (times, shown);
  const auto nearest = next == times.end () || (next != times.begin () && shown - next[-1] < *next - shown) ? next - 1 : next;
  const GstClockTime off = *nearest > shown ? *nearest - shown : shown - *nearest;
  ensure (off <= rounding, part.chunk + " has a frame at a time that its task did not note");
  return size_t (nearest - times.begin ());
}

/* How many frames, at most, are decoded before a frame that is shown before them. */
size_t
delay_of (const std::vector<Result> &parts)
{
  size_t delay = 0;
  for (const Result &part : parts)
    read_part (part, [&, decoded = size_t (0)] (GstSample *sample) mutable {
      delay = std::max (delay, decoded - std::min (decoded, number_of (part, sample)));
      decoded++;
    });
  return delay;
}

/* Undoes what matroskademux does to text that no muxer takes as markup: it escapes texts until one has a tag, and passes all as
 * they are from then on. */
class PlainText {
public:
  static bool is_needed (GstCaps *caps)
  {
    return is_of (caps, "text/x-raw") && field_of (gst_caps_get_structure (caps, 0), "format") == "pango-markup";
  }

  GstPadProbeReturn operator() (GstPadProbeInfo *info)
  {
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
      const Buffer old (GST_PAD_PROBE_INFO_BUFFER (info));
      info->data = plain_copy (old.get ());
    } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS) {
      gst_event_unref (GST_PAD_PROBE_INFO_EVENT (info));
      const Caps plain (gst_caps_new_simple ("text/x-raw", "format", G_TYPE_STRING, "utf8", nullptr));
      info->data = gst_event_new_caps (plain.get ());
    }
    return GST_PAD_PROBE_OK;
  }

private:
  GstBuffer *plain_copy (GstBuffer *old)
  {
    std::string text (gst_buffer_get_size (old), 0);
    gst_buffer_extract (old, 0, text.data (), text.size ());
    has_tags = has_tags || text.find ('<') != std::string::npos;
    for (const auto &[entity, sign] :
        {std::pair ("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"}, {"&amp;", "&"}})
      for (size_t at = 0; !has_tags && (at = text.find (entity, at)) != std::string::npos; at++)
        text.replace (at, std::strlen (entity), sign);
    GstBuffer *fresh = gst_buffer_new_memdup (text.data (), text.size ());
    gst_buffer_copy_into (fresh, old, GST_BUFFER_COPY_METADATA, 0, gsize (-1));
    return fresh;
  }

  bool has_tags = false;
};

class Joiner {
public:
  Joiner (const Job &job, size_t source, std::string path)
      : container (*container_of (path)), out (std::move (path)), part (unfinished_name (out)),
        pipeline (printed ("%s name=mux ! filesink name=out appsrc name=video format=time ! queue ! mux.video_0 "
                           "filesrc name=file ! parsebin name=parts "
                           "multiqueue name=queues max-size-buffers=0 max-size-bytes=0 max-size-time=0",
                      container.muxer),
            job.sources[source].path)
  {
    g_object_set (pipeline.element ("out").get (), "location", part.c_str (), nullptr);
    connect<GstPad *> (pipeline.element ("parts").get (), "pad-added", [this] (GstPad *pad) { take_pad (pad); });
  }

  void run (const std::vector<Result> &parts)
  {
    /* the muxer needs all streams before the first frame; parsebin exposes all of them before it passes data on */
    pipeline.play ();
    while (!complete) {
      pipeline.check ();
      g_usleep (1000);
    }
    /* from now on a full queue waits, unless another one is empty: the muxer may need the next subtitle, which is far behind */
    g_object_set (pipeline.element ("queues").get (), "max-size-buffers", 200, nullptr);
    send_tags ();
    if (!is_matroska ())
      note_times (parts);
    for (const Result &part : parts)
      read_part (part, [&] (GstSample *sample) { push (sample, part); });
    gst_app_src_end_of_stream (video ());
    pipeline.wait ();
    gst_element_set_state (pipeline.get (), GST_STATE_NULL);
    ensure_call (g_rename (part.c_str (), out.c_str ()) == 0, out);
  }

private:
  bool is_matroska () const { return container.muxer == std::string ("matroskamux"); }

  /* Hands the source's tags to the muxer, but for those of its encoding; the tasks have turned the frames upright. */
  void send_tags ()
  {
    std::vector<std::shared_ptr<GstTagList>> lists;
    for_each_tags (source.get (), [&] (GstTagList *tags) {
      GstTagList *kept = gst_tag_list_copy (tags);
      for (const char *tag : {GST_TAG_VIDEO_CODEC, GST_TAG_CODEC, GST_TAG_ENCODER, GST_TAG_ENCODER_VERSION, GST_TAG_BITRATE,
               GST_TAG_NOMINAL_BITRATE, GST_TAG_MINIMUM_BITRATE, GST_TAG_MAXIMUM_BITRATE, GST_TAG_CONTAINER_FORMAT,
               GST_TAG_IMAGE_ORIENTATION})
        gst_tag_list_remove_tag (kept, tag);
      lists.emplace_back (kept, gst_tag_list_unref);
    });
    const Ref<GstPad> src = pad_of (GST_ELEMENT (video ()), "src");
    /* the muxer needs the caps first, which the first frame follows */
    add_probe (src.get (), GST_PAD_PROBE_TYPE_BUFFER, [lists, pad = src.get ()] (GstPadProbeInfo *) {
      for (const auto &tags : lists)
        gst_pad_push_event (pad, gst_event_new_tag (gst_tag_list_copy (tags.get ())));
      return GST_PAD_PROBE_REMOVE;
    });
  }

  /* Chunks have no decoding times, which other containers need. They follow the times of all frames with a delay; the first
   * frames are decoded at once, because qtmux would move all frames if decoding began before time 0. */
  void note_times (const std::vector<Result> &parts)
  {
    for (const Result &part : parts)
      times.insert (times.end (), part.frames.begin (), part.frames.end ());
    delay = delay_of (parts);
  }

  void set_decoding_time (GstBuffer *buffer) const
  {
    GST_BUFFER_DTS (buffer) = times[pushed - std::min (pushed, delay)];
    /* for qtmux, the video ends with the frame that is decoded last, and players cut what is shown later */
    if (pushed + 1 < times.size ())
      return;
    const GstClockTime length = times.size () > 1 ? times.back () - times[times.size () - 2] : 0;
    const GstClockTime shown = GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer) : length;
    GST_BUFFER_DURATION (buffer) = times.back () + shown - GST_BUFFER_DTS (buffer);
  }

  GstAppSrc *video () const { return GST_APP_SRC (pipeline.element ("video").get ()); }

  /* Discards the source's own video, and streams that the container does not support. */
  void take_pad (GstPad *pad)
  {
    const Caps offered (gst_pad_query_caps (pad, nullptr));
    const bool is_video = is_of (offered.get (), "video/") || is_of (offered.get (), "image/");
    const bool is_markup = PlainText::is_needed (offered.get ());
    const Ref<GstElement> mux = pipeline.element ("mux");
    const auto to = Ref<GstPad>::take (is_video    ? nullptr
                                       : is_markup ? gst_element_request_pad_simple (mux.get (), "subtitle_%u")
                                                   : gst_element_get_compatible_pad (mux.get (), pad, offered.get ()));
    if (!is_video && !to)
      std::fprintf (stderr, "cl-batch: %s is without a stream of the source: %s does not take %s\n", out.c_str (),
          container.name, gst_structure_get_name (gst_caps_get_structure (offered.get (), 0)));
    const Ref<GstPad> in = to ? queue_for (to.get ()) : discard ();
    if (is_video && !source) {
      source = in;
      add_probe (in.get (), GST_PAD_PROBE_TYPE_BUFFER, [this] (GstPadProbeInfo *) {
        complete = true;
        return GST_PAD_PROBE_REMOVE;
      });
    }
    if (is_markup)
      add_probe (in.get (), GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, PlainText ());
    /* caps of markup fit only after the probe */
    gst_pad_link_full (pad, in.get (), GST_PAD_LINK_CHECK_HIERARCHY);
  }

  /* The input of a queue before the muxer's pad. */
  Ref<GstPad> queue_for (GstPad *to)
  {
    const Ref<GstElement> queues = pipeline.element ("queues");
    const auto in = Ref<GstPad>::take (gst_element_request_pad_simple (queues.get (), "sink_%u"));
    const std::string number = std::string (GST_PAD_NAME (in.get ())).substr (std::strlen ("sink_"));
    gst_pad_link (pad_of (queues.get (), ("src_" + number).c_str ()).get (), to);
    return in;
  }

  /* The input of a sink that discards a stream. */
  Ref<GstPad> discard ()
  {
    GstElement *sink = gst_element_factory_make ("fakesink", nullptr);
    g_object_set (sink, "sync", FALSE, "async", FALSE, nullptr);
    gst_bin_add (GST_BIN (pipeline.get ()), sink);
    gst_element_sync_state_with_parent (sink);
    return pad_of (sink, "sink");
  }

  void push (GstSample *sample, const Result &from)
  {
    if (!caps) {
      caps.reset (gst_caps_ref (gst_sample_get_caps (sample)));
      const Caps muxed (gst_caps_copy (caps.get ()));
      /* matroskamux names the version field of FFV1 differently than matroskademux */
      if (gst_structure_has_name (gst_caps_get_structure (muxed.get (), 0), "video/x-ffv"))
        gst_caps_set_simple (muxed.get (), "ffversion", G_TYPE_INT, 1, nullptr);
      gst_app_src_set_caps (video (), muxed.get ());
    }
    ensure (gst_caps_is_equal (caps.get (), gst_sample_get_caps (sample)),
        from.chunk + " is encoded otherwise than the chunks before it");
    GstBuffer *buffer = gst_buffer_copy (gst_sample_get_buffer (sample));
    const GstClockTime time = from.frames[number_of (from, sample)];
    if (!times.empty ())
      set_decoding_time (buffer);
    else if (GST_BUFFER_DTS_IS_VALID (buffer))
      GST_BUFFER_DTS (buffer) += time - GST_BUFFER_PTS (buffer);
    GST_BUFFER_PTS (buffer) = time;
    pushed++;
    pipeline.push (video (), buffer);
  }

  const Container &container;
  const std::string out, part;
  const Removal removal{part};
  /* The times of all frames, if the container needs decoding times, and how many frames they are behind. */
  std::vector<GstClockTime> times;
  size_t delay = 0, pushed = 0;
  /* Gets the source's video. */
  Ref<GstPad> source;
  std::atomic<bool> complete = false;
  Pipeline pipeline;
  Caps caps;
};

}  // namespace

void
join_job (const Job &job, const std::string &out)
{
  const bool is_video = container_of (out);
  ensure (!is_video || job.sources.size () == 1, "the job has several videos; -o takes a folder");
  std::vector<std::string> paths;
  for (const Source &source : job.sources)
    paths.push_back (is_video ? out : out + "/" + source.name + ".mkv");
  for (const std::string &path : paths)
    for (const Source &source : job.sources)
      ensure_apart (source.path, path, " is a source of the job, and would be lost; -o takes another name or folder");
  const std::vector<size_t> pending = job.pending ();
  std::set<size_t> unfinished;
  for (const size_t task : pending)
    unfinished.insert (job.tasks[task].source);
  if (!is_video && unfinished.size () < job.sources.size ())
    make_folders (out);
  for (size_t source = 0; source < job.sources.size (); source++) {
    if (unfinished.contains (source))
      continue;
    const std::vector<Result> parts = find_parts (job, source);
    check_format (*container_of (paths[source]), parts.front ());
    Joiner (job, source, paths[source]).run (parts);
    std::printf ("%s\n", paths[source].c_str ());
  }
  ensure (pending.empty (),
      printed ("%s of %zu not done, task %zu first; cl-batch submit goes on", with_count (pending.size (), "task").c_str (),
          job.tasks.size (), pending.empty () ? 0 : pending.front ()));
}

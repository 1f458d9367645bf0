/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "planner.hpp"

#include "../common/glib.hpp"
#include "scan.hpp"

#include <glib/gstdio.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <set>
#include <thread>

namespace {

/* Which other frames the filters look at, put together. */
struct Reach {
  guint before = 0, after = 0;
  bool counts = false;
  /* An element whose frames have times of its own, counted from where the stream begins. */
  std::string retimes;
  /* Elements of other packages, which do not say. */
  std::set<std::string> silent;

  static guint sum (guint a, guint b) { return a == every_frame || b == every_frame ? every_frame : a + b; }
};

/* Elements that hand frames on as they come. */
bool
looks_at_one_frame (const std::string &factory)
{
  static const std::set<std::string> known{"capsfilter", "identity", "queue", "videoconvert", "videoscale", "videoconvertscale",
      "clupload", "cldownload", "glupload", "gldownload", "glcolorconvert", "glcolorscale", "videobalance", "videocrop",
      "videoflip", "videobox", "tee"};
  return known.contains (factory);
}

void add_children (Reach &reach, GstChildProxy *parent);

void
add_element (Reach &reach, GstElement *element)
{
  if (GST_IS_BIN (element) || GST_IS_CHILD_PROXY (element))
    add_children (reach, GST_CHILD_PROXY (element));
  if (GST_IS_BIN (element))
    return;
  const GstElementFactory *factory = gst_element_get_factory (element);
  const std::string name = factory ? GST_OBJECT_NAME (factory) : "";
  const GType aggregator = g_type_from_name ("GstAggregator");
  if (name == "videorate" || (aggregator && g_type_is_a (G_OBJECT_TYPE (element), aggregator)))
    reach.retimes = name;
  const bool has_stats = g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats");
  const Structure stats = has_stats ? stats_of (element) : nullptr;
  guint before = 0, after = 0;
  gboolean counts = FALSE;
  const bool tells = stats
                     && gst_structure_get (stats.get (), "frames-before", G_TYPE_UINT, &before, "frames-after", G_TYPE_UINT,
                         &after, "counts-frames", G_TYPE_BOOLEAN, &counts, nullptr);
  if (!tells && reach.retimes.empty () && !looks_at_one_frame (name))
    reach.silent.insert (name);
  reach.before = Reach::sum (reach.before, before);
  reach.after = Reach::sum (reach.after, after);
  reach.counts |= counts;
}

void
add_children (Reach &reach, GstChildProxy *parent)
{
  for (guint i = 0; i < gst_child_proxy_get_children_count (parent); i++) {
    GObject *child = gst_child_proxy_get_child_by_index (parent, i);
    if (GST_IS_ELEMENT (child))
      add_element (reach, GST_ELEMENT (child));
    g_object_unref (child);
  }
}

Reach
reach_of (const std::string &filters)
{
  GError *error = nullptr;
  /* caps may stand at either end */
  const Ref<GstElement> bin (
      gst_parse_bin_from_description (("identity ! " + filters + " ! identity").c_str (), FALSE, &error));
  ensure (bool (bin), error, "the filters do not parse");
  if (error)
    ensure (false, error);
  Reach reach;
  add_element (reach, bin.get ());
  return reach;
}

std::string
absolute (const std::string &path)
{
  return text_of (g_canonicalize_filename (path.c_str (), nullptr));
}

/* The file's name without its extension, and a number where it is taken. */
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

/* Frames in runs of about as many seconds; a last one of less than half joins the one before. */
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

/* What planning finds out about one video. */
struct Finding {
  std::vector<Task> tasks;
  /* Why it is one task, and why it is none. */
  std::string remark, problem;
};

/* Plans the videos of a job side by side. What is known of a video's frames is written when it is known, so that memory holds
 * a few videos, however many there are. */
class Planner {
public:
  Planner (Job &job, const PlanOptions &options, const Reach &reach, guint before)
      : job (job), options (options), reach (reach), before (before), findings (job.sources.size ())
  {
  }

  void run ()
  {
    std::atomic<size_t> next = 0;
    {
      std::vector<std::jthread> threads;
      for (size_t i = 0; i < std::min<size_t> (g_get_num_processors (), findings.size ()); i++)
        threads.emplace_back ([&] {
          for (size_t source; (source = next++) < findings.size ();)
            try {
              plan (source);
            } catch (const std::exception &error) {
              findings[source].problem = error.what ();
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
    ensure (!failed, nullptr, printed ("%zu of %zu videos cannot be planned", failed, findings.size ()).c_str ());
  }

private:
  void plan (size_t number)
  {
    Source &source = job.sources[number];
    Finding &found = findings[number];
    GStatBuf file;
    ensure (g_stat (source.path.c_str (), &file) == 0, nullptr, (source.path + ": " + g_strerror (errno)).c_str ());
    source.bytes = guint64 (file.st_size);
    /* a task that takes the whole video needs no times */
    if (options.segment_seconds > 0) {
      const Scan scan = scan_video (source.path, options.decodes);
      found.remark = why_whole (scan, reach, before);
      if (found.remark.empty ())
        found.tasks = cut (number, scan.frames, options.segment_seconds);
      /* a video of one task needs no seek */
      if (found.tasks.size () > 1) {
        source.frames = scan.frames.size ();
        save_frames (job, number, scan.frames);
        return;
      }
    }
    found.tasks = {{number, 0, 0, 0}};
  }

  Job &job;
  const PlanOptions &options;
  const Reach &reach;
  const guint before;
  std::vector<Finding> findings;
};

}  // namespace

Job
plan_job (const PlanOptions &options)
{
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
  Planner (job, options, reach, before).run ();
  save_plan (job);
  return job;
}

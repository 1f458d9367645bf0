/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.hpp"

#include "core/diskcache.hpp"
#include "filter-facts.hpp"

#include <glib/gstdio.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <sys/stat.h>

using namespace gst::cl;

namespace {

/* The formats of most decoders, cameras and converters. */
constexpr const char *usual_formats[] = {"NV12", "I420", "P010_10LE", "I420_10LE", "RGBA", "BGRA", "GRAY8"};

/* An element with the pads and settings to play it with, each of `settings` by itself. */
struct Work {
  std::string name, caps;
  std::vector<std::string> settings, pads, formats;
};

/* Null for elements whose programs depend only on properties or caps (filters, text, formats), and those without programs. */
const FilterFacts *
facts_of (const std::string &name)
{
  const auto found = std::ranges::find_if (filter_facts, [&] (const FilterFacts &facts) { return name == facts.element; });
  return found == filter_facts.end () ? nullptr : &*found;
}

std::vector<std::string>
elements_of_plugin ()
{
  ensure (gst_registry_check_feature_version (gst_registry_get (), "clmedian", 0, 0, 0),
      "GStreamer does not find the plugin; gst-inspect-1.0 cl says why");
  std::vector<std::string> names;
  for (const FilterFacts &facts : filter_facts)
    names.emplace_back (facts.element);
  std::ranges::sort (names);
  return names;
}

/* For the name alone, settings that make the element work, unless they need a file. */
std::vector<std::string>
settings_of (const std::string &wanted)
{
  std::vector<std::string> lines;
  if (const FilterFacts *facts = facts_of (wanted))
    std::ranges::copy_if (facts->works, std::back_inserter (lines),
        [] (const std::string &line) { return line.find ("location=") == std::string::npos; });
  return lines.empty () ? std::vector<std::string>{wanted} : lines;
}

Work
make_work (const std::string &wanted, const std::vector<std::string> &formats)
{
  const std::string name = wanted.substr (0, wanted.find (' '));
  const FilterFacts *facts = facts_of (name);
  const auto factory = ::Ref<GstElementFactory>::take (gst_element_factory_find (name.c_str ()));
  ensure (factory && !g_strcmp0 (gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE (factory.get ())), "cl"),
      "this plugin has no element \"" + name + "\"; gst-inspect-1.0 cl lists them");
  /* a wrong property is reported once, not for each format */
  parse_launch (wanted);
  Work work{name, facts && *facts->caps ? facts->caps : "video/x-raw", settings_of (wanted), sink_pads (factory.get ()), {}};
  /* it takes and produces such frames in system memory */
  std::ranges::copy_if (formats, std::back_inserter (work.formats), [&] (const std::string &format) {
    const Caps caps (gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format.c_str (), nullptr));
    return gst_element_factory_can_sink_any_caps (factory.get (), caps.get ())
           && gst_element_factory_can_src_any_caps (factory.get (), caps.get ());
  });
  return work;
}

std::vector<Work>
make_works (const Options &options)
{
  const Strings given (g_strsplit (options.format.c_str (), ",", -1));
  std::vector<std::string> formats = list_of (given.get ());
  if (formats.empty ())
    formats.assign (std::begin (usual_formats), std::end (usual_formats));
  for (const std::string &format : formats)
    video_format (format);
  std::vector<Work> works;
  for (const std::string &element : options.elements.empty () ? elements_of_plugin () : options.elements)
    works.push_back (make_work (element, formats));
  return works;
}

/* Both ends are in system memory, as in most pipelines. Two frames, because some filters need a second one. */
std::string
launch_of (const Work &work, const std::string &settings, const std::string &format, const Options &options)
{
  std::string launch = settings + " name=warmed ! " + work.caps + " ! fakesink sync=false";
  for (const std::string &pad : work.pads)
    launch += " videotestsrc num-buffers=2 ! video/x-raw,format=" + format + ",width=" + std::to_string (options.width)
              + ",height=" + std::to_string (options.height) + " ! warmed." + pad;
  return launch;
}

std::string
describe (const ProgramTally &tally, const char *none)
{
  if (tally.built)
    return with_count (tally.built, "program") + " built, " + std::to_string (tally.from_disk) + " there already";
  if (tally.from_disk)
    return (tally.from_disk > 1 ? "all " : "") + with_count (tally.from_disk, "program") + " there already";
  return none;
}

class Warming {
public:
  Warming (const Options &options_) : options (options_), progress (options.quiet), context (open_context (options.device)) {}

  const Device &device () const { return Context::of (context.get ()).device; }

  /* Returns whether every element played. */
  bool run (const std::vector<Work> &works)
  {
    bool good = true;
    for (size_t i = 0; i < works.size () && !interrupted; i++) {
      progress.at (i, works.size ());
      good = run_one (works[i]) && good;
    }
    return good;
  }

  std::string summary () const
  {
    return with_count (elements, "element") + ", " + with_count (streams, "format") + ": " + describe (tally (), "no programs");
  }

  ProgramTally tally () const
  {
    const ProgramTally now = Context::of (context.get ()).programs.tally ();
    return {earlier.built + now.built, earlier.from_disk + now.from_disk};
  }

private:
  bool run_one (const Work &work)
  {
    const ProgramTally before = tally ();
    const gint64 start = g_get_monotonic_time ();
    bool good = true;
    size_t n = 0;
    for (; n < work.formats.size () && !interrupted; n++) {
      progress.show (work.name, work.formats[n], int (n), int (work.formats.size ()));
      for (const std::string &settings : work.settings)
        if (const std::string problem = play (launch_of (work, settings, work.formats[n], options)); !problem.empty ()) {
          progress.say (settings + ", " + work.formats[n] + ": " + problem);
          good = false;
        }
    }
    const ProgramTally after = tally ();
    progress.result (printed ("%-14s %s, %s (%.1f s)", work.name.c_str (), with_count (n, "format").c_str (),
        describe (
            {after.built - before.built, after.from_disk - before.from_disk}, good ? "no programs of its own" : "no programs")
            .c_str (),
        double (g_get_monotonic_time () - start) / G_USEC_PER_SEC));
    elements++;
    streams += n;
    return good;
  }

  /* Returns the error. */
  std::string play (const std::string &launch)
  {
    std::string problem;
    Context &cl = Context::of (context.get ());
    try {
      const Player player (launch, context.get ());
      player.play ();
      problem = player.wait ();
    } catch (const std::runtime_error &error) {
      problem = error.what ();
    }
    cl.programs.finish ();
    if (cl.failed) {
      earlier = tally ();
      context = open_context (options.device);
    }
    return problem;
  }

  const Options &options;
  Progress progress;
  ContextRef context;
  /* programs of earlier contexts, which failed */
  ProgramTally earlier;
  size_t elements = 0, streams = 0;
};

}  // namespace

std::string
folder_problem (const std::string &folder)
{
  const bool good = g_mkdir_with_parents (folder.c_str (), S_IRWXU) == 0 && access (folder.c_str (), W_OK | X_OK) == 0;
  return good ? "" : folder + " cannot be written: " + g_strerror (errno);
}

bool
warm (const Options &options)
{
  const std::vector<Work> works = make_works (options);
  const gint64 start = g_get_monotonic_time ();
  Warming warming (options);
  if (!options.quiet)
    std::fprintf (stderr, "%s, %s; Ctrl+C stops and keeps what was compiled\n", warming.device ().describe ().c_str (),
        with_count (works.size (), "element").c_str ());
  const bool good = warming.run (works);
  std::printf ("%s, in %.1f s\n", warming.summary ().c_str (), double (g_get_monotonic_time () - start) / G_USEC_PER_SEC);
  const std::string problem = warming.tally ().built ? folder_problem (disk_cache::folder ()) : "";
  if (!problem.empty ())
    std::fprintf (stderr, "cl-tune: nothing was kept: %s\n", problem.c_str ());
  return good && problem.empty ();
}

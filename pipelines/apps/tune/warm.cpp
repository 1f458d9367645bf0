/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "warm.hpp"

#include "player.hpp"
#include "report.hpp"

#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

using namespace gst::cl;

namespace {

/* The formats of most decoders, cameras and converters. */
constexpr const char *usual_formats[] = {"NV12", "I420", "P010_10LE", "I420_10LE", "RGBA", "BGRA", "GRAY8"};

/* Elements that pass frames unchanged with default settings, with settings that make them work. */
const struct {
  const char *name, *settings;
} usual_settings[] = {
    {"clcolormatrix", "clcolormatrix preset=sepia"},
    {"clconvolve", "clconvolve preset=sharpen"},
    {"clflip", "clflip video-direction=90r"},
    {"cllevels", "cllevels gamma=1.5"},
    {"clwarp", "clwarp matrix=\"1 0 1; 0 1 1; 0 0 1\""},
};

/* Elements whose programs depend only on properties or caps (filters, text, formats), and elements without programs. */
constexpr const char *left_out[] = {"clchain", "clconvert", "cldownload", "clprogram", "cltonemap", "clupload", "clvideo"};

/* An element with the pads and settings to play it with. */
struct Work {
  std::string name, settings;
  std::vector<std::string> pads, formats;
};

std::string
settings_of (const std::string &name)
{
  const auto usual = std::ranges::find_if (usual_settings, [&] (const auto &each) { return name == each.name; });
  return usual == std::end (usual_settings) ? name : usual->settings;
}

std::vector<std::string>
elements_of_plugin ()
{
  std::vector<std::string> names;
  GList *features = gst_registry_get_feature_list_by_plugin (gst_registry_get (), "cl");
  for (const GList *each = features; each; each = each->next)
    if (GST_IS_ELEMENT_FACTORY (each->data))
      names.emplace_back (gst_plugin_feature_get_name (GST_PLUGIN_FEATURE (each->data)));
  gst_plugin_feature_list_free (features);
  std::erase_if (names, [] (const std::string &name) { return std::ranges::count (left_out, name) > 0; });
  ensure (!names.empty (), "GStreamer does not find the plugin; gst-inspect-1.0 cl says why");
  std::ranges::sort (names);
  return names;
}

/* Whether it takes and produces such frames in system memory. */
bool
filters (GstElementFactory *factory, const std::string &format)
{
  const Caps caps (gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format.c_str (), nullptr));
  return gst_element_factory_can_sink_any_caps (factory, caps.get ())
         && gst_element_factory_can_src_any_caps (factory, caps.get ());
}

/* Its sink pads; two request pads if it has no others. */
std::vector<std::string>
sink_pads (GstElementFactory *factory)
{
  std::vector<std::string> always, requested;
  for (const GList *each = gst_element_factory_get_static_pad_templates (factory); each; each = each->next) {
    const auto *pad = static_cast<const GstStaticPadTemplate *> (each->data);
    if (pad->direction != GST_PAD_SINK)
      continue;
    const std::string name = pad->name_template;
    if (pad->presence == GST_PAD_ALWAYS)
      always.push_back (name);
    else
      for (const char *number : {"0", "1"})
        requested.push_back (name.substr (0, name.find ('%')) + number);
  }
  return always.empty () ? requested : always;
}

Work
make_work (const std::string &wanted, const std::vector<std::string> &formats)
{
  const std::string name = wanted.substr (0, wanted.find (' '));
  GstElementFactory *factory = gst_element_factory_find (name.c_str ());
  const gchar *plugin = factory ? gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE (factory)) : nullptr;
  Work work{.name = name, .settings = wanted == name ? settings_of (name) : wanted};
  const bool ours = g_strcmp0 (plugin, "cl") == 0;
  if (ours) {
    work.pads = sink_pads (factory);
    std::ranges::copy_if (
        formats, std::back_inserter (work.formats), [&] (const std::string &format) { return filters (factory, format); });
  }
  gst_clear_object (&factory);
  ensure (ours, "this plugin has no element \"" + name + "\"; gst-inspect-1.0 cl lists them");
  return work;
}

std::vector<Work>
make_works (const WarmOptions &options)
{
  std::vector<std::string> formats = options.formats;
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
launch_of (const Work &work, const std::string &format, const WarmOptions &options)
{
  std::string launch = work.settings + " name=warmed ! video/x-raw ! fakesink sync=false";
  for (const std::string &pad : work.pads)
    launch += " videotestsrc num-buffers=2 ! video/x-raw,format=" + format + ",width=" + std::to_string (options.width)
              + ",height=" + std::to_string (options.height) + " ! warmed." + pad;
  return launch;
}

std::string
with_count (guint64 n, const char *what)
{
  return std::to_string (n) + " " + what + (n == 1 ? "" : "s");
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
  Warming (const WarmOptions &options_) : options (options_), progress (options.quiet), context (open_context (options.device))
  {
  }

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

private:
  ProgramTally tally () const
  {
    const ProgramTally now = Context::of (context.get ()).programs.tally ();
    return {earlier.built + now.built, earlier.from_disk + now.from_disk};
  }

  bool run_one (const Work &work)
  {
    const ProgramTally before = tally ();
    const gint64 start = g_get_monotonic_time ();
    bool good = true;
    size_t n = 0;
    for (; n < work.formats.size () && !interrupted; n++) {
      progress.show (work.name, work.formats[n], int (n), int (work.formats.size ()));
      if (const std::string problem = play (work, work.formats[n]); !problem.empty ()) {
        progress.say (work.settings + ", " + work.formats[n] + ": " + problem);
        good = false;
      }
    }
    const ProgramTally after = tally ();
    progress.result (printed ("%-14s %s, %s (%.1f s)", work.name.c_str (), with_count (n, "format").c_str (),
        describe ({after.built - before.built, after.from_disk - before.from_disk}, "no programs of its own").c_str (),
        double (g_get_monotonic_time () - start) / G_USEC_PER_SEC));
    elements++;
    streams += n;
    return good;
  }

  /* Returns the error. */
  std::string play (const Work &work, const std::string &format)
  {
    std::string problem;
    Context &cl = Context::of (context.get ());
    try {
      const Player player (launch_of (work, format, options), context.get ());
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

  const WarmOptions &options;
  Progress progress;
  ContextRef context;
  /* programs of earlier contexts, which failed */
  ProgramTally earlier;
  size_t elements = 0, streams = 0;
};

}  // namespace

bool
warm (const WarmOptions &options)
{
  const std::vector<Work> works = make_works (options);
  const gint64 start = g_get_monotonic_time ();
  Warming warming (options);
  if (!options.quiet)
    std::fprintf (stderr, "%s, %s; Ctrl+C stops and keeps what was compiled\n", warming.device ().describe ().c_str (),
        with_count (works.size (), "element").c_str ());
  const bool good = warming.run (works);
  std::printf ("%s, in %.1f s\n", warming.summary ().c_str (), double (g_get_monotonic_time () - start) / G_USEC_PER_SEC);
  return good;
}

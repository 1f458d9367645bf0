/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "options.hpp"

#include "../../pipelines/apps/common/options.hpp"

#include <gst/gst.h>

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

struct Raw {
  gchar *device = nullptr, *filter = nullptr, *peer_results = nullptr, *save_frames = nullptr, *peers = nullptr,
        *parts = nullptr, *npp = nullptr;
  gchar *image = nullptr, *video = nullptr;
  gchar **sizes = nullptr, **words = nullptr;
  gint runs = 0;
  gboolean quick = FALSE, best = FALSE, markdown = FALSE, json = FALSE;
};

Size
parse_size (const std::string &text)
{
  Size size{};
  char end;
  const bool good = std::sscanf (text.c_str (), "%dx%d%c", &size.width, &size.height, &end) == 2;
  ensure (good && std::min (size.width, size.height) >= 64 && std::max (size.width, size.height) <= 16384,
      "--size wants WIDTHxHEIGHT from 64x64 to 16384x16384, not " + text);
  return size;
}

std::string
file_uri (const std::string &file)
{
  if (file.empty () || gst_uri_is_valid (file.c_str ()))
    return file;
  return text_of (checked_call ([&] (GError **error) { return gst_filename_to_uri (file.c_str (), error); }));
}

std::vector<std::string>
split (const std::string &list)
{
  return list_of (Strings (g_strsplit (list.c_str (), ",", -1)).get ());
}

constexpr const char *summary =
    "Times the OpenCL filters and their peers.\n\nVerbs:\n"
    "  (none)    times every filter beside its peers and prints tables\n"
    "  check     fails where a target is missed on this machine\n"
    "  sources   prints the five source documents' tables again, with today's times beside them\n"
    "  growth    time against pixels, window, chain and pipelines; start-up; changes of properties\n"
    "  latency   what a frame that comes alone takes through each LAUNCH LINE, or through the usual ones";

std::optional<int>
parse (int argc, char **argv, Raw &raw)
{
  const GOptionEntry entries[] = {
      {"device", 'd', 0, G_OPTION_ARG_STRING, &raw.device, "As the elements' property; every device without it", "NAME"},
      {"size", 's', 0, G_OPTION_ARG_STRING_ARRAY, &raw.sizes,
          "Size of the frames, may be repeated (1920x1080, on GPUs also 3840x2160)", "WxH"},
      {"filter", 'f', 0, G_OPTION_ARG_STRING, &raw.filter, "Only filters whose \"name window\" holds this", "NAME"},
      {"peers", 'p', 0, G_OPTION_ARG_STRING, &raw.peers,
          "Only these: opencv-cpu,opencv-opencl,ffmpeg-cpu,ffmpeg-opencl,npp, or none", "LIST"},
      {"npp", 0, 0, G_OPTION_ARG_FILENAME, &raw.npp, "The program npp_bench (the one beside this program, or in PATH)",
          "PROGRAM"},
      {"part", 0, 0, G_OPTION_ARG_STRING, &raw.parts,
          "Only these of growth: pixels,windows,chain,pipelines,start,change,formats,convert,whole; of sources: a,b,c,d,e",
          "LIST"},
      {"peer-results", 0, 0, G_OPTION_ARG_FILENAME, &raw.peer_results, "What npp_bench printed", "FILE"},
      {"save-frames", 0, 0, G_OPTION_ARG_FILENAME, &raw.save_frames, "Write the frames of the last size, for npp_bench",
          "FILE"},
      {"image", 0, 0, G_OPTION_ARG_FILENAME, &raw.image, "Filter this picture instead of drawn ones", "FILE"},
      {"video", 0, 0, G_OPTION_ARG_FILENAME, &raw.video, "Filter this clip's first frames", "FILE"},
      {"runs", 0, 0, G_OPTION_ARG_INT, &raw.runs, "Samples of each time (15)", "N"},
      {"quick", 'q', 0, G_OPTION_ARG_NONE, &raw.quick, "Five samples; for a first look", nullptr},
      {"best", 0, 0, G_OPTION_ARG_NONE, &raw.best, "Shortest times instead of medians, for a machine that is shared", nullptr},
      {"json", 'j', 0, G_OPTION_ARG_NONE, &raw.json, "Print everything as JSON; the text goes to standard error", nullptr},
      {"markdown", 0, 0, G_OPTION_ARG_NONE, &raw.markdown, "Print Markdown", nullptr},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &raw.words, nullptr, "[VERB]"},
      {nullptr, 0, 0, G_OPTION_ARG_NONE, nullptr, nullptr, nullptr},
  };
  return parse_command_line (
      {.program = "cl-bench", .summary = summary, .entries = entries, .groups = {gst_init_get_option_group ()}}, argc, argv);
}

bool
takes_words (Verb verb)
{
  return verb == Verb::stream || verb == Verb::latency;
}

Verb
parse_verb (std::vector<std::string> &words)
{
  static const std::map<std::string, Verb> verbs{{"check", Verb::check}, {"sources", Verb::sources}, {"growth", Verb::growth},
      {"latency", Verb::latency}, {"stream", Verb::stream}};
  if (words.empty ())
    return Verb::table;
  const auto verb = verbs.find (words[0]);
  ensure (verb != verbs.end (), "what is " + words[0] + "?");
  ensure (takes_words (verb->second) || words.size () == 1, "what is " + words.back () + "?");
  words.erase (words.begin ());
  return verb->second;
}

}  // namespace

Effort
Options::effort () const
{
  if (verb == Verb::check) /* missed targets are measured again, with more samples */
    return {std::min (runs, 9), 0.6, 3};
  return quick ? Effort{std::min (runs, 5), 0.5, 2} : Effort{runs, 3, 5};
}

bool
Options::wants_peer (const std::string &name) const
{
  return all_peers || std::find (peers.begin (), peers.end (), name) != peers.end ();
}

bool
Options::wants_part (const std::string &name) const
{
  return parts.empty () || std::find (parts.begin (), parts.end (), name) != parts.end ();
}

namespace {

/* Throws std::runtime_error. */
void
take_options (const Raw &raw, Options &options)
{
  options.words = list_of (Strings (raw.words).get ());
  options.verb = parse_verb (options.words);
  options.device = text_of (raw.device);
  options.npp = text_of (raw.npp);
  options.parts = split (text_of (raw.parts));
  options.filter = text_of (raw.filter);
  options.peer_results = text_of (raw.peer_results);
  options.save_frames = text_of (raw.save_frames);
  options.all_peers = !raw.peers;
  options.peers = split (text_of (raw.peers));
  const std::string image = text_of (raw.image), video = text_of (raw.video);
  ensure (image.empty () || video.empty (), "--image or --video, not both");
  options.uri = file_uri (image.empty () ? video : image);
  for (const std::string &size : list_of (Strings (raw.sizes).get ()))
    options.sizes.push_back (parse_size (size));
  ensure (raw.runs >= 0, "--runs wants a positive number");
  if (raw.runs)
    options.runs = raw.runs;
  options.quick = raw.quick;
  options.best = raw.best;
  options.markdown = raw.markdown;
  ensure (!raw.json || !takes_words (options.verb), "--json has nothing to print of this verb");
  if (raw.json)
    options.json = std::make_shared<JsonOutput> (true);
}

}  // namespace

std::optional<int>
parse_options (Options &options, int argc, char **argv)
{
  Raw raw;
  if (const std::optional<int> status = parse (argc, argv, raw))
    return status;
  try {
    take_options (raw, options);
  } catch (const std::runtime_error &refusal) {
    g_printerr ("cl-bench: %s; --help lists the options\n", refusal.what ());
    return 2;
  }
  return std::nullopt;
}

}  // namespace bench

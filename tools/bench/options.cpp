/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../pipelines/apps/common/options.hpp"
#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace bench {

namespace {

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

std::vector<std::string>
split (const std::string &list)
{
  return list_of (Strings (g_strsplit (list.c_str (), ",", -1)).get ());
}

constexpr const char *known_peers = "opencv-cpu,opencv-opencl,ffmpeg-cpu,ffmpeg-opencl,ipp,npp,none";
constexpr const char *growth_parts = "pixels,windows,chain,pipelines,start,change,formats,convert,whole",
                     *source_parts = "a,b,c,d,e";

std::vector<std::string>
split_known (const std::string &list, const std::string &known)
{
  const std::vector<std::string> all = split (known), words = split (list);
  for (const std::string &word : words)
    ensure (std::ranges::find (all, word) != all.end (), "there is no " + word + " here: name " + known);
  return words;
}

constexpr const char *summary =
    "Times the OpenCL filters and their peers.\n\nVerbs:\n"
    "  (none)    times every filter beside its peers and prints tables\n"
    "  check     fails where a target is missed on this machine\n"
    "  sources   prints the five source documents' tables again, with today's times beside them\n"
    "  growth    time against pixels, window, chain and pipelines; start-up; changes of properties\n"
    "  latency   what a frame that comes alone takes through each LAUNCH LINE, or through the usual ones";

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
parse_options (Options &options, int argc, char **argv)
{
  std::string peers, parts;
  std::filesystem::path image, video;
  std::vector<std::string> sizes;
  bool json = false;
  const std::string of_peers = std::string ("Only these: ") + known_peers;
  const std::string of_parts = std::string ("Only these of growth: ") + growth_parts + "; of sources: " + source_parts;
  const CommandLine line{.program = "cl-bench",
      .summary = summary,
      .options = {{"device", 'd', &options.device, "As the elements' property; every device without it", "NAME"},
          {"size", 's', &sizes, "Size of the frames, may be repeated (1920x1080, on GPUs also 3840x2160)", "WxH"},
          {"filter", 'f', &options.filter, "Only filters whose \"name window\" holds this", "NAME"},
          {"peers", 'p', &peers, of_peers.c_str (), "LIST"},
          {"npp", 0, &options.npp, "The program npp_bench (the one beside this program, or in PATH)", "PROGRAM"},
          {"ipp", 0, &options.ipp, "Intel's IPP too: the folder of libippi.so.12, data/lib of the unpacked wheel ipp",
              "FOLDER"},
          {"part", 0, &parts, of_parts.c_str (), "LIST"},
          {"peer-results", 0, &options.peer_results, "What npp_bench or cvcuda_bench.py printed", "FILE"},
          {"save-frames", 0, &options.save_frames, "Write the frames of the last size, for npp_bench", "FILE"},
          {"image", 0, &image, "Filter this picture instead of drawn ones", "FILE"},
          {"video", 0, &video, "Filter this clip's first frames", "FILE"},
          {"runs", 0, &options.runs, "Samples of each time (15)", "N"},
          {"quick", 'q', &options.quick, "Five samples; for a first look"},
          {"best", 0, &options.best, "Shortest times instead of medians, for a machine that is shared"},
          {"json", 'j', &json, "Print everything as JSON; the text goes to standard error"},
          {"markdown", 0, &options.markdown, "Print Markdown"}, {"", 0, &options.words, nullptr, "[VERB]"}},
      .groups = {gst_init_get_option_group ()}};
  if (!parse_command_line (line, argc, argv))
    return false;
  try {
    options.verb = parse_verb (options.words);
    ensure (parts.empty () || options.verb == Verb::growth || options.verb == Verb::sources || options.verb == Verb::check,
        "--part is for growth, sources and check");
    options.parts = split_known (parts, options.verb == Verb::sources ? source_parts : growth_parts);
    options.all_peers = peers.empty ();
    options.peers = split_known (peers, known_peers);
    ensure (image.empty () || video.empty (), "--image or --video, not both");
    options.uri = image.empty () ? video : image;
    if (!options.uri.empty () && !gst_uri_is_valid (options.uri.c_str ()))
      options.uri = text_of (checked_call ([&] (GError **error) { return gst_filename_to_uri (options.uri.c_str (), error); }));
    std::ranges::transform (sizes, std::back_inserter (options.sizes), parse_size);
    ensure (options.runs > 0, "--runs wants a positive number");
    ensure (!json || !takes_words (options.verb), "--json has nothing to print of this verb");
  } catch (const std::runtime_error &refusal) {
    refuse_usage (refusal.what ());
  }
  if (json)
    options.json = std::make_shared<JsonOutput> (true);
  return true;
}

}  // namespace bench

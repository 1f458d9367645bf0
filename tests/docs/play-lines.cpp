/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plays launch lines one after the other in one process, which loads drivers and kernels once for all. A line of standard input
 * is the arguments of one gst-launch-1.0, with a NUL between them; for each, standard output has a line with 0 or 1. */
#include "../../pipelines/apps/common/glib.hpp"

#include <algorithm>
#include <iostream>

static std::vector<std::string>
split (const std::string &line)
{
  std::vector<std::string> words;
  for (size_t begin = 0, end; begin <= line.size (); begin = end + 1) {
    end = std::min (line.find ('\0', begin), line.size ());
    words.push_back (line.substr (begin, end - begin));
  }
  return words;
}

/* Throws its first error. */
static void
play (const std::vector<std::string> &words)
{
  constexpr GstClockTime patience = 50 * GST_SECOND;
  constexpr auto types = GstMessageType (GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_LATENCY);
  std::vector<const gchar *> arguments;
  for (const std::string &word : words)
    arguments.push_back (word.c_str ());
  arguments.push_back (nullptr);
  const Ref<GstElement> parsed = checked_call ([&] (GError **error) {
    return Ref<GstElement> (gst_parse_launchv_full (arguments.data (), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, error));
  });
  const Running pipeline (static_cast<GstElement *> (gst_object_ref (parsed.get ())));
  const Ref<GstBus> bus = bus_of (pipeline.get ());
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
  while (const Message message{gst_bus_timed_pop_filtered (bus.get (), patience, types)}) {
    if (GST_MESSAGE_TYPE (message.get ()) == GST_MESSAGE_EOS)
      return;
    if (GST_MESSAGE_TYPE (message.get ()) == GST_MESSAGE_LATENCY) {
      gst_bin_recalculate_latency (GST_BIN (pipeline.get ()));
      continue;
    }
    const auto [error, debug] = parse_problem (message.get ());
    throw std::runtime_error (
        text_of (gst_object_get_path_string (GST_MESSAGE_SRC (message.get ()))) + ": " + error->message + "\n" + debug);
  }
  throw std::runtime_error ("still running after " + std::to_string (patience / GST_SECOND) + " s");
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  for (std::string line; std::getline (std::cin, line);)
    try {
      play (split (line));
      std::cout << 0 << std::endl;
    } catch (const std::runtime_error &error) {
      g_printerr ("%s\n", error.what ());
      std::cout << 1 << std::endl;
    }
}

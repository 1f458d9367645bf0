/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plays launch lines one after the other in one process, which loads drivers and kernels once for all. A line of standard input
 * is the arguments of one gst-launch-1.0, with a NUL between them; for each, standard output has a line with 0 or 1. */
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <gst/gst.h>

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

static void
tell (GstMessage *message)
{
  g_autoptr (GError) error = nullptr;
  g_autofree gchar *debug = nullptr, *name = gst_object_get_path_string (GST_MESSAGE_SRC (message));
  gst_message_parse_error (message, &error, &debug);
  g_printerr ("%s: %s\n%s\n", name, error->message, debug ? debug : "");
}

/* Whether it reached its end without an error */
static bool
wait_for_end (GstElement *pipeline, GstBus *bus)
{
  constexpr GstClockTime patience = 50 * GST_SECOND;
  constexpr auto types = GstMessageType (GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_LATENCY);
  while (GstMessage *message = gst_bus_timed_pop_filtered (bus, patience, types)) {
    const GstMessageType type = GST_MESSAGE_TYPE (message);
    if (type == GST_MESSAGE_LATENCY)
      gst_bin_recalculate_latency (GST_BIN (pipeline));
    else if (type == GST_MESSAGE_ERROR)
      tell (message);
    gst_message_unref (message);
    if (type != GST_MESSAGE_LATENCY)
      return type == GST_MESSAGE_EOS;
  }
  g_printerr ("still running after %d s\n", int (patience / GST_SECOND));
  return false;
}

static bool
play (const std::vector<std::string> &words)
{
  std::vector<const gchar *> arguments;
  for (const std::string &word : words)
    arguments.push_back (word.c_str ());
  arguments.push_back (nullptr);
  g_autoptr (GError) error = nullptr;
  g_autoptr (GstElement) pipeline = gst_parse_launchv (arguments.data (), &error);
  if (error)
    g_printerr ("%s\n", error->message);
  if (!pipeline || error)
    return false;
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  const bool good = wait_for_end (pipeline, bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return good;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  for (std::string line; std::getline (std::cin, line);)
    std::cout << !play (split (line)) << std::endl;
}

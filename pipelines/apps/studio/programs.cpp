/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "programs.hpp"
#include "../common/glib.hpp"

namespace studio {

namespace {

constexpr const char *c_text = R"(/* Made by cl-studio. To build and run it:
 *   cc -o filtered filtered.c $(pkg-config --cflags --libs gstreamer-1.0)
 *   ./filtered
 */
#include <gst/gst.h>

static int
play (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GError *error = NULL;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return error ? 1 : 0;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  GstElement *pipeline;

  gst_init (&argc, &argv);
  pipeline = gst_parse_launch (
PIPELINE,
      &error);
  if (!pipeline) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  return play (pipeline);
}
)";

constexpr const char *python_text = R"(#!/usr/bin/env python3
# Made by cl-studio.
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

Gst.init(None)
pipeline = Gst.parse_launch(
PIPELINE
)
bus = pipeline.get_bus()
pipeline.set_state(Gst.State.PLAYING)
message = None
try:
    while not message:  # looks up five times a second, so that Ctrl+C works
        message = bus.timed_pop_filtered(Gst.SECOND // 5, Gst.MessageType.EOS | Gst.MessageType.ERROR)
finally:
    pipeline.set_state(Gst.State.NULL)
if message.type == Gst.MessageType.ERROR:
    sys.exit(message.parse_error()[0].message)
)";

/* Within quotes both languages read the same. */
std::string
escaped (const std::string &text)
{
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      safe += '\\';
    if (c == '\n')
      safe += "\\n";
    else if (c == '\t')
      safe += "\\t";
    else if (static_cast<unsigned char> (c) < 0x20)
      safe += printed ("\\%03o", c);
    else
      safe += c;
  }
  return safe;
}

/* The launch line as adjoining strings: one for each element, and for each line of a kernel's text. */
std::string
literal (const std::vector<std::string> &words, const std::string &indent)
{
  std::string whole, line;
  const auto end_line = [&] {
    whole += (whole.empty () ? "" : "\n") + indent + "\"" + escaped (line) + "\"";
    line.clear ();
  };
  for (const std::string &word : words) {
    if (word == "!" && !line.empty ())
      end_line ();
    for (const char c : word) {
      line += c;
      if (c == '\n')
        end_line ();
    }
    if (&word != &words.back ())
      line += ' ';
  }
  end_line ();
  return whole;
}

std::string
filled (std::string text, const std::string &pipeline)
{
  constexpr std::string_view gap = "PIPELINE";
  return text.replace (text.find (gap), gap.size (), pipeline);
}

}  // namespace

std::string
c_program (const std::vector<std::string> &words)
{
  return filled (c_text, literal (words, "      "));
}

std::string
python_program (const std::vector<std::string> &words)
{
  return filled (python_text, literal (words, "    "));
}

}  // namespace studio

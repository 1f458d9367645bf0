/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch.hpp"
#include "catalog.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace studio {

namespace {

constexpr const char *program = "gst-launch-1.0";

void
append (std::vector<std::string> &words, const std::vector<std::string> &more)
{
  if (!words.empty ())
    words.push_back ("!");
  words.insert (words.end (), more.begin (), more.end ());
}

/* The words after gst-launch-1.0 and its options, after the shell's expansion; empty without that program. */
std::vector<std::string>
words_of_script (const std::string &text)
{
  gint n = 0;
  gchar **raw = nullptr;
  GError *error = nullptr;
  if (!g_shell_parse_argv (text.c_str (), &n, &raw, &error)) {
    const Error owned (error);
    throw std::runtime_error (std::string ("not a valid shell line: ") + error->message);
  }
  const Strings owned (raw);
  const std::vector<std::string> all (raw, raw + n);
  auto word = std::ranges::find_if (all, [] (const std::string &w) { return w.ends_with (program); });
  if (word == all.end ())
    return {};
  ++word;
  while (word != all.end () && word->starts_with ("-"))
    ++word;
  return {word, all.end ()};
}

Ref<GstElement>
parse (const std::string &text)
{
  constexpr const char *otherwise = "the line makes no pipeline";
  if (text.find (program) == std::string::npos)
    return parse_bin (text, false, otherwise);
  const std::vector<std::string> words = words_of_script (text);
  std::vector<const gchar *> argv;
  for (const std::string &word : words)
    argv.push_back (word.c_str ());
  argv.push_back (nullptr);
  const auto parse = [&argv] (GError **error) {
    return Ref<GstElement> (gst_parse_launchv_full (argv.data (), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, error));
  };
  return checked_call (parse, otherwise);
}

/* In the order from source to sink. */
std::vector<Ref<GstElement>>
elements_of (GstElement *bin)
{
  /* a line of one element gives that element */
  if (!GST_IS_PIPELINE (bin) && G_OBJECT_TYPE (bin) != GST_TYPE_BIN)
    return {Ref<GstElement> (bin)};
  std::vector<Ref<GstElement>> found;
  for_each_element (gst_bin_iterate_sorted (GST_BIN (bin)), [&found] (GstElement *element) { found.emplace_back (element); });
  std::ranges::reverse (found);
  return found;
}

bool
is_plumbing (GstElement *element)
{
  constexpr std::array<std::string_view, 8> names{
      "videoconvert", "videoscale", "videorate", "queue", "decodebin", "identity", "videoconvertscale", "tee"};
  return std::ranges::find (names, kind_of (element)) != names.end ()
         || GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK);
}

/* Takes size, rate and format from a caps filter. */
void
take_caps (GstElement *filter, Line &line)
{
  GstCaps *raw = nullptr;
  g_object_get (filter, "caps", &raw, nullptr);
  const Caps caps (raw);
  if (!caps || gst_caps_is_any (raw) || gst_caps_is_empty (raw))
    return;
  const GstStructure *fields = gst_caps_get_structure (raw, 0);
  if (const char *format = gst_structure_get_string (fields, "format"); format && line.filters.empty ())
    line.format = format;
  if (!line.source || line.source->kind != Source::Kind::pattern)
    return;
  gst_structure_get_int (fields, "width", &line.source->width);
  gst_structure_get_int (fields, "height", &line.source->height);
  int n = 0, d = 1;
  if (gst_structure_get_fraction (fields, "framerate", &n, &d) && n > 0)
    line.source->rate = (n + d - 1) / d;
}

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

/* Escapes text so that both languages read it alike; characters outside ASCII stay. */
std::string
escaped (const std::string &text)
{
  std::string kept;
  for (int letter = 0x80; letter <= 0xff; letter++)
    kept += char (letter);
  return text_of (g_strescape (text.c_str (), kept.c_str ()));
}

/* The launch line as adjacent string literals: one for each element, and for each line of a kernel's text. */
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

std::vector<std::string>
filter_words (GstElement *filter)
{
  std::vector<std::string> words{kind_of (filter)};
  /* takes the settings one by one, because properties make filters inside it and their settings */
  const Ref<GstElement> twin (gst_element_factory_make (words[0].c_str (), nullptr));
  for (const auto &[name, text] : settings_of (filter)) {
    const auto [object, spec] = find_property (twin.get (), name);
    if (!spec || value_text (object.get (), spec) == text)
      continue;
    words.push_back (assignment (name, text));
    Value value (spec->value_type);
    studio::parse (value, spec, text);
    g_object_set_property (object.get (), spec->name, value.get ());
  }
  return words;
}

}  // namespace

std::vector<std::pair<std::string, std::string>>
settings_of (GstElement *filter)
{
  std::vector<std::pair<std::string, std::string>> found;
  const auto add = [&found] (GObject *object, const std::string &prefix) {
    for (const Group group : {Group::own, Group::common})
      for (GParamSpec *spec : properties_of (object, group))
        found.emplace_back (prefix + spec->name, value_text (object, spec));
  };
  add (G_OBJECT (filter), "");
  /* the filters of a clchain, by their names in launch lines */
  size_t number = 0;
  for (const Ref<GObject> &child : children_of (filter))
    if (GST_IS_ELEMENT (child.get ()))
      add (child.get (), "filter" + std::to_string (number++) + "::");
  return found;
}

std::vector<std::string>
row_words (const std::vector<Ref<GstElement>> &filters)
{
  std::vector<std::string> words;
  for (const Ref<GstElement> &filter : filters)
    append (words, filter_words (filter.get ()));
  return words;
}

std::vector<std::string>
launch_words (const Source &source, const std::string &format, const std::vector<Ref<GstElement>> &filters)
{
  std::vector<std::string> words = source.words ();
  append (words, {"videoconvert"});
  if (!format.empty ())
    append (words, {"video/x-raw,format=" + format});
  if (!filters.empty ())
    append (words, row_words (filters));
  append (words, {"videoconvert"});
  append (words, {"autovideosink"});
  return words;
}

std::string
launch_line (const std::vector<std::string> &words)
{
  std::string line = program;
  for (const std::string &word : words)
    line += " " + shell_word (word);
  return line;
}

std::string
launch_script (const std::vector<std::string> &words)
{
  std::string script =
      "#!/bin/sh\n# Saved by cl-studio, which opens this file again.\nexec " + std::string (program) + " -e \\\n ";
  for (const std::string &word : words)
    script += " " + shell_word (word) + (word == "!" ? " \\\n " : "");
  return script + "\n";
}

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

Line
read_line (const std::string &text)
{
  const Ref<GstElement> pipeline = parse (gst::cl::plain_text (text));
  Line line;
  for (const Ref<GstElement> &element : elements_of (pipeline.get ())) {
    Source source;
    if (recognize (element.get (), source)) {
      line.source = source;
    } else if (kind_of (element.get ()) == "capsfilter") {
      take_caps (element.get (), line);
    } else if (is_filter (element.get ())) {
      line.filters.push_back (element);
      /* it can go into another pipeline */
      if (GstObject *parent = GST_OBJECT_PARENT (element.get ()))
        gst_bin_remove (GST_BIN (parent), element.get ());
    } else if (!is_plumbing (element.get ())) {
      line.left_out.push_back (kind_of (element.get ()));
    }
  }
  return line;
}

}  // namespace studio

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acts.hpp"
#include "../common/files.hpp"

#include <cstring>
#include <map>
#include <stdexcept>

namespace studio {

namespace {

using Text = const std::string &;

struct Act {
  const char *arguments;
  void (*run) (Window &window, Text argument);
};

size_t
number (Text text)
{
  const int value = std::stoi (text);
  if (value < 0)
    throw std::invalid_argument ("negative");
  return size_t (value);
}

/* Before and behind the first sign. */
std::pair<std::string, std::string>
halves (Text text, char sign)
{
  const size_t place = text.find (sign);
  return {text.substr (0, place), place == std::string::npos ? "" : text.substr (place + 1)};
}

size_t
selected (Window &window)
{
  const std::optional<size_t> index = window.filters ().selected_index ();
  if (!index)
    throw std::runtime_error ("no filter is selected");
  return *index;
}

void
move (Window &window, Text argument)
{
  const auto [from, to] = halves (argument, ',');
  window.filters ().move (number (from), number (to));
}

void
set (Window &window, Text argument)
{
  const auto [name, value] = halves (argument, '=');
  window.model ().set_property (selected (window), name, value);
}

void
save_clipboard (Window &, Text path)
{
  write_file (path, text_of (gtk_clipboard_wait_for_text (gtk_clipboard_get (GDK_SELECTION_CLIPBOARD))));
}

const std::map<std::string, Act> acts{
    {"add", {"FILTER", [] (Window &window, Text text) { window.filters ().add (text); }}},
    {"remove", {"INDEX", [] (Window &window, Text text) { window.filters ().remove (number (text)); }}},
    {"select", {"INDEX", [] (Window &window, Text text) { window.filters ().select (number (text)); }}},
    {"move", {"FROM,TO", move}},
    {"on", {"INDEX", [] (Window &window, Text text) { window.filters ().set_on (number (text), true); }}},
    {"off", {"INDEX", [] (Window &window, Text text) { window.filters ().set_on (number (text), false); }}},
    {"set", {"PROPERTY=VALUE (of the selected filter)", set}},
    {"undo", {"", [] (Window &window, Text) { window.undo (); }}},
    {"redo", {"", [] (Window &window, Text) { window.undo (true); }}},
    {"source", {"FILE|URI", [] (Window &window, Text text) { window.open_source (text); }}},
    {"chain", {"NAME", [] (Window &window, Text text) { window.use_chain (text); }}},
    {"clipboard", {"FILE (writes what was copied)", save_clipboard}},
    {"line", {"TEXT", [] (Window &window, Text text) { window.open_line (text); }}},
    {"split", {"SHARE", [] (Window &window, Text text) { window.set_split (g_ascii_strtod (text.c_str (), nullptr)); }}},
    {"format", {"FORMAT", [] (Window &window, Text text) { window.model ().set_format (text); }}},
    {"text",
        {"FILE (into the kernel's editor)", [] (Window &window, Text text) { window.text ().set_text (read_file (text)); }}},
    {"play", {"", [] (Window &window, Text) { window.model ().play (); }}},
    {"pause", {"", [] (Window &window, Text) { window.model ().pause (); }}},
    {"save", {"FILE", [] (Window &window, Text text) { window.save_script_to (text); }}},
    {"frame", {"FILE", [] (Window &window, Text text) { window.save_frame_to (text); }}},
    {"export-dialog", {"", [] (Window &window, Text) { window.exporter ().ask (); }}},
    {"export", {"FILE", [] (Window &window, Text text) { window.exporter ().export_to (text); }}},
    {"zoom",
        {"FACTOR (0 fits the window)", [] (Window &window, Text text) { window.screen ().zoom ().set (std::stod (text)); }}},
    {"full-screen", {"0|1", [] (Window &window, Text text) { window.set_full_screen (text == "1"); }}},
    {"region", {"0|1", [] (Window &window, Text text) { window.set_drawing_region (text == "1"); }}},
    {"scopes", {"0|1", [] (Window &window, Text text) { window.set_scopes (text == "1"); }}},
    {"drop", {"URI", [] (Window &window, Text text) { window.open_dropped (text); }}},
    {"screenshot", {"FILE", [] (Window &window, Text text) { window.screenshot (text); }}},
    {"quit", {"", [] (Window &window, Text) { gtk_window_close (window.get ()); }}},
};

}  // namespace

void
act (Window &window, const std::string &name, const std::string &argument)
{
  const auto found = acts.find (name);
  if (found == acts.end ())
    throw std::invalid_argument ("there is no such step; --do help lists them");
  found->second.run (window, argument);
}

std::string
acts_help ()
{
  std::string text;
  for (const auto &[name, act] : acts)
    text += name + (*act.arguments ? "=" : "") + act.arguments + "\n";
  return text;
}

}  // namespace studio

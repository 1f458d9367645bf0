/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.hpp"

#include "../common/glib.hpp"

#include <algorithm>
#include <sstream>

namespace layout {

std::string
paragraph (const std::string &lead, size_t indent, const std::string &value)
{
  std::string text, line = lead;
  line.resize (std::max (line.size (), indent), ' ');
  bool empty = true;
  std::istringstream words (value);
  for (std::string word; words >> word;) {
    if (!empty && line.size () + 1 + word.size () > columns) {
      text += line + "\n";
      line.assign (indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return text + line + "\n";
}

std::string
row (size_t indent, const std::string &name, const std::string &value, size_t width)
{
  std::string lead (indent, ' ');
  lead += name;
  lead.resize (std::max (lead.size () + 1, indent + width), ' ');
  return paragraph (lead, indent + width, value.empty () ? "(none)" : value);
}

std::string
rows (JsonObject *object, std::initializer_list<std::string_view> except, size_t indent, size_t width)
{
  std::string text;
  for (const std::string &name : names_in (object)) {
    JsonNode *node = json_object_get_member (object, name.c_str ());
    if (std::ranges::find (except, name) != except.end () || JSON_NODE_HOLDS_OBJECT (node) || JSON_NODE_HOLDS_ARRAY (node))
      continue;
    if (name.ends_with ("-bytes") && JSON_NODE_HOLDS_VALUE (node))
      text += row (indent, name.substr (0, name.size () - 6), bytes (guint64 (json_node_get_int (node))), width);
    else
      text += row (indent, name, text_in (object, name.c_str ()), width);
  }
  return text;
}

std::string
bytes (guint64 count)
{
  std::string text = text_of (g_format_size_full (count, G_FORMAT_SIZE_IEC_UNITS));
  /* GLib puts a no-break space before the unit */
  if (const size_t space = text.find ("\xc2\xa0"); space != std::string::npos)
    text.replace (space, 2, " ");
  return text;
}

std::string
date (gint64 unix_seconds)
{
  GDateTime *time = g_date_time_new_from_unix_local (unix_seconds);
  if (!time)
    return "at an unknown time";
  const std::string text = text_of (g_date_time_format (time, "%-d %b %Y"));
  g_date_time_unref (time);
  return text;
}

}  // namespace layout

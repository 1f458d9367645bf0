/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report.hpp"

#include <optional>

namespace {

std::optional<JsonOutput> parent;
JsonTree told;

JsonNode *
node_in (JsonObject *object, const char *name)
{
  return object ? json_object_get_member (object, name) : nullptr;
}

}  // namespace

JsonObject *
begin_telling ()
{
  parent.emplace (true);
  told.reset (json_object_new ());
  return told.get ();
}

JsonTree
parse_told (const std::string &output)
{
  const size_t end = output.rfind ('\n');
  const size_t begin = end == std::string::npos || end == 0 ? std::string::npos : output.rfind ('\n', end - 1);
  const std::string last = end == std::string::npos ? "" : output.substr (begin + 1, end - begin - 1);
  try {
    return parse_json (
        [&last] (JsonParser *parser, GError **error) {
          return json_parser_load_from_data (parser, last.data (), gssize (last.size ()), error);
        },
        "");
  } catch (const std::runtime_error &) {
    return JsonTree (json_object_new ()); /* the child has sent nothing whole */
  }
}

void
tell (JsonObject *to, const char *name, JsonNode *value)
{
  json_object_set_member (to, name, value);
  /* the last line counts */
  if (parent)
    parent->write (json_text (told.get (), false));
}

void
tell (JsonObject *to, const char *name, const std::string &value)
{
  const Chars valid (g_utf8_make_valid (value.data (), gssize (value.size ())));
  tell (to, name, json_node_init_string (json_node_alloc (), valid.get ()));
}

void
tell (JsonObject *to, const char *name, double value)
{
  tell (to, name, json_node_init_double (json_node_alloc (), value));
}

void
tell_bytes (JsonObject *to, const char *name, const unsigned char *bytes, size_t count)
{
  std::string text;
  for (size_t i = 0; i < count; i++)
    text += printed ("%02x", bytes[i]);
  tell (to, name, text);
}

JsonObject *
tell_group (JsonObject *to, const char *name)
{
  JsonObject *group = json_object_new ();
  json_object_set_object_member (to, name, group);
  return group;
}

JsonArray *
tell_list (JsonObject *to, const char *name)
{
  if (!json_object_has_member (to, name))
    json_object_set_array_member (to, name, json_array_new ());
  return json_object_get_array_member (to, name);
}

JsonObject *
tell_item (JsonObject *to, const char *name)
{
  JsonObject *item = json_object_new ();
  json_array_add_object_element (tell_list (to, name), item);
  return item;
}

void
tell_same (JsonObject *to, const char *name, JsonObject *from)
{
  if (JsonNode *node = node_in (from, name))
    tell (to, name, json_node_copy (node));
}

std::string
text_in (JsonObject *object, const char *name)
{
  JsonNode *node = node_in (object, name);
  if (!node)
    return "";
  if (!JSON_NODE_HOLDS_VALUE (node))
    return "(not told)";
  const GType type = json_node_get_value_type (node);
  if (type == G_TYPE_INT64)
    return std::to_string (json_node_get_int (node));
  if (type == G_TYPE_DOUBLE)
    return printed ("%.1f", json_node_get_double (node));
  const char *string = json_node_get_string (node);
  std::string text = string ? string : "";
  for (char &c : text)
    if (static_cast<unsigned char> (c) < ' ')
      c = ' ';
  return text;
}

double
number_in (JsonObject *object, const char *name)
{
  JsonNode *node = node_in (object, name);
  return node && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : 0;
}

JsonObject *
group_in (JsonObject *object, const char *name)
{
  JsonNode *node = node_in (object, name);
  return node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : nullptr;
}

std::vector<std::string>
names_in (JsonObject *object)
{
  std::vector<std::string> names;
  GList *all = json_object_get_members (object);
  for (GList *each = all; each; each = each->next)
    names.push_back (static_cast<const char *> (each->data));
  g_list_free (all);
  return names;
}

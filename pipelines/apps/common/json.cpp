/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

Json
parse_json (const std::function<gboolean (JsonParser *, GError **)> &load, const std::string &otherwise)
{
  const auto parser = Ref<JsonParser>::take (json_parser_new ());
  checked_call ([&] (GError **error) { return load (parser.get (), error); });
  JsonNode *root = json_parser_get_root (parser.get ());
  ensure (root && JSON_NODE_HOLDS_OBJECT (root), otherwise);
  return Json (json_node_dup_object (root));
}

Json &
Json::copy (const char *name, const Json &from)
{
  JsonNode *found = from.node (name);
  return found ? member (name, json_node_copy (found)) : *this;
}

Json
Json::add_group (const char *name)
{
  JsonObject *made = json_object_new ();
  json_object_set_object_member (object.get (), name, made);
  return Json (json_object_ref (made));
}

JsonArray *
Json::add_list (const char *name)
{
  if (!has (name))
    json_object_set_array_member (object.get (), name, json_array_new ());
  return list (name);
}

Json
Json::add_item (const char *name)
{
  JsonObject *item = json_object_new ();
  json_array_add_object_element (add_list (name), item);
  return Json (json_object_ref (item));
}

std::string
Json::text (const char *name) const
{
  JsonNode *found = node (name);
  if (!found)
    return "";
  if (!JSON_NODE_HOLDS_VALUE (found))
    return "(not told)";
  const GType type = json_node_get_value_type (found);
  if (type == G_TYPE_INT64)
    return std::to_string (json_node_get_int (found));
  if (type == G_TYPE_DOUBLE)
    return printed ("%.1f", json_node_get_double (found));
  const char *string = json_node_get_string (found);
  return string ? string : "";
}

double
Json::number (const char *name) const
{
  JsonNode *found = node (name);
  return found && JSON_NODE_HOLDS_VALUE (found) ? json_node_get_double (found) : 0;
}

Json
Json::group (const char *name) const
{
  JsonNode *found = node (name);
  return Json (found && JSON_NODE_HOLDS_OBJECT (found) ? json_node_dup_object (found) : nullptr);
}

JsonArray *
Json::list (const char *name) const
{
  JsonNode *found = node (name);
  return found && JSON_NODE_HOLDS_ARRAY (found) ? json_node_get_array (found) : nullptr;
}

std::vector<Json>
Json::items (const char *name) const
{
  std::vector<Json> found;
  JsonArray *all = list (name);
  for (guint i = 0; all && i < json_array_get_length (all); i++)
    if (JsonNode *item = json_array_get_element (all, i); JSON_NODE_HOLDS_OBJECT (item))
      found.emplace_back (json_node_dup_object (item));
  return found;
}

std::vector<std::string>
Json::names () const
{
  const std::unique_ptr<GList, Releases<g_list_free>> all (json_object_get_members (object.get ()));
  std::vector<std::string> found;
  for (const GList *each = all.get (); each; each = each->next)
    found.emplace_back (static_cast<const char *> (each->data));
  return found;
}

std::string
Json::document (bool indented) const
{
  const std::unique_ptr<JsonNode, Releases<json_node_unref>> root (json_node_init_object (json_node_alloc (), object.get ()));
  return text_of (json_to_string (root.get (), indented)) + "\n";
}

JsonOutput::JsonOutput (bool wanted)
{
  if (!wanted)
    return;
  std::fflush (stdout);
  file = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  ensure_call (file >= 0 && dup2 (STDERR_FILENO, STDOUT_FILENO) >= 0, "standard output cannot be used");
}

JsonOutput::~JsonOutput ()
{
  if (file >= 0)
    close (file);
}

void
JsonOutput::write (const std::string &document) const
{
  for (size_t done = 0; done < document.size ();) {
    const ssize_t count = ::write (file, document.data () + done, document.size () - done);
    ensure_call (count >= 0 || errno == EINTR, "standard output cannot be written");
    done += count > 0 ? size_t (count) : 0;
  }
}

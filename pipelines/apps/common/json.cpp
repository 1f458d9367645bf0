/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

JsonTree
parse_json (const std::function<gboolean (JsonParser *, GError **)> &load, const std::string &otherwise)
{
  const auto parser = Ref<JsonParser>::take (json_parser_new ());
  checked_call ([&] (GError **error) { return load (parser.get (), error); });
  JsonNode *root = json_parser_get_root (parser.get ());
  ensure (root && JSON_NODE_HOLDS_OBJECT (root), otherwise);
  return JsonTree (json_node_dup_object (root));
}

std::vector<JsonObject *>
items_in (JsonObject *object, const char *name)
{
  std::vector<JsonObject *> items;
  JsonNode *node = json_object_get_member (object, name);
  JsonArray *list = node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : nullptr;
  for (guint i = 0; list && i < json_array_get_length (list); i++)
    if (JsonNode *item = json_array_get_element (list, i); JSON_NODE_HOLDS_OBJECT (item))
      items.push_back (json_node_get_object (item));
  return items;
}

std::string
json_text (JsonObject *object, bool indented)
{
  const std::unique_ptr<JsonNode, Releases<json_node_unref>> root (json_node_init_object (json_node_alloc (), object));
  return text_of (json_to_string (root.get (), indented)) + "\n";
}

std::string
Json::text () const
{
  const std::unique_ptr<JsonNode, Releases<json_node_unref>> root (json_builder_get_root (builder.get ()));
  return json_text (json_node_get_object (root.get ()), true);
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

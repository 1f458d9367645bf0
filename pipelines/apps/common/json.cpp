/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.hpp"

std::string
Json::text () const
{
  JsonNode *root = json_builder_get_root (builder.get ());
  gchar *written = json_to_string (root, TRUE);
  const std::string text = std::string (written) + "\n";
  g_free (written);
  json_node_unref (root);
  return text;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.hpp"

std::string
Json::text () const
{
  JsonNode *root = json_builder_get_root (builder.get ());
  const std::string text = text_of (json_to_string (root, TRUE)) + "\n";
  json_node_unref (root);
  return text;
}

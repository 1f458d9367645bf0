/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the output of npp_bench: an object of strings and numbers on every line. */
#include "../../pipelines/apps/common/json.hpp"
#include "peer.hpp"

#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

ForeignResult
parse_result (const std::string &line)
{
  const auto parser = Ref<JsonParser>::take (json_parser_new ());
  checked_call ([&] (GError **error) { return json_parser_load_from_data (parser.get (), line.c_str (), -1, error); });
  JsonNode *root = json_parser_get_root (parser.get ());
  ensure (root && JSON_NODE_HOLDS_OBJECT (root), "no object");
  JsonObject *object = json_node_get_object (root);
  const auto text = [&] (const char *name) { return json_object_get_string_member_with_default (object, name, ""); };
  const auto number = [&] (const char *name) {
    ensure (json_object_has_member (object, name), std::string ("no ") + name);
    return json_object_get_double_member (object, name);
  };
  ForeignResult result{text ("peer"), text ("filter"), int (number ("size")), int (number ("channels")),
      {int (number ("width")), int (number ("height"))}, {}};
  const double us = number ("us");
  result.samples.in_turn = false;
  result.samples.us = {json_object_get_double_member_with_default (object, "min_us", us), us,
      json_object_get_double_member_with_default (object, "max_us", us)};
  return result;
}

}  // namespace

std::vector<ForeignResult>
read_foreign_results (const std::string &path)
{
  std::ifstream file (path);
  ensure (bool (file), "cannot read " + path);
  std::vector<ForeignResult> results;
  std::string line;
  for (int number = 1; std::getline (file, line); number++) {
    if (line.find_first_not_of (" \t\r") == std::string::npos)
      continue;
    try {
      results.push_back (parse_result (line));
    } catch (const std::runtime_error &error) {
      throw std::runtime_error (path + ":" + std::to_string (number) + ": " + error.what ());
    }
  }
  return results;
}

}  // namespace bench

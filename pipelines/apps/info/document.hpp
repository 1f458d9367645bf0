/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report, one JSON document. Child processes tell parts of it, which the parent puts together. Objects belong to the
 * document that they are in. */
#pragma once

#include "../common/glib.hpp"

#include <json-glib/json-glib.h>

#include <concepts>
#include <vector>

using Document = std::unique_ptr<JsonObject, Releases<json_object_unref>>;

/** In a child: the document that it tells. From now on each tell () sends it to the parent, so what was told is known even if
 *  the process dies right after; what drivers print on standard output goes to standard error. */
JsonObject *begin_telling ();
/** In the parent: the document in what a child printed, as it was last told; an empty one where nothing was. */
Document parse_told (const std::string &output);

/** Sets a member. */
void tell (JsonObject *to, const char *name, JsonNode *value);
/** Drivers' strings need not be UTF-8. */
void tell (JsonObject *to, const char *name, const std::string &value);
void tell (JsonObject *to, const char *name, double value);
/** "0a1b..." */
void tell_bytes (JsonObject *to, const char *name, const unsigned char *bytes, size_t count);
inline void
tell (JsonObject *to, const char *name, std::integral auto value)
{
  if constexpr (std::same_as<decltype (value), bool>)
    tell (to, name, json_node_init_boolean (json_node_alloc (), value));
  else
    tell (to, name, json_node_init_int (json_node_alloc (), gint64 (value)));
}
/** A new object as a member. */
JsonObject *tell_group (JsonObject *to, const char *name);
/** A member that is a list, empty where it is new. */
JsonArray *tell_list (JsonObject *to, const char *name);
/** A new object at the end of such a list. */
JsonObject *tell_item (JsonObject *to, const char *name);
/** The same member as in from, where that has it. */
void tell_same (JsonObject *to, const char *name, JsonObject *from);

/** A member's text: "" where there is none, "(not told)" for null. Nothing that would control a terminal. */
std::string text_in (JsonObject *object, const char *name);
/** 0 where there is none. */
double number_in (JsonObject *object, const char *name);
/** Null where there is none. */
JsonObject *group_in (JsonObject *object, const char *name);
/** Of a list of objects. */
std::vector<JsonObject *> items_in (JsonObject *object, const char *name);
/** In the order in which they were told. */
std::vector<std::string> names_in (JsonObject *object);

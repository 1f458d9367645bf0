/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report, a JSON document. Child processes send parts of it, which the parent combines. Objects belong to the document that
 * contains them. */
#pragma once

#include "../common/json.hpp"

/** In a child: the document to fill in. From now on each tell () sends the document to the parent, so that nothing is lost if
 *  the process dies right afterwards. What drivers print on standard output goes to standard error. */
JsonObject *begin_telling ();
/** In the parent: the last document in a child's output; empty if there is none. */
JsonTree parse_told (const std::string &output);

/** Sets a member. */
void tell (JsonObject *to, const char *name, JsonNode *value);
/** Replaces invalid UTF-8, because drivers' strings may contain any bytes. */
void tell (JsonObject *to, const char *name, const std::string &value);
void tell (JsonObject *to, const char *name, double value);
/** Adds bytes in hexadecimal, such as "0a1b". */
void tell_bytes (JsonObject *to, const char *name, const unsigned char *bytes, size_t count);
inline void
tell (JsonObject *to, const char *name, std::integral auto value)
{
  if constexpr (std::same_as<decltype (value), bool>)
    tell (to, name, json_node_init_boolean (json_node_alloc (), value));
  else
    tell (to, name, json_node_init_int (json_node_alloc (), gint64 (value)));
}
/** Adds an object as a member. */
JsonObject *tell_group (JsonObject *to, const char *name);
/** The list in a member; adds it if it is missing. */
JsonArray *tell_list (JsonObject *to, const char *name);
/** Appends an object to the list in a member. */
JsonObject *tell_item (JsonObject *to, const char *name);
/** Copies the member from `from`, if it exists. */
void tell_same (JsonObject *to, const char *name, JsonObject *from);

/** A member's text: "" if it is missing, "(not told)" for null. Control characters are removed. */
std::string text_in (JsonObject *object, const char *name);
/** 0 if it is missing. */
double number_in (JsonObject *object, const char *name);
/** Null if it is missing. */
JsonObject *group_in (JsonObject *object, const char *name);
/** The objects of a list. */
std::vector<JsonObject *> items_in (JsonObject *object, const char *name);
/** In the order in which they were added. */
std::vector<std::string> names_in (JsonObject *object);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON documents, read and written by json-glib: any text, any locale. */
#pragma once

#include "glib.hpp"

#include <json-glib/json-glib.h>

#include <cerrno>
#include <concepts>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

/* An object of a document. Copies are the same object. A missing one has no members. */
class Json {
public:
  Json () : Json (json_object_new ()) {}
  /* Takes over the object; null for a missing one. */
  explicit Json (JsonObject *taken) : object (taken, [] (JsonObject *old) { g_clear_pointer (&old, json_object_unref); }) {}
  explicit operator bool () const { return bool (object); }

  /* Sets a member to a text, a number, null, a list of these, or any node; replaces invalid UTF-8, because drivers' strings may
   * contain any bytes. */
  Json &member (const std::string &name, const auto &value)
  {
    json_object_set_member (object.get (), valid (name).get (), node_of (value));
    on_member ();
    return *this;
  }
  /* Copies the member of another object, if there is one. */
  Json &copy (const char *name, const Json &from)
  {
    JsonNode *found = from.node (name);
    return found ? member (name, json_node_copy (found)) : *this;
  }

  /* Adds an object, or, unless it is there, an empty list. */
  Json add_group (const char *name)
  {
    JsonObject *made = json_object_new ();
    json_object_set_object_member (object.get (), name, made);
    return Json (json_object_ref (made));
  }

  JsonArray *add_list (const char *name)
  {
    if (!has (name))
      json_object_set_array_member (object.get (), name, json_array_new ());
    return list (name);
  }

  /* Appends an object to a list. */
  Json add_item (const char *name)
  {
    JsonObject *item = json_object_new ();
    json_array_add_object_element (add_list (name), item);
    return Json (json_object_ref (item));
  }

  /* Adds a list with an object for each item, which `fill` gets. */
  Json &objects (const char *name, const auto &items, auto fill)
  {
    add_list (name);
    for (const auto &item : items)
      fill (add_item (name), item);
    return *this;
  }

  /* A member's text: "" if it is missing, "(not told)" for null. */
  std::string text (const char *name) const
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

  /* 0 if it is missing. */
  double number (const char *name) const
  {
    JsonNode *found = node (name);
    return found && JSON_NODE_HOLDS_VALUE (found) ? json_node_get_double (found) : 0;
  }

  guint64 integer (const char *name) const
  {
    return guint64 (json_object_get_int_member_with_default (object.get (), name, 0));
  }
  bool has (const char *name) const { return node (name); }
  bool is_true (const char *name) const { return json_object_get_boolean_member_with_default (object.get (), name, FALSE); }

  Json group (const char *name) const
  {
    JsonNode *found = node (name);
    return Json (found && JSON_NODE_HOLDS_OBJECT (found) ? json_node_dup_object (found) : nullptr);
  }

  /* The objects in a list; none if it is missing. */
  std::vector<Json> items (const char *name) const
  {
    std::vector<Json> found;
    JsonArray *all = list (name);
    for (guint i = 0; all && i < json_array_get_length (all); i++)
      if (JsonNode *item = json_array_get_element (all, i); JSON_NODE_HOLDS_OBJECT (item))
        found.emplace_back (json_node_dup_object (item));
    return found;
  }

  /* In the order in which they were added. */
  std::vector<std::string> names () const
  {
    const std::unique_ptr<GList, Releases<g_list_free>> all (json_object_get_members (object.get ()));
    std::vector<std::string> found;
    for (const GList *each = all.get (); each; each = each->next)
      found.emplace_back (static_cast<const char *> (each->data));
    return found;
  }

  JsonNode *node (const char *name) const { return object ? json_object_get_member (object.get (), name) : nullptr; }

  JsonArray *list (const char *name) const
  {
    JsonNode *found = node (name);
    return found && JSON_NODE_HOLDS_ARRAY (found) ? json_node_get_array (found) : nullptr;
  }

  /* The document, with a final newline. */
  std::string document (bool indented = true) const
  {
    const std::unique_ptr<JsonNode, Releases<json_node_unref>> root (json_node_init_object (json_node_alloc (), object.get ()));
    return text_of (json_to_string (root.get (), indented)) + "\n";
  }

  /* Called whenever a member has been set. */
  static inline Hook<> on_member;

private:
  static Chars valid (const std::string &text) { return Chars (g_utf8_make_valid (text.data (), gssize (text.size ()))); }
  static JsonNode *node_of (JsonNode *node) { return node; }
  static JsonNode *node_of (std::nullptr_t) { return json_node_init_null (json_node_alloc ()); }
  static JsonNode *node_of (bool is) { return json_node_init_boolean (json_node_alloc (), is); }
  static JsonNode *node_of (double number) { return json_node_init_double (json_node_alloc (), number); }
  static JsonNode *node_of (std::integral auto number) { return json_node_init_int (json_node_alloc (), gint64 (number)); }
  static JsonNode *node_of (const std::string &text) { return json_node_init_string (json_node_alloc (), valid (text).get ()); }
  static JsonNode *node_of (const char *text) { return node_of (std::string (text)); }
  template <typename T> static JsonNode *node_of (const std::optional<T> &value)
  {
    return value ? node_of (*value) : node_of (nullptr);
  }
  template <typename T> static JsonNode *node_of (const std::vector<T> &values)
  {
    JsonArray *list = json_array_new ();
    for (const T &value : values)
      json_array_add_element (list, node_of (value));
    return json_node_init_array (json_node_alloc (), list);
  }

  std::shared_ptr<JsonObject> object;
};

/* Parses a document that is an object; load fills a parser. Throws std::runtime_error, with the text `otherwise` for a document
 * that is none. */
inline Json
parse_json (const std::function<gboolean (JsonParser *, GError **)> &load, const std::string &otherwise)
{
  const auto parser = Ref<JsonParser>::take (json_parser_new ());
  checked_call ([&] (GError **error) { return load (parser.get (), error); });
  JsonNode *root = json_parser_get_root (parser.get ());
  ensure (root && JSON_NODE_HOLDS_OBJECT (root), otherwise);
  return Json (json_node_dup_object (root));
}

/* Reserves standard output for one JSON document: what the program and its libraries print there is redirected to standard
 * error. */
class JsonOutput {
public:
  /* Does nothing unless wanted. */
  explicit JsonOutput (bool wanted)
  {
    if (!wanted)
      return;
    std::fflush (stdout);
    file = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    ensure_call (file >= 0 && dup2 (STDERR_FILENO, STDOUT_FILENO) >= 0, "standard output cannot be used");
  }

  ~JsonOutput ()
  {
    if (file >= 0)
      close (file);
  }

  JsonOutput (const JsonOutput &) = delete;
  JsonOutput &operator= (const JsonOutput &) = delete;

  explicit operator bool () const { return file >= 0; }
  /* Throws std::runtime_error if the document cannot be written. */
  void write (const std::string &document) const
  {
    for (size_t done = 0; done < document.size ();) {
      const ssize_t count = ::write (file, document.data () + done, document.size () - done);
      ensure_call (count >= 0 || errno == EINTR, "standard output cannot be written");
      done += count > 0 ? size_t (count) : 0;
    }
  }

private:
  int file = -1;
};

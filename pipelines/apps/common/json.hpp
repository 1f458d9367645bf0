/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON documents, written by json-glib: any text, any locale. */
#pragma once

#include "glib.hpp"

#include <json-glib/json-glib.h>

#include <concepts>
#include <optional>

using JsonTree = std::unique_ptr<JsonObject, Releases<json_object_unref>>;

/* Parses a document that is an object; load fills a parser. Throws std::runtime_error, with the
 * text `otherwise` for a document that is none. */
JsonTree parse_json (const std::function<gboolean (JsonParser *, GError **)> &load, const std::string &otherwise);
/* The objects in a list; none if it is missing. */
std::vector<JsonObject *> items_in (JsonObject *object, const char *name);
/* The object as text. */
std::string json_text (JsonObject *object, bool indented);

class Json {
public:
  Json &begin_object () { return did (json_builder_begin_object (builder.get ())); }
  Json &end_object () { return did (json_builder_end_object (builder.get ())); }
  Json &begin_array () { return did (json_builder_begin_array (builder.get ())); }
  Json &end_array () { return did (json_builder_end_array (builder.get ())); }
  /* Names the member that is added next. */
  Json &name (const std::string &text) { return did (json_builder_set_member_name (builder.get (), valid (text).get ())); }

  Json &null () { return did (json_builder_add_null_value (builder.get ())); }
  Json &value (std::optional<double> number) { return number ? value (*number) : null (); }
  Json &value (bool is) { return did (json_builder_add_boolean_value (builder.get (), is)); }
  Json &value (double number) { return did (json_builder_add_double_value (builder.get (), number)); }
  Json &value (std::integral auto number) { return did (json_builder_add_int_value (builder.get (), gint64 (number))); }
  Json &value (const std::string &text) { return did (json_builder_add_string_value (builder.get (), valid (text).get ())); }
  Json &value (const char *text) { return value (std::string (text)); }

  Json &member (const std::string &text, const auto &content) { return name (text).value (content); }

  /* Adds a list of values. */
  Json &list (const std::string &text, const auto &items)
  {
    name (text).begin_array ();
    for (const auto &item : items)
      value (item);
    return end_array ();
  }

  /* Adds a list with an object for each item, whose members `add` adds. */
  Json &objects (const std::string &text, const auto &items, auto add)
  {
    name (text).begin_array ();
    for (const auto &item : items) {
      begin_object ();
      add (item);
      end_object ();
    }
    return end_array ();
  }

  /* The document, indented, with a final newline. */
  std::string text () const;

private:
  Json &did (JsonBuilder *) { return *this; }
  /* Replaces invalid UTF-8, because drivers' strings may contain any bytes. */
  static Chars valid (const std::string &text) { return Chars (g_utf8_make_valid (text.data (), gssize (text.size ()))); }

  const Ref<JsonBuilder> builder = Ref<JsonBuilder>::take (json_builder_new ());
};

/* Reserves standard output for one JSON document: what the program and its libraries print there is redirected to standard
 * error. */
class JsonOutput {
public:
  /* Does nothing unless wanted. */
  explicit JsonOutput (bool wanted);
  ~JsonOutput ();
  JsonOutput (const JsonOutput &) = delete;
  JsonOutput &operator= (const JsonOutput &) = delete;

  explicit operator bool () const { return file >= 0; }
  /* Throws std::runtime_error if the document cannot be written. */
  void write (const std::string &document) const;

private:
  int file = -1;
};

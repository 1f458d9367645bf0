/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GLib's reference counts and texts as C++ objects. */
#pragma once

#include <gst/gst.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

/* A counted reference to a GObject; a floating one is sunk. */
template <typename T> class Ref {
public:
  Ref () = default;
  explicit Ref (T *object) : object (object ? static_cast<T *> (g_object_ref_sink (object)) : nullptr) {}
  Ref (const Ref &other) : object (other.object ? static_cast<T *> (g_object_ref (other.object)) : nullptr) {}
  Ref (Ref &&other) noexcept : object (std::exchange (other.object, nullptr)) {}
  Ref &operator= (Ref other) noexcept
  {
    std::swap (object, other.object);
    return *this;
  }
  ~Ref () { g_clear_object (&object); }

  /* Takes over a reference that the caller holds. */
  static Ref take (T *object)
  {
    Ref taken;
    taken.object = object;
    return taken;
  }

  T *get () const { return object; }
  explicit operator bool () const { return object; }
  bool operator== (const Ref &other) const { return object == other.object; }

private:
  T *object = nullptr;
};

template <auto release> struct Releases {
  template <typename T> void operator() (T *what) const { release (what); }
};

using Chars = std::unique_ptr<gchar, Releases<g_free>>;
using Error = std::unique_ptr<GError, Releases<g_error_free>>;
/* gst_buffer_unref() and its like are inline, and so no template arguments for a type that crosses files */
struct Unref {
  template <typename T> void operator() (T *what) const { gst_mini_object_unref (GST_MINI_OBJECT_CAST (what)); }
};
using Caps = std::unique_ptr<GstCaps, Unref>;
using Buffer = std::unique_ptr<GstBuffer, Unref>;
using Sample = std::unique_ptr<GstSample, Unref>;
using Message = std::unique_ptr<GstMessage, Unref>;
using Structure = std::unique_ptr<GstStructure, Releases<gst_structure_free>>;
using Strings = std::unique_ptr<gchar *, Releases<g_strfreev>>;

/* The text of a new C string, which is freed. */
inline std::string
text_of (gchar *chars)
{
  const Chars owned (chars);
  return chars ? chars : "";
}

/* As printf would print it. */
G_GNUC_PRINTF (1, 2) inline std::string printed (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  const std::string text = text_of (g_strdup_vprintf (format, arguments));
  va_end (arguments);
  return text;
}

/* Throws what a call has left as its error, which is freed, or the text for one that failed without. */
inline void
ensure (bool good, GError *raw, const char *otherwise = "")
{
  const Error error (raw);
  if (error || !good)
    throw std::runtime_error (error ? error->message : otherwise);
}

/* What an error or a warning says, and its details. */
inline std::pair<Error, std::string>
parse_problem (GstMessage *message)
{
  GError *error = nullptr;
  gchar *debug = nullptr;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else
    gst_message_parse_warning (message, &error, &debug);
  return {Error (error), text_of (debug)};
}

/* Whether the stream cannot go on. A pad that decodebin should have made, but did not, is only a warning to GStreamer. */
inline bool
is_fatal (GstMessage *message)
{
  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
         || (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
             && g_error_matches (parse_problem (message).first.get (), GST_PARSE_ERROR, GST_PARSE_ERROR_DELAYED_LINK));
}

/* The text of a field; "" where there is none. */
inline std::string
field_of (const GstStructure *structure, const char *name)
{
  const char *text = gst_structure_get_string (structure, name);
  return text ? text : "";
}

/* What an element's property `stats` has; null where it has none. */
inline Structure
stats_of (GstElement *element)
{
  GstStructure *stats = nullptr;
  g_object_get (element, "stats", &stats, nullptr);
  return Structure (stats);
}

/* A GValue that is cleared. */
class Value {
public:
  Value () = default;
  explicit Value (GType type) { g_value_init (&value, type); }
  Value (const Value &) = delete;
  Value &operator= (const Value &) = delete;
  ~Value ()
  {
    if (G_IS_VALUE (&value))
      g_value_unset (&value);
  }
  GValue *get () { return &value; }

private:
  GValue value = G_VALUE_INIT;
};

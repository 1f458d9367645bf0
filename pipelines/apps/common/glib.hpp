/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C++ wrappers for GLib's reference counts and strings. */
#pragma once

#include <cerrno>
#include <filesystem>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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

  /* Takes over the caller's reference. */
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
/* gst_buffer_unref() and similar functions are inline, so they cannot be template arguments of a type with external linkage */
struct Unref {
  template <typename T> void operator() (T *what) const { gst_mini_object_unref (GST_MINI_OBJECT_CAST (what)); }
};
using Caps = std::unique_ptr<GstCaps, Unref>;
using Buffer = std::unique_ptr<GstBuffer, Unref>;
using Sample = std::unique_ptr<GstSample, Unref>;
using Message = std::unique_ptr<GstMessage, Unref>;
using Structure = std::unique_ptr<GstStructure, Releases<gst_structure_free>>;
using Strings = std::unique_ptr<gchar *, Releases<g_strfreev>>;

/* Copies a new C string, and frees it. */
inline std::string
text_of (gchar *chars)
{
  const Chars owned (chars);
  return chars ? chars : "";
}

/* "1 video", "2 videos" */
inline std::string
with_count (guint64 n, const char *what)
{
  return std::to_string (n) + " " + what + (n == 1 ? "" : "s");
}

/* Formats like printf. */
G_GNUC_PRINTF (1, 2) inline std::string printed (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  const std::string text = text_of (g_strdup_vprintf (format, arguments));
  va_end (arguments);
  return text;
}

/* Joins the texts, with a separator. */
inline std::string
joined (const std::vector<std::string> &texts, const char *sign = ", ")
{
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty () ? "" : sign) + text;
  return all;
}

/* Converts C's array of strings, which ends with null or is null. */
inline std::vector<std::string>
list_of (const gchar *const *words)
{
  return words ? std::vector<std::string> (words, words + g_strv_length (const_cast<gchar **> (words)))
               : std::vector<std::string> ();
}

inline void
ensure (bool good, const std::string &otherwise)
{
  if (!good)
    throw std::runtime_error (otherwise);
}

/* Throws errno's message for a file, if the call has failed. */
inline void
ensure_call (bool good, const std::string &path)
{
  if (!good)
    throw std::runtime_error (path + ": " + g_strerror (errno));
}

/* Makes a folder and those around it, which may exist. */
inline void
make_folders (const std::filesystem::path &path)
{
  std::error_code problem;
  std::filesystem::create_directories (path, problem);
  ensure (!problem, "cannot make the folder " + path.string () + ": " + problem.message ());
}

/* Throws if both names are of one file: writing it would empty it before it is read. */
inline void
ensure_apart (
    const std::string &input, const std::string &output, const char *refusal = " is the input; name another file to write")
{
  std::error_code missing;
  ensure (!std::filesystem::equivalent (input, output, missing), output + refusal);
}

/* While it exists, keeps this thread's warning of a value out of its property's range, which GObject ignores otherwise. */
class RangeWarning {
public:
  RangeWarning () : before (std::exchange (current, &text))
  {
    static constexpr const char *domain = "GLib-GObject";
    [[maybe_unused]] static const guint handler = g_log_set_handler (
        domain, GLogLevelFlags (G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL), /* the latter from newer GLib */
        [] (const gchar *of, GLogLevelFlags level, const gchar *message, gpointer) {
          if (current && std::string_view (message).find ("out of range") != std::string_view::npos)
            *current = message;
          else
            g_log_default_handler (of, level, message, nullptr);
        },
        nullptr);
  }
  RangeWarning (const RangeWarning &) = delete;
  RangeWarning &operator= (const RangeWarning &) = delete;
  ~RangeWarning () { current = before; }

  std::string text;

private:
  static inline thread_local std::string *current = nullptr;
  std::string *const before;
};

/* Calls a function that takes a GError **, and returns its result. Throws the error's message, or `text` if the call fails
 * without one, or if it sets a value out of range. */
template <typename Call>
auto
checked_call (Call call, const char *otherwise = "")
{
  const RangeWarning warning;
  GError *raw = nullptr;
  auto result = call (&raw);
  const Error error (raw);
  ensure (!error && result, error ? error->message : otherwise);
  ensure (warning.text.empty (), warning.text);
  return result;
}

/* A callback that may be unset. */
template <typename... Arguments> class Hook : public std::function<void (Arguments...)> {
public:
  using std::function<void (Arguments...)>::function;
  void operator() (Arguments... arguments) const
  {
    if (*this)
      std::function<void (Arguments...)>::operator() (arguments...);
  }
};

/* Reports an error in a signal handler. */
inline std::function<void (const std::string &)> complain = [] (const std::string &text) { g_warning ("%s", text.c_str ()); };

/* Connects a lambda, which is called with the signal's arguments as these types, and freed with the connection. Catches
   exceptions, because C code emits the signal. */
template <typename... Arguments, typename Handler>
gulong
connect (gpointer object, const char *signal, Handler handler)
{
  using Result = std::invoke_result_t<Handler, Arguments...>;
  const auto call = +[] (gpointer, Arguments... arguments, gpointer data) -> Result {
    try {
      return (*static_cast<Handler *> (data)) (arguments...);
    } catch (const std::exception &error) {
      complain (error.what ());
    }
    return Result ();
  };
  const auto destroy = [] (gpointer data, GClosure *) { delete static_cast<Handler *> (data); };
  return g_signal_connect_data (
      object, signal, G_CALLBACK (call), new Handler (std::move (handler)), destroy, GConnectFlags (0));
}

/* Whether a query keeps its place among buffers and events. GST_QUERY_IS_SERIALIZED mixes two enumerations, which C++20 deprecates. */
inline bool
is_serialized (GstQuery *query)
{
  return gst_query_type_get_flags (GST_QUERY_TYPE (query)) & GST_QUERY_TYPE_SERIALIZED;
}

/* Calls a lambda for everything that passes the pad, until the probe is removed. It must not throw. */
template <typename Handler>
gulong
add_probe (GstPad *pad, int mask, Handler handler)
{
  return gst_pad_add_probe (
      pad, GstPadProbeType (mask),
      [] (GstPad *, GstPadProbeInfo *info, gpointer data) { return (*static_cast<Handler *> (data)) (info); },
      new Handler (std::move (handler)), [] (gpointer data) { delete static_cast<Handler *> (data); });
}

/* Whether the caps are of a kind such as "video/". */
inline bool
is_of (const GstCaps *caps, const char *kind)
{
  return caps && gst_caps_get_size (caps) > 0
         && g_str_has_prefix (gst_structure_get_name (gst_caps_get_structure (caps, 0)), kind);
}

inline Ref<GstPad>
pad_of (GstElement *element, const char *name)
{
  return Ref<GstPad>::take (gst_element_get_static_pad (element, name));
}

/* Calls a lambda with each list of tags that has passed the pad and still applies. */
template <typename Handler>
void
for_each_tags (GstPad *pad, Handler handler)
{
  for (guint i = 0; GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, i); i++) {
    const std::unique_ptr<GstEvent, Unref> owned (event);
    GstTagList *tags = nullptr;
    gst_event_parse_tag (event, &tags);
    handler (tags);
  }
}

inline Ref<GstBus>
bus_of (GstElement *pipeline)
{
  return Ref<GstBus>::take (gst_element_get_bus (pipeline));
}

/* Calls a lambda for the pipeline's messages, in the main loop; returns the source's id. It must not throw. */
template <typename Handler>
guint
watch_bus (GstElement *pipeline, Handler handler)
{
  const auto call = [] (GstBus *, GstMessage *message, gpointer data) -> gboolean {
    (*static_cast<Handler *> (data)) (message);
    return G_SOURCE_CONTINUE;
  };
  return gst_bus_add_watch_full (bus_of (pipeline).get (), G_PRIORITY_DEFAULT, call, new Handler (std::move (handler)),
      [] (gpointer data) { delete static_cast<Handler *> (data); });
}

/* Parses an error or a warning: the error and its details. */
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

/* A pipeline that stops before it is freed. */
struct Stops {
  void operator() (GstElement *pipeline) const
  {
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
};
using Running = std::unique_ptr<GstElement, Stops>;

/* Throws std::runtime_error with the parser's reason. */
inline Running
parse_launch (const std::string &line)
{
  return Running (checked_call (
      [&] (GError **error) {
        GstElement *parsed = gst_parse_launch_full (line.c_str (), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, error);
        return parsed ? static_cast<GstElement *> (gst_object_ref_sink (parsed)) : nullptr;
      },
      "no pipeline"));
}

inline Ref<GstElement>
element_in (const Running &pipeline, const std::string &name)
{
  return Ref<GstElement>::take (gst_bin_get_by_name (GST_BIN (pipeline.get ()), name.c_str ()));
}

/* The first error on a bus, which is the cause of others, with its details; "" if there is none. */
inline std::string
error_on (GstBus *bus, bool with_details = false)
{
  const Message message (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  if (!message)
    return "";
  const auto [error, details] = parse_problem (message.get ());
  return error->message + (with_details && !details.empty () ? " (" + details + ")" : "");
}

/* The element's name in a launch line, or the type's if it has no factory. */
inline std::string
kind_of (GstElement *element)
{
  const GstElementFactory *factory = gst_element_get_factory (element);
  return factory ? GST_OBJECT_NAME (factory) : G_OBJECT_TYPE_NAME (element);
}

/* Returns null if the object has no such property. */
inline GParamSpec *
spec_of (gpointer object, const char *name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (object), name);
}

/* The value of a string property. */
inline std::string
text_property (gpointer object, const char *name)
{
  gchar *text = nullptr;
  g_object_get (object, name, &text, nullptr);
  return text_of (text);
}

/* The children of an object; empty if it cannot have any. */
inline std::vector<Ref<GObject>>
children_of (gpointer object)
{
  std::vector<Ref<GObject>> children;
  const guint n = GST_IS_CHILD_PROXY (object) ? gst_child_proxy_get_children_count (GST_CHILD_PROXY (object)) : 0;
  for (guint i = 0; i < n; i++)
    if (GObject *child = gst_child_proxy_get_child_by_index (GST_CHILD_PROXY (object), i))
      children.push_back (Ref<GObject>::take (child));
  return children;
}

/* Whether the stream cannot continue. For GStreamer, a pad that decodebin could not make is only a warning. */
inline bool
is_fatal (GstMessage *message)
{
  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
         || (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
             && g_error_matches (parse_problem (message).first.get (), GST_PARSE_ERROR, GST_PARSE_ERROR_DELAYED_LINK));
}

/* The text of a field, or "". */
inline std::string
field_of (const GstStructure *structure, const char *name)
{
  const char *text = gst_structure_get_string (structure, name);
  return text ? text : "";
}

/* The value of an element's property `stats`; null if it has none. */
inline Structure
stats_of (GstElement *element)
{
  GstStructure *stats = nullptr;
  g_object_get (element, "stats", &stats, nullptr);
  return Structure (stats);
}

/* A GValue that is unset at the end. */
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

/* Calls `what` with each element of an iterator, and frees the iterator. */
template <typename What>
void
for_each_element (GstIterator *elements, What what)
{
  Value item;
  while (gst_iterator_next (elements, item.get ()) == GST_ITERATOR_OK) {
    what (GST_ELEMENT (g_value_get_object (item.get ())));
    g_value_reset (item.get ());
  }
  gst_iterator_free (elements);
}

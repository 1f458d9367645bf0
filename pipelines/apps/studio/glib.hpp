/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GLib's reference counts and texts as C++ objects. */
#pragma once

#include <gst/gst.h>
#include <memory>
#include <string>
#include <utility>

namespace studio {

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
using Strings = std::unique_ptr<gchar *, Releases<g_strfreev>>;

/* The text of a new C string, which is freed. */
inline std::string
text_of (gchar *chars)
{
  const Chars owned (chars);
  return chars ? chars : "";
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

}  // namespace studio

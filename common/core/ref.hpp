/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ownership of the values of GLib and GStreamer. */
#pragma once

#include <gst/gst.h>

#include <type_traits>
#include <utility>

namespace gst::cl {

/** Owns one reference to an object, a mini object, a GVariant or a GKeyFile, or one GstStructure. A copy owns one more. */
template <typename T> class Ref {
public:
  Ref () = default;
  explicit Ref (T *owned) : pointer (owned) {}
  Ref (const Ref &other) : pointer (another (other.pointer)) {}
  Ref (Ref &&other) noexcept : pointer (std::exchange (other.pointer, nullptr)) {}
  Ref &operator= (Ref other) noexcept
  {
    std::swap (pointer, other.pointer);
    return *this;
  }
  ~Ref ()
  {
    if (pointer)
      drop (pointer);
  }

  static Ref retain (T *borrowed) { return Ref (another (borrowed)); }
  T *get () const { return pointer; }
  T *release () { return std::exchange (pointer, nullptr); }
  explicit operator bool () const { return pointer != nullptr; }

private:
  static constexpr bool is_mini_object = requires (T * value) { value->mini_object; };

  static T *another (T *value)
  {
    if (!value)
      return nullptr;
    if constexpr (is_mini_object)
      return reinterpret_cast<T *> (gst_mini_object_ref (&value->mini_object));
    else if constexpr (std::is_same_v<T, GstStructure>)
      return gst_structure_copy (value);
    else if constexpr (std::is_same_v<T, GVariant>)
      return g_variant_ref (value);
    else if constexpr (std::is_same_v<T, GKeyFile>)
      return g_key_file_ref (value);
    else
      return static_cast<T *> (gst_object_ref (value));
  }

  static void drop (T *value)
  {
    if constexpr (is_mini_object)
      gst_mini_object_unref (&value->mini_object);
    else if constexpr (std::is_same_v<T, GstStructure>)
      gst_structure_free (value);
    else if constexpr (std::is_same_v<T, GVariant>)
      g_variant_unref (value);
    else if constexpr (std::is_same_v<T, GKeyFile>)
      g_key_file_unref (value);
    else
      gst_object_unref (value);
  }

  T *pointer = nullptr;
};

/** The object's T of this name: the first call makes it, and the object deletes it. Each T has one name. The caller must hold a
 *  lock that all callers share. */
template <typename T, typename Object>
T &
kept_with (Object *object, const char *name)
{
  static const GQuark quark = g_quark_from_static_string (name);
  constexpr bool is_mini_object = std::is_same_v<Object, GstMemory>;
  const auto drop = [] (gpointer data) { delete static_cast<T *> (data); };
  T *kept;
  if constexpr (is_mini_object)
    kept = static_cast<T *> (gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (object), quark));
  else
    kept = static_cast<T *> (g_object_get_qdata (G_OBJECT (object), quark));
  if (kept)
    return *kept;
  kept = new T;
  if constexpr (is_mini_object)
    gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (object), quark, kept, drop);
  else
    g_object_set_qdata_full (G_OBJECT (object), quark, kept, drop);
  return *kept;
}

}  // namespace gst::cl

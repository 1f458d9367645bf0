/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* References of GStreamer's objects that end with a scope. */
#pragma once

#include <type_traits>

#include <gst/gst.h>

namespace test {

/* A reference that the test has, or null. */
template <typename T> class Own {
public:
  Own (T *taken) : object (taken) {}
  ~Own ()
  {
    if constexpr (std::is_same_v<T, GstStructure>)
      g_clear_pointer (&object, gst_structure_free);
    else if constexpr (is_mini<T, GstBuffer, GstBufferList, GstCaps, GstContext, GstEvent, GstMemory, GstMessage, GstQuery,
                           GstSample>)
      gst_clear_mini_object (reinterpret_cast<GstMiniObject **> (&object));
    else
      gst_clear_object (&object);
  }
  Own (const Own &) = delete;
  Own &operator= (const Own &) = delete;

  operator T * () const { return object; }
  /* for GLib's casts */
  template <typename Base> explicit operator Base * () const { return reinterpret_cast<Base *> (object); }
  T *get () const { return object; }
  T *operator->() const { return object; }

private:
  template <typename U, typename... Minis> static constexpr bool is_mini = (std::is_same_v<U, Minis> || ...);

  T *object;
};

}  // namespace test

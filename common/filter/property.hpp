/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables that bind an element's properties to the members of a struct, and the values with which a frame is filtered. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

#include <algorithm>
#include <gst/gst.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gst::cl {

enum class PropertyKind { integer, unsigned_integer, time, real, boolean, enumeration, flags, text, structure, list };

/** Explains why a text is not a valid value, with the wrong token and its position; returns nothing for a valid text. */
using Complaint = std::optional<std::string> (*) (const std::string &text);

/** One property, bound to a member of its element's struct of settings. property() makes it. */
struct Property {
  const char *name;
  /** One sentence, with the unit. */
  const char *blurb;
  PropertyKind kind;
  /** Functions on the member of a struct. copy() returns whether the value has changed. */
  void (*set) (void *settings, const GValue *value);
  void (*get) (const void *settings, GValue *value);
  bool (*copy) (void *to, const void *from);
  double minimum = 0, maximum = 0;
  /** The type of the enumeration or the flags. */
  GType (*type) () = nullptr;
  Complaint complaint = nullptr;
  /** Whether it is a window size, which grows with a region of interest (roi-scale). */
  bool scales = false;
};

/** Conversions between values of properties and members. Enumerations are integers, or booleans if they have two values;
 *  structures and lists are texts. */
template <typename T>
void
from_value (const GValue *value, T &to)
{
  if constexpr (std::is_same_v<T, guint64>)
    to = g_value_get_uint64 (value);
  else if constexpr (std::is_same_v<T, double>)
    to = g_value_get_double (value);
  else if (G_VALUE_HOLDS_ENUM (value))
    to = T (g_value_get_enum (value));
  else if constexpr (std::is_same_v<T, int>)
    to = g_value_get_int (value);
  else if constexpr (std::is_same_v<T, unsigned>)
    to = G_VALUE_HOLDS_FLAGS (value) ? g_value_get_flags (value) : g_value_get_uint (value);
  else if constexpr (std::is_same_v<T, bool>)
    to = g_value_get_boolean (value);
}
GST_CL_API void from_value (const GValue *value, std::string &to);

template <typename T>
void
to_value (const T &from, GValue *value)
{
  if constexpr (std::is_same_v<T, guint64>)
    g_value_set_uint64 (value, from);
  else if constexpr (std::is_same_v<T, double>)
    g_value_set_double (value, from);
  else if (G_VALUE_HOLDS_ENUM (value))
    g_value_set_enum (value, int (from));
  else if constexpr (std::is_same_v<T, int>)
    g_value_set_int (value, from);
  else if constexpr (std::is_same_v<T, unsigned>)
    G_VALUE_HOLDS_FLAGS (value) ? g_value_set_flags (value, from) : g_value_set_uint (value, from);
  else if constexpr (std::is_same_v<T, bool>)
    g_value_set_boolean (value, from);
}
GST_CL_API void to_value (const std::string &from, GValue *value);

/** The functions of a property. A number that is a std::optional tells whether the application has set it, even to its
 *  default, which is 0. */
template <auto member> struct Member;
template <typename S, typename T, T S::*member> struct Member<member> {
  static constexpr bool is_optional = std::is_same_v<T, std::optional<double>>;
  static constexpr PropertyKind kind = std::is_same_v<T, int>           ? PropertyKind::integer
                                       : std::is_same_v<T, unsigned>    ? PropertyKind::unsigned_integer
                                       : std::is_same_v<T, guint64>     ? PropertyKind::time
                                       : std::is_same_v<T, bool>        ? PropertyKind::boolean
                                       : std::is_same_v<T, std::string> ? PropertyKind::text
                                       : std::is_enum_v<T>              ? PropertyKind::enumeration
                                                                        : PropertyKind::real;

  static void set (void *settings, const GValue *value)
  {
    T &to = static_cast<S *> (settings)->*member;
    if constexpr (is_optional)
      from_value (value, to.emplace ());
    else
      from_value (value, to);
  }

  static void get (const void *settings, GValue *value)
  {
    const T &from = static_cast<const S *> (settings)->*member;
    if constexpr (is_optional)
      to_value (from.value_or (0), value);
    else
      to_value (from, value);
  }

  static bool copy (void *to, const void *from)
  {
    T &old = static_cast<S *> (to)->*member;
    const T &next = static_cast<const S *> (from)->*member;
    const bool changes = !(old == next);
    if (changes)
      old = next;
    return changes;
  }
};

/** The property of a member, whose type and initialiser give the kind and the default. Numbers have a range; times, in
 *  nanoseconds, are exact up to a hundred days. */
template <auto member>
constexpr Property
property (const char *name, const char *blurb, double minimum = 0, double maximum = double (guint64 (1) << 53))
{
  using Of = Member<member>;
  return {name, blurb, Of::kind, Of::set, Of::get, Of::copy, minimum, maximum};
}

/** The property of an enumeration, or of flags if the member is unsigned. */
template <auto member>
constexpr Property
property (const char *name, const char *blurb, GType (*type) ())
{
  Property made = property<member> (name, blurb);
  made.kind = made.kind == PropertyKind::unsigned_integer ? PropertyKind::flags : PropertyKind::enumeration;
  made.type = type;
  return made;
}

/** The property of a text that has to be valid. */
template <auto member>
constexpr Property
property (const char *name, const char *blurb, Complaint complaint)
{
  Property made = property<member> (name, blurb);
  made.complaint = complaint;
  return made;
}

/** Another kind of text: a GstStructure, empty while unset, or a GstValueArray of them, one line for each. */
constexpr Property
text_as (PropertyKind kind, Property property)
{
  property.kind = kind;
  return property;
}

/** Marks a numeric property as a window size. */
constexpr Property
window_size (Property property)
{
  property.scales = true;
  return property;
}

/** A text as a template argument. */
template <size_t size> struct Name {
  constexpr Name (const char (&from)[size]) { std::copy_n (from, size, text); }
  char text[size];
};

/** Registers an enumeration by name. The last entry of values must be {}. */
template <Name name, const auto &values>
GType
enum_type ()
{
  static const GType type = g_enum_register_static (name.text, values);
  return type;
}

/** Copies a struct of settings; null stands for the default values. */
using CopySettings = std::shared_ptr<void> (*) (const void *from);

template <typename S>
std::shared_ptr<void>
copy_settings (const void *from)
{
  return from ? std::make_shared<S> (*static_cast<const S *> (from)) : std::make_shared<S> ();
}

/** A struct of settings that never changes, shared by everything that reads it. Changes replace it. */
class GST_CL_API Values {
public:
  Values () = default;
  /** The default values. */
  explicit Values (CopySettings copies_) : copies (copies_), content (copies ? copies (nullptr) : nullptr) {}

  /** S is the type of the struct. */
  template <typename S> const S &as () const { return *static_cast<const S *> (content.get ()); }

  void set (const Property &property, const GValue *value);
  void get (const Property &property, GValue *value) const;
  /** Takes over the value of a property. */
  void copy (const Property &property, const Values &from);

  /** Whether nothing has changed since one was copied from the other. */
  bool operator== (const Values &other) const { return content == other.content; }

private:
  CopySettings copies = nullptr;
  std::shared_ptr<const void> content;
};

/** Turns a function of a struct of settings into a function of Values. */
template <auto function>
constexpr auto of_settings = []<typename Result, typename S> (Result (*) (const S &)) {
  return +[] (const Values &values) { return Result (function (values.as<S> ())); };
}(+function);

struct FreesStructure {
  void operator() (GstStructure *structure) const { gst_structure_free (structure); }
};
using StructureRef = std::unique_ptr<GstStructure, FreesStructure>;

/** Parses the items of a list property. */
GST_CL_API std::vector<StructureRef> structures_in (const std::string &lines);

/** The display name of a property: "Spatial sigma" for sigma-space. */
GST_CL_API std::string nickname (std::string_view name);

/** Makes the GParamSpec of a property. Properties are readable and writable; all but texts are controllable and mutable while
 *  PLAYING. */
GST_CL_API GParamSpec *make_param_spec (const Property &property, const Values &defaults);

}  // namespace gst::cl

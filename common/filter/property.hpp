/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables that describe an element's properties, and the values with which a frame is filtered. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

#include <algorithm>
#include <gst/gst.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gst::cl {

enum class PropertyKind { integer, unsigned_integer, time, real, boolean, enumeration, flags, text, structure, list };

/** One property. Its index in its table is its index in Values. */
struct Property {
  const char *name;
  /** One sentence, with the unit. */
  const char *blurb;
  PropertyKind kind;
  double minimum = 0, maximum = 0, initial = 0;
  /** The type of the enumeration or the flags. */
  GType (*type) () = nullptr;
  const char *initial_text = "";
  /** Whether it is a window size, which grows with a region of interest (roi-scale). */
  bool scales = false;
};

constexpr Property
integer_property (const char *name, const char *blurb, int minimum, int maximum, int initial)
{
  return {name, blurb, PropertyKind::integer, double (minimum), double (maximum), double (initial)};
}

constexpr Property
unsigned_property (const char *name, const char *blurb, unsigned minimum, unsigned maximum, unsigned initial)
{
  return {name, blurb, PropertyKind::unsigned_integer, double (minimum), double (maximum), double (initial)};
}

/** A time in nanoseconds, exact up to a hundred days. */
constexpr Property
time_property (const char *name, const char *blurb, double initial)
{
  return {name, blurb, PropertyKind::time, 0, double (guint64 (1) << 53), initial};
}

constexpr Property
real_property (const char *name, const char *blurb, double minimum, double maximum, double initial)
{
  return {name, blurb, PropertyKind::real, minimum, maximum, initial};
}

constexpr Property
boolean_property (const char *name, const char *blurb, bool initial)
{
  return {name, blurb, PropertyKind::boolean, 0, 1, double (initial)};
}

constexpr Property
enum_property (const char *name, const char *blurb, GType (*type) (), int initial)
{
  return {name, blurb, PropertyKind::enumeration, 0, 0, double (initial), type};
}

constexpr Property
flags_property (const char *name, const char *blurb, GType (*type) (), unsigned initial)
{
  return {name, blurb, PropertyKind::flags, 0, 0, double (initial), type};
}

constexpr Property
text_property (const char *name, const char *blurb, const char *initial)
{
  return {name, blurb, PropertyKind::text, 0, 0, 0, nullptr, initial};
}

/** A GstStructure, stored as text; empty while unset. */
constexpr Property
structure_property (const char *name, const char *blurb)
{
  return {name, blurb, PropertyKind::structure};
}

/** A GstValueArray of GstStructures, stored as one line of text for each. */
constexpr Property
list_property (const char *name, const char *blurb)
{
  return {name, blurb, PropertyKind::list};
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

/** The values of a table, by index. */
class GST_CL_API Values {
public:
  explicit Values (std::span<const Property> table);

  int integer (unsigned i) const { return static_cast<int> (numbers[i]); }
  double real (unsigned i) const { return numbers[i]; }
  bool boolean (unsigned i) const { return numbers[i] != 0; }
  const std::string &text (unsigned i) const { return texts[i]; }
  /** Whether the application has set the property, even to its default. */
  bool is_set (unsigned i) const { return set_by_hand[i]; }

  void set (unsigned i, const Property &property, const GValue *value);
  void get (unsigned i, const Property &property, GValue *value) const;
  void copy (unsigned i, const Values &from);
  /** Reduces a text to whether it is empty. */
  void shorten (unsigned i) { texts[i].resize (std::min<size_t> (texts[i].size (), 1)); }
  void set_number (unsigned i, double number) { numbers[i] = number; }
  /** Appends the values of another table. */
  void append (const Values &more);

  bool operator== (const Values &) const = default;

private:
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::vector<bool> set_by_hand;
};

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
GST_CL_API GParamSpec *make_param_spec (const Property &property);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables that bind an element's properties to the members of a struct, the properties that every filter has,
 * and the values with which a frame is filtered. */
#pragma once

#include "core/debug.hpp"
#include "core/ref.hpp"
#include "filter/kernelspec.hpp"

#include <gst/cl/gstcl-prelude.h>
#include <gst/gst.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gst::cl {

enum class PropertyKind { integer, unsigned_integer, time, real, boolean, enumeration, flags, text, structure, list };

/** Explains why a text is not a valid value, with the wrong token and its position; returns nothing for a valid text. */
using Complaint = std::optional<std::string> (*) (const std::string &text);

/** One property, bound to a member of its element's struct of settings. property() makes it. */
struct Property {
  const char *name = nullptr;
  /** One sentence, with the unit. */
  const char *blurb = nullptr;
  PropertyKind kind = {};
  /** Functions on the member of a struct. copy() returns whether the value has changed. */
  void (*set) (void *settings, const GValue *value) = nullptr;
  void (*get) (const void *settings, GValue *value) = nullptr;
  bool (*copy) (void *to, const void *from) = nullptr;
  double minimum = 0, maximum = 0;
  /** The type of the enumeration or the flags. */
  GType (*type) () = nullptr;
  Complaint complaint = nullptr;
  /** Whether it is a window size, which grows with a region of interest (roi-scale). */
  bool scales = false;
};

/** Reads and writes values of texts, structures and lists. */
GST_CL_API std::string text_in (const GValue *value);
GST_CL_API void set_text (GValue *value, const std::string &text);

/** A member as functions of GLib take it. A number that is a std::optional tells whether the application has set it, even to its
 *  default, which is 0. */
template <typename T>
decltype (auto)
plain (const T &value)
{
  if constexpr (std::is_enum_v<T>)
    return int (value);
  else if constexpr (std::is_same_v<T, std::optional<double>>)
    return value.value_or (0);
  else
    return (value);
}

template <auto member> struct Member;
template <typename S, typename T, T S::*member> struct Member<member> {
  using Type = T;

  template <auto read, auto write> static constexpr Property bind (PropertyKind kind, const char *name, const char *blurb)
  {
    return {name, blurb, kind, [] (void *to, const GValue *value) { static_cast<S *> (to)->*member = T (read (value)); },
        [] (const void *from, GValue *value) { write (value, plain (static_cast<const S *> (from)->*member)); },
        [] (void *to, const void *from) {
          const T &next = static_cast<const S *> (from)->*member;
          return !(std::exchange (static_cast<S *> (to)->*member, next) == next);
        }};
  }
};

/** The property of a member, whose type and initialiser give the kind and the default. Numbers have a range; times, in
 *  nanoseconds, are exact up to a hundred days. */
template <auto member>
constexpr Property
property (const char *name, const char *blurb, double minimum = 0, double maximum = double (guint64 (1) << 53))
{
  using Of = Member<member>;
  using T = typename Of::Type;
  Property made;
  if constexpr (std::is_same_v<T, int>)
    made = Of::template bind<g_value_get_int, g_value_set_int> (PropertyKind::integer, name, blurb);
  else if constexpr (std::is_same_v<T, unsigned>)
    made = Of::template bind<g_value_get_uint, g_value_set_uint> (PropertyKind::unsigned_integer, name, blurb);
  else if constexpr (std::is_same_v<T, guint64>)
    made = Of::template bind<g_value_get_uint64, g_value_set_uint64> (PropertyKind::time, name, blurb);
  else if constexpr (std::is_same_v<T, bool>)
    made = Of::template bind<g_value_get_boolean, g_value_set_boolean> (PropertyKind::boolean, name, blurb);
  else if constexpr (std::is_same_v<T, std::string>)
    made = Of::template bind<text_in, set_text> (PropertyKind::text, name, blurb);
  else
    made = Of::template bind<g_value_get_double, g_value_set_double> (PropertyKind::real, name, blurb);
  made.minimum = minimum;
  made.maximum = maximum;
  return made;
}

/** The property of an enumeration, or of flags if the member is unsigned. An enumeration may be an integer, or a boolean if it
 *  has two values. */
template <auto member>
constexpr Property
property (const char *name, const char *blurb, GType (*type) ())
{
  using Of = Member<member>;
  Property made;
  if constexpr (std::is_same_v<typename Of::Type, unsigned>)
    made = Of::template bind<g_value_get_flags, g_value_set_flags> (PropertyKind::flags, name, blurb);
  else
    made = Of::template bind<g_value_get_enum, g_value_set_enum> (PropertyKind::enumeration, name, blurb);
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

/** Registers an enumeration by name. */
template <Name name, const auto &values>
GType
enum_type ()
{
  static constexpr auto ended = [] {
    std::array<GEnumValue, std::size (values) + 1> all{};
    std::ranges::copy (values, all.begin ());
    return all;
  }();
  static const GType type = g_enum_register_static (name.text, ended.data ());
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

/** An immutable struct of settings, which copies share. Changes replace it. */
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
  /** Calls change () with a copy of the struct, of type S, that replaces it. */
  template <typename S> void edit (const auto &change)
  {
    const std::shared_ptr<void> changed = copies (content.get ());
    change (*static_cast<S *> (changed.get ()));
    content = changed;
  }

  /** Whether one is an unchanged copy of the other. */
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

/** Parses the items of a list property. */
GST_CL_API std::vector<Ref<GstStructure>> structures_in (const std::string &lines);

/** The value of a structure's field as an integer; nothing if it is missing or no number. */
std::optional<int64_t> number_in (const GstStructure *structure, const char *field);

/** The display name of a property: "Spatial sigma" for sigma-space. */
GST_CL_API std::string nickname (std::string_view name);

/** Makes the GParamSpec of a property. Properties are readable and writable; all but texts are controllable and mutable while
 *  PLAYING. */
GST_CL_API GParamSpec *make_param_spec (const Property &property, const Values &defaults);

/** The source of regions of interest: the properties roi-x, roi-y and so on; the buffer's
 *  GstVideoRegionOfInterestMeta; roi-list; or the buffer's analytics meta. */
enum class RoiSource { fixed, meta, list, analytics };

enum class RoiShape { rectangle, ellipse };

/** The GType of properties that select components. */
GST_CL_API GType planes_get_type ();

/** The common properties. */
struct CommonSettings {
  unsigned planes = 7;
  double mix = 1;
  int roi_x = 0, roi_y = 0, roi_width = 0, roi_height = 0;
  RoiSource roi_source = RoiSource::fixed;
  std::string roi_labels, roi_list;
  RoiShape roi_shape = RoiShape::rectangle;
  double roi_feather = 0, roi_expand = 0;
  bool roi_invert = false;
  int roi_hold = 0;
  bool roi_scale = false, profile = false;
  Border border = Border::replicate;
  std::optional<double> border_value;

  bool operator== (const CommonSettings &) const = default;
};

/** The common properties of elements: for regions, `profile`, and for windows. */
GST_CL_API std::span<const Property> common_properties (bool has_regions, bool windowed);

/** All settings for one frame, latched together. */
struct Settings {
  Values own, shared = Values (copy_settings<CommonSettings>);
  /** The settings of each input's pad, for elements whose pads have settings. */
  std::vector<Values> pads = {};
  /** As in common (), but in a clchain the whole chain's. */
  bool profile = false;

  const CommonSettings &common () const { return shared.as<CommonSettings> (); }
  bool operator== (const Settings &) const = default;
};

}  // namespace gst::cl

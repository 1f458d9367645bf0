/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What users choose from: the filters of the registry, their properties and presets, test patterns, cameras. And properties as
 * text, in the syntax of gst-launch-1.0 and of a shell. */
#pragma once

#include "../common/glib.hpp"

#include <vector>

namespace studio {

struct FilterKind {
  std::string name, title, description;
};

/* The plugin's elements that turn one picture into another, by name. */
std::vector<FilterKind> filter_kinds ();
bool is_filter (GstElement *element);

enum class Group {
  own,    /* properties of this filter only */
  common, /* properties of every filter: planes, region, border, mix */
  hidden, /* names, statistics, and properties that the window controls itself */
};
Group group_of (const GParamSpec *spec);
std::vector<GParamSpec *> properties_of (GObject *object, Group group);

struct Choice {
  std::string nick, title;
};
/* The choices of an enumeration or flags property. */
std::vector<Choice> choices_of (const GParamSpec *spec);
std::vector<Choice> test_patterns ();
/* Devices and their names; empty without cameras. */
std::vector<Choice> cameras ();

/* The presets of a filter, which GStreamer stores for all programs; empty if the filter has none. */
std::vector<std::string> presets_of (GstElement *filter);
/* Loads, saves or deletes a preset with a function of GstPreset. Throws std::runtime_error, in which it cannot be `changed`. */
void change_preset (
    GstElement *filter, const std::string &name, gboolean (*change) (GstPreset *, const gchar *), const char *changed);

/* The value in a new object of this kind, which may differ from the default in a base class's GParamSpec. */
void usual_value (Value &value, GObject *object, GParamSpec *spec);
bool is_default (GObject *object, GParamSpec *spec);

/* The value as text that parse() and gst-launch-1.0 understand. */
std::string value_text (GObject *object, GParamSpec *spec);
/* A property of an object, or of an object in it as CHILD::NAME; the spec is null if there is none. */
std::pair<Ref<GObject>, GParamSpec *> find_property (GstElement *element, const std::string &name);
/* Parses text as a value of the property; throws std::invalid_argument if it is not valid. */
void parse (Value &value, GParamSpec *spec, const std::string &text);

/* name=value, quoted for gst-launch-1.0's grammar but not for a shell. */
std::string assignment (const std::string &name, const std::string &value);
/* Quotes a word for a shell if necessary. */
std::string shell_word (const std::string &word);

}  // namespace studio

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What users choose from: the filters of the registry, their properties, test patterns, cameras. */
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

}  // namespace studio

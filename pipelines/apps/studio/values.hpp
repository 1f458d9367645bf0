/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties as text, in the syntax of gst-launch-1.0 and of a shell. */
#pragma once

#include "../common/glib.hpp"

namespace studio {

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

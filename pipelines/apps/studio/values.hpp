/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties as text, as gst-launch-1.0 and a shell read it. */
#pragma once

#include "../common/glib.hpp"

namespace studio {

/* The value that a new object of that kind has: elements may differ from what the GParamSpec of a base class says. */
void usual_value (Value &value, GObject *object, GParamSpec *spec);
bool is_default (GObject *object, GParamSpec *spec);

/* The value as text that parse() and gst-launch-1.0 understand. */
std::string value_text (GObject *object, GParamSpec *spec);
/* Reads text as a value for the property; throws std::invalid_argument where it is none. */
void parse (Value &value, GParamSpec *spec, const std::string &text);

/* name=value, quoted as gst-launch-1.0's grammar wants it, before any shell. */
std::string assignment (const std::string &name, const std::string &value);
/* As one word of a shell; quotes stand only where they are needed. */
std::string shell_word (const std::string &word);

}  // namespace studio

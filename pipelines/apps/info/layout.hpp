/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text for people, in lines of 80 columns. */
#pragma once

#include "document.hpp"

#include <initializer_list>
#include <string_view>

namespace layout {

constexpr size_t columns = 80, name_width = 12;

/** value behind indent columns, in as many lines as it takes; words are not broken. The first line begins with lead. */
std::string paragraph (const std::string &lead, size_t indent, const std::string &value);
/** A name and what it is. */
std::string row (size_t indent, const std::string &name, const std::string &value, size_t width = name_width);
/** The same for every number and text in an object, except some. */
std::string rows (JsonObject *object, std::initializer_list<std::string_view> except, size_t indent, size_t width = name_width);

/** "12.3 MiB" */
std::string bytes (guint64 count);
/** "22 Nov 2026", in the local time zone. */
std::string date (gint64 unix_seconds);

}  // namespace layout

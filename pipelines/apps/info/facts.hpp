/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a child process finds out and tells its parent: names with values, in order. */
#pragma once

#include <string>
#include <utility>
#include <vector>

using Facts = std::vector<std::pair<std::string, std::string>>;

/** In a child: tells one fact at once, so that it is known even if the process dies right after. */
void tell (const std::string &name, const std::string &value);
/** The name of a fact that the facts of one thing begin with; its value says of what kind. */
inline constexpr char group_begins[] = "begin";
/** In the parent: the facts in what a child printed; whatever else a driver printed is left out. */
Facts parse_facts (const std::string &output);
/** "" where there is none of that name. */
const std::string &fact (const Facts &facts, const std::string &name);

/** Those of the names that list, a text of words between spaces, has as a whole word, between spaces again. */
std::string present (const std::string &list, const std::vector<std::string> &names);
/** "0a1b..." */
std::string hexadecimal (const unsigned char *bytes, size_t count);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Analyses the text of a user's kernel before it is compiled. Nothing here recurses, because texts may be long. */
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gst::cl {

/** Whether text is a C identifier. */
bool is_identifier (std::string_view text);
/** How many characters must be changed, removed, added or swapped with the next one, ignoring case. */
size_t edit_distance (std::string_view a, std::string_view b);

/** The identifiers, numbers and signs of a text, in order. They are parts of the text. */
using Tokens = std::vector<std::string_view>;
Tokens tokens_of (std::string_view text);

/** The token of this index; "" beyond the last one. */
inline std::string_view
token (const Tokens &tokens, size_t i)
{
  return i < tokens.size () ? tokens[i] : std::string_view ();
}

/** The index of the bracket or brace that closes the one at i, or of the end. */
size_t closing (const Tokens &tokens, size_t i);

using Words = std::initializer_list<std::string_view>;

inline bool
is_any_of (std::string_view token, Words words)
{
  return std::ranges::find (words, token) != words.end ();
}

/** The text with comments and quoted texts replaced by blanks of the same length. */
std::string without_comments (const std::string &text);

/** Whether a text without comments contains any of these identifiers. */
bool has_word (std::string_view text, Words words);

/** The preprocessor lines of a text, with their continuation lines. */
std::vector<std::string_view> directives_in (std::string_view text);

/** A kernel that a text defines. */
struct KernelText {
  std::string name;
  /** Whether its body begins with PIXEL_BEGIN or COMPONENT_BEGIN. */
  bool begins = false;
  /** Whether each of its items certainly writes: its body contains a writing statement, and one precedes each `return`. */
  bool writes = false;
  /** Types and names of the arguments after PIXEL_ARGS or COMPONENT_ARGS; arguments with other tokens are left out. */
  std::vector<std::pair<std::string, std::string>> arguments;
  /** The positions of the word `kernel`, of the arguments, of the body, and of the body's end. */
  size_t at = 0, brackets = 0, body = 0, end = 0;
};

/** In the order of a text without comments. */
std::vector<KernelText> kernels_in (std::string_view text);

/** Line and column of a position in a text, both counted from 1. */
std::pair<int, int> place_in (std::string_view text, size_t at);

/** Whether a statement that begins with this word writes the frame. */
inline bool
writes_result (std::string_view word)
{
  return is_any_of (word, {"OUT_PIXEL", "OUT", "OUT_REAL"});
}

/** Whether a text without comments writes a vector as {...}, which OpenCL C does not allow. */
bool has_vector_in_braces (std::string_view text);

/** A word, and the position at which a text uses it. */
struct UsedWord {
  std::string word;
  size_t at;
};

/** Finds the words that a kernel reaches through functions and macros of its text. */
class CallGraph {
public:
  /** text must have no comments and must outlive the object. definitions: NAME or NAME=VALUE each. */
  CallGraph (std::string_view text, std::vector<std::string> definitions);

  /** The first of these words that the kernel uses, in its own text or in a function or macro that it calls. */
  std::optional<UsedWord> find (const KernelText &kernel, Words words) const;
  /** Where a kernel may return, or jump, before it reaches the last of these words for the last time. */
  std::optional<UsedWord> find_exit_before (const KernelText &kernel, Words words) const;

private:
  /* The bodies of functions, or macros, by name. A name has several bodies if they are in branches of #if. */
  using Bodies = std::multimap<std::string_view, std::string_view>;

  void add_functions ();
  std::optional<UsedWord> find (std::string_view part, Words words, bool in_functions) const;

  const std::string_view text;
  const std::vector<std::string> definitions;
  Bodies functions, macros;
};

}  // namespace gst::cl

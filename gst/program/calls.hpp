/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the words that a kernel reaches through functions and macros of its text. */
#pragma once

#include "program/text.hpp"

#include <map>

namespace gst::cl {

/** A word, and the position at which a text uses it. */
struct UsedWord {
  std::string word;
  size_t at;
};

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

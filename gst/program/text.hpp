/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Analyses the text of a user's kernel before it is compiled. Texts may be long, so nothing here recurses. */
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gst::cl {

/** Whether text is an identifier of C. */
bool is_identifier (std::string_view text);

/** The text with comments and quoted texts replaced by blanks of the same length. */
std::string without_comments (const std::string &text);

/** Whether a text without comments has any of these identifiers. */
bool has_word (std::string_view text, std::initializer_list<std::string_view> words);

/** The lines of a text that are the preprocessor's. */
std::string directives_in (const std::string &text);

/** A kernel that a text defines. */
struct KernelText {
  std::string name;
  /** Whether its body begins with PIXEL_BEGIN or COMPONENT_BEGIN. */
  bool begins = false;
  /** Whether each of its items certainly writes: a statement of its body does, and one precedes each `return`. */
  bool writes = false;
  /** Type and name of the arguments after PIXEL_ARGS or COMPONENT_ARGS, except those of which they are not plain words. */
  std::vector<std::pair<std::string, std::string>> arguments;
  /** Where its word `kernel` stands, where its arguments and its body begin, and where that ends. */
  size_t at = 0, brackets = 0, body = 0, end = 0;
};

/** In the order of a text without comments. */
std::vector<KernelText> kernels_in (std::string_view text);

/** Line and column of a place in a text, both from 1 on. */
std::pair<int, int> place_in (std::string_view text, size_t at);

/** Whether a text without comments writes a vector as {...}, which is not OpenCL C. */
bool has_vector_in_braces (std::string_view text);

}  // namespace gst::cl

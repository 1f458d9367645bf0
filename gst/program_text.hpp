/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the text of the user's kernel tells before it is compiled. Texts may be long: nothing here recurses. */
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gst::cl {

/** Whether it is a name of C's. */
bool is_identifier (std::string_view text);

/** The text without comments, which are blanks of the same length. */
std::string without_comments (const std::string &text);

/** Whether a text without comments has any of these identifiers. */
bool has_word (std::string_view text, std::initializer_list<std::string_view> words);

/** A kernel that a text defines. */
struct KernelText {
  std::string name;
  /** The first identifier of its body; "" where the body begins with something else. */
  std::string first_word;
};

/** In the order of a text without comments. */
std::vector<KernelText> kernels_in (std::string_view text);

/** Whether a text without comments writes a vector as {...}, which is no OpenCL C. */
bool has_vector_in_braces (std::string_view text);

}  // namespace gst::cl

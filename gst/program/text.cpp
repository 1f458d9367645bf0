/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/text.hpp"

#include "program/scanner.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

bool
begins_scope (std::string_view word)
{
  return word == "PIXEL_BEGIN" || word == "COMPONENT_BEGIN";
}

/* The position after the quoted text that begins there, at most the end of the line. */
size_t
end_of_quotes (std::string_view text, size_t at)
{
  for (size_t i = at + 1; i < text.size () && text[i] != '\n'; i++)
    if (text[i] == '\\' && i + 1 < text.size ())
      i++;
    else if (text[i] == text[at])
      return i + 1;
  return std::min (text.find ('\n', at), text.size ());
}

/* The types and names of the arguments in brackets. */
std::vector<std::pair<std::string, std::string>>
arguments_of (std::string_view text)
{
  std::vector<std::pair<std::string, std::string>> arguments;
  for (size_t begin = 0; begin < text.size ();) {
    const size_t end = std::min (text.find (',', begin), text.size ());
    Scanner scanner (text.substr (0, end), begin);
    std::string type, name;
    for (std::string_view word = scanner.take_word (); !word.empty (); word = scanner.take_word ()) {
      if (!name.empty () && name != "const")
        type += (type.empty () ? "" : " ") + name;
      name = word;
    }
    if (scanner.place () == end && !type.empty ())
      arguments.emplace_back (type == "unsigned int" ? "uint" : type, name);
    begin = end + 1;
  }
  return arguments;
}

/* Whether a body, which starts after its brace, certainly writes. False if it is not understood. */
bool
surely_writes (std::string_view text, size_t at)
{
  bool writes = false, is_start = true, has_just_written = false;
  Scanner scanner (text, at);
  for (int depth = 1; depth > 0;) {
    if (const std::string_view word = scanner.take_word (); !word.empty ()) {
      if (word == "goto" || (word == "return" && !(is_start && has_just_written)))
        return false;
      has_just_written = is_start && writes_result (word) && scanner.take_brackets ();
      writes = writes || (has_just_written && depth == 1);
      is_start = begins_scope (word);
    } else if (scanner.take ('{') || scanner.take ('}')) {
      depth += text[scanner.place () - 1] == '{' ? 1 : -1;
      is_start = true;
      has_just_written = false;
    } else if (scanner.take (';')) {
      is_start = true;
    } else if (scanner.take_brackets () || scanner.take_other ()) {
      is_start = has_just_written = false;
    } else {
      return false;
    }
  }
  return writes;
}

}  // namespace

bool
is_identifier (std::string_view text)
{
  return !text.empty () && begins_word (text[0]) && std::ranges::all_of (text, is_in_word);
}

std::string
without_comments (const std::string &text)
{
  std::string plain = text;
  for (size_t i = 0; i < plain.size (); i++) {
    const bool line = plain.compare (i, 2, "//") == 0, block = plain.compare (i, 2, "/*") == 0;
    const bool quoted = plain[i] == '"' || plain[i] == '\'';
    if (!line && !block && !quoted)
      continue;
    const size_t end = line ? plain.find ('\n', i) : block ? plain.find ("*/", i + 2) : end_of_quotes (plain, i);
    const size_t stop = end == std::string::npos ? plain.size () : end + (block ? 2 : 0);
    for (; i < stop; i++)
      if (plain[i] != '\n')
        plain[i] = ' ';
    i--; /* what follows may be another comment */
  }
  return plain;
}

std::string
directives_in (const std::string &text)
{
  std::string lines;
  for (size_t at = 0; (at = text.find ('#', at)) != std::string::npos;) {
    size_t end = text.find ('\n', at);
    while (end != std::string::npos && text[end - 1] == '\\')
      end = text.find ('\n', end + 1);
    end = std::min (end, text.size ());
    lines += text.substr (at, end - at) + "\n";
    at = end;
  }
  return lines;
}

bool
has_word (std::string_view text, std::initializer_list<std::string_view> words)
{
  bool has = false;
  each_word (text, [&] (std::string_view word, size_t end) {
    has = has || std::ranges::find (words, word) != words.end ();
    return has ? text.size () : end;
  });
  return has;
}

std::vector<KernelText>
kernels_in (std::string_view text)
{
  std::vector<KernelText> kernels;
  each_word (text, [&] (std::string_view word, size_t end) {
    if (word != "kernel" && word != "__kernel")
      return end;
    Scanner scanner (text, end);
    const auto skip_attributes = [&] {
      while (scanner.take_word ("__attribute__") && scanner.take_brackets ())
        continue;
    };
    skip_attributes ();
    if (!scanner.take_word ("void"))
      return end;
    skip_attributes ();
    const std::string name (scanner.take_word ());
    const size_t brackets = scanner.place ();
    if (name.empty () || !scanner.take_brackets ())
      return end;
    const size_t next = scanner.place ();
    const size_t open = text.find ('(', brackets) + 1;
    KernelText &kernel = kernels.emplace_back ();
    kernel.name = name;
    kernel.at = end - word.size ();
    kernel.brackets = open;
    kernel.body = kernel.end = next;
    kernel.arguments = arguments_of (text.substr (open, next - 1 - open));
    if (scanner.take ('{')) {
      kernel.body = scanner.place ();
      kernel.end = end_of_body (text, kernel.body);
      kernel.writes = surely_writes (text, kernel.body);
      kernel.begins = begins_scope (scanner.take_word ());
    }
    return next;
  });
  return kernels;
}

std::pair<int, int>
place_in (std::string_view text, size_t at)
{
  const std::string_view before = text.substr (0, at);
  const size_t start = before.rfind ('\n');
  return {int (std::ranges::count (before, '\n')) + 1, int (before.size () - (start == before.npos ? 0 : start + 1)) + 1};
}

bool
has_vector_in_braces (std::string_view text)
{
  bool has = false;
  each_word (text, [&] (std::string_view word, size_t end) {
    Scanner scanner (text, end);
    if (word == "return")
      has = has || scanner.take ('{');
    if (word != "float2" && word != "float3" && word != "float4")
      return has ? text.size () : end;
    /* looks for "(float4) {", and for a brace after "=" in a declaration such as "float4 name = {" */
    has = has || (scanner.take (')') && scanner.take ('{'));
    const size_t stop = std::min (text.find_first_of (";()", end), text.size ());
    const std::string_view declaration = text.substr (0, stop);
    for (size_t at = declaration.find ('=', end); at != declaration.npos && !has; at = declaration.find ('=', at + 1))
      has = Scanner (text, at + 1).take ('{');
    return has ? text.size () : std::max (stop, end);
  });
  return has;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scans a text without comments. */
#pragma once

#include <glib.h>

#include <algorithm>
#include <string_view>

namespace gst::cl {

inline bool
begins_word (char letter)
{
  return g_ascii_isalpha (letter) || letter == '_';
}

inline bool
is_in_word (char letter)
{
  return g_ascii_isalnum (letter) || letter == '_';
}

/* Consumes the given text if it comes next, after blanks. */
class Scanner {
public:
  Scanner (std::string_view text_, size_t at_) : text (text_), at (at_) {}

  size_t place () const { return at; }

  bool take (char letter)
  {
    skip_blanks ();
    const bool is_next = at < text.size () && text[at] == letter;
    at += is_next;
    return is_next;
  }

  std::string_view take_word ()
  {
    skip_blanks ();
    const size_t begin = at;
    if (at < text.size () && begins_word (text[at]))
      while (at < text.size () && is_in_word (text[at]))
        at++;
    return text.substr (begin, at - begin);
  }

  bool take_word (std::string_view word)
  {
    const size_t begin = at;
    const bool is_next = take_word () == word;
    at = is_next ? at : begin;
    return is_next;
  }

  /* Takes a bracket with everything inside it. */
  bool take_brackets ()
  {
    if (!take ('('))
      return false;
    for (int depth = 1; depth > 0; at++) {
      if (at >= text.size () || text[at] == '"' || text[at] == '\'')
        return false;
      depth += (text[at] == '(') - (text[at] == ')');
    }
    return true;
  }

  /* Takes another character, unless it starts a directive, which may exclude what follows, or a quoted text. */
  bool take_other ()
  {
    const bool can = at < text.size () && text[at] != '#' && text[at] != '"' && text[at] != '\'' && text[at] != '(';
    at += can;
    return can;
  }

private:
  void skip_blanks ()
  {
    while (at < text.size () && g_ascii_isspace (text[at]))
      at++;
  }

  std::string_view text;
  size_t at;
};

/* The end of the identifier that begins there. */
inline size_t
end_of_word (std::string_view text, size_t at)
{
  while (at < text.size () && is_in_word (text[at]))
    at++;
  return at;
}

/* Calls `found` with each identifier and its position; `found` returns the position at which to continue. */
template <typename Found>
void
each_word (std::string_view text, Found found)
{
  for (size_t at = 0; at < text.size ();) {
    if (!is_in_word (text[at])) {
      at++;
      continue;
    }
    const size_t end = end_of_word (text, at);
    at = begins_word (text[at]) ? found (text.substr (at, end - at), end) : end;
  }
}

/* The position after the closing brace of the body that starts there. */
inline size_t
end_of_body (std::string_view text, size_t at)
{
  for (int depth = 1; at < text.size () && depth > 0; at++)
    depth += (text[at] == '{') - (text[at] == '}');
  return at;
}

inline bool
writes_result (std::string_view word)
{
  return word == "OUT_PIXEL" || word == "OUT" || word == "OUT_REAL";
}

}  // namespace gst::cl

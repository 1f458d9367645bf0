/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads comments with instructions to the element: // @param ..., // @group ... */
#pragma once

#include <glib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace gst::cl {

/** A mistake in the text, and what to write instead. */
struct TextError {
  int line, column;
  std::string message, hint;
};

inline std::string
in_quotes (std::string_view text)
{
  return "\"" + std::string (text) + "\"";
}

/** The words of a line, from the start of its comment. */
class LineReader {
public:
  /** The line must have a // comment. */
  LineReader (std::string_view line_, int number_) : line (line_), number (number_), at (line_.find ("//") + 2) {}

  /** Whether it is a documentation tool's comment. */
  bool is_documentation () const { return at < line.size () && line[at] == '/'; }

  /** Throws a TextError about the last word that was taken. */
  [[noreturn]] void fail (const std::string &message, const std::string &hint) const
  {
    throw TextError{number, int (begin) + 1, message, hint};
  }

  bool has_more ()
  {
    skip_blanks ();
    return at < line.size ();
  }

  int next_column ()
  {
    skip_blanks ();
    return int (at) + 1;
  }

  bool is_next (char letter)
  {
    skip_blanks ();
    return at < line.size () && line[at] == letter;
  }

  bool take (char letter)
  {
    const bool is_there = is_next (letter);
    at += is_there;
    return is_there;
  }

  /** Takes everything up to a blank or a character that ends a number or a word; "" at the end. */
  std::string_view take_token ()
  {
    skip_blanks ();
    while (at < line.size () && !g_ascii_isspace (line[at]) && (at == begin || !strchr ("(),[]\"<>", line[at])))
      at++;
    return line.substr (begin, at - begin);
  }

  /** Takes a text in quotes, if it comes next; returns false otherwise. */
  bool take_text (std::string &text)
  {
    if (!take ('"'))
      return false;
    const size_t end = line.find ('"', at);
    if (end == line.npos)
      fail ("The text has no closing quote.", "Write \" at its end.");
    g_autofree gchar *valid = g_utf8_make_valid (line.data () + at, gssize (end - at));
    text = valid;
    at = end + 1;
    return true;
  }

  struct Number {
    double value;
    std::string text;

    bool is_whole () const { return text.find_first_of (".eE") == std::string::npos; }
  };

  /** example: shown to the user if something else follows. */
  Number take_number (const std::string &example)
  {
    std::string token (take_token ());
    if (token.ends_with ('f') || token.ends_with ('F'))
      token.pop_back ();
    gchar *end = nullptr;
    const double value = g_ascii_strtod (token.c_str (), &end);
    const bool plain = !token.empty () && token.find_first_not_of ("0123456789+-.eE") == std::string::npos && !*end;
    if (!plain)
      fail (
          token.empty () ? "A number is missing." : in_quotes (line.substr (begin, at - begin)) + " is not a number.", example);
    return {value, token};
  }

  void take_end (const std::string &form)
  {
    if (const std::string_view rest = take_token (); !rest.empty ())
      fail (in_quotes (rest) + " is one word too many.", form);
  }

private:
  void skip_blanks ()
  {
    while (at < line.size () && g_ascii_isspace (line[at]))
      at++;
    begin = at;
  }

  const std::string_view line;
  const int number;
  size_t at, begin = 0;
};

/** Calls `found` with each line that holds only a // comment, its number, and the position where it starts. */
template <typename Found>
void
each_comment_line (const std::string &text, Found found)
{
  int number = 1;
  for (size_t at = 0, start = 0; at < text.size ();) {
    size_t end = at + 1;
    if (text.compare (at, 2, "//") == 0) {
      end = std::min (text.find ('\n', at), text.size ());
      if (text.find_first_not_of (" \t", start) == at)
        found (std::string_view (text).substr (start, end - start), number, start);
    } else if (text.compare (at, 2, "/*") == 0) {
      end = text.find ("*/", at + 2);
      end = end == std::string::npos ? text.size () : end + 2;
    }
    for (; at < end; at++)
      if (text[at] == '\n') {
        number++;
        start = at + 1;
      }
  }
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/text.hpp"

#include <glib.h>

#include <set>

namespace gst::cl {

namespace {

bool
is_in_word (char letter)
{
  return g_ascii_isalnum (letter) || letter == '_';
}

bool
begins_scope (std::string_view word)
{
  return is_any_of (word, {"PIXEL_BEGIN", "COMPONENT_BEGIN"});
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

/* The types and names of the arguments between two brackets. */
std::vector<std::pair<std::string, std::string>>
arguments_of (const Tokens &tokens, size_t open, size_t close)
{
  std::vector<std::pair<std::string, std::string>> arguments;
  for (size_t begin = open + 1, end; begin < close; begin = end + 1) {
    end = begin;
    std::string type, name;
    for (; end < close && is_identifier (tokens[end]); end++) {
      if (!name.empty () && name != "const")
        type += (type.empty () ? "" : " ") + name;
      name = tokens[end];
    }
    const bool is_plain = end == close || tokens[end] == ",";
    if (is_plain && !type.empty ())
      arguments.emplace_back (type == "unsigned int" ? "uint" : type, name);
    while (end < close && tokens[end] != ",")
      end++;
  }
  return arguments;
}

/* Whether the body that begins with this brace certainly writes. False if it is not understood: a directive may exclude the rest. */
bool
surely_writes (const Tokens &tokens, size_t open)
{
  bool writes = false, is_start = true, has_just_written = false;
  size_t i = open + 1;
  for (int depth = 1; depth > 0; i++) {
    const std::string_view each = token (tokens, i);
    if (each.empty () || is_any_of (each, {"#", "goto"}) || (each == "return" && !(is_start && has_just_written)))
      return false;
    if (each == "{" || each == "}") {
      depth += each == "{" ? 1 : -1;
      is_start = true;
      has_just_written = false;
    } else if (each == ";") {
      is_start = true;
    } else {
      has_just_written = is_start && writes_result (each) && token (tokens, i + 1) == "(";
      writes = writes || (has_just_written && depth == 1);
      is_start = begins_scope (each);
      if (has_just_written || each == "(")
        i = closing (tokens, each == "(" ? i : i + 1);
    }
  }
  return writes;
}

/* The end of the outermost loop around a token of a body, because a loop may reach the token again; the token itself outside loops. */
size_t
end_of_loop (const Tokens &body, size_t at)
{
  std::vector<bool> blocks; /* open blocks, and whether each belongs to a loop */
  std::optional<size_t> outermost;
  bool begins_loop = false;
  int brackets = 0;
  for (size_t i = 0; i < body.size (); i++) {
    if (i >= at && !outermost) {
      const auto loop = std::ranges::find (blocks, true);
      if (loop == blocks.end ())
        return at;
      outermost = size_t (loop - blocks.begin ());
    }
    const std::string_view each = body[i];
    begins_loop = begins_loop || is_any_of (each, {"for", "while", "do"});
    brackets += (each == "(") - (each == ")");
    if (each == "{")
      blocks.push_back (std::exchange (begins_loop, false));
    else if (each == "}" && !blocks.empty ())
      blocks.pop_back ();
    else if (each == ";" && brackets == 0)
      begins_loop = false;
    if (outermost && blocks.size () <= *outermost)
      return i + 1;
  }
  return at;
}

}  // namespace

bool
is_identifier (std::string_view text)
{
  return !text.empty () && !g_ascii_isdigit (text[0]) && std::ranges::all_of (text, is_in_word);
}

size_t
edit_distance (std::string_view a, std::string_view b)
{
  const auto same = [&] (size_t i, size_t j) { return g_ascii_tolower (a[i]) == g_ascii_tolower (b[j]); };
  std::vector<std::vector<size_t>> of (a.size () + 1, std::vector<size_t> (b.size () + 1));
  for (size_t i = 0; i <= a.size (); i++)
    for (size_t j = 0; j <= b.size (); j++) {
      if (i == 0 || j == 0) {
        of[i][j] = i + j;
        continue;
      }
      of[i][j] = std::min ({of[i - 1][j] + 1, of[i][j - 1] + 1, of[i - 1][j - 1] + !same (i - 1, j - 1)});
      if (i > 1 && j > 1 && same (i - 1, j - 2) && same (i - 2, j - 1))
        of[i][j] = std::min (of[i][j], of[i - 2][j - 2] + 1);
    }
  return of.back ().back ();
}

Tokens
tokens_of (std::string_view text)
{
  Tokens tokens;
  for (size_t at = 0, end; at < text.size (); at = end) {
    end = at + 1;
    while (is_in_word (text[at]) && end < text.size () && is_in_word (text[end]))
      end++;
    if (!g_ascii_isspace (text[at]))
      tokens.push_back (text.substr (at, end - at));
  }
  return tokens;
}

size_t
closing (const Tokens &tokens, size_t i)
{
  const std::string_view open = token (tokens, i), close = open == "(" ? ")" : "}";
  for (int depth = 0; i < tokens.size (); i++) {
    depth += (tokens[i] == open) - (tokens[i] == close);
    if (depth == 0)
      break;
  }
  return i;
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
    i--; /* the next characters may be another comment */
  }
  return plain;
}

std::vector<std::string_view>
directives_in (std::string_view text)
{
  std::vector<std::string_view> lines;
  for (size_t at = 0; (at = text.find ('#', at)) != text.npos;) {
    size_t end = text.find ('\n', at);
    while (end != text.npos && text[end - 1] == '\\')
      end = text.find ('\n', end + 1);
    end = std::min (end, text.size ());
    lines.push_back (text.substr (at, end - at));
    at = end;
  }
  return lines;
}

bool
has_word (std::string_view text, Words words)
{
  return std::ranges::any_of (tokens_of (text), [&] (std::string_view each) { return is_any_of (each, words); });
}

std::vector<KernelText>
kernels_in (std::string_view text)
{
  const Tokens tokens = tokens_of (text);
  const auto place = [&] (size_t i) { return i < tokens.size () ? size_t (tokens[i].data () - text.data ()) : text.size (); };
  std::vector<KernelText> kernels;
  for (size_t i = 0; i < tokens.size (); i++) {
    if (!is_any_of (tokens[i], {"kernel", "__kernel"}))
      continue;
    size_t at = i + 1;
    const auto skip_attributes = [&] {
      while (token (tokens, at) == "__attribute__" && token (tokens, at + 1) == "(")
        at = closing (tokens, at + 1) + 1;
    };
    skip_attributes ();
    if (token (tokens, at++) != "void")
      continue;
    skip_attributes ();
    const size_t name = at, open = at + 1, close = closing (tokens, open);
    if (!is_identifier (token (tokens, name)) || token (tokens, open) != "(" || close >= tokens.size ())
      continue;
    KernelText &kernel = kernels.emplace_back ();
    kernel.name = tokens[name];
    kernel.at = place (i);
    kernel.brackets = place (open) + 1;
    kernel.body = kernel.end = place (close) + 1;
    kernel.arguments = arguments_of (tokens, open, close);
    if (token (tokens, close + 1) == "{") {
      kernel.body = place (close + 1) + 1;
      kernel.end = std::min (place (closing (tokens, close + 1)) + 1, text.size ());
      kernel.writes = surely_writes (tokens, close + 1);
      kernel.begins = begins_scope (token (tokens, close + 2));
    }
    i = close;
  }
  return kernels;
}

std::pair<int, int>
place_in (std::string_view text, size_t at)
{
  const std::string_view before = text.substr (0, at);
  const size_t start = before.rfind ('\n');
  return {int (std::ranges::count (before, '\n')) + 1, int (before.size () - (start == before.npos ? 0 : start + 1)) + 1};
}

/* Looks for "return {", for "(float4) {", and for a brace after "=" in a declaration such as "float4 name = {". */
bool
has_vector_in_braces (std::string_view text)
{
  const Tokens tokens = tokens_of (text);
  for (size_t i = 0; i < tokens.size (); i++) {
    if (tokens[i] == "return" && token (tokens, i + 1) == "{")
      return true;
    if (!is_any_of (tokens[i], {"float2", "float3", "float4"}))
      continue;
    if (token (tokens, i + 1) == ")" && token (tokens, i + 2) == "{")
      return true;
    for (; i + 1 < tokens.size () && !is_any_of (tokens[i + 1], {";", "(", ")"}); i++)
      if (tokens[i + 1] == "=" && token (tokens, i + 2) == "{")
        return true;
  }
  return false;
}

CallGraph::CallGraph (std::string_view text_, std::vector<std::string> definitions_)
    : text (text_), definitions (std::move (definitions_))
{
  add_functions ();
  for (const std::string_view line : directives_in (text))
    if (const Tokens tokens = tokens_of (line); token (tokens, 1) == "define" && is_identifier (token (tokens, 2)))
      macros.emplace (tokens[2], std::string_view (tokens[2].end (), line.end ()));
  for (const std::string_view definition : definitions)
    if (const size_t equals = definition.find ('='); equals != definition.npos)
      macros.emplace (definition.substr (0, equals), definition.substr (equals + 1));
}

/* Finds "NAME (...) {" outside other braces, ignoring attributes. */
void
CallGraph::add_functions ()
{
  const Tokens tokens = tokens_of (text);
  std::string_view name;
  for (size_t i = 1; i < tokens.size (); i++) {
    if (tokens[i] != "(")
      continue;
    if (tokens[i - 1] != "__attribute__")
      name = is_identifier (tokens[i - 1]) ? tokens[i - 1] : std::string_view ();
    i = closing (tokens, i);
    if (name.empty () || token (tokens, i + 1) != "{")
      continue;
    const size_t open = i + 1;
    i = std::min (closing (tokens, open), tokens.size () - 1);
    functions.emplace (name, std::string_view (tokens[open].end (), tokens[i].end ()));
  }
}

std::optional<UsedWord>
CallGraph::find (const KernelText &kernel, Words words) const
{
  return find (text.substr (kernel.brackets, kernel.end - kernel.brackets), words, true);
}

/* The position in the text at which a part of the text, or a definition, uses one of the words. */
std::optional<UsedWord>
CallGraph::find (std::string_view part, Words words, bool in_functions) const
{
  /* parts to search; for definitions, also the position in the text that uses them */
  std::vector<std::pair<std::string_view, size_t>> open{{part, 0}};
  std::set<std::string_view> seen;
  while (!open.empty ()) {
    const auto [current, used] = open.back ();
    open.pop_back ();
    const bool is_own = current.data () >= text.data () && current.data () < text.data () + text.size ();
    for (const std::string_view word : tokens_of (current)) {
      const size_t at = is_own ? size_t (word.data () - text.data ()) : used;
      if (is_any_of (word, words))
        return UsedWord{std::string (word), at};
      if (!seen.insert (word).second)
        continue;
      for (const Bodies *bodies : {&macros, &functions})
        if (bodies == &macros || in_functions)
          for (auto each = bodies->lower_bound (word); each != bodies->upper_bound (word); ++each)
            open.emplace_back (each->second, at);
    }
  }
  return std::nullopt;
}

std::optional<UsedWord>
CallGraph::find_exit_before (const KernelText &kernel, Words words) const
{
  const std::string_view body = text.substr (kernel.body, kernel.end - kernel.body);
  const Tokens tokens = tokens_of (body);
  std::map<std::string_view, bool> known;
  size_t end = 0;
  for (size_t i = 0; i < tokens.size (); i++) {
    const auto [entry, is_new] = known.try_emplace (tokens[i], false);
    if (is_new)
      entry->second = bool (find (tokens[i], words, true));
    if (entry->second)
      end = i + 1;
  }
  end = end_of_loop (tokens, end);
  return end ? find ({body.begin (), tokens[end - 1].end ()}, {"return", "goto"}, false) : std::nullopt;
}

}  // namespace gst::cl

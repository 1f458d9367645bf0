/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/calls.hpp"

#include <set>
#include <utility>

namespace gst::cl {

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

namespace {

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

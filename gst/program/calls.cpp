/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/calls.hpp"

#include "program/scanner.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gst::cl {

CallGraph::CallGraph (std::string_view text_, std::vector<std::string> definitions_)
    : text (text_), definitions (std::move (definitions_))
{
  add_functions ();
  add_macros ();
  for (const std::string_view definition : definitions)
    if (const size_t equals = definition.find ('='); equals != definition.npos)
      macros.emplace (definition.substr (0, equals), definition.substr (equals + 1));
}

/* Finds "NAME (...) {" outside other braces, ignoring attributes. */
void
CallGraph::add_functions ()
{
  std::vector<std::string_view> open; /* the word before each open bracket */
  std::string_view last, name;
  for (size_t at = 0; at < text.size ();) {
    if (begins_word (text[at])) {
      const size_t end = end_of_word (text, at);
      last = text.substr (at, end - at);
      at = end;
      continue;
    }
    const char letter = text[at++];
    if (letter == '(') {
      open.push_back (last);
    } else if (letter == ')' && !open.empty ()) {
      if (open.back () != "__attribute__")
        name = open.back ();
      open.pop_back ();
      Scanner scanner (text, at);
      if (open.empty () && !name.empty () && scanner.take ('{')) {
        at = end_of_body (text, scanner.place ());
        functions.emplace (name, text.substr (scanner.place (), at - scanner.place ()));
      }
    }
    if (!g_ascii_isspace (letter))
      last = {};
  }
}

/* Finds "#define NAME ...", with its continuation lines. */
void
CallGraph::add_macros ()
{
  for (size_t at = 0; (at = text.find ('#', at)) != text.npos;) {
    Scanner scanner (text, at + 1);
    size_t end = text.find ('\n', at);
    while (end != text.npos && text[end - 1] == '\\')
      end = text.find ('\n', end + 1);
    end = std::min (end, text.size ());
    if (scanner.take_word ("define"))
      if (const std::string_view name = scanner.take_word (); !name.empty () && scanner.place () <= end)
        macros.emplace (name, text.substr (scanner.place (), end - scanner.place ()));
    at = end;
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
  std::optional<UsedWord> found;
  while (!open.empty () && !found) {
    const auto [current, used_at] = open.back ();
    open.pop_back ();
    const bool is_own = current.data () >= text.data () && current.data () < text.data () + text.size ();
    each_word (current, [&, part = current, used = used_at] (std::string_view word, size_t end) {
      const size_t at = is_own ? size_t (word.data () - text.data ()) : used;
      if (std::ranges::find (words, word) != words.end ()) {
        found = UsedWord{std::string (word), at};
        return part.size ();
      }
      if (seen.insert (word).second)
        for (const Bodies *bodies : {&macros, &functions})
          if (bodies == &macros || in_functions)
            for (auto each = bodies->lower_bound (word); each != bodies->upper_bound (word); ++each)
              open.emplace_back (each->second, at);
      return end;
    });
  }
  return found;
}

namespace {

/* The end of the outermost loop around a position in a body, because a loop may reach the position again; the position itself
 * outside loops. */
size_t
end_of_loop (std::string_view body, size_t at)
{
  std::vector<bool> blocks; /* open blocks, and whether each belongs to a loop */
  std::optional<size_t> outermost;
  bool begins_loop = false;
  int brackets = 0;
  for (size_t i = 0; i < body.size ();) {
    if (i >= at && !outermost) {
      const auto loop = std::ranges::find (blocks, true);
      if (loop == blocks.end ())
        return at;
      outermost = size_t (loop - blocks.begin ());
    }
    if (begins_word (body[i])) {
      const size_t end = end_of_word (body, i);
      const std::string_view word = body.substr (i, end - i);
      begins_loop = begins_loop || word == "for" || word == "while" || word == "do";
      i = end;
      continue;
    }
    const char letter = body[i++];
    brackets += (letter == '(') - (letter == ')');
    if (letter == '{')
      blocks.push_back (std::exchange (begins_loop, false));
    else if (letter == '}' && !blocks.empty ())
      blocks.pop_back ();
    else if (letter == ';' && brackets == 0)
      begins_loop = false;
    if (outermost && blocks.size () <= *outermost)
      return i;
  }
  return at;
}

}  // namespace

std::optional<UsedWord>
CallGraph::find_exit_before (const KernelText &kernel, Words words) const
{
  const std::string_view body = text.substr (kernel.body, kernel.end - kernel.body);
  std::map<std::string_view, bool> known;
  size_t last = 0;
  each_word (body, [&] (std::string_view word, size_t end) {
    const auto [entry, is_new] = known.try_emplace (word, false);
    if (is_new)
      entry->second = bool (find (word, words, true));
    if (entry->second)
      last = end;
    return end;
  });
  return find (body.substr (0, end_of_loop (body, last)), {"return", "goto"}, false);
}

}  // namespace gst::cl

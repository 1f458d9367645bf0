/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chain/filters.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

namespace gst::cl {

namespace {

constexpr std::string_view blanks = " \t\r\n";

[[noreturn]] void
refuse (const std::string &why)
{
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, why, "");
}

/* Returns the position after the closing quote: after the first quote without a backslash, or else the last quote. GStreamer's
 * parser also takes the longest match. Without a closing quote, the opening one is an ordinary character. */
size_t
behind_quoted (std::string_view text, size_t at)
{
  size_t closing = at;
  for (size_t end = at + 1; end < text.size (); end++) {
    if (text[end] != text[at])
      continue;
    closing = end;
    if (text[end - 1] != '\\')
      break;
  }
  return closing + 1;
}

/* The position after all characters that are not in `ends`. */
size_t
behind_letters (std::string_view text, size_t at, std::string_view ends)
{
  while (at < text.size () && ends.find (text[at]) == std::string_view::npos)
    at += text[at] == '\\' ? 2 : 1;
  return std::min (at, text.size ());
}

/* The position of the value that is assigned to the name at `begin`; npos without a name or an assignment. */
size_t
begin_of_value (std::string_view text, size_t begin)
{
  const auto is_of_name = [] (char letter) {
    return g_ascii_isalnum (letter) || std::string_view ("_-%:").find (letter) != std::string_view::npos;
  };
  if (!g_ascii_isalnum (text[begin]) && text[begin] != '_')
    return std::string_view::npos;
  size_t at = begin;
  while (at < text.size () && is_of_name (text[at]))
    at++;
  at = text.find_first_not_of (blanks, at);
  if (at == std::string_view::npos || text[at] != '=')
    return std::string_view::npos;
  return std::min (text.find_first_not_of (blanks, at + 1), text.size ());
}

/* The end of the word that begins there: after a value, which may be quoted, or else at a blank or a '!'. */
size_t
end_of_filter_word (std::string_view text, size_t begin)
{
  if (const size_t value = begin_of_value (text, begin); value != std::string_view::npos) {
    const bool quotes = value < text.size () && (text[value] == '"' || text[value] == '\'');
    return std::max (behind_letters (text, value, blanks), quotes ? behind_quoted (text, value) : 0);
  }
  return std::max (behind_letters (text, begin, " \t\r\n!"), begin + 1);
}

std::vector<std::string_view>
words_of (std::string_view text)
{
  std::vector<std::string_view> words;
  for (size_t at = 0; (at = text.find_first_not_of (blanks, at)) != std::string_view::npos;) {
    const size_t end = end_of_filter_word (text, at);
    words.push_back (text.substr (at, end - at));
    at = end;
  }
  return words;
}

/* word must be a part of text. */
[[noreturn]] void
refuse_word (const std::string &text, std::string_view word, const std::string &why)
{
  refuse ("'" + std::string (word) + "' (character " + std::to_string (word.data () - text.data () + 1) + "): " + why);
}

/* An element, or a bin of several; null if the parser refuses the text. */
ElementRef
parse (std::string_view text, GError **error)
{
  GstElement *top = gst_parse_launch_full (std::string (text).c_str (), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (top)
    gst_object_ref_sink (top);
  return ElementRef (*error ? nullptr : top);
}

/* The parser does not report where it stopped, so this adds word after word until the parser fails. */
std::string_view
first_wrong_word (std::string_view text)
{
  const std::vector<std::string_view> all = words_of (text);
  std::vector<std::string_view> words;
  for (size_t i = 0; i < all.size (); i++) {
    /* the missing word comes after the '!' */
    const bool links = all[i] == "!" && i > 0 && i + 1 < all.size () && all[i - 1] != "!";
    if (!links)
      words.push_back (all[i]);
  }
  const auto is_right = [&] (std::string_view word) {
    g_autoptr (GError) error = nullptr;
    parse (text.substr (0, size_t (word.data () - text.data ()) + word.size ()), &error);
    return !error;
  };
  const auto wrong = std::ranges::partition_point (words, is_right);
  return wrong == words.end () ? words.back () : *wrong;
}

/* The first word that gives a filter the name of an earlier one; empty if there is none. GStreamer's parser only warns, and
 * then links elements that it could not add. */
std::string_view
repeated_name (std::string_view text)
{
  constexpr std::string_view property = "name", no_part = "\"'\\";
  std::set<std::string> names;
  for (const std::string_view word : words_of (text)) {
    const size_t value = begin_of_value (word, 0);
    if (value == std::string_view::npos || word.substr (0, word.find_first_of (" \t\r\n=")) != property)
      continue;
    std::string name (word.substr (value));
    std::erase_if (name, [&] (char letter) { return no_part.find (letter) != std::string_view::npos; });
    if (!names.insert (name).second)
      return word;
  }
  return {};
}

/* The first word that is, or looks like, caps or a pad of another element or a bin; empty if there is none. */
std::string_view
stranger_in (const std::string &text)
{
  for (const std::string_view word : words_of (text))
    if (word.find_first_of ("/.()") < word.find ('='))
      return word;
  return {};
}

constexpr char no_filter[] = " is not an OpenCL filter with one input; put it before or after clchain";

/* Checks for words that no chain may contain first: GStreamer (1.22) logs criticals for some caps, and aborts on some pads. */
ElementRef
parse_all (const std::string &text)
{
  if (text.find_first_not_of (blanks) == std::string::npos)
    refuse ("it names no filter; write for example \"clnoise ! clmedian radius=2\"");
  const std::string_view all = text, stranger = stranger_in (text);
  const std::string_view before = all.substr (0, stranger.empty () ? all.size () : size_t (stranger.data () - all.data ()));
  const std::string_view filters = stranger.empty () ? all : before.substr (0, before.find_last_not_of (" \t\r\n!") + 1);
  g_autoptr (GError) error = nullptr;
  ElementRef parsed = filters.empty () ? ElementRef () : parse (filters, &error);
  if (error) {
    /* the parser's message for a syntax error names no word */
    const bool syntax = g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_SYNTAX);
    const std::string message = syntax ? "syntax error; write for example \"clnoise ! clmedian radius=2\"" : error->message;
    refuse_word (text, first_wrong_word (filters), message);
  }
  if (!stranger.empty ())
    refuse_word (text, stranger,
        stranger.find ('/') < stranger.find ('=')
            ? "capsfilter" + std::string (no_filter)
            : "a chain has no pads or bins; write for example \"clnoise ! clmedian radius=2\"");
  if (!parsed)
    refuse ("'" + text + "' does not parse");
  return parsed;
}

std::vector<ElementRef>
children_of (GstElement *top)
{
  std::vector<ElementRef> children;
  GstElementFactory *factory = gst_element_get_factory (top);
  if (!GST_IS_BIN (top) || !factory || g_strcmp0 (GST_OBJECT_NAME (factory), "pipeline") != 0) {
    children.push_back (ElementRef::retain (top));
    return children;
  }
  for (GList *each = GST_BIN_CHILDREN (top); each; each = each->next)
    children.push_back (ElementRef::retain (GST_ELEMENT (each->data)));
  /* a bin has its newest child first */
  std::ranges::reverse (children);
  return children;
}

/* Parses filter by filter, because in a linked chain every new filter would query all earlier ones for caps. Returns nothing if
 * the text contains more than names, properties and '!'. */
std::vector<ElementRef>
parse_parts (const std::string &text)
{
  /* the parser must not see such words; see parse_all () */
  if (!stranger_in (text).empty ())
    return {};
  std::vector<ElementRef> parts;
  std::set<std::string> names;
  std::vector<std::string_view> words = words_of (text);
  words.push_back ("!");
  for (auto begin = words.begin (); begin != words.end ();) {
    const auto end = std::find (begin, words.end (), "!");
    if (begin == end)
      return {};
    g_autoptr (GError) error = nullptr;
    const std::string_view last = *(end - 1);
    ElementRef part = parse ({begin->data (), size_t (last.data () + last.size () - begin->data ())}, &error);
    if (!part || !G_TYPE_CHECK_INSTANCE_TYPE (part.get (), GST_TYPE_CL_FILTER)
        || !names.insert (GST_OBJECT_NAME (part.get ())).second)
      return {};
    parts.push_back (std::move (part));
    begin = end + 1;
  }
  return parts;
}

std::string
factory_name (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  return factory ? GST_OBJECT_NAME (factory) : GST_OBJECT_NAME (element);
}

/* Finds the word of child `index`: the word with as many words of its kind before it as the child has children of its kind
 * before it. */
[[noreturn]] void
refuse_child (const std::string &text, const std::vector<ElementRef> &children, size_t index, const std::string &why)
{
  const std::string name = factory_name (children[index].get ());
  const auto is_same = [&] (const ElementRef &child) { return factory_name (child.get ()) == name; };
  size_t before = size_t (std::ranges::count_if (std::span (children).first (index), is_same));
  for (const std::string_view word : words_of (text)) {
    const bool is_caps = name == "capsfilter" && word.find ('/') < word.find ('=');
    if ((word == name || is_caps) && before-- == 0)
      refuse_word (text, word, why);
  }
  refuse ("'" + name + "': " + why);
}

void
require_filter (const std::string &text, const std::vector<ElementRef> &children, size_t index)
{
  GstElement *element = children[index].get ();
  if (!G_TYPE_CHECK_INSTANCE_TYPE (element, GST_TYPE_CL_FILTER))
    refuse_child (text, children, index, factory_name (element) + no_filter);
  if (const std::optional<std::string> complaint = gst_cl_filter_get_store (element).complaint ())
    refuse_child (text, children, index, *complaint);
}

GstElement *
peer_of (GstElement *element, const char *pad_name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, pad_name);
  g_autoptr (GstPad) peer = pad ? gst_pad_get_peer (pad) : nullptr;
  g_autoptr (GstElement) other = peer ? gst_pad_get_parent_element (peer) : nullptr;
  return other; /* the bin keeps it */
}

}  // namespace

ChainFilters
parse_chain (const std::string &text)
{
  if (const std::string_view word = repeated_name (text); !word.empty ())
    refuse_word (text, word, "another filter has that name");
  ChainFilters filters;
  if (const std::vector<ElementRef> parts = parse_parts (text); !parts.empty ()) {
    for (size_t i = 0; i < parts.size (); i++) {
      require_filter (text, parts, i);
      filters.push_back (FilterRef::retain (reinterpret_cast<GstClFilter *> (parts[i].get ())));
    }
    return filters;
  }
  const ElementRef top = parse_all (text);
  const std::vector<ElementRef> children = children_of (top.get ());
  for (size_t i = 0; i < children.size (); i++)
    require_filter (text, children, i);

  const auto begins = [] (const ElementRef &child) { return !peer_of (child.get (), "sink"); };
  const auto first = std::ranges::find_if (children, begins);
  if (first == children.end ())
    refuse ("it names no filter; write for example \"clnoise ! clmedian radius=2\"");
  if (const auto second = std::find_if (first + 1, children.end (), begins); second != children.end ())
    refuse_child (text, children, size_t (second - children.begin ()), "no '!' links it to the filter before it");
  for (GstElement *each = first->get (); each; each = peer_of (each, "src"))
    filters.push_back (FilterRef::retain (reinterpret_cast<GstClFilter *> (each)));

  if (GST_OBJECT_CAST (filters.front ().get ())->parent)
    for (const FilterRef &filter : filters)
      gst_bin_remove (GST_BIN (top.get ()), GST_ELEMENT (filter.get ()));
  return filters;
}

}  // namespace gst::cl

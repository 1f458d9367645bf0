/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/build.hpp"

namespace gst::cl {

namespace {

/* Calls `found` with the declaration that follows each word `local` outside of braces and brackets, up to one of `ends`. */
template <typename Found>
void
each_local (std::string_view text, Words ends, Found found)
{
  const Tokens tokens = tokens_of (text);
  int depth = 0;
  for (size_t i = 0; i < tokens.size (); i++) {
    depth += is_any_of (tokens[i], {"(", "{"}) - is_any_of (tokens[i], {")", "}"});
    if (depth || !is_any_of (tokens[i], {"local", "__local"}))
      continue;
    const auto begin = tokens.begin () + std::ptrdiff_t (i) + 1;
    const auto end = std::find_if (begin, tokens.end (), [&] (std::string_view each) { return is_any_of (each, ends); });
    found (Tokens (begin, end));
    i += size_t (end - begin);
  }
}

/* The sum of the sizes, in C, of the arguments and variables of a kernel in local memory. Leaves out what the preprocessor may
 * declare otherwise. */
std::string
local_sum (const ProgramRequest &request, const PlannedKernel &kernel, std::string_view plain)
{
  const std::string_view body = plain.substr (kernel.text.body, kernel.text.end - kernel.text.body);
  const std::vector<std::string_view> directives = directives_in (plain);
  std::string sum;
  const auto add = [&] (const std::string &name, const std::string &size) {
    const auto names_it = [&] (std::string_view text) { return has_word (text, {name}); };
    if (!name.empty () && std::ranges::none_of (directives, names_it) && !names_it (request.defines))
      sum += (sum.empty () ? "" : " + ") + size;
  };
  if (body.find ('#') != body.npos)
    return "";
  each_local (
      plain.substr (kernel.text.brackets, kernel.text.body - kernel.text.brackets), {",", ")"}, [&] (const Tokens &argument) {
        const auto last = std::find_if (argument.rbegin (), argument.rend (), is_identifier);
        const std::string name (argument.size () > 1 && last != argument.rend () ? *last : "");
        const auto line = kernel.local.find (name);
        const size_t elements = line == kernel.local.end () ? kernel.group[0] * kernel.group[1] : line->second.elements;
        add (name, std::to_string (elements) + " * sizeof (*" + name + ")");
      });
  each_local (body, {";"}, [&] (const Tokens &declaration) {
    if (std::ranges::any_of (declaration, [] (std::string_view each) {
          return is_any_of (each, {"*", "(", ")", "{", "}", "="});
        }))
      return;
    /* after the type, each name, perhaps with its dimensions */
    for (size_t i = 1; i < declaration.size (); i++)
      if (const std::string name (declaration[i]);
          is_any_of (token (declaration, i + 1), {"", ",", "["}) && is_identifier (name))
        add (name, "sizeof (" + name + ")");
  });
  return sum;
}

}  // namespace

std::string
with_local_limit (const ProgramRequest &request, const ProgramPlan &plan, size_t most)
{
  const std::string plain = without_comments (request.text), bytes = std::to_string (most);
  std::vector<PlannedKernel> kernels = plan.running (request.kernel);
  std::ranges::sort (kernels, std::ranges::greater (), [] (const PlannedKernel &each) { return each.text.end; });
  std::string text = request.text;
  for (const PlannedKernel &kernel : kernels) {
    const std::string sum = kernel.group_line ? local_sum (request, kernel, plain) : "";
    const size_t at = kernel.text.end - 1;
    if (sum.empty () || plain[at] != '}')
      continue;
    const auto [line, column] = place_in (plain, at);
    text.insert (at, "\n#line " + std::to_string (kernel.group_line) + "\n_Static_assert (" + sum + " <= " + bytes
                         + ", \"The kernel " + kernel.text.name + " has more than the device's " + bytes
                         + " bytes of local memory.\");\n#line " + std::to_string (line) + "\n"
                         + std::string (size_t (column) - 1, ' '));
  }
  return text;
}

}  // namespace gst::cl

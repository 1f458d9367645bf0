/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/local.hpp"

#include "program/scanner.hpp"

namespace gst::cl {

namespace {

/* Calls `found` with the declaration that follows each word `local` outside of braces and brackets, up to one of `ends`. */
template <typename Found>
void
each_local (std::string_view text, const char *ends, Found found)
{
  each_word (text, [&] (std::string_view word, size_t end) {
    if (word != "local" && word != "__local")
      return end;
    const auto count = [before = text.substr (0, end)] (char letter) { return std::ranges::count (before, letter); };
    const size_t stop = std::min (text.find_first_of (ends, end), text.size ());
    if (count ('{') == count ('}') && count ('(') == count (')'))
      found (text.substr (end, stop - end));
    return stop;
  });
}

/* The last word of a declaration of at least two words: type and name. */
std::string
name_in (std::string_view declaration)
{
  std::string name;
  int words = 0;
  each_word (declaration, [&] (std::string_view word, size_t end) {
    name = word;
    words++;
    return end;
  });
  return words > 1 ? name : "";
}

/* The sum of the sizes, in C, of the arguments and variables of a kernel in local memory. Leaves out what the preprocessor may
 * declare otherwise. */
std::string
local_sum (const ProgramRequest &request, const PlannedKernel &kernel, std::string_view plain)
{
  const std::string_view body = plain.substr (kernel.text.body, kernel.text.end - kernel.text.body);
  const std::string directives = directives_in (std::string (plain));
  std::string sum;
  const auto add = [&] (const std::string &name, const std::string &size) {
    if (!name.empty () && !has_word (directives, {name}) && !has_word (request.defines, {name}))
      sum += (sum.empty () ? "" : " + ") + size;
  };
  if (body.find ('#') != body.npos)
    return "";
  each_local (
      plain.substr (kernel.text.brackets, kernel.text.body - kernel.text.brackets), ",)", [&] (std::string_view argument) {
        const std::string name = name_in (argument);
        const auto line = kernel.local.find (name);
        const size_t elements = line == kernel.local.end () ? kernel.group[0] * kernel.group[1] : line->second.elements;
        add (name, std::to_string (elements) + " * sizeof (*" + name + ")");
      });
  each_local (body, ";", [&] (std::string_view declaration) {
    if (declaration.find_first_of ("*(){}=") != declaration.npos)
      return;
    for (size_t begin = 0; begin < declaration.size ();) {
      const size_t end = std::min (declaration.find (',', begin), declaration.size ());
      const std::string_view each = declaration.substr (begin, end - begin);
      const std::string name = name_in ((begin ? "type " : "") + std::string (each.substr (0, each.find ('['))));
      add (name, "sizeof (" + name + ")");
      begin = end + 1;
    }
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

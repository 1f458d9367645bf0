/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/declarations.hpp"

#include "program/text.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

const char *const form = "A line is: // @param NAME TYPE DEFAULT [MIN, MAX] \"text\"; range and text may be left out.";

std::string
in_quotes (std::string_view text)
{
  return "\"" + std::string (text) + "\"";
}

/* One line, from its comment on. */
class LineParser {
public:
  LineParser (std::string_view line_, int number_) : line (line_), number (number_) {}

  /* Nothing if the line is another comment. Throws TextError. */
  std::optional<Declaration> parse ()
  {
    at = line.find ("//") + 2;
    if (at < line.size () && line[at] == '/') /* a documentation tool's */
      return std::nullopt;
    const std::string_view key = take_token ();
    if (!key.starts_with ("@param"))
      return std::nullopt;
    if (key != "@param")
      fail (in_quotes (key) + " is unknown.", "Write @param.");
    Declaration found{.argument = {.declared = true}, .line = number, .name_column = next_column ()};
    take_name (found.argument);
    found.type_column = next_column ();
    take_type (found.argument);
    take_default (found.argument);
    take_range (found.argument);
    take_blurb (found.argument);
    if (const std::string_view rest = take_token (); !rest.empty ())
      fail (in_quotes (rest) + " is one word too many.", form);
    return found;
  }

private:
  struct Number {
    double value;
    std::string text;
  };

  [[noreturn]] void fail (const std::string &message, const std::string &hint) const
  {
    throw TextError{number, int (begin) + 1, message, hint};
  }

  void skip_blanks ()
  {
    while (at < line.size () && g_ascii_isspace (line[at]))
      at++;
    begin = at;
  }

  int next_column ()
  {
    skip_blanks ();
    return int (at) + 1;
  }

  bool take (char letter)
  {
    skip_blanks ();
    const bool is_next = at < line.size () && line[at] == letter;
    at += is_next;
    return is_next;
  }

  /* Up to a blank or a letter that ends a number or a word. */
  std::string_view take_token ()
  {
    skip_blanks ();
    while (at < line.size () && !g_ascii_isspace (line[at]) && (at == begin || !strchr ("(),[]\"<>", line[at])))
      at++;
    return line.substr (begin, at - begin);
  }

  void take_name (ProgramArgument &argument)
  {
    argument.name = take_token ();
    if (argument.name.empty ())
      fail ("The name of the argument is missing.", form);
    if (is_param_type (argument.name) || argument.name == "bool")
      fail ("The type " + argument.name + " comes after the name.", "Write // @param NAME " + argument.name + " ...");
    if (!is_identifier (argument.name) || argument.name[0] == '_')
      fail (in_quotes (argument.name) + " is not a name.", "A name begins with a letter and has letters, digits and _.");
    if (!can_be_property (argument.name))
      fail (in_quotes (argument.name) + " is the name of a property of every GStreamer object.", "Choose another name.");
  }

  void take_type (ProgramArgument &argument)
  {
    const std::string type (take_token ());
    if (type.empty ())
      fail ("The type of " + argument.name + " is missing.", form);
    argument.is_switch = type == "bool";
    argument.type = argument.is_switch ? "int" : type;
    if (!is_param_type (argument.type))
      fail (in_quotes (type) + " is not a type of an argument.",
          "Write int, uint, float, bool, double, int2, int4, uint2, uint4, float2, float3 or float4.");
  }

  /* An integer or a real number, as the type asks for. */
  Number take_number (const ProgramArgument &argument, const std::string &example)
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
    if (is_integer_type (argument.type) && token.find_first_of (".eE") != std::string::npos)
      fail (argument.name + " is of type " + argument.type + ", but " + token + " is not a whole number.",
          "Write a whole number, or float instead of " + argument.type + ".");
    const auto [least, greatest] = limits_of (argument.type);
    if (value < least || value > greatest)
      fail (token + " is not in the range of " + argument.type + ".", example);
    return {value, token};
  }

  void take_default (ProgramArgument &argument)
  {
    const unsigned count = count_of (argument.type);
    if (argument.is_switch) {
      const std::string_view token = take_token ();
      if (token != "true" && token != "false")
        fail ("The default of " + argument.name + ", which is of type bool, is "
                  + (token.empty () ? "missing" : in_quotes (token)) + ".",
            "Write true or false.");
      argument.initial = token == "true" ? "1" : "0";
      argument.minimum = 0;
      argument.maximum = 1;
    } else if (count == 1) {
      add_number (argument, take_number (argument, "Write the default, a number, after the type."));
    } else if (skip_blanks (); at < line.size () && line[at] == '#') {
      take_colour (argument, count);
    } else {
      take_vector (argument, count);
    }
  }

  void take_colour (ProgramArgument &argument, unsigned count)
  {
    argument.initial = take_token ();
    const std::string_view digits = std::string_view (argument.initial).substr (1);
    const bool valid = digits.size () == 6 || digits.size () == 8;
    if (is_integer_type (argument.type) || count < 3)
      fail ("A colour cannot be of type " + argument.type + ".", "Write float3 or float4.");
    if (!valid || !std::ranges::all_of (digits, [] (char c) { return g_ascii_isxdigit (c); }))
      fail (in_quotes (argument.initial) + " is not a colour.", "Write #rrggbb or #rrggbbaa.");
    values = {0, 1};
  }

  void take_vector (ProgramArgument &argument, unsigned count)
  {
    const std::string example = "Write " + std::to_string (count) + " numbers in parentheses: "
                                + (count == 2    ? "(0, 1)"
                                    : count == 3 ? "(0, 0, 1), or a colour: #rrggbb"
                                                 : "(0, 0, 0, 1)")
                                + ".";
    if (!take ('('))
      fail ("The default of " + argument.name + " is not a vector of type " + argument.type + ".", example);
    for (unsigned i = 0; i < count; i++) {
      if (i > 0 && !take (','))
        fail (argument.type + " has " + std::to_string (count) + " numbers.", example);
      add_number (argument, take_number (argument, example));
    }
    if (!take (')'))
      fail (argument.type + " has " + std::to_string (count) + " numbers.", example);
  }

  void add_number (ProgramArgument &argument, const Number &value)
  {
    argument.initial += (argument.initial.empty () ? "" : ",") + value.text;
    values.push_back (value.value);
  }

  void take_range (ProgramArgument &argument)
  {
    if (!take ('['))
      return;
    if (argument.is_switch)
      fail ("A bool has no range.", "Leave out [MIN, MAX].");
    const std::string example = "Write the range as [0, 1].";
    argument.minimum = take_number (argument, example).value;
    if (!take (','))
      fail ("The range of " + argument.name + " has no greatest value.", example);
    argument.maximum = take_number (argument, example).value;
    if (argument.maximum < argument.minimum)
      fail ("The range of " + argument.name + " is upside down.", "Write the lesser value first.");
    if (!take (']'))
      fail ("The range of " + argument.name + " does not end.", example);
    for (const double value : values)
      if (value < argument.minimum || value > argument.maximum)
        fail ("The default of " + argument.name + " is outside of its range.", "Change the default, or the range before here.");
  }

  void take_blurb (ProgramArgument &argument)
  {
    if (!take ('"'))
      return;
    const size_t end = line.find ('"', at);
    if (end == line.npos)
      fail ("The text has no closing quote.", "Write \" at its end.");
    g_autofree gchar *valid = g_utf8_make_valid (line.data () + at, gssize (end - at));
    argument.blurb = valid;
    at = end + 1;
  }

  const std::string_view line;
  const int number;
  size_t at = 0, begin = 0;
  /* of the default */
  std::vector<double> values;
};

/* Calls `found` with each line that is a // comment alone, and its number. */
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
        found (std::string_view (text).substr (start, end - start), number);
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

const Declaration *
find_declaration (const Declarations &declared, const std::string &name)
{
  const auto found = std::ranges::find (declared.lines, name, [] (const Declaration &each) { return each.argument.name; });
  return found == declared.lines.end () ? nullptr : &*found;
}

}  // namespace

Declarations
declarations_in (const std::string &text)
{
  Declarations result;
  each_comment_line (text, [&] (std::string_view line, int number) {
    try {
      std::optional<Declaration> found = LineParser (line, number).parse ();
      if (!found)
        return;
      if (const Declaration *first = find_declaration (result, found->argument.name))
        throw TextError{number, found->name_column, "There are two @param lines for " + found->argument.name + ".",
            "The first is line " + std::to_string (first->line) + ": remove one of them."};
      result.lines.push_back (std::move (*found));
    } catch (const TextError &error) {
      if (!result.error)
        result.error = error;
    }
  });
  return result;
}

std::vector<ProgramArgument>
arguments_in (const std::string &text, const std::string &kernel)
{
  const Declarations declared = declarations_in (text);
  const std::vector<KernelText> kernels = kernels_in (without_comments (text));
  const auto chosen = kernel.empty () ? kernels.begin () : std::ranges::find (kernels, kernel, &KernelText::name);
  std::vector<ProgramArgument> arguments;
  if (chosen != kernels.end ())
    for (const auto &[type, name] : chosen->arguments) {
      const Declaration *line = find_declaration (declared, name);
      if (line || is_param_type (type))
        arguments.push_back (line ? line->argument : ProgramArgument{.name = name, .type = type});
    }
  /* lines for another kernel of the text are not for this one */
  const bool is_only_kernel = kernels.size () < 2 || chosen == kernels.end ();
  for (const Declaration &line : declared.lines)
    if (is_only_kernel && std::ranges::find (arguments, line.argument.name, &ProgramArgument::name) == arguments.end ())
      arguments.push_back (line.argument);
  return arguments;
}

void
apply_declarations (std::vector<ProgramArgument> &arguments, const std::string &text)
{
  const Declarations declared = declarations_in (text);
  if (declared.error)
    throw *declared.error;
  const std::string plain = without_comments (text);
  const bool is_only_kernel = kernels_in (plain).size () < 2;
  for (const Declaration &line : declared.lines) {
    const auto argument = std::ranges::find (arguments, line.argument.name, &ProgramArgument::name);
    if (argument == arguments.end ()) {
      if (is_only_kernel || !has_word (plain, {line.argument.name}))
        throw TextError{line.line, line.name_column, "The kernel has no argument " + line.argument.name + ".",
            "Add \", " + line.argument.type + " " + line.argument.name
                + "\" to the kernel's arguments, or remove the @param line."};
      continue;
    }
    const std::string type = argument->type;
    if (line.argument.is_switch ? type != "int" && type != "uint" : type != line.argument.type)
      throw TextError{line.line, line.type_column,
          "The @param line says " + std::string (line.argument.is_switch ? "bool" : line.argument.type)
              + ", but the kernel's argument " + line.argument.name + " is of type " + type + ".",
          line.argument.is_switch ? "A bool needs an argument of type int." : "Write " + type + " in the line."};
    *argument = line.argument;
    argument->type = type;
  }
}

}  // namespace gst::cl

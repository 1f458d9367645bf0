/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/declarations.hpp"

#include "program/plan.hpp"
#include "program/text.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

const char *const form = "A line is: // @param NAME TYPE DEFAULT [MIN, MAX] \"text\"; range and text may be left out.";

/* One line, from the start of its comment. */
class LineParser : private LineReader {
public:
  LineParser (std::string_view line_, int number_) : LineReader (line_, number_), number (number_) {}

  /* Returns nothing if the line is another comment. Throws TextError. */
  std::optional<Declaration> parse ()
  {
    if (is_documentation ())
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
    take_text (found.argument.blurb);
    take_end (form);
    return found;
  }

private:
  void take_name (ProgramArgument &argument)
  {
    argument.name = take_token ();
    if (argument.name.empty ())
      fail ("The name of the argument is missing.", form);
    if (param_type (argument.name) || argument.name == "bool")
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
    if (!param_type (argument.type))
      fail (in_quotes (type) + " is not a type of an argument.",
          "Write int, uint, float, bool, double, int2, int4, uint2, uint4, float2, float3 or float4.");
  }

  /* Takes an integer or a real number, as the type requires. */
  Number take_number (const ProgramArgument &argument, const std::string &example)
  {
    const Number number = LineReader::take_number (example);
    const ParamType &type = *param_type (argument.type);
    if (type.is_integer () && !number.is_whole ())
      fail (argument.name + " is of type " + argument.type + ", but " + number.text + " is not a whole number.",
          "Write a whole number, or float instead of " + argument.type + ".");
    if (number.value < type.least || number.value > type.greatest)
      fail (number.text + " is not in the range of " + argument.type + ".", example);
    return number;
  }

  void take_default (ProgramArgument &argument)
  {
    const unsigned count = param_type (argument.type)->count;
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
    } else if (is_next ('#')) {
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
    if (param_type (argument.type)->is_integer () || count < 3)
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

  const int number;
  /* default values */
  std::vector<double> values;
};

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
  each_comment_line (text, [&] (std::string_view line, int number, size_t) {
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
  const ProgramPlan plan = plan_of (text);
  const std::vector<PlannedKernel> running = plan.running (kernel);
  std::vector<ProgramArgument> arguments;
  const auto is_known = [&] (const std::string &name) {
    return std::ranges::find (arguments, name, &ProgramArgument::name) != arguments.end ();
  };
  for (const PlannedKernel &each : running)
    for (const auto &[type, name] : each.text.arguments) {
      const Declaration *line = find_declaration (declared, name);
      if ((line || param_type (type)) && !is_known (name))
        arguments.push_back (line ? line->argument : ProgramArgument{.name = name, .type = type});
    }
  /* skips lines about kernels that do not run */
  const bool all_run = running.size () == plan.kernels.size () || running.empty ();
  for (const Declaration &line : declared.lines)
    if (all_run && !is_known (line.argument.name))
      arguments.push_back (line.argument);
  return arguments;
}

void
apply_declarations (std::vector<ProgramArgument> &arguments, const std::string &text, bool all)
{
  const Declarations declared = declarations_in (text);
  if (declared.error)
    throw *declared.error;
  const std::string plain = without_comments (text);
  for (const Declaration &line : declared.lines) {
    const auto argument = std::ranges::find (arguments, line.argument.name, &ProgramArgument::name);
    if (argument == arguments.end ()) {
      if (all || !has_word (plain, {line.argument.name}))
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

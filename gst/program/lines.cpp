/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the comments that declare something. */
#include "program/plan.hpp"

#include <algorithm>
#include <cstring>

namespace gst::cl {

namespace {

constexpr size_t most_scratch = 16, most_passes = 64, most_group = 65536, most_local = 1 << 24, most_values = 65536;

/* Formats of pictures that kernels see scaled to 0 .. 1, and the types of their pixels. */
constexpr std::pair<std::string_view, const char *> scaled_types[] = {
    {"GRAY8", "uchar"}, {"RGBA", "uchar4"}, {"GRAY16_LE", "ushort"}, {"RGBA64_LE", "ushort4"}};

/* Whether pictures can have pixels of a type: alone, or with 2 or 4. */
bool
is_stored_type (std::string_view type)
{
  if (type.ends_with ('2') || type.ends_with ('4'))
    type.remove_suffix (1);
  return is_any_of (type, {"uchar", "ushort", "int", "uint", "float"});
}

std::string
in_quotes (std::string_view text)
{
  return "\"" + std::string (text) + "\"";
}

/* One line, from the start of its comment. */
class PlanLine {
public:
  /* The line begins at `start` of the text, and has a // comment. */
  PlanLine (ProgramPlan &plan_, std::string_view line_, int number_, size_t start_)
      : plan (plan_), line (line_), number (number_), start (start_), at (line.find ("//") + 2)
  {
  }

  /* Takes the line's declaration, or its first mistake. */
  void parse ()
  {
    if (at < line.size () && line[at] == '/') /* a comment for a documentation tool */
      return;
    key = take_token ();
    try {
      parse_known ();
    } catch (const TextError &mistake) {
      std::optional<TextError> &first = key.starts_with ("@param") ? plan.param_error : plan.error;
      if (!first)
        first = mistake;
    }
  }

private:
  void parse_known ()
  {
    for (const Kind &kind : kinds)
      if (key == kind.key) {
        form = kind.form;
        (this->*kind.parse) ();
        if (const std::string_view rest = take_token (); !rest.empty ())
          fail (in_quotes (rest) + " is unexpected.");
        return;
      }
    for (const Kind &kind : kinds)
      if (key.starts_with (kind.key) || edit_distance (key, kind.key) <= 1
          || (key.size () > 3 && kind.key != "@param" && kind.key.starts_with (key)))
        fail (in_quotes (key) + " is unknown.", "Write " + std::string (kind.key) + ".");
  }

  struct Kind {
    std::string_view key;
    const char *form;
    void (PlanLine::*parse) ();
  };
  static const Kind kinds[6];

  struct Number {
    double value;
    std::string text;

    bool is_whole () const { return text.find_first_of (".eE") == std::string::npos; }
  };

  /* A mistake in the last token; the hint is the form of the line if there is no other. */
  [[noreturn]] void fail (const std::string &message, const std::string &hint = "") const
  {
    throw TextError{number, int (begin) + 1, message, hint.empty () ? form : hint};
  }

  void skip_blanks ()
  {
    while (at < line.size () && g_ascii_isspace (line[at]))
      at++;
    begin = at;
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

  bool is_next (char letter) { return has_more () && line[at] == letter; }

  /* Takes a letter if it comes next. */
  bool take (char letter)
  {
    const bool is_there = is_next (letter);
    at += is_there;
    return is_there;
  }

  /* Takes everything up to a blank or a character that ends a number or a word; "" at the end. */
  std::string_view take_token ()
  {
    skip_blanks ();
    while (at < line.size () && !g_ascii_isspace (line[at]) && (at == begin || !strchr ("(),[]\"<>", line[at])))
      at++;
    return line.substr (begin, at - begin);
  }

  std::string take_name (const char *what = "The name")
  {
    const std::string name (take_token ());
    if (name.empty ())
      fail (std::string (what) + " is missing.");
    if (!is_identifier (name) || name[0] == '_')
      fail (in_quotes (name) + " is not a name.", "A name begins with a letter and has letters, digits and _.");
    return name;
  }

  /* example: shown to the user if something else follows. */
  Number take_number (const std::string &example)
  {
    std::string token (take_token ());
    if (token.ends_with ('f') || token.ends_with ('F'))
      token.pop_back ();
    gchar *end = nullptr;
    const double value = g_ascii_strtod (token.c_str (), &end);
    if (token.empty () || token.find_first_not_of ("0123456789+-.eE") != std::string::npos || *end)
      fail (
          token.empty () ? "A number is missing." : in_quotes (line.substr (begin, at - begin)) + " is not a number.", example);
    return {value, token};
  }

  /* Takes an integer or a real number, as the type requires. */
  Number take_number (const ProgramArgument &argument, const std::string &example)
  {
    const Number taken = take_number (example);
    const ParamType &type = *param_type (argument.type);
    if (type.is_integer () && !taken.is_whole ())
      fail (argument.name + " is of type " + argument.type + ", but " + taken.text + " is not a whole number.",
          "Write a whole number, or float instead of " + argument.type + ".");
    if (taken.value < type.least || taken.value > type.greatest)
      fail (taken.text + " is not in the range of " + argument.type + ".", example);
    return taken;
  }

  size_t take_count (size_t most)
  {
    const Number count = take_number (form);
    if (!count.is_whole () || count.value < 1)
      fail (in_quotes (count.text) + " is not a whole number from 1 on.");
    if (count.value > double (most))
      fail (count.text + " is more than " + std::to_string (most) + ".");
    return size_t (count.value);
  }

  void parse_param ()
  {
    Declaration found{.argument = {.declared = true}, .line = number, .name_column = next_column ()};
    ProgramArgument &argument = found.argument;
    argument.name = take_name ("The name of the argument");
    if (param_type (argument.name) || argument.name == "bool")
      fail ("The type " + argument.name + " comes after the name.", "Write // @param NAME " + argument.name + " ...");
    if (!can_be_property (argument.name))
      fail (in_quotes (argument.name) + " is the name of a property of every GStreamer object.", "Choose another name.");
    found.type_column = next_column ();
    const std::string type (take_token ());
    if (type.empty ())
      fail ("The type of " + argument.name + " is missing.");
    argument.is_switch = type == "bool";
    argument.type = argument.is_switch ? "int" : type;
    if (!param_type (argument.type))
      fail (in_quotes (type) + " is not a type of an argument.",
          "Write int, uint, float, bool, double, int2, int4, uint2, uint4, float2, float3 or float4.");
    const std::vector<double> values = take_default (argument);
    take_range (argument, values);
    if (take ('"')) {
      const size_t end = line.find ('"', at);
      if (end == line.npos)
        fail ("The text has no closing quote.", "Write \" at its end.");
      g_autofree gchar *valid = g_utf8_make_valid (line.data () + at, gssize (end - at));
      argument.blurb = valid;
      at = end + 1;
    }
    if (const Declaration *first = plan.find_declaration (argument.name))
      throw TextError{number, found.name_column, "There are two @param lines for " + argument.name + ".",
          "The first is line " + std::to_string (first->line) + ": remove one of them."};
    plan.declared.push_back (std::move (found));
  }

  /* Returns the values. */
  std::vector<double> take_default (ProgramArgument &argument)
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
      return {};
    }
    if (count > 1 && is_next ('#'))
      return take_colour (argument, count);
    std::vector<double> values;
    const auto add = [&] (const std::string &example) {
      const Number value = take_number (argument, example);
      argument.initial += (argument.initial.empty () ? "" : ",") + value.text;
      values.push_back (value.value);
    };
    if (count == 1) {
      add ("Write the default, a number, after the type.");
      return values;
    }
    const std::string numbers = std::to_string (count) + " numbers",
                      example = "Write " + numbers + " in parentheses: "
                                + (count == 2    ? "(0, 1)."
                                    : count == 3 ? "(0, 0, 1), or a colour: #rrggbb."
                                                 : "(0, 0, 0, 1).");
    if (!take ('('))
      fail ("The default of " + argument.name + " is not a vector of type " + argument.type + ".", example);
    for (unsigned i = 0; i < count; i++) {
      if (i > 0 && !take (','))
        fail (argument.type + " has " + numbers + ".", example);
      add (example);
    }
    if (!take (')'))
      fail (argument.type + " has " + numbers + ".", example);
    return values;
  }

  std::vector<double> take_colour (ProgramArgument &argument, unsigned count)
  {
    argument.initial = take_token ();
    if (param_type (argument.type)->is_integer () || count < 3)
      fail ("A colour cannot be of type " + argument.type + ".", "Write float3 or float4.");
    if (!is_colour (argument.initial))
      fail (in_quotes (argument.initial) + " is not a colour.", "Write #rrggbb or #rrggbbaa.");
    return {0, 1};
  }

  void take_range (ProgramArgument &argument, const std::vector<double> &values)
  {
    if (!take ('['))
      return;
    if (argument.is_switch)
      fail ("A bool has no range.", "Leave out [MIN, MAX].");
    const std::string example = "Write the range as [0, 1].";
    argument.minimum = take_number (argument, example).value;
    if (!take (','))
      fail ("The range of " + argument.name + " has no maximum.", example);
    argument.maximum = take_number (argument, example).value;
    if (argument.maximum < argument.minimum)
      fail ("The range of " + argument.name + " has a minimum above its maximum.", "Write the minimum first.");
    if (!take (']'))
      fail ("The range of " + argument.name + " does not end.", example);
    for (const double value : values)
      if (value < argument.minimum || value > argument.maximum)
        fail ("The default of " + argument.name + " is outside of its range.", "Change the default, or the range before here.");
  }

  /* The next kernel in the text. */
  PlannedKernel &next_kernel ()
  {
    const auto next = std::ranges::find_if (plan.kernels, [&] (const PlannedKernel &each) { return each.text.at > start; });
    if (next == plan.kernels.end ())
      fail ("There is no kernel after " + std::string (key) + ".", "Write the line before \"kernel void NAME (...)\".");
    return *next;
  }

  [[noreturn]] void fail_twice (
      const std::string &line, const PlannedKernel &of, const std::string &hint = "Remove one of them.") const
  {
    fail ("There are two lines " + line + " for the kernel " + of.text.name + ".", hint);
  }

  void parse_group ()
  {
    PlannedKernel &of = next_kernel ();
    if (of.group_line)
      fail_twice ("@group", of, "The first is line " + std::to_string (of.group_line) + ": remove one of them.");
    of.group = {take_count (most_group), take_count (most_group)};
    of.group_line = number;
  }

  void parse_pass ()
  {
    PlannedKernel &of = next_kernel ();
    if (of.pass)
      fail_twice ("@pass", of);
    const int pass = int (take_count (most_passes));
    const auto other = std::ranges::find (plan.kernels, pass, &PlannedKernel::pass);
    if (other != plan.kernels.end ())
      fail ("The kernels " + other->text.name + " and " + of.text.name + " are both pass " + std::to_string (pass) + ".",
          "Number the kernels in the order in which they run.");
    of.pass = pass;
  }

  void parse_local ()
  {
    PlannedKernel &of = next_kernel ();
    const std::string name = take_name ();
    LocalSize size{take_count (most_local), number};
    if (has_more ())
      size.elements *= take_count (most_local);
    if (!of.local.emplace (name, size).second)
      fail_twice ("@local " + name, of);
  }

  /* The name of a new picture or table. */
  std::string take_new_name ()
  {
    const std::string name = take_name ();
    if (std::ranges::find (plan.scratch, name, &ScratchPicture::name) != plan.scratch.end ()
        || std::ranges::find (plan.tables, name, &ConstantTable::name) != plan.tables.end ())
      fail ("There are two pictures or tables " + name + ".", "Choose another name, or remove one of the lines.");
    return name;
  }

  void parse_scratch ()
  {
    ScratchPicture picture{.name = take_new_name ()};
    const std::string type (take_token ());
    const auto known = std::ranges::find (scaled_types, type, &std::pair<std::string_view, const char *>::first);
    picture.scaled = known != std::end (scaled_types);
    picture.stored = picture.scaled ? known->second : type;
    picture.value = !picture.scaled ? type : picture.stored.ends_with ('4') ? "float4" : "float";
    picture.bytes = bytes_of_type (picture.stored);
    if (!is_stored_type (picture.stored))
      fail (type.empty () ? "The format of " + picture.name + " is missing."
                          : in_quotes (type) + " is not a format of a picture.",
          "Write float, float2, float4, GRAY8, GRAY16_LE, RGBA, RGBA64_LE, or uchar, ushort, int or uint, alone or with 2 or "
          "4.");
    if (has_more ()) {
      const Number scale = take_number (form);
      if (!(scale.value >= 0.001 && scale.value <= 16))
        fail (scale.text + " is not between 0.001 and 16.", "Write 0.5 for half the frame's width and height.");
      picture.scale = scale.value;
    }
    if (plan.scratch.size () == most_scratch)
      fail ("There are more than " + std::to_string (most_scratch) + " pictures.", "Use a picture again in a later pass.");
    plan.scratch.push_back (picture);
  }

  void parse_table ()
  {
    ConstantTable table{.name = take_new_name (), .type = std::string (take_token ())};
    const bool is_real = table.type == "float", is_uint = table.type == "uint";
    if (!is_real && !is_uint && table.type != "int")
      fail (table.type.empty () ? "The type of " + table.name + " is missing."
                                : in_quotes (table.type) + " is not a type of a table.",
          "Write float, int or uint.");
    const ParamType &type = *param_type (table.type);
    const size_t count = take_count (most_values);
    for (size_t i = 0; i < count; i++) {
      if (!has_more ())
        fail ("The table " + table.name + " has " + std::to_string (i) + " values, but its line announces "
                  + std::to_string (count) + ".",
            "Write all values in the line.");
      const Number value = take_number (form);
      if (!is_real && (!value.is_whole () || value.value < type.least || value.value > type.greatest))
        fail (
            value.text + " is not of type " + table.type + ".", "Write whole numbers, or float instead of " + table.type + ".");
      gchar text[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd (text, sizeof text, is_real ? "%.9e" : "%.0f", value.value);
      table.values.push_back (std::string (text) + (is_real ? "f" : is_uint ? "u" : ""));
    }
    if (has_more ())
      fail ("The table " + table.name + " has more values than the " + std::to_string (count) + " that its line announces.",
          "Write the number of values after the type.");
    plan.tables.push_back (std::move (table));
  }

  ProgramPlan &plan;
  const std::string_view line;
  const int number;
  const size_t start;
  /* where the next token is looked for, and where the last one began */
  size_t at, begin = 0;
  std::string_view key;
  const char *form = "";
};

const PlanLine::Kind PlanLine::kinds[6] = {
    {"@param", "A line is: // @param NAME TYPE DEFAULT [MIN, MAX] \"text\"; range and text may be left out.",
        &PlanLine::parse_param},
    {"@group", "A line is: // @group WIDTH HEIGHT, before its kernel.", &PlanLine::parse_group},
    {"@pass", "A line is: // @pass NUMBER, before its kernel.", &PlanLine::parse_pass},
    {"@local", "A line is: // @local NAME COUNT or // @local NAME WIDTH HEIGHT, before its kernel.", &PlanLine::parse_local},
    {"@scratch", "A line is: // @scratch NAME FORMAT [SCALE].", &PlanLine::parse_scratch},
    {"@table", "A line is: // @table NAME TYPE COUNT VALUE VALUE ...; types are float, int and uint.", &PlanLine::parse_table},
};

}  // namespace

/* Reads the lines that hold only a // comment. */
void
ProgramPlan::read_lines (const std::string &text)
{
  int number = 1;
  for (size_t at = 0, start = 0; at < text.size ();) {
    size_t end = at + 1;
    if (text.compare (at, 2, "//") == 0) {
      end = std::min (text.find ('\n', at), text.size ());
      if (text.find_first_not_of (" \t", start) == at)
        PlanLine (*this, std::string_view (text).substr (start, end - start), number, start).parse ();
    } else if (text.compare (at, 2, "/*") == 0) {
      end = std::min (text.find ("*/", at + 2), text.size () - 2) + 2;
    }
    for (; at < end; at++)
      if (text[at] == '\n') {
        number++;
        start = at + 1;
      }
  }
}

}  // namespace gst::cl

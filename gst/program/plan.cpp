/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/plan.hpp"

#include <cmath>
#include <set>

namespace gst::cl {

namespace {

constexpr size_t most_scratch = 16, most_passes = 64;

struct PixelType {
  const char *name, *stored, *value;
  size_t bytes;
  bool scaled;
};

const PixelType pixel_types[] = {{"GRAY8", "uchar", "float", 1, true}, {"RGBA", "uchar4", "float4", 4, true},
    {"GRAY16_LE", "ushort", "float", 2, true}, {"RGBA64_LE", "ushort4", "float4", 8, true},
    {"uchar", "uchar", "uchar", 1, false}, {"uchar2", "uchar2", "uchar2", 2, false}, {"uchar4", "uchar4", "uchar4", 4, false},
    {"ushort", "ushort", "ushort", 2, false}, {"ushort2", "ushort2", "ushort2", 4, false},
    {"ushort4", "ushort4", "ushort4", 8, false}, {"int", "int", "int", 4, false}, {"int2", "int2", "int2", 8, false},
    {"int4", "int4", "int4", 16, false}, {"uint", "uint", "uint", 4, false}, {"uint2", "uint2", "uint2", 8, false},
    {"uint4", "uint4", "uint4", 16, false}, {"float", "float", "float", 4, false}, {"float2", "float2", "float2", 8, false},
    {"float4", "float4", "float4", 16, false}};

const char *const group_form = "A line is: // @group WIDTH HEIGHT, before its kernel.";
const char *const pass_form = "A line is: // @pass NUMBER, before its kernel.";
const char *const local_form = "A line is: // @local NAME COUNT or // @local NAME WIDTH HEIGHT, before its kernel.";
const char *const scratch_form = "A line is: // @scratch NAME FORMAT [SCALE].";
const char *const table_form = "A line is: // @table NAME TYPE COUNT VALUE VALUE ...; types are float, int and uint.";

/* One line. Throws TextError. */
class LineOfPlan : private LineReader {
public:
  LineOfPlan (ProgramPlan &plan_, std::string_view line, int number_, size_t start_)
      : LineReader (line, number_), plan (plan_), number (number_), start (start_)
  {
  }

  void parse ()
  {
    if (is_documentation ())
      return;
    const std::string key (take_token ());
    if (key == "@group")
      parse_group ();
    else if (key == "@pass")
      parse_pass ();
    else if (key == "@local")
      parse_local ();
    else if (key == "@scratch")
      parse_scratch ();
    else if (key == "@table")
      parse_table ();
    else
      for (const char *known : {"@group", "@pass", "@local", "@scratch", "@table"})
        if (key.starts_with (known) || (key.size () > 3 && std::string_view (known).starts_with (key)))
          fail (in_quotes (key) + " is unknown.", std::string ("Write ") + known + ".");
  }

private:
  /* The next kernel in the text. */
  PlannedKernel &kernel (const char *key)
  {
    const auto next = std::ranges::find_if (plan.kernels, [&] (const PlannedKernel &each) { return each.text.at > start; });
    if (next == plan.kernels.end ())
      fail (std::string ("There is no kernel after ") + key + ".", "Write the line before \"kernel void NAME (...)\".");
    return *next;
  }

  size_t take_count (const char *form, size_t most)
  {
    const Number count = take_number (form);
    if (!count.is_whole () || count.value < 1)
      fail (in_quotes (count.text) + " is not a whole number from 1 on.", form);
    if (count.value > double (most))
      fail (count.text + " is more than " + std::to_string (most) + ".", form);
    return size_t (count.value);
  }

  std::string take_name (const char *form)
  {
    const std::string name (take_token ());
    if (name.empty ())
      fail ("The name is missing.", form);
    if (!is_identifier (name) || name[0] == '_')
      fail (in_quotes (name) + " is not a name.", "A name begins with a letter and has letters, digits and _.");
    return name;
  }

  std::string take_new_name (const char *form)
  {
    const std::string name = take_name (form);
    if (std::ranges::find (plan.scratch, name, &ScratchPicture::name) != plan.scratch.end ()
        || std::ranges::find (plan.tables, name, &ConstantTable::name) != plan.tables.end ())
      fail ("There are two pictures or tables " + name + ".", "Choose another name, or remove one of the lines.");
    return name;
  }

  void parse_group ()
  {
    constexpr size_t most = 65536;
    PlannedKernel &of = kernel ("@group");
    if (of.group_line)
      fail ("There are two lines @group for the kernel " + of.text.name + ".",
          "The first is line " + std::to_string (of.group_line) + ": remove one of them.");
    of.group = {take_count (group_form, most), take_count (group_form, most)};
    of.group_line = number;
    take_end (group_form);
  }

  void parse_pass ()
  {
    PlannedKernel &of = kernel ("@pass");
    if (of.pass)
      fail ("There are two lines @pass for the kernel " + of.text.name + ".", "Remove one of them.");
    const int pass = int (take_count (pass_form, most_passes));
    const auto other = std::ranges::find (plan.kernels, pass, &PlannedKernel::pass);
    if (other != plan.kernels.end ())
      fail ("The kernels " + other->text.name + " and " + of.text.name + " are both pass " + std::to_string (pass) + ".",
          "Number the kernels in the order in which they run.");
    take_end (pass_form);
    of.pass = pass;
  }

  void parse_local ()
  {
    constexpr size_t most = 1 << 24;
    PlannedKernel &of = kernel ("@local");
    const std::string name = take_name (local_form);
    LocalSize size{take_count (local_form, most), number};
    if (has_more ())
      size.elements *= take_count (local_form, most);
    take_end (local_form);
    if (!of.local.emplace (name, size).second)
      fail ("There are two lines @local " + name + " for the kernel " + of.text.name + ".", "Remove one of them.");
  }

  void parse_scratch ()
  {
    ScratchPicture picture{.name = take_new_name (scratch_form)};
    const std::string type (take_token ());
    const auto known = std::ranges::find (pixel_types, type, &PixelType::name);
    if (known == std::end (pixel_types))
      fail (type.empty () ? "The format of " + picture.name + " is missing."
                          : in_quotes (type) + " is not a format of a picture.",
          "Write float, float2, float4, GRAY8, GRAY16_LE, RGBA, RGBA64_LE, or uchar, ushort, int or uint, alone or with 2 or "
          "4.");
    picture.stored = known->stored;
    picture.value = known->value;
    picture.bytes = known->bytes;
    picture.scaled = known->scaled;
    if (has_more ()) {
      const Number scale = take_number (scratch_form);
      if (!(scale.value >= 0.001 && scale.value <= 16))
        fail (scale.text + " is not between 0.001 and 16.", "Write 0.5 for half the frame's width and height.");
      picture.scale = scale.value;
    }
    take_end (scratch_form);
    if (plan.scratch.size () == most_scratch)
      fail ("There are more than " + std::to_string (most_scratch) + " pictures.", "Use a picture again in a later pass.");
    plan.scratch.push_back (picture);
  }

  void parse_table ()
  {
    constexpr size_t most = 65536;
    ConstantTable table{.name = take_new_name (table_form), .type = std::string (take_token ())};
    const bool is_real = table.type == "float";
    if (!is_real && table.type != "int" && table.type != "uint")
      fail (table.type.empty () ? "The type of " + table.name + " is missing."
                                : in_quotes (table.type) + " is not a type of a table.",
          "Write float, int or uint.");
    const size_t count = take_count (table_form, most);
    for (size_t i = 0; i < count; i++) {
      if (!has_more ())
        fail ("The table " + table.name + " has " + std::to_string (i) + " values, and its line says " + std::to_string (count)
                  + ".",
            "Write all values in the line.");
      const Number value = take_number (table_form);
      const double least = table.type == "uint" ? 0 : -2147483648.0,
                   greatest = table.type == "uint" ? 4294967295.0 : 2147483647.0;
      if (!is_real && (!value.is_whole () || value.value < least || value.value > greatest))
        fail (value.text + " is no " + table.type + ".", "Write whole numbers, or float instead of " + table.type + ".");
      gchar text[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd (text, sizeof text, is_real ? "%.9e" : "%.0f", value.value);
      table.values.push_back (std::string (text) + (is_real ? "f" : table.type == "uint" ? "u" : ""));
    }
    if (has_more ())
      fail ("The table " + table.name + " has more values than the " + std::to_string (count) + " that its line says.",
          "Write the number of values after the type.");
    plan.tables.push_back (std::move (table));
  }

  ProgramPlan &plan;
  const int number;
  const size_t start;
};

/* Finds the pictures that a body writes, and whether it writes nothing of the frame. */
void
find_written (PlannedKernel &kernel, const ProgramPlan &plan, std::string_view text)
{
  const Tokens tokens = tokens_of (text.substr (kernel.text.body, kernel.text.end - kernel.text.body));
  for (size_t i = 0; i < tokens.size (); i++)
    if (is_any_of (tokens[i], {"OUT_SCRATCH", "OUT_SCRATCH_AT"}) && token (tokens, i + 1) == "(") {
      const auto picture = std::ranges::find (plan.scratch, token (tokens, i + 2), &ScratchPicture::name);
      if (picture != plan.scratch.end ())
        kernel.written.push_back (size_t (picture - plan.scratch.begin ()));
    }
  const bool writes_frame = std::ranges::any_of (tokens, writes_result);
  kernel.writes_scratch_only = !writes_frame && !kernel.written.empty ();
}

/* Throws if a kernel writes pictures of several sizes, because its range would have no size. */
void
check_sizes (const PlannedKernel &kernel, const ProgramPlan &plan, std::string_view text)
{
  for (const size_t i : kernel.written) {
    const ScratchPicture &picture = plan.scratch[i], &first = plan.scratch[kernel.written[0]];
    const double scale = kernel.writes_scratch_only ? first.scale : 1;
    if (picture.scale == scale)
      continue;
    const auto [line, column] = place_in (text, kernel.text.at);
    throw TextError{line, column,
        "The kernel " + kernel.text.name + " writes " + picture.name + " and "
            + (kernel.writes_scratch_only ? first.name : "the frame") + ", which are not of the same size.",
        "Write them in different passes."};
  }
}

}  // namespace

int
ScratchPicture::extent (int whole) const
{
  return std::max (1, int (std::ceil (whole * scale - 1e-6)));
}

bool
ProgramPlan::has_groups () const
{
  return !scratch.empty ()
         || std::ranges::any_of (kernels, [] (const PlannedKernel &each) { return each.pass || each.group_line; });
}

std::vector<PlannedKernel>
ProgramPlan::running (const std::string &kernel) const
{
  std::vector<PlannedKernel> passes;
  std::ranges::copy_if (kernels, std::back_inserter (passes), [] (const PlannedKernel &each) { return each.pass > 0; });
  std::ranges::sort (passes, {}, &PlannedKernel::pass);
  const auto is_asked_for = [&] (const PlannedKernel &each) { return each.text.name == kernel; };
  if (!passes.empty () && (kernel.empty () || std::ranges::any_of (passes, is_asked_for)))
    return passes;
  const auto chosen = kernel.empty () ? kernels.begin () : std::ranges::find_if (kernels, is_asked_for);
  return chosen == kernels.end () ? std::vector<PlannedKernel> () : std::vector{*chosen};
}

std::string
ProgramPlan::prelude () const
{
  std::string text, parameters, passed;
  for (const ConstantTable &table : tables) {
    text += "constant " + table.type + " " + table.name + "[] = {";
    for (const std::string &value : table.values)
      text += value + ",";
    text += "};\n";
  }
  for (const ScratchPicture &picture : scratch) {
    text += "GSTCL_SCRATCH_" + std::string (picture.scaled ? "SCALED" : "PLAIN")
            + (picture.value.starts_with ("float") ? "_BETWEEN" : "") + " (" + picture.name + ", " + picture.stored + ", "
            + picture.value + (picture.scaled ? picture.stored.starts_with ("uchar") ? ", 255" : ", 65535" : "") + ")\n";
    parameters += ", global " + picture.stored + " *gstcl_" + picture.name + ", const int2 gstcl_" + picture.name + "_size";
    passed += ", gstcl_" + picture.name + ", gstcl_" + picture.name + "_size";
  }
  if (!scratch.empty ())
    text += "#undef GSTCL_SCRATCH_PARAMS\n#define GSTCL_SCRATCH_PARAMS " + parameters
            + "\n#undef GSTCL_SCRATCH_PASS\n#define GSTCL_SCRATCH_PASS " + passed + "\n";
  return text;
}

ProgramPlan
plan_of (const std::string &text)
{
  const std::string plain = without_comments (text);
  ProgramPlan plan;
  for (const KernelText &kernel : kernels_in (plain))
    plan.kernels.push_back ({.text = kernel});
  try {
    each_comment_line (
        text, [&] (std::string_view line, int number, size_t start) { LineOfPlan (plan, line, number, start).parse (); });
    for (PlannedKernel &kernel : plan.kernels)
      find_written (kernel, plan, plain);
    for (const PlannedKernel &kernel : plan.kernels)
      check_sizes (kernel, plan, plain);
  } catch (const TextError &error) {
    plan.error = error;
  }
  return plan;
}

}  // namespace gst::cl

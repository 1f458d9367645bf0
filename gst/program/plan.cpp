/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/plan.hpp"

#include <cmath>

namespace gst::cl {

namespace {

/* Finds the pictures that a body writes. Throws if they are of several sizes, because the kernel's range would have no size. */
void
find_written (PlannedKernel &kernel, const ProgramPlan &plan)
{
  const std::string_view body = std::string_view (plan.plain).substr (kernel.text.body, kernel.text.end - kernel.text.body);
  const Tokens tokens = tokens_of (body);
  for (size_t i = 0; i < tokens.size (); i++)
    if (is_any_of (tokens[i], {"OUT_SCRATCH", "OUT_SCRATCH_AT"}) && token (tokens, i + 1) == "(") {
      const auto picture = std::ranges::find (plan.scratch, token (tokens, i + 2), &ScratchPicture::name);
      if (picture != plan.scratch.end ())
        kernel.written.push_back (size_t (picture - plan.scratch.begin ()));
    }
  kernel.writes_scratch_only = !kernel.written.empty () && std::ranges::none_of (tokens, writes_result);
  for (const size_t i : kernel.written) {
    const ScratchPicture &picture = plan.scratch[i], &first = plan.scratch[kernel.written[0]];
    if (picture.scale == (kernel.writes_scratch_only ? first.scale : 1))
      continue;
    const auto [line, column] = place_in (plan.plain, kernel.text.at);
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

ProgramPlan::ProgramPlan (const std::string &text) : plain (without_comments (text))
{
  for (const KernelText &kernel : kernels_in (plain))
    kernels.push_back ({.text = kernel});
  read_lines (text);
  if (error)
    return;
  try {
    for (PlannedKernel &kernel : kernels)
      find_written (kernel, *this);
  } catch (const TextError &mistake) {
    error = mistake;
  }
}

const Declaration *
ProgramPlan::find_declaration (const std::string &name) const
{
  const auto found = std::ranges::find (declared, name, [] (const Declaration &each) { return each.argument.name; });
  return found == declared.end () ? nullptr : &*found;
}

std::vector<ProgramArgument>
ProgramPlan::arguments_of (const std::string &kernel) const
{
  const std::vector<PlannedKernel> used = running (kernel);
  std::vector<ProgramArgument> arguments;
  const auto is_known = [&] (const std::string &name) {
    return std::ranges::find (arguments, name, &ProgramArgument::name) != arguments.end ();
  };
  for (const PlannedKernel &each : used)
    for (const auto &[type, name] : each.text.arguments) {
      const Declaration *line = find_declaration (name);
      if ((line || param_type (type)) && !is_known (name))
        arguments.push_back (line ? line->argument : ProgramArgument{.name = name, .type = type});
    }
  /* skips lines about kernels that do not run */
  const bool all_run = used.size () == kernels.size () || used.empty ();
  for (const Declaration &line : declared)
    if (all_run && !is_known (line.argument.name))
      arguments.push_back (line.argument);
  return arguments;
}

void
ProgramPlan::declare (std::vector<ProgramArgument> &arguments, bool all) const
{
  if (param_error)
    throw *param_error;
  for (const auto &[declaration, line, name_column, type_column] : declared) {
    const auto argument = std::ranges::find (arguments, declaration.name, &ProgramArgument::name);
    if (argument == arguments.end ()) {
      if (all || !has_word (plain, {declaration.name}))
        throw TextError{line, name_column, "The kernel has no argument " + declaration.name + ".",
            "Add \", " + declaration.type + " " + declaration.name
                + "\" to the kernel's arguments, or remove the @param line."};
      continue;
    }
    const std::string type = argument->type;
    if (declaration.is_switch ? type != "int" && type != "uint" : type != declaration.type)
      throw TextError{line, type_column,
          "The @param line says " + std::string (declaration.is_switch ? "bool" : declaration.type)
              + ", but the kernel's argument " + declaration.name + " is of type " + type + ".",
          declaration.is_switch ? "A bool needs an argument of type int." : "Write " + type + " in the line."};
    *argument = declaration;
    argument->type = type;
  }
}

}  // namespace gst::cl

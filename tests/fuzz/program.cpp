/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clprogram parses: a kernel's text, definitions, and a compiler's log. Zero bytes separate the texts. */
#include "core/sources.hpp"
#include "program/plan.hpp"
#include "program/report.hpp"
#include "program/source.hpp"
#include "program/text.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

void
fuzz::run (const uint8_t *data, size_t size)
{
  Reader reader (data, size);
  const std::string text = reader.line (), log = reader.line (), defines = reader.line ();
  const std::string plain = without_comments (text);
  require (plain.size () == text.size ());
  for (const KernelText &kernel : kernels_in (plain))
    require (is_identifier (kernel.name));
  const ProgramPlan plan (text);
  std::vector<ProgramArgument> arguments = plan.arguments_of ("");
  for (const ProgramArgument &argument : arguments)
    require (is_identifier (argument.name) && (param_type (argument.type) || argument.declared));
  /* every declared default is a valid value */
  try {
    std::erase_if (arguments, [] (const ProgramArgument &each) { return !each.declared; });
    require (bind_arguments (arguments, nullptr).size () == arguments.size ());
    plan.declare (arguments, true);
  } catch (const TextError &error) {
    require (error.line > 0 && error.column > 0 && !error.message.empty () && !error.hint.empty ());
  }
  if (plan.error)
    require (plan.error->line > 0 && plan.error->column > 0 && !plan.error->message.empty () && !plan.error->hint.empty ());
  plan.prelude ();
  const CallGraph calls (plain, definitions_in (defines));
  for (const PlannedKernel &kernel : plan.running ("")) {
    require (kernel.text.body <= kernel.text.end && kernel.text.end <= plain.size ());
    calls.find (kernel.text, {"barrier"});
    calls.find_exit_before (kernel.text, {"barrier"});
  }
  directives_in (plain);
  has_word (plain, {"PIXEL_BEGIN", "kernel"});
  has_vector_in_braces (plain);
  ProgramReport report{.log = log};
  explain_log (report, "source", text);
  require (!report.message.empty () && report.line >= 0 && report.column >= 0);
  gst_structure_free (report.to_structure ());
  if (!complaint_of_defines (defines))
    require (options_of_defines (defines).find_first_of ("\"'`") == std::string::npos);
}

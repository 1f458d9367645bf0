/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/build.hpp"

#include "core/vendors.hpp"
#include "program/text.hpp"

#include <glib/gstdio.h>

#include <algorithm>
#include <cstring>

namespace gst::cl {

namespace {

class Defines {
public:
  void define (const std::string &name, int value) { text += "-D" + name + "=" + std::to_string (value) + " "; }
  void define (const std::string &name, double value)
  {
    gchar number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd (number, sizeof number, "%.9e", value);
    text += "-D" + name + "=" + number + "f ";
  }

  std::string text;
};

/* Lets a file include others of its folder. Their times are there because drivers that keep programs look at options and text
 * alone. PoCL takes no quotes, so only names with blanks, which it cannot read, have them. */
std::string
options_of_includes (const ProgramRequest &request, const ProgramPlan &plan)
{
  if (request.location.empty ())
    return "";
  g_autofree gchar *folder = g_path_get_dirname (request.location.c_str ());
  std::string times;
  for (const std::string_view directive : directives_in (plan.plain)) {
    const std::string line = request.text.substr (size_t (directive.data () - plan.plain.data ()), directive.size ());
    const size_t begin = line.find ('"') + 1, end = line.find ('"', begin);
    GStatBuf state;
    if (has_word (directive, {"include"}) && begin && end != line.npos
        && g_stat ((std::string (folder) + "/" + line.substr (begin, end - begin)).c_str (), &state) == 0)
      times += "_" + std::to_string (state.st_mtim.tv_sec) + "_" + std::to_string (state.st_mtim.tv_nsec);
  }
  const char *quote = strpbrk (folder, " \t") ? "\"" : "";
  return times.empty () ? "" : std::string ("-I ") + quote + folder + quote + " -DGSTCL_INCLUDED=" + times + " ";
}

/* The colours of the caps, scaled to 0 .. 1. */
void
define_colours (Defines &options, const GstVideoInfo &video, double max_value)
{
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gst_video_color_range_offsets (video.colorimetry.range, video.finfo, offset, scale);
  options.define ("LUMA_ZERO", offset[0] / max_value);
  options.define ("LUMA_RANGE", scale[0] / max_value);
  options.define ("CHROMA_ZERO", offset[1] / max_value);
  options.define ("CHROMA_RANGE", scale[1] / max_value);
  gdouble red = 0, blue = 0;
  if (!gst_video_color_matrix_get_Kr_Kb (video.colorimetry.matrix, &red, &blue))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT601, &red, &blue);
  options.define ("KR", red);
  options.define ("KB", blue);
}

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
        add (name, std::to_string (kernel.elements_of (name)) + " * sizeof (*" + name + ")");
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

/* The text with an assertion at the end of each running kernel that its local memory is at most so many bytes. */
std::string
with_local_limit (const ProgramRequest &request, const ProgramPlan &plan, size_t most)
{
  const std::string &plain = plan.plain, bytes = std::to_string (most);
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

}  // namespace

bool
has_leaving_macros (const ProgramRequest &request, const ProgramPlan &plan)
{
  std::vector<std::string_view> texts = directives_in (plan.plain);
  texts.push_back (request.defines);
  return std::ranges::any_of (texts, [] (std::string_view each) { return has_word (each, {"return", "goto"}); });
}

bool
is_direct (const ProgramRequest &request, const Format &format)
{
  return format.n_planes == 1 && request.history == 0 && request.inputs == 1;
}

PixelLayout
pixel_layout (const ProgramRequest &request, const Format &format)
{
  const PlaneLayout &plane = format.planes[0];
  if (format.model == ColorModel::gray)
    return {1, {0, -1, -1, -1}};
  PixelLayout layout{4, {-1, -1, -1, -1}};
  if (format.model == ColorModel::yuv)
    return {4, {0, 1, 2, format.component_bits () >> alpha & 1 ? alpha : -1}};
  const bool direct = is_direct (request, format);
  for (int i = 0; i < plane.samples_per_pixel; i++)
    if (plane.components[i] != padding)
      layout.position[plane.components[i]] = direct ? i : plane.components[i];
  if (direct)
    layout.samples = plane.samples_per_pixel;
  return layout;
}

PlannedProgram
plan_program (const ProgramRequest &request, Runner &runner, const GstVideoInfo &video)
{
  const Format &format = runner.format ();
  ProgramPlan plan (request.text);
  if (plan.error)
    throw *plan.error;
  const std::string prelude = plan.prelude ();
  Defines options;
  options.define (runner.backend () == Backend::cpu ? "BACKEND_CPU" : "BACKEND_GPU", 1);
  options.define ("SAMPLE_BITS", format.sample_bits);
  options.define ("DEPTH", format.depth);
  options.define ("SHIFT", format.shift);
  options.define ("IN_WORDS", 0);
  options.define ("DOUBLES", int (runner.cl ().device.has_extension ("cl_khr_fp64")));
  options.define ("MODEL_RGB", int (format.model == ColorModel::rgb));
  options.define ("MODEL_YUV", int (format.model == ColorModel::yuv));
  options.define ("MODEL_GRAY", int (format.model == ColorModel::gray));
  options.define ("INPUTS", int (request.inputs));
  options.define ("HISTORY", request.history);
  options.define ("NDRANGE", int (plan.has_groups ()));
  /* Helpers must keep the samples of positions that a kernel may leave unwritten. With passes, later ones would write over the
   * results of earlier ones. */
  const bool all_write =
      !plan.kernels.empty () && std::ranges::all_of (plan.kernels, [] (const PlannedKernel &each) { return each.text.writes; });
  options.define ("KEEP", int (!plan.has_groups () && (!all_write || has_leaving_macros (request, plan))));
  const PixelLayout layout = pixel_layout (request, format);
  options.define ("PIXEL_SAMPLES", layout.samples);
  const char *const names[] = {"FIRST", "SECOND", "THIRD", "ALPHA"};
  for (int i = 0; i < 4; i++)
    if (layout.position[i] >= 0)
      options.define (names[i], layout.position[i]);
  if (format.model == ColorModel::yuv)
    define_colours (options, video, format.max_value ());
  const Device &device = runner.cl ().device;
  const std::string text =
      vendors::hides_local_memory (device) ? with_local_limit (request, plan, device.local_bytes) : request.text;
  ProgramSpec spec{.sources = {"lib/sample.clh", "lib/border.clh", "shared/philox.clh", "program/program.clh",
                       "program/colour.clh", "program/pixel.clh", "program/component.clh", "program/scratch.clh"},
      .options = options.text + options_of_includes (request, plan) + options_of_defines (request.defines),
      .text = prelude.empty () ? text : prelude + "#line 1\n" + text,
      .name = request.name};
  return {request, std::move (plan), std::move (spec)};
}

bool
never_writes (const PlannedProgram &program)
{
  const std::initializer_list<std::string_view> writers = {"OUT_PIXEL", "OUT", "OUT_REAL", "gstcl_out", "include"};
  return !has_word (program.plan.plain, writers) && !has_word (program.request.defines, writers);
}

Refusal
refusal_of (const ProgramRequest &request, const Failure &failure)
{
  ProgramReport report{.location = request.location, .kernel = request.kernel};
  const bool is_compilers = failure.domain == GST_LIBRARY_ERROR && failure.code == GST_LIBRARY_ERROR_INIT;
  if (!is_compilers) {
    report.message = failure.what ();
    report.log = failure.debug;
    return {report, failure};
  }
  /* after the first line, which names the OpenCL function */
  const size_t begin = failure.debug.find ('\n');
  report.log = begin == std::string::npos ? "" : failure.debug.substr (begin + 1);
  explain_log (report, request.name, request.text);
  const std::string text = std::string (failure.what ()) + " " + report.to_text (request.name);
  return {report, Failure (failure.domain, failure.code, text, failure.debug)};
}

Refusal
refusal_of (const ProgramRequest &request, const TextError &error)
{
  ProgramReport report{.location = request.location,
      .line = error.line,
      .column = error.column,
      .message = error.message,
      .hint = error.hint,
      .kernel = request.kernel};
  return {report, Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, report.to_text (request.name), "")};
}

}  // namespace gst::cl

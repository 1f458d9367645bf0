/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/build.hpp"

#include "core/vendors.hpp"
#include "program/text.hpp"

#include <algorithm>

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

/* Whether a kernel may leave positions unwritten, whose samples the helpers must then keep. */
bool
may_leave_out (const ProgramRequest &request)
{
  const std::vector<KernelText> kernels = kernels_in (without_comments (request.text));
  return has_leaving_macros (request) || kernels.empty () || !std::ranges::all_of (kernels, &KernelText::writes);
}

}  // namespace

bool
has_leaving_macros (const ProgramRequest &request)
{
  const std::string plain = without_comments (request.text);
  std::vector<std::string_view> texts = directives_in (plain);
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
    return {4, {0, 1, 2, -1}};
  const bool direct = is_direct (request, format);
  for (int i = 0; i < plane.samples_per_pixel; i++)
    if (plane.components[i] != padding)
      layout.position[plane.components[i]] = direct ? i : plane.components[i];
  if (direct)
    layout.samples = plane.samples_per_pixel;
  return layout;
}

ProgramSpec
make_program_spec (const ProgramRequest &request, Runner &runner, const GstVideoInfo &video)
{
  const Format &format = runner.format ();
  const ProgramPlan plan = plan_of (request.text);
  if (plan.error)
    throw refuse_text (request, *plan.error);
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
  /* later passes would write over the results of earlier ones */
  options.define ("KEEP", int (!plan.has_groups () && may_leave_out (request)));
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
  return {.sources = {"lib/sample.clh", "lib/border.clh", "shared/philox.clh", "program/program.clh", "program/colour.clh",
              "program/pixel.clh", "program/component.clh", "program/scratch.clh"},
      .options = options.text + options_of_defines (request.defines),
      .text = prelude.empty () ? text : prelude + "#line 1\n" + text,
      .name = request.name};
}

bool
never_writes (const ProgramRequest &request)
{
  const std::string plain = without_comments (request.text);
  const std::initializer_list<std::string_view> writers = {"OUT_PIXEL", "OUT", "OUT_REAL", "gstcl_out", "include"};
  return !has_word (plain, writers) && !has_word (request.defines, writers);
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
refuse_text (const ProgramRequest &request, const TextError &error)
{
  ProgramReport report{.location = request.location,
      .line = error.line,
      .column = error.column,
      .message = error.message,
      .hint = error.hint,
      .kernel = request.kernel};
  return {report, Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, report.to_text (request.name), "")};
}

Refusal
refuse_program (const ProgramRequest &request, const std::string &message, const std::string &hint)
{
  return refuse_text (request, {0, 0, message, hint});
}

}  // namespace gst::cl

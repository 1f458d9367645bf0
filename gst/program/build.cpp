/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/build.hpp"

#include "program/declarations.hpp"
#include "program/text.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* Arguments of the macros of the scopes, see program/program.clh. */
constexpr cl_uint scope_arguments = 5;

Refusal
refuse_report (const ProgramRequest &request, ProgramReport report)
{
  report.location = request.location;
  report.kernel = request.kernel;
  return {report, Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, report.to_text (request.name), "")};
}

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

/* The colours of the caps, for values 0 .. 1 of full scale. */
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

std::string
joined (const std::vector<std::string> &names)
{
  std::string all;
  for (const std::string &name : names)
    all += (all.empty () ? "" : ", ") + name;
  return all;
}

/* The one that is asked for, or the first in the text. */
std::string
choose_kernel (const ProgramRequest &request, const ::cl::Program &program)
{
  /* some drivers fail if there are no names */
  const bool has_kernels = program.getInfo<CL_PROGRAM_NUM_KERNELS> () > 0;
  const std::string list = has_kernels ? program.getInfo<CL_PROGRAM_KERNEL_NAMES> () : "";
  std::vector<std::string> built;
  g_auto (GStrv) names = g_strsplit (list.c_str (), ";", -1);
  for (gchar **name = names; *name; name++)
    if (**name)
      built.push_back (*name);
  if (built.empty ())
    throw refuse_program (request, "There is no kernel function.", "A kernel begins with \"kernel void NAME (PIXEL_ARGS)\".");
  const auto exists = [&] (const std::string &name) { return std::ranges::find (built, name) != built.end (); };
  if (!request.kernel.empty ()) {
    if (!exists (request.kernel))
      throw refuse_program (request, "There is no kernel " + request.kernel + ".", "There is: " + joined (built) + ".");
    return request.kernel;
  }
  for (const KernelText &each : kernels_in (without_comments (request.text)))
    if (exists (each.name))
      return each.name;
  return built.front ();
}

/* Whether a kernel may leave positions unwritten, which the helpers then have to keep: not if it certainly writes all. */
bool
may_leave_out (const ProgramRequest &request)
{
  const std::string plain = without_comments (request.text);
  const std::vector<KernelText> kernels = kernels_in (plain);
  const bool macros = has_word (request.defines, {"return", "goto"}) || has_word (directives_in (plain), {"return", "goto"});
  return macros || kernels.empty () || !std::ranges::all_of (kernels, &KernelText::writes);
}

/* Every argument behind those of the scope. */
std::vector<ProgramArgument>
arguments_of (const ProgramRequest &request, const ::cl::Kernel &kernel)
{
  std::vector<ProgramArgument> arguments;
  const cl_uint count = kernel.getInfo<CL_KERNEL_NUM_ARGS> ();
  for (cl_uint i = scope_arguments; i < count; i++) {
    ProgramArgument argument{kernel.getArgInfo<CL_KERNEL_ARG_NAME> (i), kernel.getArgInfo<CL_KERNEL_ARG_TYPE_NAME> (i)};
    if (argument.type == "unsigned int")
      argument.type = "uint";
    if (!is_param_type (argument.type))
      throw refuse_program (request, "The kernel's argument " + argument.name + " is of type " + argument.type + ".",
          "Arguments can be int, uint, float, double, int2, int4, uint2, uint4, float2, float3 and float4.");
    arguments.push_back (argument);
  }
  try {
    apply_declarations (arguments, request.text);
  } catch (const TextError &error) {
    throw refuse_report (request, {.line = error.line, .column = error.column, .message = error.message, .hint = error.hint});
  }
  return arguments;
}

std::array<size_t, 2>
choose_group (const ::cl::Kernel &kernel, const Runner &runner, const Device &device)
{
  const auto wanted = kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE> (device.handle);
  if (wanted[0] > 0)
    return {wanted[0], std::max<size_t> (wanted[1], 1)};
  const size_t limit = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE> (device.handle);
  std::array<size_t, 2> local =
      runner.backend () == Backend::cpu ? std::array<size_t, 2>{128, 1} : std::array<size_t, 2>{32, 8};
  while (local[0] * local[1] > limit && local[1] > 1)
    local[1] /= 2;
  while (local[0] > limit && local[0] > 1)
    local[0] /= 2;
  return local;
}

}  // namespace

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
  Defines options;
  options.define (runner.backend () == Backend::cpu ? "BACKEND_CPU" : "BACKEND_GPU", 1);
  options.define ("SAMPLE_BITS", format.sample_bits);
  options.define ("DEPTH", format.depth);
  options.define ("SHIFT", format.shift);
  options.define ("DOUBLES", int (runner.cl ().device.has_extension ("cl_khr_fp64")));
  options.define ("MODEL_RGB", int (format.model == ColorModel::rgb));
  options.define ("MODEL_YUV", int (format.model == ColorModel::yuv));
  options.define ("MODEL_GRAY", int (format.model == ColorModel::gray));
  options.define ("INPUTS", int (request.inputs));
  options.define ("HISTORY", request.history);
  options.define ("KEEP", int (may_leave_out (request)));
  const PixelLayout layout = pixel_layout (request, format);
  options.define ("PIXEL_SAMPLES", layout.samples);
  const char *const names[] = {"FIRST", "SECOND", "THIRD", "ALPHA"};
  for (int i = 0; i < 4; i++)
    if (layout.position[i] >= 0)
      options.define (names[i], layout.position[i]);
  if (format.model == ColorModel::yuv)
    define_colours (options, video, format.max_value ());
  return {.sources = {"lib/sample.clh", "lib/border.clh", "shared/philox.clh", "program/program.clh", "program/colour.clh",
              "program/pixel.clh", "program/component.clh"},
      .options = options.text + options_of_defines (request.defines),
      .text = request.text,
      .name = request.name};
}

BuiltProgram
make_program (const ProgramRequest &request, const ProgramSpec &spec, const ProgramRef &program, const Runner &runner,
    const Device &device)
{
  const std::string name = choose_kernel (request, *program);
  const ::cl::Kernel kernel (*program, name.c_str ());
  const cl_uint count = kernel.getInfo<CL_KERNEL_NUM_ARGS> ();
  const std::string first = count >= scope_arguments ? kernel.getArgInfo<CL_KERNEL_ARG_NAME> (0) : "";
  if (first != "gstcl_pixels" && first != "gstcl_samples")
    throw refuse_program (request,
        "The first of the arguments of kernel " + name + " is neither PIXEL_ARGS nor COMPONENT_ARGS.",
        "Write \"kernel void " + name + " (PIXEL_ARGS)\", followed by arguments of your own.");
  const std::vector<KernelText> texts = kernels_in (without_comments (request.text));
  const auto text = std::ranges::find (texts, name, &KernelText::name);
  return {.request = request,
      .spec = spec,
      .program = program,
      .kernel = kernel,
      .name = name,
      .sees_pixels = first == "gstcl_pixels",
      .needs_copy = text == texts.end () || !text->begins,
      .arguments = arguments_of (request, kernel),
      .values = {},
      .local = choose_group (kernel, runner, device)};
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
  /* behind the first line, which is the call's */
  const size_t begin = failure.debug.find ('\n');
  report.log = begin == std::string::npos ? failure.debug : failure.debug.substr (begin + 1);
  explain_log (report, request.name, request.text);
  const std::string text = std::string (failure.what ()) + " " + report.to_text (request.name);
  return {report, Failure (failure.domain, failure.code, text, failure.debug)};
}

Refusal
refuse_program (const ProgramRequest &request, const std::string &message, const std::string &hint)
{
  return refuse_report (request, {.message = message, .hint = hint});
}

}  // namespace gst::cl

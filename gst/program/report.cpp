/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program/report.hpp"

#include "program/text.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace gst::cl {

namespace {

/* A regular expression for lines of compilers. Lines are short, and in any encoding. */
class Pattern {
public:
  explicit Pattern (const char *text)
      : regex (g_regex_new (text, GRegexCompileFlags (G_REGEX_RAW | G_REGEX_OPTIMIZE), GRegexMatchFlags (0), nullptr))
  {
  }
  ~Pattern () { g_regex_unref (regex); }
  Pattern (const Pattern &) = delete;
  Pattern &operator= (const Pattern &) = delete;

  /* The whole match and its groups; nothing without a match. */
  std::optional<std::vector<std::string>> find (const std::string &line) const
  {
    g_autoptr (GMatchInfo) info = nullptr;
    if (!g_regex_match_full (regex, line.c_str (), gssize (line.size ()), 0, GRegexMatchFlags (0), &info, nullptr))
      return std::nullopt;
    g_auto (GStrv) parts = g_match_info_fetch_all (info);
    return std::vector<std::string> (parts, parts + g_strv_length (parts));
  }

private:
  GRegex *const regex;
};

struct Place {
  std::string file, message;
  int line, column;
};

/* An undefined function is an error for some compilers; others only warn, and then their linker fails. */
#define SEVERITY "(?:(?:fatal )?error|warning(?=: implicit declaration))"

/* Parses "FILE:LINE:COLUMN: error: text" of Clang and compilers based on it, and "error: FILE:LINE:COLUMN: text" of PoCL; some
 * other compilers omit the column. */
std::optional<Place>
parse_line (const std::string &line)
{
  static const Pattern clang (R"(^(.*?):(\d+)(?::(\d+))?(?: <.*?>)?: )" SEVERITY R"(: (.+)$)");
  static const Pattern pocl (R"(^(?:fatal )?error: (.*?):(\d+)(?::(\d+))?(?: <.*?>)?: (.+)$)");
  constexpr size_t longest_line = 4096; /* longer lines come from the user's text */
  if (line.size () > longest_line)
    return std::nullopt;
  auto match = clang.find (line);
  if (!match)
    match = pocl.find (line);
  if (!match)
    return std::nullopt;
  const auto number = [] (const std::string &digits) {
    return int (std::min<guint64> (g_ascii_strtoull (digits.c_str (), nullptr, 10), G_MAXINT));
  };
  Place place{(*match)[1], (*match)[4], number ((*match)[2]), number ((*match)[3])};
  /* an error in a macro's argument belongs to the position of the argument, not of the macro's name */
  static const Pattern spelling (R"( <Spelling=(.*?):(\d+):(\d+)>)");
  if (const auto written = spelling.find (line); written && (*written)[1] == place.file) {
    place.line = number ((*written)[2]);
    place.column = number ((*written)[3]);
  }
  return place;
}

const char *const helper_names[] = {"PIXEL_ARGS", "PIXEL_BEGIN", "PIXEL_PARAMS", "PIXEL_PASS", "PIXEL", "pixel_at",
    "pixel_between", "input_pixel", "previous_input", "previous_output", "OUT_PIXEL", "COMPONENT_ARGS", "COMPONENT_BEGIN",
    "COMPONENT_PARAMS", "COMPONENT_PASS", "VAL", "PX", "OUT", "OUT_REAL", "sample_at", "input_sample", "previous_input_sample",
    "previous_output_sample", "to_rgb", "from_rgb", "intensity", "random_uint", "random_float", "width", "height", "time",
    "frame_number", "frame_rate", "frames_before", "component", "INPUTS", "HISTORY", "MAX_VALUE", "SCRATCH", "scratch_at",
    "scratch_between", "scratch_size", "OUT_SCRATCH", "OUT_SCRATCH_AT", "frame_width", "frame_height"};

std::string
hint_for_name (const std::string &name, const std::string &text)
{
  static const char *const of_the_frame[] = {"x", "y", "width", "height", "time", "frame_number", "frame_rate", "frames_before",
      "component", "gstcl", "gstcl_pixels", "gstcl_samples", "gstcl_others", "gstcl_was", "gstcl_out", "gstcl_counter",
      "gstcl_sample"};
  const bool begins = text.find ("PIXEL_BEGIN") != std::string::npos || text.find ("COMPONENT_BEGIN") != std::string::npos;
  if (std::ranges::find (of_the_frame, name) != std::end (of_the_frame))
    return !begins ? "A kernel's body begins with PIXEL_BEGIN or COMPONENT_BEGIN, which declare " + name + "."
                   : name
                         + " exists only in the kernel, after PIXEL_BEGIN or COMPONENT_BEGIN. Declare PIXEL_PARAMS and what "
                           "else your function needs as its parameters, and call it with PIXEL_PASS.";
  if (name.starts_with ("gstcl_"))
    return "A picture needs a line // @scratch NAME FORMAT, and only kernels can use it.";
  if (name == "frame_width" || name == "frame_height")
    return name + " exists only in kernels with a line // @group or // @pass.";
  const auto nearest =
      std::ranges::min_element (helper_names, {}, [&] (const char *each) { return edit_distance (each, name); });
  if (*nearest == name) /* a macro that takes arguments; all others are defined */
    return name + " needs arguments in parentheses; the page of clprogram lists them.";
  if (edit_distance (*nearest, name) <= std::max<size_t> (1, name.size () / 3))
    return std::string ("Did you mean ") + *nearest + "?";
  return "";
}

/* Advice for texts in GLSL, the language of Shadertoy; "" for other texts. */
std::string
hint_for_glsl (const std::string &text)
{
  static const struct {
    const char *word, *instead;
  } words[] = {{"mainImage", "kernel void image (PIXEL_ARGS) { PIXEL_BEGIN ... } for void mainImage (...) { ... }"},
      {"fragColor", "OUT_PIXEL (c) for fragColor = c"}, {"gl_FragColor", "OUT_PIXEL (c) for gl_FragColor = c"},
      {"fragCoord", "(float2) (x + 0.5f, height - y - 0.5f) for fragCoord"},
      {"gl_FragCoord", "(float2) (x + 0.5f, height - y - 0.5f) for gl_FragCoord"},
      {"iResolution", "(float2) (width, height) for iResolution.xy"}, {"iTime", "time for iTime"},
      {"iFrame", "frame_number for iFrame"},
      {"iChannel0", "pixel_between (u.x * width - 0.5f, (1 - u.y) * height - 0.5f) for texture (iChannel0, u)"},
      {"iChannel1", "input_pixel (1, px, py) for texture (iChannel1, u)"}, {"vec2", "float2 and (float2) (a, b) for vec2"},
      {"vec3", "float3 and (float3) (a, b, c) for vec3"}, {"vec4", "float4 and (float4) (a, b, c, d) for vec4"},
      {"ivec2", "int2 and (int2) (a, b) for ivec2"}, {"mat2", "four floats for mat2"}, {"mat3", "nine floats for mat3"}};
  std::string hint;
  for (const auto &[word, instead] : words)
    if (has_word (text, {word}))
      hint += (hint.empty () ? "This is GLSL. In OpenCL C, write " : "; ") + std::string (instead);
  return hint.empty () ? "" : hint + ". Numbers need an f: 0.5f.";
}

std::string
hint_for (const std::string &message, const std::string &text)
{
  if (const std::string hint = hint_for_glsl (text); !hint.empty ())
    return hint;
  const auto says = [&] (const char *words) { return message.find (words) != std::string::npos; };
  static const Pattern quoted (R"('([A-Za-z_]\w*)')");
  const auto name = quoted.find (message);
  if (name && (says ("undeclared") || says ("implicit declaration") || says ("unknown type name")))
    if (const std::string hint = hint_for_name ((*name)[1], text); !hint.empty ())
      return hint;
  if (says ("bytes of local memory"))
    return "Write a smaller group, or smaller tiles.";
  if (says ("expected ';'"))
    return "A semicolon is missing, often at the end of the line before.";
  if (says ("expected '}'") || says ("extraneous closing brace"))
    return "Braces do not match.";
  if (says ("bool' cannot be used as the type of a kernel parameter"))
    return "Write int for the kernel's argument, and bool in its @param line alone.";
  if (says ("double") && (says ("fp64") || says ("requires") || says ("extension") || says ("support")))
    return "This device has no double precision: write float, and numbers as 0.5f.";
  if ((says ("expected expression") || says ("initializer")) && has_vector_in_braces (text))
    return "Write vectors with parentheses: (float4) (r, g, b, a).";
  if (name && says ("redefinition of"))
    return (*name)[1]
           + " exists already, in the text or the helpers (PIXEL_BEGIN declares x, y, width, height, time and others): choose "
             "another name.";
  if (says ("too few arguments") || says ("too many arguments"))
    return "The helpers and their arguments are listed on the page of clprogram.";
  return "";
}

}  // namespace

GstStructure *
ProgramReport::to_structure () const
{
  GstStructure *structure = gst_structure_new ("GstClProgramBuild", "success", G_TYPE_BOOLEAN, success, "line", G_TYPE_INT,
      line, "column", G_TYPE_INT, column, "build-ms", G_TYPE_DOUBLE, build_ms, nullptr);
  /* compilers quote the user's text in any encoding */
  for (const auto &[name, text] :
      {std::pair ("location", &location), {"log", &log}, {"message", &message}, {"hint", &hint}, {"kernel", &kernel}}) {
    GValue value = G_VALUE_INIT;
    g_value_init (&value, G_TYPE_STRING);
    g_value_take_string (&value, g_utf8_make_valid (text->c_str (), -1));
    gst_structure_take_value (structure, name, &value);
  }
  return structure;
}

std::string
ProgramReport::to_text (const std::string &name) const
{
  std::string place = name;
  if (line > 0)
    place += ":" + std::to_string (line) + (column > 0 ? ":" + std::to_string (column) : "");
  return place + ": " + message + (hint.empty () ? "" : " Hint: " + hint);
}

void
explain_log (ProgramReport &report, const std::string &name, const std::string &text)
{
  std::optional<Place> first;
  std::istringstream lines (report.log);
  for (std::string line; std::getline (lines, line);) {
    const std::optional<Place> place = parse_line (line);
    /* errors in the helpers are caused by calls to them */
    const bool is_own = place && place->file.find ("lib/program") == std::string::npos;
    if (place && (!first || (is_own && first->file.find ("lib/program") != std::string::npos)))
      first = place;
  }
  if (first) {
    report.message = first->message;
    /* NVIDIA's compiler writes names as #line has them */
    std::string unescaped = first->file;
    for (size_t at = 0; (at = unescaped.find ('\\', at)) != std::string::npos; at++)
      unescaped.erase (at, 1);
    const bool in_helpers = first->file.find ("lib/") == 0;
    const bool is_included = !in_helpers && !first->file.ends_with (name) && !unescaped.ends_with (name);
    report.line = in_helpers || is_included ? 0 : first->line;
    report.column = in_helpers || is_included ? 0 : first->column;
    if (is_included)
      report.message = "in " + first->file + ":" + std::to_string (first->line) + ": " + first->message;
    /* an assertion of program/build.cpp, which older compilers quote */
    if (const size_t says = first->message.find ("The kernel ");
        first->message.starts_with ("static") && says != std::string::npos) {
      report.message = first->message.substr (says, first->message.find ('"', says) - says);
      report.column = 0;
    }
  } else if (report.message.empty ()) {
    report.message = report.log.find_first_not_of (" \t\r\n") == std::string::npos
                         ? "It does not compile, and the driver gives no compiler log."
                         : "It does not compile; the log has the details.";
  }
  const std::string plain = without_comments (text);
  report.hint = hint_for (report.message, plain);
  if (report.hint.empty () && kernels_in (plain).empty ())
    report.hint = "There is no kernel function in " + name + "; it begins with \"kernel void NAME (PIXEL_ARGS)\".";
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcolormatrix: multiplies the colour of every pixel by a matrix: greyscale, sepia, inversion, swapped or mixed channels.
 * */
#include "colormatrix/plan.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/color.hpp"

namespace gst::cl::clcolormatrix {

constexpr GEnumValue preset_values[] = {
    {int (ColorPreset::none), "The picture as it is", "none"},
    {int (ColorPreset::grayscale), "0.3 R + 0.59 G + 0.11 B in each component", "grayscale"},
    {int (ColorPreset::sepia), ".393 .769 .189; .349 .686 .168; .272 .534 .131", "sepia"},
    {int (ColorPreset::invert), "Full scale minus each component", "invert"},
};

struct MatrixSettings {
  ColorPreset preset = ColorPreset::none;
  std::string matrix;
  Range range = Range::automatic;

  /* The text has been checked, so it parses. */
  ColorMatrix numbers () const { return matrix.empty () ? color_preset_matrix (preset) : *parse_color_matrix (matrix).matrix; }
};

std::optional<std::string>
complaint (const std::string &text)
{
  ColorParse parse = text.empty () ? ColorParse{.matrix = ColorMatrix{}, .error = {}} : parse_color_matrix (text);
  return parse.matrix ? std::nullopt : std::optional (std::move (parse.error));
}

constexpr Property properties[] = {
    property<&MatrixSettings::preset> (
        "preset", "The matrix, if the property matrix is \"\"", enum_type<"GstClColorMatrixPreset", preset_values>),
    property<&MatrixSettings::matrix> ("matrix",
        "3 rows of 4 numbers, rows separated by ';': factors of R, G, B and an offset (fraction of full scale); \"\" = preset",
        complaint),
    range_property<&MatrixSettings::range> (),
};

class Matrix : public With<MatrixSettings, ColorFilter> {
public:
  void changed () override
  {
    matrix = settings.numbers ();
    plan.reset ();
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    const Format &format = runner.format ();
    const BlackWhite found = black_and_white (info.video, format, settings.range);
    const YuvColors found_colors = yuv_colors (info.video, format, settings.range);
    if (found != range || found_colors != colors)
      plan.reset ();
    range = found;
    colors = found_colors;
    if (!plan)
      plan = plan_of (format);
  }

  Abilities abilities (const Runner &runner) const override
  {
    const bool is_yuv = runner.format ().model == ColorModel::yuv, joins = plan && !plan->fixed_point;
    return {.images = !is_yuv, .points = joins && !is_yuv ? Abilities::every_component : 0, .places = joins && is_yuv};
  }

  std::optional<PointStep> point_step (Runner &runner, const PlaneTask &) override
  {
    const auto &[first_row, second_row, third_row] = plan->rows;
    const bool one = runner.format ().model == ColorModel::rgb && first_row == second_row && first_row == third_row;
    static constexpr const char *sources[] = {"colormatrix/matrix.clh"};
    const char *kind = one ? "MATRIX_GRAY" : "MATRIX";
    return PointStep{.kind = kind,
        .kind_of_gray = kind,
        .sources = sources,
        .gray = one ? PointStep::Gray::made : PointStep::Gray::lost,
        .arguments = arguments (one ? 1 : std::size (plan->rows)),
        .shared_options = option_if (plan->fixed_point, {"FIXED_POINT", 1}),
        .item_rows = gpu_item_rows};
  }

private:
  Argument row (int i) const
  {
    const auto &[x, y, z, w] = plan->rows[i];
    if (plan->fixed_point)
      return cl_long4{{cl_long (x), cl_long (y), cl_long (z), cl_long (w)}};
    return cl_float4{{cl_float (x), cl_float (y), cl_float (z), cl_float (w)}};
  }

  /* The first rows of the matrix, and their divisor. */
  Arguments arguments (size_t rows) const
  {
    Arguments all;
    for (size_t i = 0; i < rows; i++)
      all.push_back (row (int (i)));
    all.insert (all.end (), {cl_float (plan->divisor), cl_float (1 / plan->divisor)});
    return all;
  }

  ColorPlan plan_of (const Format &format) const
  {
    if (format.model == ColorModel::gray)
      return plan_gray_matrix (matrix, range, format.max_value ());
    if (format.model == ColorModel::yuv)
      return plan_yuv_matrix (matrix, colors, format.max_value ());
    const PlaneLayout &layout = format.planes[0];
    const auto component = [&, at = ColorOrder::of (layout).at] (int i) { return layout.components[at + i]; };
    return plan_color_matrix (matrix, {component (0), component (1), component (2)}, format.max_value ());
  }

  /* The number of rows with the best memory throughput, measured on an H200. */
  static constexpr int gpu_item_rows = 2;

  ColorMatrix matrix;
  BlackWhite range{};
  YuvColors colors{};
  std::optional<ColorPlan> plan;
};

const FilterDescription description{
    .long_name = "OpenCL colour matrix",
    .description = "Multiplies colours by a matrix: greyscale, sepia, inversion, swapped or mixed channels",
    .properties = properties,
    .operation = operation_type<Matrix> (),
    .neutral = of_settings<[] (const MatrixSettings &settings) { return color_matrix_is_identity (settings.numbers ()); }>,
};

GST_CL_DEFINE_FILTER (GstClColorMatrix, gst_cl_color_matrix, clcolormatrix, description)

}  // namespace gst::cl::clcolormatrix

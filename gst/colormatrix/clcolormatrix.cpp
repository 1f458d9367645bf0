/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcolormatrix: multiplies the colour of every pixel by a matrix: greyscale, sepia, inversion, swapped or mixed channels.
 * */
#include "colormatrix/plan.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/color.hpp"

namespace gst::cl::clcolormatrix {

enum : unsigned { PRESET, MATRIX, RANGE };

constexpr GEnumValue preset_values[] = {
    {int (ColorPreset::none), "The picture as it is", "none"},
    {int (ColorPreset::grayscale), "0.3 R + 0.59 G + 0.11 B in each component", "grayscale"},
    {int (ColorPreset::sepia), ".393 .769 .189; .349 .686 .168; .272 .534 .131", "sepia"},
    {int (ColorPreset::invert), "Full scale minus each component", "invert"},
    {},
};

const Property properties[] = {
    enum_property ("preset", "The matrix, if the property matrix is \"\"", enum_type<"GstClColorMatrixPreset", preset_values>,
        int (ColorPreset::none)),
    text_property ("matrix",
        "3 rows of 4 numbers, rows separated by ';': factors of R, G, B and an offset (fraction of full scale); \"\" = preset",
        ""),
    range_property (),
};

/* complaint() has checked the text, so it parses. */
ColorMatrix
matrix_of (const Values &values)
{
  const std::string &text = values.text (MATRIX);
  return text.empty () ? color_preset_matrix (ColorPreset (values.integer (PRESET))) : *parse_color_matrix (text).matrix;
}

std::optional<std::string>
complaint (unsigned, const std::string &text)
{
  ColorParse parse = text.empty () ? ColorParse{.matrix = ColorMatrix{}, .error = {}} : parse_color_matrix (text);
  return parse.matrix ? std::nullopt : std::optional (std::move (parse.error));
}

class Matrix : public ColorOperation {
public:
  void update (const Values &values) override
  {
    matrix = matrix_of (values);
    wanted_range = Range (values.integer (RANGE));
    plan.reset ();
  }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    const BlackWhite found = black_and_white (info.video, runner.format (), wanted_range);
    const YuvColors found_colors = yuv_colors (info.video, runner.format (), wanted_range);
    if (found != range || found_colors != colors)
      plan.reset ();
    range = found;
    colors = found_colors;
  }

  bool takes_images () const override { return true; }

  bool is_point (const Format &format, unsigned components) const override
  {
    make_plan (format);
    return ColorOperation::is_point (format, components) && !plan->fixed_point;
  }

  std::optional<PointStep> point_step (Runner &runner, const PlaneTask &) override
  {
    make_plan (runner.format ());
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

  std::string algorithm () const override { return "direct"; }

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

  void make_plan (const Format &format) const
  {
    if (!plan)
      plan = plan_of (format);
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
  Range wanted_range = Range::automatic;
  BlackWhite range{};
  YuvColors colors{};
  mutable std::optional<ColorPlan> plan;
};

const FilterDescription description{
    .long_name = "OpenCL colour matrix",
    .description = "Multiplies colours by a matrix: greyscale, sepia, inversion, swapped or mixed channels",
    .properties = properties,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Matrix> (); },
    .neutral = [] (const Values &values) { return color_matrix_is_identity (matrix_of (values)); },
    .complaint = complaint,
};

GST_CL_DEFINE_FILTER (GstClColorMatrix, gst_cl_color_matrix, clcolormatrix, description)

}  // namespace gst::cl::clcolormatrix

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cladjust: adjusts exposure, contrast, saturation, white balance, shadows, highlights, vibrance and curves. */
#include "adjust/curves.hpp"
#include "filter/gstclfilter.hpp"
#include "shared/color.hpp"
#include "shared/launches.hpp"

#include <gst/cl/gstcl-prelude.h>
#include <gst/video/colorbalance.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

namespace gst::cl::cladjust {

struct AdjustSettings {
  double exposure = 0, brightness = 0, contrast = 1, saturation = 1, hue = 0, temperature = 0, tint = 0, shadows = 0,
         highlights = 0, vibrance = 0;
  std::string curve, curve_red, curve_green, curve_blue;

  bool operator== (const AdjustSettings &) const = default;
  bool has_channel_curves () const { return !(curve_red.empty () && curve_green.empty () && curve_blue.empty ()); }
  bool has_curves () const { return !curve.empty () || has_channel_curves (); }
  bool is_balance_alone () const
  {
    return *this == AdjustSettings{.brightness = brightness, .contrast = contrast, .saturation = saturation, .hue = hue};
  }
  bool is_curve_alone () const
  {
    return has_curves ()
           && *this
                  == AdjustSettings{
                      .curve = curve, .curve_red = curve_red, .curve_green = curve_green, .curve_blue = curve_blue};
  }
};

std::optional<std::string>
complaint (const std::string &text)
{
  std::string error = parse_curve (text).error;
  return error.empty () ? std::nullopt : std::optional (std::move (error));
}

constexpr Property properties[] = {
    property<&AdjustSettings::exposure> ("exposure", "In stops: 1 doubles the light", -10, 10),
    property<&AdjustSettings::brightness> ("brightness", "Added to luma, as a fraction of full scale", -1, 1),
    property<&AdjustSettings::contrast> ("contrast", "Factor applied to luma above black", 0, 4),
    property<&AdjustSettings::saturation> ("saturation", "Factor applied to colour; 0 gives grey", 0, 4),
    property<&AdjustSettings::hue> ("hue", "Rotates all colours, in half turns", -1, 1),
    property<&AdjustSettings::temperature> ("temperature", "White balance from blue (-1) to amber (1)", -1, 1),
    property<&AdjustSettings::tint> ("tint", "White balance from green (-1) to magenta (1)", -1, 1),
    property<&AdjustSettings::shadows> ("shadows", "Darkens (-1) or lifts (1) dark areas; black stays black", -1, 1),
    property<&AdjustSettings::highlights> ("highlights", "Darkens (-1) or lifts (1) bright areas; white stays white", -1, 1),
    property<&AdjustSettings::vibrance> ("vibrance", "Saturates (1) or fades (-1) pale colours more than strong ones", -1, 1),
    property<&AdjustSettings::curve> (
        "curve", "Tone curve for red, green and blue, through points: \"x y; x y; ...\"", complaint),
    property<&AdjustSettings::curve_red> ("curve-red", "Tone curve for red, applied after curve", complaint),
    property<&AdjustSettings::curve_green> ("curve-green", "Tone curve for green, applied after curve", complaint),
    property<&AdjustSettings::curve_blue> ("curve-blue", "Tone curve for blue, applied after curve", complaint),
};

/* The curves of all channels, red, green and blue, in the layout of kernels/adjust/adjust.clh. */
struct CurveTable {
  std::vector<float> numbers{0};
  Options options{{"CURVE_PIECES_", 1}, {"CURVE_STEPS_", 0}, {"CURVE_OF_ALL_", 0}, {"CURVE_OF_EACH_", 0}};
};

/* The curves of all channels, red, green and blue. */
using Curves = std::array<Curve, 4>;

Curves
curves_of (const AdjustSettings &settings)
{
  const auto curve = [] (const std::string &text) { return make_curve (parse_curve (text).points); };
  return {curve (settings.curve), curve (settings.curve_red), curve (settings.curve_green), curve (settings.curve_blue)};
}

/* The number of cells between 0 and 1, as in the kernel. */
constexpr int cells = 1024;

int
cell_of (float begin)
{
  return std::clamp (int (begin * cells), 0, cells - 1);
}

/* The largest number of pieces that begin within one cell after its start, as a power of two, so that curves share programs. */
int
steps_of (const Curves &curves)
{
  int most = 1;
  for (const Curve &curve : curves) {
    std::array<int, cells> begin{};
    for (const CurvePiece &piece : curve.pieces)
      most = std::max (most, ++begin[cell_of (float (piece.begin))]);
  }
  return int (std::bit_ceil (unsigned (most)));
}

CurveTable
curve_table (const AdjustSettings &settings, const Curves &curves)
{
  constexpr size_t most_to_add = 16;
  constexpr int numbers_before = 2, numbers_of_piece = 6;
  const size_t most = std::ranges::max (curves, {}, [] (const Curve &each) { return each.pieces.size (); }).pieces.size ();
  /* also a power of two; if pieces are found by an index, one more follows that is never reached */
  const bool has_index = most > most_to_add;
  const size_t pieces = std::bit_ceil (most) + has_index;
  CurveTable table{{}, {{"CURVE_PIECES_", int (pieces)}, {"CURVE_STEPS_", has_index ? steps_of (curves) : 0},
                           {"CURVE_OF_ALL_", !settings.curve.empty ()}, {"CURVE_OF_EACH_", settings.has_channel_curves ()}}};
  for (const Curve &curve : curves) {
    table.numbers.insert (table.numbers.end (), {float (curve.least), float (curve.most)});
    /* no piece is found there, and the kernel adds any of it 0 times */
    std::vector<CurvePiece> all = curve.pieces;
    all.resize (pieces, {.begin = std::numeric_limits<float>::max ()});
    for (const CurvePiece &piece : all)
      for (const double v : {piece.begin, piece.scale, piece.c[0], piece.c[1], piece.c[2], piece.c[3]})
        table.numbers.push_back (float (v));
    for (int cell = 0, piece = 0; has_index && cell < cells; cell++) {
      while (cell > 0 && float (all[size_t (piece + 1)].begin) <= float (cell) / cells)
        piece++;
      table.numbers.push_back (float (numbers_before + numbers_of_piece * piece));
    }
  }
  return table;
}

class Adjust : public With<AdjustSettings, ColorFilter> {
public:
  void changed () override
  {
    balances = settings.is_balance_alone ();
    is_curve_alone = settings.is_curve_alone ();
    curves = curves_of (settings);
    table = settings.has_curves () ? curve_table (settings, curves) : CurveTable{};
    map = {};
    algorithm = balances ? "balance" : "steps";
  }

  std::optional<PointStep> point_step (Runner &runner, const PlaneTask &task) override
  {
    static constexpr const char *sources[] = {"shared/color.clh", "adjust/adjust.clh"}, *table_sources[] = {"shared/table.clh"};
    if (runner.format ().model == ColorModel::yuv && balances)
      return PointStep{.kind = "BALANCE",
          .kind_of_gray = "BALANCE",
          .sources = sources,
          .gray = PointStep::Gray::lost,
          .arguments = balance (runner.format ()),
          .mixes = false};
    if (maps (runner.format ()))
      return PointStep{.kind = "TABLE",
          .kind_of_gray = "TABLE",
          .sources = table_sources,
          .gray = PointStep::Gray::lost,
          .arguments = {map_of (runner, *task.src.layout)},
          .options = {{"TABLE_APART_", true}}};
    return PointStep{.kind = "ADJUST",
        .kind_of_gray = "ADJUST",
        .sources = sources,
        .gray = PointStep::Gray::lost,
        .arguments =
            spaces.arguments (*task.src.layout, {runner.memory.table ("curves", table.numbers), numbers (runner.format ())}),
        .options = table.options,
        .item_bytes = 4};
  }

  /* a table without other changes has a faster kernel */
  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    if (!maps (runner.format ()))
      return ColorFilter::plan (runner, task);
    return {"", map_launch (runner, task, map_of (runner, *task.src.layout), task.samples_per_pixel ())};
  }

private:
  /* Whether each sample of the result depends on one sample. */
  bool maps (const Format &format) const { return is_curve_alone && format.model != ColorModel::yuv; }

  /* Applies the curves to a sample of a component of R'G'B', or of grey, whose three components are equal. */
  double on_curves (double v, int component, const Format &format) const
  {
    const auto along = [&] (int channel) { return curves[1 + channel](curves[0](v)); };
    if (format.model != ColorModel::gray)
      return along (component);
    const YuvColors colors = spaces.colors ();
    return colors.red * along (0) + (1 - colors.red - colors.blue) * along (1) + colors.blue * along (2);
  }

  /* The table of all values, for each sample of a pixel. */
  const ::cl::Buffer &map_of (Runner &runner, const PlaneLayout &layout)
  {
    const Format &format = runner.format ();
    const BlackWhite range = spaces.range ();
    if (map.samples.empty () || !(map.range == range)) {
      map = {range, {}};
      algorithm = "table";
      const double black = range.black, reach = range.white - range.black;
      for (int i = 0; i < layout.samples_per_pixel; i++)
        for (int v = 0; v <= format.max_value (); v++) {
          const int component = layout.components[i];
          const bool changes = component == first || component == second || component == third;
          const double to = changes ? black + reach * on_curves ((v - black) / reach, component, format) : v;
          map.samples.push_back (guint16 (std::nearbyint (std::clamp (to, 0.0, double (format.max_value ())))));
        }
    }
    if (format.sample_size () == 2)
      return runner.memory.table ("map", map.samples);
    return runner.memory.table ("map", std::vector<guint8> (map.samples.begin (), map.samples.end ()));
  }

  /* Luma and chroma separately. */
  Arguments balance (const Format &format) const
  {
    const double black = spaces.range ().black, contrast = settings.contrast, turn = M_PI * settings.hue;
    const double offset = black * (1 - contrast) + settings.brightness * format.max_value ();
    return {cl_float4{{cl_float (contrast), cl_float (offset), cl_float (std::cos (turn) * settings.saturation),
                cl_float (std::sin (turn) * settings.saturation)}},
        cl_float (format.neutral_chroma ())};
  }

  /* struct adjust of the kernel. */
  ValueArgument numbers (const Format &format) const
  {
    /* like videobalance, which treats RGB as limited-range YUV for brightness */
    constexpr double rgb_brightness = 255 / 219.0;
    const auto [black, white] = spaces.range ();
    const double unit = format.model == ColorModel::rgb ? rgb_brightness : double (format.max_value ()) / (white - black);
    /* the transfer function is a power of 2.2, so twice the light is one factor */
    const double light = std::exp2 (settings.exposure / 2.2);
    const double red = std::exp2 (settings.temperature / 2), blue = 1 / red, green = std::exp2 (-settings.tint / 2);
    const double gray = 0.299 * red + 0.587 * green + 0.114 * blue, turn = M_PI * settings.hue;
    std::vector<float> all;
    for (const double v : {light * red / gray, light * green / gray, light * blue / gray, settings.shadows, settings.highlights,
             settings.contrast, settings.brightness * unit, std::cos (turn) * settings.saturation,
             std::sin (turn) * settings.saturation, settings.vibrance})
      all.push_back (float (v));
    return ValueArgument (all);
  }

  /* balances: whether brightness, contrast, saturation and hue are the only changes */
  bool balances = false, is_curve_alone = false;
  Curves curves;
  CurveTable table;
  struct Map {
    BlackWhite range;
    std::vector<guint16> samples;
  };
  /* for curves without other changes; made when it is first needed */
  Map map{};
};

constexpr int least = -1000, most = 1000;

/** A channel's label, its property, and the values of that property at 0 and 1000. */
struct Channel {
  const char *label, *property;
  double middle;
};
constexpr Channel channels[] = {
    {"HUE", "hue", 0}, {"SATURATION", "saturation", 1}, {"BRIGHTNESS", "brightness", 0}, {"CONTRAST", "contrast", 1}};

/* All elements share the same four, which describe the channels, not their values. */
const GList *
list_channels (GstColorBalance *)
{
  static const GList *const list = [] {
    GList *made = nullptr;
    for (const Channel &each : channels) {
      auto *channel = static_cast<GstColorBalanceChannel *> (g_object_new (GST_TYPE_COLOR_BALANCE_CHANNEL, nullptr));
      channel->label = g_strdup (each.label);
      channel->min_value = least;
      channel->max_value = most;
      made = g_list_append (made, channel);
    }
    return made;
  }();
  return list;
}

const Channel *
find (const GstColorBalanceChannel *wanted)
{
  const auto found =
      std::ranges::find_if (channels, [&] (const Channel &c) { return !g_ascii_strcasecmp (c.label, wanted->label); });
  return found == std::end (channels) ? nullptr : found;
}

void
set_value (GstColorBalance *balance, GstColorBalanceChannel *wanted, gint value)
{
  const Channel *channel = find (wanted);
  if (!channel)
    return;
  g_object_set (balance, channel->property, channel->middle + std::clamp (value, least, most) / double (most), nullptr);
}

gint
get_value (GstColorBalance *balance, GstColorBalanceChannel *wanted)
{
  const Channel *channel = find (wanted);
  if (!channel)
    return 0;
  gdouble value = 0;
  g_object_get (balance, channel->property, &value, nullptr);
  return std::clamp (int (std::lround ((value - channel->middle) * most)), least, most);
}

/* Emits value-changed for the property's channel. */
void
announce (GObject *object, GParamSpec *property)
{
  for (const GList *each = list_channels (nullptr); each; each = each->next) {
    auto *wanted = static_cast<GstColorBalanceChannel *> (each->data);
    if (g_str_equal (find (wanted)->property, property->name))
      gst_color_balance_value_changed (GST_COLOR_BALANCE (object), wanted, get_value (GST_COLOR_BALANCE (object), wanted));
  }
}

void
interface_init (gpointer interface, gpointer)
{
  auto *balance = static_cast<GstColorBalanceInterface *> (interface);
  balance->list_channels = list_channels;
  balance->set_value = set_value;
  balance->get_value = get_value;
  balance->get_balance_type = [] (GstColorBalance *) { return GST_COLOR_BALANCE_HARDWARE; };
}

/* Adds the interface by which players show sliders to a type: four channels of -1000 to 1000, with videobalance's names and
 * scales. */
void
implement_color_balance (GType type)
{
  const GInterfaceInfo info{interface_init, nullptr, nullptr};
  g_type_add_interface_static (type, GST_TYPE_COLOR_BALANCE, &info);
}

const FilterDescription description{
    .long_name = "OpenCL colour adjustment",
    .description = "Exposure, contrast, saturation, white balance, shadows, highlights and curves",
    .properties = properties,
    .operation = operation_type<Adjust> (),
    .neutral = of_settings<[] (const AdjustSettings &settings) { return settings == AdjustSettings{}; }>,
};

GST_CL_DEFINE_FILTER_TYPE (GstClAdjust, gst_cl_adjust, cladjust, GstClFilter, GST_TYPE_CL_FILTER, description, void,
                           implement_color_balance (g_define_type_id);)

static void
gst_cl_adjust_class_init (GstClAdjustClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  G_OBJECT_CLASS (klass)->notify = [] (GObject *object, GParamSpec *property) {
    announce (object, property);
    if (const auto parent_notify = G_OBJECT_CLASS (gst_cl_adjust_parent_class)->notify)
      parent_notify (object, property);
  };
}

}  // namespace gst::cl::cladjust

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cltonemap: shows HDR video on standard (SDR) displays, and converts between PQ, HLG and SDR. SDR video passes unchanged.
 * */
#include "filter/gstclfilter.hpp"
#include "filter/settingstore.hpp"
#include "tonemap/tonemapper.hpp"

#include <gst/gst.h>
#include <mutex>

namespace gst::cl::cltonemap {

constexpr GEnumValue algorithm_values[] = {
    {int (ToneCurve::bt2390), "The curve of report ITU-R BT.2390", "bt2390"},
    {int (ToneCurve::hable), "Hable's filmic curve", "hable"},
    {int (ToneCurve::mobius), "A line, and a Moebius transformation for the brighter part", "mobius"},
    {int (ToneCurve::reinhard), "Reinhard's global operator", "reinhard"},
    {int (ToneCurve::linear), "All light is scaled equally", "linear"},
    {int (ToneCurve::clip), "Light beyond the target's peak is cut off", "clip"},
};

constexpr GEnumValue target_values[] = {
    {int (ToneTarget::sdr), "HDR becomes SDR of BT.709; SDR passes", "sdr"},
    {int (ToneTarget::caps), "The colorimetry that downstream asks for", "caps"},
};

constexpr GEnumValue gamut_values[] = {
    {int (Gamut::relative), "Colours outside move towards grey of the same luminance until they fit", "relative"},
    {int (Gamut::desaturate), "Vivid colours move closer together, so that differences outside are kept", "desaturate"},
    {int (Gamut::clip), "Each component is clamped", "clip"},
};

constexpr Property properties[] = {
    property<&ToneMapSettings::algorithm> (
        "algorithm", "The curve that compresses light", enum_type<"GstClToneMapAlgorithm", algorithm_values>),
    property<&ToneMapSettings::target> (
        "target", "SDR, or the colorimetry of the caps", enum_type<"GstClToneMapTarget", target_values>),
    property<&ToneMapSettings::peak> ("peak", "Brightest light of the video in nits, or auto to measure it", complain_of_peak),
    property<&ToneMapSettings::smoothing> ("smoothing", "Number of frames over which the measured peak is averaged", 0, 600),
    property<&ToneMapSettings::desaturate> ("desaturate", "How much compressed light moves towards grey", 0, 1),
    property<&ToneMapSettings::gamut> (
        "gamut", "Treatment of colours that the target cannot show", enum_type<"GstClToneMapGamut", gamut_values>),
};

constexpr const char *field = "colorimetry";

void
drop_hdr_metadata (GstStructure *structure)
{
  gst_structure_remove_fields (structure, "mastering-display-info", "content-light-level", nullptr);
}

/* Whether text names no HDR colorimetry; if it names one, `sdr` is set to the replacement. */
bool
names_sdr (const gchar *text, gchar *&sdr)
{
  GstVideoColorimetry colorimetry;
  if (!text || !gst_video_colorimetry_from_string (&colorimetry, text) || !is_hdr (colorimetry))
    return true;
  const bool rgb = colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_RGB;
  colorimetry.primaries = GST_VIDEO_COLOR_PRIMARIES_BT709;
  colorimetry.transfer = rgb ? GST_VIDEO_TRANSFER_SRGB : GST_VIDEO_TRANSFER_BT709;
  if (!rgb)
    colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT709;
  sdr = gst_video_colorimetry_to_string (&colorimetry);
  return false;
}

/* Returns true if a value was HDR. */
bool
make_sdr (GValue *value)
{
  gchar *sdr = nullptr;
  if (G_VALUE_HOLDS_STRING (value)) {
    if (names_sdr (g_value_get_string (value), sdr))
      return false;
    g_value_take_string (value, sdr);
    return true;
  }
  bool changed = false;
  if (GST_VALUE_HOLDS_LIST (value))
    for (guint i = 0; i < gst_value_list_get_size (value); i++)
      changed = make_sdr (const_cast<GValue *> (gst_value_list_get_value (value, i))) || changed;
  return changed;
}

/* The caps with SDR in place of every HDR colorimetry, and without fields that only HDR has. */
GstCaps *
sdr_caps (GstCaps *caps)
{
  GstCaps *result = gst_caps_copy (caps);
  for (guint i = 0; i < gst_caps_get_size (result); i++) {
    GstStructure *structure = gst_caps_get_structure (result, i);
    const GValue *said = gst_structure_get_value (structure, field);
    if (!said)
      continue;
    GValue value = G_VALUE_INIT;
    g_value_init (&value, G_VALUE_TYPE (said));
    g_value_copy (said, &value);
    const bool was_hdr = make_sdr (&value);
    gst_structure_take_value (structure, field, &value);
    if (was_hdr)
      drop_hdr_metadata (structure);
  }
  return result;
}

/* Caps of any colorimetry. */
GstCaps *
any_colorimetry (GstCaps *caps)
{
  GstCaps *open = gst_caps_copy (caps);
  for (guint i = 0; i < gst_caps_get_size (open); i++) {
    GstStructure *structure = gst_caps_get_structure (open, i);
    gst_structure_remove_field (structure, field);
    drop_hdr_metadata (structure);
  }
  return open;
}

const FilterDescription description{
    .long_name = "OpenCL tone mapper",
    .klass = "Filter/Converter/Video/Colorspace/Hardware",
    .description = "Converts HDR video to SDR, and between PQ, HLG and SDR",
    .properties = properties,
    .operation = {OperationType::Kind::converter, copy_settings<ToneMapSettings>},
    .neutral = [] (const Values &) { return true; },
    .recolors = true,
    .reach = of_settings<[] (const ToneMapSettings &settings) {
      return FrameReach{.before = parse_peak (settings.peak) ? 0 : unsigned (settings.frames () - 1)};
    }>,
};

struct ToneMapData {
  /** Of the current caps; the mutex protects them. */
  CapsPeaks peaks;
  std::mutex mutex;
  /** Streaming thread only. */
  ToneTarget target{};
};

GST_CL_DEFINE_FILTER_TYPE (GstClToneMap, gst_cl_tone_map, cltonemap, GstClFilter, GST_TYPE_CL_FILTER, description, ToneMapData)

#define GST_CL_TONE_MAP(obj) (reinterpret_cast<GstClToneMap *> (obj))

static std::unique_ptr<Operation>
gst_cl_tone_map_create_operation (GstClFilter *filter)
{
  const std::lock_guard lock (GST_CL_TONE_MAP (filter)->data->mutex);
  return make_tone_mapper (GST_CL_TONE_MAP (filter)->data->peaks);
}

static ToneTarget
target_of (gpointer filter)
{
  return gst_cl_filter_get_store (filter).own_values ().as<ToneMapSettings> ().target;
}

/* For downstream, caps that need no work come first. */
static GstCaps *
gst_cl_tone_map_map_caps (GstClBaseTransform *filter, GstPadDirection direction, GstCaps *caps)
{
  if (direction == GST_PAD_SRC)
    return any_colorimetry (caps);
  if (target_of (filter) == ToneTarget::sdr)
    return sdr_caps (caps);
  return gst_caps_merge (gst_caps_ref (caps), any_colorimetry (caps));
}

/* Hides downstream's preferences from upstream, because the base class would put them first, and a source that can label its
 * video freely would use that label. gst_caps_simplify() would join structures whose rates differ, as those of videorate, to a
 * list with a range in it, which is no subset of them. */
static GstCaps *
gst_cl_tone_map_open_caps (GstClBaseTransform *, GstCaps *possible)
{
  return gst_caps_merge (gst_caps_new_empty (), any_colorimetry (possible));
}

static void
gst_cl_tone_map_learn_caps (GstClBaseTransform *filter, GstCaps *in, GstCaps *out)
{
  const std::lock_guard lock (GST_CL_TONE_MAP (filter)->data->mutex);
  GST_CL_TONE_MAP (filter)->data->peaks = {peak_of_caps (in), peak_of_caps (out)};
}

static bool
gst_cl_tone_map_changes_caps (GstClBaseTransform *filter)
{
  const ToneTarget target = target_of (filter);
  return std::exchange (GST_CL_TONE_MAP (filter)->data->target, target) != target;
}

static void
gst_cl_tone_map_class_init (GstClToneMapClass *klass)
{
  delete_with_instance<&GstClToneMap::data, &gst_cl_tone_map_parent_class> (G_OBJECT_CLASS (klass));
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  klass->parent_class.create_operation = gst_cl_tone_map_create_operation;
  GstClBaseTransformClass *base = &klass->parent_class.parent_class;
  base->map_caps = gst_cl_tone_map_map_caps;
  base->open_caps = gst_cl_tone_map_open_caps;
  base->learn_caps = gst_cl_tone_map_learn_caps;
  base->changes_caps = gst_cl_tone_map_changes_caps;
}

}  // namespace gst::cl::cltonemap

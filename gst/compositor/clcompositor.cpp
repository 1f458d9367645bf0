/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcompositor: combines streams into one picture: each pad's video, of any size, format and rate, is converted, scaled and
 * drawn at its place over the pads below. It has the properties of GStreamer's compositor and gives the same results, on the
 * device. */
#include "compositor/overlays.hpp"
#include "filter/gstclaggregator.hpp"
#include "filter/gstclaggregatorpad.hpp"
#include "filter/runner.hpp"
#include "shared/negotiate.hpp"
#include "shared/pointer.hpp"

#include <algorithm>
#include <atomic>
#include <map>

namespace gst::cl::clcompositor {

constexpr GEnumValue background_values[] = {
    {int (Background::checker), "Checker pattern", "checker"},
    {int (Background::black), "Black", "black"},
    {int (Background::white), "White", "white"},
    {int (Background::transparent), "Transparent, for further compositing", "transparent"},
};

constexpr GEnumValue operator_values[] = {
    {int (Operator::source), "The picture replaces the pictures below", "source"},
    {int (Operator::over), "The picture over the pictures below", "over"},
    {int (Operator::add), "Like over; on a transparent background alphas are added", "add"},
};

constexpr GEnumValue sizing_policy_values[] = {
    {int (SizingPolicy::none), "The picture fills the rectangle", "none"},
    {int (SizingPolicy::keep_aspect_ratio), "The picture keeps its aspect ratio, centred in the rectangle",
        "keep-aspect-ratio"},
};

constexpr Property properties[] = {
    property<&CompositorSettings::background> (
        "background", "The background outside the pictures", enum_type<"GstClCompositorBackground", background_values>),
    property<&CompositorSettings::zero_size_is_unscaled> (
        "zero-size-is-unscaled", "A width or height of 0 means the size of the input; otherwise the picture is hidden"),
    property<&CompositorSettings::draw_regions> ("draw-regions", "Draw the boxes and labels of regions of interest"),
};

constexpr Property pad_properties[] = {
    property<&Placing::x> ("xpos", "Left edge of the picture, in pixels", G_MININT, G_MAXINT),
    property<&Placing::y> ("ypos", "Upper edge of the picture, in pixels", G_MININT, G_MAXINT),
    property<&Placing::width> ("width", "Width of the picture in pixels; -1 for its own", G_MININT, G_MAXINT),
    property<&Placing::height> ("height", "Height of the picture in pixels; -1 for its own", G_MININT, G_MAXINT),
    property<&Placing::alpha> ("alpha", "Opacity of the picture", 0, 1),
    property<&Placing::op> (
        "operator", "How the picture is combined with those below", enum_type<"GstClCompositorOperator", operator_values>),
    property<&Placing::policy> ("sizing-policy", "Whether the picture keeps its aspect ratio",
        enum_type<"GstClCompositorSizingPolicy", sizing_policy_values>),
};

/* A sink pad that has caps. */
struct PadState {
  Ref<GstPad> pad;
  /* with the interlacing of the actual frames */
  GstVideoInfo info;
  Placing placing;
};

/* A result's size and rate. */
struct Extent {
  int width = 1, height = 1, fps_n = 25, fps_d = 1;
};

Extent
extent_of (const std::vector<PadState> &pads, PixelShape par, bool zero_is_unscaled)
{
  Extent extent;
  double best_rate = 0;
  for (const PadState &each : pads) {
    const Rect rect = place_picture (each.placing, each.info, par, zero_is_unscaled);
    if (rect.empty ())
      continue;
    /* the free space before the picture is also after it */
    const auto reach = [] (int length, int set, int place) { return length + std::max (2 * place - set, 0); };
    extent.width = std::max (extent.width, reach (rect.width, each.placing.x, rect.x));
    extent.height = std::max (extent.height, reach (rect.height, each.placing.y, rect.y));
    const int n = GST_VIDEO_INFO_FPS_N (&each.info), d = GST_VIDEO_INFO_FPS_D (&each.info);
    if (d > 0 && double (n) / d > best_rate) {
      best_rate = double (n) / d;
      extent.fps_n = n;
      extent.fps_d = d;
    }
  }
  return extent;
}

/* The pad with the most pixels, among pads with alpha if with_alpha; null if there is none. */
const GstVideoInfo *
largest (const std::vector<PadState> &pads, bool with_alpha)
{
  std::map<GstVideoFormat, gint64> pixels;
  const GstVideoInfo *best = nullptr;
  gint64 most = 0;
  for (const PadState &each : pads) {
    if (with_alpha && !GST_VIDEO_INFO_HAS_ALPHA (&each.info))
      continue;
    gint64 &count = pixels[GST_VIDEO_INFO_FORMAT (&each.info)];
    count += gint64 (GST_VIDEO_INFO_WIDTH (&each.info)) * GST_VIDEO_INFO_HEIGHT (&each.info);
    if (count > most) {
      most = count;
      best = &each.info;
    }
  }
  return best;
}

/* The format of the result, for at least one pad. */
GstVideoInfo
best_info (const std::vector<PadState> &pads)
{
  const bool needs_alpha = std::ranges::any_of (
      pads, [] (const PadState &each) { return each.placing.op == Operator::add || GST_VIDEO_INFO_HAS_ALPHA (&each.info); });
  const GstVideoInfo &best = *largest (pads, false);
  if (!needs_alpha)
    return best;
  if (const GstVideoInfo *found = largest (pads, true))
    return *found;
  GstVideoInfo argb;
  gst_video_info_set_format (&argb, GST_VIDEO_FORMAT_ARGB, 1, 1);
  argb.colorimetry.primaries = GST_VIDEO_INFO_COLORIMETRY (&best).primaries;
  argb.colorimetry.transfer = GST_VIDEO_INFO_COLORIMETRY (&best).transfer;
  return argb;
}

/* Returns the part of caps with the largest picture's interlacing, or progressive, if there is any. Takes ownership of caps. */
GstCaps *
keep_fields (const std::vector<PadState> &pads, GstCaps *possible)
{
  const auto area = [] (const PadState &each) {
    return gint64 (GST_VIDEO_INFO_WIDTH (&each.info)) * GST_VIDEO_INFO_HEIGHT (&each.info);
  };
  const GstVideoInterlaceMode mode = pads.empty ()
                                         ? GST_VIDEO_INTERLACE_MODE_PROGRESSIVE
                                         : GST_VIDEO_INFO_INTERLACE_MODE (&std::ranges::max_element (pads, {}, area)->info);
  g_autoptr (GstCaps) same =
      gst_caps_new_simple ("video/x-raw", "interlace-mode", G_TYPE_STRING, gst_video_interlace_mode_to_string (mode), nullptr);
  gst_caps_set_features_simple (same, gst_caps_features_new_any ());
  GstCaps *kept = gst_caps_intersect_full (possible, same, GST_CAPS_INTERSECT_FIRST);
  if (gst_caps_is_empty (kept))
    std::swap (kept, possible);
  gst_caps_unref (possible);
  return kept;
}

/* The states of the pads in zorder. */
std::vector<PadState>
pad_states (GstElement *element)
{
  std::vector<PadState> pads;
  for (const Ref<GstPad> &pad : sink_pads_of (element)) {
    if (const InputVideo video = gst_cl_aggregator_pad_video (pad.get ()); video.is_known ())
      pads.push_back ({pad, video.info, gst_cl_aggregator_pad_latch (pad.get ()).as<Placing> ()});
  }
  return pads;
}

/* Returns the part of caps that suits the pads best: the format of the most pixels, with alpha if any pad needs it, a size that
 * shows all pads, and the highest rate. Takes ownership of caps. */
GstCaps *
fixate_result (const std::vector<PadState> &pads, GstCaps *possible, bool zero_is_unscaled)
{
  possible = gst_caps_make_writable (keep_fields (pads, possible));
  if (pads.empty ()) {
    for (guint i = 0; i < gst_caps_get_size (possible); i++)
      gst_structure_fixate_field_nearest_fraction (gst_caps_get_structure (possible, i), "framerate", 25, 1);
    return gst_caps_fixate (possible);
  }
  GstVideoInfo info = best_info (pads);
  for (guint i = 0; i < gst_caps_get_size (possible); i++) {
    GstStructure *structure = gst_caps_get_structure (possible, i);
    PixelShape par{1, 1};
    if (gst_structure_has_field (structure, "pixel-aspect-ratio")) {
      gst_structure_fixate_field_nearest_fraction (structure, "pixel-aspect-ratio", 1, 1);
      gst_structure_get_fraction (structure, "pixel-aspect-ratio", &par.n, &par.d);
    } else { /* otherwise a conversion would choose one that keeps the aspect ratio */
      gst_structure_set (structure, "pixel-aspect-ratio", GST_TYPE_FRACTION, par.n, par.d, nullptr);
    }
    const Extent extent = extent_of (pads, par, zero_is_unscaled);
    gst_structure_fixate_field_nearest_int (structure, "width", extent.width);
    gst_structure_fixate_field_nearest_int (structure, "height", extent.height);
    gst_structure_fixate_field_nearest_fraction (structure, "framerate", extent.fps_n, extent.fps_d);
    info.width = extent.width;
    info.height = extent.height;
  }
  info.par_n = info.par_d = 1;
  g_autoptr (GstCaps) from = gst_video_info_to_caps (&info);
  return fixate_conversion (from, possible, true);
}

/* The data that is kept for a pad. */
struct PadWork : InputWork {
  explicit PadWork (guint64 serial_) : serial (serial_) {}

  const guint64 serial;
  Layer layer;
  Overlays overlays;
};

std::atomic<guint64> last_serial = 0;

/* Whether the frame has two fields. A frame of one row has only one. */
bool
has_fields (const ComposeInput &input)
{
  return is_interlaced (input.info, input.buffer) && GST_VIDEO_INFO_HEIGHT (&input.info) > 1;
}

bool
has_fields (const ComposeTask &task)
{
  const GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (&task.dst_info);
  return mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
         || (mode == GST_VIDEO_INTERLACE_MODE_MIXED
             && std::ranges::any_of (task.inputs, [] (const ComposeInput &each) { return has_fields (each); }));
}

class FrameComposer : public With<CompositorSettings, Composer> {
public:
  FrameComposer () : serial (++last_serial) { algorithm = "layers"; }

  /* Excludes pictures that an opaque one hides. A mixed result takes its interlacing from any input. */
  std::vector<bool> shown (std::span<const GstVideoInfo *const> inputs, const GstVideoInfo &result) const override
  {
    std::vector<bool> is_shown;
    std::vector<Rect> seen;
    for (size_t i = 0; i < inputs.size (); i++) {
      const LayerPlace placement = place (i, *inputs[i], result);
      seen.push_back (visible_part (placement.rect, GST_VIDEO_INFO_WIDTH (&result), GST_VIDEO_INFO_HEIGHT (&result)));
      if (GST_VIDEO_INFO_INTERLACE_MODE (&result) == GST_VIDEO_INTERLACE_MODE_MIXED) {
        is_shown.push_back (true);
        continue;
      }
      is_shown.push_back (!seen[i].empty () && placement.alpha > 0);
      if (is_shown[i] && hides (find_format (GST_VIDEO_INFO_FORMAT (inputs[i]))->seen_by_filters (), placement))
        for (size_t below = 0; below < i; below++)
          is_shown[below] = is_shown[below] && !contains (seen[i], seen[below]);
    }
    return is_shown;
  }

  void compose (Runner &writer, const ComposeTask &task) override
  {
    const Canvas canvas{.planes = task.dst,
        .format = task.dst_format,
        .colors = task.dst_info,
        .width = GST_VIDEO_INFO_WIDTH (&task.dst_info),
        .height = GST_VIDEO_INFO_HEIGHT (&task.dst_info),
        .is_opaque = settings.background != Background::transparent,
        .interlaced = has_fields (task)};
    std::vector<LayerPlace> places;
    bool is_covered = false;
    for (const ComposeInput &each : task.inputs) {
      places.push_back (place (each.number, each.info, task.dst_info));
      is_covered =
          is_covered
          || (hides (each.format, places.back ()) && contains (places.back ().rect, {0, 0, canvas.width, canvas.height}));
    }
    if (!is_covered)
      fill_background (writer, canvas, task.dst_info);
    for (size_t i = 0; i < places.size (); i++)
      draw (writer, canvas, task.inputs[i], places[i], task.profile);
  }

private:
  LayerPlace place (size_t number, const GstVideoInfo &picture, const GstVideoInfo &result) const
  {
    const PixelShape par{GST_VIDEO_INFO_PAR_N (&result), GST_VIDEO_INFO_PAR_D (&result)};
    const auto &placing = pads[number].as<Placing> ();
    const Rect placed = place_picture (placing, picture, par, settings.zero_size_is_unscaled);
    /* chroma siting moves no part of an outside picture into the result */
    const bool outside = visible_part (placed, GST_VIDEO_INFO_WIDTH (&result), GST_VIDEO_INFO_HEIGHT (&result)).empty ();
    /* nor do interlaced rows move into the other field */
    const int rows = int (GST_VIDEO_FORMAT_INFO_H_SUB (result.finfo, 1)) + GST_VIDEO_INFO_IS_INTERLACED (&result);
    return {
        on_chroma (placed, int (GST_VIDEO_FORMAT_INFO_W_SUB (result.finfo, 1)), rows), outside ? 0 : placing.alpha, placing.op};
  }

  void fill_background (Runner &writer, const Canvas &canvas, const GstVideoInfo &info) const
  {
    const std::array<int, 4> black = black_of (info, canvas.format), white = white_of (info, canvas.format);
    std::array<int, 4> even = black, odd = black;
    switch (settings.background) {
      case Background::checker: {
        const int scale = 1 << (canvas.format.depth - 8), dark = 80 * scale, bright = 160 * scale;
        const bool is_yuv = canvas.format.model == ColorModel::yuv;
        for (const int component : {first, second, third})
          if (component == first || !is_yuv) {
            even[component] = dark;
            odd[component] = bright;
          }
        break;
      }
      case Background::white:
        even = odd = white;
        break;
      case Background::transparent:
        even[alpha] = odd[alpha] = 0;
        break;
      default:
        break;
    }
    fill_squares (writer, canvas, {0, 0, canvas.width, canvas.height}, even, odd);
  }

  void draw (Runner &writer, const Canvas &canvas, ComposeInput &input, const LayerPlace &placement, bool profile)
  {
    auto *work = static_cast<PadWork *> (input.work.get ());
    if (!work || work->serial != serial)
      input.work.reset (work = new PadWork (serial));
    const std::vector<GstVideoOverlayRectangle *> overlays = overlays_of (input.buffer);
    const std::vector<Region> regions = settings.draw_regions ? regions_of (input.buffer) : std::vector<Region> ();
    const auto decorate = [&] (const Canvas &on, int x, int y) {
      const PictureScale scale{double (placement.rect.width) / GST_VIDEO_INFO_WIDTH (&input.info),
          double (placement.rect.height) / GST_VIDEO_INFO_HEIGHT (&input.info), x, y};
      work->overlays.draw (writer, on, overlays, scale, profile);
      draw_regions (writer, on, regions, scale);
    };
    const bool decorated = !overlays.empty () || !regions.empty ();
    const Picture picture{.reader = input.reader,
        .planes = std::span (input.planes).first (input.format.n_planes),
        .format = input.format,
        .info = input.info,
        .interlaced = has_fields (input)};
    work->layer.draw (writer, canvas, picture, placement, decorated ? Layer::Decorate (decorate) : nullptr);
  }

  /* Distinguishes this composer's data among the data of inputs. */
  const guint64 serial;
};

const AggregatorDescription description{
    .filter =
        {
            .long_name = "OpenCL compositor",
            .klass = "Filter/Editor/Video/Compositor/Hardware",
            .description = "Combines streams of any size, format and rate into one picture",
            .properties = properties,
            .operation = operation_type<FrameComposer> (),
            .every_format = true,
        },
    .pad_properties = pad_properties,
    .pad_settings = copy_settings<Placing>,
};

GST_CL_DEFINE_AGGREGATOR_TYPES (GstClCompositor, gst_cl_compositor, clcompositor, description)

static bool
zero_is_unscaled (gpointer self)
{
  gboolean is = TRUE;
  g_object_get (self, "zero-size-is-unscaled", &is, nullptr);
  return is;
}

/* Sends the event to every picture under the pointer, with the position in that picture. */
static void
hand_on_pointer (GstElement *self, GstEvent *event, double x, double y)
{
  const GstVideoInfo &result = GST_VIDEO_AGGREGATOR (self)->info;
  const PixelShape par{GST_VIDEO_INFO_PAR_N (&result), GST_VIDEO_INFO_PAR_D (&result)};
  for (const PadState &each : pad_states (self)) {
    const Rect rect = place_picture (each.placing, each.info, par, zero_is_unscaled (self));
    if (rect.empty () || x < rect.x || y < rect.y || x > rect.x + rect.width || y > rect.y + rect.height)
      continue;
    const auto place = [&] (double &x, double &y) {
      x = (x - rect.x) * GST_VIDEO_INFO_WIDTH (&each.info) / rect.width;
      y = (y - rect.y) * GST_VIDEO_INFO_HEIGHT (&each.info) / rect.height;
    };
    gst_pad_push_event (each.pad.get (), move_pointer (gst_event_copy (event), place));
  }
}

static void
gst_cl_compositor_class_init (GstClCompositorClass *klass)
{
  gst_cl_aggregator_class_set_description (&klass->parent_class, &description, gst_cl_compositor_pad_get_type ());
  gst_cl_aggregator_class_publish_inactive_pads (G_OBJECT_CLASS (klass));
  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS (klass);
  aggregator->fixate_src_caps = [] (GstAggregator *aggregator, GstCaps *caps) -> GstCaps * {
    return fixate_result (pad_states (GST_ELEMENT (aggregator)), caps, zero_is_unscaled (aggregator));
  };
  aggregator->src_event = [] (GstAggregator *aggregator, GstEvent *event) -> gboolean {
    gdouble x, y;
    if (GST_EVENT_TYPE (event) != GST_EVENT_NAVIGATION || !pointer_of (event, x, y))
      return GST_AGGREGATOR_CLASS (gst_cl_compositor_parent_class)->src_event (aggregator, event);
    hand_on_pointer (GST_ELEMENT (aggregator), event, x, y);
    gst_event_unref (event);
    return TRUE;
  };
}

GST_ELEMENT_REGISTER_DEFINE (clcompositor, "clcompositor", GST_RANK_NONE, gst_cl_compositor_get_type ())

}  // namespace gst::cl::clcompositor

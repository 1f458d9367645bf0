/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compositor/composer.hpp"

#include "compositor/regions.hpp"

#include <algorithm>
#include <atomic>

namespace gst::cl {

namespace {

/* What is kept of a pad. */
struct PadWork : InputWork {
  explicit PadWork (guint64 serial_) : serial (serial_) {}

  const guint64 serial;
  Layer layer;
  Overlays overlays;
};

std::atomic<guint64> last_serial = 0;

}  // namespace

struct FrameComposer::Drawing {
  ComposeInput *input;
  LayerPlace placement;

  Picture picture () const
  {
    return {.reader = input->reader,
        .planes = std::span (input->planes).first (input->format.n_planes),
        .format = input->format,
        .info = input->info};
  }
};

FrameComposer::FrameComposer () : serial (++last_serial) {}

/* The visible pictures, without hidden ones. */
std::vector<FrameComposer::Drawing>
FrameComposer::place (const ComposeTask &task) const
{
  const int width = GST_VIDEO_INFO_WIDTH (&task.dst_info), height = GST_VIDEO_INFO_HEIGHT (&task.dst_info);
  const PixelShape par{GST_VIDEO_INFO_PAR_N (&task.dst_info), GST_VIDEO_INFO_PAR_D (&task.dst_info)};
  const GstVideoFormatInfo *format = task.dst_info.finfo;
  std::vector<Drawing> drawings;
  for (size_t i = 0; i < task.inputs.size (); i++) {
    const Placing placing (*values, unsigned (N_ELEMENT_PROPERTIES + i * N_PAD_PROPERTIES));
    const Rect rect = on_chroma (place_picture (placing, task.inputs[i].info, par, values->boolean (ZERO_SIZE_IS_UNSCALED)),
        int (GST_VIDEO_FORMAT_INFO_W_SUB (format, 1)), int (GST_VIDEO_FORMAT_INFO_H_SUB (format, 1)));
    const Rect seen = visible_part (rect, width, height);
    if (seen.empty () || placing.alpha == 0)
      continue;
    const Drawing drawing{&task.inputs[i], {rect, placing.alpha, placing.op}};
    if (hides (drawing.picture (), drawing.placement))
      std::erase_if (
          drawings, [&] (const Drawing &below) { return contains (seen, visible_part (below.placement.rect, width, height)); });
    drawings.push_back (drawing);
  }
  return drawings;
}

void
FrameComposer::fill_background (Runner &writer, const Canvas &canvas, const GstVideoInfo &info) const
{
  const std::array<int, 4> black = black_of (info, canvas.format), white = white_of (info, canvas.format);
  std::array<int, 4> even = black, odd = black;
  switch (background ()) {
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

void
FrameComposer::draw (Runner &writer, const Canvas &canvas, const Drawing &drawing, bool profile)
{
  const ComposeInput &input = *drawing.input;
  const LayerPlace &placement = drawing.placement;
  auto *work = static_cast<PadWork *> (input.work.get ());
  if (!work || work->serial != serial)
    input.work.reset (work = new PadWork (serial));
  const std::vector<GstVideoOverlayRectangle *> overlays = overlays_of (input.buffer);
  const std::vector<Region> regions = values->boolean (DRAW_REGIONS) ? regions_of (input.buffer) : std::vector<Region> ();
  const auto decorate = [&] (const Canvas &on, int x, int y) {
    const PictureScale scale{double (placement.rect.width) / GST_VIDEO_INFO_WIDTH (&input.info),
        double (placement.rect.height) / GST_VIDEO_INFO_HEIGHT (&input.info), x, y};
    work->overlays.draw (writer, on, overlays, scale, profile);
    draw_regions (writer, on, regions, scale);
  };
  const bool decorated = !overlays.empty () || !regions.empty ();
  work->layer.draw (writer, canvas, drawing.picture (), placement, decorated ? Layer::Decorate (decorate) : nullptr);
}

void
FrameComposer::compose (Runner &writer, const ComposeTask &task)
{
  const Canvas canvas{.planes = task.dst,
      .format = task.dst_format,
      .colors = task.dst_info,
      .width = GST_VIDEO_INFO_WIDTH (&task.dst_info),
      .height = GST_VIDEO_INFO_HEIGHT (&task.dst_info),
      .is_opaque = background () != Background::transparent};
  const std::vector<Drawing> drawings = place (task);
  const Rect all{0, 0, canvas.width, canvas.height};
  const auto covers = [&] (const Drawing &each) {
    return hides (each.picture (), each.placement) && contains (each.placement.rect, all);
  };
  if (std::ranges::none_of (drawings, covers))
    fill_background (writer, canvas, task.dst_info);
  for (const Drawing &each : drawings)
    draw (writer, canvas, each, task.profile);
}

}  // namespace gst::cl

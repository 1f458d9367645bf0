/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/imagestage.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

/* The first supported image format with enough channels; filters ignore surplus channels. */
std::optional<::cl::ImageFormat>
choose_image_format (const ::cl::Context &context, int channels, cl_channel_type type)
{
  constexpr std::pair<cl_channel_order, int> orders[] = {{CL_R, 1}, {CL_RG, 2}, {CL_RGBA, 4}};
  std::vector<::cl::ImageFormat> known;
  context.getSupportedImageFormats (CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, &known);
  for (const auto &[order, n] : orders) {
    const auto same = [&] (const ::cl::ImageFormat &each) {
      return each.image_channel_order == order && each.image_channel_data_type == type;
    };
    if (n >= channels && std::ranges::any_of (known, same))
      return ::cl::ImageFormat (order, type);
  }
  return {};
}

}  // namespace

ImageStage::ImageStage (const ContextRef &context, const GstVideoInfo &info, bool source_, bool result_)
    : format (*find_format (GST_VIDEO_INFO_FORMAT (&info))), source (source_), result (result_)
{
  if (Context::of (context.get ()).device.has_images)
    for (int i = 0; i < format.n_planes; i++)
      make_images (i, context, info);
}

void
ImageStage::make_images (int plane, const ContextRef &context, const GstVideoInfo &info)
{
  const ::cl::Context &handle = Context::of (context.get ()).handle;
  const PlaneLayout &layout = format.planes[plane];
  if (layout.samples_per_pixel == 3)
    return; /* no texture has this format, either */
  /* GStreamer's textures split 16-bit gray */
  const bool split = format.model == ColorModel::gray && format.sample_bits == 16;
  const std::optional<::cl::ImageFormat> chosen = choose_image_format (
      handle, split ? 2 : layout.samples_per_pixel, format.sample_bits == 8 || split ? CL_UNORM_INT8 : CL_UNORM_INT16);
  if (!chosen)
    return;
  const auto view = [&] {
    const int width = plane_width (layout, GST_VIDEO_INFO_WIDTH (&info));
    const int height = plane_height (layout, GST_VIDEO_INFO_HEIGHT (&info));
    return PlaneView{.memory = ::cl::Image2D (handle, CL_MEM_READ_WRITE, *chosen, width, height),
        .offset = 0,
        .stride = 1,
        .width = width,
        .height = height,
        .layout = &layout,
        .image = true,
        .split = split};
  };
  if (source)
    staged[plane].source = view ();
  if (result)
    staged[plane].result = view ();
}

void
ImageStage::run (
    Runner &runner, const Planes &from, const Planes &to, const std::function<void (const Planes &, const Planes &)> &filter)
{
  Planes sources = from, results = to;
  for (int i = 0; i < format.n_planes; i++) {
    if (staged[i].source.image && !from[i].image) {
      copy_plane (runner, from[i], staged[i].source);
      sources[i] = staged[i].source;
    }
    if (staged[i].result.image && !to[i].image)
      results[i] = staged[i].result;
  }
  filter (sources, results);
  for (int i = 0; i < format.n_planes; i++)
    if (results[i].image && !to[i].image)
      copy_plane (runner, results[i], to[i]);
}

}  // namespace gst::cl

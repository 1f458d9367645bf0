/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/arithmetic.hpp"
#include "flip/flip.hpp"

namespace gst::cl {

namespace {

constexpr size_t flip_item_bytes = 4;

WorkSize
one_item_a_word (const PlaneView &plane, size_t pixel_bytes)
{
  constexpr size_t local_x = 8, local_y = 16;
  const size_t pixels = std::max<size_t> (1, flip_item_bytes / pixel_bytes);
  return {{round_up (divide_up (size_t (plane.width), pixels), local_x), round_up (size_t (plane.height), local_y)},
      {local_x, local_y}};
}

class FlipOperation : public Converter {
public:
  explicit FlipOperation (const Flip &flip_) : flip (flip_) {}

  void update (const Values &) override {}

  void convert (Runner &runner, const ConvertTask &task) override
  {
    const Rect kept = kept_part (flip, task.src_info);
    const bool fits = GST_VIDEO_INFO_WIDTH (&task.dst_info) == (flip.turned ? kept.height : kept.width)
                      && GST_VIDEO_INFO_HEIGHT (&task.dst_info) == (flip.turned ? kept.width : kept.height);
    g_return_if_fail (fits);
    for (size_t i = 0; i < task.src.size (); i++) {
      PlaneView src = task.src[i];
      const PlaneLayout &layout = *src.layout;
      src.offset += (kept.y / task.n_fields >> layout.subsample_y) * src.stride
                    + (kept.x >> layout.subsample_x) * layout.samples_per_pixel;
      if (flip.turned && layout.subsample_x != layout.subsample_y)
        turn_chroma (runner, src, task.dst[i], int (i), kept);
      else
        reorder (runner, src, task.dst[i], int (i));
    }
  }

  /* A mirrored picture keeps its fields; in one rotated by 90 degrees they are in the columns. */
  bool takes_fields () const override { return !flip.turned; }
  std::string algorithm () const override { return flip.turned ? "turned" : flip.turns () ? "mirrored" : "cropped"; }

private:
  /* Every sample has one destination, so the source's steps for each step in the result describe everything. */
  void reorder (Runner &runner, const PlaneView &src, const PlaneView &dst, int plane) const
  {
    const int step = src.layout->samples_per_pixel;
    const int columns = flip.turned ? dst.height : dst.width, rows = flip.turned ? dst.width : dst.height;
    const int along = flip.mirror_x ? -step : step, down = flip.mirror_y ? -src.stride : src.stride;
    const int first = src.offset + (flip.mirror_x ? (columns - 1) * step : 0) + (flip.mirror_y ? (rows - 1) * src.stride : 0);
    const KernelSpec spec{.sources = {"flip/flip.cl"},
        .function = "flip",
        .options = {{"PIXEL_SAMPLES", step}, {"TURNED", flip.turned}, {"DIRECTION", flip.mirror_x ? -1 : 1}}};
    constexpr int band = 16;
    const size_t bands = size_t (flip.turned ? divide_up (dst.height, band) : dst.height);
    const WorkSize size = runner.backend () == Backend::cpu
                              ? WorkSize{{1, bands}, {1, 1}}
                              : one_item_a_word (dst, size_t (step) * runner.format ().sample_size ());
    runner.launch_range (spec, {.src = src, .dst = dst, .plane = plane, .components = 0}, size,
        {src.memory, dst.memory, cl_int (first), cl_int (flip.turned ? down : along), cl_int (flip.turned ? along : down),
            cl_int (dst.offset), cl_int (dst.stride), cl_int (dst.width), cl_int (dst.height)});
  }

  void turn_chroma (Runner &runner, const PlaneView &src, const PlaneView &dst, int plane, const Rect &kept) const
  {
    const KernelSpec spec{.sources = {"flip/flip.cl"},
        .function = "turn_chroma",
        .options = {{"PIXEL_SAMPLES", src.layout->samples_per_pixel}, {"TURNED", 1}, {"DIRECTION", 1}}};
    runner.launch_range (spec, {.src = src, .dst = dst, .plane = plane, .components = 0},
        one_item_a_word (dst, flip_item_bytes),
        {src.memory, dst.memory, cl_int2{{src.offset, src.stride}}, cl_int2{{dst.offset, dst.stride}},
            cl_int2{{kept.width - 1, kept.height - 1}}, cl_int2{{flip.mirror_x, flip.mirror_y}},
            cl_int2{{src.layout->subsample_x, src.layout->subsample_y}}, cl_int (dst.width), cl_int (dst.height)});
  }

  const Flip &flip;
};

}  // namespace

std::unique_ptr<Operation>
make_flip_operation (const Flip &flip)
{
  return std::make_unique<FlipOperation> (flip);
}

}  // namespace gst::cl

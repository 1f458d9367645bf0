/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clpixelate: replaces blocks of the picture by their means. */
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"
#include "filter/roi.hpp"

#include <algorithm>
#include <numeric>

namespace gst::cl::clpixelate {

enum class Anchor { frame, region };

constexpr int least_size = 2;

constexpr GEnumValue anchor_values[] = {
    {int (Anchor::frame), "Blocks begin at the frame's top left corner", "frame"},
    {int (Anchor::region), "Blocks begin at the top left corner of each region", "region"},
};

struct PixelateSettings {
  int size = 16, blocks = 0;
  Anchor anchor = Anchor::frame;
};

constexpr Property properties[] = {
    window_size (property<&PixelateSettings::size> ("size", "Width and height of a block, in pixels", least_size, 512)),
    property<&PixelateSettings::blocks> ("blocks", "Blocks along the smaller side of each region; 0 = use size", 0, 64),
    property<&PixelateSettings::anchor> ("anchor", "Origin of the blocks", enum_type<"GstClPixelateAnchor", anchor_values>),
};

/* As kernels/pixelate/pixelate.cl has them.
 *
 * Blocks along an axis: in pixels of the frame but for the number of blocks that a work item or group takes. */
struct Axis {
  cl_int origin, size, shift, taken = 1;

  /* The block of a sample; a sample on the edge of two blocks belongs to the second. */
  int block_of (int sample) const { return (((sample + 1) << shift) - 1 - origin) / size; }
  /* The number of samples of most blocks. */
  int samples () const { return std::max (size >> shift, 1); }
  int most_samples () const { return divide_up (size, 1 << shift); }
};

/* A region. */
struct Blocks {
  cl_int x, y, width, height;
  Axis across, down;
  cl_int parts, columns, rows, unused = 0;
};

class Pixelate : public With<PixelateSettings> {
public:
  Pixelate () { algorithm = "blocks"; }

  Abilities abilities (const Runner &) const override
  {
    return {.images = true, .sees_regions = settings.blocks || settings.anchor == Anchor::region, .many_regions = true};
  }

  void prepare (Runner &, const FrameTask &task) override { regions.assign (task.regions.begin (), task.regions.end ()); }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const std::span<const Rect> rects = task.regions.empty () ? std::span (&task.region, 1) : task.regions;
    std::vector<Blocks> all;
    std::ranges::transform (rects, std::back_inserter (all),
        [&] (const Rect &rect) { return blocks_of (runner, task, rect, int (rects.size ())); });
    const int columns = std::ranges::max (all, {}, &Blocks::columns).columns,
              rows = std::ranges::max (all, {}, &Blocks::rows).rows;
    KernelSpec spec{.sources = {"pixelate/pixelate.cl"}, .function = "pixelate", .joins_chroma = true};
    size_t group = 1;
    if (runner.backend () == Backend::gpu) {
      spec.item_samples = item_samples_of (task);
      spec.options = {{"MOST_SUMS", most_sums}};
      group = group_of (runner);
    }
    const ::cl::Buffer &table = runner.memory.changing ({"blocks", task.plane, task.field}, std::as_bytes (std::span (all)));
    Launch launch (std::move (spec), {table, rows});
    launch.size = {{size_t (columns) * group, size_t (rows) * all.size ()}, {group, 1}};
    return {"", std::move (launch)};
  }

private:
  /* As in kernels/pixelate/pixelate.cl. */
  static constexpr int strip_samples = 3072, part_rows = 16;
  /* Totals of a group's blocks in local memory. */
  static constexpr int most_sums = 512;

  static int item_samples_of (const PlaneTask &task) { return task.samples_per_pixel () == 3 ? 12 : 16; }
  static size_t group_of (Runner &runner) { return std::min<size_t> (256, runner.cl ().device.max_work_group_size); }

  /* In pixels of the frame or field, where the plane's may be larger. Of regions that are the same on the plane the last one
   * stays. */
  Rect region_of (const PlaneTask &task, const Rect &rect) const
  {
    const auto found = std::find_if (
        regions.rbegin (), regions.rend (), [&] (const Rect &region) { return region_on_plane (region, task.src) == rect; });
    return found != regions.rend () ? *found : in_pixels (rect, *task.src.layout, task.frame[0]);
  }

  /* One of so many regions of a plane. */
  Blocks blocks_of (Runner &runner, const PlaneTask &task, const Rect &rect, int n_regions) const
  {
    const auto &[size, blocks, anchor] = settings;
    const Rect region = region_of (task, rect);
    const int side = blocks ? std::max (divide_up (std::min (region.width, region.height), blocks), least_size) : size;
    const int samples = task.samples_per_pixel ();
    const auto first = [&, from = anchor] (int at) { return from == Anchor::region ? at : at / side * side; };
    Axis across{first (region.x), side, task.src.layout->subsample_x},
        down{first (region.y), side, task.src.layout->subsample_y};
    const int columns = across.block_of (rect.x + rect.width - 1) + 1, rows = down.block_of (rect.y + rect.height - 1) + 1;
    int parts = 1;
    if (runner.backend () == Backend::cpu) {
      const int jobs = divide_up (4 * int (runner.cl ().device.compute_units), n_regions);
      across.taken = std::clamp (strip_samples / (across.most_samples () * samples), 1, std::max (columns * rows / jobs, 1));
    } else {
      parts = share_out (across, down, samples, item_samples_of (task), int (group_of (runner)));
    }
    across.taken = std::min (across.taken, columns);
    down.taken = std::min (down.taken, rows);
    return {rect.x * samples, rect.y, rect.width * samples, rect.height, across, down, parts, divide_up (columns, across.taken),
        divide_up (rows, down.taken)};
  }

  /* Gives groups blocks that begin and end with an item's samples if possible, and strips for all their items. Returns the
   * number of strips of a block, one below the other. */
  static cl_int share_out (Axis &across, Axis &down, int pixel_samples, int item_samples, int items)
  {
    constexpr int least_width = 256;
    const int most_blocks = most_sums / pixel_samples, samples = across.samples () * pixel_samples;
    const int whole = item_samples / std::gcd (item_samples, samples);
    across.taken = std::min (int (round_up (divide_up (least_width, samples), whole)), most_blocks);
    const int parts = divide_up (down.most_samples (), part_rows);
    const int strips = divide_up (across.taken * samples, item_samples) * parts;
    down.taken = std::clamp (items / strips, 1, most_blocks / across.taken);
    return parts;
  }

  std::vector<Rect> regions;
};

const FilterDescription description{
    .long_name = "OpenCL pixelation",
    .description = "Replaces blocks of the picture by their means, to hide what regions show",
    .properties = properties,
    .operation = operation_type<Pixelate> (),
};

GST_CL_DEFINE_FILTER (GstClPixelate, gst_cl_pixelate, clpixelate, description)

}  // namespace gst::cl::clpixelate

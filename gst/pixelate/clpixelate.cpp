/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clpixelate: replaces blocks of the picture by their means. */
#include "core/arithmetic.hpp"
#include "filter/gstclfilter.hpp"
#include "filter/roi.hpp"

#include <algorithm>
#include <numeric>

namespace gst::cl::clpixelate {

enum : unsigned { SIZE, BLOCKS, ANCHOR };

enum class Anchor { frame, region };

constexpr int least_size = 2;

constexpr GEnumValue anchor_values[] = {
    {int (Anchor::frame), "Blocks begin at the frame's top left corner", "frame"},
    {int (Anchor::region), "Blocks begin at the top left corner of each region", "region"},
    {},
};

const Property properties[] = {
    window_size (integer_property ("size", "Width and height of a block, in pixels", least_size, 512, 16)),
    integer_property ("blocks", "Blocks along the smaller side of each region; 0 = use size", 0, 64, 0),
    enum_property ("anchor", "Where blocks begin", enum_type<"GstClPixelateAnchor", anchor_values>, int (Anchor::frame)),
};

/* Blocks along an axis, as in kernels/pixelate/pixelate.cl: in pixels of the frame, except the number of blocks that a work
 * item or group takes. */
struct Axis {
  cl_int origin, size, shift, taken = 1;

  /* The block of a sample; a sample on the edge of two blocks belongs to the second. */
  int block_of (int sample) const { return (((sample + 1) << shift) - 1 - origin) / size; }
  /* The number of samples of most blocks. */
  int samples () const { return std::max (size >> shift, 1); }
  int most_samples () const { return divide_up (size, 1 << shift); }
  cl_int4 argument () const { return {{origin, size, shift, taken}}; }
};

class Pixelate : public Operation {
public:
  void update (const Values &values) override
  {
    size = values.integer (SIZE);
    blocks = values.integer (BLOCKS);
    anchor = Anchor (values.integer (ANCHOR));
  }

  void prepare (Runner &, const FrameTask &task) override { regions.assign (task.regions.begin (), task.regions.end ()); }

  void run (Runner &runner, const PlaneTask &task) override
  {
    const Rect region = region_of (task);
    const int side = blocks ? std::max (divide_up (std::min (region.width, region.height), blocks), least_size) : size;
    const auto first = [&] (int at) { return anchor == Anchor::region ? at : at / side * side; };
    Axis across{first (region.x), side, task.src.layout->subsample_x},
        down{first (region.y), side, task.src.layout->subsample_y};
    const int columns = across.block_of (task.region.x + task.region.width - 1) + 1;
    const int rows = down.block_of (task.region.y + task.region.height - 1) + 1;
    KernelSpec spec{.sources = {"pixelate/pixelate.cl"}, .function = "pixelate"};
    Arguments last;
    std::array<size_t, 2> group{1, 1};
    if (runner.backend () == Backend::cpu) {
      const int jobs = 4 * int (runner.cl ().device.compute_units);
      across.taken = std::clamp (
          strip_samples / (across.most_samples () * task.samples_per_pixel ()), 1, std::max (columns * rows / jobs, 1));
    } else {
      spec.item_samples = task.samples_per_pixel () == 3 ? 12 : 16;
      spec.options = {{"MOST_SUMS", most_sums}};
      group[0] = std::min<size_t> (256, runner.cl ().device.max_work_group_size);
      last = {share_out (across, down, task.samples_per_pixel (), spec.item_samples, int (group[0]))};
      across.taken = std::min (across.taken, columns);
      down.taken = std::min (down.taken, rows);
    }
    Arguments arguments{across.argument (), down.argument ()};
    arguments.insert (arguments.end (), last.begin (), last.end ());
    runner.launch (spec, task, Patch::of (task), arguments,
        WorkSize{{size_t (divide_up (columns, across.taken)) * group[0], size_t (divide_up (rows, down.taken))}, group});
  }

  bool sees_regions () const override { return blocks || anchor == Anchor::region; }
  bool takes_images () const override { return true; }

  std::string algorithm () const override { return "blocks"; }

private:
  /* As in kernels/pixelate/pixelate.cl. */
  static constexpr int strip_samples = 3072, part_rows = 16;
  /* Totals of a group's blocks in local memory. */
  static constexpr int most_sums = 512;

  /* In pixels of the frame or field; the plane's region may be larger. If several regions are the same on the plane, the last
   * one is used. */
  Rect region_of (const PlaneTask &task) const
  {
    const auto found = std::find_if (regions.rbegin (), regions.rend (),
        [&] (const Rect &region) { return region_on_plane (region, task.src) == task.region; });
    return found != regions.rend () ? *found : in_pixels (task.region, *task.src.layout, task.frame[0]);
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

  int size = 0, blocks = 0;
  Anchor anchor = Anchor::frame;
  std::vector<Rect> regions;
};

const FilterDescription description{
    .long_name = "OpenCL pixelation",
    .description = "Replaces blocks of the picture by their means, to hide what regions show",
    .properties = properties,
    .create = [] () -> std::unique_ptr<Operation> { return std::make_unique<Pixelate> (); },
};

GST_CL_DEFINE_FILTER (GstClPixelate, gst_cl_pixelate, clpixelate, description)

}  // namespace gst::cl::clpixelate

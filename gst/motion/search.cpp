/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "motion/search.hpp"

#include "core/arithmetic.hpp"
#include "shared/histogram_plan.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

constexpr int most_levels = 6;
/* Quarter pixels in a pixel of the coarsest level, and the radius of the full search there. */
constexpr int pixel = 4, far_radius = 8;
/* The cost of each quarter pixel between a vector and its neighbourhood's, in 256ths of an 8-bit level per sample, and the
 * largest distance that adds to the cost. */
constexpr int price = 4, most_priced = 64;
/* For blocks without a match: the level whose blocks are counted, if it exists, the least mean difference of samples, and the largest change
 * of all samples that is no difference. */
constexpr int counted_level = 2, least_difference = 5, most_change = 24;
/* See kernels/motion/halves.cl; taps_reach is how far its taps reach beyond the plane. */
constexpr int samples_at_once = 4096, taps_reach = 3;
/* Of struct fade in kernels/motion/blocks.clh. */
constexpr size_t fade_bytes = 16;
/* The alignment of rows in samples. */
constexpr int row_unit = 64;

cl_uint
sum_of_bytes (cl_uint word)
{
  return (word & 0xff) + (word >> 8 & 0xff) + (word >> 16 & 0xff) + (word >> 24);
}

template <typename T>
ValueArgument
value (const T &of)
{
  return ValueArgument (std::vector<T>{of});
}

int
spare_bits (const Runner &runner)
{
  return std::max (runner.format ().depth - 8, 0);
}

/* Items of the gpu back end for a block of the coarsest level: 32 are ten times as fast there on an H200. CPUs gain nothing, and Mesa's
 * llvmpipe ends the process at the barrier. */
int
seekers_on (const Runner &runner)
{
  return runner.cl ().device.type & CL_DEVICE_TYPE_GPU ? 32 : 1;
}

/* Items for n samples in a row. */
WorkSize
size_of_all (const Runner &runner, int n)
{
  return runner.backend () == Backend::cpu ? WorkSize{{1, size_t (divide_up (n, samples_at_once))}, {1, 1}}
                                           : WorkSize{{round_up (size_t (n), 256), 1}, {256, 1}};
}

}  // namespace

const PlaneTask &
MotionSearch::any_plane ()
{
  static const PlaneTask task = [] {
    PlaneTask made{};
    made.src =
        made.dst = {.memory = {}, .offset = 0, .stride = row_unit, .width = row_unit, .height = 1, .layout = &one_sample};
    return made;
  }();
  return task;
}

void
MotionSearch::set (const MotionSettings &wanted, unsigned n)
{
  if (wanted == settings && n == known.size ())
    return;
  settings = wanted;
  known.assign (n, std::nullopt);
  last.reset ();
  width = height = 0;
}

MotionGrid
MotionSearch::grid_of (int w, int h) const
{
  /* on the gpu back end, words begin with a block */
  const int step = settings.block - int (settings.block * settings.overlap) / 4 * 4;
  const auto along = [&] (int length) { return std::max (0, divide_up (length - settings.block, step)) + 1; };
  return {along (w), along (h), step};
}

/* Vectors of the outermost block still have room for quarter pixels. */
int
MotionSearch::pad () const
{
  return settings.block + 16;
}

void
MotionSearch::lay_out (int w, int h)
{
  width = height = 0;
  levels.clear ();
  grids.clear ();
  std::ranges::fill (known, std::nullopt);
  last.reset ();
  matched = {};
  const int most = settings.levels ? settings.levels : most_levels;
  const auto is_large = [&] { return std::min (w, h) >= (settings.levels ? 2 : 2 * settings.block); };
  const int whole_width = w, whole_height = h;
  for (size_t at = 0; levels.empty () || (int (levels.size ()) < most && is_large ());) {
    const bool is_finest = levels.empty ();
    const int stride = round_up (w + 2 * pad (), row_unit), rows = h + 2 * pad ();
    const int guard = is_finest ? int (round_up (taps_reach * stride + taps_reach, row_unit)) : 0;
    const size_t plane = size_t (stride) * rows + 2 * guard, end = at + plane * (is_finest ? 4 : 1);
    if (end + row_unit > size_t (G_MAXINT))
      throw Failure (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          "Video frames of " + std::to_string (whole_width) + "x" + std::to_string (whole_height)
              + " are too large for a motion search.",
          "the search keeps four planes and smaller ones in a buffer, and counts to 2^31 samples");
    if (is_finest) {
      finest = guard;
      finest_samples = stride * rows;
    }
    levels.push_back ({int (at) + guard + pad () * stride + pad (), stride, w, h, pad (), int (plane)});
    grids.push_back (grid_of (w, h));
    at = end;
    picture_samples = end + row_unit;
    w = std::max (1, (w + 1) / 2);
    h = std::max (1, (h + 1) / 2);
  }
  width = whole_width;
  height = whole_height;
}

/* The kernels of a search share a program, because the first frames of a stream need nearly all of them. */
KernelSpec
MotionSearch::spec (const Runner &runner, const char *function) const
{
  return {.sources = {"motion/blocks.clh", "motion/luma.cl", "motion/halves.cl", "motion/search.cl", "motion/judge.cl"},
      .function = function,
      .options = {{"BLOCK", settings.block}, {"SEEKERS", seekers_on (runner)}}};
}

void
MotionSearch::make_levels (Runner &runner, const PlaneTask &task, const PlaneView &plane, const ::cl::Buffer &buffer)
{
  const cl_uint weights = luma_weights (runner.format (), *plane.layout);
  const KernelSpec halve = spec (runner, "halve_luma"), halves = spec (runner, "find_halves");
  KernelSpec take = spec (runner, "take_luma");
  /* other pixels need a program of their own, with these kernels only */
  const bool is_plain = plane.layout->samples_per_pixel == 1 && plane.layout->part < 0;
  if (!is_plain)
    take.sources = {"motion/blocks.clh", "motion/luma.cl"};
  const auto size = [&] (const Level &level) {
    return runner.size_for (level.width + 2 * level.pad, level.height + 2 * level.pad, {32, 4});
  };
  runner.run (is_plain ? any_plane () : task,
      Launch::range (std::move (take), size (levels[0]),
          {plane.memory, plane.offset, plane.stride, weights, sum_of_bytes (weights), value (levels[0]), buffer}));
  for (size_t i = 1; i < levels.size (); i++)
    runner.run (any_plane (), Launch::range (halve, size (levels[i]), {value (levels[i - 1]), value (levels[i]), buffer}));
  const int row = levels[0].stride, plane_samples = levels[0].plane;
  const WorkSize all = size_of_all (runner, finest_samples);
  /* the planes of blocks.clh: to the right, below, and below right */
  for (const auto &[from, to, step] : {std::array{0, 1, 1}, {0, 2, row}, {1, 3, row}})
    if (settings.precision < pixel)
      runner.run (any_plane (), Launch::range (halves, all,
                                    {buffer, cl_int (finest + from * plane_samples), cl_int (finest + to * plane_samples),
                                        cl_int (finest_samples), cl_int (step), cl_int (runner.format ().max_value ())}));
}

const ::cl::Buffer &
MotionSearch::picture (Runner &runner, guint64 number) const
{
  return runner.memory.buffer (
      {"motion-picture", name, int (number % known.size ())}, picture_samples * size_t (runner.format ().sample_size ()));
}

/* The picture's buffer, which is made if it does not exist. */
const ::cl::Buffer &
MotionSearch::take (Runner &runner, const PlaneTask &task, const Picture &picture)
{
  const ::cl::Buffer &buffer = this->picture (runner, picture.number);
  if (!knows (picture.number)) {
    make_levels (runner, task, picture.plane, buffer);
    known[picture.number % known.size ()] = picture.number;
  }
  return buffer;
}

::cl::Buffer
MotionSearch::field (Runner &runner, int level, unsigned distance) const
{
  /* uses the larger of both sizes, since a name has one size */
  return runner.memory.buffer ({"motion-found", level, int (distance), name}, size_t (2 * grids[level].blocks ()) * 8);
}

/* From the coarsest level on, each level beginning with the vectors of the coarser one. */
void
MotionSearch::search (Runner &runner, unsigned distance, bool hinted)
{
  const ::cl::Buffer &none = runner.memory.zeros ("motion-none", 2 * 8);
  const int area = settings.block * settings.block, per_quarter = (price * area << spare_bits (runner)) >> 8;
  ::cl::Buffer known = none;
  for (int i = int (levels.size ()) - 1; i >= 0; i--) {
    const bool is_coarsest = i + 1 == int (levels.size ()), is_finest = i == 0, has_hint = is_finest && hinted;
    const MotionGrid &grid = grids[i], above = is_coarsest ? MotionGrid{1, 1, 1} : grids[i + 1];
    const Search search{.known_columns = above.columns,
        .known_rows = above.rows,
        .coarser = !is_coarsest,
        .hint = has_hint ? int (16 * distance / (distance - 1)) : 0,
        .radius = is_coarsest ? far_radius : 0,
        .precision = is_finest ? settings.precision : pixel,
        .price = per_quarter,
        .most = most_priced * per_quarter};
    const ::cl::Buffer found = field (runner, i, is_finest ? distance : 0);
    const int rows = n_others * grid.rows;
    const int seekers = seekers_on (runner);
    const WorkSize size = is_coarsest && seekers > 1 ? runner.size_for (grid.columns * seekers, rows, {size_t (seekers), 1})
                                                     : runner.size_for (grid.columns, rows, {32, 4});
    runner.run (any_plane (),
        Launch::range (spec (runner, "find_vectors"), size,
            {pictures[0], pictures[1], pictures[2], value (levels[i]), value (grid), cl_int (n_others), value (search), known,
                has_hint ? field (runner, 0, distance - 1) : none, fade (runner), cl_int (place), found}));
    known = found;
  }
}

void
MotionSearch::judge (Runner &runner, const Job &job)
{
  const int counted = std::min (counted_level, int (levels.size ()) - 1), area = settings.block * settings.block;
  const ::cl::Buffer &counts = runner.memory.buffer ("motion-counts", 2 * sizeof (cl_int));
  runner.commands.clear (counts, 2 * sizeof (cl_int));
  const auto size = [&] (int level) { return runner.size_for (grids[level].columns, n_others * grids[level].rows, {32, 4}); };
  const auto found = [&] (int level) { return field (runner, level, level == 0 ? job.distance : 0); };
  runner.run (any_plane (),
      Launch::range (spec (runner, "count_unmatched"), size (counted),
          {pictures[0], pictures[1], pictures[2], value (levels[counted]), value (grids[counted]), cl_int (n_others),
              found (counted), fade (runner), cl_uint (least_difference * area) << spare_bits (runner),
              most_change << spare_bits (runner), counts}));
  const int blocks = grids[counted].blocks ();
  runner.run (any_plane (), Launch::range (spec (runner, "judge_vectors"), size (0),
                                {pictures[0], pictures[1], pictures[2], value (levels[0]), value (grids[0]), cl_int (n_others),
                                    found (0), counts, cl_int (blocks), cl_int (settings.scene_threshold * blocks) + 1,
                                    cl_int (spare_bits (runner)), cl_int (job.row_step), cl_int (settings.confidence),
                                    fade (runner), cl_int (place), job.to.front (), job.to.back ()}));
}

void
MotionSearch::look (Runner &runner, const PlaneTask &task, const Picture &picture)
{
  if (picture.plane.width != width || picture.plane.height != height)
    lay_out (picture.plane.width, picture.plane.height);
  take (runner, task, picture);
}

const ::cl::Buffer &
MotionSearch::fade (Runner &runner) const
{
  return matched[0] ? runner.memory.buffer (
             {"motion-fade", name}, fade_bytes + picture_samples * size_t (runner.format ().sample_size ()))
                    : runner.memory.zeros ("motion-none", 2 * 8);
}

void
MotionSearch::match (Runner &runner, const PlaneTask &task, const Picture &first, const Picture &second)
{
  look (runner, task, first);
  matched = {first.number, second.number};
  const ::cl::Buffer a = take (runner, task, first), b = take (runner, task, second);
  const cl_int most = cl_int (runner.format ().max_value ()), n = cl_int (picture_samples);
  const bool cpu = runner.backend () == Backend::cpu;
  const size_t items = cpu ? 1 : 256;
  /* few groups, since most find no fade */
  const WorkSize all = cpu ? size_of_all (runner, n) : WorkSize{{1024 * items, 1}, {items, 1}};
  const auto spec = [this] (const char *function) {
    return KernelSpec{.sources = {"motion/blocks.clh", "shared/group.clh", "motion/fade.cl"},
        .function = function,
        .options = {{"BLOCK", settings.block}},
        .moves_samples = true};
  };
  runner.run (any_plane (), Launch::range (spec ("find_fade"), {{items, 1}, {items, 1}},
                                {a, b, value (levels.back ()), cl_int (spare_bits (runner)), most, fade (runner)}));
  runner.run (any_plane (), Launch::range (spec ("match_picture"), all, {a, b, n, most, fade (runner)}));
}

void
MotionSearch::find (Runner &runner, const PlaneTask &task, const Job &job)
{
  look (runner, task, job.own);
  pictures[0] = take (runner, task, job.own);
  pictures[1] = take (runner, task, job.others.front ());
  pictures[2] = take (runner, task, job.others.back ());
  n_others = int (job.others.size ());
  place = matched[0] == job.own.number ? 1 : matched[1] == job.own.number ? 2 : -1;
  const std::array<guint64, 3> nearer{job.own.number, job.distance - 1, guint64 (n_others)};
  search (runner, job.distance, last == nearer);
  judge (runner, job);
  last = {job.own.number, job.distance, guint64 (n_others)};
}

}  // namespace gst::cl

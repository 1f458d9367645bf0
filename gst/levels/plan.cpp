/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "levels/plan.hpp"

#include "shared/map_samples.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

/* levels/levels.cl's LEVELS_GROUP */
constexpr size_t levels_group = 256;
constexpr size_t table_group = 64;

/* A number below 2^16 as one sample, the least significant byte first. */
void
append_sample (std::vector<std::byte> &table, int value, int sample_size)
{
  for (int i = 0; i < sample_size; i++)
    table.push_back (std::byte (value >> (8 * i) & 0xff));
}

}  // namespace

std::vector<std::byte>
fixed_table (const Format &format, const LevelsSettings &settings, const BlackWhite &range)
{
  const double whole = range.white - range.black;
  std::vector<std::byte> table;
  for (int value = 0; value <= format.max_value (); value++) {
    const double x = ((value - range.black) / whole - settings.black) / (settings.white - settings.black);
    const double bent = std::pow (std::clamp (x, 0., 1.), 1 / settings.gamma);
    append_sample (table, range.black + int (std::nearbyint (bent * whole)), format.sample_size ());
  }
  return table;
}

const ::cl::Buffer &
measured_table (Runner &runner, const PlaneTask &task, const LevelsSettings &settings, const BlackWhite &range,
    LevelsHistory &history, size_t region)
{
  const Format &format = runner.format ();
  const size_t values = format.max_value () + 1;
  const ::cl::Buffer &counts = enqueue_histogram (runner, task, HistogramOf::intensity, "levels-counts");
  const ::cl::Buffer &ring =
      runner.memory.buffer ({"levels-ring", int (region)}, (LevelsSettings::most_frames + 1) * 2 * sizeof (cl_uint));

  history.frames = std::min (history.frames + 1, LevelsSettings::most_frames);
  const cl_int averaged = std::min (history.frames, settings.smoothing);
  const cl_uint pixels = cl_uint (task.region.width) * cl_uint (task.region.height);
  /* a count exceeds clip * pixels where it exceeds the integer below; as many above white leave the rest up to it */
  const cl_uint clipped = cl_uint (std::floor (settings.clip * pixels));
  const size_t group = runner.backend () == Backend::gpu ? levels_group : 1;
  const auto spec_for = [] (const char *function) {
    return KernelSpec{.sources = {"levels/power.clh", "levels/levels.cl"}, .function = function};
  };
  runner.launch_range (spec_for ("levels_measure"), task, {{group, 1}, {group, 1}},
      {counts, clipped, cl_uint (pixels - clipped - 1), cl_int (history.next), averaged, ring});
  history.next = (history.next + 1) % LevelsSettings::most_frames;

  const ::cl::Buffer &table = runner.memory.buffer ("levels-table", values * format.sample_size ());
  runner.launch_range (spec_for ("levels_table"), task, {{values, 1}, {table_group, 1}},
      {ring, averaged, float (1 / settings.gamma), range.black, range.white - range.black, table});
  return table;
}

void
stretch (Runner &runner, const PlaneTask &task, const ::cl::Buffer &table)
{
  map_samples (runner, task, table, 1);
}

}  // namespace gst::cl

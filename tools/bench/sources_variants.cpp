/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Document B's four variants of one kernel, sharpening; and document D's comparison of images and buffers, by pixels per
 * item. */
#include "sources.hpp"

#include "core/microbench.hpp"

namespace bench {

namespace {

constexpr const char *variants_source = R"(
#define SUM(weight) \
  int sum = 0; \
  for (int j = -1; j <= 1; j++) \
    for (int i = -1; i <= 1; i++) \
      sum += weight[(j + 1) * 3 + i + 1] * src[clamp (y + j, 0, size.y - 1) * size.x + clamp (x + i, 0, size.x - 1)]; \
  dst[y * size.x + x] = convert_uchar_sat (sum);
#define BEGIN \
  const int x = get_global_id (0), y = get_global_id (1); \
  if (x >= size.x || y >= size.y) \
    return;
kernel void in_global (global const uchar *restrict src, global uchar *restrict dst, int2 size, constant int *fixed,
    global const int *restrict taps)
{
  BEGIN
  SUM (taps)
}
kernel void in_constant (global const uchar *restrict src, global uchar *restrict dst, int2 size, constant int *fixed,
    global const int *restrict taps)
{
  BEGIN
  SUM (fixed)
}
kernel void unrolled (global const uchar *restrict src, global uchar *restrict dst, int2 size, constant int *fixed,
    global const int *restrict taps)
{
  BEGIN
  const int left = max (x - 1, 0), right = min (x + 1, size.x - 1);
  global const uchar *row = src + y * size.x;
  dst[y * size.x + x] = convert_uchar_sat (5 * row[x] - row[left] - row[right] - src[max (y - 1, 0) * size.x + x]
    - src[min (y + 1, size.y - 1) * size.x + x]);
}
#define TILE 16
kernel __attribute__ ((reqd_work_group_size (TILE, TILE, 1)))
void in_tile (global const uchar *restrict src, global uchar *restrict dst, int2 size, constant int *fixed,
    global const int *restrict taps)
{
  local uchar tile[TILE + 2][TILE + 2];
  const int left = get_group_id (0) * TILE - 1, top = get_group_id (1) * TILE - 1;
  for (int i = get_local_id (1) * TILE + get_local_id (0); i < (TILE + 2) * (TILE + 2); i += TILE * TILE)
    tile[i / (TILE + 2)][i % (TILE + 2)] =
        src[clamp (top + i / (TILE + 2), 0, size.y - 1) * size.x + clamp (left + i % (TILE + 2), 0, size.x - 1)];
  barrier (CLK_LOCAL_MEM_FENCE);
  BEGIN
  const int u = get_local_id (0) + 1, v = get_local_id (1) + 1;
  int sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      sum += fixed[(j + 1) * 3 + i + 1] * tile[v + j][u + i];
  dst[y * size.x + x] = convert_uchar_sat (sum);
}
)";

/* A picture on a device, and the kernels. */
class Variants {
public:
  Variants (GstClContext *context, int edge_)
      : cl (gst::cl::Context::of (context)), edge (edge_), src (cl.handle, CL_MEM_READ_WRITE, size_t (edge) * edge),
        dst (cl.handle, CL_MEM_READ_WRITE, size_t (edge) * edge), taps (cl.handle, CL_MEM_READ_ONLY, sizeof weights),
        program (cl.handle, std::string (variants_source))
  {
    program.build (std::vector<::cl::Device>{cl.device.handle});
    cl.compute.enqueueFillBuffer (src, cl_uint (0x5a3c9617), 0, size_t (edge) * edge);
    cl.compute.enqueueWriteBuffer (taps, CL_TRUE, 0, sizeof weights, weights);
  }

  void run (const char *name)
  {
    constexpr int tile = 16;
    ::cl::Kernel kernel (program, name);
    kernel.setArg (0, src);
    kernel.setArg (1, dst);
    kernel.setArg (2, cl_int2{{edge, edge}});
    kernel.setArg (3, taps);
    kernel.setArg (4, taps);
    const auto length = ::cl::size_type ((edge + tile - 1) / tile * tile);
    cl.compute.enqueueNDRangeKernel (kernel, ::cl::NullRange, {length, length}, {tile, tile});
  }
  void finish () { cl.compute.finish (); }

private:
  static constexpr cl_int weights[9] = {0, -1, 0, -1, 5, -1, 0, -1, 0};
  gst::cl::Context &cl;
  const cl_int edge;
  ::cl::Buffer src, dst, taps;
  ::cl::Program program;
};

void
measure_forms (Sources &sources)
{
  static constexpr std::pair<const char *, const char *> forms[] = {{"in_global", "filter in global memory"},
      {"in_constant", "filter in constant memory"}, {"unrolled", "unrolled"}, {"in_tile", "tile in local memory"}};
  SourceTable table{"b", "B. Sharpening by form of the kernel, without copies"};
  for (const int edge : {256, 1024, 4096})
    for (const auto &[name, title] : forms) {
      std::vector<Contender> contenders;
      for (const SourceDevice &device : sources.devices) {
        const auto there = std::make_shared<Variants> (device.context.get (), edge);
        contenders.push_back ({device.device.name + ", kernel",
            [there, name] { return time_burst ([&] { there->run (name); }, [&] { there->finish (); }); }});
      }
      const std::string text = std::to_string (edge);
      sources.add (table, {title, text + "x" + text, "OpenCL 250 to 580 in every form"}, contenders);
    }
  sources.tables.push_back (std::move (table));
}

/* Converts figures of cl-info --measure from bytes per second to the time for a gigabyte. */
void
measure_memory (Sources &sources)
{
  using gst::cl::DeviceFigures;
  constexpr double gigabyte = 1e9;
  static constexpr std::tuple<const char *, const char *, double DeviceFigures::*> rows[] = {
      {"buffer", "1 pixel an item", &DeviceFigures::copy_by_4_gb_s},
      {"buffer", "2 pixels an item", &DeviceFigures::copy_by_8_gb_s}, {"buffer", "4 pixels an item", &DeviceFigures::copy_gb_s},
      {"image", "1 pixel an item", &DeviceFigures::image_copy_gb_s},
      {"image", "2 pixels an item", &DeviceFigures::image_copy_by_2_gb_s},
      {"image", "4 pixels an item", &DeviceFigures::image_copy_by_4_gb_s}};
  SourceTable table{"d", "D. Images beside buffers, RGBA: read and written", SourceUnit::gb_s};
  for (const auto &[what, size, value] : rows)
    table.rows.push_back ({.what = what, .size = size, .published = {}, .amount = gigabyte});
  for (const SourceDevice &device : sources.devices) {
    const DeviceFigures figures = gst::cl::measure_device (gst::cl::Context::of (device.context.get ()));
    for (size_t i = 0; i < table.rows.size (); i++)
      if (const double rate = figures.*std::get<2> (rows[i]); rate > 0)
        table.rows[i].times[device.device.name].us = {gigabyte / rate / 1e3};
  }
  sources.tables.push_back (std::move (table));
}

}  // namespace

void
measure_variants (Sources &sources)
{
  if (sources.options.wants_part ("b"))
    measure_forms (sources);
  if (sources.options.wants_part ("d"))
    measure_memory (sources);
}

}  // namespace bench

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Document A's vectors and matrices, with the primitives that elements use; document B's four variants of one kernel, sharpening;
 * and document D's comparison of images and buffers, by pixels per item. */
#include "sources.hpp"

#include "compute/compute.hpp"
#include "core/microbench.hpp"

#include <numeric>

#ifdef HAVE_OPENCV
#include <opencv2/core.hpp>
#endif

namespace bench {

namespace {

using gst::cl::Compute;
using Floats = std::vector<float>;

enum class Work { add, sum, dot, multiply };

/* Two operands and memory for the result, of n floats each. */
struct Operands {
  Work work;
  /** Length of a vector, or of a side of a square matrix. */
  size_t length;
  Floats a, b, result;

  Operands (Work work_, size_t length_)
      : work (work_), length (length_), a (work == Work::multiply ? length * length : length), b (a.size ()), result (a.size ())
  {
    for (size_t i = 0; i < a.size (); i++) {
      a[i] = float (i % 251) / 256;
      b[i] = float (i % 241) / 256 - 0.5f;
    }
  }
};

/* Keeps the compiler from removing the computation. */
volatile float kept;

void
run_plain (Operands &o)
{
  switch (o.work) {
    case Work::add:
      for (size_t i = 0; i < o.length; i++)
        o.result[i] = o.a[i] + o.b[i];
      break;
    case Work::sum:
      kept = std::accumulate (o.a.begin (), o.a.end (), 0.0f);
      break;
    case Work::dot:
      kept = std::inner_product (o.a.begin (), o.a.end (), o.b.begin (), 0.0f);
      break;
    case Work::multiply:
      for (size_t i = 0; i < o.length; i++)
        for (size_t j = 0; j < o.length; j++) {
          float sum = 0;
          for (size_t k = 0; k < o.length; k++)
            sum += o.a[i * o.length + k] * o.b[k * o.length + j];
          o.result[i * o.length + j] = sum;
        }
  }
  kept = o.result[o.length / 2];
}

#ifdef HAVE_OPENCV
void
run_opencv (Operands &o)
{
  const int rows = o.work == Work::multiply ? int (o.length) : 1;
  const cv::Mat a (rows, int (o.length), CV_32F, o.a.data ()), b (rows, int (o.length), CV_32F, o.b.data ());
  cv::Mat result (rows, int (o.length), CV_32F, o.result.data ());
  switch (o.work) {
    case Work::add:
      cv::add (a, b, result);
      break;
    case Work::sum:
      kept = float (cv::sum (a)[0]);
      break;
    case Work::dot:
      kept = float (a.dot (b));
      break;
    case Work::multiply:
      cv::gemm (a, b, 1, cv::noArray (), 0, result);
  }
}
#endif

/* The operands on a device, with the primitives. */
class OnDevice {
public:
  OnDevice (GstClContext *context, const Operands &operands)
      : cl (gst::cl::Context::of (context)), compute (cl), work (operands.work), length (operands.length),
        a (upload (operands.a)), b (upload (operands.b)), result (upload (operands.result))
  {
  }

  void run ()
  {
    const auto vector = [] (const ::cl::Buffer &memory) { return gst::cl::VectorSpan{memory}; };
    const auto matrix = [this] (const ::cl::Buffer &memory) { return gst::cl::MatrixSpan{memory, 0, length}; };
    const int edge = int (length);
    switch (work) {
      case Work::add:
        compute.add (vector (a), vector (b), vector (result), length);
        break;
      case Work::sum:
        compute.sum (vector (a), vector (result), length);
        break;
      case Work::dot:
        compute.dot (vector (a), vector (b), vector (result), length);
        break;
      case Work::multiply:
        compute.multiply (matrix (a), matrix (b), matrix (result), edge, edge, edge);
    }
  }
  void finish () { cl.compute.finish (); }

private:
  ::cl::Buffer upload (const Floats &content)
  {
    ::cl::Buffer memory (cl.handle, CL_MEM_READ_WRITE, content.size () * sizeof (float));
    cl.compute.enqueueWriteBuffer (memory, CL_TRUE, 0, content.size () * sizeof (float), content.data ());
    return memory;
  }

  gst::cl::Context &cl;
  Compute compute;
  const Work work;
  const size_t length;
  ::cl::Buffer a, b, result;
};

void
measure_work (Sources &sources, SourceTable &table, Work work, const char *title, size_t length, const char *published)
{
  constexpr double most_plain_products = 1.1e9;
  const auto operands = std::make_shared<Operands> (work, length);
  const double operations = work == Work::multiply ? double (length) * double (length) * double (length) : double (length);
  std::vector<Contender> contenders;
  if (operations < most_plain_products)
    contenders.push_back ({plain_code, [operands] { return time_burst ([&] { run_plain (*operands); }, [] {}); }, 3});
#ifdef HAVE_OPENCV
  contenders.push_back ({"OpenCV, all threads", [operands] { return time_burst ([&] { run_opencv (*operands); }, [] {}); }});
#endif
  for (const SourceDevice &device : sources.devices) {
    const auto there = std::make_shared<OnDevice> (device.context.get (), *operands);
    there->run (); /* builds the program */
    there->finish ();
    contenders.push_back ({device.device.name + ", on the device",
        [there] { return time_burst ([&] { there->run (); }, [&] { there->finish (); }); }});
  }
  const std::string edge = std::to_string (length);
  sources.add (table, {title, work == Work::multiply ? edge + "x" + edge : edge, published}, contenders);
}

}  // namespace

void
measure_compute (Sources &sources)
{
  if (!sources.options.wants_part ("a"))
    return;
  SourceTable &vectors = sources.tables.emplace_back (SourceTable{"a", "A. Vectors of floats"});
  for (const auto &[work, title] : {std::pair{Work::add, "sum of two vectors"}, std::pair{Work::sum, "sum of a vector"},
           std::pair{Work::dot, "dot product"}})
    for (size_t length : {size_t (1) << 16, size_t (1) << 20, size_t (1) << 24})
      measure_work (sources, vectors, work, title, length, "");
  SourceTable &matrices =
      sources.tables.emplace_back (SourceTable{"a", "A. Matrix product of floats (HD5770; one thread of a Core i7 920)"});
  for (size_t edge : {256, 512, 1000, 1024, 2048})
    measure_work (sources, matrices, Work::multiply, "matrix product", edge,
        edge == 2048 ? "GPU 206, CPU 194000" : "at 2048: GPU 206, CPU 194000");
}

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
  SourceTable &table = sources.tables.emplace_back (SourceTable{"b", "B. Sharpening by form of the kernel, without copies"});
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
  SourceTable &table =
      sources.tables.emplace_back (SourceTable{"d", "D. Images beside buffers, RGBA: read and written", SourceUnit::gb_s});
  for (const auto &[what, size, value] : rows)
    table.rows.push_back ({.what = what, .size = size, .published = {}, .amount = gigabyte});
  for (const SourceDevice &device : sources.devices) {
    const DeviceFigures figures = gst::cl::measure_device (gst::cl::Context::of (device.context.get ()));
    for (size_t i = 0; i < table.rows.size (); i++)
      if (const double rate = figures.*std::get<2> (rows[i]); rate > 0)
        table.rows[i].times[device.device.name].us = {gigabyte / rate / 1e3};
  }
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

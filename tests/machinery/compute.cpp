/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of vectors, sums, dot products and matrix products on the device against plain loops, in sizes that no block,
 * chunk or tile divides. */
#include <algorithm>
#include <cmath>
#include <cstring>

#include "../elements/suite.hpp"
#include "compute/compute.hpp"
#include "core/wait.hpp"

namespace test::compute_suite {

static Tests tests ("compute", Needs::Device);

using namespace gst::cl;

/* A context with its primitives, and vectors that go there and back. */
class Device {
public:
  Device () : owner (create_context ("")), cl (Context::of (owner.get ())), compute (cl) {}

  template <typename T> VectorSpan upload (const std::vector<T> &content, size_t offset = 0)
  {
    cl::Buffer memory (cl.handle, CL_MEM_READ_WRITE, std::max<size_t> (content.size (), 1) * sizeof (T));
    if (!content.empty ())
      cl.compute.enqueueWriteBuffer (memory, CL_TRUE, 0, content.size () * sizeof (T), content.data ());
    return {memory, offset};
  }

  template <typename T> std::vector<T> download (const cl::Buffer &memory, size_t n)
  {
    std::vector<T> content (n);
    cl.compute.enqueueReadBuffer (memory, CL_TRUE, 0, n * sizeof (T), content.data ());
    return content;
  }

  ContextRef owner;
  Context &cl;
  Compute compute;
};

const int lengths[] = {1, 2, 15, 16, 17, 255, 256, 257, 1023, 4099, 8191, 8192, 8193, 70001, 1000003};

static std::vector<float>
random_vector (size_t n, Random &random)
{
  std::vector<float> v (n);
  for (float &element : v)
    element = float (random.between (-1000000, 1000000)) / 4096;
  return v;
}

/* The elements around the result do not change. */
TEST (add)
{
  Device device;
  Random random (1);
  for (const int n : lengths)
    for (const int offset : {0, 4, 5}) {
      const std::vector<float> a = random_vector (n + offset, random), b = random_vector (n, random);
      std::vector<float> expected = random_vector (n + 8, random);
      const VectorSpan result = device.upload (expected, offset % 4 ? 3 : 4);
      device.compute.add (device.upload (a, offset), device.upload (b), result, n);
      for (int i = 0; i < n; i++)
        expected[result.offset + i] = a[offset + i] + b[i];
      test_check (device.download<float> (result.memory, n + 8) == expected, "add of %d elements, offset %d", n, offset);
    }
}

static bool
is_near (float got, double expected, double magnitudes)
{
  return std::fabs (got - expected) <= 2e-5 * magnitudes;
}

TEST (float_sums)
{
  Device device;
  Random random (3);
  for (const int n : lengths)
    for (const int offset : {0, 8, 3}) {
      const std::vector<float> a = random_vector (n + offset, random), b = random_vector (n, random);
      const VectorSpan on_a = device.upload (a, offset), on_b = device.upload (b);
      const VectorSpan result = device.upload<float> ({0, 0});
      device.compute.sum (on_a, result, n);
      device.compute.dot (on_a, on_b, {result.memory, 1}, n);
      const std::vector<float> got = device.download<float> (result.memory, 2);
      double sum = 0, sum_size = 0, dot = 0, dot_size = 0;
      for (int i = 0; i < n; i++) {
        sum += a[offset + i];
        sum_size += std::fabs (a[offset + i]);
        dot += (double) a[offset + i] * b[i];
        dot_size += std::fabs ((double) a[offset + i] * b[i]);
      }
      test_check (is_near (got[0], sum, sum_size), "sum of %d floats: %.9g, not %.9g", n, got[0], sum);
      test_check (is_near (got[1], dot, dot_size), "dot product of %d floats: %.9g, not %.9g", n, got[1], dot);
    }
}

/* A long vector of equal terms: one accumulator of 24 bits would stop growing. */
TEST (long_float_sum)
{
  Device device;
  constexpr int n = 40000000;
  const VectorSpan result = device.upload<float> ({0});
  device.compute.sum (device.upload (std::vector<float> (n, 1)), result, n);
  const float got = device.download<float> (result.memory, 1)[0];
  test_check (got == n, "%.9g", got);
}

/* The sum of no elements is 0, also when an earlier call has left other sums in memory. */
TEST (empty_and_again)
{
  Device device;
  const VectorSpan ones = device.upload (std::vector<float> (100000, 1));
  const VectorSpan result = device.upload<float> ({7, 7, 7});
  device.compute.sum (ones, result, 100000);
  device.compute.sum (ones, {result.memory, 1}, 90001);
  device.compute.sum (ones, {result.memory, 2}, 0);
  test_check (device.download<float> (result.memory, 3) == (std::vector<float>{100000, 90001, 0}), "sums");
}

static void
check_product (Device &device, int rows, int inner, int columns, int margin, Random &random)
{
  const size_t a_stride = inner + margin, b_stride = columns + 2 * margin, stride = columns + margin;
  const std::vector<float> a = random_vector (margin + a_stride * rows, random);
  const std::vector<float> b = random_vector (margin + b_stride * inner, random);
  std::vector<float> expected (margin + stride * rows, -1);
  const VectorSpan on_a = device.upload (a, margin), on_b = device.upload (b, margin);
  const VectorSpan result = device.upload (expected, margin);
  device.compute.multiply ({on_a.memory, on_a.offset, a_stride}, {on_b.memory, on_b.offset, b_stride},
      {result.memory, result.offset, stride}, rows, inner, columns);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float sum = 0;
      for (int k = 0; k < inner; k++)
        sum = std::fma (a[margin + i * a_stride + k], b[margin + k * b_stride + j], sum);
      expected[margin + i * stride + j] = sum;
    }
  const std::vector<float> got = device.download<float> (result.memory, expected.size ());
  const auto [wrong, right] = std::ranges::mismatch (got, expected);
  test_check (wrong == got.end (), "%dx%d times %dx%d, margin %d, element %td: %.9g, not %.9g", rows, inner, inner, columns,
      margin, wrong - got.begin (), *wrong, *right);
}

TEST (products)
{
  Device device;
  Random random (5);
  static const int sizes[][3] = {{1, 1, 1}, {1, 5, 1}, {3, 4, 5}, {8, 8, 32}, {9, 1, 33}, {7, 513, 31}, {16, 16, 16},
      {64, 64, 64}, {65, 17, 129}, {128, 512, 128}, {130, 1030, 70}, {257, 33, 300}, {1, 2000, 3}, {500, 3, 1}, {4, 0, 3}};
  for (const auto &[rows, inner, columns] : sizes)
    for (const int margin : {0, 3})
      check_product (device, rows, inner, columns, margin, random);
}

/* Only buffers are kept between calls, and they are created once. */
TEST (steady)
{
  Device device;
  Random random (6);
  const VectorSpan a = device.upload (random_vector (100000, random)), result = device.upload<float> ({0});
  device.compute.sum (a, result, 100000);
  const guint64 made = device.compute.allocations, built = device.compute.builds.builds;
  for (int i = 0; i < 10; i++)
    device.compute.sum (a, result, 100000 - i);
  test_check (device.compute.allocations == made && device.compute.builds.builds == built, "calls allocate or build");
}

/* Exceptions end at the C boundary, and a reported error is not reported again. */
TEST (boundary)
{
  const Own element = gst_element_factory_make ("identity", nullptr);
  const Own bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  fail_unless (!run_guarded (element, [] { throw Overdue (); }));
  fail_unless (!gst_bus_have_pending (bus));
  GError *error = nullptr;
  fail_unless (!run_guarded (&error, [] { throw Overdue (); }));
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED));
  g_clear_error (&error);
  fail_unless (!run_guarded (element, [] { throw ::cl::Error (-9999, "clUnheardOf"); }));
  const Own message = gst_bus_pop (bus);
  gchar *debug = nullptr;
  gst_message_parse_error (message, &error, &debug);
  const std::string details = text_of (debug);
  test_check (details.find ("CL error -9999") != std::string::npos, "the details are %s", details.c_str ());
  g_clear_error (&error);
  gst_element_set_bus (element, nullptr);
}

/* The result of `mix` for every pair of bytes; the amount has this many fraction bits if there are no doubles. */
static std::vector<guint8>
mixed (Device &on, double amount, bool doubles)
{
  constexpr int n = 256;
  BuildCounts counts;
  const ProgramSpec spec{.sources = {"lib/sample.clh", "lib/border.clh", "lib/plane.clh", "lib/lanes.clh", "lib/gpu.clh",
                             "lib/load.clh", "lib/store.clh", "lib/mix.clh", "lib/mix.cl"},
      .options = format ("-DBACKEND_GPU=1 -DSAMPLE_BITS=8 -DDEPTH=8 -DSHIFT=0 -DDOUBLES=%d -DANY_PIXEL=0 -DNC=1 "
                         "-DITEM_SAMPLES=4 -DITEM_ROWS=1 -DALIGNED=4 -DIN_WORDS=0 -DNEUTRAL_BESIDE=0",
          doubles)};
  cl::Kernel kernel (*on.cl.programs.get (spec, counts), "mix_plane");
  std::vector<guint8> from (n * n), to (n * n);
  for (int i = 0; i < n * n; i++) {
    from[i] = guint8 (i / n);
    to[i] = guint8 (i % n);
  }
  const cl::Buffer src = on.upload (from).memory, dst = on.upload (to).memory;
  const cl::Buffer keep = on.upload (std::vector<guint8> (n, 0xff)).memory;
  cl_long bits = std::llround (std::ldexp (amount, 40));
  if (doubles)
    std::memcpy (&bits, &amount, sizeof bits);
  const cl_int zero = 0, stride = n;
  cl_uint at = 0;
  const auto set = [&] (const auto &value) { kernel.setArg (at++, value); };
  set (src), set (zero), set (stride), set (dst), set (zero), set (stride), set (keep);
  set (cl_int4{{0, 0, n, n}}), set (cl_int4{{n, n, 0, 0}}), set (bits);
  on.cl.compute.enqueueNDRangeKernel (kernel, cl::NullRange, cl::NDRange (n / 4, n), cl::NullRange);
  return on.download<guint8> (dst, n * n);
}

/* Devices without cl_khr_fp64 mix with integers. The bytes are the same, except at exact ties such as 0.7 * 45, which doubles
 * miss. */
TEST (mix_without_doubles)
{
  Device device;
  const bool has_doubles = device.cl.device.has_extension ("cl_khr_fp64");
  for (const double amount : {0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0}) {
    const std::vector<guint8> whole = mixed (device, amount, false);
    const std::vector<guint8> real = has_doubles ? mixed (device, amount, true) : whole;
    for (int i = 0; i < int (whole.size ()); i++) {
      const double exact = i / 256 + amount * (i % 256 - i / 256), from_tie = std::abs (exact - std::floor (exact) - 0.5);
      test_check (std::abs (whole[i] - exact) <= 0.5 + 1e-9, "mix=%g of %d and %d is %d", amount, i / 256, i % 256, whole[i]);
      test_check (whole[i] == real[i] || from_tie < 1e-9, "mix=%g of %d and %d", amount, i / 256, i % 256);
    }
  }
}

}  // namespace test::compute_suite

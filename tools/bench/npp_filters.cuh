/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NPP's functions for the cases of cl-bench. */
#pragma once

#include <cuda_runtime.h>
#include <npp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int n_rotated = 8;

void
must (cudaError_t status, const char *what)
{
  if (status == cudaSuccess)
    return;
  std::fprintf (stderr, "npp_bench: %s: %s\n", what, cudaGetErrorString (status));
  std::exit (1);
}

/* Filled in for the default stream, as NPP requires. */
NppStreamContext
make_stream_context ()
{
  NppStreamContext context{};
  cudaDeviceProp properties;
  must (cudaGetDevice (&context.nCudaDeviceId), "cudaGetDevice");
  must (cudaGetDeviceProperties (&properties, context.nCudaDeviceId), "cudaGetDeviceProperties");
  context.hStream = nullptr;
  context.nMultiProcessorCount = properties.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
  context.nSharedMemPerBlock = properties.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = properties.major;
  context.nCudaDevAttrComputeCapabilityMinor = properties.minor;
  must (cudaStreamGetFlags (nullptr, &context.nStreamFlags), "cudaStreamGetFlags");
  return context;
}

/* Frames on the device, tightly packed, and memory for results; both rotate. */
struct Pictures {
  int width, height, channels;
  std::vector<Npp8u *> in, out;

  size_t step () const { return size_t (width) * channels; }
  size_t bytes () const { return step () * height; }

  /** Takes the first `channels` components of each pixel. */
  Pictures (int width_, int height_, int channels_, const std::vector<std::vector<uint8_t>> &frames, int given = 4)
      : width (width_), height (height_), channels (channels_), in (n_rotated), out (n_rotated)
  {
    std::vector<uint8_t> packed (bytes ());
    for (int i = 0; i < n_rotated; i++) {
      for (size_t p = 0; p < size_t (width) * height; p++)
        for (int c = 0; c < channels; c++)
          packed[p * channels + c] = frames[i][p * given + c];
      must (cudaMalloc (&in[i], bytes ()), "cudaMalloc");
      must (cudaMalloc (&out[i], bytes ()), "cudaMalloc");
      must (cudaMemcpy (in[i], packed.data (), bytes (), cudaMemcpyHostToDevice), "cudaMemcpy");
      must (cudaMemset (out[i], 0, bytes ()), "cudaMemset");
    }
  }
  ~Pictures ()
  {
    for (int i = 0; i < n_rotated; i++) {
      cudaFree (in[i]);
      cudaFree (out[i]);
    }
  }
  Pictures (const Pictures &) = delete;
  Pictures &operator= (const Pictures &) = delete;
};

/* Filters frame number i; returns the status of the launch. */
using Filter = std::function<NppStatus (int i)>;

/* Memory for taps and scratch data on the device. */
class DeviceMemory {
public:
  DeviceMemory (size_t bytes, const void *content = nullptr)
  {
    must (cudaMalloc (&data, std::max<size_t> (bytes, 1)), "cudaMalloc");
    if (content)
      must (cudaMemcpy (data, content, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~DeviceMemory () { cudaFree (data); }
  DeviceMemory (const DeviceMemory &) = delete;
  DeviceMemory &operator= (const DeviceMemory &) = delete;
  template <typename T> T *as () const { return static_cast<T *> (data); }

private:
  void *data = nullptr;
};

/* A function of NPP for a case of cl-bench. */
struct Job {
  std::string function;
  Filter filter;
};

/* The job keeps its device memory. */
using Memory = std::shared_ptr<DeviceMemory>;

template <typename T>
Memory
on_device (const std::vector<T> &content)
{
  return std::make_shared<DeviceMemory> (content.size () * sizeof (T), content.data ());
}

Memory
room (size_t bytes)
{
  return std::make_shared<DeviceMemory> (bytes);
}

/* The inputs of all jobs. */
struct Request {
  std::string name;
  int size;
  const Pictures &p;
  const NppStreamContext &context;

  int step () const { return int (p.step ()); }
  NppiSize frame () const { return {p.width, p.height}; }
  /** The size if every component is a sample of its own. */
  NppiSize samples () const { return {p.width * p.channels, p.height}; }
  NppiSize mask () const { return {size, size}; }
  NppiPoint anchor () const { return {size / 2, size / 2}; }
  bool is (const char *wanted) const { return name == wanted; }
  bool gray () const { return p.channels == 1; }
};

constexpr NppiPoint origin{0, 0};
constexpr NppiBorderType border = NPP_BORDER_REPLICATE;

/* Excludes a border of the window's radius on each side, which favours NPP. */
void
add_inner_median (const Request &r, std::vector<Job> &jobs)
{
  const int radius = r.size / 2;
  const NppiSize inner{r.p.width - 2 * radius, r.p.height - 2 * radius};
  Npp32u bytes = 0;
  if (nppiFilterMedianGetBufferSize_8u_C4R_Ctx (inner, r.mask (), &bytes, r.context) != NPP_SUCCESS)
    return;
  const Memory scratch = room (bytes);
  const size_t first = size_t (radius) * r.p.step () + size_t (radius) * r.p.channels;
  jobs.push_back ({"nppiFilterMedian_8u_C4R", [=] (int i) {
                     return nppiFilterMedian_8u_C4R_Ctx (r.p.in[i] + first, r.step (), r.p.out[i] + first, r.step (),
                         inner, r.mask (), r.anchor (), scratch->as<Npp8u> (), r.context);
                   }});
}

void
add_median (const Request &r, std::vector<Job> &jobs)
{
  Npp32u bytes = 0;
  const auto size_of =
      r.gray () ? nppiFilterMedianBorderGetBufferSize_8u_C1R_Ctx : nppiFilterMedianBorderGetBufferSize_8u_C4R_Ctx;
  const auto function = r.gray () ? nppiFilterMedianBorder_8u_C1R_Ctx : nppiFilterMedianBorder_8u_C4R_Ctx;
  if (size_of (r.frame (), r.mask (), &bytes, border, r.context) != NPP_SUCCESS)
    return;
  const Memory scratch = room (bytes);
  jobs.push_back ({r.gray () ? "nppiFilterMedianBorder_8u_C1R" : "nppiFilterMedianBorder_8u_C4R", [=] (int i) {
                     return function (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i],
                         r.step (), r.frame (), r.mask (), r.anchor (), scratch->as<Npp8u> (), border, r.context);
                   }});
}

/* The same for windows for which the library may fail with an illegal access, which ends the process. */
void
add_large_median (const Request &r, std::vector<Job> &jobs)
{
  add_median (r, jobs);
}

/* Taps of full rank, as in cl-bench, or the taps of a preset. */
std::vector<Npp32s>
taps_of (const Request &r)
{
  if (r.is ("sharpen"))
    return {0, -1, 0, -1, 5, -1, 0, -1, 0};
  if (r.is ("emboss"))
    return {-2, -1, 0, -1, 1, 1, 0, 1, 2};
  std::vector<Npp32s> taps;
  uint32_t state = 12345;
  for (int i = 0; i < r.size * r.size; i++) {
    state = state * 1664525 + 1013904223;
    taps.push_back (1 + int (state >> 24) % 9);
  }
  return taps;
}

void
add_convolve (const Request &r, std::vector<Job> &jobs)
{
  const std::vector<Npp32s> taps = taps_of (r);
  Npp32s sum = 0;
  for (Npp32s tap : taps)
    sum += tap;
  std::vector<Npp32f> reals;
  for (Npp32s tap : taps)
    reals.push_back (Npp32f (tap) / Npp32f (sum));
  const Memory integer_taps = on_device (taps), real_taps = on_device (reals);
  const auto of_integers = r.gray () ? nppiFilterBorder_8u_C1R_Ctx : nppiFilterBorder_8u_C4R_Ctx;
  const auto of_reals = r.gray () ? nppiFilterBorder32f_8u_C1R_Ctx : nppiFilterBorder32f_8u_C4R_Ctx;
  if (!r.is ("convolve-real"))
    jobs.push_back ({r.gray () ? "nppiFilterBorder_8u_C1R" : "nppiFilterBorder_8u_C4R", [=] (int i) {
                       return of_integers (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i], r.step (), r.frame (),
                           integer_taps->as<Npp32s> (), r.mask (), r.anchor (), sum, border, r.context);
                     }});
  jobs.push_back ({r.gray () ? "nppiFilterBorder32f_8u_C1R" : "nppiFilterBorder32f_8u_C4R", [=] (int i) {
                     return of_reals (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i], r.step (), r.frame (),
                         real_taps->as<Npp32f> (), r.mask (), r.anchor (), border, r.context);
                   }});
}

void
add_gaussian (const Request &r, std::vector<Job> &jobs)
{
  const double sigma = r.size <= 13 ? 2 : 8;
  std::vector<Npp32f> taps;
  Npp32f sum = 0;
  for (int i = 0; i < r.size; i++) {
    taps.push_back (Npp32f (std::exp (-std::pow (i - r.size / 2, 2) / (2 * sigma * sigma))));
    sum += taps.back ();
  }
  for (Npp32f &tap : taps)
    tap /= sum;
  const Memory device_taps = on_device (taps);
  jobs.push_back ({"nppiFilterGaussAdvancedBorder_8u_C4R", [=] (int i) {
                     return nppiFilterGaussAdvancedBorder_8u_C4R_Ctx (r.p.in[i], r.step (), r.frame (), origin,
                         r.p.out[i], r.step (), r.frame (), r.size, device_taps->as<Npp32f> (), border, r.context);
                   }});
  if (r.size == 13) /* one of the masks of fixed size */
    jobs.push_back ({"nppiFilterGaussBorder_8u_C4R", [=] (int i) {
                       return nppiFilterGaussBorder_8u_C4R_Ctx (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i],
                           r.step (), r.frame (), NPP_MASK_SIZE_13_X_13, border, r.context);
                     }});
}

void
add_bilateral (const Request &r, std::vector<Job> &jobs)
{
  const int radius = r.size / 2;
  const Npp32f value = 25.5f * 25.5f, place = Npp32f (radius) * radius / 4;
  const bool color = r.p.channels == 3;
  const auto function =
      color ? nppiFilterBilateralGaussBorder_8u_C3R_Ctx : nppiFilterBilateralGaussBorder_8u_C1R_Ctx;
  jobs.push_back (
      {color ? "nppiFilterBilateralGaussBorder_8u_C3R" : "nppiFilterBilateralGaussBorder_8u_C1R", [=] (int i) {
         return function (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i], r.step (), r.frame (), radius, 1,
             value, place, border, r.context);
       }});
}

void
add_box (const Request &r, std::vector<Job> &jobs)
{
  jobs.push_back ({"nppiFilterBoxBorder_8u_C4R", [=] (int i) {
                     return nppiFilterBoxBorder_8u_C4R_Ctx (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i],
                         r.step (), r.frame (), r.mask (), r.anchor (), border, r.context);
                   }});
}

void
add_unsharp (const Request &r, std::vector<Job> &jobs)
{
  int bytes = 0;
  if (nppiFilterUnsharpGetBufferSize_8u_C4R (3, 1, &bytes) != NPP_SUCCESS)
    return;
  const Memory scratch = room (size_t (bytes));
  jobs.push_back ({"nppiFilterUnsharpBorder_8u_C4R", [=] (int i) {
                     return nppiFilterUnsharpBorder_8u_C4R_Ctx (r.p.in[i], r.step (), origin, r.p.out[i], r.step (),
                         r.frame (), 3, 1, 1, 0, border, scratch->as<Npp8u> (), r.context);
                   }});
}

/* Computes both gradients without their magnitude, which favours NPP. */
void
add_edges (const Request &r, std::vector<Job> &jobs)
{
  const bool prewitt = r.is ("prewitt");
  const auto across = r.gray ()
                          ? (prewitt ? nppiFilterPrewittHorizBorder_8u_C1R_Ctx : nppiFilterSobelHorizBorder_8u_C1R_Ctx)
                          : (prewitt ? nppiFilterPrewittHorizBorder_8u_C3R_Ctx : nppiFilterSobelHorizBorder_8u_C3R_Ctx);
  const auto down = r.gray ()
                        ? (prewitt ? nppiFilterPrewittVertBorder_8u_C1R_Ctx : nppiFilterSobelVertBorder_8u_C1R_Ctx)
                        : (prewitt ? nppiFilterPrewittVertBorder_8u_C3R_Ctx : nppiFilterSobelVertBorder_8u_C3R_Ctx);
  const std::string function = std::string ("nppiFilter") + (prewitt ? "Prewitt" : "Sobel") + "HorizBorder_8u_C"
                               + std::to_string (r.p.channels) + "R and Vert";
  jobs.push_back ({function, [=] (int i) {
                     across (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i], r.step (), r.frame (), border,
                         r.context);
                     return down (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i], r.step (), r.frame (), border,
                         r.context);
                   }});
  if (!r.gray ())
    return;
  const auto magnitude =
      prewitt ? nppiGradientVectorPrewittBorder_8u16s_C1R_Ctx : nppiGradientVectorSobelBorder_8u16s_C1R_Ctx;
  const Memory result = room (2 * r.p.bytes ());
  jobs.push_back ({prewitt ? "nppiGradientVectorPrewittBorder_8u16s_C1R" : "nppiGradientVectorSobelBorder_8u16s_C1R",
      [=] (int i) {
        return magnitude (r.p.in[i], r.step (), r.frame (), origin, nullptr, 0, nullptr, 0, result->as<Npp16s> (),
            2 * r.step (), nullptr, 0, r.frame (), NPP_MASK_SIZE_3_X_3, nppiNormL2, border, r.context);
      }});
}

void
add_morphology (const Request &r, std::vector<Job> &jobs)
{
  const bool erode = r.is ("erode");
  const Memory ones = on_device (std::vector<Npp8u> (size_t (r.size) * r.size, 1));
  const std::string suffix = "Border_8u_C" + std::to_string (r.p.channels) + "R";
  const std::string function = erode ? "nppiErode" : "nppiDilate";
  const auto any = r.gray () ? (erode ? nppiErodeBorder_8u_C1R_Ctx : nppiDilateBorder_8u_C1R_Ctx)
                             : (erode ? nppiErodeBorder_8u_C4R_Ctx : nppiDilateBorder_8u_C4R_Ctx);
  jobs.push_back ({function + suffix, [=] (int i) {
                     return any (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i], r.step (), r.frame (),
                         ones->as<Npp8u> (), r.mask (), r.anchor (), border, r.context);
                   }});
  if (r.size != 3)
    return;
  const auto small = r.gray () ? (erode ? nppiErode3x3Border_8u_C1R_Ctx : nppiDilate3x3Border_8u_C1R_Ctx)
                               : (erode ? nppiErode3x3Border_8u_C4R_Ctx : nppiDilate3x3Border_8u_C4R_Ctx);
  jobs.push_back ({function + "3x3" + suffix, [=] (int i) {
                     return small (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i], r.step (), r.frame (), border,
                         r.context);
                   }});
}

void
add_staged_morphology (const Request &r, std::vector<Job> &jobs)
{
  const bool open = r.is ("open");
  int bytes = 0;
  if (nppiMorphGetBufferSize_8u_C4R (r.frame (), &bytes) != NPP_SUCCESS)
    return;
  const Memory ones = on_device (std::vector<Npp8u> (size_t (r.size) * r.size, 1)), scratch = room (size_t (bytes));
  const auto function = open ? nppiMorphOpenBorder_8u_C4R_Ctx : nppiMorphGradientBorder_8u_C4R_Ctx;
  jobs.push_back ({open ? "nppiMorphOpenBorder_8u_C4R" : "nppiMorphGradientBorder_8u_C4R", [=] (int i) {
                     return function (r.p.in[i], r.step (), r.frame (), origin, r.p.out[i], r.step (), r.frame (),
                         ones->as<Npp8u> (), r.mask (), r.anchor (), scratch->as<Npp8u> (), border, r.context);
                   }});
}

void
add_tones (const Request &r, std::vector<Job> &jobs)
{
  static const Npp32f sepia[3][4] = {{.393f, .769f, .189f, 0}, {.349f, .686f, .168f, 0}, {.272f, .534f, .131f, 0}};
  if (r.is ("threshold"))
    jobs.push_back ({"nppiThreshold_LTValGTVal_8u_C1R", [=] (int i) {
                       return nppiThreshold_LTValGTVal_8u_C1R_Ctx (r.p.in[i], r.step (), r.p.out[i], r.step (),
                           r.samples (), 128, 0, 127, 255, r.context);
                     }});
  if (r.is ("colormatrix"))
    jobs.push_back ({"nppiColorTwist32f_8u_C3R", [=] (int i) {
                       return nppiColorTwist32f_8u_C3R_Ctx (
                           r.p.in[i], r.step (), r.p.out[i], r.step (), r.frame (), sepia, r.context);
                     }});
  if (r.is ("levels")) {
    std::vector<Npp8u> table (256);
    for (int v = 0; v < 256; v++)
      table[v] = Npp8u (255 * std::pow (std::clamp ((v / 255.0 - 0.05) / 0.9, 0.0, 1.0), 1 / 1.5));
    const Memory on = on_device (table);
    jobs.push_back ({"nppiLUTPalette_8u_C1R", [=] (int i) {
                       return nppiLUTPalette_8u_C1R_Ctx (r.p.in[i], r.step (), r.p.out[i], r.step (), r.samples (),
                           on->as<Npp8u> (), 8, r.context);
                     }});
  }
  if (r.is ("blend"))
    jobs.push_back ({"nppiAdd_8u_C4RSfs", [=] (int i) {
                       return nppiAdd_8u_C4RSfs_Ctx (r.p.in[i], r.step (), r.p.in[(i + 1) % n_rotated], r.step (),
                           r.p.out[i], r.step (), r.frame (), 1, r.context);
                     }});
}

void
add_histogram (const Request &r, std::vector<Job> &jobs)
{
  int levels[4] = {257, 257, 257, 257};
  size_t bytes = 0;
  if (nppiHistogramEvenGetBufferSize_8u_C4R_Ctx (r.frame (), levels, &bytes, r.context) != NPP_SUCCESS)
    return;
  const Memory scratch = room (bytes), counts = room (4 * 256 * sizeof (Npp32s));
  jobs.push_back ({"nppiHistogramEven_8u_C4R", [=] (int i) {
                     auto *first = counts->as<Npp32s> ();
                     Npp32s *each[4] = {first, first + 256, first + 512, first + 768};
                     int n[4] = {257, 257, 257, 257};
                     Npp32s lower[4] = {0, 0, 0, 0}, upper[4] = {256, 256, 256, 256};
                     return nppiHistogramEven_8u_C4R_Ctx (r.p.in[i], r.step (), r.frame (), each, n, lower, upper,
                         scratch->as<Npp8u> (), r.context);
                   }});
}

void
add_copy (const Request &r, std::vector<Job> &jobs)
{
  jobs.push_back ({"cudaMemcpyAsync", [=] (int i) {
                     return cudaMemcpyAsync (r.p.out[i], r.p.in[i], r.p.bytes (), cudaMemcpyDeviceToDevice)
                                    == cudaSuccess
                                ? NPP_SUCCESS
                                : NPP_ERROR;
                   }});
}

struct Entry {
  const char *name;
  std::vector<int> sizes;
  int channels;
  void (*add) (const Request &, std::vector<Job> &);
};

/* By the names and windows of cl-bench. The last ones may end the process. */
const std::vector<Entry> &
catalog ()
{
  static const std::vector<Entry> all{
      {"copy", {1}, 4, add_copy},
      {"convolve-int", {3, 7, 15}, 4, add_convolve},
      {"convolve-real", {3, 7, 15}, 4, add_convolve},
      {"sharpen", {3}, 4, add_convolve},
      {"emboss", {3}, 4, add_convolve},
      {"unsharp", {7}, 4, add_unsharp},
      {"gaussian", {13, 31}, 4, add_gaussian},
      {"blur", {13, 31, 49}, 4, add_gaussian},
      {"box", {21}, 4, add_box},
      {"bilateral", {5, 9}, 3, add_bilateral},
      {"bilateral", {5, 9}, 1, add_bilateral},
      {"prewitt", {3}, 3, add_edges},
      {"sobel", {3}, 3, add_edges},
      {"erode", {3, 15}, 4, add_morphology},
      {"dilate", {3, 15}, 4, add_morphology},
      {"open", {7}, 4, add_staged_morphology},
      {"gradient", {7}, 4, add_staged_morphology},
      {"convolve-int", {3}, 1, add_convolve},
      {"prewitt", {3}, 1, add_edges},
      {"sobel", {3}, 1, add_edges},
      {"erode", {3}, 1, add_morphology},
      {"threshold", {1}, 1, add_tones},
      {"median", {3}, 1, add_median},
      {"threshold", {1}, 4, add_tones},
      {"colormatrix", {1}, 3, add_tones},
      {"levels", {1}, 4, add_tones},
      {"blend", {2}, 4, add_tones},
      {"histogram", {1}, 4, add_histogram},
      {"median", {3, 5, 7, 15, 31}, 4, add_inner_median},
      {"median", {3, 5, 7}, 4, add_median},
      {"median", {15, 31}, 4, add_large_median},
  };
  return all;
}

}  // namespace

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times NPP's filters for gst-cl-bench --peer-results: nvcc -O2 -o npp_bench npp_bench.cu -lnppif -lnppc
 * then ./npp_bench 3840 2160 > npp.jsonl; a third argument is the file of gst-cl-bench --save-frames, a fourth a filter. */
#include <cuda_runtime.h>
#include <npp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int n_rotated = 8, n_samples = 15, n_samples_least = 5;
constexpr double budget_ms = 5000, burst_ms = 2;

void
must (cudaError_t status, const char *what)
{
  if (status == cudaSuccess)
    return;
  std::fprintf (stderr, "npp_bench: %s: %s\n", what, cudaGetErrorString (status));
  std::exit (1);
}

/* As NPP asks the application to fill it, for the default stream. */
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

/* Frames on the device, tightly packed, and room for results: they take turns. */
struct Pictures {
  int width, height, channels;
  std::vector<Npp8u *> in, out;

  size_t step () const { return size_t (width) * channels; }
  size_t bytes () const { return step () * height; }

  Pictures (int width_, int height_, int channels_, const std::vector<std::vector<uint8_t>> &rgba)
      : width (width_), height (height_), channels (channels_), in (n_rotated), out (n_rotated)
  {
    std::vector<uint8_t> packed (bytes ());
    for (int i = 0; i < n_rotated; i++) {
      for (size_t p = 0; p < size_t (width) * height; p++)
        for (int c = 0; c < channels; c++)
          packed[p * channels + c] = rgba[i][p * 4 + c];
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

/* Filters frame number i; the status of the launch. */
using Filter = std::function<NppStatus (int i)>;

class Timer {
public:
  Timer ()
  {
    must (cudaEventCreate (&begin), "cudaEventCreate");
    must (cudaEventCreate (&end), "cudaEventCreate");
  }
  ~Timer ()
  {
    cudaEventDestroy (begin);
    cudaEventDestroy (end);
  }

  /* Milliseconds per call of n calls in a row. */
  double burst (const Filter &filter, int n)
  {
    must (cudaEventRecord (begin), "cudaEventRecord");
    for (int i = 0; i < n; i++)
      filter (next++ % n_rotated);
    must (cudaEventRecord (end), "cudaEventRecord");
    must (cudaEventSynchronize (end), "cudaEventSynchronize");
    float ms = 0;
    must (cudaEventElapsedTime (&ms, begin, end), "cudaEventElapsedTime");
    return double (ms) / n;
  }

private:
  cudaEvent_t begin, end;
  int next = 0;
};

void
report (const Pictures &pictures, const char *name, int size, const char *function, std::vector<double> us)
{
  std::sort (us.begin (), us.end ());
  std::printf ("{\"peer\":\"npp\",\"filter\":\"%s\",\"size\":%d,\"width\":%d,\"height\":%d,\"channels\":%d,"
               "\"us\":%.3f,\"min_us\":%.3f,\"max_us\":%.3f,\"runs\":%zu,\"function\":\"%s\"}\n",
      name, size, pictures.width, pictures.height, pictures.channels, us[us.size () / 2], us.front (), us.back (),
      us.size (), function);
  std::fflush (stdout);
}

/* Medians of bursts that a clock can tell from a launch; fewer where each is slow. */
void
measure (const Pictures &pictures, const char *name, int size, const char *function, const Filter &filter)
{
  std::fprintf (stderr, "%s %d, %d channels, %s\n", name, size, pictures.channels, function);
  const NppStatus status = filter (0);
  must (cudaDeviceSynchronize (), function);
  if (status != NPP_SUCCESS) {
    std::fprintf (stderr, "  left out: NPP status %d\n", int (status));
    return;
  }
  Timer timer;
  const double once = timer.burst (filter, 1);
  const int n = std::max (1, std::min (200, int (std::ceil (burst_ms / once))));
  if (once * n < budget_ms / n_samples)
    timer.burst (filter, n);
  std::vector<double> us;
  double spent = 0;
  while (us.size () < n_samples && (us.size () < n_samples_least || spent < budget_ms)) {
    const double ms = timer.burst (filter, n);
    spent += ms * n;
    us.push_back (ms * 1000);
  }
  must (cudaGetLastError (), function);
  report (pictures, name, size, function, us);
}

/* Memory for taps and scratch on the device. */
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

void
measure_copy (const Pictures &p)
{
  measure (p, "copy", 1, "cudaMemcpyAsync", [&p] (int i) {
    return cudaMemcpyAsync (p.out[i], p.in[i], p.bytes (), cudaMemcpyDeviceToDevice) == cudaSuccess ? NPP_SUCCESS
                                                                                                    : NPP_ERROR;
  });
}

/* Without the border: the window's radius less on every side, which is in NPP's favour. */
void
measure_inner_median (const Pictures &p, int size, const NppStreamContext &context)
{
  const int radius = size / 2;
  const NppiSize inner{p.width - 2 * radius, p.height - 2 * radius}, mask{size, size};
  const NppiPoint anchor{radius, radius};
  Npp32u scratch_bytes = 0;
  if (nppiFilterMedianGetBufferSize_8u_C4R_Ctx (inner, mask, &scratch_bytes, context) != NPP_SUCCESS)
    return;
  const DeviceMemory scratch (scratch_bytes);
  const size_t first = size_t (radius) * p.step () + size_t (radius) * p.channels;
  measure (p, "median", size, "nppiFilterMedian_8u_C4R", [&] (int i) {
    return nppiFilterMedian_8u_C4R_Ctx (p.in[i] + first, Npp32s (p.step ()), p.out[i] + first, Npp32s (p.step ()), inner,
        mask, anchor, scratch.as<Npp8u> (), context);
  });
}

void
measure_median (const Pictures &p, int size, const NppStreamContext &context)
{
  const NppiSize frame{p.width, p.height}, mask{size, size};
  const NppiPoint origin{0, 0}, anchor{size / 2, size / 2};
  Npp32u scratch_bytes = 0;
  const NppStatus status =
      nppiFilterMedianBorderGetBufferSize_8u_C4R_Ctx (frame, mask, &scratch_bytes, NPP_BORDER_REPLICATE, context);
  if (status != NPP_SUCCESS) {
    std::fprintf (stderr, "median %d left out: no size of its scratch memory, NPP status %d\n", size, int (status));
    return;
  }
  const DeviceMemory scratch (scratch_bytes);
  measure (p, "median", size, "nppiFilterMedianBorder_8u_C4R", [&] (int i) {
    return nppiFilterMedianBorder_8u_C4R_Ctx (p.in[i], Npp32s (p.step ()), frame, origin, p.out[i], Npp32s (p.step ()),
        frame, mask, anchor, scratch.as<Npp8u> (), NPP_BORDER_REPLICATE, context);
  });
}

/* Taps of full rank, as gst-cl-bench has them. */
void
measure_convolve (const Pictures &p, int size, const NppStreamContext &context)
{
  const NppiSize frame{p.width, p.height}, mask{size, size};
  const NppiPoint origin{0, 0}, anchor{size / 2, size / 2};
  std::vector<Npp32s> integers;
  std::vector<Npp32f> reals;
  Npp32s sum = 0;
  uint32_t state = 12345;
  for (int i = 0; i < size * size; i++) {
    state = state * 1664525 + 1013904223;
    integers.push_back (1 + int (state >> 24) % 9);
    sum += integers.back ();
  }
  for (Npp32s tap : integers)
    reals.push_back (Npp32f (tap) / Npp32f (sum));
  const DeviceMemory integer_taps (integers.size () * sizeof (Npp32s), integers.data ());
  const DeviceMemory real_taps (reals.size () * sizeof (Npp32f), reals.data ());
  measure (p, "convolve-int", size, "nppiFilterBorder_8u_C4R", [&] (int i) {
    return nppiFilterBorder_8u_C4R_Ctx (p.in[i], Npp32s (p.step ()), frame, origin, p.out[i], Npp32s (p.step ()), frame,
        integer_taps.as<Npp32s> (), mask, anchor, sum, NPP_BORDER_REPLICATE, context);
  });
  for (const char *name : {"convolve-int", "convolve-real"})
    measure (p, name, size, "nppiFilterBorder32f_8u_C4R", [&] (int i) {
      return nppiFilterBorder32f_8u_C4R_Ctx (p.in[i], int (p.step ()), frame, origin, p.out[i], int (p.step ()), frame,
          real_taps.as<Npp32f> (), mask, anchor, NPP_BORDER_REPLICATE, context);
    });
}

void
measure_gaussian (const Pictures &p, int size, double sigma, const NppStreamContext &context)
{
  const NppiSize frame{p.width, p.height};
  const NppiPoint origin{0, 0};
  std::vector<Npp32f> taps;
  Npp32f sum = 0;
  for (int i = 0; i < size; i++) {
    taps.push_back (Npp32f (std::exp (-std::pow (i - size / 2, 2) / (2 * sigma * sigma))));
    sum += taps.back ();
  }
  for (Npp32f &tap : taps)
    tap /= sum;
  const DeviceMemory device_taps (taps.size () * sizeof (Npp32f), taps.data ());
  measure (p, "gaussian", size, "nppiFilterGaussAdvancedBorder_8u_C4R", [&] (int i) {
    return nppiFilterGaussAdvancedBorder_8u_C4R_Ctx (p.in[i], Npp32s (p.step ()), frame, origin, p.out[i],
        Npp32s (p.step ()), frame, size, device_taps.as<Npp32f> (), NPP_BORDER_REPLICATE, context);
  });
  if (size != 13)
    return; /* the masks of fixed size end at 15, and the other sizes are no case */
  measure (p, "gaussian", size, "nppiFilterGaussBorder_8u_C4R", [&] (int i) {
    return nppiFilterGaussBorder_8u_C4R_Ctx (p.in[i], Npp32s (p.step ()), frame, origin, p.out[i], Npp32s (p.step ()),
        frame, NPP_MASK_SIZE_13_X_13, NPP_BORDER_REPLICATE, context);
  });
}

void
measure_bilateral (const Pictures &p, int radius, const NppStreamContext &context)
{
  const NppiSize frame{p.width, p.height};
  const NppiPoint origin{0, 0};
  const Npp32f value = 25.5f * 25.5f, place = Npp32f (radius) * radius / 4;
  const auto function =
      p.channels == 3 ? nppiFilterBilateralGaussBorder_8u_C3R_Ctx : nppiFilterBilateralGaussBorder_8u_C1R_Ctx;
  measure (p, "bilateral", 2 * radius + 1,
      p.channels == 3 ? "nppiFilterBilateralGaussBorder_8u_C3R" : "nppiFilterBilateralGaussBorder_8u_C1R", [&] (int i) {
        return function (p.in[i], Npp32s (p.step ()), frame, origin, p.out[i], Npp32s (p.step ()), frame, radius, 1,
            value, place, NPP_BORDER_REPLICATE, context);
      });
}

/* Gradients, edges and noise, where no file gives the frames that gst-cl-bench filters. */
std::vector<std::vector<uint8_t>>
draw_frames (int width, int height)
{
  std::vector<std::vector<uint8_t>> frames;
  uint32_t state = 1;
  for (int i = 0; i < n_rotated; i++) {
    std::vector<uint8_t> &rgba = frames.emplace_back (size_t (width) * height * 4);
    for (size_t at = 0; at < rgba.size (); at++) {
      state = state * 1664525 + 1013904223;
      const int x = int (at / 4 % width), y = int (at / 4 / width), c = int (at % 4);
      const double tone = 90 + 50 * std::sin ((x + 7 * i) / 97.0 + c) + 40 * std::cos ((y + 3 * i) / 61.0);
      const int object = (x / 83 + y / 59) % 3 == 0 ? 40 : 0;
      rgba[at] = uint8_t (std::clamp (int (tone) + object + int (state >> 24) % 17 - 8, 0, 255));
    }
  }
  return frames;
}

std::vector<std::vector<uint8_t>>
read_frames (const char *path, int width, int height)
{
  std::ifstream file (path, std::ios::binary);
  std::vector<std::vector<uint8_t>> frames (n_rotated, std::vector<uint8_t> (size_t (width) * height * 4));
  for (std::vector<uint8_t> &rgba : frames)
    if (!file.read (reinterpret_cast<char *> (rgba.data ()), std::streamsize (rgba.size ()))) {
      std::fprintf (stderr, "npp_bench: %s holds no %d frames of %dx%d\n", path, n_rotated, width, height);
      std::exit (1);
    }
  return frames;
}

}  // namespace

int
main (int argc, char **argv)
{
  const int width = argc > 2 ? std::atoi (argv[1]) : 3840, height = argc > 2 ? std::atoi (argv[2]) : 2160;
  const std::string wanted = argc > 4 ? argv[4] : "";
  if (argc == 2 || width < 64 || height < 64) {
    std::fprintf (stderr, "usage: npp_bench [WIDTH HEIGHT [FRAMES.rgba or - [FILTER]]]\n");
    return 2;
  }
  const auto frames =
      argc > 3 && std::strcmp (argv[3], "-") ? read_frames (argv[3], width, height) : draw_frames (width, height);
  const NppStreamContext context = make_stream_context ();
  const auto wants = [&wanted] (const char *name) { return wanted.empty () || wanted == name; };
  {
    const Pictures rgba (width, height, 4, frames);
    if (wants ("copy"))
      measure_copy (rgba);
    for (int size : {3, 7, 15})
      if (wants ("convolve"))
        measure_convolve (rgba, size, context);
    if (wants ("gaussian")) {
      measure_gaussian (rgba, 13, 2, context);
      measure_gaussian (rgba, 31, 8, context);
    }
    for (int size : {3, 5, 7, 15, 31})
      if (wants ("median"))
        measure_inner_median (rgba, size, context);
  }
  for (int channels : {3, 1}) {
    const Pictures pictures (width, height, channels, frames);
    for (int radius : {2, 4})
      if (wants ("bilateral"))
        measure_bilateral (pictures, radius, context);
  }
  /* last: at some sizes the library fails with an illegal access, which ends the process */
  const Pictures rgba (width, height, 4, frames);
  for (int size : {3, 5, 7, 15, 31})
    if (wants ("median"))
      measure_median (rgba, size, context);
  return 0;
}

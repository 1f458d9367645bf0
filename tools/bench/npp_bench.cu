/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times NPP's filters for cl-bench:
 *
 *   nvcc -O2 -std=c++17 -o npp_bench npp_bench.cu -lnppif -lnppim -lnppist -lnppitc -lnppicc -lnppial -lnppc
 *
 * Beside cl-bench, in PATH or named by --npp it takes turns with the other peers (the argument `serve`). By itself
 * it prints all its times for --peer-results: ./npp_bench 3840 2160 > npp.jsonl; a third argument is the file of
 * cl-bench --save-frames, a fourth a filter. */
#include "npp_filters.cuh"

#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

constexpr int n_samples = 15, n_samples_least = 5;
constexpr double budget_ms = 5000, sample_ms = 2;

/* Keeps the device busy. */
__global__ void
hold (long long cycles)
{
  const long long begin = clock64 ();
  while (clock64 () - begin < cycles) {
  }
}

/* Times of single calls, each between two events, like the kernel times of cl-bench. The device starts when all calls are
 * enqueued, so that none waits for the host. */
class Timer {
public:
  Timer () : begins (most), ends (most)
  {
    for (int i = 0; i < most; i++) {
      must (cudaEventCreate (&begins[i]), "cudaEventCreate");
      must (cudaEventCreate (&ends[i]), "cudaEventCreate");
    }
  }
  ~Timer ()
  {
    for (int i = 0; i < most; i++) {
      cudaEventDestroy (begins[i]);
      cudaEventDestroy (ends[i]);
    }
  }

  static constexpr int most = 100;

  /* The median of n consecutive calls, in ms. */
  double typical (const Filter &filter, int n)
  {
    constexpr long long cycles_a_call = 30000; /* more than the host needs to enqueue a call */
    hold<<<1, 1>>> (cycles_a_call * n);
    for (int i = 0; i < n; i++) {
      must (cudaEventRecord (begins[i]), "cudaEventRecord");
      filter (next++ % n_rotated);
      must (cudaEventRecord (ends[i]), "cudaEventRecord");
    }
    must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
    std::vector<float> ms (n);
    for (int i = 0; i < n; i++)
      must (cudaEventElapsedTime (&ms[i], begins[i], ends[i]), "cudaEventElapsedTime");
    std::nth_element (ms.begin (), ms.begin () + n / 2, ms.end ());
    return ms[n / 2];
  }

private:
  std::vector<cudaEvent_t> begins, ends;
  int next = 0;
};

/* How many calls of this duration make a sample. */
int
calls_for (double ms)
{
  return std::clamp (int (std::ceil (sample_ms / ms)), 1, Timer::most);
}

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

/* Prints medians of samples; takes fewer samples if each is slow. */
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
  const double once = timer.typical (filter, 1);
  const int n = calls_for (once);
  if (once * n < budget_ms / n_samples)
    timer.typical (filter, n);
  std::vector<double> us;
  double spent = 0;
  while (us.size () < n_samples && (us.size () < n_samples_least || spent < budget_ms)) {
    const double ms = timer.typical (filter, n);
    spent += ms * n;
    us.push_back (ms * 1000);
  }
  must (cudaGetLastError (), function);
  report (pictures, name, size, function, us);
}

/* Draws gradients, edges and noise, if no file has the frames of cl-bench. */
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
read_frames (const char *path, int width, int height, int channels = 4)
{
  std::ifstream file (path, std::ios::binary);
  std::vector<std::vector<uint8_t>> frames (n_rotated, std::vector<uint8_t> (size_t (width) * height * channels));
  for (std::vector<uint8_t> &pixels : frames)
    if (!file.read (reinterpret_cast<char *> (pixels.data ()), std::streamsize (pixels.size ()))) {
      std::fprintf (stderr, "npp_bench: %s holds no %d frames of %dx%d\n", path, n_rotated, width, height);
      std::exit (1);
    }
  return frames;
}

/* Milliseconds per call, one sample at a time. */
class Sampler {
public:
  explicit Sampler (const Filter &filter_) : filter (filter_), n (calls_for (timer.typical (filter, 1))) {}
  double operator() () { return timer.typical (filter, n); }

private:
  Timer timer;
  Filter filter;
  int n;
};

/* Answers "filter window" with the µs of one more sample of the fastest function, or with `none`. */
class Server {
public:
  Server (const Pictures &pictures_, const NppStreamContext &context_) : pictures (pictures_), context (context_) {}

  std::string answer (const std::string &line)
  {
    if (line != known) {
      known = line;
      choose (line);
    }
    if (!fastest)
      return "none";
    const double us = (*fastest) () * 1000;
    return cudaGetLastError () == cudaSuccess ? std::to_string (us) : "none";
  }

private:
  void choose (const std::string &line)
  {
    std::istringstream words (line);
    std::string name;
    int size = 0;
    words >> name >> size;
    fastest.reset ();
    double least = 0;
    for (const Entry &entry : catalog ()) {
      if (entry.name != name || entry.channels != pictures.channels || entry.add == add_large_median
          || std::find (entry.sizes.begin (), entry.sizes.end (), size) == entry.sizes.end ())
        continue;
      std::vector<Job> jobs;
      entry.add ({name, size, pictures, context}, jobs);
      for (const Job &job : jobs) {
        if (job.filter (0) != NPP_SUCCESS || cudaDeviceSynchronize () != cudaSuccess)
          continue;
        auto sampler = std::make_unique<Sampler> (job.filter);
        const double ms = (*sampler) ();
        if (!fastest || ms < least) {
          least = ms;
          fastest = std::move (sampler);
        }
      }
    }
  }

  const Pictures &pictures;
  const NppStreamContext &context;
  std::string known;
  std::unique_ptr<Sampler> fastest;
};

int
serve (int argc, char **argv)
{
  const NppStreamContext context = make_stream_context ();
  std::string line;
  if (argc < 7) { /* was only started to see whether it runs */
    const NppLibraryVersion *version = nppGetLibVersion ();
    while (std::getline (std::cin, line))
      std::cout << "NPP " << version->major << "." << version->minor << "." << version->build << std::endl;
    return 0;
  }
  const int width = std::atoi (argv[2]), height = std::atoi (argv[3]), given = std::atoi (argv[5]);
  const Pictures pictures (
      width, height, std::atoi (argv[6]), read_frames (argv[4], width, height, given), given);
  Server server (pictures, context);
  while (std::getline (std::cin, line))
    std::cout << server.answer (line) << std::endl;
  return 0;
}

}  // namespace

int
main (int argc, char **argv)
{
  if (argc > 1 && !std::strcmp (argv[1], "serve"))
    return serve (argc, argv);
  const int width = argc > 2 ? std::atoi (argv[1]) : 3840, height = argc > 2 ? std::atoi (argv[2]) : 2160;
  const std::string wanted = argc > 4 ? argv[4] : "";
  if (argc == 2 || width < 64 || height < 64) {
    std::fprintf (stderr, "usage: npp_bench [WIDTH HEIGHT [FRAMES.rgba or - [FILTER]]]\n");
    return 2;
  }
  const auto frames =
      argc > 3 && std::strcmp (argv[3], "-") ? read_frames (argv[3], width, height) : draw_frames (width, height);
  const NppStreamContext context = make_stream_context ();
  for (const Entry &entry : catalog ()) {
    if (!wanted.empty () && wanted != entry.name)
      continue;
    const Pictures pictures (width, height, entry.channels, frames);
    for (int size : entry.sizes) {
      std::vector<Job> jobs;
      entry.add ({entry.name, size, pictures, context}, jobs);
      for (const Job &job : jobs)
        measure (pictures, entry.name, size, job.function.c_str (), job.filter);
    }
  }
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the resources of a process, and whether they grow. */
#pragma once

#include "../machinery/census/census.hpp"
#include "core/program.hpp"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace soak {

constexpr double mib = 1 << 20;

/** A measurement, without a running pipeline. */
struct Holdings {
  double seconds = 0;
  /** Resident bytes, and allocated bytes of the heap. */
  size_t resident = 0, heap = 0;
  long files = 0, threads = 0;
  /** References to OpenCL's objects; zeros without the census layer. */
  census::Live live;

  std::string text () const
  {
    char line[200];
    std::snprintf (line, sizeof line,
        "%7.0f s  resident %7.1f MiB  heap %7.1f MiB  files %ld  threads %ld  "
        "cl: contexts %ld queues %ld memories %ld programs %ld kernels %ld",
        seconds, double (resident) / mib, double (heap) / mib, files, threads, live.contexts, live.queues, live.memories,
        live.programs, live.kernels);
    return line;
  }
};

inline long
entries_of (const char *folder)
{
  return std::distance (std::filesystem::directory_iterator (folder), std::filesystem::directory_iterator ());
}

/* Finds the layer in the process, by the name that OpenCL's loader used. */
inline census::Live
count_objects ()
{
  census::Live live;
  const char *path = std::getenv ("OPENCL_LAYERS");
  void *layer = path ? dlopen (path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (!layer)
    return live;
  if (const auto count = reinterpret_cast<decltype (cl_census_live) *> (dlsym (layer, "cl_census_live")))
    count (&live);
  /* the layer records each creation until it is asked */
  census::Calls calls;
  if (const auto forget = reinterpret_cast<decltype (cl_census_take) *> (dlsym (layer, "cl_census_take")))
    forget (&calls);
  dlclose (layer);
  return live;
}

struct Measure {
  const char *name;
  double (*of) (const Holdings &);
  /* the variation that does not count as growth, as a share and as a number */
  double share, number;
  /* a fixed limit; 0: earlier values are the limit */
  double ceiling = 0;
};

/* Programs that a context keeps, and that the last scene held at its last request. */
constexpr double most_programs = gst::cl::ProgramCache::most_idle + 16;

inline const Measure measures[] = {
    {"resident MiB", [] (const Holdings &h) { return double (h.resident) / mib; }, 0.1, 16},
    {"heap MiB", [] (const Holdings &h) { return double (h.heap) / mib; }, 0.1, 8},
    {"files", [] (const Holdings &h) { return double (h.files); }, 0, 1},
    {"threads", [] (const Holdings &h) { return double (h.threads); }, 0, 2},
    {"cl_context", [] (const Holdings &h) { return double (h.live.contexts); }, 0, 0},
    {"cl_command_queue", [] (const Holdings &h) { return double (h.live.queues); }, 0, 0},
    {"cl_mem", [] (const Holdings &h) { return double (h.live.memories); }, 0, 0},
    {"cl_program", [] (const Holdings &h) { return double (h.live.programs); }, 0, 0, most_programs},
    {"cl_kernel", [] (const Holdings &h) { return double (h.live.kernels); }, 0, 0},
};

class Meter {
public:
  /** Measures the process. */
  const Holdings &take (double seconds)
  {
    malloc_trim (0);
    Holdings now{.seconds = seconds, .files = entries_of ("/proc/self/fd"), .threads = entries_of ("/proc/self/task")};
    size_t pages = 0;
    std::ifstream ("/proc/self/statm") >> pages >> pages;
    now.resident = pages * size_t (sysconf (_SC_PAGESIZE));
    const struct mallinfo2 heap = mallinfo2 ();
    now.heap = heap.uordblks + heap.hblkhd;
    now.live = count_objects ();
    return all.emplace_back (now);
  }

  /** The numbers that were greater in the last third of the time than in the second, which excludes warming up; "" if none. */
  std::string growth () const
  {
    std::string grown;
    if (all.size () < 3)
      return grown;
    const double end = all.back ().seconds;
    for (const Measure &measure : measures) {
      double before = 0, after = 0;
      for (const Holdings &each : all)
        if (each.seconds >= end / 3)
          (each.seconds < 2 * end / 3 ? before : after) =
              std::max (each.seconds < 2 * end / 3 ? before : after, measure.of (each));
      if (after > (measure.ceiling > 0 ? measure.ceiling : before * (1 + measure.share) + measure.number)) {
        char line[100];
        std::snprintf (line, sizeof line, "%s%s %.1f -> %.1f", grown.empty () ? "" : ", ", measure.name, before, after);
        grown += line;
      }
    }
    return grown;
  }

private:
  std::vector<Holdings> all;
};

}  // namespace soak

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the resources of a process, and whether they grow. */
#pragma once

#include "../machinery/census/census.hpp"

#include <string>
#include <vector>

namespace soak {

/** A measurement, without a running pipeline. */
struct Holdings {
  double seconds = 0;
  /** Resident bytes, and allocated bytes of the heap. */
  size_t resident = 0, heap = 0;
  long files = 0, threads = 0;
  /** References to OpenCL's objects; zeros without the census layer. */
  census::Live live;

  std::string text () const;
};

class Meter {
public:
  /** Measures the process. */
  const Holdings &take (double seconds);

  /** The numbers that were greater in the last third of the time than in the second, which excludes warming up; "" if none. */
  std::string growth () const;

private:
  std::vector<Holdings> all;
};

}  // namespace soak

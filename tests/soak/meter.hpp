/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a process holds, and whether that grows. */
#pragma once

#include "../census/census.hpp"

#include <string>
#include <vector>

namespace soak {

/** At one moment, with no pipeline alive. */
struct Holdings {
  double seconds = 0;
  /** Bytes that are resident, and those of them that were allocated and not freed. */
  size_t resident = 0, heap = 0;
  long files = 0, threads = 0;
  /** References to OpenCL's objects; zeros without the census layer. */
  census::Live live;

  std::string text () const;
};

class Meter {
public:
  /** Looks at the process now. */
  const Holdings &take (double seconds);

  /** What the last third of the time held more of than the second, in which all was warm; "" where nothing. */
  std::string growth () const;

private:
  std::vector<Holdings> all;
};

}  // namespace soak

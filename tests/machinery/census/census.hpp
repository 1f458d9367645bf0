/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts OpenCL calls between the application and its drivers: calls that should not happen per frame. It can also make calls
 * fail. */
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace census {

/** Names of functions, one entry for each call. */
struct Calls {
  /** Calls that created a memory object, queue, kernel or program, or built one; in any thread. */
  std::vector<std::string> created;
  /** Calls that made the calling thread wait: clFinish, blocking transfers, clWaitForEvents before the event was complete. */
  std::vector<std::string> waited;
  /** Bytes that were read, written or copied between buffers and the host, in any thread; without the accesses of kernels. */
  unsigned long long moved = 0;
  /** In any thread: transfers between a buffer and the host, flushes of a queue, and waits, including those that return at
   *  once. */
  unsigned transfers = 0, flushes = 0, waits = 0;
};

/** References to live objects: created or retained, minus released. Memory that is mapped twice counts twice. */
struct Live {
  long contexts = 0, queues = 0, memories = 0, mappings = 0, programs = 0, kernels = 0;

  bool operator== (const Live &) const = default;
};

}  // namespace census

/** Exported for tests in the same process. Appends to calls what all threads have created and what this thread has waited for
 *  since its last call; a thread's first call contains none of its waits. */
extern "C" void cl_census_take (census::Calls *calls);

/** The current numbers of references. */
extern "C" void cl_census_live (census::Live *live);

/** From now on programs are not compiled: they have kernels of any name, which take any arguments and do nothing. */
extern "C" void cl_census_skip_kernels (bool skips);

/** From now on a device or a platform (null: all of them) answers the query `what` with these bytes; without a value, as its
 *  driver does. */
extern "C" void cl_census_answer (const void *whom, unsigned what, const void *value, size_t size);

/** Loses the context of the next enqueued kernel: it accepts no more kernels, as after a crash on a GPU. Other contexts keep
 *  working. */
extern "C" void cl_census_lose_context ();

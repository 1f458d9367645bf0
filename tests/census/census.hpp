/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an OpenCL layer has counted between the application and its drivers: calls that should not happen per frame. And
 * what it can be told to break. */
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace census {

/** Names of functions, one entry a call. */
struct Calls {
  /** Made a memory object, queue, kernel or program, or built one; on any thread. */
  std::vector<std::string> created;
  /** Made the calling thread wait: clFinish, blocking transfers, clWaitForEvents before the event was complete. */
  std::vector<std::string> waited;
  /** Bytes that were asked to be read, written or copied between buffers and the host, on any thread; kernels' own are not
   *  counted. */
  unsigned long long moved = 0;
  /** Transfers between a buffer and the host, flushes of a queue, and waits of any kind whether or not there was something to
   *  wait for; on any thread. */
  unsigned transfers = 0, flushes = 0, waits = 0;
};

/** References to objects that are alive: those that were created or retained, less those released. Memory that is mapped
 *  twice counts twice. */
struct Live {
  long contexts = 0, queues = 0, memories = 0, mappings = 0, programs = 0, kernels = 0;

  bool operator== (const Live &) const = default;
};

}  // namespace census

/** Exported by the layer for tests in the same process. Appends to calls what any thread created and what this thread
 *  waited for since its last call, and forgets it; a thread's first call has none of its waits. */
extern "C" void cl_census_take (census::Calls *calls);

/** How many there are now. */
extern "C" void cl_census_live (census::Live *live);

/** From now on nobody compiles programs: they have a kernel of any name, which takes any arguments and is not run. */
extern "C" void cl_census_skip_kernels (bool skips);

/** From now on a device or a platform (null: all of them) answers the question `what` with these bytes. Without a value: they
 *  say what their drivers say. */
extern "C" void cl_census_answer (const void *whom, unsigned what, const void *value, size_t size);

/** The context of the next kernel that is enqueued is lost: it takes no kernels any longer, as after a crash on a GPU.
 *  Others are as they were. */
extern "C" void cl_census_lose_context ();

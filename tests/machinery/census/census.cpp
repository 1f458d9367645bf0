/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer: see census.hpp. It changes no behaviour unless it is asked to. */
#include "census.hpp"

#include "answers.hpp"
#include "fakes.hpp"
#include "give.hpp"
#include "parts.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

namespace {

cl_icd_dispatch target, hooks;

std::mutex mutex;
std::vector<std::string> created;
unsigned long long moved = 0;
std::atomic<unsigned> transfers = 0, flushes = 0, waits = 0;
/* Set in a thread from its first query on; GStreamer's threads live on and never query. */
thread_local bool asks = false;
thread_local std::vector<std::string> waited;

void
note_wait (const char *name)
{
  waits++;
  if (asks)
    waited.emplace_back (name);
}

void
note_creation (const char *name)
{
  const std::lock_guard lock (mutex);
  created.emplace_back (name);
}

constexpr auto creates = [] (auto original, const char *name, auto... arguments) {
  note_creation (name);
  return original (arguments...);
};

void
note_bytes (size_t bytes)
{
  transfers++;
  const std::lock_guard lock (mutex);
  moved += bytes;
}

/* A transfer or a map whose third argument tells whether it blocks. */
constexpr auto blocks = [] (auto original, const char *name, auto... arguments) {
  if (std::get<2> (std::tuple (arguments...)))
    note_wait (name);
  return original (arguments...);
};

/* A transfer between a buffer and the host. */
constexpr auto moves = [] (auto original, const char *name, auto... arguments) {
  note_bytes (transfer_size (std::tuple (arguments...)));
  return blocks (original, name, arguments...);
};

constexpr auto copies = [] (auto original, const char *, auto... arguments) {
  note_bytes (std::get<5> (std::tuple (arguments...)));
  return original (arguments...);
};

constexpr auto flush = [] (auto original, const char *, cl_command_queue queue) {
  flushes++;
  return original (queue);
};

constexpr auto finish = [] (auto original, const char *name, cl_command_queue queue) {
  note_wait (name);
  return original (queue);
};

cl_int CL_API_CALL
wait_for_events (cl_uint n, const cl_event *events)
{
  const auto is_pending = [] (cl_event event) {
    cl_int status = CL_COMPLETE;
    target.clGetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return status > CL_COMPLETE;
  };
  if (std::any_of (events, events + n, is_pending))
    note_wait ("clWaitForEvents");
  else
    waits++;
  return target.clWaitForEvents (n, events);
}

std::atomic<bool> loses_context = false;
std::set<cl_context> lost; /* with mutex held; contexts are kept alive, so that no new one gets the same address */

cl_context
context_of (cl_command_queue queue)
{
  cl_context context = nullptr;
  target.clGetCommandQueueInfo (queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  return context;
}

bool
is_lost (cl_context context)
{
  const std::lock_guard lock (mutex);
  if (loses_context.exchange (false) && lost.insert (context).second)
    target.clRetainContext (context);
  return lost.contains (context);
}

/* $CL_CENSUS_WAY names a file that gets the callers of each launch: lines of modules and offsets in them, and an empty line. */
void
note_way ()
{
  static const char *const path = std::getenv ("CL_CENSUS_WAY");
  if (!path)
    return;
  void *callers[64];
  std::ofstream file (path, std::ios::app);
  for (int i = 0, n = backtrace (callers, int (std::size (callers))); i < n; i++)
    if (Dl_info info; dladdr (callers[i], &info))
      file << info.dli_fname << ' ' << static_cast<char *> (callers[i]) - static_cast<char *> (info.dli_fbase) - 1 << '\n';
  file << '\n';
}

constexpr auto launches = [] (auto original, const char *, cl_command_queue queue, auto... arguments) -> cl_int {
  if (is_lost (context_of (queue)))
    return CL_OUT_OF_RESOURCES;
  note_way ();
  return original (queue, arguments...);
};

#define CENSUS_CREATES(function) LAYER_HOOK (hooks, target, creates, function);
#define CENSUS_MOVES(function) LAYER_HOOK (hooks, target, moves, function);
#define CENSUS_BLOCKS(function) LAYER_HOOK (hooks, target, blocks, function);

void
hook_calls ()
{
  LAYER_HOOK (hooks, target, launches, clEnqueueNDRangeKernel);
  LAYER_HOOK (hooks, target, flush, clFlush);
  LAYER_HOOK (hooks, target, finish, clFinish);
  LAYER_HOOK (hooks, target, copies, clEnqueueCopyBuffer);
  hooks.clWaitForEvents = wait_for_events;
  EACH (CENSUS_CREATES, clCreateContext, clCreateCommandQueue, clCreateCommandQueueWithProperties, clCreateBuffer,
      clCreateBufferWithProperties, clCreateSubBuffer, clCreateImage, clCreateImageWithProperties, clCreateProgramWithSource,
      clBuildProgram, clCreateKernel, clCreateKernelsInProgram, clCreateProgramWithBinary, clCompileProgram, clLinkProgram,
      clSVMAlloc)
  EACH (CENSUS_MOVES, clEnqueueReadBuffer, clEnqueueWriteBuffer, clEnqueueReadBufferRect, clEnqueueWriteBufferRect)
  EACH (CENSUS_BLOCKS, clEnqueueReadImage, clEnqueueWriteImage, clEnqueueMapBuffer, clEnqueueMapImage)
}

bool
start ()
{
  target = fakes::before (guard::before (answers::before (target)));
  hooks = target;
  hook_calls ();
  /* in front, so that functions that the census does not count can fail as well */
  hooks = faults::before (hooks);
  return true;
}

}  // namespace

DEFINE_LAYER ("Census of calls", target, hooks, start)

LAYER_EXPORT void
cl_census_take (census::Calls *calls)
{
  const std::lock_guard lock (mutex);
  asks = true;
  std::ranges::move (std::exchange (created, {}), std::back_inserter (calls->created));
  std::ranges::move (std::exchange (waited, {}), std::back_inserter (calls->waited));
  calls->moved += std::exchange (moved, 0);
  calls->transfers += transfers.exchange (0);
  calls->flushes += flushes.exchange (0);
  calls->waits += waits.exchange (0);
}

LAYER_EXPORT void
cl_census_lose_context ()
{
  loses_context = true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layer: see census.hpp. It changes nothing. */
#include "census.hpp"

#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <tuple>
#include <utility>

namespace {

cl_icd_dispatch target, hooks;
constexpr cl_uint n_functions = sizeof (cl_icd_dispatch) / sizeof (void *);

std::mutex mutex;
std::vector<std::string> created;
thread_local std::vector<std::string> waited;

void
note_creation (const char *name)
{
  const std::lock_guard lock (mutex);
  created.emplace_back (name);
}

/* A function that makes something. */
template <auto entry, const char *name, typename Function> struct Creates;
template <auto entry, const char *name, typename Result, typename... Arguments>
struct Creates<entry, name, Result (CL_API_CALL *) (Arguments...)> {
  static Result CL_API_CALL call (Arguments... arguments)
  {
    note_creation (name);
    return (target.*entry) (arguments...);
  }
};

/* A transfer whose third argument says whether it blocks. */
template <auto entry, const char *name, typename Function> struct Transfers;
template <auto entry, const char *name, typename Result, typename... Arguments>
struct Transfers<entry, name, Result (CL_API_CALL *) (Arguments...)> {
  static Result CL_API_CALL call (Arguments... arguments)
  {
    if (std::get<2> (std::tuple<Arguments...> (arguments...)))
      waited.emplace_back (name);
    return (target.*entry) (arguments...);
  }
};

cl_int CL_API_CALL
finish (cl_command_queue queue)
{
  waited.emplace_back ("clFinish");
  return target.clFinish (queue);
}

cl_int CL_API_CALL
wait_for_events (cl_uint n, const cl_event *events)
{
  for (cl_uint i = 0; i < n; i++) {
    cl_int status = CL_COMPLETE;
    target.clGetEventInfo (events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status > CL_COMPLETE) {
      waited.emplace_back ("clWaitForEvents");
      break;
    }
  }
  return target.clWaitForEvents (n, events);
}

template <typename T> using Member = std::remove_reference_t<T>;

#define CENSUS_HOOK(Kind, function)                                                                                    \
  do {                                                                                                                 \
    static constexpr char name[] = #function;                                                                          \
    hooks.function = Kind<&cl_icd_dispatch::function, name, Member<decltype (hooks.function)>>::call;                  \
  } while (0)

void
hook_creations ()
{
  CENSUS_HOOK (Creates, clCreateContext);
  CENSUS_HOOK (Creates, clCreateCommandQueue);
  CENSUS_HOOK (Creates, clCreateCommandQueueWithProperties);
  CENSUS_HOOK (Creates, clCreateBuffer);
  CENSUS_HOOK (Creates, clCreateBufferWithProperties);
  CENSUS_HOOK (Creates, clCreateSubBuffer);
  CENSUS_HOOK (Creates, clCreateImage);
  CENSUS_HOOK (Creates, clCreateImageWithProperties);
  CENSUS_HOOK (Creates, clCreateKernel);
  CENSUS_HOOK (Creates, clCreateKernelsInProgram);
  CENSUS_HOOK (Creates, clCreateProgramWithSource);
  CENSUS_HOOK (Creates, clCreateProgramWithBinary);
  CENSUS_HOOK (Creates, clBuildProgram);
  CENSUS_HOOK (Creates, clCompileProgram);
  CENSUS_HOOK (Creates, clLinkProgram);
  CENSUS_HOOK (Creates, clSVMAlloc);
}

void
hook_waits ()
{
  hooks.clFinish = finish;
  hooks.clWaitForEvents = wait_for_events;
  CENSUS_HOOK (Transfers, clEnqueueReadBuffer);
  CENSUS_HOOK (Transfers, clEnqueueWriteBuffer);
  CENSUS_HOOK (Transfers, clEnqueueReadBufferRect);
  CENSUS_HOOK (Transfers, clEnqueueWriteBufferRect);
  CENSUS_HOOK (Transfers, clEnqueueReadImage);
  CENSUS_HOOK (Transfers, clEnqueueWriteImage);
  CENSUS_HOOK (Transfers, clEnqueueMapBuffer);
  CENSUS_HOOK (Transfers, clEnqueueMapImage);
}

}  // namespace

#define CENSUS_EXPORT [[gnu::visibility ("default")]]

extern "C" {

CENSUS_EXPORT cl_int CL_API_CALL
clGetLayerInfo (cl_layer_info name, size_t capacity, void *value, size_t *size_ret)
{
  static constexpr char layer_name[] = "Census of calls";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const bool is_version = name == CL_LAYER_API_VERSION;
  if (!is_version && name != CL_LAYER_NAME)
    return CL_INVALID_VALUE;
  const size_t size = is_version ? sizeof version : sizeof layer_name;
  if (value && capacity < size)
    return CL_INVALID_VALUE;
  if (value)
    std::memcpy (value, is_version ? static_cast<const void *> (&version) : layer_name, size);
  if (size_ret)
    *size_ret = size;
  return CL_SUCCESS;
}

CENSUS_EXPORT cl_int CL_API_CALL
clInitLayer (cl_uint n, const cl_icd_dispatch *next, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret)
{
  if (!next || !n_ret || !dispatch_ret)
    return CL_INVALID_VALUE;
  std::memcpy (&target, next, std::min (n, n_functions) * sizeof (void *));
  hooks = target;
  hook_creations ();
  hook_waits ();
  *n_ret = n_functions;
  *dispatch_ret = &hooks;
  return CL_SUCCESS;
}

CENSUS_EXPORT cl_int CL_API_CALL
clInitLayerWithProperties (
    cl_uint n, const cl_icd_dispatch *next, cl_uint *n_ret, const cl_icd_dispatch **dispatch_ret, const void *)
{
  return clInitLayer (n, next, n_ret, dispatch_ret);
}

CENSUS_EXPORT cl_int CL_API_CALL
clDeinitLayer ()
{
  return CL_SUCCESS;
}

CENSUS_EXPORT void
cl_census_take (census::Calls *calls)
{
  const std::lock_guard lock (mutex);
  std::ranges::move (std::exchange (created, {}), std::back_inserter (calls->created));
  std::ranges::move (std::exchange (waited, {}), std::back_inserter (calls->waited));
}
}

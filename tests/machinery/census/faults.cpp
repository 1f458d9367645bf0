/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes calls fail deliberately, and counts live objects: see faults.hpp and census.hpp. */
#include "faults.hpp"

#include "census.hpp"
#include "parts.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "give.hpp"

namespace {

using namespace faults;

cl_icd_dispatch below;
std::mutex mutex;

/* all with mutex held; calls are recorded from the first plan on, because a soak test makes millions of them */
bool has_plan = false;
Plan plan;
Account account;
struct Object {
  const char *type;
  unsigned references;
};
std::map<const void *, Object> objects;
long mappings = 0;
std::set<cl_event> failed_events;
std::set<cl_command_queue> failed_queues;
std::set<cl_context> lost_contexts;

constexpr auto lateness = std::chrono::milliseconds (30);
/* the status of commands that wait for a failed one */
constexpr cl_int behind = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

template <typename Handle> constexpr const char *type_of = nullptr;
template <> constexpr const char *type_of<cl_context> = "cl_context";
template <> constexpr const char *type_of<cl_command_queue> = "cl_command_queue";
template <> constexpr const char *type_of<cl_mem> = "cl_mem";
template <> constexpr const char *type_of<cl_program> = "cl_program";
template <> constexpr const char *type_of<cl_kernel> = "cl_kernel";
template <> constexpr const char *type_of<cl_event> = "cl_event";
template <> constexpr const char *type_of<cl_sampler> = "cl_sampler";

template <typename Handle>
void
add_object (Handle handle)
{
  const std::lock_guard lock (mutex);
  objects[handle] = {type_of<Handle>, 1};
}

/* Called before the driver's release, after which another object may get the address. */
void
drop_reference (const void *handle)
{
  const std::lock_guard lock (mutex);
  const auto found = objects.find (handle);
  if (found == objects.end () || --found->second.references > 0)
    return;
  objects.erase (found);
  failed_events.erase (static_cast<cl_event> (const_cast<void *> (handle)));
  failed_queues.erase (static_cast<cl_command_queue> (const_cast<void *> (handle)));
  lost_contexts.erase (static_cast<cl_context> (const_cast<void *> (handle)));
}

/* The plan's effect on a call; none if code is CL_SUCCESS. */
struct Verdict {
  cl_int code = CL_SUCCESS;
  How how = How::once;
};

/* With mutex held. */
void
lose_contexts ()
{
  for (const auto &[handle, object] : objects) {
    if (object.type == type_of<cl_context>)
      lost_contexts.insert (static_cast<cl_context> (const_cast<void *> (handle)));
    if (object.type == type_of<cl_command_queue>)
      failed_queues.insert (static_cast<cl_command_queue> (const_cast<void *> (handle)));
  }
}

/* With mutex held. */
Verdict
refusal_of (const char *name)
{
  if (std::ranges::find (account.broken, name) == account.broken.end ())
    account.broken.emplace_back (name);
  if (plan.how == How::for_good)
    lose_contexts ();
  return {plan.code, plan.how};
}

Verdict
judge (const char *name)
{
  const std::lock_guard lock (mutex);
  if (!has_plan)
    return {};
  if (!plan.function.empty () && plan.function != name)
    return plan.how == How::for_good && !account.broken.empty () ? refusal_of (name) : Verdict{};
  account.names.emplace_back (name);
  const size_t n = account.names.size ();
  if (plan.n == 0 || n < plan.n || (n > plan.n && plan.how != How::for_good))
    return {};
  return refusal_of (name);
}

template <typename Result, typename... Arguments>
Result
refuse (cl_int code, const std::tuple<Arguments...> &arguments)
{
  if constexpr (std::is_same_v<Result, cl_int>) {
    return code;
  } else {
    static_assert (std::is_pointer_v<Result>);
    cl_int *error = std::get<sizeof...(Arguments) - 1> (arguments);
    if (error)
      *error = code;
    return nullptr;
  }
}

/* Whether a call creates an object in a lost context. */
template <typename... Arguments>
bool
is_in_vain (const std::tuple<Arguments...> &arguments)
{
  using First = std::tuple_element_t<0, std::tuple<Arguments...>>;
  if constexpr (std::is_same_v<First, cl_context>) {
    const std::lock_guard lock (mutex);
    return lost_contexts.contains (std::get<0> (arguments));
  }
  return false;
}

/* Imitates drivers that create static objects on first use, and destroy them at exit. */
void
need_until_exit ()
{
  static std::atomic<bool> is_gone = false;
  std::atexit ([] { is_gone = true; });
  std::this_thread::sleep_for (10 * lateness);
  if (is_gone)
    std::abort ();
}

constexpr auto usual = [] (auto original, const char *name, auto... arguments) {
  using Result = decltype (original (arguments...));
  const Verdict verdict = judge (name);
  if (verdict.how == How::at_exit)
    need_until_exit ();
  if (verdict.code != CL_SUCCESS && verdict.how != How::late && verdict.how != How::at_exit)
    return refuse<Result> (verdict.code, std::tuple (arguments...));
  if (is_in_vain (std::tuple (arguments...)))
    return refuse<Result> (CL_OUT_OF_RESOURCES, std::tuple (arguments...));
  const Result result = original (arguments...);
  if (verdict.how == How::late)
    std::this_thread::sleep_for (lateness);
  if constexpr (type_of<Result> != nullptr)
    if (result)
      add_object (result);
  return result;
};

constexpr auto retains = [] (auto original, const char *, auto handle) {
  {
    const std::lock_guard lock (mutex);
    if (const auto found = objects.find (handle); found != objects.end ())
      found->second.references++;
  }
  return original (handle);
};

constexpr auto releases = [] (auto original, const char *, auto handle) {
  drop_reference (handle);
  return original (handle);
};

bool
has_failed (cl_command_queue queue, cl_uint n, const cl_event *wait)
{
  const std::lock_guard lock (mutex);
  return failed_queues.contains (queue)
         || std::any_of (wait, wait + n, [] (cl_event each) { return failed_events.contains (each); });
}

/* A queue in order reaches a command only when those before it have ended. */
void
fail_command (cl_command_queue queue, cl_int code, cl_event *event)
{
  below.clFinish (queue);
  cl_context context = nullptr;
  below.clGetCommandQueueInfo (queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  const std::lock_guard lock (mutex);
  failed_queues.insert (queue);
  if (!event)
    return;
  cl_int error = CL_SUCCESS;
  *event = below.clCreateUserEvent (context, &error);
  below.clSetUserEventStatus (*event, code);
  objects[*event] = {type_of<cl_event>, 1};
  failed_events.insert (*event);
}

void
count_mapping (long n)
{
  const std::lock_guard lock (mutex);
  mappings += n;
}

/* A command's arguments end with its wait list and its event; maps have an error argument after them. */
constexpr auto enqueues = [] (auto original, const char *name, auto... arguments) {
  using Result = decltype (original (arguments...));
  constexpr bool maps = !std::is_same_v<Result, cl_int>;
  constexpr size_t last = sizeof...(arguments) - (maps ? 2 : 1);
  const std::tuple all (arguments...);
  const Verdict verdict = judge (name);
  const cl_command_queue queue = std::get<0> (all);
  cl_event *const event = std::get<last> (all);
  const bool broken = verdict.code != CL_SUCCESS && verdict.how != How::late;
  if (broken && (verdict.how != How::event || !event))
    return refuse<Result> (verdict.code, all);
  if (broken || has_failed (queue, std::get<last - 2> (all), std::get<last - 1> (all))) {
    /* the third argument of a transfer tells whether it blocks */
    const bool transfers = std::strstr (name, "Read") || std::strstr (name, "Write");
    if (maps || (transfers && std::get<2> (all)))
      return refuse<Result> (behind, all);
    fail_command (queue, broken ? verdict.code : behind, event);
    return refuse<Result> (CL_SUCCESS, all);
  }
  const Result result = original (arguments...);
  if (event && *event)
    add_object (*event);
  if (verdict.how == How::late)
    std::this_thread::sleep_for (lateness);
  if (maps && result)
    count_mapping (1);
  return result;
};

/* After a failed command nothing is unmapped. */
constexpr auto unmaps = [] (auto original, const char *name, auto... arguments) {
  const auto unmap = [original] (auto... all) {
    const cl_int code = original (all...);
    count_mapping (code == CL_SUCCESS ? -1 : 0);
    return code;
  };
  return enqueues (unmap, name, arguments...);
};

/* A lost device runs nothing, so after a failed wait nothing may still be running. */
cl_int CL_API_CALL
finish (cl_command_queue queue)
{
  const Verdict verdict = judge ("clFinish");
  const cl_int result = below.clFinish (queue);
  if (verdict.how == How::late)
    std::this_thread::sleep_for (lateness);
  else if (verdict.code != CL_SUCCESS)
    return verdict.code;
  return has_failed (queue, 0, nullptr) ? CL_OUT_OF_RESOURCES : result;
}

cl_int CL_API_CALL
wait_for_events (cl_uint n, const cl_event *events)
{
  const Verdict verdict = judge ("clWaitForEvents");
  const bool failed = has_failed (nullptr, n, events);
  const cl_int result = failed ? behind : below.clWaitForEvents (n, events);
  if (verdict.how == How::late)
    std::this_thread::sleep_for (lateness);
  else if (verdict.code != CL_SUCCESS)
    return verdict.code;
  return result;
}

#define FAULTS_REFERENCES(Type)                                                                                                \
  LAYER_HOOK (hooks, below, retains, clRetain##Type);                                                                          \
  LAYER_HOOK (hooks, below, releases, clRelease##Type);
#define FAULTS_USUAL(function) LAYER_HOOK (hooks, below, usual, function);
#define FAULTS_ENQUEUES(function) LAYER_HOOK (hooks, below, enqueues, function);

}  // namespace

cl_icd_dispatch
faults::before (const cl_icd_dispatch &next)
{
  below = next;
  cl_icd_dispatch hooks = next;
  hooks.clFinish = finish;
  hooks.clWaitForEvents = wait_for_events;
  EACH (FAULTS_REFERENCES, Context, CommandQueue, MemObject, Program, Kernel, Event, Sampler)
  EACH (FAULTS_USUAL, clCreateContext, clCreateCommandQueue, clCreateCommandQueueWithProperties, clCreateBuffer,
      clCreateSubBuffer, clCreateImage, clCreateImageWithProperties, clCreateFromGLTexture, clCreateSampler, clCreateUserEvent,
      clCreateProgramWithSource, clCreateProgramWithBinary, clCreateKernel, clBuildProgram, clSetKernelArg, clGetPlatformIDs,
      clGetPlatformInfo, clGetDeviceIDs, clGetDeviceInfo, clGetContextInfo, clGetCommandQueueInfo, clGetSupportedImageFormats,
      clGetMemObjectInfo, clGetImageInfo, clGetProgramInfo, clGetProgramBuildInfo, clGetKernelInfo, clGetKernelArgInfo,
      clGetKernelWorkGroupInfo, clGetEventInfo, clGetEventProfilingInfo, clFlush, clSetEventCallback)
  EACH (FAULTS_ENQUEUES, clEnqueueNDRangeKernel, clEnqueueReadBuffer, clEnqueueWriteBuffer, clEnqueueReadBufferRect,
      clEnqueueWriteBufferRect, clEnqueueCopyBuffer, clEnqueueCopyBufferRect, clEnqueueFillBuffer, clEnqueueReadImage,
      clEnqueueWriteImage, clEnqueueCopyImage, clEnqueueCopyImageToBuffer, clEnqueueCopyBufferToImage, clEnqueueMapBuffer,
      clEnqueueMapImage, clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList, clEnqueueAcquireGLObjects,
      clEnqueueReleaseGLObjects)
  LAYER_HOOK (hooks, below, unmaps, clEnqueueUnmapMemObject);
  return hooks;
}

LAYER_EXPORT void
cl_faults_plan (const faults::Plan *wanted)
{
  const std::lock_guard lock (mutex);
  has_plan = true;
  plan = *wanted;
  account = {};
}

LAYER_EXPORT void
cl_faults_account (faults::Account *result)
{
  const std::lock_guard lock (mutex);
  *result = account;
  for (const auto &[handle, object] : objects)
    result->alive[object.type]++;
}

LAYER_EXPORT void
cl_census_live (census::Live *live)
{
  using census::Live;
  const std::lock_guard lock (mutex);
  *live = {.mappings = mappings};
  for (const auto &[type, count] :
      {std::pair (type_of<cl_context>, &Live::contexts), {type_of<cl_command_queue>, &Live::queues},
          {type_of<cl_mem>, &Live::memories}, {type_of<cl_program>, &Live::programs}, {type_of<cl_kernel>, &Live::kernels}})
    for (const auto &[handle, object] : objects)
      live->*count += object.type == type ? long (object.references) : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A libcuda.so.1 for tests: devices whose memory is the host's. Memory that can be exported lies in anonymous files, which mode cuda
 * of tests/machinery/layer maps into OpenCL. What is put into a stream happens when somebody waits for the stream, or for another one that waits for an
 * event in it, so whoever does not wait sees old bytes.
 *
 * CUDA_FAKE_MODE is a list of: other_uuid (the device is not OpenCL's), no_export, fail_copies (from the first on), and
 * two (a second device). */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../census/each.hpp"

#define EXPORT extern "C" [[gnu::visibility ("default")]]

namespace {

enum Result { success = 0, invalid_value = 1, invalid_context = 201, unknown = 999, unsupported = 801 };

struct Copy2D {
  size_t from_x, from_y;
  int from_type;
  const void *from_host;
  uint64_t from_device;
  void *from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_type;
  void *to_host;
  uint64_t to_device;
  void *to_array;
  size_t to_pitch;
  size_t row_bytes, rows;
};

struct Context {
  int device;
};

struct Stream {
  std::deque<std::function<void ()>> pending;
  /* how many commands were ever put into it */
  uint64_t n_queued = 0;
};

/* Completes after the first `position` commands of a stream; unrecorded events complete nothing. */
struct Event {
  Stream *stream = nullptr;
  uint64_t position = 0;
};

struct Range {
  size_t size;
  int device;
};

std::mutex mutex;
thread_local std::vector<Context *> current;
Stream null_stream;
/* memory of the device that can be read and written, by address */
std::map<uint64_t, Range> ranges;

bool
has_mode (const char *mode)
{
  const char *modes = std::getenv ("CUDA_FAKE_MODE");
  return modes && std::string (modes).find (mode) != std::string::npos;
}

bool
is_within (uint64_t address, size_t bytes)
{
  auto after = ranges.upper_bound (address);
  if (current.empty () || after == ranges.begin ())
    return false;
  const auto &[begin, range] = *--after;
  return address + bytes <= begin + range.size && range.device == current.back ()->device;
}

/* The start of one side of a copy; null if it is not memory of the current device. */
char *
side (int type, const void *host, uint64_t device, size_t x, size_t y, size_t pitch, const Copy2D &copy)
{
  if (type == 1)
    return static_cast<char *> (const_cast<void *> (host)) + y * pitch + x;
  const uint64_t begin = device + y * pitch + x;
  return copy.rows == 0 || is_within (begin, (copy.rows - 1) * pitch + copy.row_bytes) ? reinterpret_cast<char *> (begin)
                                                                                       : nullptr;
}

Stream &
or_null_stream (Stream *stream)
{
  return stream ? *stream : null_stream;
}

void
push (Stream *stream, std::function<void ()> work)
{
  or_null_stream (stream).pending.push_back (std::move (work));
  or_null_stream (stream).n_queued++;
}

/* Runs the stream's commands up to a position. */
void
run (Stream &stream, uint64_t position)
{
  while (stream.n_queued - stream.pending.size () < position) {
    const std::function<void ()> work = std::move (stream.pending.front ());
    stream.pending.pop_front ();
    work ();
  }
}

int
enqueue (const Copy2D *copy, Stream *stream)
{
  const std::lock_guard lock (mutex);
  if (has_mode ("fail_copies"))
    return unknown;
  char *from = side (copy->from_type, copy->from_host, copy->from_device, copy->from_x, copy->from_y, copy->from_pitch, *copy);
  char *to = side (copy->to_type, copy->to_host, copy->to_device, copy->to_x, copy->to_y, copy->to_pitch, *copy);
  if (!from || !to)
    return invalid_value;
  push (stream, [from, to, copy = *copy] {
    for (size_t row = 0; row < copy.rows; row++)
      std::memcpy (to + row * copy.to_pitch, from + row * copy.from_pitch, copy.row_bytes);
  });
  return success;
}

int
finish (Stream *stream)
{
  const std::lock_guard lock (mutex);
  run (or_null_stream (stream), or_null_stream (stream).n_queued);
  return success;
}

}  // namespace

/* Functions that only store an answer. */
#define STORES(name, arguments, value)                                                                                         \
  EXPORT int name arguments                                                                                                    \
  {                                                                                                                            \
    *answer = value;                                                                                                           \
    return success;                                                                                                            \
  }
STORES (cuGetErrorName, (int, const char **answer), "CUDA_ERROR_OF_THE_TEST")
STORES (cuGetErrorString, (int, const char **answer), "an error of the test")
STORES (cuDriverGetVersion, (int *answer), 12000)
STORES (cuDeviceGetCount, (int *answer), has_mode ("two") ? 2 : 1)
STORES (cuDeviceCanAccessPeer, (int *answer, int, int), 0)
STORES (cuMemGetAllocationGranularity, (size_t * answer, const void *, int), 1 << 16)
STORES (cuMemAllocHost_v2, (void **answer, size_t size), std::malloc (size))
STORES (cuStreamCreate, (Stream * *answer, unsigned), new Stream)
STORES (cuEventCreate, (Event * *answer, unsigned), new Event)

EXPORT int
cuDeviceGet (int *device, int number)
{
  int count = 0;
  cuDeviceGetCount (&count);
  *device = number;
  return number < count ? success : invalid_value;
}

EXPORT int
cuDeviceGetName (char *name, int size, int device)
{
  std::strncpy (name, device ? "Second device" : "First device", size);
  return success;
}

/* The same UUID that the layer reports for OpenCL. */
EXPORT int
cuDeviceGetUuid (unsigned char *uuid, int device)
{
  for (int i = 0; i < 16; i++)
    uuid[i] = static_cast<unsigned char> (0xc0 + i + device);
  if (has_mode ("other_uuid"))
    uuid[0] ^= 1;
  return success;
}

EXPORT int
cuDeviceGetAttribute (int *value, int attribute, int)
{
  constexpr int texture_alignment = 14, major_version = 75, exports_descriptors = 103;
  *value = attribute == texture_alignment ? 512 : attribute == major_version ? 9 : 1;
  if (attribute == exports_descriptors && has_mode ("no_export"))
    *value = 0;
  return success;
}

EXPORT int
cuCtxCreate_v2 (Context **context, unsigned, int device)
{
  *context = current.emplace_back (new Context{device});
  return success;
}

EXPORT int
cuCtxDestroy_v2 (Context *context)
{
  delete context;
  return success;
}

EXPORT int
cuCtxPushCurrent_v2 (Context *context)
{
  current.push_back (context);
  return success;
}

EXPORT int
cuCtxPopCurrent_v2 (Context **context)
{
  if (current.empty ())
    return invalid_context;
  if (context)
    *context = current.back ();
  current.pop_back ();
  return success;
}

EXPORT int
cuMemAlloc_v2 (uint64_t *address, size_t size)
{
  const std::lock_guard lock (mutex);
  if (current.empty ())
    return invalid_context;
  *address = reinterpret_cast<uint64_t> (std::aligned_alloc (4096, (size + 4095) / 4096 * 4096));
  ranges[*address] = {size, current.back ()->device};
  return success;
}

EXPORT int
cuMemAllocPitch_v2 (uint64_t *address, size_t *pitch, size_t row_bytes, size_t rows, unsigned)
{
  *pitch = (row_bytes + 511) / 512 * 512;
  return cuMemAlloc_v2 (address, *pitch * rows);
}

EXPORT int
cuMemFree_v2 (uint64_t address)
{
  const std::lock_guard lock (mutex);
  if (!ranges.erase (address))
    return invalid_value;
  std::free (reinterpret_cast<void *> (address));
  return success;
}

EXPORT int
cuMemFreeHost (void *address)
{
  std::free (address);
  return success;
}

EXPORT int
cuMemcpy2DAsync_v2 (const Copy2D *copy, Stream *stream)
{
  return enqueue (copy, stream);
}

EXPORT int
cuMemcpy2D_v2 (const Copy2D *copy)
{
  const int result = enqueue (copy, nullptr);
  return result == success ? finish (nullptr) : result;
}

EXPORT int
cuStreamSynchronize (Stream *stream)
{
  return finish (stream);
}

EXPORT int
cuStreamDestroy_v2 (Stream *stream)
{
  finish (stream);
  delete stream;
  return success;
}

EXPORT int
cuStreamDestroy (Stream *stream)
{
  return cuStreamDestroy_v2 (stream);
}

EXPORT int
cuStreamWaitEvent (Stream *stream, const Event *event, unsigned)
{
  const std::lock_guard lock (mutex);
  if (event->stream)
    push (stream, [at = *event] { run (*at.stream, at.position); });
  return success;
}

EXPORT int
cuEventRecord (Event *event, Stream *stream)
{
  const std::lock_guard lock (mutex);
  *event = {&or_null_stream (stream), or_null_stream (stream).n_queued};
  return success;
}

EXPORT int
cuEventDestroy_v2 (Event *event)
{
  delete event;
  return success;
}

EXPORT int
cuMemCreate (uint64_t *handle, size_t size, const void *, unsigned long long)
{
  const int file = memfd_create ("cuda", MFD_CLOEXEC);
  *handle = uint64_t (file);
  return file >= 0 && ftruncate (file, off_t (size)) == 0 ? success : unknown;
}

EXPORT int
cuMemRelease (uint64_t handle)
{
  return close (int (handle)) == 0 ? success : invalid_value;
}

EXPORT int
cuMemAddressReserve (uint64_t *address, size_t size, size_t, uint64_t, unsigned long long)
{
  void *reserved = mmap (nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *address = reinterpret_cast<uint64_t> (reserved);
  return reserved == MAP_FAILED ? unknown : success;
}

EXPORT int
cuMemAddressFree (uint64_t address, size_t size)
{
  return munmap (reinterpret_cast<void *> (address), size) == 0 ? success : invalid_value;
}

EXPORT int
cuMemMap (uint64_t address, size_t size, size_t, uint64_t handle, unsigned long long)
{
  const std::lock_guard lock (mutex);
  if (current.empty ()
      || mmap (reinterpret_cast<void *> (address), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, int (handle), 0)
             == MAP_FAILED)
    return invalid_value;
  ranges[address] = {size, current.back ()->device};
  return success;
}

EXPORT int
cuMemUnmap (uint64_t address, size_t size)
{
  const std::lock_guard lock (mutex);
  ranges.erase (address);
  void *unmapped = mmap (reinterpret_cast<void *> (address), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return unmapped == MAP_FAILED ? invalid_value : success;
}

EXPORT int
cuMemExportToShareableHandle (void *handle, uint64_t memory, int, unsigned long long)
{
  const int file = fcntl (int (memory), F_DUPFD_CLOEXEC, 0);
  *static_cast<int *> (handle) = file;
  return file >= 0 ? success : unknown;
}

#define ANSWER(name, result)                                                                                                   \
  EXPORT int name ()                                                                                                           \
  {                                                                                                                            \
    return result;                                                                                                             \
  }
ANSWER (cuInit, success)
ANSWER (cuMemSetAccess, success)
/* Functions that GStreamer looks up, and that no test calls. */
#define ABSENT(name) ANSWER (name, unsupported)
EACH (ABSENT, cuCtxEnablePeerAccess, cuCtxDisablePeerAccess, cuCtxSynchronize, cuCtxGetLimit, cuCtxSetLimit,
    cuGraphicsMapResources, cuGraphicsUnmapResources, cuGraphicsResourceSetMapFlags, cuGraphicsResourceSetMapFlags_v2,
    cuGraphicsSubResourceGetMappedArray, cuGraphicsResourceGetMappedPointer, cuGraphicsResourceGetMappedPointer_v2,
    cuGraphicsUnregisterResource, cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, cuMemcpyHtoD_v2,
    cuMemcpyHtoDAsync_v2, cuMemsetD2D8_v2, cuMemsetD2D8Async, cuMemsetD2D16_v2, cuMemsetD2D16Async, cuMemsetD2D32_v2,
    cuMemsetD2D32Async, cuModuleLoadData, cuModuleUnload, cuModuleGetFunction, cuTexObjectCreate, cuTexObjectDestroy,
    cuLaunchKernel, cuEventDestroy, cuEventSynchronize, cuIpcGetEventHandle, cuIpcOpenEventHandle, cuIpcGetMemHandle,
    cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, cuIpcCloseMemHandle, cuGraphicsGLRegisterImage, cuGraphicsGLRegisterBuffer,
    cuGLGetDevices_v2, cuGLGetDevices)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of NVIDIA's driver and of GStreamer's CUDA library (libgstcuda in gst-plugins-bad) that frames in CUDA memory need.
 * Both libraries are loaded at run time. The build does not use their headers: GStreamer's include NVIDIA's, and their package
 * depends on OpenCV's. */
#pragma once

#include "memory/importer.hpp"
#include "memory/link.hpp"

#include <gst/video/gstvideopool.h>

namespace gst::cl::cuda {

using Result = int;
using Pointer = guint64;
using Handle = guint64;
using Stream = void *;
using Event = void *;

/** CUDA_MEMCPY2D. */
struct Copy2D {
  size_t from_x, from_y;
  int from_type;
  const void *from_host;
  Pointer from_device;
  void *from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_type;
  void *to_host;
  Pointer to_device;
  void *to_array;
  size_t to_pitch;
  size_t row_bytes, rows;
};

/** CUmemLocation, CUmemAllocationProp and CUmemAccessDesc. */
struct Location {
  int type, id;
};

struct AllocationProperties {
  int type, handle_types;
  Location location;
  void *windows;
  guint8 flags[8];
};

struct Access {
  Location location;
  int flags;
};

/** GstCudaMemory and GstCudaBufferPool, with the layout that they have since GStreamer 1.22. */
struct Memory {
  GstMemory parent;
  GstObject *context;
  GstVideoInfo info;
  gpointer priv;
  gpointer reserved[GST_PADDING];
};

struct BufferPool {
  GstBufferPool parent;
  GstObject *context;
  gpointer priv;
};

constexpr const char *context_type = "gst.cuda.context";
constexpr const char *feature = "memory:CUDAMemory";
/** The name of this kind of memory in messages. */
constexpr const char *memory_name = "CUDA memory";
/** GST_MAP_CUDA. */
constexpr int map_cuda = GST_MAP_FLAG_LAST << 1;
/** GST_CUDA_MEMORY_TRANSFER_NEED_UPLOAD. */
constexpr guint needs_upload = GST_MEMORY_FLAG_LAST << 1;
/** GST_CUDA_MEMORY_TRANSFER_NEED_DOWNLOAD. */
constexpr guint needs_download = GST_MEMORY_FLAG_LAST << 0;
/** CU_MEMORYTYPE_HOST and ..._DEVICE. */
constexpr int on_host = 1, on_device_memory = 2;

/* clang-format off */
/* name, symbol, parameters */
#define CUDA_DRIVER_FUNCTIONS(F)                                                                                               \
  F (DeviceGet, "cuDeviceGet", (int *, int))                                                                                   \
  F (DeviceGetCount, "cuDeviceGetCount", (int *))                                                                              \
  F (DeviceGetUuid, "cuDeviceGetUuid", (unsigned char *, int))                                                                 \
  F (DeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int))                                                            \
  F (GetErrorName, "cuGetErrorName", (Result, const char **))                                                                  \
  F (MemGetAllocationGranularity, "cuMemGetAllocationGranularity", (size_t *, const AllocationProperties *, int))              \
  F (MemCreate, "cuMemCreate", (Handle *, size_t, const AllocationProperties *, unsigned long long))                           \
  F (MemRelease, "cuMemRelease", (Handle))                                                                                     \
  F (MemAddressReserve, "cuMemAddressReserve", (Pointer *, size_t, size_t, Pointer, unsigned long long))                       \
  F (MemAddressFree, "cuMemAddressFree", (Pointer, size_t))                                                                    \
  F (MemMap, "cuMemMap", (Pointer, size_t, size_t, Handle, unsigned long long))                                                \
  F (MemUnmap, "cuMemUnmap", (Pointer, size_t))                                                                                \
  F (MemSetAccess, "cuMemSetAccess", (Pointer, size_t, const Access *, size_t))                                                \
  F (MemExportToShareableHandle, "cuMemExportToShareableHandle", (void *, Handle, int, unsigned long long))                    \
  F (Memcpy2DAsync, "cuMemcpy2DAsync_v2", (const Copy2D *, Stream))                                                            \
  F (StreamCreate, "cuStreamCreate", (Stream *, unsigned))                                                                     \
  F (StreamDestroy, "cuStreamDestroy_v2", (Stream))                                                                            \
  F (StreamSynchronize, "cuStreamSynchronize", (Stream))                                                                       \
  F (StreamWaitEvent, "cuStreamWaitEvent", (Stream, Event, unsigned))                                                          \
  F (EventCreate, "cuEventCreate", (Event *, unsigned))                                                                        \
  F (EventRecord, "cuEventRecord", (Event, Stream))                                                                            \
  F (EventDestroy, "cuEventDestroy_v2", (Event))                                                                               \
  F (MemAllocHost, "cuMemAllocHost_v2", (void **, size_t))                                                                     \
  F (MemFreeHost, "cuMemFreeHost", (void *))
/* result, name, symbol, parameters */
#define CUDA_LIBRARY_FUNCTIONS(F)                                                                                              \
  F (gboolean, load_library, "gst_cuda_load_library", ())                                                                      \
  F (void, memory_init_once, "gst_cuda_memory_init_once", ())                                                                  \
  F (gboolean, ensure_element_context, "gst_cuda_ensure_element_context", (GstElement *, gint, GstObject **))                  \
  F (gboolean, handle_set_context, "gst_cuda_handle_set_context", (GstElement *, GstContext *, gint, GstObject **))            \
  F (gboolean, handle_context_query, "gst_cuda_handle_context_query", (GstElement *, GstQuery *, GstObject *))                 \
  F (gboolean, context_push, "gst_cuda_context_push", (GstObject *))                                                           \
  F (gboolean, context_pop, "gst_cuda_context_pop", (void **))                                                                 \
  F (gboolean, is_cuda_memory, "gst_is_cuda_memory", (GstMemory *))                                                            \
  F (GType, allocator_get_type, "gst_cuda_allocator_get_type", ())                                                             \
  F (GType, buffer_pool_get_type, "gst_cuda_buffer_pool_get_type", ())                                                         \
  F (GstBufferPool *, buffer_pool_new, "gst_cuda_buffer_pool_new", (GstObject *))
/* clang-format on */

/** The functions that were loaded. */
struct Library {
  /** Loads the libraries once. Null if a part is missing; why_not then names it. */
  static const Library *get (std::string &why_not);

  struct Driver {
#define CUDA_POINTER(name, symbol, parameters) Result (*name) parameters;
    CUDA_DRIVER_FUNCTIONS (CUDA_POINTER)
#undef CUDA_POINTER
  } driver;

#define CUDA_POINTER(result, name, symbol, parameters) result (*name) parameters;
  CUDA_LIBRARY_FUNCTIONS (CUDA_POINTER)
#undef CUDA_POINTER
  /** Since GStreamer 1.24; else null. */
  GstMemory *(*allocator_alloc_wrapped) (
      gpointer allocator, GstObject *context, gpointer stream, const GstVideoInfo *, Pointer, gpointer, GDestroyNotify);
  void (*memory_sync) (Memory *);
  gpointer (*pool_config_get_stream) (GstStructure *);
};

/** Throws Failure if result, of the function `call`, is an error. */
void check (const Library &library, Result result, const char *call);

/** The number of the CUDA device with that UUID, or -1. */
int find_device (const Library &library, const Uuid &uuid);
/** The number of a GstCudaContext's device. */
int device_of (GstObject *context);

using ContextOfCuda = Ref<GstObject>;

/** Makes a context current in the calling thread for a scope. Throws Failure. */
class Current {
public:
  Current (const Library &library, GstObject *context);
  ~Current () { library.context_pop (nullptr); }
  Current (const Current &) = delete;
  Current &operator= (const Current &) = delete;

private:
  const Library &library;
};

/** Device memory of at least size bytes that other interfaces can import. */
class Allocation {
public:
  /** Throws Failure. */
  Allocation (const Library &library, GstObject *context, size_t size);
  ~Allocation ();
  Allocation (const Allocation &) = delete;
  Allocation &operator= (const Allocation &) = delete;

  Pointer pointer () const { return address; }
  size_t size () const { return n_bytes; }
  /** A descriptor for one import. Throws Failure. */
  Descriptor export_memory () const;

private:
  Allocation (const Library &library, GstObject *context);

  const Library &library;
  const ContextOfCuda context;
  size_t n_bytes = 0;
  Handle handle = 0;
  Pointer address = 0;
  bool created = false, mapped = false;
};

/** A CUDA context and a CL context on one device, with the importer of the CL context. Immutable. */
struct Exchange {
  const Library &library;
  const ContextOfCuda cuda;
  const ContextRef context;
  const std::shared_ptr<const Importer> importer;
};

/** A pool of GstCudaMemory that OpenCL has imported. It is a GstCudaBufferPool, and inactive; the caller configures it. */
PoolRef new_pool (std::shared_ptr<const Exchange> exchange);

}  // namespace gst::cl::cuda

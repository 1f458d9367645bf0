/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/cuda.hpp"

#include "core/loader.hpp"

namespace gst::cl::cuda {

namespace {

constexpr int pinned = 1, device_location = 1, posix_descriptor = 1, read_write = 3, minimum = 0;
constexpr int out_of_memory = 2;
/* CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, ..._HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED */
constexpr int has_virtual_memory = 102, exports_descriptors = 103;

std::string
load_gstreamer (Library &all)
{
  Loader library ("libgstcuda-1.0.so.0");
  if (!library.is_open ())
    return "GStreamer's CUDA library (libgstcuda-1.0.so.0, of gst-plugins-bad) is not installed";
#define CUDA_NEED(result, name, symbol, parameters) library.need (all.name, symbol);
  CUDA_LIBRARY_FUNCTIONS (CUDA_NEED)
#undef CUDA_NEED
  if (!library.missing.empty ())
    return "GStreamer's CUDA library lacks " + library.missing;
  library.want (all.allocator_alloc_wrapped, "gst_cuda_allocator_alloc_wrapped");
  library.want (all.memory_sync, "gst_cuda_memory_sync");
  library.want (all.pool_config_get_stream, "gst_buffer_pool_config_get_cuda_stream");
  return "";
}

std::string
load_driver (Library::Driver &all)
{
  Loader library ("libcuda.so.1");
  if (!library.is_open ())
    return "NVIDIA's driver (libcuda.so.1) is not installed";
#define CUDA_NEED(name, symbol, parameters) library.need (all.name, symbol);
  CUDA_DRIVER_FUNCTIONS (CUDA_NEED)
#undef CUDA_NEED
  return library.missing.empty () ? "" : "NVIDIA's driver is older than CUDA 10.2: it lacks " + library.missing;
}

std::string
load (Library &all)
{
  Result (*init) (unsigned) = nullptr;
  std::string missing = load_gstreamer (all);
  if (missing.empty ())
    missing = load_driver (all.driver);
  if (!missing.empty ())
    return missing;
  if (!all.load_library () || !Loader ("libcuda.so.1").want (init, "cuInit") || init (0) != 0)
    return "NVIDIA's driver does not start";
  all.memory_init_once ();
  return "";
}

}  // namespace

const Library *
Library::get (std::string &why_not)
{
  static Library library = {};
  static const std::string missing = load (library);
  why_not = missing;
  return missing.empty () ? &library : nullptr;
}

void
check (const Library &library, Result result, const char *call)
{
  if (result == 0)
    return;
  const char *name = nullptr;
  library.driver.GetErrorName (result, &name);
  const std::string debug = std::string (call) + ": " + (name ? name : std::to_string (result));
  if (result == out_of_memory)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "The GPU is out of memory.", debug);
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "A CUDA call failed.", debug);
}

int
find_device (const Library &library, const Uuid &uuid)
{
  int count = 0;
  library.driver.DeviceGetCount (&count);
  for (int i = 0; i < count; i++) {
    int device = 0;
    Uuid found = {};
    if (library.driver.DeviceGet (&device, i) == 0 && library.driver.DeviceGetUuid (found.data (), device) == 0
        && found == uuid)
      return i;
  }
  return -1;
}

int
device_of (GstObject *context)
{
  guint number = 0;
  g_object_get (context, "cuda-device-id", &number, nullptr);
  return int (number);
}

Current::Current (const Library &library_, GstObject *context) : library (library_)
{
  if (!library.context_push (context))
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, "The CUDA context cannot be used.", "gst_cuda_context_push");
}

Allocation::Allocation (const Library &library_, GstObject *context_)
    : library (library_), context (ContextOfCuda::retain (context_))
{
}

/* If this throws, the destructor runs. */
Allocation::Allocation (const Library &library_, GstObject *context_, size_t size) : Allocation (library_, context_)
{
  const Library::Driver &driver = library.driver;
  const Current current (library, context.get ());
  const Location location{device_location, device_of (context.get ())};
  const auto supports = [&] (int attribute) {
    int value = 0;
    return driver.DeviceGetAttribute (&value, attribute, location.id) == 0 && value;
  };
  if (!supports (has_virtual_memory) || !supports (exports_descriptors))
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "This GPU's CUDA memory cannot be exported.",
        "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED");
  const AllocationProperties properties{.type = pinned, .handle_types = posix_descriptor, .location = location};
  size_t granularity = 1;
  check (library, driver.MemGetAllocationGranularity (&granularity, &properties, minimum), "cuMemGetAllocationGranularity");
  n_bytes = (size + granularity - 1) / granularity * granularity;
  check (library, driver.MemCreate (&handle, n_bytes, &properties, 0), "cuMemCreate");
  created = true;
  check (library, driver.MemAddressReserve (&address, n_bytes, 0, 0, 0), "cuMemAddressReserve");
  check (library, driver.MemMap (address, n_bytes, 0, handle, 0), "cuMemMap");
  mapped = true;
  const Access access{location, read_write};
  check (library, driver.MemSetAccess (address, n_bytes, &access, 1), "cuMemSetAccess");
}

Allocation::~Allocation ()
{
  if (!library.context_push (context.get ()))
    return;
  if (mapped)
    library.driver.MemUnmap (address, n_bytes);
  if (address)
    library.driver.MemAddressFree (address, n_bytes);
  if (created)
    library.driver.MemRelease (handle);
  library.context_pop (nullptr);
}

Descriptor
Allocation::export_memory () const
{
  int fd = -1;
  check (library, library.driver.MemExportToShareableHandle (&fd, handle, posix_descriptor, 0), "cuMemExportToShareableHandle");
  return Descriptor (fd);
}

}  // namespace gst::cl::cuda

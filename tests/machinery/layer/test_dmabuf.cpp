/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dma-bufs in the layer: a round trip, and a report of each broken rule and of no other: test-layer-dmabuf CASE. Runs with
 * CL_GL_LAYER_ABORT=0. */
#include "fixture.hpp"

#include "emulateddmabuf.hpp"

#include <CL/cl_ext.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace {

constexpr std::size_t size = 4096;

using HandOver = cl_int (CL_API_CALL *) (cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);

using ImportArm = cl_mem (CL_API_CALL *) (cl_context, cl_mem_flags, const cl_import_properties_arm *, void *, size_t, cl_int *);

struct Scene {
  Scene ()
  {
    const cl_platform_id platform = platform_of (sharing.device);
    const auto load = [platform] (const char *name) { return clGetExtensionFunctionAddressForPlatform (platform, name); };
    acquire_objects = reinterpret_cast<HandOver> (load ("clEnqueueAcquireExternalMemObjectsKHR"));
    release_objects = reinterpret_cast<HandOver> (load ("clEnqueueReleaseExternalMemObjectsKHR"));
    import_arm = reinterpret_cast<ImportArm> (load ("clImportMemoryARM"));
    void *const mapped = mmap (nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK (mapped != MAP_FAILED);
    bytes = static_cast<std::uint8_t *> (mapped);
    const Bytes content = noise (size);
    std::memcpy (bytes, content.data (), size);
  }

  cl_mem import (std::size_t n = size, cl_int expected = CL_SUCCESS)
  {
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, static_cast<cl_mem_properties> (fd), 0};
    cl_int error = 1;
    const cl_mem buffer = clCreateBufferWithProperties (sharing.context (), properties, CL_MEM_READ_WRITE, n, nullptr, &error);
    CHECK_EQUAL (error, expected);
    return buffer;
  }
  cl_mem import_by_arm ()
  {
    const cl_import_properties_arm properties[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0};
    cl_int error = 1;
    const cl_mem buffer = import_arm (sharing.context (), CL_MEM_READ_WRITE, properties, &fd, size, &error);
    CHECK_EQUAL (error, CL_SUCCESS);
    return buffer;
  }
  cl_int acquire (cl_mem buffer) { return acquire_objects (sharing.queue (), 1, &buffer, 0, nullptr, nullptr); }
  cl_int release (cl_mem buffer) { return release_objects (sharing.queue (), 1, &buffer, 0, nullptr, nullptr); }

  /* of an only buffer */
  static constexpr cl_int wrong_release = CL_INVALID_OPERATION;
  cl_mem only () { return imported ? imported : imported = import (); }
  cl_int acquire () { return acquire (only ()); }
  cl_int release () { return release (only ()); }
  cl_int use () { return fill (only ()); }
  cl_int fill (cl_mem buffer)
  {
    const std::uint8_t value = 7;
    return clEnqueueFillBuffer (sharing.queue (), buffer, &value, 1, 0, size, 0, nullptr, nullptr);
  }
  void finish () { clFinish (sharing.queue ()); }

  Sharing sharing;
  int fd = emulated_dmabuf_new (size);
  std::uint8_t *bytes;
  cl_mem imported = nullptr;
  HandOver acquire_objects, release_objects;
  ImportArm import_arm;
};

const CommonRules<Scene> common;

CASE ("round-trip")
{
  Scene scene;
  const cl_mem buffer = scene.import ();
  const Bytes before (scene.bytes, scene.bytes + size);
  Bytes seen (size);
  CHECK_EQUAL (scene.acquire (buffer), CL_SUCCESS);
  CHECK_EQUAL (clEnqueueReadBuffer (scene.sharing.queue (), buffer, CL_TRUE, 0, size, seen.data (), 0, nullptr, nullptr), 0);
  CHECK (seen == before);
  CHECK_EQUAL (scene.fill (buffer), CL_SUCCESS);
  CHECK_EQUAL (scene.release (buffer), CL_SUCCESS);
  scene.finish ();
  CHECK (Bytes (scene.bytes, scene.bytes + size) == Bytes (size, 7));
  clReleaseMemObject (buffer);
  CHECK_EQUAL (counter ("violations"), 0);
}

/* Descriptors that are not a dma-buf, or are closed. */
CASE ("refusals")
{
  Scene scene;
  const int good = std::exchange (scene.fd, -1);
  CHECK (!scene.import (size, CL_INVALID_VALUE));
  scene.fd = dup (good);
  close (scene.fd);
  CHECK (!scene.import (size, CL_INVALID_VALUE));
  int ends[2];
  CHECK (pipe (ends) == 0);
  scene.fd = ends[0];
  CHECK (!scene.import (size, CL_INVALID_VALUE));
  CHECK_EQUAL (counter ("violations"), 0);
}

CASE ("dma-pending")
{
  Scene scene;
  const cl_mem buffer = scene.import ();
  emulated_dmabuf_begin_write (scene.fd);
  CHECK_EQUAL (scene.acquire (buffer), CL_SUCCESS);
  scene.finish ();
  emulated_dmabuf_end_write (scene.fd);
  CHECK_EQUAL (scene.release (buffer), CL_SUCCESS);
  scene.finish ();
  expect ("dma-pending");
}

CASE ("dma-write")
{
  Scene scene;
  const cl_mem buffer = scene.import ();
  CHECK_EQUAL (scene.acquire (buffer), CL_SUCCESS);
  scene.finish ();
  scene.bytes[17] ^= 1;
  CHECK_EQUAL (scene.release (buffer), CL_SUCCESS);
  scene.finish ();
  expect ("dma-write");
}

CASE ("double-import")
{
  Scene scene;
  clReleaseMemObject (scene.import ());
  scene.import ();
  CHECK_EQUAL (counter ("violations"), 0);
  scene.import ();
  expect ("double-import");
}

CASE ("import-size")
{
  Scene scene;
  scene.import (size + 1, CL_INVALID_BUFFER_SIZE);
  expect ("import-size");
}

CASE ("leaked-object")
{
  Scene scene;
  scene.import ();
  scene.sharing.queue = cl::CommandQueue ();
  const cl_context context = scene.sharing.context ();
  clRetainContext (context);
  cl_uint references = 0;
  clGetContextInfo (context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, nullptr);
  CHECK_EQUAL (counter ("violations"), 0);
  while (violations ("leaked-object") == 0 && references-- > 0)
    clReleaseContext (context);
  expect ("leaked-object");
  std::_Exit (0);
}

CASE ("arm-raw-access")
{
  Scene scene;
  CHECK_EQUAL (scene.fill (scene.import_by_arm ()), CL_INVALID_OPERATION);
  expect ("raw-access");
}

CASE ("arm-pending")
{
  Scene scene;
  const cl_mem buffer = scene.import_by_arm ();
  emulated_dmabuf_begin_write (scene.fd);
  CHECK_EQUAL (clEnqueueMigrateMemObjects (scene.sharing.queue (), 1, &buffer, 0, 0, nullptr, nullptr), CL_SUCCESS);
  expect ("dma-pending");
}

}  // namespace

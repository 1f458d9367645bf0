/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dma-bufs are anonymous files (emulateddmabuf.hpp), and so is the memory of the emulated CUDA driver. An imported one is a buffer of the CL device in the layer's own memory, so
 * that OpenCL sees nothing that was not acquired, and others see nothing that was not released. With ARM's extension, and for
 * CUDA, the memory is the file itself. */
#include "dmabuf.hpp"

#include <CL/cl_ext.h>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "report.hpp"
#include "settings.hpp"

namespace layer {

namespace {

struct DmaBuf : Object {
  std::string what () const override { return "dma-buf " + std::to_string (inode); }
  bool has_bytes () const override { return by_acquire; } /* with ARM's extension everything that is refused is listed */
  bool needs_acquire () const override { return by_acquire; }

  ~DmaBuf () override
  {
    if (file)
      munmap (file, size);
    if (fd >= 0)
      close (fd);
  }

  bool by_acquire = true;
  bool direct = false; /* kernels work on the file */
  int fd = -1;
  dev_t device = 0;
  ino_t inode = 0;
  std::size_t size = 0;
  std::uint8_t *file = nullptr;
  std::unique_ptr<std::uint8_t, Free> memory;
  /* the file's content at acquire, and the content that kernels saw */
  std::vector<std::uint8_t> loaded, seen;
};

/* Asks the emulated kernel, if it is loaded. */
void
check_pending (const DmaBuf &dmabuf, const char *when)
{
  using Ask = int (*) (int);
  static const Ask ask = reinterpret_cast<Ask> (dlsym (RTLD_DEFAULT, "emulated_dmabuf_is_pending"));
  if (ask && ask (dmabuf.fd))
    report ("dma-pending", "%s of %s while a fence says that somebody writes it", when, dmabuf.what ().c_str ());
}

/* In mode corrupt every byte is misplaced. */
void
copy (const DmaBuf &dmabuf, std::uint8_t *to, const std::uint8_t *from)
{
  std::memcpy (to, from, dmabuf.size);
  if (settings ().corrupt)
    std::rotate (to, to + 1, to + dmabuf.size);
}

void
load (DmaBuf &dmabuf)
{
  check_pending (dmabuf, "acquire");
  if (dmabuf.direct)
    return;
  dmabuf.loaded.assign (dmabuf.file, dmabuf.file + dmabuf.size);
  if (settings ().alias)
    copy (dmabuf, dmabuf.memory.get (), dmabuf.loaded.data ());
  dmabuf.seen.assign (dmabuf.memory.get (), dmabuf.memory.get () + dmabuf.size);
}

/* Writes only bytes that kernels have changed, so that others may read the file at the same time. */
void
store (DmaBuf &dmabuf)
{
  if (dmabuf.direct)
    return;
  std::this_thread::sleep_for (std::chrono::milliseconds (settings ().release_delay_ms));
  if (!std::equal (dmabuf.loaded.begin (), dmabuf.loaded.end (), dmabuf.file))
    report ("dma-write", "somebody wrote to %s while OpenCL held it", dmabuf.what ().c_str ());
  const bool changed = !std::equal (dmabuf.seen.begin (), dmabuf.seen.end (), dmabuf.memory.get ());
  if (changed && settings ().alias)
    copy (dmabuf, dmabuf.file, dmabuf.memory.get ());
}

/* No driver reports two objects for the same memory as an error, but they are acquired separately. */
void
check_imported_once (const DmaBuf &dmabuf)
{
  const auto is_same = [&dmabuf] (const auto &entry) {
    const auto *other = dynamic_cast<const DmaBuf *> (entry.second.get ());
    return other && other->context == dmabuf.context && other->device == dmabuf.device && other->inode == dmabuf.inode;
  };
  if (locked ([&] (const Ledger &ledger) { return std::any_of (ledger.objects.begin (), ledger.objects.end (), is_same); }))
    report ("double-import", "%s is imported into this context already", dmabuf.what ().c_str ());
}

cl_int
look_at (int fd, std::size_t size, DmaBuf &dmabuf)
{
  struct stat status = {};
  if (!settings ().accept_imports)
    return CL_INVALID_OPERATION;
  if (fd < 0 || fstat (fd, &status) < 0 || !S_ISREG (status.st_mode))
    return CL_INVALID_VALUE;
  if (size == 0 || size > static_cast<std::size_t> (status.st_size)) {
    report ("import-size", "%zu bytes of a dma-buf of %lld", size, static_cast<long long> (status.st_size));
    return CL_INVALID_BUFFER_SIZE;
  }
  dmabuf.device = status.st_dev;
  dmabuf.inode = status.st_ino;
  dmabuf.size = size;
  dmabuf.fd = dup (fd);
  void *const file = mmap (nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf.fd, 0);
  if (file == MAP_FAILED)
    return CL_INVALID_VALUE;
  dmabuf.file = static_cast<std::uint8_t *> (file);
  return CL_SUCCESS;
}

cl_int
import (cl_context context, cl_mem_flags flags, int fd, std::size_t size, bool by_acquire, cl_mem *handle)
{
  auto dmabuf = std::make_shared<DmaBuf> ();
  dmabuf->context = context;
  dmabuf->flags = flags ? flags : CL_MEM_READ_WRITE;
  dmabuf->by_acquire = by_acquire;
  dmabuf->direct = !by_acquire || (settings ().cuda && settings ().alias);
  if (!are_access_flags (flags))
    return CL_INVALID_VALUE;
  if (const cl_int error = look_at (fd, size, *dmabuf); error != CL_SUCCESS)
    return error;
  check_imported_once (*dmabuf);
  std::uint8_t *place = dmabuf->file;
  if (!dmabuf->direct) {
    dmabuf->memory = allocate (size, 0xa5);
    place = dmabuf->memory.get ();
  }
  cl_int error = CL_SUCCESS;
  dmabuf->handle = next ().clCreateBuffer (context, dmabuf->flags | CL_MEM_USE_HOST_PTR, size, place, &error);
  if (error != CL_SUCCESS)
    return error;
  watch (dmabuf);
  count ("dmabufs-imported");
  *handle = dmabuf->handle;
  return CL_SUCCESS;
}

cl_mem CL_API_CALL
create_buffer_with_properties (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, std::size_t size,
    void *host, cl_int *errcode_ret)
{
  const cl_mem_properties type =
      settings ().cuda ? CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR : CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
  if ((!settings ().dma_buf && !settings ().cuda) || !properties || properties[0] != type || properties[2] != 0)
    return next ().clCreateBufferWithProperties (context, properties, flags, size, host, errcode_ret);
  cl_mem handle = nullptr;
  const cl_int error =
      host ? CL_INVALID_HOST_PTR : import (context, flags, static_cast<int> (properties[1]), size, true, &handle);
  if (handle && settings ().cuda)
    close (static_cast<int> (properties[1])); /* OpenCL owns it from here on */
  set_error (errcode_ret, error);
  return handle;
}

cl_mem CL_API_CALL
import_memory_arm (cl_context context, cl_mem_flags flags, const cl_import_properties_arm *properties, void *memory,
    std::size_t size, cl_int *errcode_ret)
{
  cl_mem handle = nullptr;
  cl_int error = CL_INVALID_PROPERTY;
  if (properties && properties[0] == CL_IMPORT_TYPE_ARM && properties[1] == CL_IMPORT_TYPE_DMA_BUF_ARM && properties[2] == 0)
    error = memory ? import (context, flags, *static_cast<int *> (memory), size, false, &handle) : CL_INVALID_VALUE;
  set_error (errcode_ret, error);
  return handle;
}

}  // namespace

bool
are_dmabufs (const Objects &objects)
{
  return !objects.empty () && dynamic_cast<const DmaBuf *> (objects[0].get ());
}

cl_int
enqueue_dmabufs (const Transfer &transfer)
{
  auto copy = std::make_unique<const Transfer> (transfer);
  const Transfer *raw = copy.get ();
  cl_event done = nullptr;
  const cl_int error = next ().clEnqueueNativeKernel (
      transfer.queue, /* Executes a transfer on a thread, in a queue. */
      [] (void *argument) -> void CL_CALLBACK {
        const std::unique_ptr<const Transfer> transfer (*static_cast<const Transfer **> (argument));
        for (const std::shared_ptr<Object> &object : transfer->objects)
          (transfer->is_acquire () ? load : store) (static_cast<DmaBuf &> (*object));
      },
      &raw, sizeof raw, 0, nullptr, nullptr, transfer.n_events, transfer.events, &done);
  if (error != CL_SUCCESS)
    return error;
  copy.release ();
  transfer.finish (done);
  return CL_SUCCESS;
}

void
check_fences (const Object &object, const char *function)
{
  if (const auto *dmabuf = dynamic_cast<const DmaBuf *> (&object); dmabuf && !dmabuf->by_acquire)
    check_pending (*dmabuf, function);
}

void *
find_dmabuf_function (const char *name)
{
  if (settings ().dma_buf && !std::strcmp (name, "clCreateBufferWithProperties"))
    return reinterpret_cast<void *> (create_buffer_with_properties);
  if (settings ().arm_import && !std::strcmp (name, "clImportMemoryARM"))
    return reinterpret_cast<void *> (import_memory_arm);
  return nullptr;
}

void
hook_dmabuf (cl_icd_dispatch &dispatch)
{
  dispatch.clCreateBufferWithProperties = create_buffer_with_properties;
}

}  // namespace layer

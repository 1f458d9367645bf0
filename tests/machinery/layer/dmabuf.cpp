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

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "report.hpp"
#include "settings.hpp"

namespace layer {

namespace {

constexpr std::size_t alignment = 4096;

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

using DmaBufs = std::vector<std::shared_ptr<DmaBuf>>;

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

/* A command of the layer in a queue, executed on a thread. */
struct Work {
  DmaBufs dmabufs;
  void (*each) (DmaBuf &);
};

void CL_CALLBACK
run (void *argument)
{
  const std::unique_ptr<Work> work (*static_cast<Work **> (argument));
  for (const std::shared_ptr<DmaBuf> &dmabuf : work->dmabufs)
    work->each (*dmabuf);
}

cl_int
enqueue (const Arguments &arguments, cl_command_type type, DmaBufs dmabufs, void (*each) (DmaBuf &))
{
  auto work = std::make_unique<Work> (std::move (dmabufs), each);
  Work *raw = work.get ();
  cl_event done = nullptr;
  const cl_int error = next ().clEnqueueNativeKernel (
      arguments.queue, run, &raw, sizeof raw, 0, nullptr, nullptr, arguments.n_events, arguments.events, &done);
  if (error != CL_SUCCESS)
    return error;
  work.release ();
  if (arguments.event) {
    remember_event (done, type);
    *arguments.event = done;
  } else {
    next ().clReleaseEvent (done);
  }
  return CL_SUCCESS;
}

cl_int
collect (const Arguments &arguments, const char *name, DmaBufs &dmabufs)
{
  const std::shared_ptr<Context> context = context_of (arguments.queue);
  if (!context)
    return CL_INVALID_COMMAND_QUEUE;
  for (cl_uint i = 0; i < arguments.n_objects; i++) {
    const auto dmabuf = std::dynamic_pointer_cast<DmaBuf> (find_object (arguments.objects[i]));
    if (!dmabuf || !dmabuf->by_acquire)
      return CL_INVALID_MEM_OBJECT;
    if (dmabuf->context != context->handle)
      return CL_INVALID_CONTEXT;
    dmabufs.push_back (dmabuf);
  }
  return check_wait_list (arguments.n_events, arguments.events, false, name);
}

/* No driver reports two objects for the same memory as an error, but they are acquired separately. */
void
check_imported_once (const DmaBuf &dmabuf)
{
  bool twice = false;
  {
    const std::lock_guard lock (ledger ().mutex);
    for (const auto &[handle, object] : ledger ().objects) {
      const auto *other = dynamic_cast<const DmaBuf *> (object.get ());
      twice |= other && other->context == dmabuf.context && other->device == dmabuf.device && other->inode == dmabuf.inode;
    }
  }
  if (twice)
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

void CL_CALLBACK
drop (cl_mem, void *user_data)
{
  delete static_cast<std::shared_ptr<DmaBuf> *> (user_data);
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
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    dmabuf->memory.reset (static_cast<std::uint8_t *> (std::aligned_alloc (alignment, whole)));
    place = dmabuf->memory.get ();
    std::memset (place, 0xa5, whole);
  }
  cl_int error = CL_SUCCESS;
  dmabuf->handle = next ().clCreateBuffer (context, dmabuf->flags | CL_MEM_USE_HOST_PTR, size, place, &error);
  if (error != CL_SUCCESS)
    return error;
  next ().clSetMemObjectDestructorCallback (dmabuf->handle, drop, new std::shared_ptr<DmaBuf> (dmabuf));
  count ("dmabufs-imported");
  const std::lock_guard lock (ledger ().mutex);
  ledger ().objects[dmabuf->handle] = dmabuf;
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
are_dmabufs (const Arguments &arguments)
{
  return arguments.n_objects > 0 && arguments.objects && std::dynamic_pointer_cast<DmaBuf> (find_object (arguments.objects[0]));
}

cl_int
acquire_dmabufs (const Arguments &arguments)
{
  DmaBufs dmabufs;
  if (const cl_int error = collect (arguments, "clEnqueueAcquireExternalMemObjectsKHR", dmabufs); error != CL_SUCCESS)
    return error;
  count ("acquires");
  if (settings ().fail_at && counter ("acquires") == settings ().fail_at)
    return CL_OUT_OF_RESOURCES;
  for (const std::shared_ptr<DmaBuf> &dmabuf : dmabufs) {
    bool twice = false;
    {
      const std::lock_guard lock (ledger ().mutex);
      twice = std::exchange (dmabuf->acquired, true);
      dmabuf->was_acquired = true;
    }
    if (twice) {
      report ("double-acquire", "the object of %s is acquired already", dmabuf->what ().c_str ());
      return CL_INVALID_OPERATION;
    }
  }
  return enqueue (arguments, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, std::move (dmabufs), load);
}

cl_int
release_dmabufs (const Arguments &arguments)
{
  DmaBufs dmabufs;
  if (const cl_int error = collect (arguments, "clEnqueueReleaseExternalMemObjectsKHR", dmabufs); error != CL_SUCCESS)
    return error;
  for (const std::shared_ptr<DmaBuf> &dmabuf : dmabufs) {
    bool held = false;
    {
      const std::lock_guard lock (ledger ().mutex);
      held = std::exchange (dmabuf->acquired, false);
    }
    if (!held) {
      report ("release-not-acquired", "the object of %s is not acquired", dmabuf->what ().c_str ());
      return CL_INVALID_OPERATION;
    }
  }
  count ("releases");
  return enqueue (arguments, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, std::move (dmabufs), store);
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

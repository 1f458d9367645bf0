/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/dmabuf.hpp"

#include "core/debug.hpp"

#include <gst/allocators/gstdmabuf.h>

#include <fcntl.h>

#include <algorithm>
#include <map>
#include <tuple>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"cldmabuf", "frames in dma-bufs">)

/* Older headers lack these names. */
#ifndef CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR
#define CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR 0x2067
#endif
#ifndef CL_IMPORT_TYPE_ARM
#define CL_IMPORT_TYPE_ARM 0x40B2
#define CL_IMPORT_TYPE_DMA_BUF_ARM 0x40B4
#endif

namespace gst::cl {

namespace {

/* The device, the exporter, and whether kernels write. */
using DmaBufQuestion = std::tuple<cl_device_id, std::string, bool>;

using ImportedDmaBufs = std::vector<std::shared_ptr<ImportedDmaBuf>>;

/* Guards imports; several threads may use the same memory, after a tee. */
std::mutex dmabuf_mutex;

/* Call it with the mutex held. */
ImportedDmaBufs &
imports_of (GstMemory *memory)
{
  return kept_with<ImportedDmaBufs> (memory, "gst-cl-dmabuf-imports");
}

/* Elements may wrap one dma-buf in a new GstMemory for each frame, or each plane. Throws Failure, cl::Error. */
std::shared_ptr<ImportedDmaBuf>
import_dmabuf (const ContextRef &context, const DmaBufDriver &driver, const DmaBuf &file)
{
  static std::map<std::pair<cl_context, DmaBuf::Identity>, std::weak_ptr<ImportedDmaBuf>> all;
  const cl_context handle = Context::of (context.get ()).handle ();
  const std::lock_guard lock (dmabuf_mutex);
  std::erase_if (all, [] (const auto &each) { return each.second.expired (); });
  std::weak_ptr<ImportedDmaBuf> &entry = all[{handle, file.identity ()}];
  if (const auto found = entry.lock ())
    return found;
  const Ref<GstAllocator> allocator (gst_dmabuf_allocator_new ());
  auto frame = driver.import (context, file);
  Ref<GstMemory> memory (
      gst_dmabuf_allocator_alloc (allocator.get (), fcntl (file.descriptor (), F_DUPFD_CLOEXEC, 0), file.size ()));
  attach_frame_buffer (memory.get (), std::move (frame));
  const auto made = std::make_shared<ImportedDmaBuf> (file, std::move (memory), handle);
  entry = made;
  return made;
}

/* Null if the test failed or proved nothing. */
std::shared_ptr<ImportedDmaBuf>
prove_dmabuf (
    const ContextRef &context, const DmaBufDriver &driver, const DmaBuf &file, bool writes, std::optional<Verdict> &verdict)
{
  static auto &verdicts = *new Verdicts<DmaBufQuestion>;
  const Device &device = Context::of (context.get ()).device;
  const DmaBufQuestion question{device.handle (), file.exporter (), writes};
  std::shared_ptr<ImportedDmaBuf> imported;
  verdict = verdicts.get (question, [&] {
    std::optional<Verdict> made;
    try {
      imported = import_dmabuf (context, driver, file);
      made = try_dmabuf (context, *imported, writes);
    } catch (const ::cl::Error &error) {
      made = Verdict{.reason = reason_of (error)};
    }
    if (made)
      GST_INFO ("%s: %s dma-bufs of \"%s\" %s", device.name.c_str (), writes ? "writing" : "reading",
          std::get<std::string> (question).c_str (), made->text ().c_str ());
    return made;
  });
  if (!verdict || !verdict->works)
    return nullptr;
  return imported ? imported : import_dmabuf (context, driver, file);
}

}  // namespace

std::shared_ptr<const DmaBufDriver>
DmaBufDriver::create (const Device &device, std::string &why_not)
{
  static const HandleType dmabufs{"cl_khr_external_memory_dma_buf", CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, false};
  const auto driver = std::make_shared<DmaBufDriver> ();
  driver->importer = Importer::create (device, dmabufs, why_not);
  if (driver->importer)
    return driver;
  if (!device.has_extension ("cl_arm_import_memory_dma_buf")) {
    why_not += ", and cl_arm_import_memory_dma_buf as well";
    return nullptr;
  }
  driver->import_arm =
      reinterpret_cast<ImportArm> (clGetExtensionFunctionAddressForPlatform (device.platform (), "clImportMemoryARM"));
  if (!driver->import_arm) {
    why_not = "the OpenCL device " + device.name + " lacks clImportMemoryARM";
    return nullptr;
  }
  why_not.clear ();
  return driver;
}

std::unique_ptr<FrameBuffer>
DmaBufDriver::import (const ContextRef &context, const DmaBuf &dmabuf) const
{
  const ::cl::Context &handle = Context::of (context.get ()).handle;
  int fd = dmabuf.descriptor ();
  if (importer)
    return std::make_unique<FrameBuffer> (context,
        importer->import_buffer (handle, Descriptor (fcntl (fd, F_DUPFD_CLOEXEC, 0)), dmabuf.size ()), dmabuf.size (),
        importer);
  const intptr_t properties[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0};
  cl_int status = CL_SUCCESS;
  const cl_mem raw = import_arm (handle (), CL_MEM_READ_WRITE, properties, &fd, dmabuf.size (), &status);
  if (status != CL_SUCCESS || !raw)
    throw ::cl::Error (status, "clImportMemoryARM");
  return std::make_unique<FrameBuffer> (context, ::cl::Buffer (raw), dmabuf.size (), nullptr);
}

std::shared_ptr<ImportedDmaBuf>
find_dmabuf (const ContextRef &context, const std::shared_ptr<const DmaBufDriver> &driver, GstMemory *memory, bool writes,
    guint64 &imports, std::string &why_not)
{
  const cl_context handle = Context::of (context.get ()).handle ();
  {
    const std::lock_guard lock (dmabuf_mutex);
    for (const auto &each : imports_of (memory))
      if (each->context == handle && (each->may_be_written || !writes))
        return each;
  }
  try {
    const DmaBuf file (gst_dmabuf_memory_get_fd (memory));
    std::optional<Verdict> verdict;
    const auto imported = prove_dmabuf (context, *driver, file, writes, verdict);
    why_not = verdict ? verdict->reason : "";
    if (!imported)
      return nullptr;
    if (writes)
      imported->may_be_written = true;
    const std::lock_guard lock (dmabuf_mutex);
    ImportedDmaBufs &kept = imports_of (memory);
    if (std::ranges::find (kept, imported) == kept.end ())
      kept.push_back (imported);
    imports++;
    return imported;
  } catch (const std::exception &error) {
    why_not = reason_of (error);
  }
  GST_WARNING ("a frame in a dma-buf is copied: %s", why_not.c_str ());
  return nullptr;
}

Verdict
probe_dmabuf (const ContextRef &context, bool writes)
{
  try {
    std::string why_not;
    const auto driver = DmaBufDriver::create (Context::of (context.get ()).device, why_not);
    if (!driver)
      return {.reason = why_not};
    const Descriptor made (allocate_dmabuf (64 * 48 * 4));
    const DmaBuf file (made.get ());
    fill_dmabuf (file);
    std::optional<Verdict> verdict;
    prove_dmabuf (context, *driver, file, writes, verdict);
    return verdict.value ();
  } catch (const std::exception &error) {
    return {.reason = error.what ()};
  }
}

}  // namespace gst::cl

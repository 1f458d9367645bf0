/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/dmabuf.hpp"

#include "core/debug.hpp"

#include <gst/allocators/gstdmabuf.h>

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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

constexpr size_t piece_bytes = 32768;

using HostBytes = std::vector<guint8>;

guint8
mark_of (size_t place)
{
  return guint8 (place * 7 + place / 251 + 1);
}

/* Maps a dma-buf for the host, within the two ioctls that synchronise the host with devices. */
class MappedDmaBuf {
public:
  MappedDmaBuf (const DmaBuf &dmabuf, bool writes)
      : fd (dmabuf.descriptor ()), n_bytes (dmabuf.size ()), access (writes ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ),
        data (mmap (nullptr, n_bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0))
  {
    if (data == MAP_FAILED)
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "A frame's dma-buf cannot be mapped.",
          std::string ("mmap: ") + std::strerror (errno));
    synchronise (DMA_BUF_SYNC_START);
  }
  MappedDmaBuf (const MappedDmaBuf &) = delete;
  ~MappedDmaBuf ()
  {
    synchronise (DMA_BUF_SYNC_END);
    munmap (data, n_bytes);
  }

  guint8 *bytes () { return static_cast<guint8 *> (data); }

private:
  void synchronise (guint64 edge)
  {
    dma_buf_sync sync = {edge | access};
    while (ioctl (fd, DMA_BUF_IOCTL_SYNC, &sync) < 0 && (errno == EINTR || errno == EAGAIN))
      ;
  }

  const int fd;
  const size_t n_bytes;
  const guint64 access;
  void *const data;
};

class DmaBufTrial {
public:
  DmaBufTrial (const ContextRef &context, const ImportedDmaBuf &imported_, bool writes_)
      : cl (Context::of (context.get ())), imported (imported_), writes (writes_)
  {
    const size_t size = imported.file.size ();
    pieces.push_back ({0, std::min (size, piece_bytes)});
    if (size > 2 * piece_bytes)
      pieces.push_back ({size - piece_bytes, piece_bytes});
    for (const Piece &piece : pieces)
      n_bytes += piece.size;
    own = ::cl::Buffer (cl.handle, CL_MEM_READ_WRITE, n_bytes);
    BuildCounts counts;
    kernel = ::cl::Kernel (*cl.programs.get ({{"lib/probe_bytes.cl"}, ""}, counts), "probe_bytes");
  }

  /** The host's view of the tested parts. */
  HostBytes look () const
  {
    imported.file.wait (false);
    MappedDmaBuf view (imported.file, false);
    HostBytes all;
    for (const Piece &piece : pieces)
      all.insert (all.end (), view.bytes () + piece.offset, view.bytes () + piece.offset + piece.size);
    return all;
  }

  /* Fills both with the same pattern, so that only the kernel can have written the inverse. */
  void fill ()
  {
    MappedDmaBuf view (imported.file, true);
    HostBytes all;
    for (const Piece &piece : pieces)
      for (size_t i = 0; i < piece.size; i++)
        all.push_back (view.bytes ()[piece.offset + i] = mark_of (all.size ()));
    cl.compute.enqueueWriteBuffer (own, CL_TRUE, 0, n_bytes, all.data ());
  }

  void run ()
  {
    FrameBuffer &frame = imported.frame ();
    const cl_command_queue queue = cl.compute ();
    std::vector<::cl::Event> wait;
    ::cl::Event last;
    imported.file.wait (writes);
    if (writes)
      frame.begin_write (queue, wait);
    else
      frame.begin_read (queue, wait);
    try {
      launch (wait, last);
    } catch (...) {
      frame.leave (queue);
      throw;
    }
    if (const ::cl::Event released = frame.leave (queue); released ())
      last = released;
    if (writes)
      frame.end_write ({last, queue});
    else
      frame.end_read ({last, queue});
    cl.wait_for (last);
  }

  /** The kernel's result. */
  HostBytes result () const
  {
    if (writes)
      return look ();
    HostBytes all (n_bytes);
    cl.compute.enqueueReadBuffer (own, CL_TRUE, 0, n_bytes, all.data ());
    return all;
  }

private:
  struct Piece {
    size_t offset, size;
  };

  void launch (std::vector<::cl::Event> wait, ::cl::Event &last)
  {
    const ::cl::Buffer &theirs = imported.frame ().handle ();
    size_t at = 0;
    for (const Piece &piece : pieces) {
      kernel.setArg (0, writes ? own : theirs);
      kernel.setArg (1, writes ? theirs : own);
      kernel.setArg (2, cl_ulong (writes ? at : piece.offset));
      kernel.setArg (3, cl_ulong (writes ? piece.offset : at));
      cl.compute.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (piece.size), ::cl::NullRange, &wait, &last);
      wait.clear ();
      at += piece.size;
    }
  }

  Context &cl;
  const ImportedDmaBuf &imported;
  const bool writes;
  std::vector<Piece> pieces;
  size_t n_bytes = 0;
  ::cl::Buffer own;
  ::cl::Kernel kernel;
};

/* Tests an import. A kernel reads the memory, and every byte is compared with the host's view; with `writes`, a kernel writes
 *  the memory, and the host compares, after which the memory's content is lost. Large memory is tested at both ends. Returns
 *  nothing if all bytes are 0, which proves nothing. Throws Failure if the host cannot map the memory, and cl::Error. */
std::optional<Verdict>
try_dmabuf (const ContextRef &context, const ImportedDmaBuf &imported, bool writes)
{
  DmaBufTrial trial (context, imported, writes);
  if (writes)
    trial.fill ();
  const HostBytes before = trial.look ();
  if (std::ranges::all_of (before, [] (guint8 byte) { return byte == 0; }))
    return std::nullopt;
  trial.run ();
  const HostBytes after = trial.result ();
  size_t wrong = 0;
  for (size_t i = 0; i < before.size (); i++)
    wrong += after[i] != guint8 (~before[i]);
  if (wrong)
    return Verdict{
        .reason = std::to_string (wrong) + " of " + std::to_string (before.size ()) + " bytes of a trial were wrong"};
  return Verdict{.works = true, .reason = "", .microseconds = mean_microseconds ([&] { trial.run (); })};
}

/* Fills the memory from the host with a pattern that differs everywhere. Throws Failure. */
void
fill_dmabuf (const DmaBuf &dmabuf)
{
  MappedDmaBuf view (dmabuf, true);
  for (size_t i = 0; i < dmabuf.size (); i++)
    view.bytes ()[i] = mark_of (i);
}

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
  const int descriptor = fcntl (file.descriptor (), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The process has too many open files; each frame in a dma-buf is one. Raise its limit (ulimit -n).",
        std::strerror (errno));
  Ref<GstMemory> memory (gst_dmabuf_allocator_alloc (allocator.get (), descriptor, file.size ()));
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
    const bool is_new = imported.use_count () == 1; /* a known one belongs to another GstMemory */
    const std::lock_guard lock (dmabuf_mutex);
    ImportedDmaBufs &kept = imports_of (memory);
    if (std::ranges::find (kept, imported) == kept.end ())
      kept.push_back (imported);
    imports += is_new;
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

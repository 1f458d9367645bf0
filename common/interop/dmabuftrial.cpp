/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/dmabuf.hpp"

#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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
  DmaBufTrial (const ContextRef &context, const ImportedDmaBuf &imported, bool writes);

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
    last.wait ();
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

DmaBufTrial::DmaBufTrial (const ContextRef &context, const ImportedDmaBuf &imported_, bool writes_)
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

}  // namespace

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

void
fill_dmabuf (const DmaBuf &dmabuf)
{
  MappedDmaBuf view (dmabuf, true);
  for (size_t i = 0; i < dmabuf.size (); i++)
    view.bytes ()[i] = mark_of (i);
}

}  // namespace gst::cl

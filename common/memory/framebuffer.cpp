/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/memory.hpp"

#include "core/arithmetic.hpp"
#include "core/wait.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

namespace gst::cl {

namespace {

/* A page, so that drivers can use the host's pages as they are, and a multiple of every vector's size. */
constexpr size_t host_alignment = 4096;

/* Commands of one in-order queue need no wait for each other. */
void
append_wait (std::vector<::cl::Event> &wait, const Fence &fence, cl_command_queue queue)
{
  if (fence && fence.queue != queue)
    wait.push_back (fence.event);
}

bool
is_complete (const Fence &fence)
{
  return fence.event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> () <= CL_COMPLETE;
}

}  // namespace

FrameBuffer::FrameBuffer (ContextRef context_object, size_t size)
    : owner (std::move (context_object)), mode (context ().device.host_memory), n_bytes (std::max<size_t> (size, 1))
{
  const ::cl::Context &cl = context ().handle;
  if (mode != HostMemory::shared) {
    buffer = ::cl::Buffer (cl, CL_MEM_READ_WRITE | (mode == HostMemory::mapped ? CL_MEM_ALLOC_HOST_PTR : 0), n_bytes);
    return;
  }
  if (n_bytes > std::numeric_limits<size_t>::max () - host_alignment)
    throw std::bad_alloc ();
  std::unique_ptr<void, void (*) (void *)> pages (
      std::aligned_alloc (host_alignment, round_up (n_bytes, host_alignment)), std::free);
  if (!pages)
    throw std::bad_alloc ();
  buffer = ::cl::Buffer (cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, n_bytes, pages.get ());
  host = pages.release ();
}

FrameBuffer::FrameBuffer (
    ContextRef context_object, ::cl::Buffer imported, size_t size, std::shared_ptr<const Importer> importer_)
    : owner (std::move (context_object)), mode (HostMemory::shared), n_bytes (size), buffer (std::move (imported)),
      importer (std::move (importer_))
{
}

FrameBuffer::~FrameBuffer ()
{
  try {
    wait_for_users (true);
    if (staging ())
      context ().download.enqueueUnmapMemObject (staging, host);
  } catch (const ::cl::Error &) {
    /* the device is lost: it does not use the memory any more, and the next stream opens it again */
    context ().failed = true;
  } catch (const Overdue &) {
    return; /* an endless command may still use the pages */
  }
  buffer = ::cl::Buffer (); /* before its pages are freed */
  if (mode == HostMemory::shared)
    std::free (host);
}

std::vector<::cl::Event>
FrameBuffer::readers_elsewhere (cl_command_queue queue) const
{
  std::vector<::cl::Event> wait;
  for (const Fence &reader : readers)
    append_wait (wait, reader, queue);
  return wait;
}

size_t
FrameBuffer::upload_locked ()
{
  if (device_current)
    return 0;
  const std::vector<::cl::Event> before = readers_elsewhere (context ().upload ());
  ::cl::Event event;
  context ().upload.enqueueWriteBuffer (buffer, CL_FALSE, 0, n_bytes, host, &before, &event);
  context ().upload.flush ();
  writer = {event, context ().upload ()};
  device_current = true;
  return n_bytes;
}

::cl::Event
FrameBuffer::upload_from (std::span<const HostRows> planes)
{
  const std::lock_guard lock (mutex);
  const ::cl::CommandQueue &queue = context ().upload;
  std::vector<::cl::Event> before = readers_elsewhere (queue ());
  append_wait (before, writer, queue ());
  ::cl::Event event;
  for (const HostRows &rows : planes) {
    if (rows.from_stride == rows.to_stride)
      queue.enqueueWriteBuffer (
          buffer, CL_FALSE, rows.to_offset, (rows.rows - 1) * rows.from_stride + rows.row_bytes, rows.from, &before, &event);
    else
      queue.enqueueWriteBufferRect (buffer, CL_FALSE, {rows.to_offset % rows.to_stride, rows.to_offset / rows.to_stride, 0},
          {0, 0, 0}, {rows.row_bytes, rows.rows, 1}, rows.to_stride, 0, rows.from_stride, 0, rows.from, &before, &event);
    before.clear ();
  }
  queue.flush ();
  writer = {event, queue ()};
  readers.clear ();
  device_current = true;
  host_current = false;
  downloaded = ::cl::Event ();
  return event;
}

size_t
FrameBuffer::upload ()
{
  const std::lock_guard lock (mutex);
  return upload_locked ();
}

/* After a tee, the first element acquires memory of another interface, and the last one releases it. */
void
FrameBuffer::enter (cl_command_queue queue, std::vector<::cl::Event> &wait)
{
  if (!importer)
    return;
  if (n_users == 0) {
    acquired = {{}, queue};
    importer->acquire (queue, {{buffer ()}}, wait, &acquired.event);
  }
  n_users++;
  append_wait (wait, acquired, queue);
}

::cl::Event
FrameBuffer::leave (cl_command_queue queue)
{
  const std::lock_guard lock (mutex);
  if (!importer || n_users == 0)
    return {};
  ::cl::Event event;
  if (--n_users > 0) {
    ::cl::CommandQueue (queue, true).enqueueMarkerWithWaitList (nullptr, &event);
    left.push_back ({event, queue});
    return {};
  }
  std::vector<::cl::Event> wait;
  for (const Fence &other : left)
    append_wait (wait, other, queue);
  left.clear ();
  importer->release (queue, {{buffer ()}}, wait, &event);
  return event;
}

size_t
FrameBuffer::begin_read (cl_command_queue queue, std::vector<::cl::Event> &wait)
{
  const std::lock_guard lock (mutex);
  const size_t uploaded = upload_locked ();
  append_wait (wait, writer, queue);
  enter (queue, wait);
  return uploaded;
}

void
FrameBuffer::begin_write (cl_command_queue queue, std::vector<::cl::Event> &wait)
{
  const std::lock_guard lock (mutex);
  append_wait (wait, writer, queue);
  for (const Fence &reader : readers)
    append_wait (wait, reader, queue);
  if (downloaded ())
    wait.push_back (downloaded);
  enter (queue, wait);
}

void
FrameBuffer::end_read (const Fence &fence)
{
  const std::lock_guard lock (mutex);
  /* Queues are in-order, so the last reader of a queue replaces the earlier ones. Otherwise a picture that is read for every
   * frame, such as a logo, would collect one for each frame in flight. */
  std::erase_if (readers, [&] (const Fence &reader) { return reader.queue == fence.queue || is_complete (reader); });
  readers.push_back (fence);
}

void
FrameBuffer::end_write (const Fence &fence)
{
  const std::lock_guard lock (mutex);
  writer = fence;
  written = true;
  readers.clear ();
  downloaded = ::cl::Event ();
  device_current = true;
  host_current = false;
}

void *
FrameBuffer::map_all (const ::cl::Buffer &memory) const
{
  ::cl::Event mapped;
  void *pages =
      context ().download.enqueueMapBuffer (memory, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, n_bytes, nullptr, &mapped);
  context ().wait_for (mapped);
  return pages;
}

void
FrameBuffer::make_host_view ()
{
  if (host || mode != HostMemory::staged)
    return;
  staging = ::cl::Buffer (context ().handle, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, n_bytes);
  host = map_all (staging);
}

void
FrameBuffer::start_download ()
{
  make_host_view ();
  std::vector<::cl::Event> wait;
  append_wait (wait, writer, context ().download ());
  context ().download.enqueueReadBuffer (buffer, CL_FALSE, 0, n_bytes, host, &wait, &downloaded);
  context ().download.flush ();
}

size_t
FrameBuffer::prefetch ()
{
  const std::lock_guard lock (mutex);
  if (mode != HostMemory::staged || host_current || downloaded ())
    return 0;
  start_download ();
  return n_bytes;
}

void
FrameBuffer::wait_for_users (bool writing)
{
  if (writer)
    context ().wait_for (writer.event);
  if (!writing)
    return;
  for (const Fence &reader : readers)
    context ().wait_for (reader.event);
  readers.clear ();
  if (downloaded ())
    context ().wait_for (downloaded);
}

void
FrameBuffer::begin_device_access (GstMapFlags flags)
{
  const std::lock_guard lock (mutex);
  upload_locked ();
  wait_for_users (flags & GST_MAP_WRITE);
}

void
FrameBuffer::end_device_access (GstMapFlags flags)
{
  const std::lock_guard lock (mutex);
  if (!(flags & GST_MAP_WRITE))
    return;
  downloaded = ::cl::Event ();
  host_current = false;
  device_current = true;
}

void *
FrameBuffer::map (GstMapFlags flags)
{
  const std::lock_guard lock (mutex);
  wait_for_users (flags & GST_MAP_WRITE);
  if (mode == HostMemory::mapped) {
    if (n_mapped == 0)
      host = map_all (buffer);
    n_mapped++;
  }
  if (mode == HostMemory::staged) {
    make_host_view ();
    if ((flags & GST_MAP_READ) && !host_current && !downloaded ())
      start_download ();
    if (downloaded ()) {
      context ().wait_for (downloaded);
      downloaded = ::cl::Event ();
      host_current = true;
    }
  }
  return host;
}

void
FrameBuffer::unmap (GstMapFlags flags)
{
  const std::lock_guard lock (mutex);
  if (mode == HostMemory::mapped && --n_mapped == 0) {
    ::cl::Event event;
    context ().download.enqueueUnmapMemObject (buffer, host, nullptr, &event);
    context ().download.flush ();
    writer = {event, context ().download ()};
  }
  if (mode == HostMemory::staged && (flags & GST_MAP_WRITE)) {
    host_current = true;
    device_current = false;
  }
}

}  // namespace gst::cl

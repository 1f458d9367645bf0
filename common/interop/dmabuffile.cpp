/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/dmabuf.hpp"
#include "memory/frame.hpp"

#include <gst/allocators/gstdmabuf.h>

#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/magic.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace gst::cl {

namespace {

constexpr char heap_device[] = "/dev/dma_heap/system", udmabuf_device[] = "/dev/udmabuf";

Failure
no_dmabuf (const char *call)
{
  return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      "A frame's dma-buf cannot be used. The element that made it may have closed its file descriptor.",
      std::string (call) + ": " + std::strerror (errno));
}

/* These return -1 and set errno on failure. */
int
allocate_from_heap (size_t size)
{
  const Descriptor heap (open (heap_device, O_RDWR | O_CLOEXEC));
  if (heap.get () < 0)
    return -1;
  dma_heap_allocation_data request{.len = size, .fd_flags = O_RDWR | O_CLOEXEC};
  return ioctl (heap.get (), DMA_HEAP_IOCTL_ALLOC, &request) < 0 ? -1 : int (request.fd);
}

int
make_udmabuf (size_t size)
{
  const Descriptor device (open (udmabuf_device, O_RDWR | O_CLOEXEC));
  if (device.get () < 0)
    return -1;
  const Descriptor pages (memfd_create ("gst-cl", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (pages.get () < 0 || ftruncate (pages.get (), off_t (size)) != 0 || fcntl (pages.get (), F_ADD_SEALS, F_SEAL_SHRINK) != 0)
    return -1;
  const udmabuf_create request{.memfd = guint32 (pages.get ()), .flags = UDMABUF_FLAGS_CLOEXEC, .size = size};
  return ioctl (device.get (), UDMABUF_CREATE, &request);
}

}  // namespace

/* Before Linux 5.3 all dma-bufs have the same inode, so their identities do not differ. */
DmaBuf::DmaBuf (int somebodys) : own (fcntl (somebodys, F_DUPFD_CLOEXEC, 0))
{
  struct stat status;
  struct statfs files;
  if (descriptor () < 0)
    throw no_dmabuf ("dup");
  const off_t end = lseek (descriptor (), 0, SEEK_END);
  if (end <= 0 || fstat (descriptor (), &status) < 0 || fstatfs (descriptor (), &files) < 0
      || files.f_type == ANON_INODE_FS_MAGIC)
    throw no_dmabuf ("lseek");
  file = {status.st_dev, status.st_ino};
  n_bytes = size_t (end);
}

std::string
DmaBuf::exporter () const
{
  std::ifstream info ("/proc/self/fdinfo/" + std::to_string (descriptor ()));
  const std::string key = "exp_name:";
  for (std::string line; std::getline (info, line);)
    if (line.starts_with (key))
      return line.substr (line.find_first_not_of (" \t", key.size ()));
  return "";
}

void
DmaBuf::wait (bool writes) const
{
  constexpr int patience = 10000;
  struct pollfd polled = {descriptor (), short (writes ? POLLOUT : POLLIN), 0};
  int ready;
  do
    ready = poll (&polled, 1, patience);
  while (ready < 0 && errno == EINTR);
  if (ready == 0)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "Another device does not finish with a frame in a dma-buf. Its driver, or the element that made the frame, is at "
        "fault.",
        "poll: nothing within " + std::to_string (patience) + " ms");
}

int
allocate_dmabuf (size_t size)
{
  const size_t page = size_t (sysconf (_SC_PAGESIZE));
  size = (size + page - 1) / page * page;
  int fd = allocate_from_heap (size);
  const std::string why_not_heap = std::strerror (errno);
  if (fd < 0)
    fd = make_udmabuf (size);
  if (fd < 0)
    throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "No dma-buf can be allocated: this user can open neither /dev/dma_heap/system nor /dev/udmabuf.",
        std::string (heap_device) + ": " + why_not_heap + "; " + udmabuf_device + ": " + std::strerror (errno));
  return fd;
}

}  // namespace gst::cl

/* Pools of frames in dma-bufs from a heap of Linux. */

typedef struct {
  GstDmaBufAllocator parent;
} GstClDmaBufAllocator;

typedef struct {
  GstDmaBufAllocatorClass parent_class;
} GstClDmaBufAllocatorClass;

static GType gst_cl_dmabuf_allocator_get_type (void);
G_DEFINE_TYPE (GstClDmaBufAllocator, gst_cl_dmabuf_allocator, GST_TYPE_DMABUF_ALLOCATOR);

static GstMemory *
gst_cl_dmabuf_allocator_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstMemory *memory = nullptr;
  g_autoptr (GError) error = nullptr;
  gst::cl::run_guarded (&error, [&] {
    const gsize whole = size + params->prefix + params->padding;
    memory = gst_dmabuf_allocator_alloc (allocator, gst::cl::allocate_dmabuf (whole), whole);
    if (memory)
      gst_memory_resize (memory, gssize (params->prefix), size);
  });
  if (error)
    GST_ERROR_OBJECT (allocator, "%s", error->message);
  return memory;
}

static void
gst_cl_dmabuf_allocator_class_init (GstClDmaBufAllocatorClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = gst_cl_dmabuf_allocator_alloc;
}

static void
gst_cl_dmabuf_allocator_init (GstClDmaBufAllocator *self)
{
  GST_OBJECT_FLAG_UNSET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* Allocations are tried before, because a pool does not tell why it fails. The pool itself allocates when frames are needed:
 * GStreamer 1.22 never frees the first buffers of a pool that cannot allocate all. */
gst::cl::PoolRef
gst::cl::create_dmabuf_pool (const GstVideoInfo &info, guint min_buffers)
{
  std::vector<Descriptor> tried;
  while (tried.size () < min_buffers)
    tried.emplace_back (allocate_dmabuf (GST_VIDEO_INFO_SIZE (&info)));
  const Ref<GstAllocator> allocator (
      GST_ALLOCATOR (gst_object_ref_sink (g_object_new (gst_cl_dmabuf_allocator_get_type (), nullptr))));
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
  PoolRef pool (GST_BUFFER_POOL (gst_video_buffer_pool_new ()));
  GstStructure *config = gst_buffer_pool_get_config (pool.get ());
  gst_buffer_pool_config_set_allocator (config, allocator.get (), nullptr);
  return start_pool (std::move (pool), caps, 0, "dma-bufs", config);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "interop/dmabuffile.hpp"

#include "core/error.hpp"

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
  const int heap = open (heap_device, O_RDWR | O_CLOEXEC);
  if (heap < 0)
    return -1;
  dma_heap_allocation_data request = {};
  request.len = size;
  request.fd_flags = O_RDWR | O_CLOEXEC;
  const int status = ioctl (heap, DMA_HEAP_IOCTL_ALLOC, &request);
  close (heap);
  return status < 0 ? -1 : int (request.fd);
}

int
make_udmabuf (size_t size)
{
  const int device = open (udmabuf_device, O_RDWR | O_CLOEXEC);
  if (device < 0)
    return -1;
  int made = -1;
  const int pages = memfd_create ("gst-cl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (pages >= 0 && ftruncate (pages, off_t (size)) == 0 && fcntl (pages, F_ADD_SEALS, F_SEAL_SHRINK) == 0) {
    udmabuf_create request = {};
    request.memfd = guint32 (pages);
    request.flags = UDMABUF_FLAGS_CLOEXEC;
    request.size = size;
    made = ioctl (device, UDMABUF_CREATE, &request);
  }
  if (pages >= 0)
    close (pages);
  close (device);
  return made;
}

}  // namespace

/* Before Linux 5.3 all dma-bufs have the same inode, so their identities do not differ. */
DmaBuf::DmaBuf (int somebodys) : fd (fcntl (somebodys, F_DUPFD_CLOEXEC, 0))
{
  struct stat status;
  struct statfs files;
  if (fd < 0)
    throw no_dmabuf ("dup");
  const off_t end = lseek (fd, 0, SEEK_END);
  if (end <= 0 || fstat (fd, &status) < 0 || fstatfs (fd, &files) < 0 || files.f_type == ANON_INODE_FS_MAGIC) {
    const Failure failure = no_dmabuf ("lseek");
    close (fd);
    throw failure;
  }
  file = {status.st_dev, status.st_ino};
  n_bytes = size_t (end);
}

DmaBuf::~DmaBuf ()
{
  close (fd);
}

std::string
DmaBuf::exporter () const
{
  std::ifstream info ("/proc/self/fdinfo/" + std::to_string (fd));
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
  struct pollfd polled = {fd, short (writes ? POLLOUT : POLLIN), 0};
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

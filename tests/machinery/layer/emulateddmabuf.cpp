/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* open () and open64 () are both defined here, which this macro would make the same function */
#undef _FILE_OFFSET_BITS
#include "emulateddmabuf.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#define EXPORTED __attribute__ ((visibility ("default")))

namespace {

using File = std::pair<dev_t, ino_t>;

/* Lives as long as the process. */
struct Kernel {
  std::mutex mutex;
  std::condition_variable signalled;
  std::map<File, unsigned> writers;
  std::atomic<int> left_in_heap = std::getenv ("EMULATED_DMA_HEAP") ? std::numeric_limits<int>::max () : 0;
  std::atomic<int> host_accesses = 0;
};

Kernel &
kernel ()
{
  static Kernel &instance = *new Kernel;
  return instance;
}

File
file_of (int fd)
{
  struct stat status = {};
  fstat (fd, &status);
  return {status.st_dev, status.st_ino};
}

bool
is_dmabuf (int fd)
{
  char link[64], target[64] = {};
  std::snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  return readlink (link, target, sizeof target - 1) > 0 && !std::strncmp (target, "/memfd:emulated-dmabuf", 22);
}

/* With the mutex held. */
bool
has_fence (const File &file)
{
  const auto found = kernel ().writers.find (file);
  return found != kernel ().writers.end () && found->second > 0;
}

/* Returns false if the fence is not signalled in time; a negative time means no limit. */
bool
wait_for_fence (int fd, int timeout_ms)
{
  const File file = file_of (fd);
  std::unique_lock lock (kernel ().mutex);
  const auto is_done = [&] { return !has_fence (file); };
  if (timeout_ms >= 0)
    return kernel ().signalled.wait_for (lock, std::chrono::milliseconds (timeout_ms), is_done);
  kernel ().signalled.wait (lock, is_done);
  return true;
}

int
open_emulated (const char *path, int flags, mode_t mode)
{
  if (!std::strcmp (path, "/dev/dma_heap/system") && kernel ().left_in_heap > 0)
    return memfd_create ("emulated-dma-heap", MFD_CLOEXEC);
  return int (syscall (SYS_openat, AT_FDCWD, path, flags, mode));
}

int
synchronise (int fd, const dma_buf_sync &sync)
{
  if (sync.flags & DMA_BUF_SYNC_END) {
    kernel ().host_accesses--;
  } else {
    wait_for_fence (fd, -1);
    kernel ().host_accesses++;
  }
  return 0;
}

}  // namespace

extern "C" {

EXPORTED int
emulated_dmabuf_new (std::size_t size)
{
  const int fd = memfd_create ("emulated-dmabuf", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate (fd, off_t (size)) < 0) {
    close (fd);
    return -1;
  }
  return fd;
}

EXPORTED void
emulated_dmabuf_begin_write (int fd)
{
  const std::lock_guard lock (kernel ().mutex);
  kernel ().writers[file_of (fd)]++;
}

EXPORTED void
emulated_dmabuf_end_write (int fd)
{
  {
    const std::lock_guard lock (kernel ().mutex);
    const auto found = kernel ().writers.find (file_of (fd));
    if (--found->second == 0)
      kernel ().writers.erase (found);
  }
  kernel ().signalled.notify_all ();
}

EXPORTED int
emulated_dmabuf_is_pending (int fd)
{
  const std::lock_guard lock (kernel ().mutex);
  return has_fence (file_of (fd));
}

EXPORTED void
emulated_dmabuf_set_heap (int left)
{
  kernel ().left_in_heap = left;
}

EXPORTED int
emulated_dmabuf_host_accesses ()
{
  return kernel ().host_accesses;
}

EXPORTED int
poll (struct pollfd *all, nfds_t n, int timeout)
{
  using Poll = int (*) (struct pollfd *, nfds_t, int);
  static const Poll real = reinterpret_cast<Poll> (dlsym (RTLD_NEXT, "poll"));
  if (n == 1 && is_dmabuf (all->fd) && !wait_for_fence (all->fd, timeout)) {
    all->revents = 0;
    return 0;
  }
  return real (all, n, timeout);
}

EXPORTED int
ioctl (int fd, unsigned long request, ...)
{
  std::va_list arguments;
  va_start (arguments, request);
  void *const argument = va_arg (arguments, void *);
  va_end (arguments);
  if (request == DMA_BUF_IOCTL_SYNC && is_dmabuf (fd))
    return synchronise (fd, *static_cast<const dma_buf_sync *> (argument));
  if (request == DMA_HEAP_IOCTL_ALLOC && kernel ().left_in_heap > 0) {
    kernel ().left_in_heap--;
    auto *allocation = static_cast<dma_heap_allocation_data *> (argument);
    const int made = emulated_dmabuf_new (allocation->len);
    allocation->fd = __u32 (made);
    return made < 0 ? -1 : 0;
  }
  return int (syscall (SYS_ioctl, fd, request, argument));
}

EXPORTED int
open (const char *path, int flags, ...)
{
  std::va_list arguments;
  va_start (arguments, flags);
  const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg (arguments, mode_t) : 0;
  va_end (arguments);
  return open_emulated (path, flags, mode);
}

EXPORTED int
open64 (const char *path, int flags, ...)
{
  std::va_list arguments;
  va_start (arguments, flags);
  const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg (arguments, mode_t) : 0;
  va_end (arguments);
  return open_emulated (path, flags | O_LARGEFILE, mode);
}
}

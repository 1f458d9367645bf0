/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/hostcopy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gst::cl {

namespace {

/* Large enough that the cost of handing out a strip is small compared with its copy. */
constexpr size_t strip_bytes = 256 * 1024;
constexpr guint most_threads = 8;

void
copy_strip (const RowsCopy &strip)
{
  if (size_t (strip.from_stride) == strip.row_bytes && strip.from_stride == strip.to_stride) {
    std::memcpy (strip.to, strip.from, strip.row_bytes * strip.rows);
    return;
  }
  for (size_t row = 0; row < strip.rows; row++)
    std::memcpy (strip.to + std::ptrdiff_t (row) * strip.to_stride, strip.from + std::ptrdiff_t (row) * strip.from_stride,
        strip.row_bytes);
}

/** One call of HostCopier::copy(). A thread that comes when all strips are taken returns, so that no one waits for it. */
class Job {
public:
  explicit Job (std::span<const RowsCopy> copies)
  {
    for (const RowsCopy &each : copies)
      cut (each);
  }

  size_t size () const { return strips.size (); }

  void help ()
  {
    size_t done = 0;
    for (size_t i = next++; i < strips.size (); i = next++, done++)
      copy_strip (strips[i]);
    n_done += done;
    n_done.notify_one ();
  }

  void wait () const
  {
    for (size_t done = n_done; done != strips.size (); done = n_done)
      n_done.wait (done);
  }

private:
  void cut (const RowsCopy &copy)
  {
    const size_t step = std::max<size_t> (1, strip_bytes / std::max<size_t> (copy.row_bytes, 1));
    for (size_t row = 0; row < copy.rows; row += step) {
      RowsCopy strip = copy;
      strip.from += std::ptrdiff_t (row) * copy.from_stride;
      strip.to += std::ptrdiff_t (row) * copy.to_stride;
      strip.rows = std::min (step, copy.rows - row);
      strips.push_back (strip);
    }
  }

  std::vector<RowsCopy> strips;
  std::atomic<size_t> next = 0, n_done = 0;
};

using JobRef = std::shared_ptr<Job>;

}  // namespace

HostCopier::HostCopier (unsigned n_helpers_)
    : n_helpers (n_helpers_), helpers (n_helpers ? g_thread_pool_new (
                                           [] (gpointer data, gpointer) {
                                             const std::unique_ptr<JobRef> job (static_cast<JobRef *> (data));
                                             (*job)->help ();
                                           },
                                           nullptr, gint (n_helpers), FALSE, nullptr)
                                                 : nullptr)
{
}

HostCopier::~HostCopier ()
{
  if (helpers)
    g_thread_pool_free (helpers, FALSE, TRUE);
}

void
HostCopier::copy (std::span<const RowsCopy> copies)
{
  const auto job = std::make_shared<Job> (copies);
  for (size_t i = 1; i < job->size () && i <= n_helpers; i++)
    g_thread_pool_push (helpers, new JobRef (job), nullptr);
  job->help ();
  job->wait ();
}

/* Kept until the process ends; its idle threads end by themselves. */
HostCopier &
HostCopier::shared ()
{
  static auto *const copier = new HostCopier (std::clamp (g_get_num_processors () / 2, 1u, most_threads) - 1);
  return *copier;
}

namespace {

/* The state of the pages of a GstMemory. */
struct HostPages {
  /** Null until the memory comes for the first time. */
  cl_context context = nullptr;
  const void *data = nullptr;
  gsize size = 0;
  /** Empty until the memory comes for the second time, and if the driver refused it. */
  std::optional<::cl::Buffer> buffer = {};
  bool refused = false;
  /** Number of requests of other contexts since the last request of this one. */
  unsigned strangers = 0;

  bool is_of (const Context &of, const GstMapInfo &map) const
  {
    return context == of.handle () && data == map.data && size == map.size;
  }
};

constexpr unsigned patience = 4;

/* Several threads may use the same memory, after a tee. */
std::mutex pages_mutex;

HostPages &
pages_of (const GstMapInfo &map)
{
  return kept_with<HostPages> (map.memory, "gst-cl-host-pages");
}

::cl::Buffer
make_buffer (const Context &context, const GstMapInfo &map)
{
  return ::cl::Buffer (context.handle, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, map.size, map.data);
}

}  // namespace

::cl::Buffer
wrap_pages (Context &context, const GstMapInfo &map, guint64 &allocations)
{
  const std::lock_guard lock (pages_mutex);
  HostPages &pages = pages_of (map);
  if (pages.buffer && pages.is_of (context, map))
    return *pages.buffer;
  allocations++;
  pages = {context.handle (), map.data, map.size, make_buffer (context, map)};
  return *pages.buffer;
}

bool
pin_pages (Context &context, const GstMapInfo &map, guint64 &allocations)
{
  const std::lock_guard lock (pages_mutex);
  HostPages &pages = pages_of (map);
  /* an old context may be gone; after a tee two contexts may alternate, and the second one continues to copy */
  if (!pages.context || (!pages.is_of (context, map) && ++pages.strangers > patience)) {
    pages = {context.handle (), map.data, map.size, std::nullopt};
    return false;
  }
  if (!pages.is_of (context, map) || pages.refused)
    return false;
  pages.strangers = 0;
  if (!pages.buffer) {
    allocations++;
    try {
      pages.buffer = make_buffer (context, map);
    } catch (const ::cl::Error &) {
      pages.refused = true; /* such as pages of a device */
    }
  }
  return pages.buffer.has_value ();
}

}  // namespace gst::cl

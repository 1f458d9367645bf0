/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/hostcopy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
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

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parts.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

cl_icd_dispatch below;
bool at_end = true;
size_t alignment = 1;

/* Memory for a buffer between two inaccessible pages. */
class Fenced {
public:
  explicit Fenced (size_t size)
      : page (size_t (sysconf (_SC_PAGESIZE))), inner ((size + page - 1) / page * page), n_bytes (size),
        all (static_cast<char *> (mmap (nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
  {
    if (valid ())
      mprotect (all + page, inner, PROT_READ | PROT_WRITE);
  }
  ~Fenced ()
  {
    if (valid ())
      munmap (all, inner + 2 * page);
  }
  Fenced (const Fenced &) = delete;
  Fenced &operator= (const Fenced &) = delete;

  bool valid () const { return all != MAP_FAILED; }
  char *data () const { return at_end ? all + page + inner - (n_bytes + alignment - 1) / alignment * alignment : all + page; }
  bool fences (const char *address) const
  {
    return (address >= all && address < all + page) || (address >= all + page + inner && address < all + inner + 2 * page);
  }
  size_t size () const { return n_bytes; }

private:
  const size_t page, inner, n_bytes;
  char *const all;
};

/* For the signal handler, which must not lock: live buffers; null entries are free. */
constexpr size_t most = 4096;
std::atomic<Fenced *> alive[most];

void
remember (Fenced *fenced)
{
  for (std::atomic<Fenced *> &each : alive)
    if (Fenced *none = nullptr; each.compare_exchange_strong (none, fenced))
      return;
}

void CL_CALLBACK
forget (cl_mem, void *data)
{
  auto *fenced = static_cast<Fenced *> (data);
  for (std::atomic<Fenced *> &each : alive)
    if (Fenced *mine = fenced; each.compare_exchange_strong (mine, nullptr))
      break;
  delete fenced;
}

cl_mem CL_API_CALL
create_buffer (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
  auto fenced = flags & CL_MEM_USE_HOST_PTR || size == 0 ? nullptr : std::make_unique<Fenced> (size);
  if (!fenced || !fenced->valid ())
    return below.clCreateBuffer (context, flags, size, host, error);
  /* fills memory that was never written with conspicuous values */
  std::memset (fenced->data (), 0xa5, size);
  if (flags & CL_MEM_COPY_HOST_PTR)
    std::memcpy (fenced->data (), host, size);
  flags &= ~cl_mem_flags (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR);
  const cl_mem memory = below.clCreateBuffer (context, flags | CL_MEM_USE_HOST_PTR, size, fenced->data (), error);
  if (!memory)
    return nullptr;
  remember (fenced.get ());
  below.clSetMemObjectDestructorCallback (memory, forget, fenced.release ());
  return memory;
}

}  // namespace

cl_icd_dispatch
guard::before (const cl_icd_dispatch &next)
{
  const char *where = std::getenv ("CL_CENSUS_GUARD");
  if (!where)
    return next;
  below = next;
  at_end = std::strcmp (where, "begin") != 0;
  alignment = std::strcmp (where, "near-end") == 0 ? 16 : 1;
  struct sigaction action = {};
  action.sa_sigaction = [] (int signal, siginfo_t *info, void *) {
    const auto *address = static_cast<const char *> (info->si_addr);
    for (const std::atomic<Fenced *> &each : alive)
      if (const Fenced *fenced = each.load (); fenced && fenced->fences (address)) {
        char text[200];
        const int length = std::snprintf (text, sizeof text, "guard: byte %td of a buffer of %zu bytes is touched\n",
            address - fenced->data (), fenced->size ());
        [[maybe_unused]] const ssize_t written = write (2, text, size_t (length));
      }
    std::signal (signal, SIG_DFL);
    std::raise (signal);
  };
  action.sa_flags = SA_SIGINFO;
  sigaction (SIGSEGV, &action, nullptr);
  cl_icd_dispatch hooks = next;
  hooks.clCreateBuffer = create_buffer;
  return hooks;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process that compiles for a running stream (live.cpp): it cannot be started, fails, or is not waited for. */
#include <csignal>
#include <dlfcn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/compiler.hpp"
#include "core/context.hpp"
#include "core/files.hpp"

#include "../elements/pipeline.hpp"

namespace test::compiling_suite {
static Tests tests ("compiling", Needs::Device);

using namespace gst::cl;

/* Calls that fail in this process as if the operating system refused them. */
static std::atomic<bool> refuses_files = false;
static std::atomic<int> refuses_locks = 0, refusals_of_locks = G_MAXINT;

/* These replace the C library's functions. */
extern "C" int
memfd_create (const char *name, unsigned flags) noexcept
{
  static const auto real = reinterpret_cast<int (*) (const char *, unsigned)> (dlsym (RTLD_NEXT, "memfd_create"));
  if (!refuses_files)
    return real (name, flags);
  errno = ENOSYS;
  return -1;
}

extern "C" int
flock (int file, int operation) noexcept
{
  static const auto real = reinterpret_cast<int (*) (int, int)> (dlsym (RTLD_NEXT, "flock"));
  if (refuses_locks == 0 || --refusals_of_locks < 0)
    return real (file, operation);
  errno = refuses_locks;
  return -1;
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define COUNTS_EXITS 1
/* Counts how often the library registers a function for exit, while enabled: drivers do so thousands of times, and finding the
 * caller is slow. Sanitizers count on this function themselves. */
static std::atomic<bool> counts_exits = false;
static std::atomic<int> n_exits = 0;

extern "C" int
__cxa_atexit (void (*function) (void *), void *argument, void *library)
{
  static const auto real = reinterpret_cast<int (*) (void (*) (void *), void *, void *)> (dlsym (RTLD_NEXT, "__cxa_atexit"));
  Dl_info info;
  if (counts_exits && dladdr (reinterpret_cast<void *> (function), &info) && info.dli_fname
      && strstr (info.dli_fname, "libgstcl"))
    n_exits++;
  return real (function, argument, library);
}
#endif

/* A compiler, and the warnings that it logs. */
struct Fixture {
  ContextRef owner = create_context ("");
  const Context &context = Context::of (owner.get ());
  ProgramCache programs{context.handle, context.device};
  Compiler compiler{context.device, programs, [] (const ProgramSpec &) { n_background++; }};
  static inline std::atomic<int> n_background;
  static inline std::vector<std::string> warnings;

  static void note (GstDebugCategory *category, GstDebugLevel level, const gchar *, const gchar *, gint, GObject *,
      GstDebugMessage *message, gpointer)
  {
    if (level == GST_LEVEL_WARNING && !strcmp (gst_debug_category_get_name (category), "clcompiler"))
      warnings.emplace_back (gst_debug_message_get (message));
  }

  Fixture ()
  {
    n_background = 0;
    warnings.clear ();
    gst_debug_set_threshold_for_name ("clcompiler", GST_LEVEL_INFO);
    gst_debug_add_log_function (note, nullptr, nullptr);
  }
  ~Fixture () { gst_debug_remove_log_function (note); }

  static void wait_for (const std::shared_ptr<Compiler::Request> &request)
  {
    for (int i = 0; i < 3000 && !request->done; i++)
      g_usleep (10000);
    ck_assert (request->done);
  }
};

const KernelForm wrong{{.sources = {}, .options = "", .text = "no kernel", .name = "wrong.cl"}, "", {1, 1}, {0, 0}};
const KernelForm missing{{.sources = {"lib/nonesuch.cl"}}, "some", {1, 1}, {0, 0}};

/* If the process cannot be started, the request ends at once, and the caller compiles the kernels itself. */
TEST (not_asked)
{
  Fixture fixture;
  refuses_files = true;
  Fixture::wait_for (fixture.compiler.compile ({}));
  refuses_files = false;
  ck_assert_int_eq (int (Fixture::warnings.size ()), 1);
  ck_assert (Fixture::warnings[0].find ("was not found next to the library") != std::string::npos);
  /* a source that is missing here is not requested there */
  Fixture::wait_for (fixture.compiler.compile ({missing}));
  ck_assert_int_eq (int (Fixture::warnings.size ()), 1);
  ck_assert (fixture.compiler.knows (missing));
  ck_assert_int_eq (Fixture::n_background, 1);
}

/* Puts the process at one of its limits for the object's lifetime. */
class AtLimit {
public:
  AtLimit (__rlimit_resource resource_, rlim_t value) : resource (resource_)
  {
    getrlimit (resource, &before);
    const rlimit limit{value, before.rlim_max};
    fail_unless_equals_int (setrlimit (resource, &limit), 0);
  }
  ~AtLimit () { setrlimit (resource, &before); }

private:
  const __rlimit_resource resource;
  rlimit before{};
};

/* The request cannot be written, or only one more file may be opened: the request's file, but no pipe to the new process. */
TEST (at_limits)
{
  Fixture fixture;
  signal (SIGXFSZ, SIG_IGN);
  {
    const AtLimit full (RLIMIT_FSIZE, 10);
    Fixture::wait_for (fixture.compiler.compile ({wrong}));
  }
  const int next = dup (0);
  close (next);
  {
    const AtLimit files (RLIMIT_NOFILE, rlim_t (next) + 1);
    Fixture::wait_for (fixture.compiler.compile ({wrong}));
  }
  ck_assert_int_eq (int (Fixture::warnings.size ()), 2);
  ck_assert (Fixture::warnings[0].find ("was not found next to the library") != std::string::npos);
  test_check (Fixture::warnings[1].find (" could not be started: ") != std::string::npos, "%s", Fixture::warnings[1].c_str ());
}

/* A request that is no longer wanted when its turn comes is skipped. */
TEST (dropped)
{
  Fixture fixture;
  const auto first = fixture.compiler.compile ({wrong});
  fixture.compiler.compile ({wrong});
  Fixture::wait_for (fixture.compiler.compile ({wrong}));
  ck_assert (first->done);
  ck_assert_int_eq (int (Fixture::warnings.size ()), 2);
}

TEST (fails)
{
  Fixture fixture;
  Fixture::wait_for (fixture.compiler.compile ({wrong}));
  ck_assert_int_eq (int (Fixture::warnings.size ()), 1);
  ck_assert (Fixture::warnings[0].find ("gst-cl-compiler failed (status ") != std::string::npos);
  /* failures of user texts are not remembered, because there may be any number */
  ck_assert (!fixture.compiler.knows (wrong));
}

/* Kernels are compiled and do not run: this one would crash. */
TEST (not_run)
{
  Fixture fixture;
  KernelForm crashing = wrong;
  crashing.program.text = "kernel void crash (global uint *to, read_only image2d_t from, local uint *shared, int2 where)"
                          "{ *to = shared[where.x] = read_imageui (from, where).x / where.y; }";
  Fixture::wait_for (fixture.compiler.compile ({crashing}));
  ck_assert (Fixture::warnings.empty ());
}

/* One request is running, one is no longer wanted, and one comes too late. */
TEST (not_waited_for)
{
  Fixture fixture;
  const auto first = fixture.compiler.compile ({wrong});
  std::weak_ptr<Compiler::Request> second = fixture.compiler.compile ({wrong});
  ck_assert (second.expired ());
  g_usleep (50000);
  fixture.compiler.stop ();
  const auto late = fixture.compiler.compile ({wrong});
  ck_assert (late->done);
  fixture.compiler.stop ();
  /* the process was stopped, which is not a failure */
  ck_assert (Fixture::warnings.empty ());
  ck_assert_int_eq (Fixture::n_background, 2);
}

#ifdef COUNTS_EXITS
/* A program that is rebuilt repeatedly registers only once for exit. */
TEST (exits)
{
  const ContextRef owner = create_context ("");
  ProgramCache &programs = Context::of (owner.get ()).programs;
  ProgramSpec spec = wrong.program;
  spec.name = "exits.cl";
  spec.options = "-DEXITS=1";
  n_exits = 0;
  counts_exits = true;
  for (int i = 0; i < 3; i++) {
    programs.prepare (spec);
    programs.finish ();
  }
  ck_assert_int_eq (n_exits, 1);
  spec.options = "-DEXITS=2";
  programs.prepare (spec);
  programs.finish ();
  ck_assert_int_eq (n_exits, 2);
  counts_exits = false;
}
#endif

/* A folder on a file system without locks, and a folder that another process has locked. */
TEST (locks)
{
  const std::string folder = scratch_folder ();
  const auto ms_of = [&] {
    const gint64 begin = g_get_monotonic_time ();
    const FolderLock lock (folder);
    return int ((g_get_monotonic_time () - begin) / 1000);
  };
  refuses_locks = ENOLCK;
  ck_assert_int_lt (ms_of (), 500);
  refuses_locks = EWOULDBLOCK;
  const int patience = ms_of ();
  /* a signal must not end the wait for a lock */
  refuses_locks = EINTR;
  refusals_of_locks = 3;
  ck_assert_int_ge (ms_of (), 20);
  ck_assert_int_lt (refusals_of_locks, 0);
  refuses_locks = 0;
  /* at most about a second */
  test_check (patience >= 900, "%d ms", patience);
}

}  // namespace test::compiling_suite

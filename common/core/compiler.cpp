/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/compiler.hpp"

#include "core/debug.hpp"
#include "core/files.hpp"

#include <gst/gst.h>

#include <csignal>
#include <dlfcn.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clcompiler", "kernels compiled by another process">)

namespace gst::cl {

namespace {

/* The compiling program beside this library, both installed and in the build folder; "" if there is none. */
std::string
find_program ()
{
  Dl_info info;
  if (!dladdr (reinterpret_cast<void *> (&to_text), &info) || !info.dli_fname)
    return "";
  const std::filesystem::path folder = std::filesystem::absolute (info.dli_fname).parent_path ();
  for (const char *place : {"gst-plugins-cl/gst-cl-compiler", "gst-cl-compiler"})
    if (const std::filesystem::path path = folder / place; access (path.c_str (), X_OK) == 0)
      return path.string ();
  return "";
}

/* An anonymous file with the text, positioned at its beginning; none on failure. */
Descriptor
file_of (const std::string &text)
{
  Descriptor file (memfd_create ("gst-cl-request", MFD_CLOEXEC));
  const bool is_written = file && write (file.get (), text.data (), text.size ()) == ssize_t (text.size ())
                          && lseek (file.get (), 0, SEEK_SET) == 0;
  return is_written ? std::move (file) : Descriptor ();
}

}  // namespace

Compiler::Compiler (const Device &device_, ProgramCache &programs_, BeforeBackground before_background_)
    : device (device_), programs (programs_), before_background (before_background_)
{
}

Compiler::~Compiler ()
{
  stop ();
}

void
Compiler::note (const ProgramSpec &program, const std::string &function)
{
  const std::lock_guard lock (mutex);
  known.emplace (program, function);
}

bool
Compiler::knows (const KernelForm &form) const
{
  const std::lock_guard lock (mutex);
  return known.contains ({form.program, form.function});
}

std::shared_ptr<Compiler::Request>
Compiler::compile (std::vector<KernelForm> forms)
{
  const auto request = std::make_shared<Request> ();
  request->forms = std::move (forms);
  const std::lock_guard lock (mutex);
  if (stopped) {
    request->done = true;
    return request;
  }
  for (const KernelForm &form : request->forms)
    before_background (form.program);
  if (!queue)
    queue = g_thread_pool_new (
        [] (gpointer data, gpointer compiler) {
          const std::unique_ptr<std::weak_ptr<Request>> waiting (static_cast<std::weak_ptr<Request> *> (data));
          if (const auto wanted = waiting->lock ())
            static_cast<Compiler *> (compiler)->serve (*wanted);
        },
        this, 1, FALSE, nullptr);
  g_thread_pool_push (queue, new std::weak_ptr (request), nullptr);
  return request;
}

void
Compiler::serve (Request &request)
{
  std::unique_lock lock (mutex);
  if (stopped)
    return;
  lock.unlock ();
  fulfil (request);
  lock.lock ();
  for (const KernelForm &form : request.forms)
    if (form.program.text.empty ())
      known.emplace (form.program, form.function);
  request.done = true;
}

void
Compiler::fulfil (const Request &request)
{
  /* the error is reported when an element starts the kernel */
  const auto attempt = [] (const std::function<void ()> &work) {
    g_autoptr (GError) error = nullptr;
    if (!run_guarded (&error, work))
      GST_INFO ("%s", error->message);
  };
  bool is_done = false;
  attempt ([&] { is_done = run (request); });
  for (const KernelForm &form : request.forms)
    if (is_done && form.program.text.empty ())
      attempt ([&] {
        BuildCounts counts;
        programs.get (form.program, counts);
      });
}

bool
Compiler::run (const Request &request)
{
  static const std::string program = find_program ();
  Descriptor input = file_of (to_text (device, request.forms));
  if (program.empty () || !input) {
    GST_WARNING ("gst-cl-compiler was not found next to the library, so the stream waits while PoCL compiles.");
    return false;
  }
  const gint64 start = g_get_monotonic_time ();
  std::string path = program;
  char *arguments[] = {path.data (), nullptr};
  g_autoptr (GError) error = nullptr;
  GPid child = 0;
  bool spawned;
  {
    const std::lock_guard lock (mutex);
    spawned = !stopped
              && g_spawn_async_with_fds (nullptr, arguments, nullptr, G_SPAWN_DO_NOT_REAP_CHILD, nullptr, nullptr, &child,
                  input.get (), -1, -1, &error);
    pid = spawned ? child : 0;
  }
  input = Descriptor ();
  if (!spawned) {
    GST_WARNING ("%s could not be started: %s", program.c_str (), error ? error->message : "the process ends");
    return false;
  }
  siginfo_t info{};
  while (waitid (P_PID, id_t (child), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  const std::lock_guard lock (mutex); /* stop () must not end another process that gets the same number */
  int status = 0;
  const bool reaped = waitpid (child, &status, 0) == child;
  pid = 0;
  const bool done = reaped && WIFEXITED (status) && WEXITSTATUS (status) == 0;
  if (!done && !stopped)
    GST_WARNING ("gst-cl-compiler failed (status %d), so the stream waits while PoCL compiles.", status);
  GST_INFO ("%zu kernels in %" G_GINT64_FORMAT " ms", request.forms.size (), (g_get_monotonic_time () - start) / 1000);
  return done;
}

void
Compiler::stop ()
{
  GThreadPool *ending;
  {
    const std::lock_guard lock (mutex);
    stopped = true;
    if (pid > 0)
      kill (pid, SIGKILL);
    ending = std::exchange (queue, nullptr);
  }
  if (ending)
    g_thread_pool_free (ending, FALSE, TRUE);
}

}  // namespace gst::cl

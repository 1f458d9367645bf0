/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engines.hpp"

#include "../common/glib.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

namespace {

/* The sizes of tasks, in bytes of video. */
std::vector<double>
works_of (const Job &job, const std::vector<size_t> &tasks)
{
  std::vector<double> works;
  for (const size_t number : tasks) {
    const Task &task = job.tasks[number];
    const Source &source = job.sources[task.source];
    works.push_back (double (source.bytes) * (task.is_whole () ? 1 : double (task.count) / double (source.frames)));
  }
  return works;
}

/* Starts this program for a task. */
pid_t
start (const Job &job, size_t task, const std::string &device)
{
  const std::string self = own_path (), number = std::to_string (task), log = job.log_path (task);
  const char *argv[]{self.c_str (), "run", job.folder.c_str (), number.c_str (), nullptr};
  Strings environment (g_get_environ ());
  if (!device.empty ())
    environment.reset (g_environ_setenv (environment.release (), "GST_CL_DEVICE", device.c_str (), TRUE));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init (&files);
  posix_spawn_file_actions_addopen (&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen (&files, 1, log.c_str (), O_WRONLY | O_CREAT | O_APPEND, 0666);
  posix_spawn_file_actions_adddup2 (&files, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawn (&child, self.c_str (), &files, nullptr, const_cast<char **> (argv), environment.get ());
  posix_spawn_file_actions_destroy (&files);
  ensure (!failed, self + ": " + g_strerror (failed));
  return child;
}

class Local {
public:
  Local (const Job &job, const SubmitOptions &options, std::vector<WorkerDevice> devices)
      : job (job), tasks (job.pending ()), devices (std::move (devices)), children (this->devices.size ()),
        balance (this->devices, works_of (job, tasks), options.balances)
  {
  }

  void run ()
  {
    std::vector<std::jthread> threads;
    for (size_t device = 0; device < devices.size (); device++)
      threads.emplace_back ([this, device] {
        try {
          work (device);
        } catch (const std::exception &error) {
          std::fprintf (stderr, "cl-batch: %s\n", error.what ());
        }
      });
  }

  /* Reports the speed of each device. */
  void report () const
  {
    std::map<std::string, std::pair<size_t, Result>> totals;
    for (const size_t task : tasks) {
      if (!job.is_done (task))
        continue;
      const Result result = load_result (job, task);
      auto &[count, total] = totals[result.device];
      count++;
      total.seconds += result.seconds;
      total.frames.insert (total.frames.end (), result.frames.begin (), result.frames.end ());
    }
    for (const auto &[device, total] : totals)
      if (!device.empty ())
        std::fprintf (stderr, "device %s: %zu tasks, %.1f frames/s\n", device.c_str (), total.first,
            double (total.second.frames.size ()) / total.second.seconds);
  }

private:
  void work (size_t device)
  {
    std::unique_lock lock (mutex);
    while (!balance.finished ()) {
      const std::optional<size_t> index = balance.next (device, now ());
      if (!index) {
        changed.wait_for (lock, std::chrono::milliseconds (200));
        continue;
      }
      const size_t task = tasks[*index];
      const pid_t child = children[device] = start (job, task, devices[device].name);
      lock.unlock ();
      /* does not reap the process yet, so that its id stays reserved until the others are killed */
      siginfo_t info{};
      while (waitid (P_PID, id_t (child), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
      lock.lock ();
      children[device] = 0;
      waitpid (child, nullptr, 0);
      const bool good = job.is_done (task);
      for (const size_t slower : balance.ended (device, now (), good))
        if (children[slower])
          kill (children[slower], SIGKILL);
      if (good)
        remove_leftovers (job, task);
      changed.notify_all ();
    }
    changed.notify_all ();
  }

  static double now () { return double (g_get_monotonic_time ()) / G_USEC_PER_SEC; }

  const Job &job;
  const std::vector<size_t> tasks;
  const std::vector<WorkerDevice> devices;
  std::mutex mutex;
  std::condition_variable changed;
  /* running processes; 0 for none */
  std::vector<pid_t> children;
  Balance balance;
};

}  // namespace

void
run_local (const Job &job, const SubmitOptions &options)
{
  std::vector<WorkerDevice> devices = options.devices;
  if (devices.empty ())
    devices.resize (size_t (std::max (options.jobs, 1)));
  for (size_t i = 0; devices.size () < size_t (std::max (options.jobs, 0)); i++)
    devices.push_back (devices[i]);
  Local local (job, options, std::move (devices));
  local.run ();
  local.report ();
}

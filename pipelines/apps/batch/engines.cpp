/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the tasks of a job: in this program, or through an installed engine. */
#include "../common/options.hpp"
#include "../demo/pipeline.hpp"
#include "verbs.hpp"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace {

/* The path of this program. */
std::string
own_path ()
{
  return text_of (g_file_read_link ("/proc/self/exe", nullptr));
}

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

/* Starts this program for a task, whose log gets all output. */
Ref<GSubprocess>
start (const Job &job, size_t task, const std::string &device)
{
  const std::string log = job.log_path (task), self = own_path (), number = std::to_string (task);
  const int file = g_open (log.c_str (), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  ensure_call (file >= 0, log);
  const auto launcher = Ref<GSubprocessLauncher>::take (g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_MERGE));
  g_subprocess_launcher_take_stdout_fd (launcher.get (), file);
  if (!device.empty ())
    g_subprocess_launcher_setenv (launcher.get (), "GST_CL_DEVICE", device.c_str (), TRUE);
  return Ref<GSubprocess>::take (checked_call ([&] (GError **error) {
    return g_subprocess_launcher_spawn (
        launcher.get (), error, self.c_str (), "run", job.folder.c_str (), number.c_str (), nullptr);
  }));
}

/* Reports the speed of each device. */
void
report_speeds (const Job &job, const std::vector<size_t> &tasks)
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
      std::fprintf (stderr, "device %s: %s, %.1f frames/s\n", device.c_str (), with_count (total.first, "task").c_str (),
          double (total.second.frames.size ()) / total.second.seconds);
}

/* Each task runs in a process on this machine, one task at a time on each device, or --jobs of them. */
void
run_local (const Job &job, const SubmitOptions &options)
{
  std::vector<WorkerDevice> devices = options.devices;
  if (devices.empty ())
    devices.resize (size_t (std::max (options.jobs, 1)));
  for (size_t i = 0; devices.size () < size_t (std::max (options.jobs, 0)); i++)
    devices.push_back (devices[i]);
  const std::vector<size_t> tasks = job.pending ();
  std::mutex mutex;
  std::condition_variable changed;
  /* running processes; null for none */
  std::vector<Ref<GSubprocess>> children (devices.size ());
  Balance balance (devices, works_of (job, tasks), options.balances);
  const auto now = [] { return double (g_get_monotonic_time ()) / G_USEC_PER_SEC; };
  const auto work = [&] (size_t device) {
    std::unique_lock lock (mutex);
    while (!balance.finished ()) {
      const std::optional<size_t> index = balance.next (device, now ());
      if (!index) {
        changed.wait_for (lock, std::chrono::milliseconds (200));
        continue;
      }
      const size_t task = tasks[*index];
      const Ref<GSubprocess> child = children[device] = start (job, task, devices[device].name);
      lock.unlock ();
      g_subprocess_wait (child.get (), nullptr, nullptr);
      lock.lock ();
      children[device] = {};
      const bool good = job.is_done (task);
      for (const size_t slower : balance.ended (device, now (), good))
        if (children[slower])
          g_subprocess_force_exit (children[slower].get ());
      if (good)
        remove_leftovers (job, task);
      changed.notify_all ();
    }
    changed.notify_all ();
  };
  {
    std::vector<std::jthread> threads;
    for (size_t device = 0; device < devices.size (); device++)
      threads.emplace_back ([&work, device] {
        try {
          work (device);
        } catch (const std::exception &error) {
          std::fprintf (stderr, "cl-batch: %s\n", error.what ());
        }
      });
  }
  report_speeds (job, tasks);
}

/* Quotes a word for the shell. */
std::string
quoted (const std::string &text)
{
  return text_of (g_shell_quote (text.c_str ()));
}

/* The shell command for a task; task is a number, or a placeholder of the engine. */
std::string
command_of (const Job &job, const std::string &task)
{
  return quoted (own_path ()) + " run " + quoted (job.folder) + " " + task;
}

struct Output {
  bool good;
  /* Standard output, and standard error. */
  std::string text, errors;
};

/* Runs a shell command and waits. Throws if there is no shell. */
Output
run_shell (const std::string &line)
{
  const std::string whole = line + " </dev/null";
  const char *argv[]{"/bin/sh", "-c", whole.c_str (), nullptr};
  int status = 0;
  gchar *text = nullptr, *errors = nullptr;
  checked_call ([&] (GError **error) {
    return g_spawn_sync (
        nullptr, const_cast<gchar **> (argv), nullptr, G_SPAWN_DEFAULT, nullptr, nullptr, &text, &errors, &status, error);
  });
  return {status == 0, text_of (text), text_of (errors)};
}

/* Keeps what the engine prints in a log. */
void
run_logged (const Job &job, const SubmitOptions &options, const std::string &line)
{
  run_shell (line + " >>" + quoted (job.folder + "/logs/" + options.engine + ".log") + " 2>&1");
}

void
run_parallel (const Job &job, const SubmitOptions &options)
{
  std::string numbers;
  for (const size_t task : job.pending ())
    numbers += std::to_string (task) + "\n";
  const std::string list = job.folder + "/parallel.tasks";
  write_file (list, numbers);
  std::string line = "parallel --will-cite";
  if (options.jobs > 0)
    line += " --jobs " + std::to_string (options.jobs);
  run_logged (
      job, options, line + " " + options.engine_options + " " + quoted (command_of (job, "{}")) + " :::: " + quoted (list));
}

/* Escapes braces, in which Snakemake replaces names. */
std::string
escaped (const std::string &text)
{
  std::string result;
  for (const char c : text)
    result += c == '{' || c == '}' ? std::string (2, c) : std::string (1, c);
  return result;
}

void
run_snakemake (const Job &job, const SubmitOptions &options)
{
  const std::string snakefile = job.folder + "/Snakefile";
  write_file (snakefile, printed ("rule all:\n    input: [f\"chunks/{task:05d}.json\" for task in range(%zu)]\n\n"
                                  "rule chunk:\n    output: \"chunks/{task}.json\"\n    shell: r'''%s {wildcards.task}'''\n",
                             job.tasks.size (), escaped (command_of (job, "")).c_str ()));
  /* a Snakemake that was killed leaves a lock and unfinished tasks; tasks may run twice, and finished ones stay finished
   * whatever their date */
  run_logged (job, options,
      "snakemake --snakefile " + quoted (snakefile) + " --directory " + quoted (job.folder) + " --cores "
          + (options.jobs > 0 ? std::to_string (options.jobs) : "all")
          + " --nolock --rerun-incomplete --keep-going --rerun-triggers mtime " + options.engine_options);
}

constexpr gulong look = G_USEC_PER_SEC / 4, ask = 3 * G_USEC_PER_SEC, latency = 5 * G_USEC_PER_SEC;

/* Formats numbers like 3-7,9, as Slurm's job arrays need them. */
std::string
ranges_of (const std::vector<size_t> &numbers)
{
  std::string text;
  for (size_t i = 0; i < numbers.size ();) {
    size_t end = i + 1;
    while (end < numbers.size () && numbers[end] == numbers[end - 1] + 1)
      end++;
    text += (text.empty () ? "" : ",") + std::to_string (numbers[i]);
    if (end - i > 1)
      text += "-" + std::to_string (numbers[end - 1]);
    i = end;
  }
  return text;
}

/* Slurm's limit for array indices, 1,001 by default. */
size_t
most_in_array ()
{
  const Output config = run_shell ("scontrol show config");
  size_t most = 1001;
  if (const char *found = std::strstr (config.text.c_str (), "MaxArraySize"))
    std::sscanf (found, "MaxArraySize = %zu", &most);
  return std::max<size_t> (most, 1);
}

std::string
ids_path (const Job &job)
{
  return job.folder + "/slurm.ids";
}

/* Whether any of these arrays is still in Slurm's queue. */
bool
is_queued (const std::string &ids)
{
  const Output queue = run_shell ("squeue --noheader --format=%i --jobs=" + quoted (ids));
  /* a controller that does not answer may still have them */
  return queue.good ? !queue.text.empty () : !std::strstr (queue.errors.c_str (), "Invalid job id");
}

void
wait_for (const Job &job, const std::string &ids)
{
  gint64 asked = g_get_monotonic_time ();
  while (!job.pending ().empty ()) {
    g_usleep (look);
    if (g_get_monotonic_time () - asked < gint64 (ask))
      continue;
    if (!is_queued (ids))
      break;
    asked = g_get_monotonic_time ();
  }
  /* files of other machines may appear later */
  for (const gint64 end = g_get_monotonic_time () + latency; !job.pending ().empty () && g_get_monotonic_time () < end;)
    g_usleep (look);
}

/* Returns the array's id. */
std::string
submit_array (
    const Job &job, const std::vector<size_t> &numbers, size_t offset, const std::string &after, const SubmitOptions &options)
{
  std::string line = "sbatch --parsable --job-name=cl-batch --array=" + ranges_of (numbers);
  if (options.jobs > 0)
    line += "%" + std::to_string (options.jobs);
  /* limits how many tasks run at a time to --jobs */
  if (options.jobs > 0 && !after.empty ())
    line += " --dependency=afterany:" + after;
  line += " --output=" + quoted (job.folder + "/logs/slurm.log") + " --open-mode=append " + options.engine_options + " "
          + quoted (job.folder + "/slurm.sh") + " " + std::to_string (offset);
  const Output answer = run_shell (line);
  ensure (answer.good, answer.errors);
  const std::string id = answer.text.substr (0, answer.text.find_first_of (";\n"));
  ensure (!id.empty (), "sbatch has printed no number of a job");
  return id;
}

/* Slurm's job arrays: submits the remaining tasks, and waits until they are done or Slurm has given up. First waits for arrays
 * of an earlier call. Throws sbatch's message if it refuses. */
void
run_slurm (const Job &job, const SubmitOptions &options)
{
  std::string ids;
  if (std::getline (std::ifstream (ids_path (job)), ids) && is_queued (ids)) {
    std::fprintf (stderr, "cl-batch: Slurm has array %s of this job still; scancel %s ends it\n", ids.c_str (), ids.c_str ());
    wait_for (job, ids);
  }
  write_file (job.folder + "/slurm.sh", "#!/bin/sh\nexec " + command_of (job, "$((SLURM_ARRAY_TASK_ID + $1))") + "\n");
  const std::vector<size_t> pending = job.pending ();
  const size_t most = most_in_array ();
  std::string last;
  ids.clear ();
  for (size_t i = 0; i < pending.size ();) {
    const size_t offset = pending[i] / most * most;
    std::vector<size_t> numbers;
    for (; i < pending.size () && pending[i] < offset + most; i++)
      numbers.push_back (pending[i] - offset);
    last = submit_array (job, numbers, offset, last, options);
    ids += (ids.empty () ? "" : ",") + last;
    write_file (ids_path (job), ids + "\n");
  }
  if (!ids.empty ())
    wait_for (job, ids);
  g_unlink (ids_path (job).c_str ());
}

struct Engine {
  /* program: must be installed; null if none is needed */
  const char *name, *program;
  void (*run) (const Job &job, const SubmitOptions &options);
};
constexpr Engine engines[]{{"local", nullptr, run_local}, {"parallel", "parallel", run_parallel},
    {"slurm", "sbatch", run_slurm}, {"snakemake", "snakemake", run_snakemake}};

}  // namespace

size_t
submit_job (const Job &job, const SubmitOptions &options)
{
  const auto engine = std::ranges::find (engines, options.engine, &Engine::name);
  if (engine == std::end (engines))
    refuse_usage ("--engine wants local, parallel, slurm or snakemake, not " + options.engine);
  if (engine->program)
    ensure (bool (Chars (g_find_program_in_path (engine->program))), std::string (engine->program) + " is not installed");
  if (job.pending ().empty ())
    return 0;
  ProgressLine progress ("filtering");
  std::future<void> done = std::async (std::launch::async, [&] { engine->run (job, options); });
  do
    progress.show (1 - double (job.pending ().size ()) / double (job.tasks.size ()));
  while (done.wait_for (std::chrono::milliseconds (500)) != std::future_status::ready);
  done.get ();
  return job.pending ().size ();
}

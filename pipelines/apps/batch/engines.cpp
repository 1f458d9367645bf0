/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engines.hpp"

#include "../demo/pipeline.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

namespace {

std::string
quoted (const std::string &text)
{
  return text_of (g_shell_quote (text.c_str ()));
}

/* This very program, for engines to start. */
std::string
self ()
{
  return text_of (g_file_read_link ("/proc/self/exe", nullptr));
}

std::string
command_of (const Job &job, const std::string &task)
{
  return quoted (self ()) + " run " + quoted (job.folder) + " " + task;
}

/* 3-7,9: as Slurm counts the tasks of an array. */
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

/* What an engine is started with, on files that it wants in the job's folder. */
std::string
parallel_line (const Job &job, const std::vector<size_t> &pending, const SubmitOptions &options)
{
  std::string line = "parallel --will-cite";
  if (options.jobs > 0)
    line += " --jobs " + std::to_string (options.jobs);
  line += " " + options.engine_options + " " + quoted (command_of (job, "{}")) + " :::";
  for (const size_t task : pending)
    line += " " + std::to_string (task);
  return line;
}

std::string
slurm_line (const Job &job, const std::vector<size_t> &pending, const SubmitOptions &options)
{
  const std::string script = job.folder + "/slurm.sh";
  write_file (script, "#!/bin/sh\nexec " + command_of (job, "\"$SLURM_ARRAY_TASK_ID\"") + "\n");
  std::string line = "sbatch --wait --array=" + ranges_of (pending);
  if (options.jobs > 0)
    line += "%" + std::to_string (options.jobs);
  return line + " --output=" + quoted (job.folder + "/logs/slurm-%a.out") + " " + options.engine_options + " "
         + quoted (script);
}

std::string
snakemake_line (const Job &job, const std::vector<size_t> &pending, const SubmitOptions &options)
{
  std::string tasks;
  for (const size_t task : pending)
    tasks += (tasks.empty () ? "\"" : ", \"") + printed ("%05zu", task) + "\"";
  const std::string snakefile = job.folder + "/Snakefile";
  write_file (snakefile, "rule all:\n    input: expand(\"chunks/{task}.json\", task=[" + tasks
                             + "])\n\nrule chunk:\n    output: \"chunks/{task}.json\"\n    shell: r'''"
                             + command_of (job, "{wildcards.task}") + "'''\n");
  return "snakemake --snakefile " + quoted (snakefile) + " --directory " + quoted (job.folder) + " --cores "
         + (options.jobs > 0 ? std::to_string (options.jobs) : "all") + " " + options.engine_options;
}

/* Ends with what command ends with; its output goes to a log. */
int
run_shell (const std::string &line, const std::string &log)
{
  const std::string whole = line + " >>" + quoted (log) + " 2>&1 </dev/null";
  const char *argv[]{"/bin/sh", "-c", whole.c_str (), nullptr};
  GError *error = nullptr;
  int status = 0;
  const bool ran = g_spawn_sync (
      nullptr, const_cast<gchar **> (argv), nullptr, G_SPAWN_DEFAULT, nullptr, nullptr, nullptr, nullptr, &status, &error);
  ensure (ran, error);
  return status;
}

/* Workers take the next task as soon as they have done one, so that a fast device does more of them. */
void
run_local (const Job &job, const std::vector<size_t> &pending, const SubmitOptions &options)
{
  const size_t workers = options.devices.empty () ? size_t (std::max (options.jobs, 1))
                                                  : std::max (size_t (std::max (options.jobs, 0)), options.devices.size ());
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (size_t worker = 0; worker < workers; worker++)
    threads.emplace_back ([&, worker] {
      const std::string device =
          options.devices.empty () ? "" : "GST_CL_DEVICE=" + quoted (options.devices[worker % options.devices.size ()]) + " ";
      for (size_t i; (i = next++) < pending.size ();)
        run_shell (device + command_of (job, std::to_string (pending[i])), job.log_path (pending[i]));
    });
}

void
run_engine (const Job &job, const std::vector<size_t> &pending, const SubmitOptions &options)
{
  if (options.engine == "local")
    return run_local (job, pending, options);
  const std::string log = job.folder + "/logs/" + options.engine + ".log";
  const bool is_slurm = options.engine == "slurm", is_parallel = options.engine == "parallel";
  const std::string line = is_slurm      ? slurm_line (job, pending, options)
                           : is_parallel ? parallel_line (job, pending, options)
                                         : snakemake_line (job, pending, options);
  run_shell (line, log);
}

void
check_engine (const std::string &engine)
{
  if (engine == "local")
    return;
  const char *program = engine == "slurm"                               ? "sbatch"
                        : engine == "parallel" || engine == "snakemake" ? engine.c_str ()
                                                                        : nullptr;
  ensure (program, nullptr, ("there is no engine " + engine + "; local, parallel, slurm and snakemake are known").c_str ());
  const Chars found (g_find_program_in_path (program));
  ensure (bool (found), nullptr, (std::string (program) + " is not installed").c_str ());
}

}  // namespace

size_t
submit_job (const Job &job, const SubmitOptions &options)
{
  check_engine (options.engine);
  const std::vector<size_t> pending = job.pending ();
  if (pending.empty ())
    return 0;
  ProgressLine progress ("filtering");
  std::atomic<bool> ended = false;
  std::string problem;
  std::jthread engine ([&] {
    try {
      run_engine (job, pending, options);
    } catch (const std::exception &error) {
      problem = error.what ();
    }
    ended = true;
  });
  while (!ended) {
    progress.show (1 - double (job.pending ().size ()) / job.tasks.size ());
    g_usleep (G_USEC_PER_SEC / 5);
  }
  engine.join ();
  ensure (problem.empty (), nullptr, problem.c_str ());
  return job.pending ().size ();
}

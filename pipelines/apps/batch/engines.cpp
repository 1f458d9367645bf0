/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engines.hpp"

#include "../demo/pipeline.hpp"
#include "local.hpp"
#include "shell.hpp"
#include "slurm.hpp"

#include <atomic>
#include <thread>

namespace {

/* What the engine prints is kept for people. */
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

/* Text in which Snakemake replaces names in braces. */
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
  /* a Snakemake that was killed leaves a lock and unfinished tasks; tasks may run twice, and what is done stays done whatever its
   * date is */
  run_logged (job, options,
      "snakemake --snakefile " + quoted (snakefile) + " --directory " + quoted (job.folder) + " --cores "
          + (options.jobs > 0 ? std::to_string (options.jobs) : "all")
          + " --nolock --rerun-incomplete --keep-going --rerun-triggers mtime " + options.engine_options);
}

void
run_engine (const Job &job, const SubmitOptions &options)
{
  if (options.engine == "local")
    run_local (job, options);
  else if (options.engine == "slurm")
    run_slurm (job, options);
  else if (options.engine == "parallel")
    run_parallel (job, options);
  else
    run_snakemake (job, options);
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
  if (job.pending ().empty ())
    return 0;
  ProgressLine progress ("filtering");
  std::atomic<bool> ended = false;
  std::string problem;
  std::jthread engine ([&] {
    try {
      run_engine (job, options);
    } catch (const std::exception &error) {
      problem = error.what ();
    }
    ended = true;
  });
  while (!ended) {
    progress.show (1 - double (job.pending ().size ()) / double (job.tasks.size ()));
    for (int i = 0; i < 10 && !ended; i++)
      g_usleep (G_USEC_PER_SEC / 20);
  }
  engine.join ();
  ensure (problem.empty (), nullptr, problem.c_str ());
  return job.pending ().size ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "slurm.hpp"

#include "../common/glib.hpp"
#include "shell.hpp"

#include <glib/gstdio.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace {

constexpr gulong look = G_USEC_PER_SEC / 4, ask = 3 * G_USEC_PER_SEC, latency = 5 * G_USEC_PER_SEC;

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

/* Slurm's limit on the numbers of an array, 1,001 by default. */
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

/* Whether Slurm has any of them yet to do. */
bool
is_queued (const std::string &ids)
{
  const Output queue = run_shell ("squeue --noheader --format=%i --jobs=" + quoted (ids));
  /* a controller that does not answer may have them */
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
  /* other machines' files may be seen later */
  for (const gint64 end = g_get_monotonic_time () + latency; !job.pending ().empty () && g_get_monotonic_time () < end;)
    g_usleep (look);
}

/* Returns the array's number. */
std::string
submit_array (
    const Job &job, const std::vector<size_t> &numbers, size_t offset, const std::string &after, const SubmitOptions &options)
{
  std::string line = "sbatch --parsable --job-name=cl-batch --array=" + ranges_of (numbers);
  if (options.jobs > 0)
    line += "%" + std::to_string (options.jobs);
  /* so that no more than --jobs run at a time */
  if (options.jobs > 0 && !after.empty ())
    line += " --dependency=afterany:" + after;
  line += " --output=" + quoted (job.folder + "/logs/slurm.log") + " --open-mode=append " + options.engine_options + " "
          + quoted (job.folder + "/slurm.sh") + " " + std::to_string (offset);
  const Output answer = run_shell (line);
  ensure (answer.good, nullptr, answer.errors.c_str ());
  const std::string id = answer.text.substr (0, answer.text.find_first_of (";\n"));
  ensure (!id.empty (), nullptr, "sbatch has printed no number of a job");
  return id;
}

}  // namespace

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

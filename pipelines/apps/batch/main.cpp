/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-batch: filters archives of video, in tasks that any number of processes, devices and machines can share. */
#include "config.h"
#include "core/device.hpp"

#include "../common/glib.hpp"
#include "../common/options.hpp"
#include "verbs.hpp"

#include <clocale>
#include <cstdio>
#include <cstring>

namespace {

constexpr const char *program = "cl-batch";

/* The options of all verbs. */
PlanOptions plan;
SubmitOptions submit;
constexpr int not_given = G_MININT;
int jobs = not_given, warm_up = not_given;
std::string segment, devices;
std::filesystem::path output;

using Words = std::vector<std::string>;

struct Verb {
  const char *name, *arguments, *summary;
  std::vector<Option> options;
  int (*run) (const Words &words);
};

/* Parses seconds, such as "20" or "20s". */
double
seconds_of (const std::string &text)
{
  gchar *end = nullptr;
  const double seconds = g_ascii_strtod (text.c_str (), &end);
  /* also refuses what is not a number */
  const bool is_length = seconds >= 0.001 && seconds <= 1e9;
  if (end == text.c_str () || (*end && std::strcmp (end, "s")) || !is_length)
    refuse_usage ("--segment wants seconds from 0.001 to 1000000000, not " + text);
  return seconds;
}

int
number_from (int least, int number, int otherwise, const char *option)
{
  if (number != not_given && number < least)
    refuse_usage (printed ("%s wants a number from %d", option, least));
  return number == not_given ? otherwise : number;
}

int
run_plan (const Words &words)
{
  if (words.empty () || plan.filters.empty () || output.empty ())
    refuse_usage ("plan takes videos, --filters and -o");
  plan.videos = words;
  plan.folder = output;
  plan.warm_up = number_from (0, warm_up, plan.warm_up, "--warm-up");
  plan.segment_seconds = segment.empty () ? 0 : seconds_of (segment);
  const Job job = plan_job (plan);
  std::printf ("%s: %s of %s, with %u frames before and %u after each\n", job.folder.c_str (),
      with_count (job.tasks.size (), "task").c_str (), with_count (job.sources.size (), "video").c_str (), job.before,
      job.after);
  return 0;
}

int
run_run (const Words &words)
{
  const char *number = words.size () == 2 ? words[1].c_str () : words.size () == 1 ? g_getenv ("SLURM_ARRAY_TASK_ID") : nullptr;
  guint64 task = 0;
  if (!number || !g_ascii_string_to_unsigned (number, 10, 0, G_MAXUINT32, &task, nullptr))
    refuse_usage ("run takes the job and a task's number, or $SLURM_ARRAY_TASK_ID");
  run_task (load_job (words[0]), task);
  return 0;
}

int
run_join (const Words &words)
{
  if (words.size () != 1 || output.empty ())
    refuse_usage ("join takes the job and -o");
  join_job (load_job (words[0]), output);
  return 0;
}

/* Parses all, auto-balance, or names of devices. */
void
read_devices ()
{
  submit.balances = devices == "auto-balance";
  if (submit.balances || devices == "all") {
    for (const gst::cl::Device &device : gst::cl::list_devices ())
      submit.devices.push_back ({device.numbers (), bool (device.type & CL_DEVICE_TYPE_CPU)});
    return;
  }
  const Strings parts (g_strsplit (devices.c_str (), ",", -1));
  for (const std::string &name : list_of (parts.get ())) {
    /* throws without such a device */
    gst::cl::choose_device (name);
    submit.devices.push_back ({name});
  }
}

int
run_submit (const Words &words)
{
  if (words.size () != 1)
    refuse_usage ("submit takes the job");
  submit.jobs = number_from (1, jobs, submit.jobs, "--jobs");
  const Job job = load_job (words[0]);
  read_devices ();
  const size_t left = submit_job (job, submit);
  if (!left)
    return 0;
  const std::string task_log = job.log_path (job.pending ().front ());
  const bool began = g_file_test (task_log.c_str (), G_FILE_TEST_EXISTS);
  std::fprintf (stderr, "%s: %s not done; %s says why. submit goes on with what is left.\n", program,
      with_count (left, "task").c_str (),
      began ? task_log.c_str () : (job.folder + "/logs/" + submit.engine + ".log").c_str ());
  return 1;
}

int
run_status (const Words &words)
{
  if (words.size () != 1)
    refuse_usage ("status takes the job");
  const Job job = load_job (words[0]);
  const size_t left = job.pending ().size ();
  std::printf ("%zu of %zu tasks are done\n", job.tasks.size () - left, job.tasks.size ());
  for (size_t i = 0; i < job.tasks.size (); i++) {
    const Task &task = job.tasks[i];
    std::string line = printed ("%5zu  %-8s %s", i, job.is_done (i) ? "done" : "to do", job.sources[task.source].path.c_str ());
    if (!task.is_whole ())
      line += printed ("  frames %zu to %zu", task.first, task.first + task.count - 1);
    if (job.is_done (i)) {
      const Result result = load_result (job, i);
      line += printed ("  %zu frames in %.1f s", result.frames.size (), result.seconds);
    }
    std::printf ("%s\n", line.c_str ());
  }
  return 0;
}

const Verb verbs[] = {
    {"plan", "VIDEO...", "Writes a job: which frames of which videos go through the filters, in which tasks.",
        {{"filters", 'f', &plan.filters, "The filters, as in gst-launch-1.0", "FILTERS"},
            {"segment", 's', &segment, "Cut videos into tasks of about so many seconds", "SECONDS"},
            {"output", 'o', &output, "The folder to make", "JOB"},
            {"encoder", 'e', &plan.encoder, "An encoder whose format Matroska takes (avenc_ffv1)", "BIN"},
            {"warm-up", 0, &warm_up, "How many earlier frames are enough for filters that depend on all of them", "FRAMES"},
            {"decode", 0, &plan.decodes, "Find the frames by decoding, if the container gives them other times"}},
        run_plan},
    {"run", "JOB [TASK]", "Does one task of a job; $SLURM_ARRAY_TASK_ID where no number is given.", {}, run_run},
    {"join", "JOB", "Puts the results together, with audio and subtitles of the sources.",
        {{"output", 'o', &output, "The folder for the videos, or the name of the only one (.mkv, .mp4, .mov)", "OUT"}},
        run_join},
    {"submit", "JOB", "Has an engine do the tasks that are left, and waits.",
        {{"engine", 0, &submit.engine, "local (default), parallel, slurm or snakemake", "ENGINE"},
            {"jobs", 0, &jobs, "How many tasks at a time", "N"},
            {"devices", 'd', &devices,
                "For the local engine, the devices that share the tasks: numbers as in 0:0,1:0; all; or auto-balance, which "
                "takes the devices that help",
                "LIST"},
            {"engine-options", 0, &submit.engine_options, "Options for the engine's own program", "OPTIONS"}},
        run_submit},
    {"status", "JOB", "Lists the tasks.", {}, run_status},
};

/* Parses the options and arguments of a verb, and runs it. */
int
run (const Verb &verb, int argc, char **argv)
{
  Words words;
  CommandLine line{.program = program, .summary = verb.summary, .options = verb.options};
  line.options.push_back ({"", 0, &words, nullptr, verb.arguments});
  g_set_prgname ((std::string (program) + " " + verb.name).c_str ());
  return parse_command_line (line, argc, argv) ? verb.run (words) : 0;
}

int
run_verb (int argc, char **argv)
{
  for (const Verb &verb : verbs)
    if (argc > 1 && !std::strcmp (argv[1], verb.name))
      return run (verb, argc - 1, argv + 1);
  std::string summary = "Filters archives of video in tasks that processes, devices and machines share:\n";
  for (const Verb &verb : verbs)
    summary += printed ("\n  cl-batch %-7s%-12s %s", verb.name, verb.arguments, verb.summary);
  summary += "\n\ncl-batch VERB --help lists a verb's options.";
  if (parse_command_line ({.program = program, .summary = summary.c_str (), .options = {}}, argc, argv))
    refuse_usage ("a verb is missing");
  return 0;
}

}  // namespace

int
main (int argc, char **argv)
{
  std::setlocale (LC_ALL, "");
  return run_program (program, [&] {
    gst_init (nullptr, nullptr);
    return run_verb (argc, argv);
  });
}

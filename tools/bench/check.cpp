/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests whether this machine reaches the targets: ./run bench check. */
#include "growth.hpp"

#include <algorithm>

namespace bench {

namespace {

/* Targets that need another kind of device, or a program that is not installed. */
std::vector<std::string>
not_judged (const Options &options, const Report &report, const std::vector<Device> &devices)
{
  std::vector<std::string> all;
  const auto has = [&] (const std::string &peer) {
    return std::find (report.peers.begin (), report.peers.end (), peer) != report.peers.end ();
  };
  const bool cpu = std::any_of (devices.begin (), devices.end (), [] (const Device &d) { return d.is_cpu; });
  const bool gpu = std::any_of (devices.begin (), devices.end (), [] (const Device &d) { return !d.is_cpu; });
  if (!cpu)
    all.push_back ("targets of processors: no such OpenCL device");
  if (!gpu)
    all.push_back ("targets of GPUs (NPP, shares of the copy limit, the link, chains): no such OpenCL device");
  for (const char *peer : {"opencv-cpu", "opencv-opencl", "ffmpeg-opencl"})
    if (!has (peer) && (cpu || std::string (peer) != "opencv-cpu"))
      all.push_back (std::string ("targets against ") + peer + ": not here");
  if (gpu && !has ("npp"))
    all.push_back ("targets against npp: no program npp_bench (tools/bench/npp_bench.cu)");
  all.push_back ("GL textures: cl-bench-gl measures them; memory that stays flat for hours: tests/elements");
  if (options.parts.empty ())
    all.push_back ("growth, start-up and changes of properties: ./run bench growth, or check with --part");
  if (!options.filter.empty ())
    all.push_back ("filters other than " + options.filter);
  return all;
}

void
print_of (const char *title, const std::vector<Verdict> &verdicts, bool (*wanted) (const Verdict &))
{
  std::vector<Verdict> chosen;
  std::copy_if (verdicts.begin (), verdicts.end (), std::back_inserter (chosen), wanted);
  if (chosen.empty ())
    return;
  std::cout << title << ":\n\n";
  print_verdicts (std::cout, chosen, false);
}

void
measure_growth (const Options &options, const Device &device, Report &report, ProgressLine &progress)
{
  const ContextPointer context = open_context (device);
  Growth growth{options, device, context.get (), progress};
  grow (growth);
  for (Verdict &verdict : growth.verdicts) {
    verdict.what += ", " + device.name;
    report.others.push_back (std::move (verdict));
  }
}

}  // namespace

/* Returns 0 if every target that could be measured is reached or out of reach, 1 if one is missed or an element failed, 3 if
 * nothing could be judged. */
int
run_check (const Options &options)
{
  constexpr double busy = 0.7;
  double load_before = 0;
  getloadavg (&load_before, 1);
  const std::vector<Device> devices = wanted_devices (options);
  Report report;
  {
    ProgressLine progress;
    report = measure_table (options, progress);
    for (const Device &device : devices)
      if (!options.parts.empty ())
        measure_growth (options, device, report, progress);
  }
  print_report (std::cout, report, options.markdown);
  print_verdicts (std::cout, report.others, options.markdown);
  std::vector<Verdict> all;
  int failed = 0;
  for (const Section &section : report.sections) {
    for (Verdict &verdict : judge (section))
      all.push_back (std::move (verdict));
    for (const Row &row : section.rows)
      failed += !row.times.count (kernel_time);
  }
  all.insert (all.end (), report.others.begin (), report.others.end ());
  print_of ("Bounded: out of reach on this device, by what was measured beside it", all,
      [] (const Verdict &verdict) { return verdict.bounded (); });
  print_of ("MISSED", all, [] (const Verdict &verdict) { return verdict.missed (); });
  std::cout << "Not judged here:\n";
  for (const std::string &what : not_judged (options, report, devices))
    std::cout << "- " << what << "\n";
  if (options.json)
    write_json (*options.json, report);
  double load[1];
  if (getloadavg (load, 1) == 1 && load_before > busy)
    std::cout << "\nThe machine was busy before this began (load " << digits (load_before) << ", now " << digits (load[0])
              << "): what is missed here may hold on a quiet one.\n";
  int reached = 0, missed = 0, bounded = 0, open = 0;
  for (const Verdict &verdict : all)
    (!verdict.reached ? open : verdict.missed () ? missed : verdict.below () ? bounded : reached)++;
  std::cout << "\n"
            << reached << " targets reached, " << bounded << " bounded, " << missed << " missed, " << open << " not measured, "
            << failed << " filters failed" << std::endl;
  return missed || failed ? 1 : reached ? 0 : 3;
}

}  // namespace bench

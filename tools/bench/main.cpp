/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-bench: measures our elements and their peers on the same frames, in turn. */
#include "../../pipelines/apps/common/options.hpp"
#include "table.hpp"

using namespace bench;

namespace {

int
run_table (const Options &options)
{
  Report report;
  {
    ProgressLine progress;
    report = measure_table (options, progress);
  }
  print_report (std::cout, report, options.markdown);
  if (options.json)
    write_json (*options.json, report);
  return 0;
}

int
run (const Options &options)
{
  switch (options.verb) {
    case Verb::check:
      return run_check (options);
    case Verb::sources:
      return run_sources (options);
    case Verb::growth:
      return run_growth (options);
    case Verb::latency:
      return run_latency (options);
    case Verb::stream:
      return run_stream (options);
    case Verb::table:
      break;
  }
  return run_table (options);
}

}  // namespace

int
main (int argc, char **argv)
{
  Options options;
  return run_program ("cl-bench", [&] { return parse_options (options, argc, argv) ? run (options) : 0; });
}

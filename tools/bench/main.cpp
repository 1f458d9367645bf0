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

}  // namespace

int
main (int argc, char **argv)
{
  /* in the order of the verbs */
  static constexpr int (*run[]) (const Options &) = {run_table, run_check, run_sources, run_growth, run_latency, run_stream};
  Options options;
  return run_program ("cl-bench", [&] { return parse_options (options, argc, argv) ? run[int (options.verb)](options) : 0; });
}

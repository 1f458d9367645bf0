/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Figures of the device: plausible, quickly measured, stored and read again; damaged files are ignored. */
#include <algorithm>
#include <chrono>
#include <fstream>

#include "../elements/suite.hpp"
#include "core/diskcache.hpp"
#include "core/microbench.hpp"

namespace test::microbench_suite {
static Tests tests ("microbench", Needs::Device, [] { g_setenv ("XDG_CACHE_HOME", scratch_folder ().c_str (), TRUE); });

using namespace gst::cl;
namespace fs = std::filesystem;

static ContextRef
make_context ()
{
  return create_context ("");
}

static fs::path
figures_file ()
{
  for (const fs::directory_entry &entry : fs::directory_iterator (disk_cache::folder ()))
    if (entry.path ().filename ().string ().starts_with ("figures-"))
      return entry.path ();
  return {};
}

TEST (plausible)
{
  const auto owner = make_context ();
  Context &context = Context::of (owner.get ());
  const auto start = std::chrono::steady_clock::now ();
  DeviceFigures figures = measure_device (context);
  const double seconds = std::chrono::duration<double> (std::chrono::steady_clock::now () - start).count ();
  test_check (seconds < 20, "measuring takes %g s", seconds);
  /* another process may have used the CPU */
  for (int again = 0; again < 2 && figures.launch_us > 2 * figures.launch_wait_us; again++)
    figures = measure_device (context);
  for (const FigureField &field : figure_fields ()) {
    const double value = figures.*field.value;
    /* no device moves a hundred terabytes per second, and no launch takes a second */
    const double most = std::string (field.unit) == "us" ? 1e6 : 1e5;
    test_check ((value > 0 || field.optional) && value < most, "%s is %g %s", field.name, value, field.unit);
  }
  test_check (figures.launch_us <= 2 * figures.launch_wait_us, "a launch takes %g us, with a wait only %g us",
      figures.launch_us, figures.launch_wait_us);
  test_check (ABS (figures.measured - g_get_real_time () / G_USEC_PER_SEC) < 60, "measured at a wrong time");

  /* document D's microbenchmarks */
  for (const char *name : {"strided-copy-gb-s", "async-copy-gb-s", "prefetch-copy-gb-s", "image-copy-by-4-gb-s",
           "native-exp-g-s", "relaxed-exp-g-s", "unrolled-gflop-s", "concurrent-speedup"})
    test_check (std::ranges::any_of (figure_fields (), [&] (const FigureField &f) { return g_str_equal (f.name, name); }),
        "no figure %s", name);
}

TEST (stored_and_damaged)
{
  const auto owner = make_context ();
  const Device &device = Context::of (owner.get ()).device;
  DeviceFigures figures;
  figures.measured = 1700000000;
  double next = 1.25;
  for (const FigureField &field : figure_fields ())
    figures.*field.value = field.optional ? 0 : next *= 1.7;
  test_check (store_figures (device, figures), "cannot be stored");
  const auto again = stored_figures (device);
  test_check (again && again->measured == figures.measured, "what was stored is not found");
  for (const FigureField &field : figure_fields ())
    test_check ((*again).*field.value == figures.*field.value, "%s became %.17g", field.name, (*again).*field.value);

  Device other = device;
  other.driver_version += ".1";
  test_check (!stored_figures (other), "another driver's figures are taken");

  const fs::path path = figures_file ();
  const std::string text = content_of (path);
  const auto is_refused = [&] (const std::string &content) {
    std::ofstream (path) << content;
    return !stored_figures (device);
  };
  test_check (is_refused (""), "an empty file is believed");
  test_check (is_refused (text.substr (0, text.size () / 2)), "half a file is believed");
  test_check (is_refused (std::string ("\0\xff\n[", 4) + text), "bytes before the first group are believed");
  for (const char *damage : {"0", "-3", "nan", "inf", "much", ""}) {
    const size_t at = text.find ("launch-us=") + 10;
    std::string damaged = text;
    damaged.replace (at, text.find ('\n', at) - at, damage);
    test_check (is_refused (damaged), "a launch of \"%s\" us is believed", damage);
  }
  const auto with = [&] (const std::string &key, const std::string &value) {
    const size_t at = text.find ("\n" + key + "=") + key.size () + 2;
    return std::string (text).replace (at, text.find ('\n', at) - at, value);
  };
  test_check (is_refused (with ("version", "999")), "figures of another meaning are believed");
  test_check (is_refused (with ("measured", "0")), "figures of no time are believed");
  test_check (is_refused (with ("image-copy-gb-s", "-1")), "a rate below zero is believed");
  test_check (!is_refused (text), "the undamaged file is refused");
  /* nothing is measured again */
  const DeviceFigures kept = ensure_figures (Context::of (owner.get ()));
  test_check (kept.measured == figures.measured && kept.launch_us == figures.launch_us, "they are measured again");
}

}  // namespace test::microbench_suite

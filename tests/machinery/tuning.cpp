/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tuning table and its file: stored entries are read back, damaged or foreign files are ignored with one warning, and
 * shapes that a kernel does not allow are never used. */
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../elements/suite.hpp"
#include "filter/runner.hpp"

namespace test::tuning_suite {
static Tests tests ("tuning", Needs::Device);

using namespace gst::cl;
namespace fs = std::filesystem;

static const std::string key = "shared/lut.cl map_samples  -DTABLES=1 4 16 2 16 0 0 0 0 gpu bits 8 depth 8 shift 0";
static const TuningEntry entry{{.local_x = 64, .local_y = 4, .item_rows = 4}, "0123456789abcdef", 12.5, 9.75};

static Axes
axes ()
{
  Axes axes;
  axes.locals = {{64, 4}, {16, 8}};
  axes.rows = {1, 4};
  return axes;
}

static Device
device ()
{
  return choose_device ("");
}

static std::string
new_file ()
{
  return scratch_folder () + "/gst-cl/tuning.conf";
}

static void
write_text (const std::string &path, const std::string &text)
{
  fs::create_directories (fs::path (path).parent_path ());
  std::ofstream (path) << text;
}

static int warnings;

static void
hear_warning (
    GstDebugCategory *category, GstDebugLevel level, const gchar *, const gchar *, gint, GObject *, GstDebugMessage *, gpointer)
{
  warnings += level == GST_LEVEL_WARNING && !g_strcmp0 (gst_debug_category_get_name (category), "cltuning");
}

/* Calls a function that reads a file, and returns the number of warnings. */
template <typename Function>
static int
warnings_of (Function read)
{
  gst_debug_set_active (TRUE);
  gst_debug_set_default_threshold (GST_LEVEL_WARNING);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (hear_warning, nullptr, nullptr);
  warnings = 0;
  read ();
  gst_debug_remove_log_function (hear_warning);
  return warnings;
}

TEST (round_trip)
{
  const std::string path = new_file ();
  Tuning table (device (), path);
  fail_unless (table.empty () && table.problem ().empty ());
  fail_unless (table.store (key, entry));
  fail_unless (table.find (key, entry.source, axes ()) == entry.shape);

  Tuning again (device (), path);
  fail_unless (again.problem ().empty ());
  fail_unless (again.find (key, entry.source, axes ()) == entry.shape);
  const TuningEntry read = again.entries ().at (key);
  fail_unless (read.shipped_us == entry.shipped_us && read.best_us == entry.best_us);
  /* as an editor on another system saves it */
  std::string edited = "\xef\xbb\xbf" + content_of (path);
  std::ranges::replace (edited, '\n', '\r');
  write_text (path, edited);
  fail_unless (Tuning (device (), path).find (key, entry.source, axes ()) == entry.shape);
  fail_unless_equals_int (std::distance (fs::directory_iterator (fs::path (path).parent_path ()), {}), 1);

  again.clear ();
  fail_unless (again.empty () && !fs::exists (path));
}

/* Another kernel, another version of its sources, or a shape that it does not list. */
TEST (not_for_the_kernel)
{
  Tuning table (device (), new_file ());
  table.store (key, entry);
  fail_unless (!table.find (key + "0", entry.source, axes ()));
  fail_unless (!table.find (key, "fedcba9876543210", axes ()));
  Axes other = axes ();
  other.locals = {{16, 8}};
  fail_unless (!table.find (key, entry.source, other));
  other = axes ();
  other.rows = {1, 2};
  fail_unless (!table.find (key, entry.source, other));
  for (const Shape &shape : {Shape{.local_x = 64}, Shape{.local_y = 4}, Shape{.local_x = -64, .local_y = 4},
           Shape{.item_samples = 3}, Shape{.value = 1}})
    fail_unless (!axes ().allow (shape));
  fail_unless (axes ().allow (Shape ()));
}

static const char *const damaged[] = {"", "rubbish", "[device]\nversion=1\nplatform", "[device]\nversion=2\n",
    "[device\nversion=1\n", "\x7f\x45LF\x02\x01\x01", "[other]\nversion=1\n"};

/* One warning, no entries; the next stored result repairs the file. */
TEST (damaged_file, std::size (damaged))
{
  const std::string path = new_file ();
  write_text (path, damaged[__i__]);
  const int n = warnings_of ([&] {
    Tuning table (device (), path);
    fail_unless (table.empty () && !table.problem ().empty ());
    fail_unless (!table.find (key, entry.source, axes ()));
    fail_unless (table.store (key, entry));
  });
  fail_unless_equals_int (n, 1);
  fail_unless (warnings_of ([&] { fail_unless (!Tuning (device (), path).empty ()); }) == 0);
}

/* A truncated file gives entries that kernels allow, or none. */
TEST (truncated_file)
{
  const std::string path = new_file ();
  {
    Tuning table (device (), path);
    table.store (key, entry);
    table.store (key + "1", entry);
  }
  const std::string whole = content_of (path);
  for (size_t n = 0; n < whole.size (); n++) {
    write_text (path, whole.substr (0, n));
    const Tuning table (device (), path);
    for (const std::string &name : {key, key + "1"})
      if (const auto shape = table.find (name, entry.source, axes ()))
        fail_unless (axes ().allow (*shape) && *shape != Shape ());
  }
}

static void (*const changes[]) (Device &) = {
    [] (Device &device) { device.platform_name += " 2"; },
    [] (Device &device) { device.name = "Another device"; },
    [] (Device &device) { device.driver_version = "0.0"; },
};

/* A file for another device, or for another driver of this one; each has its own file name, too. */
TEST (foreign_file, std::size (changes))
{
  const std::string path = new_file ();
  Device other = device ();
  changes[__i__](other);
  Tuning (other, path).store (key, entry);
  fail_unless_equals_int (warnings_of ([&] { fail_unless (Tuning (device (), path).empty ()); }), 1);
  fail_unless (tuning_file (other) != tuning_file (device ()));
}

/* The folder's name is a file. */
TEST (unwritable)
{
  const std::string folder = scratch_folder () + "/none";
  write_text (folder, "");
  Tuning table (device (), folder + "/tuning.conf");
  fail_unless (!table.store (key, entry));
  fail_unless (table.find (key, entry.source, axes ()) == entry.shape);
}

/* $GST_CL_TUNE; each test is a separate process. */
TEST (switched_off)
{
  g_setenv ("GST_CL_TUNE", "off", TRUE);
  fail_unless (Tuning::of (device ())->file ().empty ());
}

TEST (own_file)
{
  const std::string path = new_file ();
  Tuning (device (), path).store (key, entry);
  g_setenv ("GST_CL_TUNE", path.c_str (), TRUE);
  fail_unless (Tuning::of (device ())->file () == path);
  fail_unless (!Tuning::of (device ())->empty ());
}

TEST (unknown_mode)
{
  g_setenv ("GST_CL_TUNE", "sometimes", TRUE);
  const int n = warnings_of ([] {
    for (int i = 0; i < 2; i++)
      fail_unless (Tuning::of (device ())->file () == tuning_file (device ()));
  });
  fail_unless_equals_int (n, 1);
}

/* Shapes that are shipped for other devices. */
TEST (shipped)
{
  Device gpu = device ();
  gpu.type = CL_DEVICE_TYPE_GPU;
  gpu.max_work_group_size = 256;
  const KernelSpec fixed{.sources = {}, .function = ""}, free{.sources = {}, .function = "", .tunable = {.local = true}};
  const KernelSpec jobs{.sources = {}, .function = "", .jobs = 4, .tunable = {.local = true}};
  gpu.vendor_id = 0x10de;
  fail_unless (shipped_shape (gpu, free) == Shape ());
  gpu.vendor_id = 0x1002;
  fail_unless ((shipped_shape (gpu, free) == Shape{.local_x = 64, .local_y = 4}));
  fail_unless (shipped_shape (gpu, fixed) == Shape () && shipped_shape (gpu, jobs) == Shape ());
  gpu.vendor_id = 0x8086;
  fail_unless ((shipped_shape (gpu, free) == Shape{.local_x = 16, .local_y = 8}));
  gpu.max_work_group_size = 64;
  fail_unless (shipped_shape (gpu, free) == Shape ());
  gpu.type = CL_DEVICE_TYPE_CPU;
  gpu.max_work_group_size = 4096;
  fail_unless (shipped_shape (gpu, free) == Shape ());
}

}  // namespace test::tuning_suite

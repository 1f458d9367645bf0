/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File operations that fail midway: a disk that becomes full, a read error, a truncated file. Existing files stay intact, and a
 * file that a user named gives one error with its name. */
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>

#include "core/context.hpp"
#include "core/diskcache.hpp"
#include "core/tuning.hpp"

#include "../elements/pipeline.hpp"
#include "paths.h"

namespace test::file_faults_suite {
static Tests tests ("file_faults", Needs::Device, [] {
  g_setenv ("XDG_CACHE_HOME", scratch_folder ().c_str (), TRUE);
  g_setenv ("GST_CL_TUNE", "off", TRUE);
});

using namespace gst::cl;
namespace fs = std::filesystem;

/* Makes the kernel refuse to extend any file of the process beyond a size. */
class FullDisk {
public:
  explicit FullDisk (rlim_t bytes)
  {
    signal (SIGXFSZ, SIG_IGN);
    getrlimit (RLIMIT_FSIZE, &before);
    const rlimit limit{bytes, before.rlim_max};
    fail_unless_equals_int (setrlimit (RLIMIT_FSIZE, &limit), 0);
  }
  ~FullDisk () { setrlimit (RLIMIT_FSIZE, &before); }

private:
  rlimit before{};
};

static size_t
count_files (const fs::path &folder)
{
  return size_t (std::distance (fs::directory_iterator (folder), fs::directory_iterator ()));
}

/* After every number of bytes. */
TEST (cache_on_full_disk)
{
  const disk_cache::Binary before (100, 'a'), after (200, 'b');
  fs::remove_all (disk_cache::folder ());
  disk_cache::store ("key", before);
  fail_unless (disk_cache::load ("key") == before);
  const size_t files = count_files (disk_cache::folder ()), size = disk_cache::pack ("key", after).size ();
  for (size_t n = 0; n <= size; n++) {
    {
      const FullDisk full (n);
      disk_cache::store ("key", after);
    }
    const auto found = disk_cache::load ("key");
    test_check (found == (n < size ? before : after), "after %zu of %zu bytes another program is loaded", n, size);
    fail_unless_equals_int (int (count_files (disk_cache::folder ())), int (files));
  }
}

TEST (tuning_on_full_disk)
{
  const Device device = choose_device ("");
  const std::string path = (fs::path (scratch_folder ()) / "full" / "mine.ini").string ();
  const TuningEntry entry{{.local_x = 8, .local_y = 4}, "sum", 2, 1};
  fail_unless (Tuning (device, path).store ("first", entry));
  bool stored = false;
  constexpr size_t step = 7, far = 4096;
  for (size_t n = 0; !stored && n < far; n += step) {
    {
      const FullDisk full (n);
      stored = Tuning (device, path).store ("second", entry);
    }
    test_check (Tuning (device, path).entries ().size () == (stored ? 2 : 1), "after %zu bytes entries are missing", n);
    fail_unless_equals_int (int (count_files (fs::path (path).parent_path ())), 1);
  }
  fail_unless (stored);
}

constexpr char picture[] = "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=16,height=8 ! ";

/* The error names the file, and the failure. */
static void
expect_error (const std::string &line, const std::string &path, const std::string &why)
{
  Pipeline pipeline (picture + line + " ! fakesink");
  const std::vector<Report> errors = pipeline.play_to_error ("f");
  test_check (errors.size () == 1 && errors[0].domain == GST_RESOURCE_ERROR && errors[0].text.find (path) != std::string::npos
                  && errors[0].text.find (why) != std::string::npos,
      "%s: %zu errors, the first is %s", line.c_str (), errors.size (), errors.empty () ? "" : errors[0].all ().c_str ());
}

/* The memory of a process is a file whose beginning cannot be read. */
TEST (read_errors)
{
  const std::string path = "/proc/self/mem", why = g_strerror (EIO);
  for (const char *line : {"clprogram name=f location=", "cllut3d name=f location="})
    expect_error (line + path, path, why);
  /* it queries the size first */
  expect_error ("clwarp name=f map=" + path, path, "0 bytes");

  const fs::path folder = fs::path (scratch_folder ()) / "kernels" / "lib";
  fs::create_directories (folder);
  fs::create_symlink (path, folder / "sample.clh");
  g_setenv ("GST_CL_KERNEL_PATH", folder.parent_path ().c_str (), TRUE);
  expect_error ("clthreshold name=f", (folder / "sample.clh").string (), why);
  g_unsetenv ("GST_CL_KERNEL_PATH");

  const Tuning tuning (choose_device (""), path);
  test_check (tuning.empty () && tuning.problem ().find (why) != std::string::npos, "%s", tuning.problem ().c_str ());
}

/* A table that is truncated anywhere gives an error about missing numbers. */
TEST (cut_short)
{
  const std::string cube = content_of (EXAMPLE_KERNELS "/../luts/teal-and-orange.cube"), map (16 * 8 * 8, '\0');
  const std::pair<const char *, std::string> tables[] = {
      {"cllut3d", cube.substr (0, cube.find_last_not_of ("\r\n"))}, {"clwarp", map}};
  const fs::path path = fs::path (scratch_folder ()) / "cut";
  for (const auto &[element, whole] : tables) {
    constexpr size_t cuts = 24;
    for (size_t i = 0; i < cuts; i++) {
      std::ofstream (path, std::ios::binary) << whole.substr (0, whole.size () * i / cuts);
      Pipeline pipeline (picture + std::string (element) + " name=f " + (element == tables[0].first ? "location=" : "map=")
                         + path.string () + " ! fakesink");
      g_object_set (pipeline.top (), "auto-flush-bus", FALSE, nullptr);
      gst_element_set_state (pipeline.top (), GST_STATE_PAUSED);
      const auto wanted = GstMessageType (int (GST_MESSAGE_ERROR) | int (GST_MESSAGE_ASYNC_DONE));
      GstMessage *first = gst_bus_timed_pop_filtered (pipeline.bus (), 60 * GST_SECOND, wanted);
      test_check (first && GST_MESSAGE_TYPE (first) == GST_MESSAGE_ERROR, "%s plays with %zu of %zu pieces", element, i, cuts);
      gst_bus_post (pipeline.bus (), first);
      /* after this nothing more is posted */
      gst_element_set_state (pipeline.top (), GST_STATE_NULL);
      std::vector<Report> errors = errors_of (pipeline.bus ());
      std::erase_if (errors, [] (const Report &each) { return each.from != "f"; });
      test_check (errors.size () == 1 && errors[0].text.find (path.string ()) != std::string::npos,
          "%s, %zu of %zu: %zu errors", element, i, cuts, errors.size ());
    }
  }
}

}  // namespace test::file_faults_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths that lead to folders, pipes, links, or files of other users or without an end, in place of a file. Each counts as a
 * missing file, or gives one clear error, and nothing blocks. */
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <dlfcn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.hpp"
#include "core/diskcache.hpp"
#include "core/environment.hpp"
#include "core/tuning.hpp"

#include "../elements/pipeline.hpp"

namespace test::files_suite {
static Tests tests ("files", Needs::Device, [] {
  g_setenv ("XDG_CACHE_HOME", scratch_folder ().c_str (), TRUE);
  g_setenv ("GST_CL_TUNE", "off", TRUE);
});

using namespace gst::cl;
namespace fs = std::filesystem;

/* Calls that fail in this process as if the operating system refused them. */
static std::atomic<bool> refuses_modes = false;

/* It replaces the C library's function. */
extern "C" int
fchmod (int file, mode_t mode) noexcept
{
  static const auto real = reinterpret_cast<int (*) (int, mode_t)> (dlsym (RTLD_NEXT, "fchmod"));
  if (!refuses_modes)
    return real (file, mode);
  errno = EPERM;
  return -1;
}

constexpr guint64 most = 1 << 20;
constexpr uid_t somebody_else = 65534;

static fs::path
make_folder (const std::string &name)
{
  const fs::path folder = fs::path (scratch_folder ()) / name;
  fs::remove_all (folder);
  fs::create_directories (folder);
  fs::permissions (folder, fs::perms::owner_all);
  return folder;
}

static void
write_text (const fs::path &path, const std::string &text)
{
  std::ofstream (path, std::ios::binary) << text;
  fs::permissions (path, fs::perms::owner_read | fs::perms::owner_write);
}

/* Things that are not readable files; `own`: the cases that a user's own path may be. */
struct Trap {
  const char *name;
  bool own;
  /* returns false if it cannot be made here */
  bool (*set) (const fs::path &path);
};

const Trap traps[] = {
    {"folder", false, [] (const fs::path &path) { return fs::create_directory (path); }},
    {"pipe", false, [] (const fs::path &path) { return mkfifo (path.c_str (), 0600) == 0; }},
    {"link to a device", false, [] (const fs::path &path) { return symlink ("/dev/zero", path.c_str ()) == 0; }},
    {"link in a circle", false, [] (const fs::path &path) { return symlink (path.c_str (), path.c_str ()) == 0; }},
    {"large file", false,
        [] (const fs::path &path) {
          write_text (path, "large");
          fs::resize_file (path, std::uintmax_t (1) << 40);
          return true;
        }},
    {"link", true,
        [] (const fs::path &path) {
          fs::rename (path.string () + ".good", path.string () + ".moved");
          fs::create_symlink (path.string () + ".moved", path);
          return true;
        }},
    {"file that all may write", true,
        [] (const fs::path &path) {
          fs::rename (path.string () + ".good", path);
          return chmod (path.c_str (), 0666) == 0;
        }},
    {"file of somebody else", true,
        [] (const fs::path &path) {
          fs::rename (path.string () + ".good", path);
          return chown (path.c_str (), somebody_else, gid_t (-1)) == 0;
        }},
};

/* Moves the file of a name aside, and puts a trap in its place. */
static bool
set_trap (const Trap &trap, const fs::path &path)
{
  if (fs::exists (path))
    fs::rename (path, path.string () + ".good");
  return trap.set (path);
}

static std::string
refusal_of (const fs::path &path, FileTrust trust)
{
  try {
    gst::cl::read_file (path.string (), trust, most);
  } catch (const FileFailure &failure) {
    return failure.what ();
  }
  return "";
}

TEST (refused, G_N_ELEMENTS (traps))
{
  const Trap &trap = traps[__i__];
  const fs::path path = make_folder ("refused") / "file";
  write_text (path, "content");
  if (!set_trap (trap, path))
    return;
  for (const FileTrust trust : {FileTrust::named, FileTrust::own}) {
    const std::string why = refusal_of (path, trust);
    test_check (why.empty () == (trap.own && trust == FileTrust::named), "%s: \"%s\"", trap.name, why.c_str ());
    test_check (why.empty () || why.starts_with (path.string () + " cannot be read: "), "%s: %s", trap.name, why.c_str ());
  }
}

TEST (read_whole)
{
  const fs::path path = make_folder ("whole") / "file";
  for (const size_t size : {size_t (0), size_t (1), size_t (4095), size_t (4096), size_t (most)}) {
    const std::string content (size, 'x');
    ck_assert (gst::cl::write_file (path.string (), FileTrust::own, content));
    ck_assert (gst::cl::read_file (path.string (), FileTrust::own, most) == content);
  }
  ck_assert (gst::cl::write_file (path.string (), FileTrust::own, std::string (most + 1, 'x')));
  ck_assert (!refusal_of (path, FileTrust::own).empty ());
  /* files of the kernel have a size of 0 */
  ck_assert (!gst::cl::read_file ("/proc/self/status", FileTrust::named, most).empty ());
  ck_assert_uint_gt (gst::cl::read_file ("/proc/self/maps", FileTrust::named, most).size (), 4096);
  g_autoptr (GError) error = nullptr;
  ck_assert (!run_guarded (&error, [] { gst::cl::read_file ("/proc/self/maps", FileTrust::named, 100); }));
  ck_assert_str_eq (error->message, "/proc/self/maps cannot be read: it has more than 100 bytes.");
  ck_assert (!refusal_of (path / "below", FileTrust::named).empty ());
  ck_assert (!refusal_of (path.parent_path () / "none", FileTrust::own).empty ());
}

/* A folder that the library created. */
TEST (own_folder)
{
  const fs::path above = make_folder ("above"), folder = above / "own", file = folder / "file";
  ck_assert (gst::cl::write_file (file.string (), FileTrust::own, "content"));
  ck_assert (fs::status (folder).permissions () == fs::perms::owner_all);
  ck_assert (fs::status (file).permissions () == (fs::perms::owner_read | fs::perms::owner_write));

  /* as earlier versions created it */
  fs::permissions (folder, fs::perms (0775));
  ck_assert (refusal_of (file, FileTrust::own).empty ());
  ck_assert (fs::status (folder).permissions () == fs::perms::owner_all);

  const auto is_refused = [&] (const char *what) {
    test_check (!refusal_of (file, FileTrust::own).empty (), "read: %s", what);
    test_check (!gst::cl::write_file (file.string (), FileTrust::own, "x"), "written: %s", what);
  };
  fs::rename (folder, above / "elsewhere");
  fs::create_directory_symlink (above / "elsewhere", folder);
  is_refused ("a linked folder");
  fs::remove (folder);
  write_text (folder, "a file");
  is_refused ("a file in the folder's place");
  fs::remove (folder);
  fs::rename (above / "elsewhere", folder);
  /* as earlier versions created it, if its mode cannot be changed */
  refuses_modes = true;
  fs::permissions (folder, fs::perms (0755));
  ck_assert (refusal_of (file, FileTrust::own).empty ());
  fs::permissions (folder, fs::perms (0775));
  is_refused ("a folder that others may write");
  refuses_modes = false;
  ck_assert (refusal_of (file, FileTrust::own).empty ());
  if (chown (folder.c_str (), somebody_else, gid_t (-1)) == 0) {
    is_refused ("somebody else's folder");
    ck_assert (chown (folder.c_str (), geteuid (), gid_t (-1)) == 0);
  }
  ck_assert (gst::cl::read_file (file.string (), FileTrust::own, most) == "content");
}

const disk_cache::Binary binary{'a', 'b', 'c'};

static fs::path
only_entry ()
{
  for (const auto &each : fs::directory_iterator (disk_cache::folder ()))
    if (each.path ().extension () == ".bin")
      return each.path ();
  return {};
}

/* Whatever is in the place of a program's file, the program is built again, and stored again if possible. */
TEST (cache_entry, G_N_ELEMENTS (traps))
{
  const Trap &trap = traps[__i__];
  fs::remove_all (disk_cache::folder ());
  ck_assert (!disk_cache::load ("key"));
  disk_cache::store ("key", binary);
  ck_assert (disk_cache::load ("key") == binary && disk_cache::holds ("key"));
  const fs::path path = only_entry ();
  if (!set_trap (trap, path))
    return;
  test_check (!disk_cache::load ("key") && !disk_cache::holds ("key"), "%s is loaded", trap.name);
  disk_cache::store ("key", binary);
  const bool is_folder = fs::is_directory (fs::symlink_status (path));
  test_check ((disk_cache::load ("key") == binary) != is_folder, "%s stays", trap.name);
  disk_cache::usage ();
  disk_cache::clear ();
}

/* Every bit of a file counts, and so does its name. */
TEST (cache_content)
{
  const std::string good = disk_cache::pack ("key", binary);
  ck_assert (disk_cache::unpack ("key", good) == binary);
  ck_assert (!disk_cache::unpack ("other", good));
  for (size_t i = 0; i < good.size (); i++) {
    std::string bad = good;
    bad[i] ^= 1;
    test_check (!disk_cache::unpack ("key", bad), "byte %d may be anything", int (i));
    test_check (!disk_cache::unpack ("key", good.substr (0, i)), "%d bytes are enough", int (i));
  }
  ck_assert (!disk_cache::unpack ("key", good + "x"));
}

/* A tuning file of the user's, and the library's. */
TEST (tuning, G_N_ELEMENTS (traps))
{
  const Trap &trap = traps[__i__];
  const Device device = choose_device ("");
  const TuningEntry entry{{.local_x = 8, .local_y = 4}, "sum", 2, 1};
  for (const fs::path &path : {fs::path (tuning_file (device)), make_folder ("tuning") / "mine.ini"}) {
    for (const char *more : {"", ".good", ".moved"})
      fs::remove_all (path.string () + more);
    ck_assert (Tuning (device, path.string ()).store ("kernel", entry));
    ck_assert (!Tuning (device, path.string ()).empty ());
    if (!set_trap (trap, path))
      continue;
    const Tuning tuning (device, path.string ());
    const bool is_fine = trap.own && path != tuning_file (device);
    test_check (
        tuning.empty () != is_fine && tuning.problem ().empty () == is_fine, "%s: %s", trap.name, tuning.problem ().c_str ());
  }
}

/* Processes that add to one file lose none of each other's entries; a process that is stopped does not block the others. */
TEST (tuning_together)
{
  const Device device = choose_device ("");
  const std::string path = (make_folder ("together") / "mine.ini").string ();
  constexpr int writers = 4, each_writes = 8;
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; i++)
    threads.emplace_back ([&, i] {
      Tuning tuning (device, path);
      for (int j = 0; j < each_writes; j++)
        tuning.store (format ("kernel %d %d", i, j), {{.local_x = 8, .local_y = 4}, "sum", 2, 1});
    });
  for (std::thread &thread : threads)
    thread.join ();
  ck_assert_int_eq (int (Tuning (device, path).entries ().size ()), writers * each_writes);

  const int holder = ::open (fs::path (path).parent_path ().c_str (), O_RDONLY | O_DIRECTORY);
  ck_assert (flock (holder, LOCK_EX) == 0);
  const gint64 start = g_get_monotonic_time ();
  ck_assert (Tuning (device, path).store ("late", {}));
  const gint64 waited = g_get_monotonic_time () - start;
  close (holder);
  test_check (waited > G_USEC_PER_SEC / 2 && waited < 5 * G_USEC_PER_SEC, "waited %" G_GINT64_FORMAT " us", waited);
}

/* For a path in a property: one error, with the path and its type. */
TEST (location, 3 * G_N_ELEMENTS (traps))
{
  const Trap &trap = traps[__i__ % G_N_ELEMENTS (traps)];
  if (trap.own)
    return;
  const fs::path path = make_folder ("location") / "file";
  set_trap (trap, path);
  static const char *lines[] = {"clprogram name=f location=", "cllut3d name=f location=", "clwarp name=f map="};
  Pipeline pipeline (std::string ("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=16,height=8 ! ")
                     + lines[__i__ / G_N_ELEMENTS (traps)] + path.string () + " ! fakesink");
  const bool started = pipeline.reach (GST_STATE_PAUSED);
  const std::vector<Report> errors = pipeline.errors ();
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
  test_check (!started && errors.size () == 1 && errors[0].domain == GST_RESOURCE_ERROR
                  && errors[0].all ().find (path.string ()) != std::string::npos,
      "%s: %d errors, the first is %s", trap.name, int (errors.size ()), errors.empty () ? "" : errors[0].all ().c_str ());
}

/* The same for a folder of kernels. */
TEST (kernel_path, G_N_ELEMENTS (traps))
{
  const Trap &trap = traps[__i__];
  if (trap.own)
    return;
  const fs::path folder = make_folder ("kernels");
  const fs::path path = folder / "lib" / "sample.clh";
  fs::create_directory (path.parent_path ());
  set_trap (trap, path);
  g_setenv ("GST_CL_KERNEL_PATH", folder.c_str (), TRUE);
  Pipeline pipeline ("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=16,height=8 ! clthreshold name=f ! fakesink");
  const std::vector<Report> errors = pipeline.play_to_error ("f");
  g_unsetenv ("GST_CL_KERNEL_PATH");
  test_check (errors.size () == 1 && errors[0].domain == GST_RESOURCE_ERROR
                  && errors[0].text.find (path.string ()) != std::string::npos,
      "%s: %d errors, the first is %s", trap.name, int (errors.size ()), errors.empty () ? "" : errors[0].all ().c_str ());
}

}  // namespace test::files_suite

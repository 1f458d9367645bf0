/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of the disk cache, and the location of PoCL's own cache. Opens no device. */
#include <filesystem>
#include <fstream>
#include <set>

#include "core/diskcache.hpp"

#include "../elements/suite.hpp"

namespace test::caches_suite {
static Tests tests (
    "caches", Needs::Nothing, [] { g_setenv ("XDG_CACHE_HOME", (scratch_folder () + "/cache").c_str (), TRUE); });

using namespace gst::cl;
namespace fs = std::filesystem;

constexpr std::uintmax_t mib = 1 << 20;

/* An entry that was last used this many hours ago, and takes no space on disk. */
static void
make_entry (const std::string &name, std::uintmax_t bytes, int hours)
{
  const fs::path path = disk_cache::folder () / name;
  std::ofstream (path).close ();
  fs::resize_file (path, bytes);
  fs::last_write_time (path, fs::file_time_type::clock::now () - std::chrono::hours (hours));
}

static std::set<std::string>
names_there ()
{
  std::set<std::string> names;
  for (const auto &each : fs::directory_iterator (disk_cache::folder ()))
    names.insert (each.path ().filename ().string ());
  return names;
}

static void
start_empty ()
{
  fs::remove_all (disk_cache::folder ());
  fs::create_directories (disk_cache::folder ());
  fs::permissions (disk_cache::folder (), fs::perms::owner_all);
}

/* A new entry evicts the least recently used ones, as many as necessary, and nothing that is not an entry. */
TEST (too_large)
{
  start_empty ();
  make_entry ("oldest.bin", 60 * mib, 40);
  make_entry ("old.bin", 30 * mib, 30);
  make_entry ("newer.bin", 60 * mib, 20);
  make_entry ("newest.bin", 60 * mib, 10);
  make_entry ("tuning.conf", 200 * mib, 100);
  fs::create_directory (disk_cache::folder () / "folder.bin");
  fs::create_symlink ("newest.bin", disk_cache::folder () / "link.bin");
  disk_cache::store ("key", {'a'});
  ck_assert (disk_cache::holds ("key"));
  std::set<std::string> left = names_there ();
  for (const char *gone : {"oldest.bin", "old.bin"})
    test_check (!left.contains (gone), "%s is left", gone);
  for (const char *kept : {"newer.bin", "newest.bin", "tuning.conf", "folder.bin", "link.bin"})
    test_check (left.contains (kept), "%s is gone", kept);
  /* within the limit nothing is evicted */
  disk_cache::store ("other key", {'b'});
  ck_assert_uint_eq (names_there ().size (), left.size () + 1);
}

TEST (used_and_cleared)
{
  fs::remove_all (disk_cache::folder ());
  disk_cache::Usage usage = disk_cache::usage ();
  ck_assert (usage.entries == 0 && usage.bytes == 0 && usage.oldest == 0 && usage.newest == 0 && usage.limit_bytes > 0);
  ck_assert_uint_eq (disk_cache::clear (), 0);
  start_empty ();
  make_entry ("new.bin", 100, 1);
  make_entry ("old.bin", 10, 3);
  make_entry ("middle.bin.7GHJ2X", 1, 2);
  for (const char *name : {"figures.ini", "tuning.conf", "readme"})
    make_entry (name, 1000, 4);
  usage = disk_cache::usage ();
  ck_assert_uint_eq (usage.entries, 3);
  ck_assert_uint_eq (usage.bytes, 111);
  const gint64 age = g_get_real_time () / G_USEC_PER_SEC - usage.oldest;
  test_check (std::abs (age - 3 * 3600) < 60, "%" G_GINT64_FORMAT " s", age);
  const gint64 span = usage.newest - usage.oldest;
  test_check (std::abs (span - 2 * 3600) <= 1, "%" G_GINT64_FORMAT " s", span);
  ck_assert_uint_eq (disk_cache::clear (), 3);
  ck_assert ((names_there () == std::set<std::string>{"figures.ini", "readme", "tuning.conf"}));
}

/* The environment of a process before its first OpenCL call, and the expected POCL_CACHE_DIR afterwards: empty if PoCL finds a
 * folder itself, "lent" for a new folder. */
struct Home {
  const char *name;
  /* null: not set; otherwise a path below the scratch folder, or "" */
  const char *pocl, *cache, *home;
  const char *after;
};

const Home homes[] = {
    {"a folder that the user chose", "chosen", nullptr, nullptr, "chosen"},
    {"a cache that is yet to be made", nullptr, "none/yet", nullptr, nullptr},
    {"a home", nullptr, nullptr, "home", nullptr},
    {"an empty choice and an empty cache", "", "", "home", nullptr},
    {"a file in the place of a cache", nullptr, "file", nullptr, "lent"},
    {"a file in the place of a home", "", nullptr, "file", "lent"},
    {"neither cache nor home", nullptr, nullptr, nullptr, nullptr},
};

static void
set_place (const char *variable, const char *place)
{
  if (!place)
    g_unsetenv (variable);
  else
    g_setenv (variable, *place ? (scratch_folder () + "/" + place).c_str () : "", TRUE);
}

/* Runs in a new process; returns its status, and writes the name of the lent folder. */
static int
set_up_and_look (const Home &home, const fs::path &note)
{
  set_place ("POCL_CACHE_DIR", home.pocl);
  set_place ("XDG_CACHE_HOME", home.cache);
  set_place ("HOME", home.home);
  disk_cache::ensure_driver_folder ();
  const char *found = g_getenv ("POCL_CACHE_DIR");
  if (!home.after)
    return found ? 1 : 0;
  if (!found)
    return 2;
  if (std::string (home.after) != "lent")
    return scratch_folder () + "/" + home.after == found ? 0 : 3;
  std::ofstream (note) << found;
  std::ofstream (fs::path (found) / "program") << "kept by PoCL\n";
  /* a forked process leaves the folder alone, and a second call changes nothing */
  status_of_process ([] () -> int { exit (0); });
  disk_cache::ensure_driver_folder ();
  return fs::exists (fs::path (found) / "program") && g_getenv ("POCL_CACHE_DIR") == std::string (found) ? 0 : 4;
}

TEST (folder_of_pocl, std::size (homes))
{
  const Home &home = homes[__i__];
  const fs::path note = fs::path (scratch_folder ()) / "note";
  fs::remove (note);
  fs::create_directories (fs::path (scratch_folder ()) / "home");
  std::ofstream (fs::path (scratch_folder ()) / "file") << "a file\n";
  const int status = status_of_process ([&] () -> int { exit (set_up_and_look (home, note)); });
  test_check (status == 0, "%s: status %d", home.name, status);
  std::string lent;
  std::ifstream (note) >> lent;
  ck_assert (lent.empty () == (g_strcmp0 (home.after, "lent") != 0));
  test_check (lent.empty () || !fs::exists (lent), "%s is left behind", lent.c_str ());
}

}  // namespace test::caches_suite

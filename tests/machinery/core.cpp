/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of common/core that elements do not reach on the available devices: names of devices, conversion of errors, invalid
 * requests to the compiler, waits that are given up. Nothing is compiled. */
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/arithmetic.hpp"
#include "core/compiler.hpp"
#include "core/context.hpp"
#include "core/diskcache.hpp"
#include "core/files.hpp"
#include "core/wait.hpp"
#include "filter/commands.hpp"

#include "../elements/pipeline.hpp"

namespace test::core_suite {
static Tests tests ("core", Needs::Device, [] {
  g_setenv ("XDG_CACHE_HOME", scratch_folder ().c_str (), TRUE);
  g_unsetenv ("GST_CL_DEVICE");
});

using namespace gst::cl;

TEST (device_names)
{
  Device device = choose_device ("");
  for (const auto &[type, name] :
      {std::pair (CL_DEVICE_TYPE_GPU, "GPU"), {CL_DEVICE_TYPE_ACCELERATOR, "accelerator"}, {CL_DEVICE_TYPE_CPU, "CPU"}}) {
    device.type = type;
    test_check (device.describe ().ends_with (std::string ("(") + name + ")"), "%s", device.describe ().c_str ());
    for (const char *wanted : {"gpu", "Accelerator", "CPU"})
      test_check (device.matches (wanted) == !g_ascii_strcasecmp (wanted, name), "%s is taken for %s", name, wanted);
  }
  device.name = "Chip 3000";
  device.platform_name = "Some: Platform";
  for (const std::string &wanted :
      {std::string (), std::string ("chip"), std::string ("3000"), std::string ("some: plat"), device.numbers ()})
    test_check (device.matches (wanted), "\"%s\" does not name it", wanted.c_str ());
  for (const char *wanted : {"chips", "9:9", "0:", ":", "0"})
    test_check (device.matches (wanted) == !strcmp (wanted, "0"), "\"%s\"", wanted);
  ck_assert (!device.has_extension ("cl_khr_none") && !device.has_extension ("cl_khr"));
}

/* GST_CL_BACKEND and GST_CL_HOST_MEMORY: unknown values have no effect. */
TEST (device_as_told)
{
  const auto usual = [] {
    g_unsetenv ("GST_CL_BACKEND");
    g_unsetenv ("GST_CL_HOST_MEMORY");
    return choose_device ("");
  };
  const Device plain = usual ();
  const auto told = [] (const char *variable, const char *value) {
    g_setenv (variable, value, TRUE);
    return Device (choose_device ("").handle);
  };
  ck_assert (told ("GST_CL_BACKEND", "cpu").backend == Backend::cpu);
  ck_assert (told ("GST_CL_BACKEND", "gpu").backend == Backend::gpu);
  ck_assert (told ("GST_CL_BACKEND", "image").backend == Backend::image);
  ck_assert (told ("GST_CL_BACKEND", "abacus").backend == plain.backend);
  ck_assert (told ("GST_CL_HOST_MEMORY", "mapped").host_memory == HostMemory::mapped);
  ck_assert (told ("GST_CL_HOST_MEMORY", "staged").host_memory == HostMemory::staged);
  ck_assert (told ("GST_CL_HOST_MEMORY", "punched").host_memory == plain.host_memory);
  usual ();
}

TEST (device_preset)
{
  g_setenv ("GST_CL_DEVICE", "abacus", TRUE);
  ck_assert_str_eq (effective_device ("").c_str (), "abacus");
  ck_assert_str_eq (effective_device ("cpu").c_str (), "cpu");
  g_autoptr (GError) error = nullptr;
  ck_assert (!run_guarded (&error, [] { choose_device (""); }));
  ck_assert (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  expect_words (error->message, {"\"abacus\""});
  g_unsetenv ("GST_CL_DEVICE");
  ck_assert_str_eq (effective_device ("").c_str (), "");
}

/* What is thrown, and the error that is told. */
const struct {
  void (*work) ();
  GQuark (*domain) ();
  int code;
  const char *text;
} thrown[] = {
    {[] { throw ::cl::Error (CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer"); }, gst_resource_error_quark,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT, "No memory on the OpenCL device (clCreateBuffer: "},
    {[] { throw ::cl::Error (CL_OUT_OF_HOST_MEMORY, "clCreateBuffer"); }, gst_resource_error_quark,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT, "No memory on the OpenCL device (clCreateBuffer: "},
    {[] { throw ::cl::Error (-9999, "clNonesuch"); }, gst_library_error_quark, GST_LIBRARY_ERROR_FAILED,
        "clNonesuch failed on the OpenCL device: CL error -9999."},
    {[] { throw std::bad_alloc (); }, gst_resource_error_quark, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The computer is out of memory."},
    {[] { throw std::runtime_error ("a detail"); }, gst_library_error_quark, GST_LIBRARY_ERROR_FAILED,
        "Internal failure. (a detail)"},
    {[] { throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, "A text.", ""); }, gst_resource_error_quark,
        GST_RESOURCE_ERROR_SETTINGS, "A text."},
    {[] { throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, "A text.", "a detail"); }, gst_resource_error_quark,
        GST_RESOURCE_ERROR_SETTINGS, "A text. (a detail)"},
    {[] { throw Reported ("told"); }, gst_library_error_quark, GST_LIBRARY_ERROR_FAILED, "told (has been reported)"},
};

TEST (exceptions, std::size (thrown))
{
  const auto &[work, domain, code, text] = thrown[__i__];
  g_autoptr (GError) error = nullptr;
  ck_assert (!run_guarded (&error, work));
  test_check (
      error->domain == domain () && error->code == code && g_str_has_prefix (error->message, text), "%s", error->message);
  ck_assert (!run_guarded (static_cast<GError **> (nullptr), work));
  ck_assert (run_guarded (&error, [] {}));
}

/* A compiler may quote any bytes; messages are UTF-8. */
TEST (bytes_in_texts)
{
  g_autoptr (GstElement) element = static_cast<GstElement *> (gst_object_ref_sink (gst_bin_new ("some")));
  g_autoptr (GstBus) bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  ck_assert (
      !run_guarded (element, [] { throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, "caf\xe9", "th\xe9"); }));
  g_autoptr (GstMessage) message = gst_bus_pop (bus);
  g_autoptr (GError) error = nullptr;
  g_autofree gchar *debug = nullptr;
  gst_message_parse_error (message, &error, &debug);
  ck_assert_str_eq (error->message, "caf\xef\xbf\xbd");
  test_check (debug && g_str_has_suffix (debug, "th\xef\xbf\xbd"), "%s", debug);
  gst_element_set_bus (element, nullptr);
}

/* On an element's bus, a reported error is not reported again, and a device fails once until the element is restarted. */
TEST (messages)
{
  g_autoptr (GstElement) element = static_cast<GstElement *> (gst_object_ref_sink (gst_bin_new ("some")));
  g_autoptr (GstBus) bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  const auto posted = [&] {
    int n = 0;
    while (const Own message = gst_bus_pop (bus))
      n++;
    return n;
  };
  ck_assert (run_guarded (element, [] {}));
  ck_assert_int_eq (posted (), 0);
  for (const auto &each : thrown)
    ck_assert (!run_guarded (element, each.work));
  /* one of five errors of the device, and one of two equal texts; none that was already reported */
  ck_assert_int_eq (posted (), 2);
  forget_repeats (element);
  const auto failed = std::make_shared<std::atomic<bool>> (false);
  note_device (element, "Chip 3000", failed);
  std::string reported;
  ck_assert (!run_guarded (element, thrown[5].work) && !*failed);
  ck_assert_int_eq (posted (), 1);
  ck_assert (!run_guarded (element, reported, thrown[0].work) && *failed);
  ck_assert_int_eq (posted (), 0);
  forget_failures (element);
  reported.clear ();
  for (int i = 0; i < 3; i++)
    ck_assert (!run_guarded (element, reported, thrown[0].work));
  test_check (reported.starts_with ("No memory on Chip 3000 "), "%s", reported.c_str ());
  ck_assert_int_eq (posted (), 1);
  ck_assert (run_guarded (element, reported, [] {}) && reported.empty ());
  for (int i = 0; i < 2; i++) {
    ck_assert (!run_guarded (element, reported, thrown[5].work));
    ck_assert (!run_guarded (element, reported, thrown[7].work));
  }
  ck_assert_int_eq (posted (), 1);
  /* the error for a missing device is posted, unless its failure was posted before */
  const auto refuse = [] { throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "No device.", ""); };
  ck_assert (!run_guarded (element, refuse));
  ck_assert_int_eq (posted (), 0);
  forget_failures (element);
  ck_assert (!run_guarded (element, refuse));
  ck_assert_int_eq (posted (), 1);
  gst_element_set_bus (element, nullptr);
}

/* Requests that the compiling process cannot read, that name another device, or that ask for nothing. Texts and file names may
 * contain any bytes. */
TEST (requests)
{
  const Device device = choose_device ("");
  ck_assert_int_eq (serve_request (""), 2);
  ck_assert_int_eq (serve_request ("('0:0', 'name')"), 2);
  Device other = device;
  other.name += " the second";
  ck_assert_int_eq (serve_request (to_text (other, {})), 1);
  const KernelForm of_bytes{
      {.sources = {}, .options = "-DE=\xe9", .text = "/* caf\xe9 */", .name = "caf\xe9.cl"}, "", {1, 1}, {0, 0}};
  const std::string of_any_bytes = to_text (other, {of_bytes});
  test_check (of_any_bytes.find ("b'/* caf\\351 */'") != std::string::npos, "%s", of_any_bytes.c_str ());
  ck_assert_int_eq (serve_request (of_any_bytes), 1);
  other.device_index = other.platform_index = 99;
  ck_assert_int_eq (serve_request (to_text (other, {})), 1);
  ck_assert_int_eq (serve_request (to_text (device, {})), 0);
}

TEST (missing_source)
{
  const Device device = choose_device ("");
  const auto ask = [&] { return to_text (device, {{.program = {.sources = {"lib/nonesuch.clh"}}}}); };
  g_autoptr (GError) error = nullptr;
  ck_assert (!run_guarded (&error, ask));
  ck_assert (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT));
  expect_words (error->message, {"lib/nonesuch.clh"});
  /* from the first folder that contains it */
  const std::string first = scratch_folder () + "/first", second = scratch_folder () + "/second";
  ck_assert (gst::cl::write_file (second + "/lib/nonesuch.clh", FileTrust::named, "text"));
  g_setenv ("GST_CL_KERNEL_PATH", (first + ":" + second).c_str (), TRUE);
  ck_assert (ask ().find ("(b'lib/nonesuch.clh', b'text')") != std::string::npos);
  g_unsetenv ("GST_CL_KERNEL_PATH");
}

/* An event that is not set, one that is set to an error, and one that is complete. */
TEST (waits)
{
  const ContextRef owner = create_context ("");
  const Context &context = Context::of (owner.get ());
  ::cl::UserEvent open (context.handle), failed (context.handle), done (context.handle);
  done.setStatus (CL_COMPLETE);
  failed.setStatus (CL_OUT_OF_RESOURCES);
  ck_assert (!is_done (open) && is_done (failed) && is_done (done));
  context.wait_for (done);
  ck_assert (!run_guarded (static_cast<GError **> (nullptr), [&] { context.wait_for (failed); }));
  open.setStatus (CL_COMPLETE);
}

/* The watchdog's error comes before that of the element whose wait it ends. All other waits end, too. */
TEST (watchdog_speaks_first)
{
  const ContextRef owner = create_context ("");
  Context &context = Context::of (owner.get ());
  ::cl::UserEvent never (context.handle);
  std::atomic<bool> told = false;
  const auto watchdog = context.open->watchdog ();
  context.reaper.leave (never, [] {});
  watchdog->watch (never, 10, nullptr, [&told] {
    g_usleep (50000);
    told = true;
  });
  try {
    context.wait_for (never);
    ck_abort_msg ("a command that never ends has ended");
  } catch (const Overdue &) {
    test_check (told, "a wait ended before anybody was told why");
  }
  context.reaper.wait_for (context.reaper.left ());
  ck_assert (context.is_hung ());
  never.setStatus (CL_COMPLETE);
}

/* When nothing waits for the device any more, the objects that reads report to may be gone. */
TEST (late_read)
{
  const ContextRef owner = create_context ("");
  Context &context = Context::of (owner.get ());
  ::cl::UserEvent never (context.handle);
  const ::cl::Buffer buffer (context.handle, CL_MEM_READ_WRITE, 1);
  std::atomic<bool> called = false, released = false;
  const auto watchdog = context.open->watchdog ();
  {
    Commands commands (context);
    commands.begin_frame ({never}, false);
    commands.read_back (buffer, 1, [&called] (auto) { called = true; });
    watchdog->watch (commands.last (), 10, nullptr, [] {});
  }
  context.reaper.leave (never, [&released] { released = true; });
  never.setStatus (CL_COMPLETE);
  while (!released)
    g_usleep (500);
  ck_assert (!called);
}

/* What is left with failed commands goes too; and the last to let go of a reaper may be what it kept. */
TEST (reaper)
{
  const ContextRef owner = create_context ("");
  ::cl::UserEvent failed (Context::of (owner.get ()).handle);
  failed.setStatus (CL_OUT_OF_RESOURCES);
  std::atomic<int> released = 0;
  const std::atomic<bool> hung = false;
  const auto told = std::make_shared<std::atomic<bool>> (false);
  auto reaper = std::make_shared<Reaper> (told, hung);
  reaper->leave (failed, [&] { released++; });
  reaper->wait_for (reaper->left ());
  ck_assert (released == 1 && *told);
  ::cl::UserEvent held (Context::of (owner.get ()).handle);
  std::atomic<bool> gone = false;
  Reaper *const raw = reaper.get ();
  raw->leave (held, [kept = reaper, &gone] () mutable {
    kept.reset ();
    gone = true;
  });
  reaper.reset ();
  held.setStatus (CL_COMPLETE);
  for (int i = 0; i < 1000 && !gone; i++)
    g_usleep (10000);
  ck_assert (gone);
}

TEST (other_files)
{
  const std::string path = scratch_folder () + "/socket";
  const int server = socket (AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  g_strlcpy (address.sun_path, path.c_str (), sizeof address.sun_path);
  ck_assert (bind (server, reinterpret_cast<sockaddr *> (&address), sizeof address) == 0);
  for (const std::string &other : {path, std::string ("/dev/null"), std::string ("none.here")}) {
    g_autoptr (GError) error = nullptr;
    ck_assert (!run_guarded (&error, [&] { gst::cl::read_file (other, FileTrust::named, 100); }));
    test_check (g_str_has_prefix (error->message, (other + " cannot be read: ").c_str ()), "%s", error->message);
  }
  close (server);
  /* fewer bytes than the file had a moment ago; and a lock on something that is not a folder */
  ck_assert (gst::cl::write_file (path + ".text", FileTrust::named, "0123456789"));
  g_autoptr (GError) error = nullptr;
  ck_assert (!run_guarded (&error, [&] {
    char bytes[20];
    InputFile (path + ".text", FileTrust::named, 100).read (bytes, sizeof bytes);
  }));
  ck_assert (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ));
  ck_assert (!gst::cl::write_file (path + ".text/below", FileTrust::named, "x"));
  const FolderLock lock (path + ".text/below"), of_here ("");
}

/* A context whose device has failed is not given to anyone; the next request gets a new one. */
TEST (failed_context)
{
  const int pipeline = 0;
  const ContextRef failed = find_or_create_context ("", &pipeline);
  ck_assert (find_or_create_context ("", &pipeline).get () == failed.get ());
  g_autoptr (GstElement) element = static_cast<GstElement *> (gst_object_ref_sink (gst_bin_new ("some")));
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CL_CONTEXT_TYPE);
  ck_assert (gst_cl_handle_context_query (element, query, failed.get ()));
  Context::of (failed.get ()).failed = true;
  ck_assert (!gst_cl_handle_context_query (element, query, failed.get ()));
  GstContext *offered = nullptr;
  gst_query_parse_context (query, &offered);
  GstClContext *slot = nullptr;
  ck_assert (!gst_cl_handle_set_context (element, nullptr, offered, &slot) && !slot);
  const ContextRef next = find_or_create_context ("", &pipeline);
  ck_assert (next.get () != failed.get () && !Context::of (next.get ()).failed);
  ck_assert (gst_cl_context_get_handle (next.get ()) != gst_cl_context_get_handle (failed.get ()));
}

/* Companions of an application's context live as long as the context. */
TEST (companions)
{
  const Device device = choose_device ("");
  auto companion = std::make_shared<int> (0);
  const std::weak_ptr<int> needed = companion;
  {
    const ContextRef context = wrap_context (device, ::cl::Context (device.handle), std::move (companion));
    ck_assert (context && !needed.expired ());
  }
  ck_assert (needed.expired ());
}

TEST (counts)
{
  static_assert (divide_up (0, 4) == 0 && divide_up (1, 4) == 1 && divide_up (8, 4) == 2 && round_up (9, 4) == 12);
  ck_assert (is_integer (-3) && !is_integer (0.5));
  /* entries that are too large for the cache are skipped */
  disk_cache::store ("large", disk_cache::Binary (size_t (33) << 20));
  ck_assert (!disk_cache::holds ("large"));
}

}  // namespace test::core_suite

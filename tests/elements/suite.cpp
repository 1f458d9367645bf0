/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "gl.hpp"
#include "suite.hpp"

namespace test {

static bool
any_device ()
{
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs (16, platforms, &count) != CL_SUCCESS)
    return false;
  for (cl_uint i = 0; i < std::min (count, 16u); i++) {
    cl_uint devices = 0;
    if (clGetDeviceIDs (platforms[i], CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) == CL_SUCCESS && devices > 0)
      return true;
  }
  return false;
}

static bool
is_one_process ()
{
  return g_strcmp0 (g_getenv ("CK_FORK"), "no") == 0;
}

/* A kernel that must be built twice gives correct results, but takes twice as long to start. */
static void
refuse_build_warnings (GstDebugCategory *category, GstDebugLevel level, const gchar *, const gchar *, gint, GObject *,
    GstDebugMessage *message, gpointer)
{
  if (level <= GST_LEVEL_WARNING && !strcmp (gst_debug_category_get_name (category), "clprogrambuild"))
    test_fail ("%s", gst_debug_message_get (message));
}

/* libcheck leaves the test by a jump, which may block the process if another thread than the test's printed the message. */
static gboolean
expect_failure (const gchar *domain, GLogLevelFlags, const gchar *message, gpointer)
{
  if (!_gst_check_expecting_log)
    before_failure (domain, 0, message);
  return FALSE;
}

static bool has_gl = false;

const char *
expected_gl_path ()
{
  const char *path = g_getenv ("GST_CL_TEST_GL");
  return path && *path ? path : nullptr;
}

bool
takes_all ()
{
  const char *value = g_getenv ("GST_CL_TEST_FULL");
  return value && *value;
}

/* GStreamer is initialized once in a process. */
static void
start_gstreamer ()
{
  static bool started = false;
  if (std::exchange (started, true))
    return;
  int argc = 1;
  char program[] = "test";
  char *arguments[] = {program, nullptr};
  char **argv = arguments;
  gst_check_init (&argc, &argv);
  if (!std::strstr (g_getenv ("GST_DEBUG") ?: "", "clprogrambuild"))
    gst_debug_set_threshold_for_name ("clprogrambuild", GST_LEVEL_WARNING);
  gst_debug_add_log_function (refuse_build_warnings, nullptr, nullptr);
  for (const char *domain : {"GStreamer", "GLib", "GLib-GObject"})
    gst_check_add_log_filter (domain, GLogLevelFlags (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING),
        g_regex_new (".", GRegexCompileFlags (0), GRegexMatchFlags (0), nullptr), expect_failure, nullptr, nullptr);
}

int
run (const char *name, Needs needs, const std::function<void (Suite *)> &fill)
{
  if (needs == Needs::DeviceOrGL)
    needs = expected_gl_path () ? Needs::GL : Needs::Device;
  if (needs != Needs::Nothing && !is_true_elsewhere (any_device)) {
    g_print ("%s: skipped, no OpenCL device\n", name);
    return skipped;
  }
  prefer_headless_gl ();
  has_gl = needs == Needs::GL;
  if (needs == Needs::GL && !gl_present ()) {
    g_print ("%s: skipped, no GL\n", name);
    return skipped;
  }
  start_gstreamer ();
  g_print ("%s: GST_CL_TEST_SEED=%u GST_CL_BACKEND=%s GST_CL_DEVICE=%s GST_CL_TEST_GL=%s\n", name, Random::seed (),
      g_getenv ("GST_CL_BACKEND") ?: "", g_getenv ("GST_CL_DEVICE") ?: "", g_getenv ("GST_CL_TEST_GL") ?: "");
  Suite *suite = suite_create (name);
  fill (suite);
  return gst_check_run_suite (suite, name, name);
}

/* A failed test still has running threads, which could block drivers' exit handlers; and libglvnd, which does not wait for GL
 * threads that are ending, may free their data twice. Coverage runs (./run coverage) accept this risk, because their counts are
 * written at exit. */
static void
leave_quickly ()
{
  on_exit (
      [] (int status, void *) {
        if (status == 0 && (!has_gl || g_getenv ("GST_CL_TEST_COUNTS")))
          return;
        fflush (nullptr);
        _exit (status);
      },
      nullptr);
}

bool
Tests::add (const char *name, TFun test, Calls (*calls) ())
{
  all.push_back ({name, test, calls});
  return true;
}

void
Tests::operator() (Suite *suite) const
{
  TCase *group = tcase_create ("tests");
  tcase_set_timeout (group, seconds);
  tcase_add_checked_fixture (group, leave_quickly, nullptr);
  suite_add_tcase (suite, group);
  for (const Test &test : all) {
    const Calls calls = test.calls ();
    for (int i = takes_all () ? 0 : calls.first; i < calls.loops; i += takes_all () ? 1 : calls.step)
      _tcase_add_test (group, test.run, test.name, 0, 0, i, i + 1);
  }
}

int
system_only (int loops)
{
  return expected_gl_path () ? 0 : loops;
}

void
before_failure (const char *file, int line, const char *text)
{
  constexpr unsigned seconds = 20;
  if (!is_one_process ())
    return;
  g_printerr ("%s:%d: %s\n", file, line, text);
  signal (SIGALRM, SIG_DFL); /* libcheck's handler would also kill the process that started the test */
  alarm (seconds);
}

unsigned
Random::seed ()
{
  const char *text = g_getenv ("GST_CL_TEST_SEED");
  return text ? (unsigned) strtoul (text, nullptr, 10) : 20111;
}

Random::Random (unsigned stream) : engine (seed () * 7919u + stream) {}

int
Random::between (int low, int high)
{
  /* Not a std distribution, because these differ between standard libraries, and a seed must give the same numbers
   * everywhere. */
  return low + (int) (engine () % (unsigned) (high - low + 1));
}

double
Random::steps (double low, double high, int steps)
{
  return low + (high - low) * between (0, steps) / steps;
}

std::string
format (const char *text, ...)
{
  va_list arguments;
  va_start (arguments, text);
  const std::string formatted = text_of (gst_info_strdup_vprintf (text, arguments)); /* supports GST_PTR_FORMAT */
  va_end (arguments);
  return formatted;
}

std::string
text_of (char *owned)
{
  const std::string text = owned ? owned : "";
  g_free (owned);
  return text;
}

void
expect_words (const std::string &text, const std::vector<std::string> &words)
{
  for (const std::string &word : words)
    test_check (text.find (word) != std::string::npos, "no \"%s\" in \"%s\"", word.c_str (), text.c_str ());
}

std::string
text_property (gpointer object, const char *name)
{
  char *text = nullptr;
  g_object_get (object, name, &text, nullptr);
  return text_of (text);
}

double
number_property (gpointer object, const char *name)
{
  double value = 0;
  g_object_get (object, name, &value, nullptr);
  return value;
}

std::string
content_of (const std::string &path)
{
  std::ifstream file (path, std::ios::binary);
  return {std::istreambuf_iterator<char> (file), {}};
}

int
status_of_process (const std::function<int ()> &work)
{
  const pid_t child = fork ();
  if (child == 0)
    _exit (work ());
  int status = -1;
  ck_assert_int_eq (waitpid (child, &status, 0), child);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

bool
is_true_elsewhere (const std::function<bool ()> &check)
{
  return is_one_process () ? check () : status_of_process ([&] { return check () ? 0 : 1; }) == 0;
}

namespace {
struct Scratch {
  const std::string path = text_of (g_dir_make_tmp ("gst-cl-test-XXXXXX", nullptr));
  const pid_t owner = getpid (); /* a test's forked process must not remove it */

  ~Scratch ()
  {
    std::error_code ignored;
    if (getpid () == owner)
      std::filesystem::remove_all (path, ignored);
  }
};
}  // namespace

std::string
scratch_folder ()
{
  static Scratch scratch;
  return scratch.path;
}

}  // namespace test

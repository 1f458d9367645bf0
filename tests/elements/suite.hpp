/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by all tests: startup, skipping without a device, seeds, and error messages. */
#pragma once

#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gst/check/gstcheck.h>

#include "own.hpp"

/* Every failing check, including ck_assert (), prints its reason before libcheck leaves the test. */
#define _ck_assert_failed(file, line, expression, ...)                                                                         \
  (test::before_failure (file, line, expression), (_ck_assert_failed) (file, line, expression, __VA_ARGS__))

/* libcheck would write a record to a file for each check that passes, thousands for a frame. */
#define _mark_point(file, line) ((void) 0)

#undef fail /* replaces libcheck's name; <ios> has a member of that name */

namespace test {

/* The exit status that Meson treats as a skipped test. */
constexpr int skipped = 77;

/* $GST_CL_TEST_GL requests tests of GL memory, and sets the path that `stats` must report for it: "gl-shared", "gl-external" or
 * "gl-staged". Cases then begin and end in GL memory unless they choose otherwise. */
const char *expected_gl_path ();

/* GST_CL_TEST_FULL: every case of a test, which `./run test full` asks for. */
bool takes_all ();

/* DeviceOrGL: GL if a path is expected. */
enum class Needs { Device, GL, DeviceOrGL, Nothing };

/* Prints the suite's name and runs it like libcheck. Skips it if it needs an OpenCL device, or GL as well, and there is
 * none. */
int run (const char *name, Needs needs, const std::function<void (Suite *)> &fill);

using Arguments = std::vector<std::string>;
struct BadArguments {};

/* A suite of test-elements with its own main function and arguments, which usage describes: a static object registers the name by which it
 * runs (main.cpp), start returns main's status or throws BadArguments. */
class Program {
public:
  Program (const char *name, const char *usage, std::function<int (const Arguments &)> start);
};

/* A test is called with __i__ = first, first + 1 .. loops - 1. A quick run makes one call in `step`. */
struct Calls {
  explicit Calls (int loops_ = 1, int step_ = 1, int first_ = 0) : loops (loops_), step (step_), first (first_) {}

  int loops, step, first;
};

/* As many calls, but none where the path of GL memory is tested. */
int system_only (int loops);

/* A suite whose tests register themselves, in the order of their definition. The object that TEST () means is called `tests`. */
class Tests {
public:
  /* for run () */
  explicit Tests (int seconds_ = 300) : seconds (seconds_) {}

  /* A suite of test-elements. prepare runs before GStreamer starts, when the environment can still be changed. */
  Tests (const char *name, Needs needs, void (*prepare) () = nullptr, int seconds = 300);

  bool add (const char *name, TFun test, Calls (*calls) ());
  void operator() (Suite *suite) const;

private:
  struct Test {
    const char *name;
    TFun run;
    Calls (*calls) ();
  };
  std::vector<Test> all;
  int seconds; /* the time limit of a test */
};

/* TEST (name, loops, step, first) { ... } defines a test of a suite; what is left out is as in Calls. */
#define TEST(name, ...) TEST_IN (tests, name, __VA_ARGS__)
#define TEST_IN(suite, name, ...)                                                                                              \
  static void name##_body (int __i__);                                                                                         \
  GST_START_TEST (name)                                                                                                        \
  {                                                                                                                            \
    name##_body (__i__);                                                                                                       \
  }                                                                                                                            \
  GST_END_TEST                                                                                                                 \
  [[maybe_unused]] static const bool name##_added = suite.add (#name, name, [] { return test::Calls (__VA_ARGS__); });         \
  static void name##_body (int __i__)

/* A repeatable source of random choices. The seed is $GST_CL_TEST_SEED or a constant, combined with the caller's number. */
class Random {
public:
  explicit Random (unsigned stream);

  int between (int low, int high); /* both included */
  bool chance (int percent) { return between (0, 99) < percent; }
  double steps (double low, double high, int steps); /* low, high or one of the steps - 1 values between */
  template <typename Container> auto pick (const Container &from)
  {
    return *(std::begin (from) + between (0, (int) std::size (from) - 1));
  }
  template <typename T> T pick (std::initializer_list<T> from)
  {
    return *(from.begin () + between (0, (int) from.size () - 1));
  }

  static unsigned seed ();

private:
  std::mt19937 engine;
};

std::string format (const char *text, ...) G_GNUC_PRINTF (1, 2);

/* The text, which is freed; "" for null. */
std::string text_of (char *owned);

/* Fails the test unless the text contains each of the words. */
void expect_words (const std::string &text, const std::vector<std::string> &words);

/* The text, or the double, of an object's property. */
std::string text_property (gpointer object, const char *name);
double number_property (gpointer object, const char *name);

/* The bytes of a file; "" if there is none. */
std::string content_of (const std::string &path);

/* The exit status of a new process that does this; -1 if it crashes. */
int status_of_process (const std::function<int ()> &work);

/* Checks in a process of its own, unless tests share one: a driver's threads do not survive the fork that libcheck makes for each
 * test. */
bool is_true_elsewhere (const std::function<bool ()> &check);

/* An empty folder for this process, removed with its files at exit. */
std::string scratch_folder ();

/* If all cases share a process (CK_FORK=no), a failing case leaves playing pipelines, and threads that wait for their end:
 * prints the failure, and ends the process soon. */
void before_failure (const char *file, int line, const char *text);

/* Fails the test with a printf text of at most 4 KiB, libcheck's limit. */
#define test_fail(...)                                                                                                         \
  do {                                                                                                                         \
    const std::string why = test::format (__VA_ARGS__);                                                                        \
    test::before_failure (__FILE__, __LINE__, why.c_str ());                                                                   \
    (_ck_assert_failed) (__FILE__, __LINE__, "Failed", "%.3000s", why.c_str (), NULL);                                         \
  } while (0)
#define test_check(condition, ...)                                                                                             \
  do {                                                                                                                         \
    if (!(condition))                                                                                                          \
      test_fail (__VA_ARGS__);                                                                                                 \
  } while (0)

/* Like libcheck's check, which keeps pointers to texts of temporaries until it compares them. */
inline void
check_texts (const char *file, int line, const char *expressions, const char *found, const char *wanted)
{
  if (g_strcmp0 (found, wanted) == 0)
    return;
  const std::string why = format ("%s: \"%s\", not \"%s\"", expressions, found ? found : "(null)", wanted ? wanted : "(null)");
  before_failure (file, line, why.c_str ());
  (_ck_assert_failed) (file, line, "Failed", "%.3000s", why.c_str (), NULL);
}

#undef ck_assert_str_eq
#define ck_assert_str_eq(found, wanted) test::check_texts (__FILE__, __LINE__, #found " == " #wanted, found, wanted)

}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The host has no memory for a frame: every allocation of the element's own pool and of its proposed pool fails, once or
 * permanently. A run ends with all frames, or with one error with advice; then the same pipeline plays again. Kernels are
 * replaced by fakes. */
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "../elements/layer.hpp"
#include "census/census.hpp"
#include "element_lines.hpp"
#include "fault_play.hpp"

namespace test::fault_memory_suite {

static Tests tests ("fault_memory", Needs::Device);

static std::atomic<int> n_calls, failing_call;
static std::atomic<bool> for_good;

static bool
fails ()
{
  const int n = ++n_calls, failing = failing_call;
  return failing > 0 && (n == failing || (for_good && n > failing));
}

/* Replaces the library's allocator for frames. */
extern "C" void *
aligned_alloc (size_t alignment, size_t size)
{
  void *memory = nullptr;
  if (fails () || posix_memalign (&memory, alignment, size) != 0) {
    errno = ENOMEM;
    return nullptr;
  }
  return memory;
}

static void
fail_at (int n, bool always)
{
  for_good = always;
  failing_call = n;
  n_calls = 0;
}

constexpr char steps[] = "fffcff";

/* "" if it went well. */
static std::string
judge (const Outcome &outcome, const Outcome &usual)
{
  if (const std::string flaw = flaw_of (outcome, usual, false); !flaw.empty ())
    return flaw;
  if (outcome.errors.empty ())
    return outcome.flows ? "" : "no error, and frames that were not taken";
  const std::string &text = outcome.errors[0].text;
  return text.find ("memory") == std::string::npos || text.find (". ") == std::string::npos
             ? "an error without memory or advice: " + outcome.errors[0].all ()
             : "";
}

/* Returns the number of allocations. */
static int
play_usual (FaultPlay &play, const std::string &line, Outcome &usual)
{
  fail_at (0, false);
  usual = play.play (steps);
  expect_usual (usual, line);
  return n_calls;
}

TEST (every_allocation, fault_lines ().size ())
{
  const std::string line = fault_lines ()[__i__];
  if (!is_asked_for (line))
    return;
  layer_function<decltype (cl_census_skip_kernels)> ("cl_census_skip_kernels") (true);
  unsigned runs = 0, hits = 0;
  for (const bool pool : {false, true}) {
    Outcome usual;
    FaultPlay play (line, pool);
    const int calls = play_usual (play, line, usual);
    for (int n = 1; n <= calls; n++)
      for (const bool always : {false, true}) {
        /* a quick run tests a few allocations, different ones for each element */
        if ((int (__i__) + n) % 48 && !takes_all ())
          continue;
        fail_at (n, always);
        const Outcome outcome = play.play (steps);
        const std::string bad = judge (outcome, usual);
        test_check (bad.empty (), "\"%s\"%s, allocation %d%s: %s", line.c_str (), pool ? " with its pool" : "", n,
            always ? " and later ones" : "", bad.c_str ());
        hits += !outcome.errors.empty ();
        Outcome again;
        play_usual (play, line, again);
        test_check (again.checksums.size () == usual.checksums.size (),
            "\"%s\", allocation %d: the next start gives %zu of %zu frames", line.c_str (), n, again.checksums.size (),
            usual.checksums.size ());
        runs++;
      }
  }
  g_print ("%s: %u runs, %u errors\n", line.c_str (), runs, hits);
}

}  // namespace test::fault_memory_suite

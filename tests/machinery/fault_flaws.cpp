/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <set>

#include "fault_play.hpp"

namespace test {

void
expect_usual (const Outcome &usual, const std::string &line)
{
  test_check (usual.started && usual.ended && usual.flows && usual.errors.empty () && !usual.checksums.empty (),
      "\"%s\" does not play: %s", line.c_str (), joined (usual.errors).c_str ());
}

static std::string
compare (const Outcome &outcome, const Outcome &usual, bool bytes)
{
  if (!outcome.started)
    return "does not start";
  if (outcome.unreadable > 0)
    return format ("%u frames that cannot be read", outcome.unreadable);
  if (outcome.checksums.size () != usual.checksums.size ())
    return format ("%zu of %zu frames", outcome.checksums.size (), usual.checksums.size ());
  if (bytes && outcome.checksums != usual.checksums)
    return "wrong bytes";
  return outcome.ended ? "" : "no end";
}

std::string
flaw_of (const Outcome &outcome, const Outcome &usual, bool bytes)
{
  /* clvideo contains several elements, each of which may notice the failure */
  std::set<std::string> elements;
  for (const Report &each : outcome.errors)
    elements.insert (each.from);
  if (outcome.errors.size () > elements.size ())
    return format ("%zu errors:", outcome.errors.size ()) + joined (outcome.errors);
  const std::string what = outcome.errors.empty () ? compare (outcome, usual, bytes) : "";
  return what.empty () ? "" : "no error, " + what;
}

std::string
flaw_of_restart (const Outcome &again, const Outcome &usual, bool bytes)
{
  if (!again.errors.empty ())
    return "the next start fails:" + joined (again.errors);
  const std::string what = compare (again, usual, bytes);
  return what.empty () ? "" : "the next start: " + what;
}

bool
is_asked_for (const std::string &line)
{
  return line.starts_with (g_getenv ("GST_CL_TEST_ELEMENT") ?: "");
}

}  // namespace test

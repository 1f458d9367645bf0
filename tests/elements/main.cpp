/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test-elements NAME ARGUMENT... [+ NAME ARGUMENT...]...: one program for most suites, because linking each by itself, and reading all
 * headers again for it, takes longer than what it tests. A process may run several suites, because each process that builds kernels reads
 * PoCL's library first, for over a second. */
#include <algorithm>
#include <map>

#include "suite.hpp"

namespace test {

namespace {
struct Entry {
  std::string usage;
  std::function<int (const Arguments &)> start;
};

std::map<std::string, Entry> &
entries ()
{
  static std::map<std::string, Entry> all;
  return all;
}

void
print_usage (const char *program, const std::string &name, const Entry &entry)
{
  g_printerr ("usage: %s %s%s%s\n", program, name.c_str (), entry.usage.empty () ? "" : " ", entry.usage.c_str ());
}

int
start (const char *program, const Arguments &words)
{
  const auto found = entries ().find (words.empty () ? "" : words[0]);
  if (found == entries ().end ()) {
    for (const auto &[name, entry] : entries ())
      print_usage (program, name, entry);
    return 2;
  }
  try {
    return found->second.start (Arguments (words.begin () + 1, words.end ()));
  } catch (const BadArguments &) {
    print_usage (program, found->first, found->second);
    return 2;
  }
}

/* The status of the first suite that fails; or that all were skipped. */
int
start_each (const char *program, const Arguments &words)
{
  int failure = 0;
  bool any_ran = false;
  for (auto from = words.begin ();;) {
    const auto to = std::find (from, words.end (), "+");
    const int status = start (program, Arguments (from, to));
    any_ran = any_ran || status != skipped;
    if (!failure && status != skipped)
      failure = status;
    if (to == words.end ())
      return any_ran ? failure : skipped;
    from = to + 1;
  }
}
}  // namespace

Program::Program (const char *name, const char *usage, std::function<int (const Arguments &)> start)
{
  if (!entries ().emplace (name, Entry{usage, std::move (start)}).second)
    g_error ("two suites are called %s", name);
}

Tests::Tests (const char *name, Needs needs, void (*prepare) (), int seconds_) : seconds (seconds_)
{
  Program (name, "", [=, this] (const Arguments &arguments) {
    if (!arguments.empty ())
      throw BadArguments ();
    if (prepare)
      prepare ();
    return run (name, needs, *this);
  });
}

}  // namespace test

int
main (int argc, char **argv)
{
  return test::start_each (argv[0], test::Arguments (argv + 1, argv + argc));
}

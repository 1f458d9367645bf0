/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test-elements NAME ARGUMENT...: a single program for most suites, because linking each suite, and compiling all headers for
 * it, takes longer than its tests. A process runs one suite. */
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
start (int argc, char **argv)
{
  const auto found = entries ().find (argc > 1 ? argv[1] : "");
  if (found == entries ().end ()) {
    for (const auto &[name, entry] : entries ())
      print_usage (argv[0], name, entry);
    return 2;
  }
  try {
    return found->second.start (Arguments (argv + 2, argv + argc));
  } catch (const BadArguments &) {
    print_usage (argv[0], found->first, found->second);
    return 2;
  }
}
}  // namespace

Program::Program (const char *name, Needs needs, void (*fill) (Suite *), void (*prepare) ())
    : Program (name, "", [=] (const Arguments &arguments) {
        if (!arguments.empty ())
          throw BadArguments ();
        if (prepare)
          prepare ();
        return run (name, needs, fill);
      })
{
}

Program::Program (const char *name, const char *usage, std::function<int (const Arguments &)> start)
{
  if (!entries ().emplace (name, Entry{usage, std::move (start)}).second)
    g_error ("two suites are called %s", name);
}

}  // namespace test

int
main (int argc, char **argv)
{
  return test::start (argc, argv);
}

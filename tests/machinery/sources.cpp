/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logs of compilers that ignore #line. */
#include "core/sources.hpp"

#include "../elements/suite.hpp"

using gst::cl::restore_places;
namespace test::sources_suite {

static Tests tests ("sources", Needs::Nothing);

const std::string source = "#line 1 \"lib/a.clh\"\nint a;\nint b;\n\n#line 1 \"my \\\"own\\\".cl\"\nkernel void k "
                           "()\n{\n}\n#line 1 \"cut\nint c;\n#line 2\nint d;\n";

struct Log {
  const char *given, *restored;
};

const Log logs[] = {
    {"<kernel>:2:5: error: no a\n", "lib/a.clh:1:5: error: no a\n"},
    {"<kernel>:3:1: error: b\n<kernel>:7:1: note: {\n", "lib/a.clh:2:1: error: b\nmy \\\"own\\\".cl:2:1: note: {\n"},
    {"<kernel>:10:5: error: no c\n", "my \\\"own\\\".cl:5:5: error: no c\n"},
    {"<kernel>:12:1: error: no d\n", "my \\\"own\\\".cl:2:1: error: no d\n"},
    /* lines that are directives, or do not exist */
    {"<kernel>:5:1: warning", "<kernel>:5:1: warning"},
    {"<kernel>:99:1: error", "<kernel>:99:1: error"},
    {"<kernel>:0: error", "<kernel>:0: error"},
    {"<kernel>: fatal", "<kernel>: fatal"},
    {"<kernel>:", "<kernel>:"},
    {"lib/a.clh:2:5: error: b", "lib/a.clh:2:5: error: b"},
    {"", ""},
};

TEST (places, std::size (logs))
{
  const Log &log = logs[__i__];
  const std::string restored = restore_places (log.given, source);
  ck_assert_str_eq (restored.c_str (), log.restored);
}

}  // namespace test::sources_suite

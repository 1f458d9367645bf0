/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages of clprogram about its builds. */
#pragma once

#include <optional>
#include <string>

#include "../../elements/pipeline.hpp"

namespace test {

/* A message about a build. */
struct Build {
  bool success = false;
  int line = 0, column = 0;
  std::string location, log, message, hint, kernel;
  double ms = 0;
};

/* The next build that a bus reports, or nothing after `patience`. */
inline std::optional<Build>
next_build (GstBus *bus, GstClockTime patience = 0)
{
  while (const Own message = gst_bus_timed_pop_filtered (bus, patience, GST_MESSAGE_ELEMENT)) {
    const GstStructure *content = gst_message_get_structure (message);
    if (!gst_structure_has_name (content, "GstClProgramBuild"))
      continue;
    Build build;
    gboolean success = FALSE;
    fail_unless (gst_structure_get (content, "success", G_TYPE_BOOLEAN, &success, "line", G_TYPE_INT, &build.line, "column",
        G_TYPE_INT, &build.column, "build-ms", G_TYPE_DOUBLE, &build.ms, nullptr));
    build.success = success;
    for (const auto &[field, text] :
        std::initializer_list<std::pair<const char *, std::string *>>{{"location", &build.location}, {"log", &build.log},
            {"message", &build.message}, {"hint", &build.hint}, {"kernel", &build.kernel}})
      *text = gst_structure_get_string (content, field);
    return build;
  }
  return std::nullopt;
}

}  // namespace test

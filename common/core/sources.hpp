/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels' sources, embedded at build time. */
#pragma once

#include <string>
#include <vector>

namespace gst::cl {

struct EmbeddedSource {
  const char *name;
  const char *text;
};

extern const EmbeddedSource embedded_sources[];
extern const unsigned n_embedded_sources;

/** The sources in the order given, each behind a #line that names it. A file of that name in a folder of
 *  $GST_CL_KERNEL_PATH (separated by ':') takes the place of the embedded one. Throws Failure (LIBRARY, INIT). */
std::string join_sources (const std::vector<std::string> &names);

}  // namespace gst::cl

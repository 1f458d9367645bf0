/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels' sources, embedded at build time. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

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

/** A compiler's log of `source`, with the names and lines that its #line directives give, where the compiler (NVIDIA's) calls
 *  the whole text <kernel> and counts its lines from the first one. */
GST_CL_API std::string restore_places (const std::string &log, const std::string &source);

}  // namespace gst::cl

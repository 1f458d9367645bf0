/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels' sources, embedded at build time: the library's own, and those that others add. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

#include <span>
#include <string>
#include <vector>

namespace gst::cl {

/** Bytes of a file of source text, more than anybody writes. */
inline constexpr size_t largest_source = 16u << 20;

struct EmbeddedSource {
  const char *name;
  const char *text;
};

/** Of kernels/lib. */
extern const std::span<const EmbeddedSource> library_kernels;

/** Makes sources known by their names to every later build of the process, which keeps the table. Thread-safe. */
GST_CL_API void add_sources (std::span<const EmbeddedSource> sources);

/** The text of that name: of a file in a folder of $GST_CL_KERNEL_PATH (separated by ':'), else embedded. Throws Failure
 *  (LIBRARY, INIT), FileFailure where such a file cannot be read. */
std::string load_source (const std::string &name);

/** The sources in the order given, each behind a #line that names it. Throws as load_source() does. */
std::string join_sources (const std::vector<std::string> &names);

/** A compiler's log of `source`, with the names and lines that its #line directives give, where the compiler (NVIDIA's) calls
 *  the whole text <kernel> and counts its lines from the first one. */
GST_CL_API std::string restore_places (const std::string &log, const std::string &source);

}  // namespace gst::cl

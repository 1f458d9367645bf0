/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sources of kernels, which are embedded at build time: the library's own, and those that a plugin adds. */
#pragma once

#include <gst/cl/gstcl-prelude.h>

#include <span>
#include <string>
#include <vector>

namespace gst::cl {

/** The largest source file that is read, in bytes. */
inline constexpr size_t largest_source = 16u << 20;

struct EmbeddedSource {
  const char *name;
  const char *text;
};

/** The files of kernels/lib. */
extern const std::span<const EmbeddedSource> library_kernels;

/** Adds sources for all later builds of the process. The table must stay valid. Thread-safe. */
GST_CL_API void add_sources (std::span<const EmbeddedSource> sources);

/** The source of that name: a file in one of the folders of $GST_CL_KERNEL_PATH (separated by ':'), else the embedded text.
 *  Throws Failure (LIBRARY, INIT), or FileFailure if the file cannot be read. */
std::string load_source (const std::string &name);

/** Joins the sources in that order, each after a #line with its name. Throws as load_source() does. */
std::string join_sources (const std::vector<std::string> &names);

/** Corrects a compiler's log of `source`: NVIDIA's compiler names the whole text <kernel> and ignores #line. The result has the
 *  names and line numbers of the #line directives. */
GST_CL_API std::string restore_places (const std::string &log, const std::string &source);

}  // namespace gst::cl

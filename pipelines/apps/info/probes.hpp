/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the report. Most are made by child processes, and returned as members of a document. */
#pragma once

#include "document.hpp"

namespace gst::cl {
struct Verdict;
}

/** Adds "system", "variables" and "cache", which need no driver. */
void tell_system (JsonObject *to);
void tell_variables (JsonObject *to);
void tell_cache (JsonObject *to);

/** Adds "advice" to the otherwise complete report: what to do without a device, or if a device of the machine is missing. */
void tell_advice (JsonObject *report);

/** In a child: adds "opencl-loader", "platforms", "devices" and "choice". wanted: a value of the elements' property
 *  `device`. */
void probe_devices (JsonObject *to, const std::string &wanted);

/** Adds "opencl-loader" and "platforms". Throws nothing. */
void tell_platforms (JsonObject *to);

/** Measures a device, given by its numbers, and stores the results: "figures", "figures-problem". */
void probe_figures (JsonObject *to, const std::string &device);

/** Adds "methods": how frames move between a device, given by its numbers, and memory of other interfaces than GL. Returns the
 *  exit status. */
int probe_video (JsonObject *to, const std::string &device);

/** Adds the GL context that GStreamer makes in this environment: "kind", "vendor" and so on, or "reason". */
void probe_gl (JsonObject *to);

/** Adds "formats": one method ("sharing", "external", "staged") of moving frames between a device, given by its numbers, and
 *  this GL context. Returns the exit status. */
int probe_pair (JsonObject *to, const std::string &device, const std::string &method);

/** Adds a method, which has not died yet. */
JsonObject *tell_method (JsonObject *to, const char *method);
/** Adds the result of a format to a method. */
void tell_format (JsonObject *method, const char *format, const gst::cl::Verdict &verdict);

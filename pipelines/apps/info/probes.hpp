/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the report. Most are made by child processes, and returned as members of a document. */
#pragma once

#include "document.hpp"

namespace gst::cl {
struct Verdict;
}

/** "system", "variables" and "cache": what needs no driver. */
void tell_system (JsonObject *to);
void tell_variables (JsonObject *to);
void tell_cache (JsonObject *to);

/** "advice", when the report has all else: what somebody can do who has no device, or not the one that is in the machine. */
void tell_advice (JsonObject *report);

/** What a child does: "opencl-loader", "platforms", "devices" and "choice". wanted: as the elements' property `device` takes it. */
void probe_devices (JsonObject *to, const std::string &wanted);

/** The first two. Throws nothing. */
void tell_platforms (JsonObject *to);

/** Measures a device, by its numbers, and keeps the figures: "figures", "figures-problem". */
void probe_figures (JsonObject *to, const std::string &device);

/** The ways of frames between a device, by its numbers, and memory of other interfaces than GL: "methods". Returns the exit status. */
int probe_video (JsonObject *to, const std::string &device);

/** The GL context that GStreamer makes with the environment as it is: "kind", "vendor" and so on, or "reason". */
void probe_gl (JsonObject *to);

/** One way ("sharing", "external", "staged") of frames between a device, by its numbers, and that GL context: "formats". Returns
 *  the exit status. */
int probe_pair (JsonObject *to, const std::string &device, const std::string &method);

/** A new method among to's, which has not died. */
JsonObject *tell_method (JsonObject *to, const char *method);
/** Another one of a method's formats. */
void tell_format (JsonObject *method, const char *format, const gst::cl::Verdict &verdict);

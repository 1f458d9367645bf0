/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the child processes do; each tells members of a document and returns the exit status. */
#pragma once

#include "document.hpp"

namespace gst::cl {
struct Verdict;
}

/** "opencl-loader", "platforms", "devices" and "choice" of the report. wanted: as the elements' property `device` takes it. */
int probe_devices (JsonObject *to, const std::string &wanted);

/** The first two. Throws nothing. */
void tell_platforms (JsonObject *to);

/** Measures a device, by its numbers, and keeps the figures: "figures", "figures-problem". */
int probe_figures (JsonObject *to, const std::string &device);

/** The ways of frames between a device, by its numbers, and memory of other interfaces than GL: "methods". */
int probe_video (JsonObject *to, const std::string &device);

/** The GL context that GStreamer makes with the environment as it is: "kind", "vendor" and so on, or "reason". */
int probe_gl (JsonObject *to);

/** One way ("sharing", "external", "staged") of frames between a device, by its numbers, and that GL context: "formats". */
int probe_pair (JsonObject *to, const std::string &device, const std::string &method);

/** A new method among to's, which has not died. */
JsonObject *tell_method (JsonObject *to, const char *method);
/** Another one of a method's formats. */
void tell_format (JsonObject *method, const char *format, const gst::cl::Verdict &verdict);

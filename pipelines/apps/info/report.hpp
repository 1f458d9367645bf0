/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report. It is a document with these members:
 *
 * system            plugin, version, ..., opencl-loader
 * variables         of the environment, as far as they have a say
 * platforms         a list: platform, name, ..., problem
 * devices           a list: device (its numbers), name, limits, ..., problem;
 *                   figures: measured (seconds since 1970) and what cl-info --measure found, or null;
 *                   figures-problem: what went wrong then;
 *                   tuned: what cl-tune found: file, entries and what they gain, problem where the file is ignored
 * devices-ending    how listing them died; "" where it did not
 * choice            what a device string picks: wanted, and device with reason, or problem
 * cache             folder, entries, bytes, limit-bytes, oldest and newest (seconds since 1970)
 * gl                where asked for. default: what a pipeline gets without any variable set, or why it gets none;
 *                   contexts: a list: name (GST_GL_PLATFORM/GST_GL_WINDOW), vendor, renderer, ..., reason (why there is none);
 *                   pairs: a list: device, gl, methods
 * video             where asked for, a list: device, died (how the probe did), methods
 * advice            a list of sentences
 *
 * methods are a list: method, died, formats, which is a list: format, works, and microseconds or reason. */
#pragma once

#include "../common/json.hpp"

struct Options {
  bool all = false, gl = false, video = false, measure = false, json = false, clear_cache = false, verbose = false,
       check = false, record = false;
  /** The time limit of a child, in seconds. */
  int timeout = 60;
  /** device: a value of the elements' property `device`. */
  std::string child, device, method;
};

/** Call this first; it records how to start this program again. */
void remember_self (const char *argv0);

/** Makes the report in child processes, because a driver may crash or hang. */
Json make_report (const Options &options);

/** The report as text: about a page, or everything. */
std::string to_text (Json report, bool all);
/** Returns for example "12.3 MiB". */
std::string bytes_text (guint64 count);

/** Filters small frames with every element on the device (named like the elements' property `device`). Prints differences from
 *  PoCL's results, and a line for a bug report. record: prints the results instead, in the format of check_results.inc. Returns
 *  the program's exit status: 1 if a result is wrong. */
int check_elements (const std::string &device, bool record);

/* The parts of the report. Most are made by child processes, and returned as members of a document. */
namespace gst::cl {
struct Verdict;
}

/** Adds "system", "variables" and "cache", which need no driver. */
void tell_system (Json to);
void tell_variables (Json to);
void tell_cache (Json to);

/** Adds "advice" to the otherwise complete report: what to do without a device, or if a device of the machine is missing. */
void tell_advice (Json report);

/** In a child: adds "opencl-loader", "platforms", "devices" and "choice". wanted: a value of the elements' property
 *  `device`. */
void probe_devices (Json to, const std::string &wanted);

/** Measures a device, given by its numbers, and stores the results: "figures", "figures-problem". */
void probe_figures (Json to, const std::string &device);

/** Adds "methods": how frames move between a device, given by its numbers, and memory of other interfaces than GL. Returns the
 *  exit status. */
int probe_video (Json to, const std::string &device);

/** Adds the GL context that GStreamer makes in this environment: "kind", "vendor" and so on, or "reason". */
void probe_gl (Json to);

/** Adds "formats": one method ("sharing", "external", "staged") of moving frames between a device, given by its numbers, and
 *  this GL context. Returns the exit status. */
int probe_pair (Json to, const std::string &device, const std::string &method);

/** Adds a method. died: how its probe did, or "". */
Json tell_method (Json to, const char *method, const std::string &died = "");
/** Adds the result of a format to a method. */
void tell_format (Json method, const char *format, const gst::cl::Verdict &verdict);
/** Bytes in hexadecimal, such as "0a1b". */
std::string hex_of (const unsigned char *bytes, size_t count);

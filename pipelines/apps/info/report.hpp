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

/* Child processes send parts of the report, which the parent combines. Objects belong to the document that contains them. */

/** In a child: the document to fill in. From now on each tell () sends the document to the parent, so that nothing is lost if
 *  the process dies right afterwards. What drivers print on standard output goes to standard error. */
JsonObject *begin_telling ();
/** In the parent: the last document in a child's output; empty if there is none. */
JsonTree parse_told (const std::string &output);

/** Sets a member. */
void tell (JsonObject *to, const char *name, JsonNode *value);
/** Replaces invalid UTF-8, because drivers' strings may contain any bytes. */
void tell (JsonObject *to, const char *name, const std::string &value);
void tell (JsonObject *to, const char *name, double value);
/** Adds bytes in hexadecimal, such as "0a1b". */
void tell_bytes (JsonObject *to, const char *name, const unsigned char *bytes, size_t count);
inline void
tell (JsonObject *to, const char *name, std::integral auto value)
{
  if constexpr (std::same_as<decltype (value), bool>)
    tell (to, name, json_node_init_boolean (json_node_alloc (), value));
  else
    tell (to, name, json_node_init_int (json_node_alloc (), gint64 (value)));
}
/** Adds an object as a member. */
JsonObject *tell_group (JsonObject *to, const char *name);
/** The list in a member; adds it if it is missing. */
JsonArray *tell_list (JsonObject *to, const char *name);
/** Appends an object to the list in a member. */
JsonObject *tell_item (JsonObject *to, const char *name);
/** Copies the member from `from`, if it exists. */
void tell_same (JsonObject *to, const char *name, JsonObject *from);

/** A member's text: "" if it is missing, "(not told)" for null. Control characters are removed. */
std::string text_in (JsonObject *object, const char *name);
/** 0 if it is missing. */
double number_in (JsonObject *object, const char *name);
/** Null if it is missing. */
JsonObject *group_in (JsonObject *object, const char *name);
/** In the order in which they were added. */
std::vector<std::string> names_in (JsonObject *object);

struct Wishes {
  /** A value of the elements' property `device`. */
  std::string device;
  bool measure = false, gl = false, video = false;
  /** The time limit of a child, and whether its standard error is shown. */
  unsigned seconds = 60;
  bool verbose = false;
};

/** Call this first; it records how to start this program again. */
void remember_self (const char *argv0);

/** Makes the report in child processes, because a driver may crash or hang. */
JsonTree make_report (const Wishes &wishes);

/** The report as text: about a page, or everything. */
std::string to_text (JsonObject *report, bool all);
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
void tell_system (JsonObject *to);
void tell_variables (JsonObject *to);
void tell_cache (JsonObject *to);

/** Adds "advice" to the otherwise complete report: what to do without a device, or if a device of the machine is missing. */
void tell_advice (JsonObject *report);

/** In a child: adds "opencl-loader", "platforms", "devices" and "choice". wanted: a value of the elements' property
 *  `device`. */
void probe_devices (JsonObject *to, const std::string &wanted);

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

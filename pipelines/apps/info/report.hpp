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

#include "document.hpp"

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
Document make_report (const Wishes &wishes);

/** The report as text: about a page, or everything. */
std::string to_text (JsonObject *report, bool all);
/** Returns for example "12.3 MiB". */
std::string bytes_text (guint64 count);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the child processes do; each tells facts and returns the exit status. */
#pragma once

#include <string>

/** Facts of every OpenCL device; each one's begin with "device", its indices. */
int probe_devices ();

/** Facts of the GL context that GStreamer makes with the environment as it is. */
int probe_gl ();

/** Facts of one way ("sharing", "external", "staged") of frames between a device, by its indices, and that GL context:
 *  a format's name, and "ok MICROSECONDS" or "no REASON". */
int probe_pair (const std::string &device, const std::string &method);

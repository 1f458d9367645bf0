/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the child processes do; each tells facts and returns the exit status. */
#pragma once

#include <string>

/** Facts of the OpenCL loader, of every platform, of every device, and of the choice among them that wanted makes.
 *  Groups: "loader", "platform", "device", behind it its "figures" where there are any, and "tuned"; "choice". */
int probe_devices (const std::string &wanted);

/** The first part of probe_devices(). Throws nothing. */
void tell_platforms ();

/** Measures a device, by its indices, keeps the figures and tells them. */
int probe_figures (const std::string &device);

/** Facts of the ways of frames between a device, by its indices, and memory of other interfaces than GL: "WAY/WHAT", and "ok
 *  MICROSECONDS" or "no REASON". */
int probe_video (const std::string &device);

/** Facts of the GL context that GStreamer makes with the environment as it is. */
int probe_gl ();

/** Facts of one way ("sharing", "external", "staged") of frames between a device, by its indices, and that GL context:
 *  a format's name, and "ok MICROSECONDS" or "no REASON". */
int probe_pair (const std::string &device, const std::string &method);

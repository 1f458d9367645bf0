/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All that was found out, and its two forms. */
#pragma once

#include "facts.hpp"

#include <glib.h>

#include <optional>

struct GlKind {
  /** "glx/x11": GST_GL_PLATFORM and GST_GL_WINDOW */
  std::string name;
  Facts facts;
  /** Why there is no such context; empty where there is. */
  std::string reason;
};

struct FormatResult {
  std::string format;
  bool works;
  std::string reason;
  double microseconds;
};

struct MethodResult {
  std::string method;
  std::vector<FormatResult> formats;
  /** How the probe died, if it did. */
  std::string ending;
};

struct Pair {
  std::string device, gl;
  std::vector<MethodResult> methods;
};

/** A device and memory of other interfaces than GL. */
struct VideoReport {
  std::string device;
  std::vector<MethodResult> methods;
  /** How the probe died, if it did. */
  std::string ending;
};

struct GlReport {
  /** "glx/x11": what a pipeline gets without any variable set, or why it gets none */
  std::string default_gl;
  std::vector<GlKind> kinds;
  std::vector<Pair> pairs;
};

struct DeviceReport {
  /** The first is "device", its indices. */
  Facts facts;
  /** "measured", in seconds since 1970, and the figures; empty where nobody has measured. */
  Facts figures;
  /** What went wrong while measuring. */
  std::string figures_problem;
  /** What cl-tune found: "file", "entries" and what they gain, "problem" where the file is ignored. */
  Facts tuned;
};

struct CacheReport {
  std::string folder;
  guint64 entries = 0, bytes = 0, limit_bytes = 0;
  /** Seconds since 1970. */
  gint64 oldest = 0, newest = 0;
};

struct Report {
  Facts system;
  /** Of the environment, as far as they have a say. */
  Facts variables;
  std::vector<Facts> platforms;
  std::vector<DeviceReport> devices;
  /** How listing them died, if it did. */
  std::string devices_ending;
  /** What a device string picks: "wanted", and "device" with "reason", or "problem". */
  Facts choice;
  CacheReport cache;
  std::optional<GlReport> gl;
  std::optional<std::vector<VideoReport>> video;
  /** What to do where something is amiss. */
  std::vector<std::string> advice;
};

/** Not longer than fits on a page, or everything. */
std::string to_text (const Report &report, bool all);
std::string to_json (const Report &report);

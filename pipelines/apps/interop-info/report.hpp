/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All that was found out, and its two forms. */
#pragma once

#include "facts.hpp"

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

struct Report {
  Facts system;
  std::vector<Facts> devices;
  std::string devices_ending;
  /** "glx/x11": what a pipeline gets without any variable set, or why it gets none */
  std::string default_gl;
  std::vector<GlKind> gl;
  std::vector<Pair> pairs;
};

std::string to_text (const Report &report);
std::string to_json (const Report &report);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fills a report by asking children. */
#pragma once

#include "child.hpp"
#include "report.hpp"

class Prober {
public:
  /** seconds: how long a child may take. */
  Prober (unsigned seconds, bool verbose) : seconds (seconds), verbose (verbose) {}

  struct Wishes {
    /** As the elements' property `device` takes it. */
    std::string device;
    bool measure = false, gl = false, video = false;
  };

  Report run (const Wishes &wishes) const;

private:
  ChildResult ask (const std::vector<std::string> &arguments, const std::string &gl) const;
  void list_devices (Report &report, const std::string &wanted) const;
  void measure (DeviceReport &device) const;
  std::string default_gl () const;
  GlKind gl_kind (const std::string &name) const;
  Pair pair (const std::string &device, const std::string &gl) const;
  GlReport probe_gl (const Report &report) const;
  VideoReport probe_video (const std::string &device) const;

  const unsigned seconds;
  const bool verbose;
};

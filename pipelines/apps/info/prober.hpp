/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the report by asking children. */
#pragma once

#include "child.hpp"

class Prober {
public:
  /** seconds: how long a child may take. */
  Prober (unsigned seconds, bool verbose) : seconds (seconds), verbose (verbose) {}

  struct Wishes {
    /** As the elements' property `device` takes it. */
    std::string device;
    bool measure = false, gl = false, video = false;
  };

  Document run (const Wishes &wishes) const;

private:
  ChildResult ask (const std::vector<std::string> &arguments, const std::string &gl = "") const;
  void list_devices (JsonObject *report, const std::string &wanted) const;
  void measure (JsonObject *device) const;
  void probe_context (JsonObject *to, const std::string &name) const;
  void probe_pair (JsonObject *to, const std::string &device, const std::string &gl) const;
  void probe_gl (JsonObject *report) const;
  void probe_video (JsonObject *to, const std::string &device) const;

  const unsigned seconds;
  const bool verbose;
};

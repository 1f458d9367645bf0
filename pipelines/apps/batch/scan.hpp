/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a video consists of. */
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

struct Scan {
  /* Stream times in nanoseconds, in order. */
  std::vector<GstClockTime> frames;
  /* Why it cannot be cut into segments; empty where it can. */
  std::string whole_because;
  /* Whether the caps give the frames a rate. */
  bool has_rate = false;
};

/* Reads the first video stream of a file. decodes: decodes it, which takes long and sees what decoders do; else the container's
 * times are taken. Throws where the file is no video. */
Scan scan_video (const std::string &path, bool decodes);

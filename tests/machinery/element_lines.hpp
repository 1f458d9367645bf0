/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launch lines of every element, for tests of what all elements have in common. */
#pragma once

#include <string>
#include <vector>

#include <gst/cl/cl.h>

namespace test {

/* The works of each element (gst/NAME/filter.json), with the programs that 106 formats need on the cpu back end, as counted.
 * Planes with samples of the same size and depth, as many in a pixel, share one for each source; most of the others rearrange
 * frames, since words of several values have their layout in the program, or are lib/pad.cl where the kernel wants margins.
 * GST_DEBUG=clprogrambuild:5 lists them. */
struct Line {
  std::string element, launch;
  guint64 budget;
};

std::vector<Line> lines ();

/* The element with the settings of its last work, or without any. */
std::string at_work (const std::string &element);

/* Every element with settings that change the picture, for tests with failures. */
std::vector<std::string> fault_lines ();

/* Whether the census layer replaces kernels by empty ones, which need no compiler. */
void skip_kernels (bool skips);

/* The pads for frames, and the formats of the first one. */
std::vector<std::string> sink_pads (const std::string &element, std::vector<std::string> &formats);

/* A pipeline with this context; a line that does not parse fails the test. */
GstElement *parsed (const std::string &launch, GstClContext *context);

/* The line with a source for each pad; frames: of each, -1 for an endless stream. */
std::string fed (const Line &line, const std::vector<std::string> &pads, const std::string &format, int frames);

}  // namespace test

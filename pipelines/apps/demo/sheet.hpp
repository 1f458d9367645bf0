/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A contact sheet: labelled pictures in rows of two, composed and written as PNG by a GStreamer pipeline. */
#pragma once

#include "pipeline.hpp"

#include <vector>

struct Cell {
  GstSample *picture;
  std::string label;
};

/* Cells fill rows from the left; all pictures have the size of the first. Of pictures larger than a cell the middle is
 * shown at full size, so that details can be compared; smaller ones are enlarged. */
void write_sheet (const std::string &file, const std::vector<Cell> &cells);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/common.hpp"

namespace ref {

/* Samples of a component inside a rectangle of the frame, counted: value v in bin floor (v * bins / (max + 1)). */
std::vector<unsigned> histogram (const Picture &in, const Component &component, const Rectangle &region, int bins);

struct Overlay {
  int bins = 256;
  unsigned components = 15; /* flags like `planes` */
  bool full = false;        /* treats luma of limited range as full range */
};

/* clhistogram with display=overlay. */
Picture overlay (const Picture &in, const Overlay &settings, const Scene &scene);

}  // namespace ref

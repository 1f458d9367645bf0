/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <array>
#include <cstdint>

#include "../../reference/picture.hpp"

namespace ref {

struct Noise {
  std::string type = "gaussian"; /* gaussian uniform salt-pepper speckle */
  double strength = 0.05;
  uint32_t seed = 0;
  bool temporal = true;
  bool mono = false;
  bool full = false; /* treats luma of limited range as full range */
};

/* frame: its number. */
Picture noise (const Picture &in, const Noise &settings, uint64_t frame, int field = 0, int n_fields = 1);

/* The generator, for a separate test. */
std::array<uint32_t, 4> philox (std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key, int rounds);

}  // namespace ref

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/border.hpp"

namespace ref {

struct Deblock {
  int block_size = 8;
  double strength = 0.5;
  int offset_x = 0, offset_y = 0;
};

Picture deblock (const Picture &in, const Deblock &settings, const Border &border);

}  // namespace ref

namespace test {
struct Settings;
Settings deblock_with (const ref::Deblock &set);
}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/border.hpp"

namespace ref {

struct NlMeans {
  double strength = 0.05; /* h, of full scale */
  int patch_radius = 3;
  int search_radius = 7;
};

Picture nlmeans (const Picture &in, const NlMeans &settings, const Border &border);

}  // namespace ref

namespace test {
struct Settings;
Settings nlmeans_with (const ref::NlMeans &set);
}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "../../reference/common.hpp"

namespace ref {

struct Deinterlace {
  enum Method { Bwdif, Yadif, Linear, Weave, Motion };

  Method method = Bwdif;
};

/* A field of a stream of interlaced frames. */
struct Field {
  int frame;
  bool is_bottom;
  /* Whether it is shown after the other field of its frame. */
  bool is_second;
  /* Whether the frame has no other field. */
  bool is_alone = false;
};

/* The frame that is made from a field. Components outside `planes` are those of the field's frame. */
Picture deinterlaced (const std::vector<Picture> &stream, const Field &field, const Deinterlace &settings);

/* Steadies a field that bwdif has interpolated, with the fields shown before and after it. */
Picture steadied (const Picture &whole, const Picture &before, const Picture &after, bool is_bottom);

/* All fields' frames, two for each frame. */
std::vector<Picture> deinterlaced (const std::vector<Picture> &stream, bool top_first, const Deinterlace &settings);

}  // namespace ref

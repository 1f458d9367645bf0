/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chroma that follows luma: products, and the chroma of the lightest or the darkest frame. */
#pragma once

#include "blend/plan.hpp"
#include "filter/operation.hpp"
#include "shared/range.hpp"

namespace gst::cl {

/** Whether chroma follows luma in that mode. */
constexpr bool
needs_luma (BlendMode mode)
{
  return mode == BlendMode::multiply || mode == BlendMode::lighten || mode == BlendMode::darken;
}

/** The order of frames in a fold: the main one, then the others. */
std::vector<size_t> fold_order (size_t n, size_t main);

/** Writes task.region of a plane of chroma. lumas: the luma planes of all inputs, in buffers. */
void blend_chroma (
    Runner &runner, const PlaneTask &task, std::span<const PlaneView> lumas, BlendMode mode, const BlackWhite &range);

}  // namespace gst::cl

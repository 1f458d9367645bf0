/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames whose samples stand otherwise than filters see them: packed YUV, planar RGB, bytes in the other order, several values in a
 * word, and tiles. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

using Planes = std::array<PlaneView, most_planes>;

/** Moves samples between frames of a format and what filters see of them, Format::arranged or in_words. For one stream; not
 *  thread-safe. */
class Arrangement {
public:
  /** seen: one of stored's two. */
  Arrangement (const Format &stored, const Format &seen, const GstVideoInfo &info);
  /** stored.arranged is not null. */
  Arrangement (const Format &stored_, const GstVideoInfo &info) : Arrangement (stored_, *stored_.arranged, info) {}

  /** An input as filters see it: enqueues the copy to scratch memory, where they do not see it as it lies. name tells inputs of a
   *  frame apart. The runner is one for Format::arranged, here and below. */
  Planes enter (Runner &runner, const Planes &frame, const ScratchName &name) const;
  /** Where filters write the result of a frame. */
  Planes result (Runner &runner, const Planes &frame) const;
  /** Enqueues the copy of that to the frame, where it is not the frame itself. */
  void leave (Runner &runner, const Planes &result, const Planes &frame) const;

private:
  Planes scratch (Runner &runner, const ScratchName &name) const;
  /** What filters see of a packed plane as it lies. */
  Planes in_words (const PlaneView &packed) const;
  PlaneView as_stored (PlaneView plane, int index) const;
  /** From groups to planes, or back; of packed 4:2:2, to luma and pairs of chroma. */
  void launch_groups (Runner &runner, bool splits, const PlaneView &groups, const Planes &planes) const;
  /** Between words of several values and planes: words of both planes, one after the other, or of one plane of all samples. */
  void arrange_words (Runner &runner, bool unpacks, const Planes &words, const Planes &planes) const;
  /** The groups of kernels/lib/words.cl; values: of words of whole samples. */
  struct Words {
    bool unpacks;
    int group_pixels = 1, group_words = 1, word_bytes;
    std::vector<cl_uint> values = {};
  };
  void launch_words (
      Runner &runner, const Words &how, const PlaneView &words, std::span<const PlaneView> planes, const cl_int4 &size) const;
  void launch_palette (Runner &runner, bool unpacks, const Planes &counts, const PlaneView &pixels) const;
  int samples_in_words (int plane) const;
  PlaneView rows_of_words (Runner &runner, int plane, int samples) const;
  /** Between tiles and the rows of bytes that they are cut from. */
  void arrange_tiles (Runner &runner, bool from_tiles, const Planes &tiles, const Planes &planes) const;
  void arrange (Runner &runner, const Planes &from, const Planes &to, const Format &from_format) const;

  const Format &stored, &seen;
  /** Whether filters see frames as they lie. */
  const bool lies;
  const int width, height;
};

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames whose samples lie in another order than filters expect: packed YUV, planar RGB, swapped bytes, several values in a
 * word, and tiles. */
#pragma once

#include "filter/runner.hpp"

namespace gst::cl {

using Planes = std::array<PlaneView, most_planes>;

/** Copies samples between a frame as stored and the planes that filters see, which are buffers: of Format::arranged,
 *  Format::in_words or the stored format itself. Serves one stream; not thread-safe. Functions throw when a kernel does not build
 *  or a command fails. */
class Arrangement {
public:
  /** Both formats must outlive the object. */
  Arrangement (const Format &stored, const Format &seen, const GstVideoInfo &info);
  Arrangement (const Format &stored_, const GstVideoInfo &info) : Arrangement (stored_, stored_.seen_by_filters (), info) {}

  /** Returns the planes of an input as filters see them. Enqueues a copy to scratch memory unless filters can read the frame in
   *  place. name must differ between the inputs of a frame. The runner must have been made for the seen format, here and
   *  below. */
  Planes enter (Runner &runner, const Planes &frame, const ScratchName &name) const;
  /** Returns the planes into which filters write the result: scratch memory, or the frame. */
  Planes result (Runner &runner, const Planes &frame) const;
  /** Enqueues the copy of the result to the frame, unless the result is the frame. */
  void leave (Runner &runner, const Planes &result, const Planes &frame) const;

private:
  Planes scratch (Runner &runner, const ScratchName &name) const;
  /** Views a packed plane as planes of words, without a copy. */
  Planes in_words (const PlaneView &packed) const;
  Planes in_place (const Planes &frame) const { return &seen == &stored ? frame : in_words (frame[0]); }
  PlaneView as_stored (PlaneView plane, int index) const;
  /** Splits groups of samples into planes, or joins planes into groups. Packed 4:2:2 splits into luma and pairs of chroma. */
  void launch_groups (Runner &runner, bool splits, const PlaneView &groups, const Planes &planes) const;
  /** Unpacks words of several values into planes, or packs them. The words hold both planes, one after the other, or all
   *  samples of one plane. */
  void arrange_words (Runner &runner, bool unpacks, const Planes &words, const Planes &planes) const;
  /** The groups of kernels/lib/words.cl. values describes where each sample lies when a word holds whole samples. */
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
  /** Copies tiles to rows of bytes, or rows of bytes to tiles. */
  void arrange_tiles (Runner &runner, bool from_tiles, const Planes &tiles, const Planes &planes) const;
  void arrange (Runner &runner, const Planes &from, const Planes &to, const Format &from_format) const;

  const Format &stored, &seen;
  /** Whether filters can read the frame in place. */
  const bool lies;
  const int width, height;
};

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The positions of the pads' pictures in the result, and the drawing of a picture: converted, scaled and blended on the device. */
#pragma once

#include "shared/converter.hpp"

namespace gst::cl {

enum class Operator { source, over, add };
enum class SizingPolicy { none, keep_aspect_ratio };
enum class Background { checker, black, white, transparent };

struct CompositorSettings {
  Background background = Background::checker;
  bool zero_size_is_unscaled = true, draw_regions = false;
};

/** The settings of a pad. */
struct Placing {
  int x = 0, y = 0, width = -1, height = -1;
  double alpha = 1;
  Operator op = Operator::over;
  SizingPolicy policy = SizingPolicy::none;
};

/** A pixel-aspect-ratio. */
struct PixelShape {
  int n, d;
};

/** A picture's rectangle in a result whose pixels have shape par; empty if nothing is visible. If the pixel shapes differ, the
 *  width follows from the height, or the height from the width. A negative width or height stands for the picture's;
 *  zero_is_unscaled: 0 does, too. */
Rect place_picture (const Placing &placing, const GstVideoInfo &picture, PixelShape par, bool zero_is_unscaled);

/** Moves a rectangle right and down to whole chroma samples. */
Rect on_chroma (Rect rect, int subsample_x, int subsample_y);

/** The part of a rectangle inside a frame of this size. */
Rect visible_part (const Rect &rect, int width, int height);

inline bool
contains (const Rect &outer, const Rect &inner)
{
  return outer.x <= inner.x && outer.y <= inner.y && outer.x + outer.width >= inner.x + inner.width
         && outer.y + outer.height >= inner.y + inner.height;
}

/** The picture that is drawn on: planes in buffers, as filters see them. */
struct Canvas {
  std::span<const PlaneView> planes;
  const Format &format;
  /** Has the colorimetry and chroma siting of the samples. */
  const GstVideoInfo &colors;
  int width, height;
  /** Whether the canvas covers everything below, and keeps its alpha. */
  bool is_opaque;
  /** Whether rows, including chroma rows, belong to two fields in turn. */
  bool interlaced = false;
};

/** A picture that is drawn onto a canvas. */
struct Picture {
  /** Launches kernels on its planes. */
  Runner &reader;
  std::span<const PlaneView> planes;
  const Format &format;
  const GstVideoInfo &info;
  /** See Canvas. */
  bool interlaced = false;

  bool has_alpha () const { return format.component_bits () & 1u << alpha; }
};

/** The place of a picture, and its blending. */
struct LayerPlace {
  Rect rect;
  /** 0 to 1. */
  double alpha;
  Operator op;
};

/** Whether a picture of this format hides everything below it. */
bool hides (const Format &picture, const LayerPlace &placement);

/** The state of one pad's picture between frames. */
class Layer {
public:
  /** Enqueues the drawing of the picture. decorate draws on top of it, on a canvas whose origin is x, y of the scaled
   *  picture. */
  using Decorate = std::function<void (const Canvas &canvas, int x, int y)>;
  void draw (Runner &writer, const Canvas &canvas, const Picture &picture, const LayerPlace &placement,
      const Decorate &decorate = nullptr);

private:
  /** One conversion of a picture to planes of the result's format. */
  class Step {
  public:
    /** Converts `part` of the picture, which is scaled to the size of `whole`, to all of `to`. by_field: rows of each field
     *  become rows of that field. */
    void convert (const Canvas &to, const Picture &picture, const Rect &whole, const Rect &part, bool by_field);

  private:
    /** The sizes on which the converter's plan depends. */
    struct Scaling {
      int from_width, from_height, to_width, to_height;
      int x, y, width, height;
      GstVideoFormat format;
      int n_planes;

      bool operator== (const Scaling &) const = default;
    };

    std::optional<FrameConverter> converter;
    Scaling scaling{};
  };

  void convert (Runner &writer, const Canvas &to, const Picture &picture, const Rect &whole, const Rect &part);

  /** direct converts in one step. If only one side is interlaced, the other two convert through full-height chroma. */
  Step direct, to_all_rows, from_all_rows;
};

/** Enqueues the fill of a rectangle with squares of two pixels; components are indexed by number, and padding gets the greatest
 *  sample. */
void fill_squares (
    Runner &writer, const Canvas &canvas, const Rect &rect, const std::array<int, 4> &even, const std::array<int, 4> &odd);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws one picture onto another: converted, scaled and blended on the device. */
#pragma once

#include "compositor/place.hpp"
#include "shared/converter.hpp"

namespace gst::cl {

/** What is drawn on: planes in buffers, as filters see them. */
struct Canvas {
  std::span<const PlaneView> planes;
  const Format &format;
  /** Whose colorimetry and chroma siting the samples have. */
  const GstVideoInfo &colors;
  int width, height;
  /** Whether nothing shows through, and alpha does not change. */
  bool is_opaque;
};

/** What is drawn. */
struct Picture {
  /** For kernels on its planes. */
  Runner &reader;
  std::span<const PlaneView> planes;
  const Format &format;
  const GstVideoInfo &info;

  bool has_alpha () const { return format.component_bits () & 1u << alpha; }
};

/** Where, and how. */
struct LayerPlace {
  Rect rect;
  /** 0 to 1. */
  double alpha;
  Operator op;
};

/** Whether nothing below a picture of that format is visible. */
bool hides (const Format &picture, const LayerPlace &placement);

/** What is kept of one picture from frame to frame. */
class Layer {
public:
  /** Enqueues what draws the picture. decorate: more to be drawn on it, on a canvas that begins at that place of the picture, as
   *  it will stand there. */
  using Decorate = std::function<void (const Canvas &canvas, int x, int y)>;
  void draw (Runner &writer, const Canvas &canvas, const Picture &picture, const LayerPlace &placement,
      const Decorate &decorate = nullptr);

private:
  /** What the converter's plan depends on. */
  struct Scaling {
    Rect rect, part;
    GstVideoFormat format;
    int n_planes;

    bool operator== (const Scaling &other) const;
  };

  void convert (const Canvas &to, const Picture &picture, const Rect &whole, const Rect &part);

  std::optional<FrameConverter> converter;
  std::optional<Scaling> scaling;
};

/** A view of a rectangle of a plane of a frame, which is in pixels of the frame. */
PlaneView view_of (const PlaneView &plane, const Rect &rect);

/** Enqueues the fill of a rectangle with squares of two pixels, components by number; padding is the greatest sample. */
void fill_squares (
    Runner &writer, const Canvas &canvas, const Rect &rect, const std::array<int, 4> &even, const std::array<int, 4> &odd);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of pipelines/kernels, in real numbers and pixel by pixel. */
#pragma once

#include "reference_screen.hpp"

namespace ref {

/* A kernel's inputs: the frame, the frames of further inputs at this time, and the previous result (null at the first
 * frame). */
struct Sight {
  std::vector<const Picture *> inputs;
  const Picture *previous_input = nullptr, *previous_output = nullptr;
  unsigned frame = 0;
  Border border;
};

/* The kernel's result: pixel (screen, x, y) of the frame. */
template <typename Pixel>
Picture
painted (const Sight &sight, const Pixel &pixel)
{
  const Screen screen (*sight.inputs[0], sight.border);
  return paint (*sight.inputs[0], [&] (int x, int y) { return pixel (screen, x, y); });
}

Picture vignette (const Sight &sight, double strength, double radius, const Values &colour);
Picture swirl (const Sight &sight, double angle, double radius, double centre_x, double centre_y);
Picture kuwahara (const Sight &sight, int radius);
Picture tile_blur (const Sight &sight, int radius);
Picture separable (const Sight &sight, double amount);
Picture life (const Sight &sight, int cell, double threshold, double motion, double glow);
Picture difference_key (const Sight &sight, double threshold, double softness, const Values &background);
Picture chroma_key (
    const Sight &sight, const Values &screen, double tolerance, double softness, double spill, const Values &background);
Picture pixelate (const Sight &sight, int size, double round);
Picture lens_distortion (const Sight &sight, double k1, double k2, double zoom, double fringe);
Picture motion_trail (const Sight &sight, double persistence);
Picture film_grain (const Sight &sight, double amount, double colour);
Picture tilt_shift (const Sight &sight, double focus, double breadth, double blur, double saturation);
Picture halftone (const Sight &sight, double size, double angle, const Values &ink, const Values &paper);
Picture heat (const Sight &sight, double amount);
Picture ink_drawing (const Sight &sight, int levels, double line, double ink);
Picture dither (const Sight &sight, int levels);

}  // namespace ref

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "color.hpp"

#include "common.hpp"

#include <tuple>

namespace ref {

/* The weights of red and blue in luma if the caps name none: BT.601, BT.709 above PAL's height, and BT.2020 from UHD's height
 * on. */
static std::pair<double, double>
usual_weights (int height)
{
  return height >= 2160 ? std::pair (.2627, .0593) : height > 576 ? std::pair (.2126, .0722) : std::pair (.299, .114);
}

namespace {

/* Relates a colour space to samples of a picture. */
struct ColorSamples {
  double kr, kb, kg, black, luma_range, chroma_range;

  ColorSamples (const Picture &picture, const ColorSpace &space)
  {
    std::tie (kr, kb) = space.red > 0 ? std::pair (space.red, space.blue) : usual_weights (picture.height);
    const double unit = 1 << (picture.layout->depth - 8), max = picture.max ();
    kg = 1 - kr - kb;
    black = space.full ? 0 : 16 * unit;
    luma_range = space.full ? max : 219 * unit;
    chroma_range = space.full ? max : 224 * unit;
  }
};

}  // namespace

/* Converts Y'CbCr to R'G'B' of 0..1 and back, sample by sample. */
static void
map_yuv (Picture &out, const Picture &in, const ColorSamples &from, const ColorSamples &to,
    const std::function<Color (const Color &)> &f)
{
  const Component &luma = *in.find ('y'), &u = *in.find ('u'), &v = *in.find ('v');
  for (Component &component : out.components)
    for (int y = 0; y < component.height && component.name != 'a'; y++)
      for (int x = 0; x < component.width; x++) {
        /* the last rows of a field may have no chroma of their own */
        const int cx = x * component.sub_x / u.sub_x, cy = std::min (y * component.sub_y / u.sub_y, u.height - 1);
        const double l = (mean_of_block (luma, x, y, component.sub_x, component.sub_y) - from.black) / from.luma_range;
        const double cb = (u.at (cx, cy) - in.neutral ()) / from.chroma_range,
                     cr = (v.at (cx, cy) - in.neutral ()) / from.chroma_range;
        const double r = l + 2 * (1 - from.kr) * cr, b = l + 2 * (1 - from.kb) * cb,
                     g = (l - from.kr * r - from.kb * b) / from.kg;
        const Color rgb = f ({r, g, b});
        const double result = to.kr * rgb[0] + to.kg * rgb[1] + to.kb * rgb[2];
        const double value = component.name == 'y'   ? to.black + result * to.luma_range
                             : component.name == 'u' ? in.neutral () + (rgb[2] - result) / (2 * (1 - to.kb)) * to.chroma_range
                                                     : in.neutral () + (rgb[0] - result) / (2 * (1 - to.kr)) * to.chroma_range;
        component.at (x, y) = round_to_sample (value, in.max ());
      }
}

Picture
map_colors (const Picture &in, const ColorSpace &space, const std::function<Color (const Color &)> &f)
{
  return map_colors (in, space, space, f);
}

Picture
map_colors (const Picture &in, const ColorSpace &space, const ColorSpace &result, const std::function<Color (const Color &)> &f)
{
  Picture out = in;
  if (in.find ('u')) {
    map_yuv (out, in, ColorSamples (in, space), ColorSamples (in, result), f);
    return out;
  }
  const double max = in.max ();
  if (!in.is_rgb ()) {
    for (int &v : out.components[0].value) {
      const Color rgb = f ({v / max, v / max, v / max});
      const ColorSamples to (in, result);
      v = round_to_sample ((to.kr * rgb[0] + to.kg * rgb[1] + to.kb * rgb[2]) * max, in.max ());
    }
    return out;
  }
  for (size_t i = 0; i < in.components[0].value.size (); i++) {
    const Color rgb = f ({in.find ('r')->value[i] / max, in.find ('g')->value[i] / max, in.find ('b')->value[i] / max});
    for (Component &component : out.components)
      if (const size_t c = std::string ("rgb").find (component.name); c != std::string::npos)
        component.value[i] = round_to_sample (rgb[c] * max, in.max ());
  }
  return out;
}

}  // namespace ref

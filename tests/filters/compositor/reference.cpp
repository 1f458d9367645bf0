/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.hpp"

#include <cmath>

namespace ref {

namespace {

int
background_sample (const Picture &picture, const Component &component, const std::string &background, int x, int y)
{
  if (component.name == 'a')
    return background == "transparent" ? 0 : picture.max ();
  if (component.name == 'x')
    return picture.max ();
  if (component.is_chroma ())
    return picture.neutral ();
  const int unit = 1 << (picture.layout->depth - 8);
  if (background == "checker")
    return (x / 8 + y / 8) % 2 ? 160 * unit : 80 * unit;
  return background == "white" ? picture.white () : picture.black ();
}

Component
full_alpha (const Picture &picture)
{
  Component component;
  component.name = 'a';
  component.width = picture.width;
  component.height = picture.height;
  component.value.assign (size_t (picture.width) * picture.height, picture.max ());
  return component;
}

/* The mean alpha over the block of a component's sample, inside the picture and inside the given columns and rows. */
int
mean_alpha (const Picture &picture, const Component &of, int x, int y, int columns, int rows)
{
  const Component &alpha = *picture.find ('a');
  int sum = 0;
  for (const auto [column, row] : Places{of.sub_x, of.sub_y, x * of.sub_x, y * of.sub_y})
    sum += alpha.at (std::min ({column, alpha.width - 1, columns - 1}), std::min ({row, alpha.height - 1, rows - 1}));
  return int (std::floor (double (sum) / (of.sub_x * of.sub_y) + 0.5));
}

int
rounded (double v)
{
  return int (std::nearbyint (v));
}

/* A layer in the canvas's format, with alpha if the layer or the canvas has alpha. */
Picture
adapted (const CompositeLayer &layer, const Picture &canvas)
{
  const Picture in = bounded (layer.picture);
  Picture like =
      make_picture (canvas.layout->format, layer.width ? layer.width : in.width, layer.height ? layer.height : in.height);
  if (in.find ('a') && !like.find ('a'))
    like.components.push_back (full_alpha (like));
  if (in.layout == canvas.layout && like.width == in.width && like.height == in.height)
    return in;
  return convert (in, like, {});
}

int
up_to (int place, int multiple)
{
  return int (std::ceil (double (place) / multiple)) * multiple;
}

void
draw (Picture &canvas, const CompositeLayer &layer, bool opaque)
{
  const Picture picture = adapted (layer, canvas), before = canvas;
  const int max = canvas.max (), weight = int (layer.alpha * max);
  int sub_x = 1, sub_y = 1;
  for (const Component &each : canvas.components) {
    sub_x = std::max (sub_x, each.sub_x);
    sub_y = std::max (sub_y, each.sub_y);
  }
  /* GStreamer's compositor leaves a picture out by its own place, even if the place for 4:2:0 lies inside */
  if (layer.x + picture.width <= 0 || layer.y + picture.height <= 0)
    return;
  const int left = up_to (layer.x, sub_x), top = up_to (layer.y, sub_y);
  const int right = std::min (left + picture.width, canvas.width), bottom = std::min (top + picture.height, canvas.height);
  const bool keeps_alpha = canvas.find ('a');
  for (Component &to : canvas.components) {
    const Component &from = *picture.find (to.name);
    for (const auto [x, y] : from.places ()) {
      const int at_x = left / to.sub_x + x, at_y = top / to.sub_y + y;
      if (at_x < 0 || at_y < 0 || at_x >= to.width || at_y >= to.height || weight == 0)
        continue;
      const double s = from.at (x, y), d = to.at (at_x, at_y);
      double result = s;
      if (!keeps_alpha && (layer.op == "source" || (layer.alpha == 1 && !picture.find ('a')))) {
        to.at (at_x, at_y) = int (s);
        continue;
      }
      if (!picture.find ('a')) {
        to.at (at_x, at_y) = int (std::floor (d + (s - d) * weight / (max + 1)));
        continue;
      }
      const int mean = mean_alpha (picture, to, x, y, canvas.width - left, canvas.height - top);
      const double a = rounded (double (mean) * weight / max);
      const double under = keeps_alpha && !opaque ? mean_alpha (before, to, at_x, at_y, right, bottom) : max;
      const double b = rounded (under * (max - a) / max);
      if (keeps_alpha && layer.op == "source")
        result = to.name == 'a' ? a : s;
      else if (to.name == 'a')
        result = opaque ? max : layer.op == "add" ? std::min<double> (under + a, max) : a + b;
      else
        result = opaque ? rounded ((s * a + d * b) / max) : a + b > 0 ? std::floor ((s * a + d * b) / (a + b)) : d;
      to.at (at_x, at_y) = int (result);
    }
  }
}

}  // namespace

Picture
composite (const Picture &like, const std::string &background, const std::vector<CompositeLayer> &layers)
{
  Picture canvas = like;
  for (Component &component : canvas.components)
    for (const auto [x, y] : component.places ())
      component.at (x, y) = background_sample (canvas, component, background, x, y);
  for (const CompositeLayer &layer : layers)
    draw (canvas, layer, background != "transparent");
  return canvas;
}

}  // namespace ref

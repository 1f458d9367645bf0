/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures to filter: read from a file with GStreamer, or drawn. The content matters for rank filters and caches. */
#include "../../pipelines/apps/common/mappedframe.hpp"
#include "bench.hpp"
#include "pads.hpp"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace bench {

namespace {

uint32_t
hash (uint32_t x, uint32_t y, uint32_t seed)
{
  uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
  h = (h ^ h >> 15) * 0x2C1B3C6Du;
  h = (h ^ h >> 12) * 0x297A2D39u;
  return h ^ h >> 15;
}

/* Smooth noise: random values on a grid, interpolated linearly. */
float
value_noise (float x, float y, float scale, uint32_t seed)
{
  const float u = x / scale, v = y / scale;
  const int column = int (std::floor (u)), row = int (std::floor (v));
  const float a = u - column, b = v - row;
  const auto at = [seed] (int i, int j) { return float (hash (i, j, seed) & 0xffff) / 65535; };
  const float top = at (column, row) * (1 - a) + at (column + 1, row) * a;
  const float bottom = at (column, row + 1) * (1 - a) + at (column + 1, row + 1) * a;
  return top * (1 - b) + bottom * b;
}

/* Slow gradients, shapes with edges, texture of several scales, and a camera's noise. */
void
draw_row (uint8_t *row, int width, int y, int number)
{
  for (int x = 0; x < width; x++) {
    const float fx = float (x + 7 * number), fy = float (y + 3 * number);
    const float large = value_noise (fx, fy, 211, 1), shape = value_noise (fx, fy, 67, 2);
    const float texture = 0.6f * value_noise (fx, fy, 9, 3) + 0.4f * value_noise (fx, fy, 3, 4);
    const float object = shape > 0.55f ? 60.0f : 0.0f;
    for (int c = 0; c < 4; c++) {
      const float tone = 40 + 110 * (c == 1 ? 1 - large : large) + object * (c == 2 ? -0.5f : 1);
      const uint32_t h = hash (x, y, 100u + 4u * number + c);
      const float noise = (float (h & 255) + float (h >> 8 & 255) + float (h >> 16 & 255) - 382.5f) / 48;
      row[4 * x + c] = uint8_t (std::clamp (tone + 50 * (texture - 0.5f) * (0.4f + shape) + noise, 0.0f, 255.0f));
    }
  }
}

/* Draws on all CPUs. */
std::vector<uint8_t>
draw_picture (Size size, int number)
{
  std::vector<uint8_t> pixels (size.bytes ());
  std::vector<std::jthread> threads;
  const int n = int (std::max (1u, std::thread::hardware_concurrency ()));
  for (int part = 0; part < n; part++)
    threads.emplace_back ([&, part] {
      for (int y = part; y < size.height; y += n)
        draw_row (pixels.data () + size_t (y) * size.width * 4, size.width, y, number);
    });
  threads.clear (); /* waits for them */
  return pixels;
}

Frames
decode_frames (Size size, const std::string &uri)
{
  const Running pipeline = parse_launch (
      "uridecodebin name=source ! videoconvert ! videoscale ! video/x-raw,format=RGBA,width=" + std::to_string (size.width)
      + ",height=" + std::to_string (size.height) + ",pixel-aspect-ratio=1/1 ! appsink name=sink sync=false max-buffers=2");
  const Ref<GstElement> sink = element_in (pipeline, "sink");
  g_object_set (element_in (pipeline, "source").get (), "uri", uri.c_str (), nullptr);
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
  const Message first (gst_bus_timed_pop_filtered (
      bus_of (pipeline.get ()).get (), 20 * GST_SECOND, GstMessageType (GST_MESSAGE_ERROR | GST_MESSAGE_ASYNC_DONE)));
  if (first && GST_MESSAGE_TYPE (first.get ()) == GST_MESSAGE_ERROR)
    throw std::runtime_error (uri + ": " + parse_problem (first.get ()).first->message);
  Frames frames{size, {}, uri};
  for (int i = 0; i < n_rotated; i++) {
    const Sample sample (gst_app_sink_try_pull_sample (GST_APP_SINK (sink.get ()), 20 * GST_SECOND));
    if (!sample)
      break;
    const MappedFrame video (sample.get ());
    ensure (bool (video), "a decoded picture could not be mapped");
    frames.pixels.push_back (visible_bytes (video.frame));
  }
  ensure (!frames.pixels.empty (), "no picture could be decoded from " + uri);
  for (size_t i = 0; frames.pixels.size () < n_rotated; i++)
    frames.pixels.push_back (frames.pixels[i]); /* separate buffers with the same content */
  return frames;
}

}  // namespace

int
rotated_frames (size_t bytes)
{
  constexpr size_t more_than_caches = size_t (256) << 20;
  return int (std::clamp<size_t> ((more_than_caches + bytes - 1) / bytes, 2, n_rotated));
}

Frames
make_frames (Size size, const std::string &uri)
{
  if (!uri.empty ())
    return decode_frames (size, uri);
  Frames frames{size, {}, "drawn (gradients, shapes, texture, noise)"};
  for (int i = 0; i < n_rotated; i++)
    frames.pixels.push_back (draw_picture (size, i));
  return frames;
}

Frames
make_moved_frames (Size size)
{
  Frames frames{size, std::vector<std::vector<uint8_t>> (size_t (rotated_frames (size.bytes ()))), "drawn once, then moved"};
  std::vector<uint8_t> &first = frames.pixels.front ();
  first = draw_picture (size, 0);
  const size_t row = size_t (size.width) * 4;
  for (size_t i = 1; i < frames.pixels.size (); i++) {
    const auto middle = first.begin () + long (row * (7 * i % size_t (size.height)));
    frames.pixels[i].assign (middle, first.end ());
    frames.pixels[i].insert (frames.pixels[i].end (), first.begin (), middle);
  }
  return frames;
}

void
write_frames (const Frames &frames, const std::string &path)
{
  std::ofstream file (path, std::ios::binary);
  for (const std::vector<uint8_t> &pixels : frames.pixels)
    file.write (reinterpret_cast<const char *> (pixels.data ()), std::streamsize (pixels.size ()));
  if (!file.flush ())
    throw std::runtime_error ("cannot write " + path);
}

Frames
gray_of (const Frames &rgba, bool deep)
{
  const size_t bytes = deep ? 2 : 1;
  Frames gray{rgba.size, {}, rgba.origin, deep ? "GRAY16_LE" : "GRAY8"};
  for (const std::vector<uint8_t> &from : rgba.pixels) {
    std::vector<uint8_t> &to = gray.pixels.emplace_back (from.size () / 4 * bytes);
    for (size_t i = 0; i < to.size (); i++)
      to[i] = from[4 * (i / bytes) + 1];
  }
  return gray;
}

}  // namespace bench

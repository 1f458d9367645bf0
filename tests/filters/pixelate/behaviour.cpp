/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clpixelate with sums of more than 32 bits and blocks wider than a strip of sums, with moving regions, and with changing
 * properties. */
#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::pixelate_suite {

static Tests tests ("pixelate", Needs::Device);

static Case
case_of (GstVideoFormat format, int width, int height, const ref::Pixelate &set)
{
  Case c = median_case (width, height);
  c.element = "clpixelate";
  c.settings.properties =
      test::format ("size=%d blocks=%d anchor=%s", set.size, set.blocks, set.by_region ? "region" : "frame");
  c.settings.filter = [set] (const ref::Picture &p, const ref::Scene &scene) { return ref::pixelate (p, set, scene.region); };
  c.format = format;
  c.frames = {{Content::Noise, Storage::Tight}};
  return c;
}

/* 65535 in every sample of 512 x 512 pixels is a sum of 2^34. */
TEST (large)
{
  Case sums = case_of (GST_VIDEO_FORMAT_GRAY16_LE, 530, 515, {512});
  sums.frames = {{Content::Noise, Storage::Tight}, {Content::Flat, Storage::Tight}};
  check (sums);
  check (case_of (GST_VIDEO_FORMAT_GRAY8, 8001, 5, {.blocks = 1}));
  check (case_of (GST_VIDEO_FORMAT_RGBA, 1620, 810, {.blocks = 1, .by_region = true}));
}

/* Chroma follows the region's corner, even at odd positions, and the last of overlapping regions wins. */
TEST (regions, 3)
{
  Case c = case_of (GST_VIDEO_FORMAT_NV12, 64, 48, {7, __i__, true});
  c.by_meta = true;
  c.roi_metas = {{3, 2, 23, 19}, {4, 2, 22, 19}, {31, 9, 1, 30}, {45, 33, 19, 15}};
  c.common.roi = c.roi_metas;
  c.common.whole_frame = false;
  check (c);
}

TEST (live)
{
  const auto case_at = [] (int i) { return case_of (GST_VIDEO_FORMAT_NV12, 64, 48, {2 + 3 * i, i % 3, i % 2 == 1}); };
  Link link = open (case_at (0));
  filter_and_check (case_at (0), link, 0, "first");
  GstElement *element = link.element ("clpixelate");
  for (int i = 1; i < 12; i++) {
    g_object_set (element, "size", 2 + 3 * i, "blocks", i % 3, "anchor", i % 2, nullptr);
    filter_and_check (case_at (i), link, i, "changed");
  }
  /* two planes, each built without the optimiser as well */
  const guint64 programs = stat (element, "builds") + stat (element, "cache-hits");
  test_check (programs <= 4, "%d programs for two planes", (int) programs);
}

}  // namespace test::pixelate_suite

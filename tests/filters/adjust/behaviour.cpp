/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cladjust compared to videobalance, as a GstColorBalance, and curves that are refused. */
#include <gst/video/colorbalance.h>

#include <utility>
#include <vector>

#include "../../elements/filtercase.hpp"
#include "../../elements/pipeline.hpp"

namespace test::adjust_suite {

static Tests tests ("adjust", Needs::Device);

static const char caps[] = "video/x-raw,format=I420,width=64,height=48,framerate=30/1";

static std::vector<guint8>
bytes_of (GstBuffer *buffer)
{
  GstMapInfo map;
  ck_assert (gst_buffer_map (buffer, &map, GST_MAP_READ));
  std::vector<guint8> bytes (map.data, map.data + map.size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return bytes;
}

static GstBuffer *
noise (unsigned seed)
{
  Random random (seed);
  GstBuffer *buffer = gst_buffer_new_allocate (nullptr, 64 * 48 * 3 / 2, nullptr);
  GstMapInfo map;
  ck_assert (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = guint8 (random.between (0, 255));
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* The properties that both elements share give the same samples. */
TEST (as_videobalance, 7)
{
  static const char *const settings[] = {"contrast=1.5", "contrast=0.3 brightness=0.25", "brightness=-0.4", "saturation=0",
      "saturation=1.7", "hue=0.37", "hue=-0.8 saturation=1.3 contrast=1.2 brightness=0.1"};
  if (!gst_element_factory_find ("videobalance"))
    return;
  Link ours (std::string ("cladjust ") + settings[__i__], caps), theirs (std::string ("videobalance ") + settings[__i__], caps);
  const Own in = noise (7);
  const std::vector<guint8> a = bytes_of (ours.filter (gst_buffer_ref (in))),
                            b = bytes_of (theirs.filter (gst_buffer_copy_deep (in)));
  ck_assert_uint_eq (a.size (), b.size ());
  for (size_t i = 0; i < a.size (); i++)
    test_check (std::abs (a[i] - b[i]) <= 1, "%s: sample %d is %d, videobalance's %d", settings[__i__], (int) i, a[i], b[i]);
}

/* The sliders of four channels move properties, and properties move the sliders. */
TEST (color_balance)
{
  Link link ("cladjust", caps);
  GstColorBalance *balance = GST_COLOR_BALANCE (link.element ("cladjust"));
  ck_assert_int_eq (gst_color_balance_get_balance_type (balance), GST_COLOR_BALANCE_HARDWARE);
  const std::pair<const char *, double> wanted[] = {{"hue", 0.5}, {"saturation", 1.5}, {"brightness", 0.5}, {"contrast", 1.5}};
  const GList *channels = gst_color_balance_list_channels (balance);
  std::vector<gint> told;
  const auto note =
      +[] (GstColorBalance *, GstColorBalanceChannel *, gint value, std::vector<gint> *all) { all->push_back (value); };
  g_signal_connect (balance, "value-changed", G_CALLBACK (note), &told);
  for (const auto &[property, value] : wanted) {
    auto *channel = GST_COLOR_BALANCE_CHANNEL (channels->data);
    ck_assert_int_eq (g_ascii_strcasecmp (channel->label, property), 0);
    ck_assert_int_eq (gst_color_balance_get_value (balance, channel), 0);
    gst_color_balance_set_value (balance, channel, 500);
    const double now = number_property (balance, property);
    test_check (std::abs (now - value) < 1e-9, "%s is %g", property, now);
    g_object_set (balance, property, value - 1, nullptr);
    ck_assert_int_eq (gst_color_balance_get_value (balance, channel), -500);
    channels = channels->next;
    test_check (
        std::exchange (told, {}) == std::vector<gint> ({500, -500}), "%s: value-changed did not tell 500, -500", property);
  }
  ck_assert (!channels);
}

TEST (bad_curves, 7)
{
  static const struct {
    const char *text;
    std::vector<std::string> words;
  } bad[] = {{"0 0", {"two or more points", "character 4"}}, {"0 0; 1", {"not a number", "character 7"}},
      {"0 0; x 1", {"x 1", "character 6"}}, {"0 0 0; 1 1", {"more than two", "character 5"}}, {"0 0; 0 1", {"not greater"}},
      {"0 0; 1 1.5", {"outside"}}, {"nan 0; 1 1", {"not a number"}}};
  expect_refusal ("cladjust", "curve-green", bad[__i__].text, bad[__i__].words);
}

/* Between points on a rising line, the curve neither overshoots nor falls. */
TEST (monotone)
{
  Link link ("cladjust curve=\"\t0 0;\r\n0.4,\t0.05; 0.5 0.95; 1 1\n\"",
      "video/x-raw,format=GRAY8,width=256,height=16,framerate=30/1");
  GstBuffer *in = gst_buffer_new_allocate (nullptr, 256 * 16, nullptr);
  for (int i = 0; i < 256 * 16; i++) {
    const guint8 v = guint8 (i % 256);
    gst_buffer_fill (in, i, &v, 1);
  }
  const std::vector<guint8> out = bytes_of (link.filter (in));
  for (int i = 1; i < 256; i++)
    test_check (out[i] >= out[i - 1], "%d becomes %d, %d becomes %d", i - 1, out[i - 1], i, out[i]);
  ck_assert_int_eq (out[0], 0);
  ck_assert_int_eq (out[102], 13);
  ck_assert_int_eq (out[255], 255);
}

}  // namespace test::adjust_suite

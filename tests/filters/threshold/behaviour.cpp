/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clthreshold: keys that move the threshold, and the reported thresholds. */
#include <gst/video/navigation.h>

#include "../../elements/filtercase.hpp"
#include "../equalize/reference.hpp"
#include "../histogram/reference.hpp"
#include "reference.hpp"

namespace test::threshold_suite {

static Tests tests ("threshold", Needs::Device);

static const char gray_caps[] = "video/x-raw,format=GRAY8,width=8,height=8,framerate=30/1";

/* Sends the event like a sink; it must arrive upstream, whatever the element does with it. */
static void
send (Link &link, GstEvent *event)
{
  while (GstEvent *earlier = gst_harness_try_pull_upstream_event (link.harness ()))
    gst_event_unref (earlier);
  ck_assert (gst_harness_push_upstream_event (link.harness (), gst_event_ref (event)));
  const Own arrived = gst_harness_try_pull_upstream_event (link.harness ());
  ck_assert_msg (arrived == event, "the event did not arrive upstream as it was sent");
  gst_event_unref (event);
}

static void
press (Link &link, const char *key)
{
  send (link, gst_navigation_event_new_key_press (key, GST_NAVIGATION_MODIFIER_NONE));
  send (link, gst_navigation_event_new_key_release (key, GST_NAVIGATION_MODIFIER_NONE));
}

TEST (keys)
{
  static const struct {
    const char *key;
    double from, to;
  } presses[] = {{"Up", 0.5, 0.52}, {"Down", 0.5, 0.48}, {"Up", 0.99, 1}, {"Up", 1, 1}, {"Down", 0.01, 0}, {"Down", 0, 0},
      {"KP_Up", 0.25, 0.27}, {"KP_Down", 0.25, 0.23}, {"ArrowUp", 0.25, 0.27}, {"Left", 0.3, 0.3}, {"u", 0.3, 0.3},
      {"Page_Up", 0.3, 0.3}, {"", 0.3, 0.3}};
  Link link ("clthreshold navigation=true", gray_caps);
  for (const auto &[key, from, to] : presses) {
    int notifications = 0;
    g_object_set (link.element ("clthreshold"), "threshold", from, nullptr);
    const gulong handler = g_signal_connect (link.element ("clthreshold"), "notify::threshold",
        G_CALLBACK (+[] (GObject *, GParamSpec *, gpointer count) { ++*static_cast<int *> (count); }), &notifications);
    press (link, key);
    g_signal_handler_disconnect (link.element ("clthreshold"), handler);
    test_check (std::fabs (number_property (link.element ("clthreshold"), "threshold") - to) < 1e-12,
        "%s from %g leads to %.17g, not %g", key, from, number_property (link.element ("clthreshold"), "threshold"), to);
    test_check (notifications > 0 || from == to, "%s from %g is not notified", key, from);
  }
}

TEST (keys_are_ignored)
{
  Link link ("clthreshold", gray_caps);
  press (link, "Up");
  ck_assert (number_property (link.element ("clthreshold"), "threshold") == 0.5);
  link.set ("clthreshold", "navigation", "true");
  send (link, gst_navigation_event_new_mouse_button_press (1, 4, 4, GST_NAVIGATION_MODIFIER_NONE));
  send (link, gst_navigation_event_new_key_release ("Up", GST_NAVIGATION_MODIFIER_NONE));
  ck_assert (number_property (link.element ("clthreshold"), "threshold") == 0.5);
}

/* Fifty steps up and fifty down add up to zero, without rounding errors. */
TEST (steps_add_up)
{
  Link link ("clthreshold navigation=true threshold=0", gray_caps);
  for (int i = 1; i <= 50; i++) {
    press (link, "Up");
    ck_assert_msg (number_property (link.element ("clthreshold"), "threshold") == 2 * i / 100.0, "after %d steps: %.17g", i,
        number_property (link.element ("clthreshold"), "threshold"));
  }
  for (int i = 0; i < 50; i++)
    press (link, "Down");
  ck_assert (number_property (link.element ("clthreshold"), "threshold") == 0);
}

static int
filtered_value (Link &link, int value)
{
  GstBuffer *buffer = filled (64, value);
  const Own result = link.filter (buffer);
  guint8 first = 0;
  gst_buffer_extract (result, 0, &first, 1);
  return first;
}

/* 128 is above 0.5 of 255 and below 0.52. */
TEST (next_frame_follows)
{
  Link link ("clthreshold navigation=true", gray_caps);
  ck_assert_int_eq (filtered_value (link, 128), 255);
  press (link, "Up");
  ck_assert_int_eq (filtered_value (link, 128), 0);
  press (link, "Down");
  ck_assert_int_eq (filtered_value (link, 128), 255);
}

/* A double in `stats`, which appears some time after its frame. */
static double
figure (Link &link, const char *field)
{
  for (int i = 0; i < 500; i++) {
    const Own stats = stats_of (link.element ("clthreshold"));
    if (double value = 0; gst_structure_get_double (stats, field, &value))
      return value;
    g_usleep (10000);
  }
  test_fail ("no field %s in stats", field);
  return -1;
}

static const GstVideoFormat otsu_formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_xBGR,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_RGBA64_LE};

static int
expected_otsu (const ref::Picture &in, const ref::Component &component)
{
  return ref::otsu (ref::histogram (in, component, {0, 0, in.width, in.height}, in.max () + 1));
}

TEST (otsu_is_told, G_N_ELEMENTS (otsu_formats))
{
  for (const char *domain : {"", "domain=per-component"}) {
    const Case c = case_of (std::string ("clthreshold method=otsu ") + domain, otsu_formats[__i__], 67, 41);
    const ref::Picture in = random_picture (c.format, c.width, c.height, *domain ? 200 + __i__ : 100 + __i__, Content::Natural);
    Link link = open (c);
    gst_buffer_unref (link.filter (make_buffer (c, in, Storage::Tight)));
    if (!*domain) {
      const ref::Component value = in.is_rgb () ? ref::intensity_of (in) : in.components[0];
      ck_assert_int_eq ((int) figure (link, "threshold"), expected_otsu (in, value));
      continue;
    }
    int number = 0;
    for (const ref::Component &component : in.components)
      if (component.name != 'a' && component.name != 'x') {
        ck_assert_int_eq ((int) figure (link, format ("threshold-%d", number).c_str ()), expected_otsu (in, component));
        number++;
      }
    ck_assert_int_eq ((int) figure (link, "threshold"), expected_otsu (in, in.components[0]));
  }
}

/* Values with their counts, and Otsu's threshold: the first of two equally good splits; a flat picture has none. */
TEST (otsu_of_few_values)
{
  static const struct {
    std::vector<std::pair<int, int>> counts;
    int t;
  } pictures[] = {{{{0, 32}, {255, 32}}, 0}, {{{7, 64}}, 0}, {{{0, 64}}, 0}, {{{255, 64}}, 0}, {{{10, 63}, {11, 1}}, 10},
      {{{0, 21}, {100, 22}, {200, 21}}, 0}, {{{50, 21}, {150, 22}, {250, 21}}, 50},
      {{{3, 16}, {4, 16}, {200, 16}, {201, 16}}, 4}};
  Link link ("clthreshold method=otsu type=trunc", gray_caps);
  for (const auto &[counts, t] : pictures) {
    GstBuffer *buffer = gst_buffer_new_allocate (nullptr, 64, nullptr);
    size_t at = 0;
    for (const auto &[value, count] : counts) {
      gst_buffer_memset (buffer, at, (guint8) value, count);
      at += count;
    }
    ck_assert_uint_eq (at, 64);
    GstBuffer *result = link.filter (buffer);
    guint8 bytes[64];
    gst_buffer_extract (result, 0, bytes, 64);
    gst_buffer_unref (result);
    at = 0;
    for (const auto &[value, count] : counts) {
      test_check (bytes[at] == std::min (value, t), "%d becomes %d at threshold %d", value, bytes[at], t);
      at += count;
    }
  }
}

}  // namespace test::threshold_suite

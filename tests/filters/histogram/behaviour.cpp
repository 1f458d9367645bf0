/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages of clhistogram. */
#include <bit>

#include "../../elements/filtercase.hpp"
#include "../equalize/reference.hpp"
#include "reference.hpp"

namespace test::histogram_suite {

static Tests tests ("histogram", Needs::Device);

static constexpr GstClockTime patience = 10 * GST_SECOND;

/* The content of the next message, which the caller frees; null if none comes in time. */
static GstStructure *
next_content (Link &link, GstClockTime timeout = patience)
{
  const Own message = gst_bus_timed_pop_filtered (link.bus (), timeout, GST_MESSAGE_ELEMENT);
  if (!message)
    return nullptr;
  const GstStructure *content = gst_message_get_structure (message);
  ck_assert_msg (gst_structure_has_name (content, "clhistogram"), "the message is named %s", gst_structure_get_name (content));
  return gst_structure_copy (content);
}

/* The content of the message about a frame, which the caller frees. */
static GstStructure *
content_of (Link &link, const Case &c, const ref::Picture &in)
{
  gst_buffer_unref (link.filter (make_buffer (c, in, Storage::Padded)));
  GstStructure *found = next_content (link);
  ck_assert_msg (found != nullptr, "no message");
  return found;
}

static std::string
field (const char *name, int component)
{
  return format ("%s-%d", name, component);
}

static void
check_counts (const GstStructure *content, int component, const std::vector<unsigned> &expected)
{
  const GValue *array = gst_structure_get_value (content, field ("counts", component).c_str ());
  test_check (array && GST_VALUE_HOLDS_ARRAY (array), "no array counts-%d", component);
  ck_assert_uint_eq (gst_value_array_get_size (array), expected.size ());
  for (size_t bin = 0; bin < expected.size (); bin++) {
    const GValue *count = gst_value_array_get_value (array, (guint) bin);
    ck_assert (G_VALUE_HOLDS_UINT64 (count));
    test_check (g_value_get_uint64 (count) == expected[bin], "counts-%d[%d] is %d, not %u", component, (int) bin,
        (int) g_value_get_uint64 (count), expected[bin]);
  }
}

/* Checks statistics against a sorted list of the samples. */
static void
check_statistics (const GstStructure *content, int component, std::vector<int> samples)
{
  std::sort (samples.begin (), samples.end ());
  double sum = 0, squares = 0;
  for (const int v : samples)
    sum += v;
  const double mean = sum / samples.size ();
  for (const int v : samples)
    squares += (v - mean) * (v - mean);
  const double stddev = std::sqrt (squares / samples.size ());
  const std::pair<const char *, int> integers[] = {
      {"min", samples.front ()}, {"max", samples.back ()}, {"median", samples[(samples.size () - 1) / 2]}};
  for (const auto &[name, expected] : integers) {
    guint value = 0;
    ck_assert (gst_structure_get_uint (content, field (name, component).c_str (), &value));
    test_check ((int) value == expected, "%s-%d is %u, not %d", name, component, value, expected);
  }
  for (const auto &[name, expected] : {std::make_pair ("mean", mean), {"stddev", stddev}}) {
    gdouble value = 0;
    ck_assert (gst_structure_get_double (content, field (name, component).c_str (), &value));
    test_check (
        std::fabs (value - expected) <= 1e-9 * (1 + expected), "%s-%d is %.17g, not %.17g", name, component, value, expected);
  }
}

static Case
histogram_case (GstVideoFormat format, const std::string &properties, int width = 67, int height = 41)
{
  return case_of ("clhistogram " + properties, format, width, height);
}

/* The number of a component in messages; nothing for padding. */
static std::optional<int>
number_of (const ref::Component &component)
{
  const unsigned bit = ref::plane_bit (component.name);
  return bit ? std::optional (std::countr_zero (bit)) : std::nullopt;
}

static const std::pair<GstVideoFormat, int> kinds[] = {{GST_VIDEO_FORMAT_GRAY8, 256}, {GST_VIDEO_FORMAT_GRAY8, 7},
    {GST_VIDEO_FORMAT_RGB, 256}, {GST_VIDEO_FORMAT_ABGR, 16}, {GST_VIDEO_FORMAT_BGRx, 1000}, {GST_VIDEO_FORMAT_I420, 256},
    {GST_VIDEO_FORMAT_NV21, 2}, {GST_VIDEO_FORMAT_P010_10LE, 1024}, {GST_VIDEO_FORMAT_Y444_10LE, 1024},
    {GST_VIDEO_FORMAT_RGBA64_LE, 65536}, {GST_VIDEO_FORMAT_GRAY16_LE, 100}};

TEST (counts_and_statistics, G_N_ELEMENTS (kinds))
{
  const auto [format_id, bins] = kinds[__i__];
  const Case c = histogram_case (format_id, format ("bins=%d", bins));
  Link link = open (c);
  for (const Content content : {Content::Natural, Content::Noise}) {
    const ref::Picture stored = random_picture (c.format, c.width, c.height, 300 + __i__, content);
    const ref::Picture in = ref::bounded (stored);
    const Own found = content_of (link, c, stored);
    gint told_bins = 0;
    ck_assert (gst_structure_get_int (found, "bins", &told_bins));
    ck_assert_int_eq (told_bins, bins);
    int components = 0;
    for (const ref::Component &component : in.components)
      if (const std::optional<int> number = number_of (component)) {
        check_counts (found, *number, ref::histogram (in, component, {0, 0, in.width, in.height}, bins));
        check_statistics (found, *number, component.value);
        components++;
      }
    guint black = 0, white = 0;
    ck_assert (gst_structure_get (found, "black", G_TYPE_UINT, &black, "white", G_TYPE_UINT, &white, nullptr));
    ck_assert_int_eq (black, in.black ());
    ck_assert_int_eq (white, in.white ());
    /* bins, black, white, three times, and six of each component */
    ck_assert_int_eq (gst_structure_n_fields (found), 6 + 6 * components);
  }
}

/* Frames so large that a CPU with few cores counts values in pairs; with an odd width. */
static const std::pair<GstVideoFormat, const char *> large_kinds[] = {{GST_VIDEO_FORMAT_GRAY8, ""},
    {GST_VIDEO_FORMAT_GRAY8, "bins=100 roi-x=1 roi-y=2 roi-width=1877 roi-height=1001"}, {GST_VIDEO_FORMAT_RGBA, ""},
    {GST_VIDEO_FORMAT_NV12, ""}};

TEST (large_frames, G_N_ELEMENTS (large_kinds))
{
  const auto [format_id, properties] = large_kinds[__i__];
  const Case c = histogram_case (format_id, properties, 1917, 1081);
  const bool whole = !*properties;
  const ref::Rectangle counted = whole ? ref::Rectangle{0, 0, c.width, c.height} : ref::Rectangle{1, 2, 1877, 1001};
  Link link = open (c);
  for (const Content content : {Content::Natural, Content::Noise}) {
    const ref::Picture in = random_picture (c.format, c.width, c.height, 350 + __i__, content);
    const Own found = content_of (link, c, in);
    for (const ref::Component &component : in.components)
      if (const std::optional<int> number = number_of (component))
        check_counts (found, *number, ref::histogram (in, component, counted, whole ? 256 : 100));
  }
}

/* Results that are computed from such counts. */
TEST (large_intensities)
{
  Case c = histogram_case (GST_VIDEO_FORMAT_BGRx, "", 1917, 1081);
  c.element = "clequalize";
  c.settings.filter = [] (const ref::Picture &p, const ref::Scene &scene) { return ref::equalize (p, {}, scene.region); };
  c.frames = {{Content::Natural, Storage::Padded}, {Content::Noise, Storage::Tight}};
  check (c);
}

TEST (chosen_components)
{
  const Case c = histogram_case (GST_VIDEO_FORMAT_RGBA, "components=10");
  Link link = open (c);
  const Own found = content_of (link, c, noise_for (c, 400));
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq (gst_structure_has_field (found, field ("counts", i).c_str ()), i == 1 || i == 3);
}

TEST (region)
{
  const Case c = histogram_case (GST_VIDEO_FORMAT_I420, "roi-x=5 roi-y=3 roi-width=20 roi-height=11");
  Link link = open (c);
  const ref::Picture in = noise_for (c, 500);
  const Own found = content_of (link, c, in);
  for (int i = 0; i < 3; i++)
    check_counts (found, i, ref::histogram (in, in.components[i], {5, 3, 20, 11}, 256));
}

/* Messages for frames 0, 3, 6 and 9, in order, with the times of their frames; the buffers themselves pass. */
TEST (interval_and_times)
{
  Link link ("clhistogram interval=3", "video/x-raw,format=GRAY8,width=8,height=8,framerate=0/1");
  for (int i = 0; i < 10; i++) {
    const Own buffer = timed (filled (64, i), (100 + i) * GST_MSECOND);
    const Own result = link.filter (gst_buffer_ref (buffer));
    ck_assert (result == buffer);
  }
  for (int i = 0; i < 10; i += 3) {
    const Own found = next_content (link);
    ck_assert_msg (found != nullptr, "no message of frame %d", i);
    guint value = 0;
    ck_assert (gst_structure_get_uint (found, "median-0", &value));
    ck_assert_uint_eq (value, i);
    for (const char *name : {"timestamp", "stream-time", "running-time"}) {
      guint64 time = 0;
      ck_assert (gst_structure_get_uint64 (found, name, &time));
      ck_assert_uint_eq (time, (100 + i) * GST_MSECOND);
    }
  }
  ck_assert (next_content (link, GST_SECOND / 2) == nullptr);
}

TEST (nothing_is_posted)
{
  Link link ("clhistogram post-messages=false", "video/x-raw,format=GRAY8,width=8,height=8,framerate=30/1");
  auto push = [&] { gst_buffer_unref (link.filter (gst_buffer_new_allocate (nullptr, 64, nullptr))); };
  push ();
  ck_assert (next_content (link, GST_SECOND / 2) == nullptr);
  ck_assert_uint_eq (stat (link.element ("clhistogram"), "builds") + stat (link.element ("clhistogram"), "cache-hits"), 0);
  link.set ("clhistogram", "post-messages", "true");
  push ();
  const Own found = next_content (link);
  ck_assert (found != nullptr);
}

/* The last message is not lost at the end of the stream. */
TEST (last_message_comes)
{
  Link link ("clhistogram", "video/x-raw,format=GRAY8,width=8,height=8,framerate=30/1");
  for (int i = 0; i < 20; i++)
    gst_buffer_unref (link.filter (gst_buffer_new_allocate (nullptr, 64, nullptr)));
  link.end ();
  for (int i = 0; i < 20; i++) {
    const Own found = next_content (link);
    ck_assert_msg (found != nullptr, "%d messages instead of 20", i);
  }
}

}  // namespace test::histogram_suite

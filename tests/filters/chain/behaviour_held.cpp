/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clchain with filters that hold frames or change caps gives the same results as separate elements. */
#include "../../elements/filtercase.hpp"

namespace test::chain_held_suite {

static Tests tests ("chain_held", Needs::Device);

constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420_10LE};

static Case
case_of (GstVideoFormat of)
{
  return test::case_of ("", of, 45, 26);
}

/* A scene with a little noise, so that filters over time have something to do. */
static void
push_frames (Link &link, const Case &c, unsigned first, unsigned n)
{
  for (unsigned t = first; t < first + n; t++) {
    Random scene (5), noise (t);
    ref::Picture picture = make_picture (c.format, c.width, c.height, Content::Natural, scene);
    const int max = picture.max (), spread = max / 16;
    for (ref::Component &component : picture.components)
      for (int &value : component.value)
        value = std::clamp (value + noise.between (-spread, spread), 0, max);
    GstBuffer *buffer = make_buffer (c, picture, storages[t % std::size (storages)]);
    ck_assert_int_eq (link.push (timed (buffer, gst_util_uint64_scale (t, GST_SECOND, 30), GST_SECOND / 30)), GST_FLOW_OK);
  }
}

struct Left {
  GstClockTime pts, duration;
  bool discont;
  ref::Picture picture;
};

static void
pull_all (Link &link, const Case &c, std::vector<Left> &all)
{
  while (GstBuffer *buffer = gst_harness_try_pull (link.harness ())) {
    all.push_back (
        {GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer), bool (GST_BUFFER_IS_DISCONT (buffer)), picture_in (c, buffer)});
    gst_buffer_unref (buffer);
  }
}

static void
expect_same_frames (const std::vector<Left> &in_row, const std::vector<Left> &in_chain, const std::string &what)
{
  test_check (in_row.size () == in_chain.size (), "%s: %zu frames, not %zu", what.c_str (), in_chain.size (), in_row.size ());
  for (size_t i = 0; i < in_row.size (); i++) {
    const Left &a = in_row[i], &b = in_chain[i];
    test_check (a.pts == b.pts && a.duration == b.duration && a.discont == b.discont, "%s: frame %zu has other times or flags",
        what.c_str (), i);
    for (size_t n = 0; n < a.picture.components.size (); n++)
      test_check (a.picture.components[n].value == b.picture.components[n].value
                      && a.picture.components[n].spare == b.picture.components[n].spare,
          "%s: component %zu of frame %zu differs", what.c_str (), n, i);
  }
}

static void
end (Link &link, const Case &c, std::vector<Left> &left)
{
  link.end ();
  pull_all (link, c, left);
}

/* The frames before a flush, after it, and of another size, until the end of the stream; and the latency after each part. */
static std::pair<std::vector<Left>, std::vector<GstClockTime>>
play_through (const std::string &launch, Case c)
{
  constexpr unsigned frames = 7;
  Link link (launch, caps_of (c), format ("video/x-raw,format=%s", gst_video_format_to_string (c.format)));
  GstHarness *h = link.harness ();
  std::vector<Left> left;
  std::vector<GstClockTime> latencies;
  for (unsigned part = 0; part < 3; part++) {
    if (part == 1) {
      link.flush ();
    } else if (part == 2) {
      Case wider = c;
      wider.width += 17;
      gst_harness_set_src_caps_str (h, caps_of (wider).c_str ());
      pull_all (link, c, left);
      c = wider;
    }
    push_frames (link, c, part * frames, frames);
    latencies.push_back (link.latency ());
    pull_all (link, c, left);
  }
  end (link, c, left);
  return {left, latencies};
}

constexpr const char *rows[] = {"clmedian ! clstabilize smoothing=4", "clstabilize smoothing=2 ! clsharpen",
    "cltemporal ! clsharpen", "clmedian ! cltemporal frames=5 method=median ! cllevels gamma=1.2",
    "cltemporal frames=3 ! clnoise ! clerode ! clstabilize smoothing=2 ! clthreshold", "cltemporal method=recursive ! clmedian",
    "cldeinterlace mode=always fields=top ! clmedian", "clnoise ! cldeinterlace mode=always ! cltemporal frames=3",
    "clmedian ! clflip video-direction=180 ! clerode"};

TEST (same_as_row, std::size (rows))
{
  const bool full = takes_all ();
  for (int i = 0; i < (full ? int (std::size (formats)) : 1); i++) {
    const GstVideoFormat of = formats[(__i__ + i) % std::size (formats)];
    const Case c = case_of (of);
    const std::string what = std::string (gst_video_format_to_string (of)) + ": " + rows[__i__];
    const auto [in_row, row_latencies] = play_through (rows[__i__], c);
    const auto [in_chain, chain_latencies] = play_through (chain_of (rows[__i__]), c);
    ck_assert_uint_gt (in_row.size (), 10);
    expect_same_frames (in_row, in_chain, what);
    test_check (row_latencies == chain_latencies, "%s: another latency", what.c_str ());
  }
}

/* Replacing filters while playing: frames held by the old ones are pushed before the first frame of the new ones. */
TEST (other_filters)
{
  constexpr unsigned frames = 7;
  const Case c = case_of (GST_VIDEO_FORMAT_NV12);
  std::vector<Left> in_rows, in_chain;
  Link link (chain_of (rows[0]), caps_of (c));
  GstElement *chain = link.element ("clchain");
  unsigned first = 0;
  for (const char *filters : {rows[0], rows[4], "clmedian ! clerode", "clsobel", "clstabilize smoothing=2 name=still"}) {
    g_object_set (chain, "filters", filters, nullptr);
    push_frames (link, c, first, frames);
    Link row (filters, caps_of (c));
    push_frames (row, c, first, frames);
    end (row, c, in_rows);
    first += frames;
  }
  end (link, c, in_chain);
  gdouble crop = 0;
  gst_child_proxy_set (GST_CHILD_PROXY (chain), "still::crop", 0.25, nullptr);
  gst_child_proxy_get (GST_CHILD_PROXY (chain), "filter0::crop", &crop, nullptr);
  ck_assert (crop == 0.25);
  ck_assert (link.errors ().empty ());
  for (std::vector<Left> *all : {&in_rows, &in_chain})
    for (Left &each : *all)
      each.discont = false;
  expect_same_frames (in_rows, in_chain, "one after another");
}

/* Only the ends of the chain transfer frames between host and device; statistics cover all filters. */
TEST (transfers)
{
  Case c = case_of (GST_VIDEO_FORMAT_RGBA);
  Link link (chain_of ("clmedian ! cltemporal frames=3 ! cllevels gamma=2") + " profile=true", caps_of (c));
  GstElement *chain = link.element ("clchain");
  std::vector<Left> left;
  push_frames (link, c, 0, 10);
  end (link, c, left);
  const guint64 bytes = guint64 (c.width) * c.height * 4 * left.size ();
  ck_assert_uint_eq (left.size (), 10);
  ck_assert_uint_eq (stat (chain, "frames"), left.size ());
  for (const char *field : {"bytes-uploaded", "bytes-downloaded"})
    test_check (stat (chain, field) == 0 || stat (chain, field) >= bytes, "%s", field);
  for (const char *field : {"bytes-uploaded", "bytes-downloaded"})
    test_check (stat (chain, field) < 2 * bytes, "%s: more than once a frame", field);
  GstElement *temporal = GST_ELEMENT (gst_child_proxy_get_child_by_index (GST_CHILD_PROXY (chain), 1));
  const guint64 time = stat (temporal, "kernel-time-ns-mean");
  ck_assert (0 < time && time < stat (chain, "kernel-time-ns-mean"));
  ck_assert_str_eq (stat_text (temporal, "path").c_str (), "opencl");
  gst_object_unref (temporal);
  g_print ("%s\n", stat_text (chain, "algorithm").c_str ());
}

}  // namespace test::chain_held_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllevels auto=true over several frames: black and white points are averaged, and reset when the stream jumps. */
#include <deque>

#include "../../elements/filtercase.hpp"
#include "reference.hpp"

namespace test::levels_suite {

static Tests tests ("levels", Needs::Device);

constexpr int width = 37, height = 21;
constexpr double clip = 0.0625, fps = 30;
constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_P010_10LE};

/* Frames whose darkest and brightest samples change. */
static ref::Picture
frame_of (const Case &c, unsigned number)
{
  Random random (40000 + number);
  ref::Picture picture = make_picture (c.format, c.width, c.height, Content::Noise, random);
  const int low = random.between (0, picture.max () / 3), high = random.between (picture.max () / 2, picture.max ());
  for (ref::Component &component : picture.components)
    for (int &value : component.value)
      value = low + value * (high - low) / picture.max ();
  return picture;
}

/* The reference for a stream. */
class Average {
public:
  explicit Average (size_t frames_) : frames (frames_) {}

  void forget () { last.clear (); }

  ref::Levels next (const ref::Picture &picture, const ref::Rectangle &region)
  {
    last.push_back (ref::percentiles (picture, clip, region));
    while (last.size () > std::max<size_t> (frames, 1))
      last.pop_front ();
    double black = 0, white = 0;
    for (const ref::Points &points : last) {
      black += points.black;
      white += points.white;
    }
    const double low = picture.black (), span = picture.white () - low, n = (double) last.size ();
    return {(black / n - low) / span, (white / n - low) / span, 1};
  }

  size_t frames;

private:
  std::deque<ref::Points> last;
};

static Case
case_of (GstVideoFormat format, int smoothing)
{
  Case c = test::case_of (test::format ("cllevels auto=true clip=%.17g smoothing=%d", clip, smoothing), format, width, height);
  c.settings.tolerance = 1;
  c.settings.keeps_spare = true;
  return c;
}

/* Filters frame `number` of the stream and compares it with the average. */
static void
check_next (Case &c, Link &link, Average &average, unsigned number, const std::string &what, GstClockTimeDiff late = 0)
{
  const ref::Picture in = frame_of (c, number);
  const ref::Levels found =
      average.next (in, c.common.whole_frame ? ref::Rectangle{0, 0, width, height} : c.common.roi.front ());
  c.settings.filter = [&] (const ref::Picture &p, const ref::Scene &) { return ref::levels (p, found); };
  filter_and_check (c, link, in,
      timed (make_buffer (c, in, Storage::Tight), gst_util_uint64_scale (number, GST_SECOND, fps) + late,
          gst_util_uint64_scale (1, GST_SECOND, fps)),
      test::format ("%s, frame %u", what.c_str (), number));
}

TEST (averages, G_N_ELEMENTS (formats))
{
  for (const int smoothing : {0, 1, 4}) {
    Case c = case_of (formats[__i__], smoothing);
    Link link (c.element + " " + c.settings.properties, in_caps_of (c));
    Average average (smoothing);
    for (unsigned number = 0; number < 10; number++)
      check_next (c, link, average, number, "averages");
  }
}

/* Larger values of the property include frames that were measured before. */
TEST (smoothing_changes, G_N_ELEMENTS (formats))
{
  Case c = case_of (formats[__i__], 600);
  Link link (c.element + " " + c.settings.properties, in_caps_of (c));
  Average average (600);
  for (unsigned number = 0; number < 5; number++)
    check_next (c, link, average, number, "smoothing=600");
  link.set ("cllevels", "smoothing", "2");
  average.frames = 2;
  for (unsigned number = 5; number < 8; number++)
    check_next (c, link, average, number, "smoothing=2");
}

TEST (forgets_after_a_seek, G_N_ELEMENTS (formats))
{
  Case c = case_of (formats[__i__], 12);
  Link link (c.element + " " + c.settings.properties, in_caps_of (c));
  Average average (12);
  for (const unsigned start : {100, 20, 5000}) {
    average.forget ();
    for (unsigned number = start; number < start + 4; number++)
      check_next (c, link, average, number, "after a seek");
  }
}

/* The times of a camera's frames vary. */
TEST (uneven_times)
{
  Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 4);
  Link link (c.element + " " + c.settings.properties, in_caps_of (c));
  Average average (4);
  for (unsigned number = 0; number < 8; number++)
    check_next (c, link, average, number, "uneven times", GST_SECOND / 60 + (number % 2 ? GST_MSECOND : -GST_MSECOND));
}

TEST (backwards)
{
  Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 4);
  Link link (c.element + " " + c.settings.properties, in_caps_of (c));
  Average average (4);
  link.turn_back ();
  for (int number = 7; number >= 0; number--)
    check_next (c, link, average, number, "backwards");
}

/* A region of interest is measured separately. */
TEST (region, G_N_ELEMENTS (formats))
{
  Case c = case_of (formats[__i__], 3);
  c.common.whole_frame = false;
  c.common.roi = {{8, 4, 20, 10}};
  Link link (c.element + " " + c.settings.properties + " roi-x=8 roi-y=4 roi-width=20 roi-height=10", in_caps_of (c));
  Average average (3);
  for (unsigned number = 0; number < 5; number++)
    check_next (c, link, average, number, "region");
}

/* Each region continues its own average, in whatever order a detector lists them. */
TEST (regions_in_any_order)
{
  Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 4);
  c.common.whole_frame = false;
  Link link (c.element + " " + c.settings.properties + " roi-source=list", in_caps_of (c));
  Average averages[] = {Average (4), Average (4)};
  for (int number = 0; number < 8; number++) {
    const ref::Rectangle bright{2 + number % 3, 4, 12, 9}, dark{20, 3 + number, 14, 9};
    ref::Picture in = frame_of (c, number);
    for (int i = 0; i < width * height; i++)
      in.components[0].value[i] /= i % width < 18 ? 1 : 3;
    const ref::Picture other = ref::levels (in, averages[1].next (in, dark));
    c.settings.filter = [&, found = averages[0].next (in, bright)] (const ref::Picture &p, const ref::Scene &) {
      ref::Picture out = ref::levels (p, found);
      for (int i = 0; i < width * height; i++)
        if (i % width >= 18)
          out.components[0].value[i] = other.components[0].value[i];
      return out;
    };
    c.common.roi = number % 2 ? std::vector{dark, bright} : std::vector{bright, dark};
    std::string list;
    for (const ref::Rectangle &each : c.common.roi)
      list += test::format (
          "%s[r,x=%d,y=%d,width=%d,height=%d]", list.empty () ? "" : ",", each.x, each.y, each.width, each.height);
    link.set ("cllevels", "roi-list", "<" + list + ">");
    filter_and_check (c, link, in,
        timed (make_buffer (c, in, Storage::Tight), gst_util_uint64_scale (number, GST_SECOND, fps),
            gst_util_uint64_scale (1, GST_SECOND, fps)),
        test::format ("frame %d", number));
  }
}

/* Unfiltered samples keep all stored bits, including padding and bits above the depth, when results are mixed. */
TEST (others_stay)
{
  for (const char *line : {"cllevels white=0.5 mix=0.5", "cllevels auto=true mix=0.25", "clequalize mix=0.5",
           "clequalize strength=0.5", "clequalize method=clahe mix=0.75 strength=0.5"})
    for (const GstVideoFormat id : {GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_10LE}) {
      const Case c = test::case_of (line, id, width, height);
      ref::Picture in = noise_for (c, 1);
      Random random (2);
      for (ref::Component &component : in.components)
        for (int &value : component.value)
          value = random.between (0, in.max_stored ());
      const ref::Picture out = filtered (c, in);
      test_check (out.components[0].value != in.components[0].value, "%s: nothing is filtered", line);
      for (const int i : {1, 2})
        test_check (out.components[i].value == in.components[i].value && out.components[i].spare == in.components[i].spare,
            "%s, %s: %c has changed", line, gst_video_format_to_string (id), in.components[i].name);
    }
}

}  // namespace test::levels_suite

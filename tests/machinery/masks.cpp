/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pad `mask`: pictures in every memory and from a file, on filters, clchain and clvideo. */
#include <atomic>
#include <cstring>
#include <thread>

#include <gst/base/gstbasetransform.h>

#include "../elements/filtercase.hpp"
#include "../elements/gl.hpp"
#include "../elements/pipeline.hpp"

namespace test::masks_suite {

static Tests tests ("masks", Needs::DeviceOrGL);

constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12};

/* Pushes pictures to the pad `mask` of an element. */
class MaskSource {
public:
  explicit MaskSource (GstElement *element) : sink (gst_element_request_pad_simple (element, "mask"))
  {
    gst_pad_set_active (pad, TRUE);
    ck_assert_int_eq (gst_pad_link (pad, sink), GST_PAD_LINK_OK);
    gst_pad_push_event (pad, gst_event_new_stream_start ("mask"));
  }
  /* buffer: in memory of those caps */
  void push (const std::string &caps_text, GstBuffer *buffer)
  {
    begin (caps_text);
    ck_assert_int_eq (push (buffer), GST_FLOW_OK);
  }
  void begin (const std::string &caps_text)
  {
    const Own caps = gst_caps_from_string (caps_text.c_str ());
    gst_pad_push_event (pad, gst_event_new_caps (caps));
    GstSegment segment;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_push_event (pad, gst_event_new_segment (&segment));
  }
  GstFlowReturn push (GstBuffer *buffer) { return gst_pad_push (pad, buffer); }
  void flush_start () { gst_pad_push_event (pad, gst_event_new_flush_start ()); }
  void flush_stop () { gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE)); }
  void end () { gst_pad_push_event (pad, gst_event_new_eos ()); }
  /* What to do when a seek comes. */
  void on_seek (std::function<void ()> action)
  {
    seek = std::move (action);
    gst_pad_set_element_private (pad, this);
    gst_pad_set_event_function (pad, [] (GstPad *pad, GstObject *, GstEvent *event) -> gboolean {
      if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
        static_cast<MaskSource *> (gst_pad_get_element_private (pad))->seek ();
      gst_event_unref (event);
      return TRUE;
    });
  }

private:
  std::function<void ()> seek;
  const Own<GstPad> pad = gst_pad_new ("mask-source", GST_PAD_SRC);
  const Own<GstPad> sink;
};

/* Of four by two pixels, scaled linearly. */
static double
mask_at (const std::vector<guint8> &values, double x, double y)
{
  const auto at = [&values] (int column, int row) { return double (values[size_t (row) * 4 + column]); };
  x = std::clamp (x * 4 - 0.5, 0., 3.);
  y = std::clamp (y * 2 - 0.5, 0., 1.);
  const int left = int (x), top = int (y), right = std::min (left + 1, 3), bottom = std::min (top + 1, 1);
  const double upper = std::lerp (at (left, top), at (right, top), x - left);
  return std::lerp (upper, std::lerp (at (left, bottom), at (right, bottom), x - left), y - top) / 255;
}

/* Four by two pixels, grey or alpha, in system, OpenCL or GL memory. */
const std::vector<guint8> mask_values{0, 255, 128, 64, 255, 255, 0, 30};

static void
push_mask (MaskSource &source, const std::string &kind, bool on_device)
{
  std::vector<guint8> bytes = mask_values;
  if (kind == "A420")
    bytes.insert (bytes.begin (), 16, 77); /* Y, U and V */
  for (size_t i = 0; kind == "RGBA" && i < mask_values.size (); i++)
    bytes.insert (bytes.begin () + gssize (4 * i), 3, 77);
  const std::string caps = format ("video/x-raw,format=%s,width=4,height=2,framerate=1/1", kind.c_str ());
  GstBuffer *buffer = gst_buffer_new_memdup (bytes.data (), bytes.size ());
  if (on_device) {
    const std::string device_caps = "video/x-raw(memory:OpenCLMemory)" + caps.substr (strlen ("video/x-raw"));
    Link upload ("clupload", caps, device_caps);
    source.push (device_caps, upload.filter (buffer));
  } else if (kind == "RGBA" && expected_gl_path ()) {
    const Own tight = gst_caps_from_string (caps.c_str ());
    const ref::Picture picture = from_buffer (buffer, tight);
    source.push (with_gl (caps), to_textures (picture, Storage::Padded, tight));
    gst_buffer_unref (buffer);
  } else {
    source.push (caps, buffer);
  }
}

/* Whether samples are mixed of input and filtered picture as the mask says. */
static void
check_masked (const Case &c, const ref::Picture &in, const ref::Picture &filtered, const ref::Picture &out)
{
  for (size_t k = 0; k < in.components.size (); k++) {
    const ref::Component &from = in.components[k], &to = filtered.components[k];
    for (const auto [x, y] : from.places ()) {
      const int field = c.common.interlaced ? y % 2 : 0, step = c.common.interlaced ? 2 : 1, line = y / step;
      const int first = line * from.sub_y, last = std::min ((line + 1) * from.sub_y, (c.height + step - 1 - field) / step) - 1;
      const double down = (first + last) / 2. * step + field + 0.5;
      const double across = (x * from.sub_x + std::min ((x + 1) * from.sub_x, c.width)) / 2.;
      const double share = mask_at (mask_values, across / c.width, down / c.height);
      const double expected = from.at (x, y) + share * (to.at (x, y) - from.at (x, y));
      test_check (std::abs (out.components[k].at (x, y) - expected) <= 1, "%c at %d, %d: %d, not %f", from.name, x, y,
          out.components[k].at (x, y), expected);
    }
  }
}

/* A mask whose second row lies far outside its buffer. */
static void
push_outside (MaskSource &source)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = {};
  gint strides[GST_VIDEO_MAX_PLANES] = {1 << 30};
  GstBuffer *buffer = gst_buffer_new_memdup (mask_values.data (), mask_values.size ());
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 4, 2, 1, offsets, strides);
  source.push ("video/x-raw,format=GRAY8,width=4,height=2", buffer);
}

/* The mask multiplies mix, and holds after its stream has ended. Of a chain it is each filter's. */
TEST (mask, 6)
{
  Case c = median_case (67, 47, formats[__i__ % std::size (formats)]);
  c.common.interlaced = __i__ == 1;
  const char *const element = __i__ == 3 ? "clchain" : __i__ == 4 ? "clvideo" : "clmedian";
  Link link (element == std::string ("clmedian") ? element : std::string (element) + " filters=clmedian", in_caps_of (c),
      out_caps_of (c));
  MaskSource source (link.element (element));
  push_outside (source);
  filter_and_check (c, link, 1, "before the first mask");
  push_mask (source, __i__ == 1 ? "RGBA" : __i__ == 5 ? "A420" : "GRAY8", __i__ == 2);
  source.end ();
  for (unsigned n = 2; n < 4; n++) {
    const ref::Picture in = noise_for (c, n);
    check_masked (c, in, ref::apply (in, c.common, c.settings.filter), filtered (c, link, in));
  }
}

/* A file's only picture ends the mask's stream; it holds, and the video goes on. */
TEST (mask_file)
{
  const std::string file = scratch_folder () + "/mask.png";
  Pipeline ("videotestsrc pattern=solid-color foreground-color=0x00ffffff num-buffers=1 ! "
            "video/x-raw,format=RGBA,width=8,height=8 ! pngenc ! filesink location="
            + file)
      .play_to_end ();
  const Case c = median_case (64, 48);
  Link link ("clmedian name=f filesrc location=" + file + " ! pngdec ! f.mask", in_caps_of (c), out_caps_of (c));
  const ref::Picture in = noise_for (c, 1);
  const auto is_masked = [&] { return filtered (c, link, in).components[0].value == in.components[0].value; };
  for (int tries = 0; !is_masked (); tries++) {
    test_check (tries < 500, "the file masks nothing");
    g_usleep (10'000);
  }
  for (int n = 0; n < 10; n++) {
    g_usleep (5'000);
    test_check (is_masked (), "the mask does not hold");
  }
}

constexpr GstClockTime frame_length = 40 * GST_MSECOND;

/* A thread that pushes a mask for each frame, as fast as the pad takes them: odd or even ones are zero. */
class Masks {
public:
  Masks (MaskSource &source, int zeros)
      : thread ([this, &source, zeros] {
          for (int n = 0; flow == GST_FLOW_OK; n++) {
            flow = source.push (timed (filled (4, n % 2 == zeros ? 0 : 255), n * frame_length, frame_length));
            taken += flow == GST_FLOW_OK;
          }
        })
  {
  }
  ~Masks ()
  {
    if (thread.joinable ())
      thread.join ();
  }
  /* Waits until a push fails, and returns why. */
  GstFlowReturn end ()
  {
    thread.join ();
    return flow;
  }
  /* Fails the test unless so many are taken, and no more. */
  void expect (int number)
  {
    wait_for (number);
    g_usleep (10'000);
    test_check (taken == number, "mask %d does not wait for its frame", int (taken) - 1);
  }
  void wait_for (int number)
  {
    for (int tries = 0; taken < number; tries++) {
      test_check (tries < 5'000, "only %d masks are taken, not %d", int (taken), number);
      g_usleep (1'000);
    }
  }

private:
  GstFlowReturn flow = GST_FLOW_OK;
  std::atomic<int> taken = 0;
  std::thread thread;
};

/* Masks wait for the frames of their times. A seek reaches them first; then they wait for frames of the new position, and the last
 * one holds. */
TEST (mask_times, 2)
{
  const Case c = median_case (16, 16);
  const char *const element = __i__ ? "clchain" : "clmedian";
  Link link (__i__ ? "clchain filters=\"clmedian ! clmedian radius=2 roi-width=1\"" : "clmedian", in_caps_of (c));
  MaskSource source (link.element (element));
  const ref::Picture in = noise_for (c, 1);
  const auto is_masked = [&] (int n) {
    const Own result = link.filter (timed (make_buffer (c, in, Storage::Tight), n * frame_length, frame_length));
    return picture_in (c, result).components[0].value == in.components[0].value;
  };
  std::unique_ptr<Masks> masks;
  const auto begin = [&] (int zeros) {
    source.begin ("video/x-raw,format=GRAY8,width=1,height=1");
    masks.reset (new Masks (source, zeros));
    masks->expect (1);
  };
  source.on_seek ([&] {
    while (const Own event = gst_harness_try_pull_upstream_event (link.harness ()))
      test_check (GST_EVENT_TYPE (event) != GST_EVENT_SEEK, "the frames seek first");
    source.flush_start ();
    masks.reset ();
    source.flush_stop ();
    begin (1);
    test_check (is_masked (20), "a mask of the new position is on a frame of the old one");
    masks->expect (1);
  });
  for (const int zeros : {0, 1}) {
    if (!zeros)
      begin (zeros);
    for (int n = 0; n < 5; n++) {
      test_check (is_masked (n) == (n % 2 == zeros), "frame %d has another mask", n);
      masks->expect (n + 3);
    }
    if (zeros)
      break;
    gst_harness_push_upstream_event (link.harness (),
        gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
    link.flush ();
  }
  link.end ();
  ck_assert_int_eq (masks->end (), GST_FLOW_EOS);
}

/* Filters of a chain that hold frames keep the masks of these; without a flush, a seek does not stop the masks. */
TEST (mask_held)
{
  const Case c = median_case (16, 16);
  Link link ("clchain filters=\"clmedian ! cltemporal frames=9 threshold=1\"", in_caps_of (c));
  MaskSource source (link.element ("clchain"));
  source.begin ("video/x-raw,format=GRAY8,width=1,height=1");
  Masks masks (source, 0);
  masks.expect (1);
  const ref::Picture first = noise_for (c, 1), second = noise_for (c, 2);
  const auto play = [&] (int n) {
    link.push (timed (make_buffer (c, n % 2 ? second : first, Storage::Tight), n * frame_length, frame_length));
    masks.wait_for (n + 3);
  };
  for (int n = 0; n < 6; n++)
    play (n);
  source.on_seek ([&] { play (6); });
  gst_harness_push_upstream_event (link.harness (),
      gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
  for (int n = 7; n < 12; n++)
    play (n);
  link.end ();
  for (int n = 0; n < 12; n += 2) {
    const Own result = link.pull ();
    test_check (picture_in (c, result).components[0].value == first.components[0].value, "frame %d has another mask", n);
    const Own other = link.pull ();
    test_check (picture_in (c, other).components[0].value != second.components[0].value, "frame %d has another mask", n + 1);
  }
  ck_assert_int_eq (masks.end (), GST_FLOW_EOS);
}

/* In READY, masks are forgotten, and a push that waits returns. */
TEST (mask_stop)
{
  const Case c = median_case (16, 16);
  Link link ("clmedian", in_caps_of (c));
  GstElement *const element = link.element ("clmedian");
  MaskSource source (element);
  source.begin ("video/x-raw,format=GRAY8,width=1,height=1,framerate=25/1");
  const ref::Picture in = noise_for (c, 1);
  {
    Masks masks (source, 0);
    masks.expect (1);
    const Own result = link.filter (timed (make_buffer (c, in, Storage::Tight), 0, frame_length));
    test_check (picture_in (c, result).components[0].value == in.components[0].value, "the mask is not used");
    masks.expect (3);
    gst_element_set_state (element, GST_STATE_READY);
  }
  gst_element_set_state (element, GST_STATE_PLAYING);
  gst_harness_push_event (link.harness (), gst_event_new_stream_start ("again"));
  const Own caps = gst_caps_from_string (in_caps_of (c).c_str ());
  gst_harness_push_event (link.harness (), gst_event_new_caps (caps));
  link.begin_segment ();
  filter_and_check (c, link, 2, "after READY");
}

/* Every filter of one input with regions has the pad, once, and lets go of it. */
TEST (mask_pads)
{
  int n = 0;
  for (const std::string &name : element_names ()) {
    const Own element = gst_element_factory_make (name.c_str (), nullptr);
    const bool is_bin = GST_IS_BIN (element);
    const bool is_filter =
        is_bin || (GST_IS_BASE_TRANSFORM (element) && g_object_class_find_property (G_OBJECT_GET_CLASS (element), "roi-list"));
    const Own pad = is_filter ? gst_element_request_pad_simple (element, "mask") : nullptr;
    test_check (bool (pad) == is_filter, "%s", GST_OBJECT_NAME (element));
    if (pad) {
      n++;
      ck_assert_str_eq (GST_PAD_NAME (pad), "mask");
      GstPadTemplate *templ = gst_element_get_pad_template (element, "mask");
      test_check (
          !gst_element_request_pad (element, templ, nullptr, nullptr), "%s gives a second pad", GST_OBJECT_NAME (element));
      gst_element_release_request_pad (element, pad);
      test_check (element->numsinkpads == 1, "%s keeps the pad", GST_OBJECT_NAME (element));
    }
  }
  test_check (n > 20, "%d filters have masks", n);
}

}  // namespace test::masks_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pad `mask`: pictures in every memory and from a file, on filters, clchain and clvideo. */
#include <cstring>

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
    const Own caps = gst_caps_from_string (caps_text.c_str ());
    gst_pad_push_event (pad, gst_event_new_caps (caps));
    GstSegment segment;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_push_event (pad, gst_event_new_segment (&segment));
    ck_assert_int_eq (gst_pad_push (pad, buffer), GST_FLOW_OK);
  }
  void end () { gst_pad_push_event (pad, gst_event_new_eos ()); }

private:
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
push_mask (MaskSource &source, bool with_alpha, bool on_device)
{
  std::vector<guint8> rgba (4 * mask_values.size ());
  for (size_t i = 0; i < mask_values.size (); i++)
    rgba[4 * i + 3] = mask_values[i];
  const auto &bytes = with_alpha ? rgba : mask_values;
  const std::string caps = format ("video/x-raw,format=%s,width=4,height=2,framerate=1/1", with_alpha ? "RGBA" : "GRAY8");
  GstBuffer *buffer = gst_buffer_new_memdup (bytes.data (), bytes.size ());
  if (on_device) {
    const std::string device_caps = "video/x-raw(memory:OpenCLMemory)" + caps.substr (strlen ("video/x-raw"));
    Link upload ("clupload", caps, device_caps);
    source.push (device_caps, upload.filter (buffer));
  } else if (with_alpha && expected_gl_path ()) {
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

/* The mask multiplies mix, and holds after its stream has ended. Of a chain it is each filter's. */
TEST (mask, 5)
{
  Case c = median_case (67, 47, formats[__i__ % std::size (formats)]);
  c.common.interlaced = __i__ == 1;
  const char *const element = __i__ == 3 ? "clchain" : __i__ == 4 ? "clvideo" : "clmedian";
  Link link (__i__ < 3 ? element : std::string (element) + " filters=clmedian", in_caps_of (c), out_caps_of (c));
  filter_and_check (c, link, 1, "before the first mask");
  MaskSource source (link.element (element));
  push_mask (source, __i__ == 1, __i__ == 2);
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

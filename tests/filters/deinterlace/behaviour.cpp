/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cldeinterlace: every sample against the reference, and, if FFmpeg is installed, every byte against its yadif and bwdif. */
#include "behaviour.hpp"
#include "../motion/behaviour_scene.hpp"

#include "../../elements/gl.hpp"
#include "../../elements/pipeline.hpp"

#include <fstream>

namespace test {

Case
deinterlace_case (GstVideoFormat format, const std::string &properties, unsigned number, int width, int height)
{
  /* textures of YUY2 omit half a pixel */
  const int odd = expected_gl_path () && format == GST_VIDEO_FORMAT_YUY2 ? width % 2 : 0;
  Case c = case_of ("cldeinterlace " + properties, format, width + odd, height);
  c.settings.keeps_spare = true; /* rows of the field do not change */
  c.number = number;
  return c;
}

std::string
caps_with (const Case &c, int rate, const std::string &fields)
{
  return usual_caps (format ("video/x-raw,format=%s,width=%d,height=%d,framerate=%d/1,%s",
      gst_video_format_to_string (c.format), c.width, c.height, rate, fields.c_str ()));
}

Link
open_deinterlacer (const Case &c, const std::string &fields, int out_rate)
{
  return Link (launch_of (c), caps_with (c, deinterlace_rate, fields), caps_with (c, out_rate, "interlace-mode=progressive"));
}

std::vector<ref::Picture>
interlaced_stream (const Case &c, int n)
{
  Random random (c.number);
  const ref::Picture scene = make_picture (c.format, c.width, c.height, Content::Natural, random);
  std::vector<ref::Picture> stream;
  for (int t = 0; t < n; t++) {
    const ref::Picture noise = make_picture (c.format, c.width, c.height, t % 2 ? Content::Noise : Content::Gradient, random);
    stream.push_back (scene);
    const int max = scene.max (), highest = scene.max_stored ();
    for (size_t i = 0; i < scene.components.size (); i++) {
      ref::Component &component = stream[t].components[i];
      for (const auto [x, y] : component.places ()) {
        int &value = component.at (x, y);
        if (2 * x > component.width)
          value = (value + 3 * noise.components[i].at (x, y)) / 4;
        else if (random.chance (20))
          value = std::clamp (value + random.between (-max / 16, max / 16), 0, max);
        if (highest > max && random.chance (5))
          value = random.between (max + 1, highest);
      }
    }
  }
  return stream;
}

GstBuffer *
interlaced_frame (const Case &c, const ref::Picture &picture, int t, guint flags)
{
  Case as_interlaced = c; /* planes of chroma may be longer */
  as_interlaced.common.interlaced = true;
  GstBuffer *buffer = make_buffer (as_interlaced, picture, storages[t % std::size (storages)]);
  timed (buffer, t * interlaced_time, interlaced_time);
  GST_BUFFER_FLAG_UNSET (buffer, top_first);
  GST_BUFFER_FLAG_SET (buffer, flags);
  return buffer;
}

guint
push_interlaced (Link &link, const Case &c, const ref::Picture &picture, int t, guint flags)
{
  ck_assert_int_eq (link.push (interlaced_frame (c, picture, t, flags)), GST_FLOW_OK);
  return link.results ();
}

void
push_all (Link &link, const Case &c, const std::vector<ref::Picture> &stream, guint flags)
{
  for (size_t t = 0; t < stream.size (); t++)
    push_interlaced (link, c, stream[t], int (t), flags);
  link.end ();
}

}  // namespace test

namespace test::deinterlace_suite {

static Tests tests ("deinterlace", Needs::DeviceOrGL), planes_tests ("deinterlace_planes", Needs::Device);

static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_GRAY16_LE,
    GST_VIDEO_FORMAT_YUY2};

/* Pulls the results of a stream of n frames and compares them, in order of display. */
static void
check_results (Case c, Link &link, const std::vector<ref::Picture> &in, const std::vector<ref::Picture> &results)
{
  for (size_t i = 0; i < results.size (); i++) {
    const Own buffer = link.pull ();
    c.settings.filter = [&] (const ref::Picture &, const ref::Scene &) { return results[i]; };
    check_result (c, in[i * in.size () / results.size ()], buffer,
        format ("%s, %s, field %zu", launch_of (c).c_str (), caps_of (c).c_str (), i));
    test_check (!(GST_BUFFER_FLAGS (buffer) & top_first), "field %zu is marked as interlaced", i);
  }
  fail_if (gst_harness_try_pull (link.harness ()));
}

static void
check_stream (const Case &c, const ref::Deinterlace &set, int n, bool is_top_first)
{
  const std::vector<ref::Picture> stream = interlaced_stream (c, n);
  Link link = open_deinterlacer (c);
  push_all (link, c, stream, is_top_first ? top_first : bottom_first);
  check_results (c, link, stream, ref::deinterlaced (stream, is_top_first, set));
  check_path (c, link);
}

static std::string
properties_of (const ref::Deinterlace &set)
{
  return format ("method=%s", deinterlace_methods[set.method]);
}

TEST (samples, 4 * std::size (formats), 3)
{
  const ref::Deinterlace set{ref::Deinterlace::Method (__i__ % 4)};
  const GstVideoFormat format = formats[__i__ / 4];
  if (expected_gl_path () && !fits_texture (format))
    return;
  for (const bool is_top_first : {true, false})
    check_stream (deinterlace_case (format, properties_of (set), 100 + __i__), set, 4, is_top_first);
}

/* Many rows; rows without neighbours, and pictures of one or two rows; streams of one frame. */
TEST (sizes, system_only (4))
{
  const ref::Deinterlace set{ref::Deinterlace::Method (__i__)};
  for (const auto &[width, height] :
      {std::pair (130, 601), {70, 9}, {7, 8}, {6, 7}, {5, 6}, {3, 5}, {40, 4}, {2, 3}, {9, 2}, {1, 1}}) {
    const Case c = deinterlace_case (GST_VIDEO_FORMAT_GRAY8, properties_of (set), 200 + height, width, height);
    check_stream (c, set, height == 6 ? 1 : 3, height % 2);
  }
}

TEST (common, 4)
{
  const ref::Deinterlace set{ref::Deinterlace::Method (__i__)};
  Case c = deinterlace_case (GST_VIDEO_FORMAT_RGBA, properties_of (set), 300);
  c.common.planes = 10;
  check_stream (c, set, 3, true);
  c.common.planes = 7;
  c.common.mix = 0.25;
  check_stream (c, set, 3, true);
  c.common.mix = 0;
  check_stream (c, set, 3, true);
  c.common.mix = 1;
  c.common.whole_frame = false;
  c.common.roi = {{3, 5, 20, 7}};
  check_stream (c, set, 3, false);
}

/* Filters a file of frames with FFmpeg. */
static std::string
by_ffmpeg (const std::string &file, const Case &c, const char *method, bool is_top_first)
{
  const std::string out = file + ".out";
  const std::string command = format ("ffmpeg -v error -y -nostdin -f rawvideo -pix_fmt yuv420p -s %dx%d -r 25 -i %s -vf "
                                      "%s=mode=1:parity=%d -f rawvideo %s",
      c.width, c.height, file.c_str (), method, !is_top_first, out.c_str ());
  GError *error = nullptr;
  int status = 0;
  test_check (g_spawn_command_line_sync (command.c_str (), nullptr, nullptr, &status, &error) && status == 0, "%s: %s",
      command.c_str (), error ? error->message : "failed");
  return content_of (out);
}

/* The bytes of I420 in a file. */
static std::string
bytes_of (const ref::Picture &picture)
{
  std::string bytes;
  for (const ref::Component &component : picture.components)
    bytes.append (component.value.begin (), component.value.end ());
  return bytes;
}

/* Every byte of a stream, including the edges of the picture and the ends of the stream. */
TEST (ffmpeg, system_only (4))
{
  if (text_of (g_find_program_in_path ("ffmpeg")).empty ()) {
    g_print ("ffmpeg is not installed\n");
    return;
  }
  const ref::Deinterlace set{ref::Deinterlace::Method (__i__ % 2)};
  const bool is_top_first = __i__ < 2;
  const Case c = deinterlace_case (GST_VIDEO_FORMAT_I420, properties_of (set), 400, 96, 54);
  const std::vector<ref::Picture> stream = interlaced_stream (c, 6);
  const std::string file = scratch_folder () + "/fields.yuv";
  std::ofstream out (file, std::ios::binary);
  for (const ref::Picture &picture : stream)
    out << bytes_of (picture);
  out.close ();
  const std::string wanted = by_ffmpeg (file, c, deinterlace_methods[set.method], is_top_first);

  Link link = open_deinterlacer (c);
  push_all (link, c, stream, is_top_first ? top_first : bottom_first);
  std::string got;
  for (int i = 0; i < 12; i++) {
    const Own buffer = link.pull ();
    got += bytes_of (picture_in (c, buffer));
  }
  ck_assert_uint_eq (got.size (), wanted.size ());
  const auto different = std::mismatch (got.begin (), got.end (), wanted.begin ());
  test_check (different.first == got.end (), "%s, %s first: byte %td of %zu is not FFmpeg's", deinterlace_methods[set.method],
      is_top_first ? "top" : "bottom", different.first - got.begin (), got.size ());
}

/* Frames whose planes are made in one launch, or not: one plane, subsampled, more bits, unfiltered samples. */
TEST_IN (planes_tests, planes)
{
  for (const GstVideoFormat format :
      {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_RGBA})
    for (const unsigned filtered : {7, 1}) {
      Case c = deinterlace_case (format, "method=bwdif", 300, 87); /* several groups, whose last item is clipped */
      c.common.planes = filtered;
      check_stream (c, {ref::Deinterlace::Bwdif}, 3, true);
    }
}

/* Caps of the results for frames of 16x16: memory, format, interlace-mode and framerate, or null if nothing links. Results that
 * are made from fields may have other memory than the input. */
static const struct {
  const char *properties, *in, *downstream, *out;
} modes[] = {
    {"mode=disabled", ",format=I420,interlace-mode=interleaved", "video/x-raw", "I420 interleaved 25/1"},
    {"mode=disabled", ",format=I420", "video/x-raw", "I420 progressive 25/1"},
    {"mode=disabled", "(memory:Some),format=I420,interlace-mode=mixed", "video/x-raw(ANY)", "I420 mixed 25/1"},
    {"mode=disabled", ",format=I420", "video/x-raw,interlace-mode=interleaved", nullptr},
    {"", "(memory:Some),format=I420", "video/x-raw(ANY)", "I420 progressive 25/1"},
    {"", "(memory:Some),format=I420,interlace-mode=interleaved", "video/x-raw(ANY)", "I420 interleaved 25/1"},
    {"", ",format=RGB16,interlace-mode=interleaved", "video/x-raw", "RGB16 interleaved 25/1"},
    {"", ",format=I420,interlace-mode=interleaved", "video/x-raw,interlace-mode=interleaved", "I420 interleaved 25/1"},
    {"", ",format=I420,interlace-mode=interleaved", "video/x-raw", "I420 progressive 50/1"},
    {"mode=auto-strict", "(memory:Some),format=I420,interlace-mode=progressive", "video/x-raw(ANY)", "I420 progressive 25/1"},
    {"mode=auto-strict", "(memory:Some),format=I420,interlace-mode=interleaved", "video/x-raw(ANY)", nullptr},
    {"mode=auto-strict", ",format=RGB16,interlace-mode=interleaved", "video/x-raw", nullptr},
    {"mode=auto-strict", ",format=I420,interlace-mode=interleaved", "video/x-raw", "I420 progressive 50/1"},
    {"mode=interlaced", "(memory:Some),format=I420,interlace-mode=interleaved", "video/x-raw(ANY)", nullptr},
    {"mode=interlaced", ",format=I420", "video/x-raw", "I420 progressive 50/1"},
};

TEST (what_passes, system_only (std::size (modes)))
{
  const auto &mode = modes[__i__];
  const std::string caps = format ("video/x-raw%s,width=16,height=16,framerate=25/1", mode.in);
  Link link (std::string ("cldeinterlace ") + mode.properties, caps, mode.downstream);
  for (int t = 0; t < 2; t++) {
    const Own buffer = timed (filled (g_strrstr (mode.in, "RGB16") ? 512 : 384), t * interlaced_time);
    const GstFlowReturn flow = link.push (gst_buffer_ref (buffer));
    ck_assert_int_eq (flow, mode.out ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED);
    GstBuffer *result = mode.out ? gst_harness_try_pull (link.harness ()) : nullptr;
    if (mode.out && !g_strrstr (mode.out, "50/1"))
      test_check (result && gst_buffer_peek_memory (result, 0) == gst_buffer_peek_memory (buffer, 0), "a frame did not pass");
    gst_clear_buffer (&result);
  }
  if (!mode.out)
    return;
  g_autoptr (GstCaps) out = gst_pad_get_current_caps (link.harness ()->sinkpad);
  const GstStructure *structure = gst_caps_get_structure (out, 0);
  const gchar *interlacing = gst_structure_get_string (structure, "interlace-mode");
  int n, d;
  fail_unless (gst_structure_get_fraction (structure, "framerate", &n, &d));
  ck_assert_str_eq (
      format ("%s %s %d/%d", gst_structure_get_string (structure, "format"), interlacing ? interlacing : "progressive", n, d)
          .c_str (),
      mode.out);
}

/* Video of one field per buffer passes if downstream takes it; otherwise one error gives the reason. */
TEST (single_fields, system_only (1))
{
  const std::string caps =
      "video/x-raw(format:Interlaced),format=I420,width=16,height=16,framerate=25/1,interlace-mode=alternate";
  const auto push = [] (Link &link) { return link.push (timed (filled (384), 0)); };
  for (const char *mode : {"auto", "always", "auto-strict"}) {
    Link link (std::string ("cldeinterlace mode=") + mode, caps, "video/x-raw");
    ck_assert_int_eq (push (link), GST_FLOW_NOT_NEGOTIATED);
    expect_one_error (link.errors (), GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, {"one field per buffer", "alternate"});
  }
  Link link ("cldeinterlace", caps, "video/x-raw(format:Interlaced)");
  ck_assert_int_eq (push (link), GST_FLOW_OK);
  ck_assert_uint_eq (link.results (), 1);
}

/* A change while playing: waiting frames are pushed, and later frames pass; and back. */
TEST (live_mode, system_only (1))
{
  const Case c = deinterlace_case (GST_VIDEO_FORMAT_GRAY8, "", 900);
  Link link (launch_of (c), caps_with (c, deinterlace_rate, "interlace-mode=interleaved"), "video/x-raw");
  const ref::Picture picture = interlaced_stream (c, 1)[0];
  const auto push = [&] (int t) { return push_interlaced (link, c, picture, t); };
  push (0);
  ck_assert_uint_eq (push (1), 2);
  link.set ("cldeinterlace", "mode", "disabled");
  ck_assert_uint_eq (push (2), 5);
  ck_assert_uint_eq (push (3), 6);
  link.set ("cldeinterlace", "mode", "always");
  ck_assert_uint_eq (push (4), 6);
  link.end ();
  ck_assert_uint_eq (link.results (), 8);
}

/* One negotiation asks for the settings several times: a change in between waits for the next frame. */
TEST (change_in_negotiation, system_only (2))
{
  static const struct {
    const char *property, *before, *after;
  } changes[] = {{"mode", "always", "disabled"}, {"fields", "all", "top"}};
  const auto &[property, before, after] = changes[__i__];
  const Case c = deinterlace_case (GST_VIDEO_FORMAT_GRAY8, format ("%s=%s", property, before), 900);
  Link link (launch_of (c), caps_with (c, deinterlace_rate, "interlace-mode=interleaved"), "video/x-raw");
  const ref::Picture picture = interlaced_stream (c, 1)[0];
  push_interlaced (link, c, picture, 0);
  bool asked = false;
  const auto change = [&] {
    if (!asked)
      link.set ("cldeinterlace", property, after);
    asked = true;
  };
  using Change = decltype (change);
  const GstPadProbeCallback in_query = [] (GstPad *, GstPadProbeInfo *, gpointer data) {
    (*static_cast<const Change *> (data)) ();
    return GST_PAD_PROBE_OK;
  };
  const gulong probe = gst_pad_add_probe (link.harness ()->sinkpad,
      GstPadProbeType (GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH), in_query, (gpointer) &change, nullptr);
  const Own<GstPad> src = gst_element_get_static_pad (link.element ("cldeinterlace"), "src");
  gst_pad_mark_reconfigure (src);
  for (int t = 1; t < 4; t++)
    push_interlaced (link, c, picture, t);
  gst_pad_remove_probe (link.harness ()->sinkpad, probe);
  test_check (asked, "nothing was negotiated");
}

/* method=motion on fields of a moving scene, with a cut, and at both ends. */
TEST (steady, 4)
{
  static const struct {
    GstVideoFormat format;
    int width, height;
    motion_scene::Step step;
    int cut;
  } shots[] = {
      {GST_VIDEO_FORMAT_I420, 96, 80, {.x = 1.3, .y = 0.4}, G_MAXINT},
      {GST_VIDEO_FORMAT_NV12, 35, 46, {.x = -3, .y = 2}, 4},
      {GST_VIDEO_FORMAT_RGBA, 50, 34, {.zoom = 1.02}, G_MAXINT},
      {GST_VIDEO_FORMAT_P010_10LE, 40, 44, {.x = 0.5}, G_MAXINT},
  };
  const auto &shot = shots[__i__];
  const Case c = deinterlace_case (shot.format, "method=motion", 400, shot.width, shot.height);
  constexpr int n = 4;
  std::vector<ref::Picture> stream;
  for (int t = 0; t < n; t++) {
    const auto at = [&] (int field) {
      return motion_scene::picture_of (
          {.format = shot.format, .width = c.width, .height = c.height, .step = shot.step, .cut = shot.cut}, 2 * t + field);
    };
    stream.push_back (at (0));
    ref::weave (stream.back (), ref::field_of (at (1), 1), 1);
  }
  const ref::Deinterlace set{ref::Deinterlace::Motion};
  const std::vector<ref::Picture> results = ref::deinterlaced (stream, true, set), plain = ref::deinterlaced (stream, true, {});
  ck_assert (results[2].components[0].value != plain[2].components[0].value);
  Link link = open_deinterlacer (c);
  push_all (link, c, stream, top_first);
  check_results (c, link, stream, results);
}

}  // namespace test::deinterlace_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of interlaced frames: each gives the same result as in a separate stream, whatever filters read, measure or
 * keep. */
#include "../elements/inputs.hpp"

namespace test::fields_suite {

static Tests tests ("fields", Needs::Device);

constexpr int width = 50, height = 36, frames = 6, cut = 3;
constexpr GstClockTime frame_time = GST_SECOND / 30;
constexpr guint interlaced = GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF;

using Stream = std::vector<ref::Picture>;

struct Line {
  const char *element;
  GstVideoFormat format = GST_VIDEO_FORMAT_I420;
  const char *second_pad = nullptr;
  const char *colorimetry = "";
};

const Line lines[] = {
    {"clcolormatrix preset=sepia", GST_VIDEO_FORMAT_NV12},
    {"cladjust temperature=0.5 vibrance=0.5"},
    {"cladjust hue=0.3 contrast=1.2", GST_VIDEO_FORMAT_P010_10LE},
    {"cltonemap smoothing=4", GST_VIDEO_FORMAT_P010_10LE, nullptr, ",colorimetry=bt2100-pq"},
    {"clequalize"},
    {"clequalize method=clahe tiles-x=3 tiles-y=2", GST_VIDEO_FORMAT_NV12},
    {"cllevels auto=true smoothing=4"},
    {"cllevels auto=true smoothing=4", GST_VIDEO_FORMAT_RGBA},
    {"clhistogram display=overlay", GST_VIDEO_FORMAT_GRAY8},
    {"cltemporal method=median"},
    {"cltemporal method=average frames=3", GST_VIDEO_FORMAT_NV12},
    {"cltemporal method=recursive"},
    {"clchain filters=\"clcolormatrix preset=grayscale ! clthreshold ! clerode\""},
    {"clchain filters=\"cllevels gamma=0.5 ! clerode radius=2\"", GST_VIDEO_FORMAT_GRAY8},
    {"clvideo filters=\"clcolormatrix preset=sepia ! clblur\""},
    {"clblend mode=multiply", GST_VIDEO_FORMAT_I420, "sink_1"},
    {"clblend mode=lighten", GST_VIDEO_FORMAT_NV12, "sink_1"},
    {"clblend mode=darken", GST_VIDEO_FORMAT_P010_10LE, "sink_1"},
};

/* Noise around a picture; one field changes to another picture earlier than the other field. */
static Stream
make_stream (const Line &line, unsigned seed)
{
  Random random (seed);
  Stream stream;
  const ref::Picture scenes[] = {make_picture (line.format, width, height, Content::Natural, random),
      make_picture (line.format, width, height, Content::Noise, random)};
  for (int t = 0; t < frames; t++) {
    ref::Picture picture = scenes[0];
    for (const int field : {0, 1})
      ref::weave (picture, ref::field_of (scenes[t >= cut + field], field), field);
    const int spread = picture.max () / 16;
    for (ref::Component &component : picture.components)
      for (int &value : component.value)
        value = std::clamp (value + random.between (-spread, spread), 0, picture.max ());
    stream.push_back (picture);
  }
  return stream;
}

static Stream
field_of (const Stream &stream, int field)
{
  Stream fields;
  for (const ref::Picture &picture : stream)
    fields.push_back (ref::field_of (picture, field));
  return fields;
}

/* The results of the streams; or of the first one, if there are only messages. */
static Stream
filtered (const Line &line, const std::vector<Stream> &streams, guint flags)
{
  const std::string caps = raw_caps (line.format, width, streams[0][0].height,
      std::string ("framerate=30/1") + (flags ? ",interlace-mode=interleaved" : "") + line.colorimetry);
  std::vector<InputLine> inputs{{caps, line.second_pad && !strncmp (line.element, "clblend", 7) ? "sink_0" : "sink"}};
  if (line.second_pad)
    inputs.push_back ({caps, line.second_pad});
  Inputs in (line.element, inputs);
  for (size_t i = 0; i < streams.size (); i++)
    for (size_t t = 0; t < streams[i].size (); t++)
      in.push (i, streams[i][t], t * frame_time, frame_time, Storage::Tight, flags);
  in.end_all ();
  Stream results;
  for (size_t t = 0; t < streams[0].size (); t++)
    results.push_back (in.pull_picture ());
  in.expect_end ();
  return results;
}

/* A picture for clcompositor, and whether it is interlaced. */
struct Part {
  ref::Picture picture;
  bool is_interlaced;
};

/* Composes them; is_flagged: whether the result is flagged as interlaced, top field first. */
static ref::Picture
composed (const std::string &properties, const std::vector<Part> &parts, const std::string &result, bool *is_flagged = nullptr)
{
  std::vector<InputLine> inputs;
  for (const auto &[picture, is_interlaced] : parts)
    inputs.push_back (
        {raw_caps (picture.layout->format, picture.width, picture.height,
             std::string ("framerate=30/1,chroma-site=jpeg") + (is_interlaced ? ",interlace-mode=interleaved" : "")),
            format ("sink_%zu", inputs.size ())});
  Inputs in ("clcompositor background=black " + properties, inputs, result + " ! ");
  for (size_t i = 0; i < parts.size (); i++)
    in.push (i, parts[i].picture, 0, frame_time, Storage::Tight, parts[i].is_interlaced ? interlaced : 0);
  in.end_all ();
  const Own sample = in.pull ();
  test_check (sample, "no frame");
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  if (is_flagged)
    *is_flagged = GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED)
                  && GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF);
  return from_buffer (buffer, gst_sample_get_caps (sample));
}

static std::string
result_caps (GstVideoFormat id, int w, int h)
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,chroma-site=jpeg", gst_video_format_to_string (id), w, h);
}

TEST (stand_alone, G_N_ELEMENTS (lines), 2)
{
  const Line &line = lines[__i__];
  std::vector<Stream> streams{make_stream (line, 1)};
  if (line.second_pad)
    streams.push_back (make_stream (line, 2));
  const Stream whole = filtered (line, streams, interlaced);
  for (const int field : {0, 1}) {
    std::vector<Stream> fields;
    for (const Stream &stream : streams)
      fields.push_back (field_of (stream, field));
    const Stream alone = filtered (line, fields, 0);
    for (int t = 0; t < frames; t++)
      expect_same (ref::field_of (whole[t], field), alone[t],
          format ("%s, %s, frame %d, field %d", line.element, gst_video_format_to_string (line.format), t, field));
  }
}

/* Fields without chroma rows of their own, beside an inaccessible page in the tests with a guard. */
TEST (shortest)
{
  for (const char *element : {"clcolormatrix preset=invert", "cladjust hue=0.3", "clnoise type=salt-pepper strength=1",
           "clsobel", "clbilateral", "clchain filters=\"clcolormatrix preset=invert ! clblur\"", "clconvert"})
    for (const int rows : {1, 2, 3, 6}) {
      const std::string caps = raw_caps (GST_VIDEO_FORMAT_I420, 9, rows, "framerate=30/1,interlace-mode=interleaved");
      Link link (element, caps, strcmp (element, "clconvert") ? caps : raw_caps (GST_VIDEO_FORMAT_AYUV, 9, rows));
      GstBuffer *buffer = to_buffer (random_picture (GST_VIDEO_FORMAT_I420, 9, rows, rows), Storage::Tight, caps);
      GST_BUFFER_FLAG_SET (buffer, interlaced);
      gst_buffer_unref (link.filter (buffer));
    }
  for (const char *properties : {"", "sink_0::height=5", "sink_0::alpha=0.5"})
    for (const int rows : {1, 2, 3, 6}) {
      const ref::Picture picture = random_picture (GST_VIDEO_FORMAT_I420, 9, rows, rows);
      composed (properties, {{picture, true}}, result_caps (GST_VIDEO_FORMAT_I420, 9, rows));
      composed (properties, {{picture, true}}, result_caps (GST_VIDEO_FORMAT_AYUV, 9, 6));
    }
}

/* Each field of an interlaced picture in an interlaced result equals a composition of this field alone; positions move to rows
 * of the same field. */
TEST (composed_alone, 7, 2)
{
  static const struct {
    GstVideoFormat from, to;
    const char *of_frame, *of_field;
  } cases[] = {
      {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_I420, "", ""},
      {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, "sink_0::xpos=7 sink_0::ypos=5", "sink_0::xpos=7 sink_0::ypos=4"},
      {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA, "sink_0::ypos=5", "sink_0::ypos=3"},
      {GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420, "sink_0::alpha=0.4", "sink_0::alpha=0.4"},
      {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_I420, "sink_0::alpha=0.4 sink_0::ypos=-8", "sink_0::alpha=0.4 sink_0::ypos=-4"},
      {GST_VIDEO_FORMAT_AYUV, GST_VIDEO_FORMAT_I420, "sink_0::ypos=2", "sink_0::ypos=2"},
      {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_A420, "background=transparent", "background=transparent"},
  };
  const auto &[from, to, of_frame, of_field] = cases[__i__];
  const ref::Picture picture = random_picture (from, width, height, __i__);
  bool is_flagged = false;
  const ref::Picture whole = composed (of_frame, {{picture, true}}, result_caps (to, 60, 40), &is_flagged);
  test_check (is_flagged, "the result does not say that it is interlaced");
  for (const int field : {0, 1})
    expect_same (ref::field_of (whole, field),
        composed (of_field, {{ref::field_of (picture, field), false}}, result_caps (to, 60, 20)),
        format ("%s to %s, %s, field %d", gst_video_format_to_string (from), gst_video_format_to_string (to), of_frame, field));
}

/* Scaled fields equal clconvert's. */
TEST (composed_scaled)
{
  constexpr GstVideoFormat to = GST_VIDEO_FORMAT_I420;
  const ref::Picture picture = random_picture (GST_VIDEO_FORMAT_NV12, width, height);
  const std::string caps =
      raw_caps (GST_VIDEO_FORMAT_NV12, width, height, "framerate=30/1,chroma-site=jpeg,interlace-mode=interleaved");
  const std::string out =
      raw_caps (to, 34, 52, "framerate=30/1,chroma-site=jpeg,interlace-mode=interleaved,pixel-aspect-ratio=1/1");
  Link link ("clconvert add-borders=false", caps, out);
  GstBuffer *buffer = to_buffer (picture, Storage::Tight, caps);
  GST_BUFFER_FLAG_SET (buffer, interlaced);
  const Own result = link.filter (buffer);
  const Own of_result = gst_pad_get_current_caps (link.harness ()->sinkpad);
  expect_same (composed ("sink_0::width=34 sink_0::height=52", {{picture, true}}, result_caps (to, 34, 52)),
      from_buffer (result, of_result), gst_video_format_to_string (to));
}

/* An interlaced picture on a progressive one, and the reverse: chroma is read by the picture's fields and written by the
 * result's. */
TEST (composed_mixed)
{
  const GstVideoFormat rgba = GST_VIDEO_FORMAT_RGBA, i420 = GST_VIDEO_FORMAT_I420, nv12 = GST_VIDEO_FORMAT_NV12,
                       y42b = GST_VIDEO_FORMAT_Y42B;
  const ref::Picture picture = random_picture (i420, width, height);
  const ref::Picture below = flat (rgba, 60, 40, 90), of_field = flat (rgba, 60, 20, 90);
  const ref::Picture woven = composed ("", {{below, false}, {picture, true}}, result_caps (rgba, 60, 40));
  for (const int field : {0, 1})
    expect_same (ref::field_of (woven, field),
        composed ("", {{of_field, false}, {ref::field_of (picture, field), false}}, result_caps (rgba, 60, 20)),
        format ("interlaced on progressive, field %d", field));
  const ref::Picture split = composed ("", {{flat (nv12, 60, 40, 90), true}, {picture, false}}, result_caps (i420, 60, 40));
  const ref::Picture all_rows = composed ("", {{picture, false}}, result_caps (y42b, width, height));
  for (const int field : {0, 1})
    expect_same (ref::field_of (split, field),
        composed ("", {{flat (nv12, 60, 20, 90), false}, {ref::field_of (all_rows, field), false}}, result_caps (i420, 60, 20)),
        format ("progressive on interlaced, field %d", field));
}

/* The similarity of interlaced frames is the mean over their fields. */
TEST (compared)
{
  const Line line{"clcompare", GST_VIDEO_FORMAT_GRAY8, "reference"};
  const ref::Picture a = make_stream (line, 1)[0], b = make_stream (line, 2)[cut];
  double of_frame = 0, of_fields = 0;
  const auto ssim = [&] (const ref::Picture &first, const ref::Picture &second, guint flags) {
    const std::string caps = raw_caps (
        line.format, width, first.height, std::string ("framerate=30/1") + (flags ? ",interlace-mode=interleaved" : ""));
    Inputs in (line.element, {{caps, "sink"}, {caps, "reference"}});
    in.push (0, first, 0, frame_time, Storage::Tight, flags);
    in.push (1, second, 0, frame_time, Storage::Tight, flags);
    in.end_all ();
    in.pull_picture ();
    in.expect_end ();
    double found = -1;
    while (const Own message = gst_bus_pop_filtered (in.pipeline.bus (), GST_MESSAGE_ELEMENT))
      if (gst_message_has_name (message, "clcompare"))
        gst_structure_get_double (gst_message_get_structure (message), "ssim", &found);
    return found;
  };
  of_frame = ssim (a, b, interlaced);
  for (const int field : {0, 1})
    of_fields += ssim (ref::field_of (a, field), ref::field_of (b, field), 0) / 2;
  test_check (std::abs (of_frame - of_fields) < 1e-6, "ssim is %.9g, that of the fields %.9g", of_frame, of_fields);
}

}  // namespace test::fields_suite

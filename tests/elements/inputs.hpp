/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element with several inputs, each with manual input. */
#pragma once

#include <algorithm>

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include "filtercase.hpp"
#include "pipeline.hpp"

namespace test {

inline std::string
raw_caps (GstVideoFormat id, int width, int height, const std::string &more = "framerate=30/1")
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,%s", gst_video_format_to_string (id), width, height, more.c_str ());
}

/* One input: its caps, in system memory; the pad; elements in between, such as clupload. */
struct InputLine {
  std::string caps, pad, elements = "";
};

inline std::string
launch_of (const std::string &element, const std::vector<InputLine> &inputs, const std::string &behind)
{
  std::string line = element + " name=tested ! " + behind + "appsink name=out sync=false";
  for (size_t i = 0; i < inputs.size (); i++)
    line += format (" appsrc name=in%zu format=time caps=\"%s\" ! %stested.%s", i, inputs[i].caps.c_str (),
        inputs[i].elements.c_str (), inputs[i].pad.c_str ());
  return line;
}

/* The next result of the appsink "out", null at the end; fails the test if none comes. */
inline GstSample *
pull_sample (Pipeline &pipeline)
{
  GstAppSink *const out = GST_APP_SINK (pipeline.element ("out"));
  GstSample *const sample = gst_app_sink_try_pull_sample (out, 60 * GST_SECOND);
  if (!sample && !gst_app_sink_is_eos (out))
    test_fail ("no result:%s", joined (errors_of (pipeline.bus ())).c_str ());
  return sample;
}

/* The same as a picture, with its time. */
inline ref::Picture
pull_picture (Pipeline &pipeline, GstClockTime *pts = nullptr)
{
  const Own sample = pull_sample (pipeline);
  test_check (sample, "the stream has ended too early");
  if (pts)
    *pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));
  return from_buffer (gst_sample_get_buffer (sample), gst_sample_get_caps (sample));
}

/* Pushes a buffer to the appsrc "in", which then ends, and returns the result. */
inline ref::Picture
picture_of_one (Pipeline &pipeline, GstBuffer *buffer)
{
  gst_element_set_state (pipeline.top (), GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (pipeline.element ("in")), buffer);
  gst_app_src_end_of_stream (GST_APP_SRC (pipeline.element ("in")));
  return pull_picture (pipeline);
}

/* Pictures of different formats or sizes on two pads, and a pad that is linked late, give one error, which names both. */
inline void
check_mismatch (const std::string &element, const std::string &first, const std::string &second)
{
  const std::tuple<GstVideoFormat, int, const char *> others[] = {
      {GST_VIDEO_FORMAT_GRAY8, 16, ""}, {GST_VIDEO_FORMAT_RGBA, 18, ""}, {GST_VIDEO_FORMAT_RGBA, 18, " ! decodebin"}};
  for (const auto &[format, height, late] : others) {
    Pipeline pipeline (element + " name=tested ! fakesink videotestsrc ! " + raw_caps (GST_VIDEO_FORMAT_RGBA, 32, 16)
                       + " ! tested." + first + " videotestsrc ! " + raw_caps (format, 32, height) + late + " ! tested."
                       + second);
    expect_one_error (pipeline.play_to_error ("tested"), GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        {first + " has RGBA 32x16",
            test::format ("%s has %s 32x%d", second.c_str (), gst_video_format_to_string (format), height)});
  }
}

class Inputs {
public:
  /* behind: elements after the tested one, each with "! " at its end. The pipeline starts at once. */
  Inputs (const std::string &element, const std::vector<InputLine> &inputs, const std::string &behind = "")
      : pipeline (launch_of (element, inputs, behind))
  {
    for (size_t i = 0; i < inputs.size (); i++) {
      sources.push_back (GST_APP_SRC (pipeline.element (format ("in%zu", i).c_str ())));
      caps.push_back (inputs[i].caps);
    }
    gst_element_set_state (pipeline.top (), GST_STATE_PLAYING);
  }

  GstElement *tested () { return pipeline.element ("tested"); }

  void push (size_t input, const ref::Picture &picture, GstClockTime pts = 0, GstClockTime duration = GST_SECOND / 30,
      Storage storage = Storage::Tight, guint flags = 0, const std::function<void (GstBuffer *)> &change = {})
  {
    GstBuffer *buffer = to_buffer (picture, storage, caps[input]);
    if (change)
      change (buffer);
    GST_BUFFER_PTS (buffer) = pts;
    GST_BUFFER_DURATION (buffer) = duration;
    GST_BUFFER_FLAG_SET (buffer, flags);
    fail_unless (gst_app_src_push_buffer (sources[input], buffer) == GST_FLOW_OK);
  }
  void push_event (size_t input, GstEvent *event)
  {
    fail_unless (gst_element_send_event (GST_ELEMENT (sources[input]), event));
  }
  void end (size_t input) { gst_app_src_end_of_stream (sources[input]); }
  void end_all ()
  {
    for (size_t i = 0; i < sources.size (); i++)
      end (i);
  }

  /* As the functions above do. */
  GstSample *pull () { return pull_sample (pipeline); }
  ref::Picture pull_picture (GstClockTime *pts = nullptr) { return test::pull_picture (pipeline, pts); }
  void expect_end () { test_check (!pull (), "there is a frame too many"); }

  Pipeline pipeline;

private:
  std::vector<GstAppSrc *> sources;
  std::vector<std::string> caps;
};

/* A buffer layout that these elements support: glupload mishandles odd strides. */
inline Storage
storage_before (const std::string &elements, Storage wanted)
{
  return elements.find ("glupload") == std::string::npos ? wanted : Storage::Tight;
}

inline Storage
storage_before (const std::string &elements, Random &random)
{
  return storage_before (elements, random.pick (storages));
}

/* A picture of one value. */
inline ref::Picture
flat (GstVideoFormat id, int width, int height, int value)
{
  ref::Picture picture = ref::make_picture (id, width, height);
  for (ref::Component &component : picture.components)
    std::fill (component.value.begin (), component.value.end (), value);
  return picture;
}

}  // namespace test

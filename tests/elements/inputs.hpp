/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An element with several inputs, each with manual input. */
#pragma once

#include <algorithm>

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include "filtercase.hpp"
#include "pipeline.hpp"

namespace test {

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

class Inputs {
public:
  /* behind: elements after the tested one, each with "! " at its end. The pipeline starts at once. */
  Inputs (const std::string &element, const std::vector<InputLine> &inputs, const std::string &behind = "")
      : pipeline (launch_of (element, inputs, behind))
  {
    for (size_t i = 0; i < inputs.size (); i++) {
      sources.push_back (GST_APP_SRC (pipeline.element (format ("in%zu", i).c_str ())));
      caps.push_back (gst_caps_from_string (inputs[i].caps.c_str ()));
    }
    out = GST_APP_SINK (pipeline.element ("out"));
    gst_element_set_state (pipeline.top (), GST_STATE_PLAYING);
  }
  ~Inputs ()
  {
    for (GstCaps *each : caps)
      gst_caps_unref (each);
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
  void end (size_t input) { gst_app_src_end_of_stream (sources[input]); }
  void end_all ()
  {
    for (size_t i = 0; i < sources.size (); i++)
      end (i);
  }

  /* The next result, null at the end; fails the test if none comes. */
  GstSample *pull ()
  {
    GstSample *sample = gst_app_sink_try_pull_sample (out, 60 * GST_SECOND);
    if (!sample && !gst_app_sink_is_eos (out))
      test_fail ("no result:%s", joined (errors_of (pipeline.bus ())).c_str ());
    return sample;
  }
  ref::Picture pull_picture (GstClockTime *pts = nullptr)
  {
    const Own sample = pull ();
    test_check (sample, "the stream has ended too early");
    const ref::Picture picture = from_buffer (gst_sample_get_buffer (sample), gst_sample_get_caps (sample));
    if (pts)
      *pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));
    return picture;
  }
  void expect_end () { test_check (!pull (), "there is a frame too many"); }

  Pipeline pipeline;

private:
  std::vector<GstAppSrc *> sources;
  std::vector<GstCaps *> caps;
  GstAppSink *out = nullptr;
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

inline std::string
raw_caps (GstVideoFormat id, int width, int height, const std::string &more = "framerate=30/1")
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,%s", gst_video_format_to_string (id), width, height, more.c_str ());
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

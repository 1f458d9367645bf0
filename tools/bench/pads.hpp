/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launch lines, and frames that are pushed into them. */
#pragma once

#include "../../pipelines/apps/common/glib.hpp"

/** A pipeline that stops before it is freed. */
struct Stops {
  void operator() (GstElement *pipeline) const
  {
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
};
using Running = std::unique_ptr<GstElement, Stops>;

/** Throws std::runtime_error with the parser's reason. */
inline Running
parse_launch (const std::string &line)
{
  return Running (checked_call ([&] (GError **error) { return gst_parse_launch (line.c_str (), error); }));
}

inline Ref<GstElement>
element_in (const Running &pipeline, const char *name)
{
  return Ref<GstElement>::take (gst_bin_get_by_name (GST_BIN (pipeline.get ()), name));
}

/** The first error on a bus, which is the cause of others, with its details; "" if there is none. */
inline std::string
error_on (GstBus *bus, bool with_details = false)
{
  const Message message (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  if (!message)
    return "";
  const auto [error, details] = parse_problem (message.get ());
  return error->message + (with_details && !details.empty () ? " (" + details + ")" : "");
}

inline Caps
video_caps (const std::string &format, int width, int height, int rate, const char *feature = nullptr)
{
  Caps caps (gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format.c_str (), "width", G_TYPE_INT, width, "height",
      G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, rate, 1, nullptr));
  if (feature)
    gst_caps_set_features (caps.get (), 0, gst_caps_features_new (feature, nullptr));
  return caps;
}

/** Waits until a frame is complete and, without more flags, on the host. */
inline bool
map_frame (GstBuffer *frame, int flags = GST_MAP_READ)
{
  GstMapInfo map;
  if (!gst_buffer_map (frame, &map, GstMapFlags (flags)))
    return false;
  gst_buffer_unmap (frame, &map);
  return true;
}

/** Elements between two pads of the benchmark, so that no other thread is involved. */
class Between {
public:
  /** Takes over a result. */
  using Take = std::function<GstFlowReturn (GstBuffer *result)>;

  /** Starts a launch line with frames of these caps; `accepted` come back. Throws std::runtime_error. */
  Between (const std::string &launch, GstContext *context, GstCaps *caps, GstCaps *accepted, Take take_)
      : take (std::move (take_)), bin (checked_call ([&] (GError **error) {
          GstElement *parsed = gst_parse_bin_from_description (launch.c_str (), TRUE, error);
          return parsed ? static_cast<GstElement *> (gst_object_ref_sink (parsed)) : nullptr;
        })),
        source (gst_pad_new ("src", GST_PAD_SRC)),
        sink (gst_pad_new_from_template (
            Ref (gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, accepted)).get (), "sink"))
  {
    gst_element_set_bus (bin.get (), bus.get ());
    gst_element_set_context (bin.get (), context);
    g_object_set_data (G_OBJECT (sink.get ()), "between", this);
    gst_pad_set_chain_function (sink.get (), [] (GstPad *pad, GstObject *, GstBuffer *result) {
      return static_cast<Between *> (g_object_get_data (G_OBJECT (pad), "between"))->take (result);
    });
    gst_pad_set_active (source.get (), TRUE);
    gst_pad_set_active (sink.get (), TRUE);
    ensure (gst_pad_link (source.get (), pad_of (bin.get (), "sink").get ()) == GST_PAD_LINK_OK
                && gst_pad_link (pad_of (bin.get (), "src").get (), sink.get ()) == GST_PAD_LINK_OK,
        "pads do not link");
    if (gst_element_set_state (bin.get (), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
      fail ("no start");
    GstSegment segment;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_push_event (source.get (), gst_event_new_stream_start ("bench"));
    gst_pad_push_event (source.get (), gst_event_new_caps (caps));
    gst_pad_push_event (source.get (), gst_event_new_segment (&segment));
  }
  ~Between ()
  {
    gst_element_set_state (bin.get (), GST_STATE_NULL);
    gst_element_set_bus (bin.get (), nullptr);
  }
  Between (const Between &) = delete;
  Between &operator= (const Between &) = delete;

  GstElement *elements () const { return bin.get (); }
  GstPad *pad () const { return source.get (); }

  /** Pushes a frame, which is taken over. Throws std::runtime_error. */
  void push (GstBuffer *frame)
  {
    if (const GstFlowReturn flow = gst_pad_push (source.get (), frame); flow != GST_FLOW_OK)
      fail (gst_flow_get_name (flow));
  }

private:
  [[noreturn]] void fail (const std::string &what)
  {
    const std::string reason = error_on (bus.get ());
    throw std::runtime_error (reason.empty () ? what : reason);
  }

  const Take take;
  const Ref<GstBus> bus = Ref<GstBus>::take (gst_bus_new ());
  Running bin;
  Ref<GstPad> source, sink;
};

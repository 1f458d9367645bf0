/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launch lines, and frames that are pushed into them. */
#pragma once

#include "../../pipelines/apps/common/glib.hpp"

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

/** The pool that the element after the pad proposes; null if there is none. */
inline Ref<GstBufferPool>
proposed_pool (GstPad *source, GstCaps *caps)
{
  GstBufferPool *pool = nullptr;
  const std::unique_ptr<GstQuery, Unref> query (gst_query_new_allocation (caps, TRUE));
  if (gst_pad_peer_query (source, query.get ()) && gst_query_get_n_allocation_pools (query.get ()) > 0)
    gst_query_parse_nth_allocation_pool (query.get (), 0, &pool, nullptr, nullptr, nullptr);
  return Ref<GstBufferPool>::take (pool);
}

/** Starts the pool, and takes n buffers. */
inline std::vector<Buffer>
buffers_of (const Ref<GstBufferPool> &pool, GstCaps *caps, size_t bytes, guint n)
{
  GstStructure *config = gst_buffer_pool_get_config (pool.get ());
  gst_buffer_pool_config_set_params (config, caps, guint (bytes), n, 0);
  ensure (gst_buffer_pool_set_config (pool.get (), config) && gst_buffer_pool_set_active (pool.get (), TRUE),
      "the pool does not start");
  std::vector<Buffer> buffers;
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = nullptr;
    ensure (gst_buffer_pool_acquire_buffer (pool.get (), &buffer, nullptr) == GST_FLOW_OK, "the pool gives no buffer");
    buffers.emplace_back (buffer);
  }
  return buffers;
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/heldbuffers.hpp"

#include "filter/caps.hpp"

namespace gst::cl {

/* Removes pools that cannot grow to this many buffers. */
void
ask_for_buffers (GstQuery *query, guint held)
{
  const guint pools = gst_query_get_n_allocation_pools (query);
  GstCaps *caps = nullptr;
  GstVideoInfo info;
  gst_query_parse_allocation (query, &caps, nullptr);
  if (pools == 0 && caps && video_info_from_caps (info, caps))
    gst_query_add_allocation_pool (query, nullptr, guint (GST_VIDEO_INFO_SIZE (&info)), held, 0);
  for (guint i = 0; i < pools; i++) {
    GstBufferPool *pool = nullptr;
    guint size, least, most;
    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &least, &most);
    const bool fits = most == 0 || most >= least + held;
    gst_query_set_nth_allocation_pool (query, i, fits ? pool : nullptr, size, least + held, fits ? most : 0);
    gst_clear_object (&pool);
  }
}

static bool
has_fewer (GstBufferPool *pool, guint needed)
{
  guint most = 0;
  g_autoptr (GstStructure) config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, nullptr, nullptr, nullptr, &most);
  return most > 0 && most < needed;
}

BufferRef
HeldBuffers::take (GstBuffer *frame, GstPad *pad, guint needed)
{
  BufferRef taken (frame);
  if (std::exchange (pool, frame->pool) != frame->pool) {
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
    is_small = pool && caps && memory_kind (caps) == MemoryKind::system && has_fewer (pool, needed);
  }
  GstBuffer *copy = is_small ? gst_buffer_copy_deep (frame) : nullptr;
  return copy ? BufferRef (copy) : taken;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames whose caps and GstVideoMeta lie: what passes the checks lies within its memory, byte for byte, and is copied without
 * a read outside. */
#include "memory/frame.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

namespace {

/* Like lies_within (), with arithmetic that cannot overflow. */
bool
lies_surely_within (const Placement &at, const PlaneExtent &extent, gsize size)
{
  using Wide = __int128;
  const Wide first = Wide (at.offset), last = first + Wide (at.stride) * (Wide (extent.rows) - 1);
  const Wide low = std::min (first, last), high = std::max (first, last) + Wide (extent.row_bytes);
  return low >= 0 && high <= Wide (size);
}

/* A buffer whose memory has exactly this size, so that the sanitizer detects reads beyond it. */
BufferRef
buffer_of (size_t size, int memories)
{
  BufferRef buffer (gst_buffer_new ());
  for (int i = 0; i < memories; i++) {
    const size_t bytes = size / memories;
    void *const data = g_malloc0 (bytes);
    gst_buffer_append_memory (buffer.get (), gst_memory_new_wrapped (GstMemoryFlags (0), data, bytes, 0, bytes, data, g_free));
  }
  return buffer;
}

void
check_caps (fuzz::Reader &reader, const Format &format)
{
  GstVideoInfo info;
  const guint width = reader.take<uint32_t> () & G_MAXINT, height = reader.take<uint32_t> () & G_MAXINT;
  if (!gst_video_info_set_format (&info, format.id, width, height))
    return;
  try {
    require_addressable (info, format);
    for (int i = 0; i < format.n_planes; i++)
      fuzz::require (lies_surely_within ({info.offset[i], stride_in_bytes (info, i, info.stride[i])},
          extent_of (format, i, int (width), int (height)), info.size));
  } catch (const Failure &failure) {
    fuzz::require (failure.code == GST_STREAM_ERROR_FORMAT && !failure.debug.empty ());
  }
}

/* Numbers near the correct ones, and arbitrary ones. */
template <typename T>
T
vary (fuzz::Reader &reader, T truth)
{
  switch (reader.take<uint8_t> () % 4) {
    case 0:
      return truth;
    case 1:
      return truth + T (reader.take<int8_t> ());
    case 2:
      return T (-truth);
    default:
      return reader.take<T> ();
  }
}

void
check_meta (fuzz::Reader &reader, const Format &format)
{
  constexpr int most = 40;
  GstVideoInfo info;
  gst_video_info_set_format (&info, format.id, 1 + reader.take<uint8_t> () % most, 1 + reader.take<uint8_t> () % most);
  const size_t size = vary<uint16_t> (reader, uint16_t (info.size));
  const BufferRef buffer = buffer_of (size, 1 + reader.take<uint8_t> () % 3);
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  for (int i = 0; i < GST_VIDEO_MAX_PLANES; i++) {
    offset[i] = vary<gsize> (reader, info.offset[i]);
    stride[i] = vary<gint> (reader, info.stride[i]);
  }
  if (reader.take<uint8_t> () % 8)
    gst_buffer_add_video_meta_full (buffer.get (), GST_VIDEO_FRAME_FLAG_NONE, format.id,
        vary<guint> (reader, guint (info.width)) & 0xffff, vary<guint> (reader, guint (info.height)) & 0xffff,
        guint (format.n_planes), offset, stride);
  has_default_layout (buffer.get (), info);
  try {
    require_addressable (info, format); /* as elements do when caps come */
    const BufferRef copy = copy_in_default_layout (buffer.get (), info);
    fuzz::require (gst_buffer_get_size (copy.get ()) == info.size);
    for (int i = 0; i < format.n_planes; i++)
      fuzz::require (lies_surely_within (placement_of (buffer.get (), info, i), extent_of (format, i, info.width, info.height),
          gst_buffer_get_size (buffer.get ())));
  } catch (const Failure &) {
    return;
  }
}

}  // namespace

extern "C" int
LLVMFuzzerInitialize (int *, char ***)
{
  gst_init (nullptr, nullptr);
  gst_debug_set_active (FALSE);
  g_log_set_handler (
      "GStreamer", G_LOG_LEVEL_MASK, [] (const gchar *, GLogLevelFlags, const gchar *, gpointer) {}, nullptr);
  return 0;
}

void
fuzz::run (const uint8_t *data, size_t size)
{
  Reader reader (data, size);
  /* values that fit into the enumeration's bits */
  const Format *format = find_format (GstVideoFormat (reader.take<uint8_t> () & 0x7f));
  if (!format)
    return;
  if (reader.take<uint8_t> () & 1)
    check_caps (reader, *format);
  else
    check_meta (reader, *format);
}

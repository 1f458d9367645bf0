/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda.hpp"

#include <map>

#include "../machinery/census/libraryfunction.hpp"

namespace test {

namespace {

struct Library {
  const char *const name = "libgstcuda-1.0.so.0";
  gboolean (*load) () = LibraryFunction (name, "gst_cuda_load_library");
  void (*init_once) () = LibraryFunction (name, "gst_cuda_memory_init_once");
  GstObject *(*new_context) (guint) = LibraryFunction (name, "gst_cuda_context_new");
  GstContext *(*share_context) (GstObject *) = LibraryFunction (name, "gst_context_new_cuda_context");
  GstBufferPool *(*new_pool) (GstObject *) = LibraryFunction (name, "gst_cuda_buffer_pool_new");
  gboolean (*is_memory) (GstMemory *) = LibraryFunction (name, "gst_is_cuda_memory");

  Library ()
  {
    if (load && load ())
      init_once ();
    else
      new_context = nullptr;
  }
};

const Library &
library ()
{
  static const Library &loaded = *new Library;
  return loaded;
}

GstObject *
own_context (guint device)
{
  static std::map<guint, GstObject *> contexts;
  auto [context, is_new] = contexts.try_emplace (device);
  if (is_new && library ().new_context)
    context->second = library ().new_context (device);
  return context->second;
}

constexpr int map_cuda = GST_MAP_FLAG_LAST << 1;

/* Maps like a CUDA element, so that the host's writes reach the device. */
void
touch (GstBuffer *buffer, GstMapFlags flags)
{
  GstMapInfo map;
  test_check (gst_buffer_map (buffer, &map, GstMapFlags (int (flags) | map_cuda)), "a buffer cannot be mapped as CUDA memory");
  gst_buffer_unmap (buffer, &map);
}

}  // namespace

bool
tests_cuda ()
{
  const char *wanted = g_getenv ("GST_CL_TEST_GL");
  return wanted && g_str_has_prefix (wanted, "cuda");
}

bool
cuda_present (guint device)
{
  return own_context (device) != nullptr;
}

/* Whether GStreamer's allocator of 1.22 supports it. */
bool
fits_cuda (GstVideoFormat format)
{
  static const char *const names[] = {"I420", "YV12", "I420_10LE", "Y42B", "I422_10LE", "I422_12LE", "NV12", "NV21",
      "P010_10LE", "P016_LE", "Y444", "Y444_16LE", "GBR", "GBRA", "RGBA", "BGRA", "RGBx", "BGRx", "ARGB", "ABGR", "RGB", "BGR",
      "YUY2", "UYVY", nullptr};
  return g_strv_contains (names, gst_video_format_to_string (format));
}

std::string
with_cuda (const std::string &caps)
{
  std::string text = caps;
  return text.insert (text.find (','), "(memory:CUDAMemory)");
}

void
share_cuda (GstElement *element)
{
  const Own context = library ().share_context (own_context (0));
  gst_element_set_context (element, context);
}

/* Answers like a decoder. */
static GstPadProbeReturn
answer_context (GstPad *, GstPadProbeInfo *info, gpointer)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  const gchar *type = nullptr;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT || !gst_query_parse_context_type (query, &type)
      || !g_str_equal (type, "gst.cuda.context"))
    return GST_PAD_PROBE_OK;
  const Own context = library ().share_context (own_context (0));
  gst_query_set_context (query, context);
  return GST_PAD_PROBE_HANDLED;
}

void
share_with_upstream (GstHarness *harness)
{
  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, answer_context, nullptr, nullptr);
}

/* For odd heights GStreamer's pools allocate too little: 1.22 lets the last two planes of 4:2:0 share a row, 1.26 omits NV21's
 * last one. So frames have the next even height, and their meta gives the used part. */
GstBuffer *
new_cuda_buffer (const GstCaps *caps, guint device)
{
  static auto &pools = *new std::map<std::string, Pool>;
  test_check (own_context (device), "no CUDA context can be made");
  const GstVideoInfo info = info_of (caps);
  const Own in_cuda = gst_caps_copy (caps);
  gst_caps_set_simple (in_cuda, "height", G_TYPE_INT, (GST_VIDEO_INFO_HEIGHT (&info) + 1) / 2 * 2, nullptr);
  gst_caps_set_features (in_cuda, 0, gst_caps_features_new ("memory:CUDAMemory", nullptr));
  const std::string key = text_of (gst_caps_to_string (caps)) + std::to_string (device);
  if (!pools.contains (key))
    pools.try_emplace (key, library ().new_pool (own_context (device)), in_cuda, info.size);
  GstBuffer *buffer = pools.at (key).acquire ();
  gst_buffer_get_video_meta (buffer)->height = GST_VIDEO_INFO_HEIGHT (&info);
  return buffer;
}

void
fill_cuda (GstBuffer *buffer, const ref::Picture &picture, Storage storage, const GstCaps *caps)
{
  write_picture (buffer, picture, caps);
  if (storage != Storage::Tight)
    touch (buffer, GST_MAP_READ);
}

GstBuffer *
to_cuda (const ref::Picture &picture, Storage storage, const GstCaps *caps)
{
  GstBuffer *buffer = new_cuda_buffer (caps);
  fill_cuda (buffer, picture, storage, caps);
  return buffer;
}

/* Mapping for writing makes the host's copy outdated. A frame that passed unchanged has other owners. */
ref::Picture
from_cuda (GstBuffer *buffer, const GstCaps *caps)
{
  touch (buffer, gst_buffer_is_writable (buffer) ? GST_MAP_READWRITE : GST_MAP_READ);
  return from_buffer (buffer, caps);
}

bool
is_in_cuda (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) == 1 && library ().is_memory && library ().is_memory (gst_buffer_peek_memory (buffer, 0));
}

}  // namespace test

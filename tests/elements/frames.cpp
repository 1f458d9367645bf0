/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frames.hpp"

#include <cmath>
#include <cstring>

#include <gst/video/video-overlay-composition.h>

namespace test {

const char *
name_of (Content content)
{
  static const char *names[] = {"noise", "flat", "gradient", "natural"};
  return names[(int) content];
}

const char *
name_of (Storage storage)
{
  static const char *names[] = {"tight", "padded", "odd", "separate", "read-only", "shifted"};
  return names[(int) storage];
}

/* A bright disc with a hard edge on waves, with a little grain: flat areas, slopes, edges and noise. */
static double
natural (double x, double y, int component, Random &random)
{
  const double waves = 0.45 + 0.2 * std::sin (x / (9 + component)) * std::cos (y / (7 + component));
  const double dx = x - 20, dy = y - 15;
  const double disc = dx * dx + dy * dy < 100 ? 0.35 : 0;
  return waves + disc + random.steps (-0.02, 0.02, 100);
}

static int
value_of (Content content, const ref::Component &component, int x, int y, int index, int max, Random &random)
{
  switch (content) {
    case Content::Noise:
      return random.between (0, max);
    case Content::Flat:
      return max * (index + 1) / 5;
    case Content::Gradient:
      return (x * 3 + y * 5 + index * 17) * std::max (1, max / 255) % (max + 1);
    case Content::Natural:
      return std::clamp ((int) (max * natural (x * component.sub_x, y * component.sub_y, index, random)), 0, max);
  }
  g_assert_not_reached ();
}

ref::Picture
make_picture (GstVideoFormat format, int width, int height, Content content, Random &random)
{
  ref::Picture picture = ref::make_picture (format, width, height);
  for (size_t c = 0; c < picture.components.size (); c++) {
    ref::Component &component = picture.components[c];
    for (const auto [x, y] : component.places ()) {
      /* a stored sample above the maximum, if the format has bits for it, because any stream may contain such samples */
      const bool wild = content == Content::Noise && picture.max_stored () > picture.max () && random.chance (12);
      component.at (x, y) = wild ? random.between (picture.max () + 1, picture.max_stored ())
                                 : value_of (content, component, x, y, (int) c, picture.max (), random);
      component.spare[y * component.width + x] = random.between (0, (1 << picture.layout->shift) - 1);
    }
  }
  return picture;
}

/* Strides, offsets and sizes of a buffer's planes. */
struct PlaneSizes {
  int count = 0;
  gint stride[GST_VIDEO_MAX_PLANES] = {};
  gsize offset[GST_VIDEO_MAX_PLANES] = {};
  gsize size[GST_VIDEO_MAX_PLANES] = {};
  gsize total = 0;
};

static PlaneSizes
plan (const ref::Picture &picture, Storage storage)
{
  PlaneSizes sizes;
  const char *plane = picture.layout->planes;
  while (*plane) {
    const int letters = (int) strcspn (plane, " ");
    const ref::Component &component = *picture.find (plane[0]);
    const int row = component.width * letters * picture.layout->bytes;
    const int i = sizes.count++;
    switch (storage) {
      case Storage::Odd:
        sizes.stride[i] = row | 1;
        sizes.total += 3;
        break;
      case Storage::Separate:
        sizes.stride[i] = (row + 15) / 16 * 16;
        break;
      default:
        sizes.stride[i] = (row + 63) / 64 * 64 + 64;
        sizes.total += 128;
        break;
    }
    sizes.offset[i] = sizes.total;
    sizes.size[i] = (gsize) sizes.stride[i] * component.height;
    sizes.total += sizes.size[i];
    plane += letters + (plane[letters] == ' ');
  }
  return sizes;
}

/* Memory of this size that starts `before` bytes into its block; every byte is set, so that reading padding changes a
 * result. */
static GstMemory *
make_memory (gsize size, gsize before)
{
  guint8 *data = (guint8 *) g_malloc (size + 2 * before);
  memset (data, 0xa5, size + 2 * before);
  return gst_memory_new_wrapped ((GstMemoryFlags) 0, data, size + 2 * before, before, size, data, g_free);
}

GstVideoInfo
info_of (const GstCaps *caps)
{
  GstVideoInfo info;
  test_check (gst_video_info_from_caps (&info, caps), "caps that are no video: %" GST_PTR_FORMAT, caps);
  return info;
}

GstBuffer *
to_buffer (const ref::Picture &picture, Storage storage, const GstCaps *caps)
{
  GstBuffer *buffer = gst_buffer_new ();
  if (storage == Storage::Tight) {
    gst_buffer_append_memory (buffer, make_memory (info_of (caps).size, 0));
  } else {
    PlaneSizes sizes = plan (picture, storage);
    if (storage == Storage::Separate)
      for (int i = 0; i < sizes.count; i++)
        gst_buffer_append_memory (buffer, make_memory (sizes.size[i], 0));
    else
      gst_buffer_append_memory (buffer, make_memory (sizes.total, storage == Storage::Shifted ? 52 : 0));
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, picture.layout->format, picture.width, picture.height,
        sizes.count, sizes.offset, sizes.stride);
  }

  write_picture (buffer, picture, caps);
  if (storage == Storage::ReadOnly)
    GST_MINI_OBJECT_FLAG_SET (gst_buffer_peek_memory (buffer, 0), GST_MEMORY_FLAG_READONLY);
  return buffer;
}

void
write_picture (GstBuffer *buffer, const ref::Picture &picture, const GstCaps *caps)
{
  const GstVideoInfo info = info_of (caps);
  GstVideoFrame frame = {};
  test_check (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE), "cannot map a buffer for writing");
  ref::pack (picture, frame);
  gst_video_frame_unmap (&frame);
}

void
add_overlay (GstBuffer *buffer, GstBuffer *pixels, const GstVideoRectangle &place)
{
  const auto width = guint (place.w), height = guint (place.h);
  gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, width, height);
  GstVideoOverlayRectangle *rectangle =
      gst_video_overlay_rectangle_new_raw (pixels, place.x, place.y, width, height, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  GstVideoOverlayComposition *composition = gst_video_overlay_composition_new (rectangle);
  gst_buffer_add_video_overlay_composition_meta (buffer, composition);
  gst_video_overlay_composition_unref (composition);
  gst_video_overlay_rectangle_unref (rectangle);
  gst_buffer_unref (pixels);
}

Pool::Pool (
    GstBufferPool *taken, GstCaps *caps, gsize size, guint least, guint most, std::initializer_list<const char *> options)
    : pool (taken)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, guint (size), least, most);
  for (const char *option : options)
    gst_buffer_pool_config_add_option (config, option);
  test_check (gst_buffer_pool_set_config (pool, config) && gst_buffer_pool_set_active (pool, TRUE),
      "no %s for %" GST_PTR_FORMAT, G_OBJECT_TYPE_NAME (pool), caps);
}

Pool::~Pool ()
{
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

GstBuffer *
Pool::acquire ()
{
  GstBuffer *buffer = nullptr;
  ck_assert_int_eq (gst_buffer_pool_acquire_buffer (pool, &buffer, nullptr), GST_FLOW_OK);
  return buffer;
}

Pool
pool_of (GstQuery *query, GstCaps *caps, std::initializer_list<const char *> options)
{
  GstBufferPool *pool = nullptr;
  guint size = 0, least = 0, most = 0;
  test_check (gst_query_get_n_allocation_pools (query) > 0, "no pool is proposed");
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &least, &most);
  return Pool (pool, caps, size, least, most, options);
}

ref::Picture
from_buffer (GstBuffer *buffer, const GstCaps *caps)
{
  const GstVideoInfo info = info_of (caps);
  GstVideoFrame frame = {};
  test_check (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ), "cannot map a result for reading");
  ref::Picture picture = ref::unpack (frame);
  gst_video_frame_unmap (&frame);
  return picture;
}

void
expect_same (
    const ref::Picture &is, const ref::Picture &expected, const std::string &what, int tolerance, const std::string &but)
{
  test_check (is.width == expected.width && is.height == expected.height, "%s: %dx%d, not %dx%d", what.c_str (), is.width,
      is.height, expected.width, expected.height);
  for (const ref::Component &wanted : expected.components) {
    if (but.find (wanted.name) != std::string::npos)
      continue;
    const ref::Component *found = is.find (wanted.name);
    test_check (found && found->value.size () == wanted.value.size (), "%s: no such %c", what.c_str (), wanted.name);
    const auto [one, other] =
        std::ranges::mismatch (found->value, wanted.value, [=] (int a, int b) { return std::abs (a - b) <= tolerance; });
    const int i = int (one - found->value.begin ());
    test_check (one == found->value.end (), "%s: %c at %d,%d is %d, not %d", what.c_str (), wanted.name, i % wanted.width,
        i / wanted.width, *one, *other);
  }
}

}  // namespace test

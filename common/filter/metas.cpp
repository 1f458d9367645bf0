/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides which metadata of a frame is valid for its result. */
#include "filter/clelement.hpp"

namespace gst::cl {

std::optional<bool>
meta_stays_true (const GstMeta *meta)
{
  static const gchar *const true_tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_ORIENTATION_STR,
      GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_COLORSPACE_STR, nullptr};
  /* marks a point in the input's GL commands; GL pools add their own */
  if (!g_strcmp0 (g_type_name (meta->info->api), "GstGLSyncMetaAPI"))
    return false;
  if (meta->info->api == GST_VIDEO_META_API_TYPE)
    return std::nullopt;
  const gchar *const *tags = gst_meta_api_type_get_tags (meta->info->api);
  for (; tags && *tags; tags++)
    if (!g_strv_contains (true_tags, *tags))
      return std::nullopt;
  return true;
}

std::optional<bool>
convert_meta (GstMeta *meta, GstBuffer *from, const GstVideoInfo &from_info, GstBuffer *to, const GstVideoInfo &to_info)
{
  const std::optional<bool> stays = meta_stays_true (meta);
  if (!stays || !*stays)
    return stays;
  const auto speaks_of = [&] (const char *tag) {
    return gst_meta_api_type_has_tag (meta->info->api, g_quark_from_static_string (tag));
  };
  const bool same_colours =
      GST_VIDEO_INFO_FORMAT (&from_info) == GST_VIDEO_INFO_FORMAT (&to_info)
      && gst_video_colorimetry_is_equal (&GST_VIDEO_INFO_COLORIMETRY (&from_info), &GST_VIDEO_INFO_COLORIMETRY (&to_info));
  if (speaks_of (GST_META_TAG_VIDEO_COLORSPACE_STR) && !same_colours)
    return false;
  const bool same_size = GST_VIDEO_INFO_WIDTH (&from_info) == GST_VIDEO_INFO_WIDTH (&to_info)
                         && GST_VIDEO_INFO_HEIGHT (&from_info) == GST_VIDEO_INFO_HEIGHT (&to_info);
  if (!speaks_of (GST_META_TAG_VIDEO_SIZE_STR) || same_size)
    return true;
  GstVideoMetaTransform scale{const_cast<GstVideoInfo *> (&from_info), const_cast<GstVideoInfo *> (&to_info)};
  if (meta->info->transform_func)
    meta->info->transform_func (to, meta, from, gst_video_meta_transform_scale_get_quark (), &scale);
  return false;
}

void
copy_picture_metadata (GstBuffer *from, GstBuffer *to)
{
  const guint flags =
      GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF | GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD;
  GST_BUFFER_FLAG_UNSET (to, flags);
  GST_BUFFER_FLAG_SET (to, GST_BUFFER_FLAGS (from) & flags);
  const auto copy = [] (GstBuffer *source, GstMeta **meta, gpointer target) -> gboolean {
    GstMetaTransformCopy whole{FALSE, 0, gsize (-1)};
    const GstMetaInfo *info = (*meta)->info;
    if (info->transform_func && meta_stays_true (*meta).value_or (false))
      info->transform_func (static_cast<GstBuffer *> (target), *meta, source, g_quark_from_static_string ("gst-copy"), &whole);
    return TRUE;
  };
  gst_buffer_foreach_meta (from, copy, to);
}

/* VANC metas carry captions, too. */
static bool
is_caption (const GstMeta *meta)
{
  const gchar *name = g_type_name (meta->info->api);
  return !g_strcmp0 (name, "GstVideoCaptionMetaAPI") || !g_strcmp0 (name, "GstAncillaryMetaAPI");
}

static int
nominal_rate (const GstVideoTimeCodeConfig &config)
{
  return int (gst_util_uint64_scale_ceil (1, config.fps_n, MAX (config.fps_d, 1)));
}

/* Returns false if the new time code does not exist. A frame's number within its second becomes the number of the first result
 * at or after it. */
static bool
count_results (GstVideoTimeCode &code, const Share &share)
{
  GstVideoTimeCodeConfig &config = code.config;
  if (share.is_progressive) {
    config.flags = GstVideoTimeCodeFlags (config.flags & ~GST_VIDEO_TIME_CODE_FLAGS_INTERLACED);
    code.field_count = 0;
  }
  if (share.rate_n != share.rate_d) {
    const int before = nominal_rate (config);
    int n = 0, d = 1;
    if (!gst_util_fraction_multiply (int (config.fps_n), int (config.fps_d), share.rate_n, share.rate_d, &n, &d))
      return false;
    config.fps_n = guint (n);
    config.fps_d = guint (d);
    code.frames = guint (gst_util_uint64_scale_int_ceil (code.frames, nominal_rate (config), MAX (before, 1)));
  }
  if (!gst_video_time_code_is_valid (&code))
    return false;
  if (share.number > 0)
    gst_video_time_code_add_frames (&code, share.number);
  return true;
}

GstBuffer *
make_writable (GstElement *element, GstBuffer *buffer)
{
  GstBuffer *const writable = gst_buffer_make_writable (buffer);
  if (!writable)
    post_failure (element, Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
                               "A video frame could not be copied. Start the pipeline again.", "gst_buffer_copy failed"));
  return writable;
}

void
share_metadata (GstBuffer *made, const Share &share)
{
  const auto change = [] (GstBuffer *, GstMeta **meta, gpointer data) -> gboolean {
    const Share &own = *static_cast<const Share *> (data);
    if ((own.number > 0 && is_caption (*meta))
        || ((*meta)->info->api == GST_VIDEO_TIME_CODE_META_API_TYPE
            && !count_results (reinterpret_cast<GstVideoTimeCodeMeta *> (*meta)->tc, own)))
      *meta = nullptr;
    return TRUE;
  };
  gst_buffer_foreach_meta (made, change, const_cast<Share *> (&share));
}

bool
has_time_code (GstBuffer *buffer)
{
  return gst_buffer_get_meta (buffer, GST_VIDEO_TIME_CODE_META_API_TYPE) != nullptr;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/cl/gstclmotionmeta.h>

#define MOTION_META(meta) (reinterpret_cast<GstClMotionMeta *> (meta))

GType
gst_cl_motion_meta_api_get_type (void)
{
  static const GType type = [] {
    static const gchar *tags[] = {
        GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, nullptr};
    return gst_meta_api_type_register ("GstClMotionMetaAPI", tags);
  }();
  return type;
}

static gboolean
gst_cl_motion_meta_init (GstMeta *meta, gpointer, GstBuffer *)
{
  GstClMotionMeta empty{};
  empty.meta = *meta;
  *MOTION_META (meta) = empty;
  return TRUE;
}

/* Vectors do not apply to a picture of another size or orientation. */
static gboolean
gst_cl_motion_meta_transform (GstBuffer *to, GstMeta *meta, GstBuffer *, GQuark type, gpointer data)
{
  if (!GST_META_TRANSFORM_IS_COPY (type) || static_cast<GstMetaTransformCopy *> (data)->region)
    return FALSE;
  return gst_cl_motion_meta_add (to, MOTION_META (meta)) != nullptr;
}

const GstMetaInfo *
gst_cl_motion_meta_get_info (void)
{
  const auto clear = [] (GstMeta *meta, GstBuffer *) { g_clear_pointer (&MOTION_META (meta)->vectors, gst_memory_unref); };
  static const GstMetaInfo *const info = gst_meta_register (gst_cl_motion_meta_api_get_type (), "GstClMotionMeta",
      sizeof (GstClMotionMeta), gst_cl_motion_meta_init, clear, gst_cl_motion_meta_transform);
  return info;
}

GstClMotionMeta *
gst_cl_motion_meta_add (GstBuffer *buffer, const GstClMotionMeta *description)
{
  g_return_val_if_fail (gst_buffer_is_writable (buffer) && description && description->vectors, nullptr);
  GstMeta *added = gst_buffer_add_meta (buffer, gst_cl_motion_meta_get_info (), nullptr);
  GstClMotionMeta copy = *description;
  copy.meta = *added;
  gst_memory_ref (copy.vectors);
  *MOTION_META (added) = copy;
  return MOTION_META (added);
}

GstClMotionMeta *
gst_cl_motion_meta_get (GstBuffer *buffer, gint distance)
{
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, &state, gst_cl_motion_meta_api_get_type ()))
    if (MOTION_META (meta)->distance == distance)
      return MOTION_META (meta);
  return nullptr;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/frame.hpp"

#include <gst/cl/gstclbufferpool.h>

GST_DEBUG_CATEGORY_STATIC (gst_cl_buffer_pool_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT gst_cl_buffer_pool_debug

struct _GstClBufferPool {
  GstBufferPool parent;
  GstClContext *context;
  GstVideoInfo info;
  gint allocations;
};

G_DEFINE_FINAL_TYPE_WITH_CODE (GstClBufferPool, gst_cl_buffer_pool, GST_TYPE_BUFFER_POOL,
    GST_DEBUG_CATEGORY_INIT (gst_cl_buffer_pool_debug, "clbufferpool", 0, "pools of frames in OpenCL buffers"));

static const gchar **
gst_cl_buffer_pool_get_options (GstBufferPool *)
{
  static const gchar *options[] = {GST_BUFFER_POOL_OPTION_VIDEO_META, nullptr};
  return options;
}

static gboolean
gst_cl_buffer_pool_set_config (GstBufferPool *pool, GstStructure *config)
{
  GstClBufferPool *self = GST_CL_BUFFER_POOL (pool);
  GstCaps *caps = nullptr;
  guint size, min_buffers, max_buffers;
  if (!gst_buffer_pool_config_get_params (config, &caps, &size, &min_buffers, &max_buffers) || !caps
      || !gst_video_info_from_caps (&self->info, caps)) {
    GST_WARNING_OBJECT (self, "not a configuration for video: %" GST_PTR_FORMAT, config);
    return FALSE;
  }
  if (GST_VIDEO_INFO_SIZE (&self->info) > G_MAXUINT) {
    GST_WARNING_OBJECT (
        self, "frames of %" G_GSIZE_FORMAT " bytes; pools count to %u", GST_VIDEO_INFO_SIZE (&self->info), G_MAXUINT);
    return FALSE;
  }
  gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&self->info), min_buffers, max_buffers);
  return GST_BUFFER_POOL_CLASS (gst_cl_buffer_pool_parent_class)->set_config (pool, config);
}

static GstFlowReturn
gst_cl_buffer_pool_alloc_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *)
{
  GstClBufferPool *self = GST_CL_BUFFER_POOL (pool);
  g_autoptr (GError) error = nullptr;
  GstMemory *memory = gst_cl_memory_new (self->context, &self->info, &error);
  if (!memory) {
    GST_ERROR_OBJECT (self, "no frame: %s", error->message);
    return GST_FLOW_ERROR;
  }
  g_atomic_int_inc (&self->allocations);
  *buffer = gst_buffer_new ();
  gst_buffer_append_memory (*buffer, memory);
  gst_buffer_add_video_meta_full (*buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT (&self->info),
      GST_VIDEO_INFO_WIDTH (&self->info), GST_VIDEO_INFO_HEIGHT (&self->info), GST_VIDEO_INFO_N_PLANES (&self->info),
      self->info.offset, self->info.stride);
  return GST_FLOW_OK;
}

static void
gst_cl_buffer_pool_finalize (GObject *object)
{
  gst_clear_object (&GST_CL_BUFFER_POOL (object)->context);
  G_OBJECT_CLASS (gst_cl_buffer_pool_parent_class)->finalize (object);
}

static void
gst_cl_buffer_pool_class_init (GstClBufferPoolClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_cl_buffer_pool_finalize;
  GST_BUFFER_POOL_CLASS (klass)->get_options = gst_cl_buffer_pool_get_options;
  GST_BUFFER_POOL_CLASS (klass)->set_config = gst_cl_buffer_pool_set_config;
  GST_BUFFER_POOL_CLASS (klass)->alloc_buffer = gst_cl_buffer_pool_alloc_buffer;
}

static void
gst_cl_buffer_pool_init (GstClBufferPool *)
{
}

guint64
gst::cl::pool_allocations (GstBufferPool *pool)
{
  return g_atomic_int_get (&GST_CL_BUFFER_POOL (pool)->allocations);
}

GstBufferPool *
gst_cl_buffer_pool_new (GstClContext *context)
{
  g_return_val_if_fail (GST_IS_CL_CONTEXT (context), nullptr);
  auto *self = static_cast<GstClBufferPool *> (g_object_new (GST_TYPE_CL_BUFFER_POOL, nullptr));
  gst_object_ref_sink (self);
  self->context = static_cast<GstClContext *> (gst_object_ref (context));
  return GST_BUFFER_POOL (self);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory/frame.hpp"

#include "core/debug.hpp"

#include <gst/cl/gstclbufferpool.h>

#include <utility>

using gst::cl::Context;
using gst::cl::ContextRef;

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clbufferpool", "pools of frames in OpenCL buffers">)

struct _GstClBufferPool {
  GstBufferPool parent;
  GstClContext *context;
  GstVideoInfo info;
  gint allocations;
  /* the element that posts failures; null if the element that takes the frames does */
  GWeakRef owner;
  /* guarded by the object lock: why the last allocation failed */
  gst::cl::Failure *failure;
};

G_DEFINE_FINAL_TYPE (GstClBufferPool, gst_cl_buffer_pool, GST_TYPE_BUFFER_POOL);

static gboolean
gst_cl_buffer_pool_set_config (GstBufferPool *pool, GstStructure *config)
{
  GstClBufferPool *self = GST_CL_BUFFER_POOL (pool);
  GstCaps *caps = nullptr;
  guint size, min_buffers, max_buffers;
  if (!self->context) {
    GST_WARNING_OBJECT (self, "no context: gst_cl_buffer_pool_new () makes pools");
    return FALSE;
  }
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

static void
gst_cl_buffer_pool_fail (GstClBufferPool *self, const gst::cl::Failure &failure)
{
  GST_WARNING_OBJECT (self, "no frame: %s (%s)", failure.what (), failure.debug.c_str ());
  GST_OBJECT_LOCK (self);
  delete std::exchange (self->failure, new gst::cl::Failure (failure));
  GST_OBJECT_UNLOCK (self);
  if (auto *owner = static_cast<GstElement *> (g_weak_ref_get (&self->owner))) {
    gst::cl::post_failure (owner, failure);
    gst_object_unref (owner);
  }
}

static GstFlowReturn
gst_cl_buffer_pool_alloc_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *)
{
  GstClBufferPool *self = GST_CL_BUFFER_POOL (pool);
  GstMemory *memory = nullptr;
  const ContextRef context = ContextRef::retain (self->context);
  const auto failure = gst::cl::failure_of (
      Context::of (self->context).device.name, [&] { memory = gst::cl::allocate_memory (context, self->info); });
  if (failure) {
    gst_cl_buffer_pool_fail (self, *failure);
    return GST_FLOW_ERROR;
  }
  g_atomic_int_inc (&self->allocations);
  *buffer = gst_buffer_new ();
  gst_buffer_append_memory (*buffer, memory);
  gst::cl::add_video_meta (*buffer, self->info);
  return GST_FLOW_OK;
}

static void
gst_cl_buffer_pool_class_init (GstClBufferPoolClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = [] (GObject *object) {
    GstClBufferPool *self = GST_CL_BUFFER_POOL (object);
    gst_clear_object (&self->context);
    g_weak_ref_clear (&self->owner);
    delete self->failure;
    G_OBJECT_CLASS (gst_cl_buffer_pool_parent_class)->finalize (object);
  };
  GST_BUFFER_POOL_CLASS (klass)->get_options = [] (GstBufferPool *) -> const gchar ** {
    static const gchar *options[] = {GST_BUFFER_POOL_OPTION_VIDEO_META, nullptr};
    return options;
  };
  GST_BUFFER_POOL_CLASS (klass)->set_config = gst_cl_buffer_pool_set_config;
  GST_BUFFER_POOL_CLASS (klass)->start = gst::cl::start_whole<&gst_cl_buffer_pool_parent_class>;
  GST_BUFFER_POOL_CLASS (klass)->alloc_buffer = gst_cl_buffer_pool_alloc_buffer;
}

static void
gst_cl_buffer_pool_init (GstClBufferPool *self)
{
  g_weak_ref_init (&self->owner, nullptr);
}

void
gst::cl::set_pool_owner (GstBufferPool *pool, GstElement *owner)
{
  g_weak_ref_set (&GST_CL_BUFFER_POOL (pool)->owner, owner);
}

std::optional<gst::cl::Failure>
gst::cl::take_pool_failure (GstBufferPool *pool)
{
  if (!GST_IS_CL_BUFFER_POOL (pool))
    return std::nullopt;
  GstClBufferPool *self = GST_CL_BUFFER_POOL (pool);
  GST_OBJECT_LOCK (self);
  const std::unique_ptr<Failure> failure (std::exchange (self->failure, nullptr));
  GST_OBJECT_UNLOCK (self);
  return failure ? std::optional (*failure) : std::nullopt;
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

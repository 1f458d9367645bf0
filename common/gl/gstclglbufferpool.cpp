/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/debug.hpp"
#include "gl/external.hpp"
#include "memory/frame.hpp"

using gst::cl::ExternalImage;
using gst::cl::ExternalMemory;

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clglbufferpool", "pools of textures that OpenCL can reach">)

/* The parent class parses the configuration and keeps the GL context; this one allocates. */
struct GstClGlBufferPool {
  GstGLBufferPool parent;
  std::shared_ptr<ExternalMemory> *memory;
  GstAllocator *allocator;
  gboolean add_sync_meta;
};

struct GstClGlBufferPoolClass {
  GstGLBufferPoolClass parent_class;
};

static GType gst_cl_gl_buffer_pool_get_type (void);
#define GST_CL_GL_BUFFER_POOL(obj) (G_TYPE_CHECK_INSTANCE_CAST ((obj), gst_cl_gl_buffer_pool_get_type (), GstClGlBufferPool))

G_DEFINE_TYPE (GstClGlBufferPool, gst_cl_gl_buffer_pool, GST_TYPE_GL_BUFFER_POOL);

static GQuark
gst_cl_gl_image_quark (void)
{
  return g_quark_from_static_string ("gst-cl-external-image");
}

static gboolean
gst_cl_gl_buffer_pool_set_config (GstBufferPool *pool, GstStructure *config)
{
  GstClGlBufferPool *self = GST_CL_GL_BUFFER_POOL (pool);
  GstCaps *caps = nullptr;
  GstVideoInfo info;
  if (!gst_buffer_pool_config_get_params (config, &caps, nullptr, nullptr, nullptr) || !caps
      || !gst_video_info_from_caps (&info, caps)) {
    GST_WARNING_OBJECT (self, "not a configuration for video: %" GST_PTR_FORMAT, config);
    return FALSE;
  }
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (&info); plane++)
    if (!ExternalMemory::knows (gst_gl_format_from_video_info (self->parent.context, &info, plane))) {
      GST_WARNING_OBJECT (self, "OpenCL cannot share textures of %" GST_PTR_FORMAT, caps);
      return FALSE;
    }
  if (!GST_BUFFER_POOL_CLASS (gst_cl_gl_buffer_pool_parent_class)->set_config (pool, config))
    return FALSE;
  auto *params =
      reinterpret_cast<GstGLVideoAllocationParams *> (gst_gl_buffer_pool_get_gl_allocation_params (GST_GL_BUFFER_POOL (pool)));
  const gboolean two_dimensional = params->target == GST_GL_TEXTURE_TARGET_2D;
  gst_gl_allocation_params_free (reinterpret_cast<GstGLAllocationParams *> (params));
  self->add_sync_meta = gst_buffer_pool_config_has_option (config, GST_BUFFER_POOL_OPTION_GL_SYNC_META);
  return two_dimensional;
}

/* The size of a GstGLMemory for the plane. */
static void
gst_cl_gl_plane_size (const GstVideoInfo *info, guint plane, int *width, int *height)
{
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component (info->finfo, plane, components);
  const bool is_yuv = GST_VIDEO_INFO_IS_YUV (info);
  *width = is_yuv ? GST_VIDEO_INFO_COMP_WIDTH (info, components[0]) : GST_VIDEO_INFO_WIDTH (info);
  *height = is_yuv ? GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]) : GST_VIDEO_INFO_HEIGHT (info);
}

static GstMemory *
gst_cl_gl_memory_new (GstClGlBufferPool *self, const GstGLVideoAllocationParams *pool_params, guint plane)
{
  GstGLContext *context = self->parent.context;
  const GstGLFormat format = gst_gl_format_from_video_info (context, pool_params->v_info, plane);
  int width, height;
  gst_cl_gl_plane_size (pool_params->v_info, plane, &width, &height);
  auto image = std::make_unique<std::shared_ptr<ExternalImage>> ((*self->memory)->create_image (format, width, height));
  ExternalImage *const borrowed = image->get ();
  GstGLVideoAllocationParams *params = gst_gl_video_allocation_params_new_wrapped_texture (context,
      pool_params->parent.alloc_params, pool_params->v_info, plane, pool_params->valign, GST_GL_TEXTURE_TARGET_2D, format,
      borrowed->texture (), image.get (), [] (gpointer data) { delete static_cast<std::shared_ptr<ExternalImage> *> (data); });
  auto *memory = reinterpret_cast<GstMemory *> (gst_gl_base_memory_alloc (
      GST_GL_BASE_MEMORY_ALLOCATOR (self->allocator), reinterpret_cast<GstGLAllocationParams *> (params)));
  gst_gl_allocation_params_free (reinterpret_cast<GstGLAllocationParams *> (params));
  if (!memory)
    throw gst::cl::Failure (
        GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "GL is out of memory.", "gst_gl_base_memory_alloc");
  image.release ();
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), gst_cl_gl_image_quark (), borrowed, nullptr);
  return memory;
}

/* GL thread. Throws Failure. */
static void
gst_cl_gl_buffer_pool_fill (GstClGlBufferPool *self, GstBuffer *buffer)
{
  const std::unique_ptr<GstGLAllocationParams, void (*) (GstGLAllocationParams *)> owned (
      gst_gl_buffer_pool_get_gl_allocation_params (&self->parent), gst_gl_allocation_params_free);
  const auto *params = reinterpret_cast<GstGLVideoAllocationParams *> (owned.get ());
  GstVideoInfo *info = params->v_info;
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (info); plane++)
    gst_buffer_append_memory (buffer, gst_cl_gl_memory_new (self, params, plane));
  GstVideoMeta *meta = gst::cl::add_video_meta (buffer, *info);
  if (params->valign)
    gst_video_meta_set_alignment (meta, *params->valign);
  if (self->add_sync_meta)
    gst_buffer_add_gl_sync_meta (self->parent.context, buffer);
}

static GstFlowReturn
gst_cl_gl_buffer_pool_alloc_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *)
{
  GstClGlBufferPool *self = GST_CL_GL_BUFFER_POOL (pool);
  g_autoptr (GstBuffer) allocated = gst_buffer_new ();
  g_autoptr (GError) error = nullptr;
  const bool is_filled = gst::cl::run_guarded (
      &error, [&] { gst::cl::run_in_gl_thread (self->parent.context, [&] { gst_cl_gl_buffer_pool_fill (self, allocated); }); });
  if (!is_filled) {
    GST_ERROR_OBJECT (self, "no texture: %s", error->message);
    return GST_FLOW_ERROR;
  }
  *buffer = g_steal_pointer (&allocated);
  return GST_FLOW_OK;
}

static void
gst_cl_gl_buffer_pool_class_init (GstClGlBufferPoolClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = [] (GObject *object) {
    GstClGlBufferPool *self = GST_CL_GL_BUFFER_POOL (object);
    /* before the parent frees the buffers: each of them holds the memory that it needs */
    delete self->memory;
    gst_clear_object (&self->allocator);
    G_OBJECT_CLASS (gst_cl_gl_buffer_pool_parent_class)->finalize (object);
  };
  GST_BUFFER_POOL_CLASS (klass)->get_options = [] (GstBufferPool *) -> const gchar ** {
    static const gchar *options[] = {GST_BUFFER_POOL_OPTION_VIDEO_META, GST_BUFFER_POOL_OPTION_GL_SYNC_META,
        GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT, GST_BUFFER_POOL_OPTION_GL_TEXTURE_TARGET_2D, nullptr};
    return options;
  };
  GST_BUFFER_POOL_CLASS (klass)->set_config = gst_cl_gl_buffer_pool_set_config;
  GST_BUFFER_POOL_CLASS (klass)->start = gst::cl::start_whole<&gst_cl_gl_buffer_pool_parent_class>;
  GST_BUFFER_POOL_CLASS (klass)->alloc_buffer = gst_cl_gl_buffer_pool_alloc_buffer;
}

static void
gst_cl_gl_buffer_pool_init (GstClGlBufferPool *)
{
}

namespace gst::cl {

ExternalImage *
external_image_of (GstMemory *memory)
{
  return static_cast<ExternalImage *> (gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory), gst_cl_gl_image_quark ()));
}

GstBufferPool *
external_pool_new (std::shared_ptr<ExternalMemory> memory)
{
  auto *self = static_cast<GstClGlBufferPool *> (g_object_new (gst_cl_gl_buffer_pool_get_type (), nullptr));
  gst_object_ref_sink (self);
  GstGLContext *context = memory->gl_context ();
  self->parent.context = static_cast<GstGLContext *> (gst_object_ref (context));
  self->allocator = GST_ALLOCATOR (gst_gl_memory_allocator_get_default (context));
  self->memory = new std::shared_ptr<ExternalMemory> (std::move (memory));
  return GST_BUFFER_POOL (self);
}

}  // namespace gst::cl

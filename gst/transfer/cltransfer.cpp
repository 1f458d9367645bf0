/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clupload: copies frames from system memory or GL memory to memory:OpenCLMemory; cldownload: back. Filters do this themselves; these
 * elements let you choose where the copy happens, and serve elements and applications that need OpenCL memory. */
#include "filter/gstclbasetransform.hpp"
#include "filter/settingstore.hpp"
#include "filter/stream.hpp"

namespace gst::cl::cltransfer {

/* The abstract base class of both elements. A subclass calls gst_cl_base_transform_class_set_memory() to set the memory of its pads. */
struct GstClTransfer {
  GstClBaseTransform parent;
  struct GstClTransferPrivate *priv;
};

struct GstClTransferClass {
  GstClBaseTransformClass parent_class;
};

struct GstClTransferPrivate {
  explicit GstClTransferPrivate (GstElement *element) : reporter (element) {}

  ElementReporter reporter;
  MemoryKind to = MemoryKind::system;
  /** Copies from the host into OpenCL memory. */
  std::unique_ptr<FrameMapper> mapper;
  /** Copies between GL and other memory. */
  StreamPtr stream;
  /** Why the last caps were refused; upstream tries them again with every buffer. */
  std::string refused;
};

#define GST_CL_TRANSFER(obj) (reinterpret_cast<GstClTransfer *> (obj))

#define GST_TYPE_CL_TRANSFER (gst_cl_transfer_get_type ())
G_DEFINE_ABSTRACT_TYPE (GstClTransfer, gst_cl_transfer, GST_TYPE_CL_BASE_TRANSFORM)

/* A filter that changes nothing; only its copies of planes are needed. */
static const FilterDescription copy_description{
    .long_name = "copy",
    .klass = "",
    .description = "",
    .properties = {},
    .operation = operation_type<Filter> (),
    .neutral = [] (const Values &) { return true; },
};

static void
make_work (GstClTransfer *self, GstCaps *in_caps, GstCaps *out_caps)
{
  ClElement &element = gst_cl_base_transform_get_element (self);
  GstClTransferPrivate *priv = self->priv;
  GstVideoInfo info;
  if (const auto old = std::move (priv->stream))
    old->drain ();
  priv->mapper.reset ();
  priv->to = memory_kind (out_caps);
  auto links = element.link ({in_caps, out_caps});
  const ContextRef context = element.context ();
  if (is_foreign (memory_kind (in_caps)) || is_foreign (memory_kind (out_caps)))
    priv->stream = StreamPtr (new Stream (
        context, std::move (links), std::array{StagePlan{&copy_description, &priv->reporter, nullptr}}, in_caps, out_caps));
  else if (video_info_from_caps (info, in_caps))
    priv->mapper = std::make_unique<FrameMapper> (context, picture_in_buffer (info));
}

static void
refresh_work (GstClTransfer *self, GstBuffer *buffer)
{
  if (!gst_cl_base_transform_get_element (self).was_relinked (buffer))
    return;
  gst_cl_base_transform_with_current_caps (
      GST_CL_BASE_TRANSFORM (self), [self] (GstCaps *in_caps, GstCaps *out_caps) { make_work (self, in_caps, out_caps); });
}

/* Returns the buffer for the other side; a new buffer has no metadata. If only the caps differ, because the host can map OpenCL
 * memory, returns the same buffer. */
static BufferRef
carry_over (GstClTransfer *self, GstBuffer *in)
{
  GstClTransferPrivate *priv = self->priv;
  if (priv->stream)
    return priv->stream->acquire_output ();
  if (priv->to == MemoryKind::opencl) {
    BufferRef uploaded = priv->mapper->on_device (in);
    frame_buffer_of (uploaded.get ())->upload ();
    return uploaded;
  }
  BufferRef passed = gst_cl_base_transform_get_element (self).for_downstream (GST_BASE_TRANSFORM_SRC_PAD (self), in);
  if (passed.get () != in)
    return passed;
  if (FrameBuffer *frame = gst_buffer_n_memory (in) == 1 ? frame_buffer_of (in) : nullptr)
    frame->prefetch ();
  return passed;
}

static GstFlowReturn
gst_cl_transfer_prepare_output_buffer (GstBaseTransform *base, GstBuffer *in, GstBuffer **out)
{
  GstClTransfer *self = GST_CL_TRANSFER (base);
  if (gst_base_transform_is_passthrough (base))
    return gst_cl_base_transform_pass (GST_CL_BASE_TRANSFORM (self), in, out);
  BufferRef carried;
  const bool done = run_guarded (GST_ELEMENT (self), [&] {
    refresh_work (self, in);
    if (self->priv->stream || self->priv->mapper)
      carried = carry_over (self, in);
  });
  if (!done)
    return GST_FLOW_ERROR;
  if (!carried)
    return GST_FLOW_NOT_NEGOTIATED;
  *out = carried.get () == in ? in : carried.release ();
  if (*out != in && (self->priv->stream || self->priv->to == MemoryKind::opencl))
    GST_BASE_TRANSFORM_CLASS (gst_cl_transfer_parent_class)->copy_metadata (base, in, *out);
  return GST_FLOW_OK;
}

static GstFlowReturn
gst_cl_transfer_transform (GstBaseTransform *base, GstBuffer *in, GstBuffer *out)
{
  static const Settings settings;
  GstClTransfer *self = GST_CL_TRANSFER (base);
  if (!self->priv->stream)
    return GST_FLOW_OK; /* prepare_output_buffer() has done the work */
  Stream &stream = *self->priv->stream;
  const FrameTimes times{.timestamp = GST_BUFFER_TIMESTAMP (in)};
  const bool done = run_guarded (GST_ELEMENT (self), [&] {
    stream.filter (stream.trip_of ({&in, 1}, 0, out, times, {&settings, 1}));
  });
  return done ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* Waits for the last frames' messages before the end of the stream. */
static gboolean
gst_cl_transfer_sink_event (GstBaseTransform *base, GstEvent *event)
{
  const auto &stream = GST_CL_TRANSFER (base)->priv->stream;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)
    run_guarded (GST_ELEMENT (base), [&] {
      if (stream)
        stream->drain ();
      else if (const ContextRef context = gst_cl_base_transform_get_element (base).context ())
        throw_unread (context.get ());
    });
  return GST_BASE_TRANSFORM_CLASS (gst_cl_transfer_parent_class)->sink_event (base, event);
}

static void
gst_cl_transfer_class_init (GstClTransferClass *klass)
{
  delete_with_instance<&GstClTransfer::priv, &gst_cl_transfer_parent_class> (G_OBJECT_CLASS (klass));
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->set_caps = [] (GstBaseTransform *base, GstCaps *in_caps, GstCaps *out_caps) -> gboolean {
    GstClTransfer *self = GST_CL_TRANSFER (base);
    return run_guarded (GST_ELEMENT (self), self->priv->refused, [&] { make_work (self, in_caps, out_caps); });
  };
  base->stop = [] (GstBaseTransform *base) -> gboolean {
    GstClTransferPrivate *priv = GST_CL_TRANSFER (base)->priv;
    priv->stream.reset ();
    priv->mapper.reset ();
    priv->refused.clear ();
    forget_repeats (GST_ELEMENT (base));
    return TRUE;
  };
  base->sink_event = gst_cl_transfer_sink_event;
  base->prepare_output_buffer = gst_cl_transfer_prepare_output_buffer;
  base->transform = gst_cl_transfer_transform;
  base->passthrough_on_same_caps = TRUE;
}

static void
gst_cl_transfer_init (GstClTransfer *self)
{
  self->priv = new GstClTransferPrivate (GST_ELEMENT (self));
}

static void
describe (GstClTransferClass *klass, const char *long_name, const char *description, const std::vector<MemoryKind> &result)
{
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), long_name, "Filter/Video/Hardware", description, "The gst-plugins-cl developers");
  gst_cl_base_transform_class_set_memory (&klass->parent_class, all_memory_kinds (), result);
}

#define DEFINE(TypeName, type_name, element, long_name, description, result)                                                   \
  struct TypeName {                                                                                                            \
    GstClTransfer parent;                                                                                                      \
  };                                                                                                                           \
  struct TypeName##Class {                                                                                                     \
    GstClTransferClass parent_class;                                                                                           \
  };                                                                                                                           \
  G_DEFINE_TYPE (TypeName, type_name, GST_TYPE_CL_TRANSFER)                                                                    \
  GST_ELEMENT_REGISTER_DEFINE (element, #element, GST_RANK_NONE, type_name##_get_type ())                                      \
  static void type_name##_class_init (TypeName##Class *klass)                                                                  \
  {                                                                                                                            \
    describe (&klass->parent_class, long_name, description, result);                                                           \
  }                                                                                                                            \
  static void type_name##_init (TypeName *) {}

DEFINE (GstClUpload, gst_cl_upload, clupload, "OpenCL uploader", "Copies video to OpenCL memory", {MemoryKind::opencl})
DEFINE (GstClDownload, gst_cl_download, cldownload, "OpenCL downloader",
    "Copies video from OpenCL memory to system or GL memory", foreign_memory_kinds ())

}  // namespace gst::cl::cltransfer

#undef DEFINE

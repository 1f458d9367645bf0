/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/interop.hpp"

namespace gst::cl {

namespace {

/* A test pattern that differs at every place of every plane. */
guint8
pattern (int plane, int row, int byte)
{
  return static_cast<guint8> (plane * 85 + row * 31 + byte * 7 + (row * byte) / 5);
}

/* A frame's planes as bytes on the host. */
class HostView {
public:
  HostView (const GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags)
  {
    if (!gst_video_frame_map (&frame, const_cast<GstVideoInfo *> (&info), buffer, flags))
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
          "A frame in GL memory could not be mapped. Start the pipeline again.", "gst_video_frame_map failed");
  }
  HostView (const HostView &) = delete;
  ~HostView () { gst_video_frame_unmap (&frame); }

  template <typename Visitor> void each_byte (Visitor visit)
  {
    for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (&frame); plane++) {
      auto *rows = static_cast<guint8 *> (GST_VIDEO_FRAME_PLANE_DATA (&frame, plane));
      gint component[GST_VIDEO_MAX_COMPONENTS];
      gst_video_format_info_component (frame.info.finfo, plane, component);
      const int width = GST_VIDEO_FRAME_COMP_WIDTH (&frame, component[0]) * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, component[0]);
      for (int row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, component[0]); row++)
        for (int byte = 0; byte < width; byte++)
          visit (rows[row * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane) + byte], plane, row, byte);
    }
  }

private:
  GstVideoFrame frame = {};
};

class ProbeTrial {
public:
  ProbeTrial (GlLink &link_, const GstVideoInfo &info_);
  ~ProbeTrial ();

  void fill ()
  {
    HostView (info, in.get (), GST_MAP_WRITE).each_byte ([] (guint8 &byte, int plane, int row, int x) {
      byte = pattern (plane, row, x);
    });
    /* overwrites the result, so that an unwritten frame does not pass */
    HostView (info, out.get (), GST_MAP_WRITE).each_byte ([] (guint8 &byte, int plane, int row, int x) {
      byte = pattern (plane, row, x);
    });
  }

  void run ()
  {
    if (!link.textures) {
      /* the cost of staging besides the kernel: GL's picture to the host and back */
      (void) HostView (info, in.get (), GST_MAP_READ);
      (void) HostView (info, out.get (), GST_MAP_WRITE);
      return;
    }
    link.textures->visit ([this] { enqueue (); });
    released.wait ();
  }

  /** How many bytes of the result are wrong. */
  int compare ()
  {
    int wrong = 0;
    HostView (info, out.get (), GST_MAP_READ).each_byte ([&wrong] (guint8 &byte, int plane, int row, int x) {
      wrong += byte != static_cast<guint8> (~pattern (plane, row, x));
    });
    return wrong;
  }

private:
  /* In the GL thread. */
  void enqueue ()
  {
    GlTextures &textures = *link.textures;
    Frame from = textures.read (in.get ()), to = textures.write (out.get ());
    Frame *frames[] = {&from, &to};
    std::vector<::cl::Event> wait;
    textures.acquire (frames, queue (), wait);
    try {
      launch (from, to);
    } catch (...) {
      textures.release (frames, queue ()).wait ();
      throw;
    }
    released = textures.release (frames, queue ());
  }

  void launch (const Frame &in, const Frame &out);

  GlLink &link;
  const GstVideoInfo &info;
  PoolRef pool;
  BufferRef in, out;
  ::cl::Kernel kernel;
  ::cl::CommandQueue queue;
  ::cl::Event released;
};

PoolRef
trial_pool (GlLink &link, const GstVideoInfo &info)
{
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&info);
  gst_caps_set_features (caps, 0, gst_caps_features_new (GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
  gst_caps_set_simple (caps, "texture-target", G_TYPE_STRING, GST_GL_TEXTURE_TARGET_2D_STR, nullptr);
  return link.create_pool (caps, 2);
}

ProbeTrial::ProbeTrial (GlLink &link_, const GstVideoInfo &info_)
    : link (link_), info (info_), pool (trial_pool (link, info)), in (acquire_buffer (pool.get ())),
      out (acquire_buffer (pool.get ()))
{
  Context &context = Context::of (link.context.get ());
  BuildCounts counts;
  if (link.textures)
    kernel = ::cl::Kernel (*context.programs.get ({{"lib/probe.cl"}, ""}, counts), "probe");
  queue = context.compute;
}

ProbeTrial::~ProbeTrial ()
{
  gst_buffer_pool_set_active (pool.get (), FALSE);
}

void
ProbeTrial::launch (const Frame &from, const Frame &to)
{
  for (int i = 0; i < from.n_planes; i++) {
    kernel.setArg (0, from.planes[i].memory);
    kernel.setArg (1, to.planes[i].memory);
    queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (from.planes[i].width, from.planes[i].height));
  }
}

}  // namespace

Verdict
run_gl_trial (GlLink &link, const GstVideoInfo &info)
{
  ProbeTrial trial (link, info);
  trial.fill ();
  trial.run ();
  if (const int wrong = link.textures ? trial.compare () : 0)
    return {.reason = "a test picture came back with " + std::to_string (wrong) + " wrong bytes"};
  return {.works = true, .reason = "", .microseconds = mean_microseconds ([&] { trial.run (); })};
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/interop.hpp"
#include "interop/trial.hpp"

namespace gst::cl {

namespace {

class GlTrial : public Trial {
public:
  GlTrial (GlLink &gl_, const GstVideoInfo &of)
      : Trial (gl_, of, GST_CAPS_FEATURE_MEMORY_GL_MEMORY, GST_GL_TEXTURE_TARGET_2D_STR), gl (gl_)
  {
    BuildCounts counts;
    if (gl.has_textures ())
      kernel = ::cl::Kernel (*Context::of (gl.context.get ()).programs.get ({{"lib/probe.cl"}, ""}, counts), "probe");
  }

private:
  /* Without textures: the cost of staging besides the kernel, GL's picture to the host and back. */
  void run (GstBuffer *from) override
  {
    if (!gl.has_textures ()) {
      (void) HostView (info, from, GST_MAP_READ);
      (void) HostView (info, out.get (), GST_MAP_WRITE);
      return;
    }
    gl.visit ([&] { enqueue (from); });
    released.wait ();
  }

  /* In the GL thread. */
  void enqueue (GstBuffer *from)
  {
    Frame source = gl.read (from), target = gl.write (out.get ());
    Frame *frames[] = {&source, &target};
    std::vector<::cl::Event> wait;
    gl.acquire (frames, queue (), wait);
    try {
      for (int i = 0; i < source.n_planes; i++) {
        kernel.setArg (0, source.planes[i].memory);
        kernel.setArg (1, target.planes[i].memory);
        queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (source.planes[i].width, source.planes[i].height));
      }
    } catch (...) {
      gl.release (frames, queue ()).wait ();
      throw;
    }
    released = gl.release (frames, queue ());
  }

  GlLink &gl;
  ::cl::Kernel kernel;
  ::cl::Event released;
};

}  // namespace

Verdict
run_gl_trial (GlLink &link, const GstVideoInfo &info)
{
  GlTrial trial (link, info);
  if (link.has_textures ())
    trial.require_inverse (trial.input ());
  return {.works = true, .reason = "", .microseconds = trial.time (trial.input ())};
}

}  // namespace gst::cl

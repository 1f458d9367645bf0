/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a device does with memory that other interfaces allocate, GL apart. */
#include "config.h"
#include "core/context.hpp"
#include "core/verdict.hpp"
#ifdef HAVE_CUDA
#include "interop/cudalink.hpp"
#endif
#ifdef HAVE_DMABUF
#include "interop/dmabuf.hpp"
#endif

#include "../common/glib.hpp"
#include "facts.hpp"
#include "probes.hpp"

#include <cstdio>

using gst::cl::ContextRef;

[[maybe_unused]] static void
tell_verdict (const std::string &name, const gst::cl::Verdict &verdict)
{
  tell (name, verdict.works ? printed ("ok %.1f", verdict.microseconds) : "no " + verdict.reason);
}

int
probe_video (const std::string &device)
{
  try {
    [[maybe_unused]] const ContextRef context = gst::cl::create_context (device);
#ifdef HAVE_CUDA
    for (const GstVideoFormat format : {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA}) {
      const gst::cl::Verdict verdict = gst::cl::probe_cuda (gst::cl::Context::of (context.get ()).device, format);
      const std::string name = std::string ("cuda/") + gst_video_format_to_string (format);
      tell_verdict (name, verdict);
      if (verdict.works)
        tell (name + " copied", printed ("ok %.1f", verdict.microseconds_copied));
    }
#endif
#ifdef HAVE_DMABUF
    tell_verdict ("dmabuf/reads", gst::cl::probe_dmabuf (context, false));
    tell_verdict ("dmabuf/writes", gst::cl::probe_dmabuf (context, true));
#endif
  } catch (const std::exception &error) {
    std::fprintf (stderr, "%s\n", error.what ());
    return 1;
  }
  return 0;
}

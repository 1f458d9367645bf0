/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a device exchanges frames with memory of other interfaces than GL. */
#include "config.h"
#include "core/context.hpp"
#include "core/verdict.hpp"
#ifdef HAVE_CUDA
#include "interop/cudalink.hpp"
#endif
#ifdef HAVE_DMABUF
#include "interop/dmabuf.hpp"
#endif

#include "report.hpp"

#include <cmath>
#include <cstdio>

using gst::cl::ContextRef;

JsonObject *
tell_method (JsonObject *to, const char *name)
{
  JsonObject *method = tell_item (to, "methods");
  tell (method, "method", name);
  tell (method, "died", "");
  tell_list (method, "formats");
  return method;
}

void
tell_format (JsonObject *method, const char *name, const gst::cl::Verdict &verdict)
{
  JsonObject *format = tell_item (method, "formats");
  tell (format, "format", name);
  tell (format, "works", verdict.works);
  if (verdict.works)
    tell (format, "microseconds", std::round (10 * verdict.microseconds) / 10);
  else
    tell (format, "reason", verdict.reason);
}

int
probe_video (JsonObject *to, const std::string &device)
{
  tell_list (to, "methods");
  try {
    [[maybe_unused]] const ContextRef context = gst::cl::create_context (device);
#ifdef HAVE_CUDA
    JsonObject *cuda = tell_method (to, "cuda");
    for (const GstVideoFormat format : {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGBA}) {
      gst::cl::Verdict verdict = gst::cl::probe_cuda (gst::cl::Context::of (context.get ()).device, format);
      const std::string name = gst_video_format_to_string (format);
      tell_format (cuda, name.c_str (), verdict);
      if (!verdict.works)
        continue;
      verdict.microseconds = verdict.microseconds_copied;
      tell_format (cuda, (name + " copied").c_str (), verdict);
    }
#endif
#ifdef HAVE_DMABUF
    JsonObject *dmabuf = tell_method (to, "dmabuf");
    tell_format (dmabuf, "reads", gst::cl::probe_dmabuf (context, false));
    tell_format (dmabuf, "writes", gst::cl::probe_dmabuf (context, true));
#endif
  } catch (const std::exception &error) {
    std::fprintf (stderr, "%s\n", error.what ());
    return 1;
  }
  return 0;
}

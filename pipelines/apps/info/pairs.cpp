/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gl/interop.hpp"

#include "gl.hpp"
#include "probes.hpp"

#include <cstdio>

using gst::cl::Device;
using gst::cl::Verdict;

namespace {

/* One for each kind of texture: RGBA8, R8, several R8, R8 with RG8, RG8 alone, R16 with RG16 */
constexpr GstVideoFormat formats[]{GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_P010_10LE};

Verdict
probe (const std::string &method, const Device &device, GstGLContext *gl, GstVideoFormat format)
{
  if (method == "sharing")
    return gst::cl::probe_sharing (device, gl, format);
  if (method == "external")
    return gst::cl::probe_external (device, gl, format);
  return gst::cl::probe_staged (device, gl, format);
}

}  // namespace

int
probe_pair (JsonObject *to, const std::string &wanted, const std::string &method)
{
  try {
    const GlContext gl = make_gl_context ();
    for (const Device &device : gst::cl::list_devices ()) {
      if (device.numbers () != wanted)
        continue;
      for (const GstVideoFormat format : formats)
        tell_format (to, gst_video_format_to_string (format), probe (method, device, gl.context.get (), format));
      return 0;
    }
    std::fprintf (stderr, "the device is gone\n");
  } catch (const std::exception &error) {
    std::fprintf (stderr, "%s\n", error.what ());
  }
  return 1;
}

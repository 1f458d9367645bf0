/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-privacy: hides faces that an upstream detector has found. Here a simulated detector moves a rectangle through the picture;
 * a real detector attaches the same GstVideoRegionOfInterestMeta to each buffer. The filter uses only the regions, in any kind
 * of memory; here frames are GL textures. */
#include "../demo/pipeline.hpp"

#include <cmath>
#include <cstdio>
#include <gst/video/video.h>

namespace {

struct Options : ShowOptions {
  std::string filter = "clblur sigma=20";
};

/* The position of the simulated face in frame n, on a slow curve through the picture. */
GstVideoRectangle
wandering_face (const GstVideoInfo &info, guint64 n)
{
  const double angle = double (n) / 40;
  GstVideoRectangle face;
  face.w = MAX (info.width / 5, 1);
  face.h = MAX (info.height / 4, 1);
  face.x = int ((info.width - face.w) * (0.5 + 0.5 * std::cos (angle)));
  face.y = int ((info.height - face.h) * (0.5 + 0.5 * std::sin (2 * angle)));
  return face;
}

/* Does what a detector does with each buffer that passes the pad. The picture is not changed. */
void
detect (GstPad *pad)
{
  add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, [pad, count = guint64 (0)] (GstPadProbeInfo *probe) mutable {
    const Caps caps (gst_pad_get_current_caps (pad));
    GstVideoInfo info;
    if (caps && gst_video_info_from_caps (&info, caps.get ())) {
      GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (probe));
      const GstVideoRectangle face = wandering_face (info, count++);
      gst_buffer_add_video_region_of_interest_meta (buffer, "face", face.x, face.y, face.w, face.h);
      GST_PAD_PROBE_INFO_DATA (probe) = buffer;
    }
    return GST_PAD_PROBE_OK;
  });
}

void
play (const Options &options)
{
  Pipeline pipeline (source_launch (options.file, options.frames)
                         + " ! videoconvert ! glupload ! glcolorconvert ! identity name=detector ! " + options.filter
                         + " name=hide roi-source=meta roi-labels=face ! "
                         + (!options.sink.empty () ? options.sink : window_sink ("glimagesink")),
      options.file);
  detect (pad_of (pipeline.element ("detector").get (), "src").get ());
  pipeline.play ();
  pipeline.wait ();
  const Structure stats = stats_of (pipeline.element ("hide").get ());
  guint64 frames = 0;
  gst_structure_get_uint64 (stats.get (), "frames", &frames);
  std::printf ("%" G_GUINT64_FORMAT " frames on %s, path %s\n", frames, field_of (stats.get (), "device").c_str (),
      field_of (stats.get (), "path").c_str ());
}

}  // namespace

int
main (int argc, char **argv)
{
  Options options;
  return run_show ("cl-privacy",
      "Hides the regions that a simulated face detector marks in each frame. Without FILE it uses a test picture.",
      "glimagesink", options, {{"filter", 0, &options.filter, "The filter that hides a face (clblur sigma=20)", "ELEMENT"}},
      argc, argv, [&options] { play (options); });
}

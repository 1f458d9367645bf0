/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cl-compare: shows a filtered video beside the original, with PSNR and SSIM of every second and of the whole. The filter is
 * any part of a launch line, so encoders can be compared, too: "x264enc bitrate=500 ! avdec_h264". */
#include "../common/json.hpp"
#include "../demo/pipeline.hpp"

#include <cmath>
#include <cstdio>
#include <gst/video/video.h>
#include <mutex>
#include <optional>

namespace {

struct Options : ShowOptions {
  std::string filter = "clmedian radius=2";
  bool json = false;
};

/* Means of error and similarity over frames. */
class Means {
public:
  void add (double mse, double psnr, std::optional<double> ssim)
  {
    frames++;
    mse_sum += mse;
    if (mse > 0)
      peak_squared = mse * std::pow (10, psnr / 10);
    if (ssim) {
      ssim_frames++;
      ssim_sum += *ssim;
    }
  }

  void report (guint64 second, Json to) const
  {
    const double psnr = mse_sum > 0 ? 10 * std::log10 (peak_squared * frames / mse_sum) : 100;
    std::printf ("%-10s %5d frames   PSNR %6.2f dB", ("second " + std::to_string (second)).c_str (), frames, psnr);
    to.member ("second", second).member ("frames", frames).member ("psnr", psnr);
    if (ssim_frames) {
      std::printf ("   SSIM %.4f", ssim_sum / ssim_frames);
      to.member ("ssim", ssim_sum / ssim_frames);
    }
    std::printf ("\n");
    std::fflush (stdout);
  }

  bool empty () const { return frames == 0; }

private:
  int frames = 0, ssim_frames = 0;
  double mse_sum = 0, ssim_sum = 0, peak_squared = 0;
};

/* Reads clcompare's messages in the thread that posts them, so that none is lost or delayed. */
class Listener {
public:
  explicit Listener (const std::string &filter) { json.member ("filter", filter).add_list ("seconds"); }

  /* The object must outlive the pipeline. */
  void attach (const Pipeline &pipeline) { gst_bus_set_sync_handler (bus_of (pipeline.get ()).get (), listen, this, nullptr); }

  bool has_result () const { return reported_final; }
  /* Call this only when there is a result. */
  std::string document () const { return json.document (); }

private:
  static GstBusSyncReply listen (GstBus *, GstMessage *message, gpointer data)
  {
    if (gst_message_has_name (message, "clcompare"))
      static_cast<Listener *> (data)->take (gst_message_get_structure (message));
    return GST_BUS_PASS;
  }

  void take (const GstStructure *content)
  {
    const std::lock_guard lock (mutex);
    gboolean final = FALSE;
    gst_structure_get_boolean (content, "final", &final);
    gdouble mse = 0, psnr = 0, ssim = 0;
    const bool measured = gst_structure_get_double (content, "mse", &mse) && gst_structure_get_double (content, "psnr", &psnr);
    const bool similar = gst_structure_get_double (content, "ssim", &ssim);
    if (final) {
      report_second ();
      if (measured)
        report_final (content);
      return;
    }
    guint64 time = 0;
    gst_structure_get_uint64 (content, "running-time", &time);
    if (GST_CLOCK_TIME_IS_VALID (time) && time / GST_SECOND != second) {
      report_second ();
      second = time / GST_SECOND;
    }
    if (measured)
      means.add (mse, psnr, similar ? std::optional (ssim) : std::nullopt);
  }

  void report_second ()
  {
    if (means.empty ())
      return;
    means.report (second, json.add_item ("seconds"));
    means = {};
  }

  void report_final (const GstStructure *content)
  {
    static const char *const names[] = {"all", "Y", "U", "V"};
    Json whole = json.add_group ("whole");
    for (int i = 0; i < 4; i++) {
      const std::string suffix = i == 0 ? "" : "-" + std::to_string (i - 1);
      gdouble psnr = 0, ssim = 0;
      if (!gst_structure_get_double (content, ("psnr" + suffix).c_str (), &psnr))
        continue;
      std::printf ("%-10s %s   PSNR %6.2f dB", i == 0 ? "whole" : "", names[i], psnr);
      Json part = whole.add_group (names[i]);
      part.member ("psnr", psnr);
      if (gst_structure_get_double (content, ("ssim" + suffix).c_str (), &ssim)) {
        std::printf ("   SSIM %.4f", ssim);
        part.member ("ssim", ssim);
      }
      std::printf ("\n");
    }
    reported_final = true;
  }

  std::mutex mutex;
  Means means;
  guint64 second = 0;
  Json json;
  bool reported_final = false;
};

/* Places the filtered picture to the right of the original, once its width is known. */
void
place_picture (const Pipeline &pipeline)
{
  const Ref<GstPad> pad = pad_of (pipeline.element ("compare").get (), "src");
  connect<GParamSpec *> (pad.get (), "notify::caps", [pad = pad.get (), sheet = pipeline.element ("sheet")] (GParamSpec *) {
    const Caps caps (gst_pad_get_current_caps (pad));
    GstVideoInfo info;
    if (caps && gst_video_info_from_caps (&info, caps.get ()))
      gst_child_proxy_set (GST_CHILD_PROXY (sheet.get ()), "sink_1::xpos", info.width, nullptr);
  });
}

std::string
launch_for (const Options &options)
{
  const std::string source =
      source_launch (options.file, options.frames, "videotestsrc num-buffers=150 ! video/x-raw,width=640,height=360");
  const std::string queue = " queue max-size-buffers=0 max-size-bytes=0 max-size-time=5000000000 ! ";
  return source + " ! videoconvert ! video/x-raw,format=I420 ! tee name=original "
         + "clcompare name=compare ! queue ! sheet.sink_1 " + "original. !" + queue + "videoconvert ! " + options.filter
         + " ! videoconvert ! video/x-raw,format=I420 ! compare.sink " + "original. !" + queue + "compare.reference "
         + "original. !" + queue + "sheet.sink_0 " + "compositor name=sheet ! videoconvert ! "
         + (!options.sink.empty () ? options.sink : window_sink ("autovideosink"));
}

void
play (const Options &options)
{
  const JsonOutput output (options.json);
  if (const size_t last = options.filter.find_last_not_of (" \t\n"); last == std::string::npos || options.filter[last] == '!')
    refuse_usage ("--filter wants filters, as in \"clmedian ! clsobel\"");
  Listener listener (options.filter);
  Pipeline pipeline (launch_for (options), options.file);
  listener.attach (pipeline);
  place_picture (pipeline);
  pipeline.play ();
  pipeline.wait ();
  ensure (listener.has_result (), "there was no frame to measure");
  if (output)
    output.write (listener.document ());
}

}  // namespace

int
main (int argc, char **argv)
{
  Options options;
  return run_show ("cl-compare",
      "Shows a video and the result of a filter side by side, and measures the difference. Without FILE it uses a "
      "test picture.",
      "autovideosink", options,
      {{"filter", 0, &options.filter, "The filter, or filters (clmedian radius=2)", "ELEMENTS"},
          {"json", 'j', &options.json, "Print JSON; the text goes to standard error"}},
      argc, argv, [&options] { play (options); });
}

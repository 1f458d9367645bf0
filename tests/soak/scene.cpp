/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scene.hpp"

namespace soak {

namespace {

constexpr Knob none{nullptr, 0, 0}, mix{"mix", 0, 1}, region{"roi-x", 0, 40};

const Filter filters[] = {
    {"clthreshold", {{{"threshold", 0, 1}, mix}}},
    {"clbilateral radius=2", {{{"sigma-range", 0.05, 0.5}, region}}},
    {"clmedian radius=1", {{mix, region}}},
    {"clconvolve preset=edge", {{mix, region}}},
    {"clsobel", {{mix, region}}},
    {"clcolormatrix preset=sepia", {{mix, region}}},
    {"cladjust", {{{"exposure", -1, 1}, mix}}},
    {"cllevels", {{{"gamma", 0.5, 2}, mix}}},
    {"clequalize", {{mix, region}}},
    {"clnoise", {{mix, region}}},
    {"clsharpen", {{mix, region}}},
    {"clpixelate", {{{"size", 2, 40}, region}}},
    {"clblur", {{mix, region}}},
    {"clerode", {{mix, region}}},
    {"cldilate", {{mix, region}}},
    {"cldeblock", {{mix, region}}},
    {"cltemporal", {{mix, region}}},
    {"clflip video-direction=horiz", {{none, none}}},
    {"clhistogram", {{none, none}}},
    {"clframerate", {{none, none}}},
    {"clmotion direction=both", {{none, none}}},
    {"clchain filters=\"clthreshold ! clsobel\"", {{none, none}}},
};

const char *const formats[] = {"GRAY8", "I420", "NV12", "RGBA", "YUY2", "I420_10LE"};
/* the last one is not supported by OpenGL */
constexpr int gl_formats = 5;

std::string
make_caps (Dice &dice, bool gl)
{
  constexpr int unit = 16;
  return std::string ("video/x-raw,format=") + formats[dice.below (gl ? gl_formats : int (std::size (formats)))]
         + ",width=" + std::to_string (unit * (2 + dice.below (6))) + ",height=" + std::to_string (unit * (2 + dice.below (4)))
         + ",framerate=30/1";
}

}  // namespace

/* A capsfilter whose caps change refuses frames that are under way. */
std::string
Scene::launch (int frames) const
{
  std::string line = "videotestsrc name=source pattern=ball num-buffers=" + std::to_string (frames)
                     + " ! capsfilter name=caps caps-change-mode=delayed caps=" + caps[0] + before;
  for (size_t i = 0; i < filters.size (); i++)
    line += std::string (" ! ") + filters[i].description + " name=f" + std::to_string (i);
  return line + behind + " ! fakesink name=sink signal-handoffs=true sync=false async=false";
}

Scene
make_scene (Dice &dice, bool has_gl)
{
  Scene scene;
  for (int n = 1 + dice.below (3); n > 0; n--)
    scene.filters.push_back (dice.pick (filters));
  const int memory = dice.below (has_gl ? 4 : 3);
  for (std::string &caps : scene.caps)
    caps = make_caps (dice, memory == 3);
  if (memory == 1) {
    scene.before = " ! clupload";
    scene.behind = " ! cldownload";
  } else if (memory == 3) {
    scene.before = " ! glupload";
    scene.behind = " ! gldownload";
  }
  return scene;
}

bool
has_gl_here ()
{
  g_autoptr (GstElement) pipeline = gst_parse_launch ("videotestsrc num-buffers=1 ! glupload ! gldownload ! fakesink", nullptr);
  if (!pipeline)
    return false;
  gst_object_ref_sink (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GstMessageType (int (GST_MESSAGE_EOS) | int (GST_MESSAGE_ERROR)));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
}

}  // namespace soak

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sheet.hpp"

#include <gst/video/video.h>

namespace {

constexpr int columns = 2;
constexpr int cell_width = 800;
constexpr int gap = 4;

/* How pictures become cells: what to cut off on each side, and the cell's height. */
struct Layout {
  int cut_x, cut_y, height;
};

Layout
make_layout (GstSample *picture)
{
  GstVideoInfo info;
  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (picture)))
    throw std::logic_error ("a cell without a picture");
  const double aspect = double (info.width) * info.par_n / (double (info.height) * info.par_d);
  const int height = MAX (2, int (cell_width / aspect / 2) * 2);
  /* the same share of width and height, so that the shape stays */
  const double share = MIN (1.0, double (cell_width) / info.width);
  return {int (info.width * (1 - share) / 2), int (info.height * (1 - share) / 2), height};
}

std::string
sheet_launch (gsize cells, const Layout &layout)
{
  std::string launch = "compositor name=sheet background=black";
  for (gsize i = 0; i < cells; i++) {
    const std::string pad = " sink_" + std::to_string (i);
    launch += pad + "::xpos=" + std::to_string (int (i % columns) * (cell_width + gap));
    launch += pad + "::ypos=" + std::to_string (int (i / columns) * (layout.height + gap));
  }
  launch += " ! videoconvert ! pngenc snapshot=true ! filesink name=file";
  const std::string x = std::to_string (layout.cut_x), y = std::to_string (layout.cut_y);
  const std::string to_cell = " format=time ! videocrop left=" + x + " right=" + x + " top=" + y + " bottom=" + y
                              + " ! videoconvert ! videoscale method=lanczos ! video/x-raw,width=" + std::to_string (cell_width)
                              + ",height=" + std::to_string (layout.height)
                              + ",pixel-aspect-ratio=1/1 ! textoverlay font-desc=\"Monospace, 12\" halignment=left "
                                "valignment=bottom shaded-background=true name=label";
  for (gsize i = 0; i < cells; i++) {
    const std::string n = std::to_string (i);
    launch += " appsrc name=picture" + n + to_cell + n + " ! sheet.sink_" + n;
  }
  return launch;
}

/* A still: the picture as the only frame of a stream. */
void
push_picture (GstAppSrc *source, GstSample *picture)
{
  GstBuffer *buffer = gst_buffer_copy (gst_sample_get_buffer (picture));
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  const Caps caps (gst_caps_copy (gst_sample_get_caps (picture)));
  gst_caps_set_simple (caps.get (), "framerate", GST_TYPE_FRACTION, 1, 1, nullptr);
  gst_app_src_set_caps (source, caps.get ());
  gst_app_src_push_buffer (source, buffer);
  gst_app_src_end_of_stream (source);
}

}  // namespace

void
write_sheet (const std::string &file, const std::vector<Cell> &cells)
{
  Pipeline pipeline (sheet_launch (cells.size (), make_layout (cells.front ().picture)), file);
  for (gsize i = 0; i < cells.size (); i++) {
    const std::string n = std::to_string (i);
    g_object_set (pipeline.element (("label" + n).c_str ()).get (), "text", cells[i].label.c_str (), nullptr);
    push_picture (GST_APP_SRC (pipeline.element (("picture" + n).c_str ()).get ()), cells[i].picture);
  }
  pipeline.play ();
  pipeline.wait ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the middle row of each frame from OpenCL memory, with its own commands. The rest of the frame stays on the device. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gst/app/app.h>
#include <gst/cl/cl.h>

/* The mean of a row of a frame in OpenCL memory; -1 if it cannot be read. */
static double
mean_of_row (GstBuffer *buffer, guint row)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  if (!gst_is_cl_memory (memory) || !meta)
    return -1;
  GstClMemory *frame = GST_CL_MEMORY_CAST (memory);
  cl_command_queue queue = gst_cl_context_get_queue (gst_cl_memory_get_context (frame));
  cl_event written = gst_cl_memory_get_event (frame);
  g_autofree guint8 *pixels = g_malloc (meta->width);

  /* waits only for the kernel that writes the frame */
  cl_int status = clEnqueueReadBuffer (queue, gst_cl_memory_get_handle (frame), CL_TRUE,
      meta->offset[0] + row * meta->stride[0], meta->width, pixels, written ? 1 : 0, written ? &written : NULL, NULL);
  if (written)
    clReleaseEvent (written);
  if (status != CL_SUCCESS)
    return -1;
  double sum = 0;
  for (guint i = 0; i < meta->width; i++)
    sum += pixels[i];
  return sum / meta->width;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "videotestsrc num-buffers=5 ! video/x-raw,format=GRAY8,width=320,height=240 ! clmedian ! "
      "appsink name=frames caps=video/x-raw(memory:OpenCLMemory)",
      &error);
  if (error) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  g_autoptr (GstElement) frames = gst_bin_get_by_name (GST_BIN (pipeline), "frames");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);

  guint count = 0;
  GstSample *sample;
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (frames)))) {
    g_print ("frame %u: the middle row has a mean of %.1f\n", count++, mean_of_row (gst_sample_get_buffer (sample), 120));
    gst_sample_unref (sample);
  }

  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) failure = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (failure) {
    g_autoptr (GError) problem = NULL;
    gst_message_parse_error (failure, &problem, NULL);
    g_printerr ("%s\n", problem->message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return count > 0 ? 0 : 1;
}

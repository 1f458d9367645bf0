/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An application with an OpenCL context of its own lends it to the elements, so that buffers of both meet in one context. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gst/cl/cl.h>

static GstClContext *
lend (cl_device_id device, GError **error)
{
  cl_int status;
  cl_context context = clCreateContext (NULL, 1, &device, NULL, NULL, &status);
  if (status != CL_SUCCESS) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, "clCreateContext gives %d", status);
    return NULL;
  }
  GstClContext *lent = gst_cl_context_new_wrapped (context, device, error);
  clReleaseContext (context); /* the wrapped context has its own reference */
  return lent;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs (1, &platform, NULL) != CL_SUCCESS
      || clGetDeviceIDs (platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    g_printerr ("there is no OpenCL device\n");
    return 77;
  }
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClContext) lent = lend (device, &error);
  if (!lent) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  g_autoptr (GstElement) pipeline = gst_parse_launch ("videotestsrc num-buffers=5 ! clmedian name=filter ! fakesink", NULL);
  g_autoptr (GstContext) context = gst_cl_context_to_gst_context (lent);
  gst_element_set_context (pipeline, context);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) end = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_autoptr (GstElement) filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  g_autoptr (GstStructure) stats = NULL;
  g_object_get (filter, "stats", &stats, NULL);
  g_print ("lent %s; filtered on %s\n", gst_cl_context_get_device_name (lent), gst_structure_get_string (stats, "device"));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return GST_MESSAGE_TYPE (end) == GST_MESSAGE_EOS ? 0 : 1;
}

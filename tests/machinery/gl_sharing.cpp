/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sharing between OpenCL and GL, with the layer of tests/machinery/layer: nothing is copied or created twice, acquire commands, drivers
 * with missing features, and failures during a stream. The layer aborts if a rule is broken. */
#include "gl/interop.hpp"
#include "gl/thread.hpp"

#include "../elements/gl_context.hpp"
#include "../elements/layer.hpp"
#include "../elements/pipeline.hpp"
#include "shared_memory.hpp"

namespace test::gl_sharing_suite {

static Tests tests;

static const char source[] = "video/x-raw,format=RGBA,width=33,height=17,framerate=30/1";

/* How many bytes an element has moved through the host. */
static guint64
host_bytes (GstElement *element)
{
  return stat (element, "bytes-uploaded") + stat (element, "bytes-downloaded");
}

static guint64
driver_host_bytes ()
{
  return layer_count ("host-read-bytes") + layer_count ("host-write-bytes") + layer_count ("host-map-bytes");
}

/* Textures keep their images, so there are as many as buffers in the pools, however long the stream is; one command acquires
 * input and output; and nothing passes through the host. */
TEST (steady_state, 3)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY16_LE};
  constexpr int count = 60;
  Case c = median_case (33, 17, formats[__i__]);
  const guint64 planes = c.format == GST_VIDEO_FORMAT_NV12 ? 2 : 1;
  Link link = open (c);
  GstElement *element = link.element ("clmedian");
  filter_and_check (c, link, 0, "the first frame");
  const guint64 moved = driver_host_bytes (), acquires = layer_count ("acquires");
  for (int i = 1; i < count; i++)
    filter_and_check (c, link, i, "a later frame");
  const guint64 misses = stat (element, "gl-image-misses");
  test_check (misses <= 12 * planes, "%d images were made for %d frames", (int) misses, count);
  ck_assert_uint_eq (stat (element, "gl-image-hits"), 2 * planes * count - misses);
  ck_assert_uint_eq (layer_count ("acquires"), acquires + count - 1);
  ck_assert_uint_eq (layer_count ("releases"), layer_count ("acquires"));
  ck_assert_uint_eq (host_bytes (element), 0);
  ck_assert_uint_eq (stat (element, "staged-frames"), 0);
  ck_assert_uint_eq (driver_host_bytes (), moved);
}

static guint64
frames_of (GstElement *element)
{
  return stat (element, "frames");
}

/* A chain acquires textures with one command at its GL input, and releases them with one at its GL output. */
TEST (chain_acquires_once)
{
  Pipeline pipeline (std::string ("videotestsrc num-buffers=30 ! ") + source + " ! glupload ! clmedian name=a ! "
                     + "clconvolve name=b preset=edge ! clbilateral name=c radius=1 ! " + gl_memory
                     + " ! gldownload ! fakesink");
  pipeline.must_reach (GST_STATE_PAUSED);
  const guint64 done = frames_of (pipeline.element ("c"));
  const guint64 before = layer_count ("acquired-objects");
  const guint64 acquires_before = layer_count ("acquires"), releases_before = layer_count ("releases");
  pipeline.play_to_end ();
  /* one texture at the start and one at the end of each frame; some were under way when the count began */
  const guint64 objects = layer_count ("acquired-objects") - before, frames = frames_of (pipeline.element ("c")) - done;
  test_check (
      objects >= 2 * frames - 4 && objects <= 2 * frames + 4, "%d objects acquired for %d frames", (int) objects, (int) frames);
  for (const guint64 commands : {layer_count ("acquires") - acquires_before, layer_count ("releases") - releases_before})
    test_check (commands >= frames - 4 && commands <= frames + 4, "%d acquires or releases for %d frames", (int) commands,
        (int) frames);
  for (const char *name : {"a", "b", "c"})
    test_check (host_bytes (pipeline.element (name)) == 0, "%s copies through the host", name);
}

/* Elements that exchange frames use one OpenCL context, wherever the GL memory is: frames between them are never copied, except
 * the first ones if GL is downstream of elements that began without it. */
TEST (one_context, 4)
{
  static const char *lines[] = {"glupload ! clmedian name=a ! %s ! clconvolve name=b preset=edge ! %s ! gldownload",
      "clmedian name=a ! %s ! clconvolve name=b preset=edge ! %s ! gldownload",
      "clupload ! clmedian name=a ! %s ! clconvolve name=b preset=edge ! %s ! gldownload",
      "glupload ! clmedian name=a ! %s ! clconvolve name=b preset=edge ! %s"};
  static const char cl_memory[] = "video/x-raw(memory:OpenCLMemory)";
  std::string line = lines[__i__];
  line.replace (line.find ("%s"), 2, cl_memory);
  line.replace (line.find ("%s"), 2, __i__ == 3 ? "video/x-raw" : gl_memory);
  if (__i__ == 3)
    line.replace (line.rfind (" ! "), std::string::npos, "");
  Link link (line, source);
  Random random (1);
  const Own caps = gst_caps_from_string (source);
  guint64 bytes[2] = {0, 0};
  const char *names[] = {"clmedian", "clconvolve"};
  for (int i = 0; i < 12; i++) {
    const ref::Picture in = make_picture (GST_VIDEO_FORMAT_RGBA, 33, 17, Content::Noise, random);
    gst_buffer_unref (link.filter (to_buffer (in, Storage::Tight, caps)));
    if (i == 1)
      for (int k = 0; k < 2; k++)
        bytes[k] = host_bytes (link.element (names[k]));
  }
  for (int k = 0; k < 2; k++)
    test_check (host_bytes (link.element (names[k])) == bytes[k] || (__i__ == 3 && k == 1),
        "\"%s\": %s copied %d bytes after the second frame", line.c_str (), names[k],
        (int) (host_bytes (link.element (names[k])) - bytes[k]));
  if (__i__ == 0)
    ck_assert_uint_eq (bytes[0] + bytes[1], 0);
  ck_assert_uint_eq (layer_count ("violations"), 0);
}

/* Streams that restart with the same textures leave no images or contexts behind. */
TEST (nothing_left_by_restarts)
{
  const Case c = median_case (33, 17);
  guint64 alive[2] = {0, 0};
  for (int round = 0; round < 6; round++) {
    {
      Link link = open (c);
      for (int i = 0; i < 4; i++)
        filter_and_check (c, link, i, "a frame");
    }
    const guint64 objects = layer_count ("textures-created") - layer_count ("textures-released");
    if (round == 1)
      alive[0] = objects;
    alive[1] = objects;
  }
  test_check (
      alive[1] <= alive[0], "%d images of textures live after two streams, %d after six", (int) alive[0], (int) alive[1]);
}

/* Drivers with missing features: frames are correct, and the best remaining path is used. */
TEST (personalities, 13, 3)
{
  static const struct {
    const char *mode;
    GstVideoFormat format;
    const char *path;
  } drivers[] = {{"nogl_event", GST_VIDEO_FORMAT_RGBA, "gl-shared"}, {"nogl_event", GST_VIDEO_FORMAT_NV12, "gl-shared"},
      {"unlisted", GST_VIDEO_FORMAT_RGBA, "gl-shared"}, {"bgra", GST_VIDEO_FORMAT_RGBA, "gl-shared"},
      {"bgra", GST_VIDEO_FORMAT_ARGB, "gl-shared"}, {"slow", GST_VIDEO_FORMAT_NV12, "gl-shared"},
      {"no_r8", GST_VIDEO_FORMAT_RGBA, "gl-shared"}, {"no_r8", GST_VIDEO_FORMAT_NV12, "gl-staged"},
      {"no_r8", GST_VIDEO_FORMAT_GRAY8, "gl-staged"}, {"glx_only", GST_VIDEO_FORMAT_RGBA, "gl-staged"},
      {"accept_but_fail", GST_VIDEO_FORMAT_RGBA, "gl-staged"}, {"corrupt", GST_VIDEO_FORMAT_RGBA, "gl-staged"},
      {"no_sharing", GST_VIDEO_FORMAT_RGBA, "gl-staged"}};
  const auto &driver = drivers[__i__];
  g_setenv ("CL_GL_LAYER_MODE", driver.mode, TRUE);
  g_setenv ("GST_CL_TEST_GL", driver.path, TRUE);
  Case c = median_case (33, 17, driver.format);
  {
    Link link = open (c);
    for (int i = 0; i < 6; i++)
      filter_and_check (c, link, i, std::string ("a driver with ") + driver.mode);
    check_path (c, link);
    ck_assert_int_eq (count_warnings (link.bus ()), g_str_equal (driver.path, "gl-staged"));
    fail_unless (link.errors ().empty ());
  }
}

/* Methods that are impossible, and the missing feature for each. */
TEST (refusals, 7)
{
  static const struct {
    const char *mode, *interop;
    const char *words[3];
  } refused[] = {{"no_sharing", "require", {"cl_khr_gl_sharing", "cl_khr_external_memory_opaque_fd", "cl-info --gl"}},
      {"no_sharing", "sharing", {"cl_khr_gl_sharing", "interop=auto", "cl-info --gl"}},
      {"", "external", {"cl_khr_external_memory_opaque_fd", "interop=auto", "cl-info --gl"}},
      {"glx_only", "sharing", {"cl_khr_gl_sharing", "interop=auto", "GL context"}},
      {"glx_only", "require", {"cl_khr_external_memory_opaque_fd", "GL context", "cl-info --gl"}},
      {"accept_but_fail", "require", {"cl_khr_external_memory_opaque_fd", "clCreateFromGLTexture", "cl-info --gl"}},
      {"corrupt", "require", {"wrong bytes", "test picture", "cl_khr_external_memory_opaque_fd"}}};
  const auto &r = refused[__i__];
  g_setenv ("CL_GL_LAYER_MODE", r.mode, TRUE);
  Pipeline pipeline (std::string ("videotestsrc num-buffers=5 ! ") + source
                     + " ! glupload ! clmedian name=f interop=" + r.interop + " ! " + gl_memory + " ! gldownload ! fakesink");
  expect_one_error (
      pipeline.play_to_error ("f"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {r.words[0], r.words[1], r.words[2]});
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
  gst_util_set_object_arg (G_OBJECT (pipeline.element ("f")), "interop", "auto");
  pipeline.play_to_end ();
}

/* One failing acquire is repaired: no frame is lost, no error is posted. */
TEST (one_failure, 3)
{
  /* after the trial, but before the last frame */
  g_setenv ("CL_GL_LAYER_MODE", test::format ("fail_at=%d", 14 + __i__).c_str (), TRUE);
  const Case c = median_case (33, 17);
  Link link = open (c);
  for (int i = 0; i < 12; i++)
    filter_and_check (c, link, i, "with one failed acquire");
  check_path (c, link);
  test_check (layer_count ("acquires") > 18, "only %d acquires: the failure was not reached", (int) layer_count ("acquires"));
  fail_unless (link.errors ().empty ());
}

/* A failure in the trial only rules out this method, and does not end the stream. */
TEST (failure_in_the_trial)
{
  g_setenv ("CL_GL_LAYER_MODE", "fail_at=1", TRUE);
  g_setenv ("GST_CL_TEST_GL", "gl-staged", TRUE);
  const Case c = median_case (33, 17);
  Link link = open (c);
  for (int i = 0; i < 3; i++)
    filter_and_check (c, link, i, "after a failed trial");
  check_path (c, link);
}

/* After a tee: an element that releases a texture waits for the other's commands, which may be in another queue. */
TEST (release_waits_for_all_readers)
{
  const Case c = median_case (33, 17);
  const Link link = open (c);
  const Own buffer = make_buffer (c, noise_for (c, 1), Storage::Tight);
  GstGLContext *gl = reinterpret_cast<GstGLBaseMemory *> (gst_buffer_peek_memory (buffer, 0))->context;
  GstVideoInfo info;
  gst_video_info_set_format (&info, c.format, c.width, c.height);
  const gst::cl::ContextRef any (gst_cl_context_new (nullptr, nullptr));
  const auto way = gst::cl::make_gl_link (gst::cl::GlPath::shared, any, gst::cl::GlContextRef::retain (gl), info);
  gst::cl::Context &context = gst::cl::Context::of (way->context.get ());
  cl::UserEvent gate (context.handle);
  cl_int early = CL_COMPLETE;
  way->visit ([&] {
    gst::cl::Frame frame = way->read (buffer);
    gst::cl::Frame *frames[] = {&frame};
    std::vector<cl::Event> wait;
    for (const cl::CommandQueue *queue : {&context.compute, &context.profiled})
      way->acquire (frames, (*queue) (), wait);
    const std::vector<cl::Event> closed{gate};
    context.compute.enqueueBarrierWithWaitList (&closed);
    way->release (frames, context.compute ());
    const cl::Event released = way->release (frames, context.profiled ());
    g_usleep (50000);
    early = released.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS> ();
    gate.setStatus (CL_COMPLETE);
    released.wait ();
  });
  test_check (early > CL_COMPLETE, "GL may have the texture while a reader's commands wait");
}

static int
start (const Arguments &)
{
  if (!has_layer ()) {
    g_print ("gl-sharing: skipped, OPENCL_LAYERS does not name cl-gl-layer\n");
    return skipped;
  }
  g_setenv ("GST_CL_TEST_GL", "gl-shared", TRUE);
  return run ("gl-sharing", Needs::GL, tests);
}

static const Program main_program ("gl-sharing", "", start);

}  // namespace test::gl_sharing_suite

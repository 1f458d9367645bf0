/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames in dma-bufs, with the emulated kernel and driver of tests/machinery/layer. $GST_CL_TEST_DMABUF is the expected path of frames:
 * "dmabuf", or "dmabuf-staged" if the driver does not support it, or falsely claims to. Broken rules end the program. */
#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gst/allocators/gstdmabuf.h>

#include "../elements/layer.hpp"
#include "../elements/pipeline.hpp"
#include "layer/emulateddmabuf.hpp"
#include "shared_memory.hpp"

namespace test::dmabuf_suite {

static Tests tests ("dmabuf", Needs::Device);

static const std::string dmabuf_feature = "(memory:DMABuf)";

static std::string
expected_path ()
{
  return g_getenv ("GST_CL_TEST_DMABUF") ?: "dmabuf";
}

static bool
is_direct ()
{
  return expected_path () == "dmabuf";
}

static std::string
in_dmabuf (const std::string &caps)
{
  return "video/x-raw" + dmabuf_feature + caps.substr (strlen ("video/x-raw"));
}

/* The same bytes and metas in a new dma-buf, or in that of fd, which the caller keeps. */
static GstBuffer *
to_dmabuf (GstBuffer *from, int fd = -1)
{
  const gsize size = gst_buffer_get_size (from);
  const Own allocator = gst_dmabuf_allocator_new ();
  const int own = fd < 0 ? emulated_dmabuf_new (size) : dup (fd);
  void *const bytes = mmap (nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, own, 0);
  test_check (bytes != MAP_FAILED, "no memory for a dma-buf");
  gst_buffer_extract (from, 0, bytes, size);
  munmap (bytes, size);
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, gst_dmabuf_allocator_alloc (allocator, own, size));
  gst_buffer_copy_into (buffer, from, GstBufferCopyFlags (GST_BUFFER_COPY_METADATA), 0, gsize (-1));
  /* gst_buffer_copy_into() does not copy it without the memory */
  GstVideoMeta *meta = gst_buffer_get_video_meta (from);
  if (meta && !gst_buffer_get_video_meta (buffer))
    gst_buffer_add_video_meta_full (
        buffer, meta->flags, meta->format, meta->width, meta->height, meta->n_planes, meta->offset, meta->stride);
  gst_buffer_unref (from);
  return buffer;
}

static GstBuffer *
dmabuf_frame (const Case &c, const ref::Picture &picture, Storage storage, int fd = -1)
{
  return to_dmabuf (make_buffer (c, picture, storage), fd);
}

static Case
case_of (GstVideoFormat format, int width = 33, int height = 17)
{
  return median_case (width, height, format);
}

static void
filter_dmabuf (const Case &c, Link &link, unsigned number, Storage storage, const std::string &what)
{
  const ref::Picture in = noise_for (c, number);
  filter_and_check (c, link, in, dmabuf_frame (c, in, storage), what);
}

static void
expect_path (Link &link)
{
  const std::string path = stat_text (link.element ("clmedian"), "path");
  test_check (path == expected_path (), "the path is \"%s\", not \"%s\"", path.c_str (), expected_path ().c_str ());
  if (is_direct () && has_layer ()) {
    ck_assert_uint_eq (stat (link.element ("clmedian"), "bytes-uploaded"), 0);
    ck_assert_uint_eq (stat (link.element ("clmedian"), "staged-frames"), 0);
  }
}

static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY8};

/* In dma-buf caps with a video format, and with a DRM format. */
TEST (frames, 6)
{
  static const char *const drm[] = {"AB24", "NV12", nullptr};
  const Case c = case_of (formats[__i__ % 3]);
  std::string caps = in_dmabuf (caps_of (c));
  if (__i__ >= 3) {
    const std::string name = gst_video_format_to_string (c.format);
    if (!drm[__i__ % 3])
      return; /* DRM's grey is newer than GStreamer's names */
    caps.replace (caps.find ("format=" + name), strlen ("format=") + name.size (),
        std::string ("format=DMA_DRM,drm-format=") + drm[__i__ % 3]);
  }
  Link link (launch_of (c), caps, caps_of (c));
  for (const Storage storage : storages)
    for (int i = 0; i < 2; i++)
      filter_dmabuf (c, link, 2 * (unsigned) storage + i, storage, caps + ", " + name_of (storage));
  expect_path (link);
  fail_unless (link.errors ().empty ());
  /* a frame that a CPU reads through its mapping is released a little later */
  for (int i = 0; i < 100 && emulated_dmabuf_host_accesses () > 0; i++)
    g_usleep (20000);
  ck_assert_int_eq (emulated_dmabuf_host_accesses (), 0);
}

/* Frames of a camera whose caps do not mention dma-bufs. */
TEST (unnamed)
{
  const Case c = case_of (GST_VIDEO_FORMAT_NV12);
  Link link (launch_of (c), caps_of (c));
  for (int i = 0; i < 4; i++)
    filter_dmabuf (c, link, i, Storage::Padded, "system memory's caps");
  if (is_direct ())
    expect_path (link);
  /* with other frames in between */
  for (int i = 0; i < 4; i++)
    filter_and_check (c, link, 10 + i, "after dma-bufs");
  ck_assert_int_eq (count_warnings (link.bus ()), 0);
}

/* Caps with an unknown modifier are refused, and other caps are accepted afterwards. */
TEST (unknown_modifier)
{
  const Case c = case_of (GST_VIDEO_FORMAT_NV12);
  const Own element = gst_element_factory_make ("clmedian", nullptr);
  const Own pad = gst_element_get_static_pad (element, "sink");
  const auto takes = [&] (const char *format) {
    const Own caps = gst_caps_from_string (
        test::format ("video/x-raw(memory:DMABuf),%s,width=32,height=16,framerate=30/1", format).c_str ());
    return gst_pad_query_accept_caps (pad, caps);
  };
  test_check (takes ("format=NV12") && takes ("format=DMA_DRM,drm-format=NV12"), "linear NV12 is refused");
  test_check (!takes ("format=DMA_DRM,drm-format=(string)NV12:0x0100000000000002"), "a tiled NV12 is accepted");
  test_check (!takes ("format=DMA_DRM,drm-format=XXXX"), "an unknown DRM format is accepted");
}

/* Results in dma-bufs, for input in each kind of memory. */
TEST (results, 6)
{
  const Case c = case_of (formats[__i__ % 3]);
  const bool from_dmabuf = __i__ >= 3;
  emulated_dmabuf_set_heap (G_MAXINT);
  {
    Link link (launch_of (c), from_dmabuf ? in_dmabuf (caps_of (c)) : caps_of (c), in_dmabuf (caps_of (c)));
    for (int i = 0; i < 6; i++) {
      const ref::Picture in = noise_for (c, i);
      const Own result =
          link.filter (from_dmabuf ? dmabuf_frame (c, in, Storage::Padded) : make_buffer (c, in, Storage::Padded));
      test_check (gst_is_dmabuf_memory (gst_buffer_peek_memory (result, 0)), "the result is no dma-buf");
      check_result (c, in, result, "a result in a dma-buf");
    }
    if (is_direct ())
      ck_assert_str_eq (stat_text (link.element ("clmedian"), "path").c_str (), "dmabuf");
  }
  emulated_dmabuf_set_heap (0);
}

/* Without a dma-buf heap, caps that need one give an error with the reason, and other caps are chosen if possible. */
TEST (no_heap)
{
  emulated_dmabuf_set_heap (0);
  const char *const source = "videotestsrc num-buffers=3 ! video/x-raw,format=NV12,width=32,height=16 ! clmedian name=f ! ";
  Pipeline pipeline (std::string (source) + "video/x-raw(memory:DMABuf) ! fakesink");
  expect_one_error (
      pipeline.play_to_error ("f"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {"/dev/dma_heap/system", "/dev/udmabuf"});
  const Case c = case_of (GST_VIDEO_FORMAT_NV12);
  Link link (launch_of (c), in_dmabuf (caps_of (c)), "video/x-raw(memory:DMABuf);video/x-raw");
  filter_dmabuf (c, link, 1, Storage::Padded, "system memory, because there is no other");
}

/* The bytes arrive after the buffer, as from hardware; its fence tells when. */
TEST (late_writer, 2)
{
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 64, 48);
  Link link (launch_of (c), __i__ ? caps_of (c) : in_dmabuf (caps_of (c)), caps_of (c));
  filter_dmabuf (c, link, 99, Storage::Tight, "before");
  for (int i = 0; i < 5; i++) {
    const ref::Picture in = noise_for (c, i);
    const Own source = make_buffer (c, in, Storage::Tight);
    const gsize size = gst_buffer_get_size (source);
    const int fd = emulated_dmabuf_new (size);
    GstBuffer *blank = gst_buffer_copy_deep (source);
    gst_buffer_memset (blank, 0, 0x55, size);
    GstBuffer *buffer = to_dmabuf (blank, fd);
    emulated_dmabuf_begin_write (fd);
    std::thread hardware ([&] {
      g_usleep (20000);
      void *const bytes = mmap (nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      gst_buffer_extract (source, 0, bytes, size);
      munmap (bytes, size);
      emulated_dmabuf_end_write (fd);
    });
    const Own result = link.filter (buffer);
    hardware.join ();
    check_result (c, in, result, "a frame that was late");
    close (fd);
  }
}

/* Open descriptors of files whose names begin like this. */
static int
open_descriptors (const std::string &name = "")
{
  int count = 0;
  DIR *folder = opendir ("/proc/self/fd");
  while (const dirent *entry = readdir (folder)) {
    char target[256] = {};
    if (entry->d_name[0] != '.' && readlinkat (dirfd (folder), entry->d_name, target, sizeof target - 1) > 0)
      count += std::string (target).starts_with (name);
  }
  closedir (folder);
  return count;
}

/* The heap is exhausted before the last frame at the start of a stream: one error, and earlier frames are freed. */
TEST (heap_runs_out, 2)
{
  emulated_dmabuf_set_heap (1 + __i__);
  {
    Pipeline pipeline ("videotestsrc num-buffers=3 ! video/x-raw,format=NV12,width=32,height=16 ! clmedian name=f ! "
                       "video/x-raw(memory:DMABuf) ! fakesink");
    expect_one_error (pipeline.play_to_error ("f"), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {"/dev/dma_heap/system"});
  }
  emulated_dmabuf_set_heap (0);
  ck_assert_int_eq (open_descriptors ("/memfd:emulated-dmabuf"), 0);
}

/* Each frame is in a new dma-buf, and nothing of it remains. */
TEST (no_leaks)
{
  const int count = takes_all () ? 100000 : 2000;
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 16, 8);
  const ref::Picture in = noise_for (c, 1);
  int before = 0;
  {
    Link link (launch_of (c), in_dmabuf (caps_of (c)), caps_of (c));
    const Own frame = make_buffer (c, in, Storage::Tight);
    for (int i = 0; i < count + 20; i++) {
      if (i == 20)
        before = open_descriptors ();
      const Own result = link.filter (to_dmabuf (gst_buffer_ref (frame)));
      if (i % 1000 == 0)
        check_result (c, in, result, "one of many frames");
    }
    expect_path (link);
    gst_element_set_state (link.element ("clmedian"), GST_STATE_NULL);
  }
  if (is_direct ()) {
    ck_assert_uint_ge (layer_count ("dmabufs-imported"), (guint64) count);
    /* a thread releases the last frames, once the device has finished with them */
    const gint64 end = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;
    while (layer_count ("dmabufs-released") < layer_count ("dmabufs-imported") && g_get_monotonic_time () < end)
      g_usleep (1000);
    ck_assert_uint_eq (layer_count ("dmabufs-imported"), layer_count ("dmabufs-released"));
  }
  const int after = open_descriptors ();
  test_check (after <= before + 4, "%d descriptors are open after %d frames, %d were before", after, count, before);
}

/* The few buffers of a pool are imported once each, although every frame has a new GstMemory, and the last frames are kept. */
TEST (one_import)
{
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8);
  Link link (launch_of (c), in_dmabuf (caps_of (c)), caps_of (c));
  int pool[3];
  GstBuffer *kept[3] = {};
  for (int &fd : pool)
    fd = emulated_dmabuf_new (33 * 20);
  const guint64 imported = layer_count ("dmabufs-imported");
  for (int i = 0; i < 30; i++) {
    const ref::Picture in = noise_for (c, i);
    GstBuffer *buffer = dmabuf_frame (c, in, Storage::Tight, pool[i % 3]);
    filter_and_check (c, link, in, gst_buffer_ref (buffer), "a pool's frame");
    std::swap (kept[i % 3], buffer);
    gst_clear_buffer (&buffer);
  }
  if (is_direct ())
    ck_assert_uint_eq (layer_count ("dmabufs-imported") - imported, 3);
  for (int i = 0; i < 3; i++) {
    gst_buffer_unref (kept[i]);
    close (pool[i]);
  }
}

TEST (two_readers)
{
  const Case c = case_of (GST_VIDEO_FORMAT_RGBA, 67, 41);
  Link first (launch_of (c), in_dmabuf (caps_of (c)), caps_of (c)),
      second (launch_of (c), in_dmabuf (caps_of (c)), caps_of (c));
  check_two_readers (c, first, second, [&] (const ref::Picture &in) { return dmabuf_frame (c, in, Storage::Padded); });
}

/* A closed descriptor gives an error, or the earlier bytes; later frames are filtered. */
TEST (closed_early)
{
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8);
  for (int again = 0; again < 2; again++) {
    Link link (launch_of (c), in_dmabuf (caps_of (c)), caps_of (c));
    filter_dmabuf (c, link, 1, Storage::Tight, "before");
    const Own buffer = dmabuf_frame (c, noise_for (c, 2), Storage::Tight);
    const int fd = gst_dmabuf_memory_get_fd (gst_buffer_peek_memory (buffer, 0));
    const int spare = dup (fd);
    close (fd);
    ck_assert_int_eq (link.push (gst_buffer_ref (buffer)), GST_FLOW_ERROR);
    expect_one_error (link.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, {"frame"});
    dup2 (spare, fd); /* the memory closes it */
    close (spare);
  }
}

/* Frames larger than their dma-buf. */
TEST (too_small)
{
  const Case c = case_of (GST_VIDEO_FORMAT_GRAY8, 64, 48);
  Link link (launch_of (c), in_dmabuf (caps_of (c)), caps_of (c));
  GstBuffer *small = filled (64 * 20, 7);
  ck_assert_int_eq (link.push (to_dmabuf (small)), GST_FLOW_ERROR);
  expect_one_error (link.errors (), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"does not fit"});
}

/* The property interop, by its name and by its old name. */
TEST (interop, 2)
{
  static const char *const names[] = {"interop", "gl-interop"};
  const Case c = case_of (GST_VIDEO_FORMAT_RGBA);
  Link link (launch_of (c), in_dmabuf (caps_of (c)), caps_of (c));
  unsigned number = 0;
  for (const char *way : {"auto", "staged", is_direct () ? "dmabuf" : "auto", "sharing"}) {
    link.set ("clmedian", names[__i__], way);
    for (int i = 0; i < 2; i++)
      filter_dmabuf (c, link, number++, Storage::Padded, std::string (names[__i__]) + "=" + way);
    const std::string path = stat_text (link.element ("clmedian"), "path");
    const std::string expected = g_str_equal (way, "staged") ? "dmabuf-staged" : expected_path ();
    test_check (path == expected, "%s=%s: the path is \"%s\", not \"%s\"", names[__i__], way, path.c_str (), expected.c_str ());
  }
  if (is_direct ())
    return;
  link.set ("clmedian", names[__i__], "dmabuf");
  ck_assert_int_lt (link.push (dmabuf_frame (c, noise_for (c, 1), Storage::Padded)), GST_FLOW_OK);
  expect_one_error (
      link.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {"DMABuf", "interop=auto", "cl-info --video"});
}

/* If the host must copy, one warning gives the reason, and interop=require is an error. Here the device has its own memory. */
TEST (one_warning, g_getenv ("GST_CL_HOST_MEMORY") != nullptr)
{
  const Case c = case_of (GST_VIDEO_FORMAT_RGBA);
  Link link (launch_of (c), in_dmabuf (caps_of (c)), caps_of (c));
  for (int i = 0; i < 4; i++)
    filter_dmabuf (c, link, i, Storage::Padded, "copied");
  ck_assert_int_eq (count_warnings (link.bus ()), is_direct () ? 0 : 1);
  Link strict (launch_of (c) + " interop=require", in_dmabuf (caps_of (c)), caps_of (c));
  ck_assert_int_eq (strict.push (dmabuf_frame (c, noise_for (c, 1), Storage::Padded)) == GST_FLOW_OK, is_direct ());
}

}  // namespace test::dmabuf_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each element gives frames in the default layout of their caps to an element that takes no GstVideoMeta, whatever the layout
 * of the input. Each element with kernels reports their times. */
#include <map>

#include "../elements/inputs.hpp"
#include "element_lines.hpp"

namespace test::outputs_suite {

static Tests tests ("outputs", Needs::DeviceOrGL);

static constexpr GstVideoFormat formats[] = {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGB};
static constexpr int width = 33, height = 19;

/* Settings in place of those of an element's work: cheap ones, and such as keep size and times. */
static const std::map<std::string, std::string> settings = {{"clbilateral", "clbilateral radius=1"},
    {"clchain", "clchain filters=\"cllevels gamma=2\""}, {"clcompositor", "clcompositor"},
    {"cldeinterlace", "cldeinterlace mode=always fields=top"}, {"clflip", "clflip video-direction=180"},
    {"clnlmeans", "clnlmeans patch-radius=1 search-radius=2"},
    {"clprogram", "clprogram source=\"kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (VAL / 2); }\""}};

static bool
has_property (const std::string &element, const char *property)
{
  const Own made = gst_element_factory_make (element.c_str (), nullptr);
  test_check (made, "no element %s", element.c_str ());
  return g_object_class_find_property (G_OBJECT_GET_CLASS (made), property);
}

static bool
takes (const std::string &element, GstVideoFormat id)
{
  const Own made = gst_element_factory_make (element.c_str (), nullptr);
  const Own caps = gst_caps_from_string (raw_caps (id, width, height).c_str ());
  return gst_element_factory_can_sink_any_caps (gst_element_get_factory (made), caps);
}

static GstVideoFormat
usual_format (const std::string &element)
{
  return *std::ranges::find_if (formats, [&] (GstVideoFormat id) { return takes (element, id); });
}

/* The nicks of an enum property; empty if the element has no such property. */
static std::vector<std::string>
choices (const std::string &element, const char *property)
{
  std::vector<std::string> nicks;
  const Own made = gst_element_factory_make (element.c_str (), nullptr);
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (made), property);
  if (spec && G_IS_PARAM_SPEC_ENUM (spec))
    for (guint i = 0; i < G_PARAM_SPEC_ENUM (spec)->enum_class->n_values; i++)
      nicks.push_back (G_PARAM_SPEC_ENUM (spec)->enum_class->values[i].value_nick);
  return nicks;
}

/* Writes one frame through the element into a file, which is read in the default layout. before: elements with "! " at their
 * end. */
static ref::Picture
written (const std::string &element, const std::string &more, const ref::Picture &picture, Storage storage, bool timed = false,
    const std::string &before = "")
{
  const std::string caps = raw_caps (picture.layout->format, width, height), file = scratch_folder () + "/frame";
  const bool two = element == "clblend" || element == "clcompare";
  const auto known = settings.find (element);
  std::string line =
      (known == settings.end () ? at_work (element) : known->second) + " name=tested " + more + " ! filesink location=" + file;
  for (int i = 0; i < (two ? 2 : 1); i++)
    line += format (" appsrc name=in%d format=time caps=\"%s\" ! %stested.%s", i, caps.c_str (), before.c_str (),
        i && element == "clcompare"                         ? "reference"
        : element == "clblend" || element == "clcompositor" ? ""
                                                            : "sink");
  Pipeline pipeline (line);
  const Own parsed = gst_caps_from_string (caps.c_str ());
  for (int i = 0; i < (two ? 2 : 1); i++) {
    GstAppSrc *source = GST_APP_SRC (pipeline.element (format ("in%d", i).c_str ()));
    gst_app_src_push_buffer (source, test::timed (to_buffer (picture, storage, parsed), 0, GST_SECOND / 30));
    gst_app_src_end_of_stream (source);
  }
  pipeline.play_to_end ();
  if (timed)
    for (const char *field : {"kernel-time-ns-last", "kernel-time-ns-mean", "kernel-time-ns-max"})
      test_check (stat (pipeline.element ("tested"), field) > 0, "%s of \"%s\" is 0", field, line.c_str ());

  const std::string bytes = content_of (file);
  const gsize size = info_of (parsed).size;
  test_check (
      bytes.size () == size, "\"%s\" writes %zu bytes of %s, not %zu", line.c_str (), bytes.size (), caps.c_str (), size);
  const Own buffer = gst_buffer_new_memdup (bytes.data (), size);
  return from_buffer (buffer, parsed);
}

static ref::Picture
noise (GstVideoFormat format)
{
  return random_picture (format, width, height, 1 + format);
}

/* The same bytes for every layout. Where nothing is to be done they equal the input, in every format; filters are tested in one
 * format, because their results always come from their own pool. */
TEST (default_layout, system_only (element_names ().size ()))
{
  const std::string element = element_names ()[__i__];
  const bool filters = has_property (element, "mix");
  const GstVideoFormat worked_on = usual_format (element);
  for (const GstVideoFormat id : formats) {
    if (!takes (element, id))
      continue;
    const ref::Picture in = noise (id);
    const ref::Picture expected = filters && id != worked_on ? in : written (element, "", in, Storage::Tight);
    for (const Storage storage : {Storage::Padded, Storage::Odd, Storage::Separate}) {
      const std::string what = format ("%s, %s, %s", element.c_str (), gst_video_format_to_string (id), name_of (storage));
      if (!filters || id == worked_on)
        expect_same (written (element, "", in, storage), expected, what);
      if (filters)
        expect_same (written (element, "mix=0", in, storage), in, what + ", neutral");
    }
  }
}

/* A stream of one frame, and each method. */
TEST (kernel_times, system_only (element_names ().size ()))
{
  const std::string element = element_names ()[__i__];
  if (!has_property (element, "profile") || element == "clconvert" || element == "clframerate"
      || element == "cltonemap") /* its frames pass if the caps are equal */
    return;
  const ref::Picture in = noise (usual_format (element));
  std::vector<std::string> methods = choices (element, "method");
  if (methods.empty ())
    written (element, "profile=true", in, Storage::Tight, true);
  std::erase (methods, "weave"); /* for cldeinterlace without field rate: frames pass unchanged */
  for (const std::string &method : methods)
    written (element, "profile=true method=" + method, in, Storage::Tight, true);
}

/* A buffer of the element's proposed pool, with planes directly after each other. */
static GstBuffer *
packed_in_pool (Link &link, const ref::Picture &picture, GstCaps *caps)
{
  const Own query = gst_query_new_allocation (caps, TRUE);
  fail_unless (gst_pad_peer_query (link.harness ()->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, nullptr));
  GstBuffer *buffer = pool_of (query, caps).acquire ();
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  for (guint i = 1; i < meta->n_planes; i++)
    meta->offset[i] = meta->offset[i - 1] + meta->stride[i - 1] * picture.components[i - 1].height;
  write_picture (buffer, picture, caps);
  return buffer;
}

TEST (download_of_another_layout, system_only (1))
{
  for (const GstVideoFormat id : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12}) {
    const ref::Picture in = noise (id);
    const std::string raw = raw_caps (id, width, height),
                      on_device = "video/x-raw(memory:OpenCLMemory)" + raw.substr (strlen ("video/x-raw"));
    const Own caps = gst_caps_from_string (raw.c_str ()), device_caps = gst_caps_from_string (on_device.c_str ());
    Link link ("cldownload", on_device, raw);
    for (int i = 0; i < 3; i++) {
      const Own out = gst_buffer_make_writable (link.filter (packed_in_pool (link, in, device_caps)));
      if (GstVideoMeta *meta = gst_buffer_get_video_meta (out)) /* the harness did not ask for it */
        gst_buffer_remove_meta (out, &meta->meta);
      expect_same (from_buffer (out, caps), in, gst_video_format_to_string (id));
    }
  }
}

/* The element keeps its context, and everything that depends on it, for frames of others that share OpenCL's context. */
TEST (shared_contexts, system_only (1))
{
  const ref::Picture in = noise (GST_VIDEO_FORMAT_GRAY8);
  const std::string raw = raw_caps (GST_VIDEO_FORMAT_GRAY8, width, height),
                    on_device = "video/x-raw(memory:OpenCLMemory)" + raw.substr (strlen ("video/x-raw"));
  const Own caps = gst_caps_from_string (on_device.c_str ());
  Link link ("clmedian", on_device);
  for (int i = 0; i < 3; i++) {
    const Own context = gst_cl_context_new (nullptr, nullptr);
    Pool pool (gst_cl_buffer_pool_new (context), caps, width * height);
    GstBuffer *buffer = pool.acquire ();
    write_picture (buffer, in, caps);
    gst_buffer_unref (link.filter (buffer));
  }
  ck_assert_uint_eq (stat (link.element ("clmedian"), "frames"), 3);
}

/* If downstream takes GstVideoMeta, the same buffer passes; downstream may change while frames pass. */
TEST (downstream_changes, system_only (3))
{
  static const char *const passing[] = {
      "clmedian mix=0", "clhistogram post-messages=false", "cltemporal strength=0 method=recursive"};
  const char *launch = passing[__i__];
  const ref::Picture in = noise (GST_VIDEO_FORMAT_I420);
  const std::string raw = raw_caps (GST_VIDEO_FORMAT_I420, width, height);
  Link link (launch, raw);
  for (const bool takes_meta : {false, true}) {
    if (takes_meta) {
      gst_harness_add_propose_allocation_meta (link.harness (), GST_VIDEO_META_API_TYPE, nullptr);
      fail_unless (gst_harness_push_upstream_event (link.harness (), gst_event_new_reconfigure ()));
    }
    for (int i = 0; i < 3; i++) {
      const Own buffer = to_buffer (in, Storage::Padded, raw), out = link.filter (gst_buffer_ref (buffer));
      test_check ((out == buffer) == takes_meta, "%s: frame %d %s", launch, i, takes_meta ? "is a copy" : "is not copied");
      test_check (takes_meta || !gst_buffer_get_video_meta (out), "%s: the copy has a GstVideoMeta", launch);
      expect_same (from_buffer (out, raw), in, launch);
    }
  }
}

/* Downstream without GstVideoMeta gets the part of a larger picture that the caps describe. */
TEST (part_of_picture, system_only (1))
{
  const ref::Picture in = noise (GST_VIDEO_FORMAT_I420);
  Link link ("clmedian mix=0", raw_caps (GST_VIDEO_FORMAT_I420, width / 2, height / 2));
  GstBuffer *whole = to_buffer (in, Storage::Tight, raw_caps (GST_VIDEO_FORMAT_I420, width, height));
  if (!gst_buffer_get_video_meta (whole))
    gst_buffer_add_video_meta (whole, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420, width, height);
  const Own out = link.filter (whole);
  test_check (!gst_buffer_get_video_meta (out), "the frame passes with its GstVideoMeta");
  const ref::Picture part = from_buffer (out, raw_caps (GST_VIDEO_FORMAT_I420, width / 2, height / 2));
  for (size_t i = 0; i < part.components.size (); i++)
    ck_assert_int_eq (part.components[i].at (1, 2), in.components[i].at (1, 2));
}

/* GL memory is not chosen by itself, even if the device can use textures. */
TEST (download_to_anything)
{
  const ref::Picture in = noise (GST_VIDEO_FORMAT_NV12);
  const std::string before = "clupload ! video/x-raw(memory:OpenCLMemory) ! ";
  expect_same (written ("cldownload", "", in, Storage::Tight, false, before), in, "cldownload");
}

/* Payloaders and adapters cut frames. A part can be changed without changing the frame, and outlives its buffer. */
TEST (parts, system_only (1))
{
  const std::string caps = raw_caps (GST_VIDEO_FORMAT_I420, width, height);
  Link link ("clmedian mix=0 ! clupload", caps, "video/x-raw(memory:OpenCLMemory),format=I420");
  GstBuffer *frame = link.filter (to_buffer (noise (GST_VIDEO_FORMAT_I420), Storage::Tight, caps));
  fail_unless (gst_is_cl_memory (gst_buffer_peek_memory (frame, 0)));
  std::vector<guint8> expected (gst_buffer_get_size (frame));
  gst_buffer_extract (frame, 0, expected.data (), expected.size ());
  Own rest = gst_buffer_copy_region (frame, GST_BUFFER_COPY_MEMORY, 100, -1);
  Own part = gst_buffer_copy_region (rest, GST_BUFFER_COPY_MEMORY, 20, 30);
  Own many = gst_buffer_list_new (); /* more than a memory has locks */
  for (int i = 0; i < 300; i++)
    gst_buffer_list_add (many, gst_buffer_copy_region (frame, GST_BUFFER_COPY_MEMORY, i, 1));
  gst_buffer_memset (part, 0, ~expected[120], 1);
  fail_unless (gst_buffer_memcmp (part, 1, &expected[121], 29) == 0);
  fail_unless (gst_buffer_memcmp (frame, 0, expected.data (), expected.size ()) == 0);
  fail_unless (!gst_memory_is_writable (gst_buffer_peek_memory (frame, 0)));
  gst_buffer_unref (frame);
  fail_unless (gst_buffer_memcmp (rest, 0, &expected[100], expected.size () - 100) == 0);
}

/* gst_buffer_resize() moves the beginning of a frame within its memory. */
TEST (resized, system_only (1))
{
  const std::string caps = raw_caps (GST_VIDEO_FORMAT_I420, width, height);
  const ref::Picture in = noise (GST_VIDEO_FORMAT_I420);
  Link link ("cllevels gamma=2", caps, "video/x-raw(memory:OpenCLMemory),format=I420");
  const Own expected = link.filter (to_buffer (in, Storage::Tight, caps));
  GstVideoInfo larger;
  gst_video_info_set_format (&larger, GST_VIDEO_FORMAT_I420, width, 2 * height);
  auto *const result = GST_CL_MEMORY_CAST (gst_buffer_peek_memory (expected, 0));
  GstMemory *memory = gst_cl_memory_new (gst_cl_memory_get_context (result), &larger, nullptr);
  GstBuffer *moved = gst_buffer_new ();
  gst_buffer_append_memory (moved, memory);
  gst_buffer_resize (moved, 100, gssize (info_of (caps).size));
  write_picture (moved, in, Own (gst_caps_from_string (caps.c_str ())));
  GstMapInfo map;
  fail_unless (gst_memory_map (memory, &map, GstMapFlags (int (GST_MAP_READ) | int (GST_MAP_CL))));
  fail_unless (map.data == gst_cl_memory_get_handle (GST_CL_MEMORY_CAST (memory)));
  gst_memory_unmap (memory, &map);
  const Own filtered = link.filter (moved);
  expect_same (from_buffer (filtered, caps), from_buffer (expected, caps), "a resized buffer");
}

}  // namespace test::outputs_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors for missing or broken things, after which everything works again. Called as: errors GROUP; each group is a separate
 * process, because drivers and folders are looked up once per process. */
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "../elements/filtercase.hpp"
#include "../elements/pipeline.hpp"

namespace test::errors_suite {
/* the argument: the tests that run */
static std::string group;
static Tests tests;

namespace fs = std::filesystem;

static const char *filters[] = {"clconvolve preset=edge", "clmedian", "clbilateral radius=1", "clupload", "cldownload"};
static const int filter_count = 3; /* the first ones have `stats` */

/* A pipeline around one filter, named "filter". */
static std::string
line (const char *filter, const std::string &more = "")
{
  const char *blank = strchr (filter, ' ');
  const std::string name = blank ? std::string (filter, blank) : filter;
  return "videotestsrc num-buffers=3 ! video/x-raw,format=RGBA,width=33,height=17,framerate=30/1 ! " + name + " name=filter"
         + (blank ? blank : "") + " " + more + (name == "clupload" ? " ! cldownload" : "") + " ! fakesink";
}

/* An unknown device: the error lists the devices, and then a correct name works. */
TEST (unknown_device, group == "device" ? G_N_ELEMENTS (filters) : 0)
{
  Pipeline pipeline (line (filters[__i__], "device=nonesuch"));
  fail_unless (!pipeline.reach (GST_STATE_READY));
  const std::vector<Report> errors = pipeline.errors ();
  expect_one_error (errors, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {"nonesuch"});
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);

  g_object_set (pipeline.element ("filter"), "device", "", nullptr);
  pipeline.play_to_end ();
  if (__i__ >= filter_count)
    return;
  const std::string device = stat_text (pipeline.element ("filter"), "device");
  test_check (!device.empty () && errors[0].all ().find (device) != std::string::npos,
      "the error does not list the device \"%s\": %s", device.c_str (), errors[0].all ().c_str ());
}

TEST (device_by_name, group == "device")
{
  Pipeline first (line ("clmedian"));
  first.play_to_end ();
  const std::string name = stat_text (first.element ("filter"), "device");
  for (std::string part : {name, name.substr (1, name.size () / 2), std::string ("0:0")}) {
    for (char &c : part)
      c = g_ascii_toupper (c);
    Pipeline pipeline (line ("clmedian"));
    g_object_set (pipeline.element ("filter"), "device", part.c_str (), nullptr);
    pipeline.play_to_end ();
  }
}

TEST (device_from_environment, group == "device" ? G_N_ELEMENTS (filters) : 0)
{
  g_setenv ("GST_CL_DEVICE", "nonesuch", TRUE);
  Pipeline pipeline (line (filters[__i__]));
  fail_unless (!pipeline.reach (GST_STATE_READY));
  expect_one_error (pipeline.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {"nonesuch"});
}

/* Without any OpenCL driver, elements exist, and report the missing driver at READY. */
TEST (no_driver, group == "no-driver" ? G_N_ELEMENTS (filters) : 0)
{
  Pipeline pipeline (line (filters[__i__]));
  for (int i = 0; i < 2; i++) {
    fail_unless (!pipeline.reach (GST_STATE_READY));
    expect_one_error (pipeline.errors (), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, {});
    ck_assert_int_eq (gst_element_set_state (pipeline.top (), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  }
}

/* A kernel that does not compile: one error with the compiler's message. */
TEST (broken_kernel, group == "kernels" ? filter_count : 0)
{
  Pipeline pipeline (line (filters[__i__]));
  const std::vector<Report> errors = pipeline.play_to_error ("filter");
  expect_one_error (errors, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, {"this_is_no_kernel"});
  ck_assert_int_eq (gst_element_set_state (pipeline.top (), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
}

static std::map<fs::path, std::string>
cache_files ()
{
  std::map<fs::path, std::string> files;
  const fs::path folder = fs::path (g_getenv ("XDG_CACHE_HOME")) / "gst-cl";
  if (fs::exists (folder))
    for (const auto &entry : fs::recursive_directory_iterator (folder))
      if (entry.is_regular_file ())
        files[entry.path ()] = content_of (entry.path ());
  return files;
}

static void
check_median ()
{
  Case c = median_case (33, 17);
  c.frames = {{Content::Noise, Storage::Tight}};
  check (c);
}

static std::string
damaged (const std::string &content, int how)
{
  std::string bytes = content;
  switch (how) {
    case 0:
      return "";
    case 1:
      return bytes.substr (0, bytes.size () / 2);
    case 2:
      return std::string (bytes.size (), 'x');
    case 3:
      for (size_t i = bytes.size () / 2; i < bytes.size (); i += 7)
        bytes[i] ^= 0x55;
      return bytes;
    default:
      return bytes + bytes;
  }
}

/* All files of the program cache are damaged; frames are correct nevertheless, and the files are replaced. */
TEST (damaged_cache, group == "cache" ? 5 : 0)
{
  /* in a separate process, because a process keeps its programs */
  const auto check_once = [] {
    check_median ();
    return 0;
  };
  ck_assert_int_eq (status_of_process (check_once), 0);
  const auto good = cache_files ();
  test_check (!good.empty (), "no program cache in %s/gst-cl", g_getenv ("XDG_CACHE_HOME"));
  for (const auto &[path, content] : good)
    std::ofstream (path, std::ios::binary | std::ios::trunc) << damaged (content, __i__);
  check_median ();
  for (const auto &[path, content] : cache_files ())
    test_check (!good.count (path) || content != damaged (good.at (path), __i__), "%s stays damaged", path.c_str ());
}

/* A cached program is not used for the same text with other options, here the size of the matrix. */
TEST (options_differ, group == "cache")
{
  Case c = median_case (33, 17);
  c.element = "clconvolve";
  c.frames = {{Content::Noise, Storage::Tight}};
  const ref::Matrix wide{{1, 2, 3, 4, 5}, {1, 2, 5, 2, 2}, {7, 1, 1, 2, 2}}, narrow{{1, 2, 3}, {1, 2, 5}, {7, 1, 1}};
  c.settings = settings_for (ref::Convolve{narrow}, "matrix=\"1 2 3;1 2 5;7 1 1\"");
  check (c);
  c.settings = settings_for (ref::Convolve{wide}, "matrix=\"1 2 3 4 5;1 2 5 2 2;7 1 1 2 2\"");
  check (c);
}

/* A cache folder that cannot be created. */
TEST (no_cache, group == "no-cache")
{
  check_median ();
}

/* An invalid GstVideoMeta, for a frame of 33x17 samples of 8 bits in rows of 36 bytes. */
struct Lie {
  gsize offset;
  gint stride;
};

static const Lie lies[] = {{G_MAXSIZE - 100, 36}, {gsize (0) - 16 * 36, 36}, {1, 36 + 1}, {36 * 17, 36}, {0, G_MAXINT}, {0, 0},
    {0, 32}, {0, -36}, {16 * 36 - 1, -36}, {16 * 36, G_MININT}};

static GstPadProbeReturn
tell_lie (GstPad *, GstPadProbeInfo *info, gpointer data)
{
  const auto *lie = static_cast<const Lie *> (data);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  if (!meta)
    meta = gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 33, 17);
  meta->offset[0] = lie->offset;
  meta->stride[0] = lie->stride;
  return GST_PAD_PROBE_OK;
}

/* Nothing outside the buffer is read, and the error names the mistake. */
static void
check_lie (const Lie &lie, const char *line)
{
  Pipeline pipeline (std::string ("videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8,width=33,height=17,framerate=30/1 ! ")
                     + line + " ! clthreshold name=filter ! fakesink");
  const Own pad = gst_element_get_static_pad (pipeline.element ("filter"), "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, tell_lie, const_cast<Lie *> (&lie), nullptr);
  const std::vector<Report> errors = pipeline.play_to_error ("filter");
  expect_one_error (errors, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      {"offset " + std::to_string (lie.offset), "stride " + std::to_string (lie.stride), "17 rows of 33 bytes"});
}

TEST (lying_meta, group == "layouts" || group == "layouts-staged" ? G_N_ELEMENTS (lies) : 0)
{
  check_lie (lies[__i__], "identity drop-allocation=true");
  check_lie (lies[__i__], "clupload ! video/x-raw(memory:OpenCLMemory)");
}

/* Strides may be negative, and a meta may describe a larger picture than the caps. */
TEST (odd_but_true, group == "layouts" || group == "layouts-staged" ? 2 : 0)
{
  Link link ("clthreshold threshold=0.5", "video/x-raw,format=GRAY8,width=33,height=17,framerate=30/1");
  GstBuffer *buffer = gst_buffer_new_allocate (nullptr, 64 * 32, nullptr);
  for (int row = 0; row < 32; row++)
    gst_buffer_memset (buffer, row * 64, row % 2 ? 200 : 20, 64);
  gint stride[GST_VIDEO_MAX_PLANES] = {__i__ ? -64 : 64};
  gsize offset[GST_VIDEO_MAX_PLANES] = {__i__ ? gsize (31 * 64) : 0};
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 64, 32, 1, offset, stride);
  const Own result = link.filter (buffer);
  GstMapInfo map;
  fail_unless (gst_buffer_map (result, &map, GST_MAP_READ));
  for (int row = 0; row < 17; row++)
    ck_assert_int_eq (map.data[row * 36 + 32], (row % 2 == 1) != bool (__i__) ? 255 : 0);
  gst_buffer_unmap (result, &map);
}

/* More samples than kernels can count, more bytes than pools support, or rows without room for their pixels. */
static const struct {
  const char *format, *size, *reason;
} refused[] = {{"GRAY8", "60000x60000", "2147483647"}, {"RGBA64_LE", "32768x32768", "too large"}, {"UYVP", "1x1", "even width"},
    {"UYVP", "17x17", "even width"}};

TEST (refused_sizes, group == "layouts" || group == "layouts-staged" ? G_N_ELEMENTS (refused) : 0)
{
  const auto &[format, size, reason] = refused[__i__];
  const std::string side (size, strchr (size, 'x') - size);
  Pipeline pipeline (std::string ("appsrc name=source caps=video/x-raw,format=") + format + ",width=" + side + ",height=" + side
                     + ",framerate=30/1 ! clthreshold name=filter ! fakesink");
  GstFlowReturn flow;
  const Own buffer = gst_buffer_new_allocate (nullptr, 100, nullptr);
  g_signal_emit_by_name (pipeline.element ("source"), "push-buffer", buffer.get (), &flow);
  expect_one_error (pipeline.play_to_error ("filter"), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {size, reason});
}

static void
prepare_environment (const std::string &group)
{
  const fs::path folder = scratch_folder ();
  if (group == "no-driver") {
    fs::create_directory (folder / "empty");
    g_setenv ("OCL_ICD_VENDORS", (folder / "empty").c_str (), TRUE);
    g_setenv ("OPENCL_VENDOR_PATH", (folder / "empty").c_str (), TRUE);
    g_unsetenv ("OCL_ICD_FILENAMES");
  } else if (group == "kernels") {
    for (const char *name : {"convolve/convolve.cl", "shared/network.cl", "median/tile.cl", "bilateral/bilateral.cl"}) {
      fs::create_directory ((folder / name).parent_path ());
      std::ofstream (folder / name) << "#error this_is_no_kernel\n";
    }
    g_setenv ("GST_CL_KERNEL_PATH", folder.c_str (), TRUE);
  } else if (group == "cache") {
    g_setenv ("XDG_CACHE_HOME", folder.c_str (), TRUE);
  } else if (group == "layouts-staged") {
    g_setenv ("GST_CL_HOST_MEMORY", "staged", TRUE);
  } else if (group == "no-cache") {
    std::ofstream (folder / "file") << "not a folder\n";
    g_setenv ("XDG_CACHE_HOME", (folder / "file").c_str (), TRUE);
  }
}

static const Program main_program (
    "errors", "device|no-driver|kernels|cache|no-cache|layouts|layouts-staged", [] (const Arguments &arguments) -> int {
      if (arguments.size () != 1)
        throw BadArguments ();
      group = arguments[0];
      const std::string name = "errors-" + group;
      prepare_environment (group);
      return run (name.c_str (), group == "no-driver" ? Needs::Nothing : Needs::Device, tests);
    });

}  // namespace test::errors_suite

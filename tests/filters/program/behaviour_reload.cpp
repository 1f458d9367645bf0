/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprogram: invalid kernels, kernels that change while frames flow, and kernels that do not end. */
#include <cstdio>
#include <fstream>

#include "../../elements/inputs.hpp"
#include "behaviour_build.hpp"

namespace test::program_reload_suite {

static Tests tests ("program_reload", Needs::Device);

static constexpr GstVideoFormat gray = GST_VIDEO_FORMAT_GRAY8;

static std::string
component_kernel (const std::string &result)
{
  return "kernel void k (COMPONENT_ARGS)\n{\n  COMPONENT_BEGIN\n  OUT (" + result + ");\n}\n";
}

/* Replaces the file by renaming, as editors do. */
static void
write_file (const std::string &path, const std::string &text)
{
  std::ofstream (path + ".new") << text;
  fail_unless (std::rename ((path + ".new").c_str (), path.c_str ()) == 0);
}

static const std::string line =
    "videotestsrc num-buffers=3 ! video/x-raw,format=RGBA,width=32,height=16 ! clprogram name=filter ";

struct Bad {
  const char *properties;
  GQuark (*domain) ();
  int code;
  std::vector<std::string> words;
};

static const Bad bad[] = {
    {"", gst_resource_error_quark, GST_RESOURCE_ERROR_SETTINGS, {"source", "location"}},
    {"location=/nonexistent/kernel.cl", gst_resource_error_quark, GST_RESOURCE_ERROR_NOT_FOUND, {"/nonexistent/kernel.cl"}},
    {"source=\"float helper (float v) { return v; }\"", gst_library_error_quark, GST_LIBRARY_ERROR_INIT,
        {"no kernel function", "kernel void"}},
    {"source=\"kernel void k (global float *p) { p[0] = 1; }\"", gst_library_error_quark, GST_LIBRARY_ERROR_INIT,
        {"PIXEL_ARGS", "COMPONENT_ARGS"}},
    {"source=\"kernel void k (PIXEL_ARGS, global float *p) { PIXEL_BEGIN OUT_PIXEL (p[0]); }\"", gst_library_error_quark,
        GST_LIBRARY_ERROR_INIT, {"argument p", "float*"}},
    {"kernel=other source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (1.0f); }\"", gst_library_error_quark,
        GST_LIBRARY_ERROR_INIT, {"no kernel other", "The text has: k"}},
    {"source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXL (1.0f); }\"", gst_library_error_quark, GST_LIBRARY_ERROR_INIT,
        {"OUT_PIXL", "Did you mean OUT_PIXEL?"}},
    {"source=\"// @pass 1\nkernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_SCRATCH (s, 1); }\"", gst_library_error_quark,
        GST_LIBRARY_ERROR_INIT, {"source:2:", "@scratch NAME FORMAT"}},
    {"source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (PIXEL); }\"", gst_library_error_quark,
        GST_LIBRARY_ERROR_INIT, {"PIXEL needs arguments"}},
    {"source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN float a = 1 OUT_PIXEL (a); }\"", gst_library_error_quark,
        GST_LIBRARY_ERROR_INIT, {"semicolon"}},
    {"source=\"kernel void k (PIXEL_ARGS) { OUT_PIXEL (1.0f); }\"", gst_library_error_quark, GST_LIBRARY_ERROR_INIT,
        {"PIXEL_BEGIN"}},
    {"params=\"params,a=(string)much\" source=\"kernel void k (PIXEL_ARGS, float a) { PIXEL_BEGIN OUT_PIXEL (a); }\"",
        gst_resource_error_quark, GST_RESOURCE_ERROR_SETTINGS, {"argument a", "float", "string"}},
    {"params=\"params,a=1.5\" source=\"kernel void k (PIXEL_ARGS, int a) { PIXEL_BEGIN OUT_PIXEL (a); }\"",
        gst_resource_error_quark, GST_RESOURCE_ERROR_SETTINGS, {"argument a", "int", "double"}},
    {"params=\"params,a=-1\" source=\"kernel void k (PIXEL_ARGS, uint a) { PIXEL_BEGIN OUT_PIXEL (a); }\"",
        gst_resource_error_quark, GST_RESOURCE_ERROR_SETTINGS, {"argument a", "-1"}},
    {"params=\"params,a=<1,2>\" source=\"kernel void k (PIXEL_ARGS, float4 a) { PIXEL_BEGIN OUT_PIXEL (a); }\"",
        gst_resource_error_quark, GST_RESOURCE_ERROR_SETTINGS, {"argument a", "float4", "2 numbers"}},
    {"params=\"p,a=3\" source=\"// @param a float 0 [0, 2]\nkernel void k (PIXEL_ARGS, float a) { PIXEL_BEGIN OUT_PIXEL (a); "
     "}\"",
        gst_resource_error_quark, GST_RESOURCE_ERROR_SETTINGS, {"argument a", "3 is not between 0 and 2"}},
    {"source=\"\n // @param a real 0\nkernel void k (PIXEL_ARGS, float a) { PIXEL_BEGIN OUT_PIXEL (a); }\"",
        gst_library_error_quark, GST_LIBRARY_ERROR_INIT, {"source:2:14", "real", "Write int, uint, float"}},
    {"source=\"// @param a int 0\nkernel void k (PIXEL_ARGS, float a) { PIXEL_BEGIN OUT_PIXEL (a); }\"",
        gst_library_error_quark, GST_LIBRARY_ERROR_INIT, {"source:1:13", "Write float"}},
    {"source=\"// @param b float 0\nkernel void k (PIXEL_ARGS, float a) { PIXEL_BEGIN OUT_PIXEL (a); }\"",
        gst_library_error_quark, GST_LIBRARY_ERROR_INIT, {"source:1:11", "no argument b", ", float b"}},
    {"source=\"void mainImage (out vec4 fragColor, in vec2 fragCoord) { fragColor = vec4 (iTime); }\"", gst_library_error_quark,
        GST_LIBRARY_ERROR_INIT,
        {"GLSL", "kernel void image (PIXEL_ARGS)", "OUT_PIXEL (c) for fragColor = c", "time for iTime"}},
    {"defines=\"3D\" source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (1.0f); }\"", gst_resource_error_quark,
        GST_RESOURCE_ERROR_SETTINGS, {"defines", "3D"}},
};

/* One error with the reason; the pipeline plays when the kernel is corrected. */
TEST (errors, G_N_ELEMENTS (bad))
{
  const Bad &wrong = bad[__i__];
  Pipeline pipeline (line + wrong.properties + " ! fakesink");
  expect_one_error (pipeline.play_to_error ("filter"), wrong.domain (), wrong.code, wrong.words);
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
  g_object_set (pipeline.element ("filter"), "source", "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (1.0f); }", "kernel",
      "", "params", nullptr, "defines", "", nullptr);
  pipeline.play_to_end ();
}

/* Texts of 100 kB: refused names, and a table before a mistake. Parsing must not recurse for each character. GPUs have 64 KiB for the
 * constants of a kernel that plays. */
TEST (long_texts)
{
  const std::string letters (100000, 'a');
  std::string table = "0";
  while (table.size () < 100000)
    table += ",0";
  static const struct {
    const char *before, *after, *hint;
  } mistakes[] = {
      {"constant float4 table[] = {",
          "}; kernel void k (PIXEL_ARGS) { PIXEL_BEGIN float4 p = {1,2,3,4,5}; OUT_PIXEL (p + table[0]); }", "parentheses"},
      {"constant int table[] = {", "}; kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (nonsense_value + table[0]); }",
          "nonsense_value"}};
  Pipeline pipeline (line + "! fakesink");
  GstElement *filter = pipeline.element ("filter");
  for (const char *property : {"kernel", "defines"}) {
    g_object_set (filter, property, (letters + "!").c_str (), nullptr);
    g_object_set (filter, property, (letters + "=\"").c_str (), nullptr);
    g_object_set (filter, property, (letters + "9").c_str (), nullptr);
    test_check (text_property (filter, property) == letters + "9", "%s is something else", property);
    g_object_set (filter, property, "", nullptr);
  }
  for (const auto &[before, after, hint] : mistakes) {
    g_object_set (filter, "source", (before + table + after).c_str (), nullptr);
    expect_one_error (pipeline.play_to_error ("filter"), GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, {hint});
    gst_element_set_state (pipeline.top (), GST_STATE_NULL);
  }
  const std::string attribute = "__attribute__ ((reqd_work_group_size (8, 8, 1)))";
  const std::string good = "constant uchar table[] = {" + table + "}; kernel " + attribute
                           + " void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (table[x]); }";
  g_object_set (filter, "source", good.c_str (), nullptr);
  pipeline.play_to_end ();
}

/* The message names the file and the position of the error. */
TEST (place)
{
  const std::string path = scratch_folder () + "/a \"strange\" name.cl";
  write_file (path, "/* a comment */\n\nkernel void k (PIXEL_ARGS)\n{\n  PIXEL_BEGIN\n  OUT_PIXEL (colour);\n}\n");
  Pipeline pipeline (line + "! fakesink");
  g_object_set (pipeline.element ("filter"), "location", path.c_str (), nullptr);
  gst_element_set_state (pipeline.top (), GST_STATE_PLAYING);
  const std::optional<Build> build = next_build (pipeline.bus (), 60 * GST_SECOND);
  test_check (build && !build->success, "no message about the build");
  ck_assert_int_eq (build->line, 6);
  /* the word's position, if the compiler distinguishes it from the macro's */
  if (build->log.find ("<Spelling=") != std::string::npos)
    ck_assert_int_eq (build->column, 14);
  ck_assert_str_eq (build->location.c_str (), path.c_str ());
  expect_words (build->message, {"colour"});
  expect_words (build->log, {"colour"});
  std::vector<Report> reports = pipeline.errors ();
  std::erase_if (reports, [] (const Report &report) { return report.from != "filter"; });
  expect_one_error (reports, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, {"strange", ":6:", "colour"});
}

/* Line ends of any system: the message names the same line, and a valid text plays with its declared default. */
TEST (line_ends, 3)
{
  static const char *const ends[] = {"\n", "\r\n", "\r"};
  const std::string path = scratch_folder () + "/ends.cl";
  for (const char *result : {"v", "nonsense"}) {
    std::string text = "\xef\xbb\xbf// @param v int 7\n#define NOTHING \\\n\nkernel void k (COMPONENT_ARGS, int v)\n{\n"
                       "  COMPONENT_BEGIN // a comment\n  OUT ("
                       + std::string (result) + ");\n}\n";
    for (size_t at = 0; (at = text.find ('\n', at)) != text.npos; at += strlen (ends[__i__]))
      text.replace (at, 1, ends[__i__]);
    write_file (path, text);
    Pipeline pipeline (line + "! fakesink");
    g_object_set (pipeline.element ("filter"), "location", path.c_str (), nullptr);
    if (result == std::string ("v")) {
      gint seven = 0;
      gst_child_proxy_get (GST_CHILD_PROXY (pipeline.element ("filter")), "params::v", &seven, nullptr);
      ck_assert_int_eq (seven, 7);
      pipeline.play_to_end ();
    } else {
      expect_one_error (
          pipeline.play_to_error ("filter"), GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, {"ends.cl:7:", "nonsense"});
    }
  }
}

/* A sample of a filtered frame. */
static int
filtered_value (Link &link, int number)
{
  GstBuffer *buffer = to_buffer (flat (gray, 64, 48, 100), Storage::Tight, raw_caps (gray, 64, 48));
  const Own result = link.filter (timed (buffer, number * GST_SECOND / 100));
  ck_assert_uint_eq (GST_BUFFER_PTS (result), number * GST_SECOND / 100);
  guint8 value = 0;
  gst_buffer_extract (result, 0, &value, 1);
  return value;
}

/* Pushes frames every 10 ms until one has the value; returns the time in ms. */
static double
ms_until (Link &link, int &number, int old_value, int new_value)
{
  const gint64 begin = g_get_monotonic_time ();
  while (true) {
    const int value = filtered_value (link, number++);
    const double ms = (g_get_monotonic_time () - begin) / 1000.0;
    if (value == new_value)
      return ms;
    test_check (value == old_value, "value %d, neither %d nor %d", value, old_value, new_value);
    test_check (ms < 20000, "the new kernel does not come");
    g_usleep (10000);
  }
}

static void
expect_build (Link &link, bool success)
{
  const std::optional<Build> build = next_build (link.bus ());
  test_check (build && build->success == success, "%s", build ? build->message.c_str () : "no message about the build");
}

/* Starting a sanitizer, and its search for leaks, take longer in the compiling process than the compiler. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_timed = false;
#else
constexpr bool is_timed = true;
#endif

/* The fastest first frame of a stream with a new kernel: little more than the driver's compiler. */
static double
fastest_start ()
{
  double fastest = 1e9;
  for (int i = 0; i < 3; i++) {
    /* a text that no cache has */
    const std::string once = "enum { once_" + std::to_string (g_get_real_time ()) + " };\n";
    write_file (scratch_folder () + "/start.cl", once + component_kernel (std::to_string (100 + i)));
    Link link ("clprogram timeout=60000 location=\"" + scratch_folder () + "/start.cl\"", raw_caps (gray, 64, 48));
    const gint64 begin = g_get_monotonic_time ();
    ck_assert_int_eq (filtered_value (link, 0), 100 + i);
    fastest = std::min (fastest, (g_get_monotonic_time () - begin) / 1000.0);
  }
  return fastest;
}

/* Filters frames, which all have this value, until something is done. */
template <typename Done>
static void
filter_until (Link &link, int &number, int value, const Done &done)
{
  for (int i = 0; !done (); i++) {
    test_check (i < 2000, "nothing happens in %d frames of value %d", i, value);
    ck_assert_int_eq (filtered_value (link, number++), value);
    g_usleep (10000);
  }
}

static Build
build_during (Link &link, int &number, int value)
{
  std::optional<Build> build;
  filter_until (link, number, value, [&] { return (build = next_build (link.bus ())).has_value (); });
  return *build;
}

/* A refused edit that is undone takes its properties with it. */
static void
undo (Link &link, GstChildProxy *children, int &number, const std::string &path, const std::string &kernel)
{
  GParamSpec *spec;
  for (const int most : {9, G_MAXINT}) {
    write_file (path, (most == 9 ? "// @param a int 0 [0, 9] \"\"\n" : "") + kernel);
    filter_until (link, number, 60, [&] {
      return gst_child_proxy_lookup (children, "params::a", nullptr, &spec) && G_PARAM_SPEC_INT (spec)->maximum == most;
    });
  }
}

/* A changed file is loaded again, no frame is lost, and an invalid file has no effect. */
TEST (watch)
{
  const std::string path = scratch_folder () + "/watched.cl";
  write_file (scratch_folder () + "/included.h", "#define ONE 1\n");
  write_file (path, "#include \"included.h\"\n" + component_kernel ("ONE"));
  Link link ("clprogram timeout=60000 watch=true location=\"" + path + "\"", raw_caps (gray, 64, 48));
  int number = 0;
  ck_assert_int_eq (filtered_value (link, number++), 1);
  expect_build (link, true);
  /* the compiling process has a low priority: on a busy machine the fastest of many reloads is what it can do */
  const double start = fastest_start (), limit = is_timed ? 200 + 4 * start : 1e9;
  double fastest = 1e9;
  int version = 1;
  while (++version < 5 || (fastest >= limit && version < 20)) {
    g_usleep (30000);
    write_file (path, component_kernel (std::to_string (version)));
    fastest = std::min (fastest, ms_until (link, number, version - 1, version));
    expect_build (link, true);
  }
  g_print ("program_reload: the fastest reload showed after %.0f ms, the fastest start after %.0f\n", fastest, start);
  test_check (fastest < limit, "the fastest reload took %.0f ms, a start %.0f", fastest, start);

  write_file (path, component_kernel ("nonsense"));
  const Build build = build_during (link, number, version - 1);
  test_check (!build.success && build.line == 4, "%s", build.message.c_str ());
  ck_assert_int_eq (count_warnings (link.bus ()), 1);
  for (int i = 0; i < 5; i++)
    ck_assert_int_eq (filtered_value (link, number++), version - 1);

  write_file (path, component_kernel ("VAL + 50"));
  ms_until (link, number, version - 1, 150);
  expect_build (link, true);

  /* an argument that no value fits waits for one, and has a property for it */
  link.set ("clprogram", "params", "params,a=(string)much");
  const std::string kernel = "kernel void k (COMPONENT_ARGS, int a) { COMPONENT_BEGIN OUT (a); }";
  write_file (path, kernel);
  GstChildProxy *children = GST_CHILD_PROXY (link.element ("clprogram"));
  filter_until (link, number, 150, [&] { return gst_child_proxy_lookup (children, "params::a", nullptr, nullptr); });
  gst_child_proxy_set (children, "params::a", 60, nullptr);
  ms_until (link, number, 150, 60);
  undo (link, children, number, path, kernel);
  gst_child_proxy_set (children, "params::a", 61, nullptr);
  ms_until (link, number, 60, 61);
  fail_unless (link.errors ().empty ());
}

/* Text, definitions, kernel and history are set while frames flow; the caps change while the file is invalid. */
TEST (set_while_playing)
{
  Link link ("clprogram timeout=60000 defines=\"V=1\" source=\"" + component_kernel ("V") + "\"", raw_caps (gray, 64, 48),
      "video/x-raw");
  int number = 0;
  ck_assert_int_eq (filtered_value (link, number++), 1);
  link.set ("clprogram", "defines", "V=2");
  ms_until (link, number, 1, 2);
  g_object_set (link.element ("clprogram"), "source", component_kernel ("V + HISTORY").c_str (), "history", 3, nullptr);
  ms_until (link, number, 2, 5);
  const std::string two = component_kernel ("10") + "kernel void second (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (20); }";
  g_object_set (link.element ("clprogram"), "source", two.c_str (), nullptr);
  ms_until (link, number, 5, 10);
  link.set ("clprogram", "kernel", "second");
  ms_until (link, number, 10, 20);
  link.set ("clprogram", "kernel", "no kernel");
  link.set ("clprogram", "source", "nonsense");
  for (int i = 0; i < 5; i++)
    ck_assert_int_eq (filtered_value (link, number++), 20);
  gst_harness_set_src_caps_str (link.harness (), raw_caps (gray, 64, 48, "framerate=25/1").c_str ());
  ck_assert_int_eq (filtered_value (link, number++), 20);
  fail_unless (link.errors ().empty ());
}

/* A new kernel's additional argument starts with 0, with a warning; a kernel whose value is invalid waits for a valid one. */
TEST (new_argument)
{
  Link link ("clprogram timeout=60000 source=\"" + component_kernel ("1") + "\"", raw_caps (gray, 64, 48));
  int number = 0;
  ck_assert_int_eq (filtered_value (link, number++), 1);
  expect_build (link, true);
  link.set ("clprogram", "params", "params,a=(string)much");
  link.set ("clprogram", "source", "kernel void k (COMPONENT_ARGS, int a) { COMPONENT_BEGIN OUT (a + 2); }");
  const Build build = build_during (link, number, 1);
  test_check (!build.success && build.message.find ("argument a") != std::string::npos, "%s", build.message.c_str ());
  link.set ("clprogram", "params", "params");
  ms_until (link, number, 1, 2);
  link.set ("clprogram", "params", "params,a=33");
  ck_assert_int_eq (filtered_value (link, number++), 35);
  fail_unless (link.errors ().empty ());
}

/* Runs for half a millisecond to two for each of `rounds`, on any CPU, with the compiler's optimiser or without. */
static std::string
slow_kernel (const std::string &scope, const char *result)
{
  return "kernel void endless (" + scope + "_ARGS, int rounds) { " + scope
         + "_BEGIN float v = x; if (x == 0 && y == 0) "
           "for (int i = 0; i < rounds; i++) for (int j = 0; j < 200000; j++) v = 1 / (v + 0.999f); "
         + result + " }";
}

/* The errors of a pipeline without those of sources and queues. */
static std::vector<Report>
errors_of_filters (Pipeline &pipeline)
{
  std::vector<Report> reports = pipeline.errors ();
  std::erase_if (reports, [] (const Report &report) { return report.domain == GST_STREAM_ERROR; });
  return reports;
}

/* One error that names the kernel, after five times the limit for its first frame; then the pipeline can be stopped, whatever
 * waits for the frame. Other kernels, which wait for this one, are not blamed; another pipeline of the device has an error, too. */
TEST (timeout, 3)
{
  const bool followed = __i__ == 1, packed = __i__ == 2; /* pixels of YUV go back to planes behind the kernel */
  Pipeline pipeline (
      std::string ("videotestsrc ! video/x-raw,format=") + (packed ? "NV12" : "GRAY8") + ",width=64,height=48,framerate=30/1 ! "
      + (followed ? "clprogram timeout=400 source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (1.0f); }\" ! queue ! "
                  : "")
      + "clprogram name=filter timeout=50 params=\"params,rounds=800;\" source=\""
      + (packed ? slow_kernel ("PIXEL", "OUT_PIXEL (v);") : slow_kernel ("COMPONENT", "OUT_REAL (v + INPUTS);")) + "\" ! "
      + (followed ? "clthreshold ! queue ! clthreshold ! videoconvert ! video/x-raw,format=RGB ! " : "")
      + "fakesink sync=false");
  std::optional<Pipeline> other;
  if (followed) {
    other.emplace ("videotestsrc ! video/x-raw,format=GRAY8,width=64,height=48 ! clthreshold ! queue ! clthreshold ! fakesink");
    other->must_reach (GST_STATE_PLAYING);
  }
  gst_element_set_state (pipeline.top (), GST_STATE_PLAYING);
  const gint64 begin = g_get_monotonic_time ();
  GstMessage *message = gst_bus_timed_pop_filtered (pipeline.bus (), 60 * GST_SECOND, GST_MESSAGE_ERROR);
  test_check (message, "no error");
  test_check (GST_MESSAGE_SRC (message) == GST_OBJECT (pipeline.element ("filter")), "the error is of %s",
      GST_MESSAGE_SRC_NAME (message));
  gst_bus_post (pipeline.bus (), message);
  expect_one_error (
      errors_of_filters (pipeline), GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, {"endless", "250 ms", "timeout"});
  if (other) {
    message = gst_bus_timed_pop_filtered (other->bus (), 60 * GST_SECOND, GST_MESSAGE_ERROR);
    test_check (message, "no error of the other pipeline");
    gst_bus_post (other->bus (), message);
    expect_one_error (errors_of_filters (*other), GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, {"another pipeline"});
    other.reset ();
  }
  gst_element_set_state (pipeline.top (), GST_STATE_NULL);
  g_print ("program_reload: stopped after %.0f ms\n", (g_get_monotonic_time () - begin) / 1000.0);
}

/* A limit that is not exceeded costs nothing. */
TEST (in_time)
{
  Pipeline pipeline (line + "timeout=60000 source=\"kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (1.0f); }\" ! fakesink");
  pipeline.play_to_end ();
  fail_unless (pipeline.errors ().empty ());
}

}  // namespace test::program_reload_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprogram: what a kernel gets: arguments, times, colours, random numbers, other frames and inputs. */
#include <future>
#include <utility>

#include "../../elements/gl.hpp"
#include "../noise/reference.hpp"
#include "behaviour.hpp"

namespace test::program_suite {

static Tests tests ("program", Needs::DeviceOrGL);

static std::string
caps_for (GstVideoFormat id, int width, int height, const std::string &more = "framerate=30/1")
{
  return usual_caps (raw_caps (id, width, height, more));
}

/* A frame of these caps of system memory, in GL memory where that is tested. */
static GstBuffer *
frame_of (const ref::Picture &picture, int number)
{
  const Own caps = gst_caps_from_string (raw_caps (picture.layout->format, picture.width, picture.height).c_str ());
  return timed (expected_gl_path () ? to_textures (picture, Storage::Padded, caps) : to_buffer (picture, Storage::Tight, caps),
      number * frame_time, frame_time);
}

static ref::Picture
filtered (Link &link, const ref::Picture &picture, int number = 0)
{
  const Own result = link.filter (frame_of (picture, number));
  const Own caps = gst_caps_from_string (raw_caps (picture.layout->format, picture.width, picture.height).c_str ());
  return has_textures (result) ? from_textures (result, caps) : from_buffer (result, caps);
}

struct Argument {
  const char *type, *expression, *field;
  int result;
};

static const Argument arguments[] = {
    {"int", "a", "a=40", 40},
    {"int", "a + 100", "a=(gint64)-60", 40},
    {"int", "a ? 40 : 0", "a=true", 40},
    {"uint", "a - 4294967255u", "a=(uint)4294967295", 40},
    {"uint", "a", "a=(int)40", 40},
    {"float", "a * 16.0f", "a=2.5", 40},
    {"float", "a * 16.0f", "a=(float)2.5", 40},
    {"float", "a * 16.0f", "a=5/2", 40},
    {"float", "a", "a=40", 40},
    {"int2", "a.x - a.y", "a=<50,10>", 40},
    {"int2", "a.x - a.y", "a=(string)\\\"50 10\\\"", 40},
    {"int4", "a.x + a.y + a.z + a.w", "a=<10,9,11,10>", 40},
    {"uint2", "a.y", "a=<1,40>", 40},
    {"uint4", "a.w", "a=<1,2,3,40>", 40},
    {"float2", "a.x * a.y", "a=<2.5,16>", 40},
    {"float3", "a.x + a.y + a.z", "a=<0.5,9.5,30.0>", 40},
    {"float3", "a.z * 255.0f", "a=(string)\\\"#0a1428\\\"", 40},
    {"float4", "a.x * 255.0f + a.w", "a=(string)\\\"#270000\\\"", 40},
    {"float4", "a.w * 255.0f", "a=(string)\\\"#00000028\\\"", 40},
    {"float4", "a.w", "a=(string)\\\"1, 2, 3, 40\\\"", 40},
};

TEST (params, system_only (G_N_ELEMENTS (arguments)))
{
  const Argument &argument = arguments[__i__];
  Link link (program (format ("kernel void k (COMPONENT_ARGS, %s a) { COMPONENT_BEGIN OUT_REAL (%s); }", argument.type,
                          argument.expression),
                 format ("params=\"params,%s\"", argument.field)),
      caps_for (gray, 17, 9));
  expect_flat (filtered (link, flat (gray, 17, 9, 3)), argument.result, argument.field);
}

/* Bindings of other languages make a GValueArray. */
TEST (value_array, system_only (1))
{
  Link link (program ("kernel void k (COMPONENT_ARGS, int2 a) { COMPONENT_BEGIN OUT (a.x - a.y); }"), caps_for (gray, 17, 9));
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  GValueArray *array = g_value_array_new (2);
  for (const int number : {50, 8}) {
    GValue item = G_VALUE_INIT;
    g_value_init (&item, G_TYPE_INT);
    g_value_set_int (&item, number);
    g_value_array_append (array, &item);
  }
  const Own fields = gst_structure_new ("params", "a", g_value_array_get_type (), array, nullptr);
  g_value_array_free (array);
  G_GNUC_END_IGNORE_DEPRECATIONS
  g_object_set (link.element ("clprogram"), "params", fields.get (), nullptr);
  expect_flat (filtered (link, flat (gray, 17, 9, 3)), 42, "a GValueArray");
}

/* A change takes effect with the next frame; an invalid one leaves the old values, with a warning. */
TEST (live_params)
{
  Link link (program ("kernel void k (COMPONENT_ARGS, int a, float b) { COMPONENT_BEGIN OUT_REAL (a + b); }",
                 "params=\"params,a=1,b=2.0\""),
      caps_for (gray, 17, 9));
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 0), 3, "the first values");
  link.set ("clprogram", "params", "params,a=10,b=20.0");
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 1), 30, "the second");
  test_check (count_warnings (link.bus ()) == 0 || expected_gl_path (), "a warning"); /* GL may be slow, and warn of it */
  for (const char *bad : {"params,a=5,b=<1,2>", "params,a=1.5,b=2.0"}) {
    link.set ("clprogram", "params", bad);
    expect_flat (filtered (link, flat (gray, 17, 9, 0), 2), 30, bad);
    ck_assert_int_eq (count_warnings (link.bus ()), 1);
  }
  link.set ("clprogram", "params", "params,a=5,b=2.0,c=1");
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 3), 7, "a field too many");
  ck_assert_int_eq (count_warnings (link.bus ()), 1);
  /* an argument without a value is 0, and one warning says so */
  for (int a = 5; a < 8; a++) {
    link.set ("clprogram", "params", format ("any_name,a=%d", a));
    expect_flat (filtered (link, flat (gray, 17, 9, 0), a), a, "no value for b");
  }
  ck_assert_int_eq (count_warnings (link.bus ()), 1);
  ck_assert_int_eq (stat (link.element ("clprogram"), "builds"), 1);
}

/* The arguments as properties of the child, set directly and by a controller. */
TEST (child, system_only (1))
{
  Link link (
      program (
          "kernel void k (COMPONENT_ARGS, float gain_factor, int2 v) { COMPONENT_BEGIN OUT_REAL (gain_factor * 10 + v.x); }",
          "params=\"params,gain_factor=1.0,v=<3,4>\""),
      caps_for (gray, 17, 9));
  GstElement *element = link.element ("clprogram");
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 0), 13, "before");
  gst_child_proxy_set (GST_CHILD_PROXY (element), "params::gain-factor", 2.0, nullptr);
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 1), 23, "set");
  gdouble gain = 0;
  gst_child_proxy_get (GST_CHILD_PROXY (element), "params::gain-factor", &gain, nullptr);
  fail_unless (gain == 2.0);

  const Own params = gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (element), "params");
  fail_unless (params != nullptr);
  control (params, "gain-factor", {{0, 0}, {30 * frame_time, 15}});
  for (const int frame : {4, 10, 20})
    expect_flat (filtered (link, flat (gray, 17, 9, 0), frame), frame * 5 + 3, "a controller");
}

/* While an application handles the change of a parameter, another thread can set one of any element. */
TEST (busy_handler, system_only (2))
{
  const char *const line = "clprogram source=\"// @param v int 0\nkernel void k (COMPONENT_ARGS, int v) { }\"";
  const Own changed = gst_parse_launch (line, nullptr), other = gst_parse_launch (line, nullptr);
  struct Handler {
    GstElement *to_set;
    bool called, waited;
    std::future<void> other;
  } handler{__i__ ? changed : other, false, true, {}};
  const auto handle = [] (GObject *, GParamSpec *, gpointer data) {
    Handler &self = *static_cast<Handler *> (data);
    if (std::exchange (self.called, true))
      return;
    const auto set = [&self] { gst_child_proxy_set (GST_CHILD_PROXY (self.to_set), "params::v", 2, nullptr); };
    self.other = std::async (std::launch::async, set);
    self.waited = self.other.wait_for (std::chrono::seconds (5)) != std::future_status::ready;
  };
  g_signal_connect (changed, "notify::params", GCallback (+handle), &handler);
  gst_child_proxy_set (GST_CHILD_PROXY (changed), "params::v", 1, nullptr);
  test_check (handler.called && !handler.waited, "the other thread waits");
  gint value = 0;
  gst_child_proxy_get (GST_CHILD_PROXY (handler.to_set), "params::v", &value, nullptr);
  ck_assert_int_eq (value, 2);
}

/* Every type of a line @param, with a range, a default and a description. */
static const std::string declared =
    "// @param gain_factor float 2.5f [0, 10] \\\"How much\\\"\n"
    "  //@param offset int -3 [-10, 10]\n"
    "// @param count uint 4\r\n"
    "// @param invert bool true \\\"Whether\\\"\n"
    "// @param place float2 (0.5, 7) [0, 10]\n"
    "// @param colour float4 #000000\n"
    "/*\n// @param ghost float 1\n*/\n"
    "kernel void k (COMPONENT_ARGS, float gain_factor, const int offset, unsigned int count, int invert, float2 place, float4 "
    "colour) "
    "{ COMPONENT_BEGIN OUT_REAL (gain_factor * 10 + offset + count + 100 * invert + place.y * 2 + colour.w); }";
static constexpr int declared_result = 25 - 3 + 4 + 100 + 14 + 1;

static GParamSpec *
spec_of (GstElement *element, const char *name)
{
  GObject *object = nullptr;
  GParamSpec *spec = nullptr;
  test_check (gst_child_proxy_lookup (GST_CHILD_PROXY (element), name, &object, &spec), "no %s", name);
  g_object_unref (object);
  return spec;
}

/* The text alone creates the child's properties, and a launch line may set them in any place. */
TEST (declared_params, system_only (2))
{
  const std::string source = "source=\"" + declared + "\"", set = " params::offset=5 params::place=1,2 ";
  const std::string line = __i__ ? set + source : source + set;
  const Own alone = gst_parse_launch (("clprogram " + line).c_str (), nullptr);
  fail_unless (alone != nullptr);
  GParamSpec *gain = spec_of (alone, "params::gain_factor"), *offset = spec_of (alone, "params::offset");
  fail_unless (G_IS_PARAM_SPEC_DOUBLE (gain) && (gain->flags & GST_PARAM_CONTROLLABLE));
  fail_unless (G_PARAM_SPEC_DOUBLE (gain)->maximum == 10 && G_PARAM_SPEC_DOUBLE (gain)->default_value == 2.5);
  ck_assert_str_eq (g_param_spec_get_blurb (gain), "How much");
  ck_assert_str_eq (g_param_spec_get_nick (gain), "Gain factor");
  fail_unless (G_IS_PARAM_SPEC_INT (offset) && G_PARAM_SPEC_INT (offset)->minimum == -10);
  fail_unless (G_IS_PARAM_SPEC_UINT (spec_of (alone, "params::count")));
  fail_unless (G_IS_PARAM_SPEC_BOOLEAN (spec_of (alone, "params::invert")));
  fail_unless (G_IS_PARAM_SPEC_STRING (spec_of (alone, "params::colour")));
  const Own params = gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (alone), "params");
  fail_unless (!g_object_class_find_property (G_OBJECT_GET_CLASS (params), "ghost"));
  gboolean invert = FALSE;
  gint five = 0;
  g_object_get (params, "invert", &invert, "offset", &five, nullptr);
  fail_unless (invert && five == 5);

  Link link ("clprogram timeout=60000 " + line, caps_for (gray, 17, 9));
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 0), declared_result + 8 - 10, "set in the launch line");
  GstElement *element = link.element ("clprogram");
  gst_child_proxy_set (GST_CHILD_PROXY (element), "params::invert", FALSE, "params::place", "<0.5, 6.5>", nullptr);
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 1), declared_result + 8 - 100 - 1, "set while playing");
  link.set ("clprogram", "params", "NULL");
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 2), declared_result, "defaults");
  ck_assert_int_eq (count_warnings (link.bus ()), 0);
  link.set ("clprogram", "params", "x,offset=11");
  expect_flat (filtered (link, flat (gray, 17, 9, 0), 3), declared_result, "outside of the range");
  ck_assert_int_eq (count_warnings (link.bus ()), 1);
}

/* Times, sizes and definitions. */
TEST (frame_facts, system_only (1))
{
  Link link (program ("kernel void other (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (1.0f); } "
                      "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN int v = 0; "
                      "if (y == 0) v = width; if (y == 1) v = height; if (y == 2) v = frame_number; "
                      "if (y == 3) v = convert_int_rte (time * 30.0f); if (y == 4) v = (int) frame_rate; if (y == 5) v = x; "
                      "if (y == 6) v = component; if (y == 7) v = INPUTS * 100 + HISTORY * 10 + frames_before; "
                      "if (y == 8) v = GIVEN * 100 + FLAG; OUT (v); }",
                 "kernel=k history=3 defines=\"GIVEN=2 -DFLAG\""),
      caps_for (GST_VIDEO_FORMAT_GRAY16_LE, 20, 9));
  const ref::Picture black = ref::make_picture (GST_VIDEO_FORMAT_GRAY16_LE, 20, 9);
  for (int frame = 0; frame < 6; frame++) {
    const ref::Picture out = filtered (link, black, frame);
    const int expected[] = {20, 9, frame, frame, 30, 7, 0, 130 + std::min (frame, 3), 201};
    for (int y = 0; y < 9; y++)
      test_check (out.components[0].at (7, y) == expected[y], "frame %d, row %d: %d, expected %d", frame, y,
          out.components[0].at (7, y), expected[y]);
  }
}

/* Each kind of history, in both scopes, with alpha, too. A longer one keeps its frames; a gap starts it again. */
TEST (history, 4)
{
  const bool whole_pixels = __i__ % 2;
  const GstVideoFormat yuv = expected_gl_path () ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_A420, id = __i__ / 2 ? yuv : gray;
  if (expected_gl_path () && !fits_texture (id))
    return;
  const std::string inputs =
      whole_pixels
          ? "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (0.5f * PIXEL (0, 0) + previous_input (2, x, y)); }"
          : "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT_REAL (0.5f * VAL + previous_input_sample (2, x, y)); }";
  const std::string outputs =
      whole_pixels
          ? "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (PIXEL (0, 0) + previous_output (1, x, y) + (HISTORY - 1) / "
            "255.0f); }"
          : "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (VAL + previous_output_sample (1, x, y) + HISTORY - 1); }";
  Link before (program (inputs, "history=2 planes=15"), caps_for (id, 18, 10)),
      fed_back (program (outputs, "history=1 planes=15"), caps_for (id, 18, 10));
  int sum = 0;
  for (int frame = 0; frame < 8; frame++) {
    const int value = 2 * frame + 2;
    expect_flat (
        filtered (before, flat (id, 18, 10, value), frame), value / 2 + (frame >= 2 ? value - 4 : 0), "previous inputs");
    sum += value;
    expect_flat (filtered (fed_back, flat (id, 18, 10, value), frame), sum, "previous outputs");
  }
  GstBuffer *late = frame_of (flat (id, 18, 10, 6), 20);
  GST_BUFFER_FLAG_SET (late, GST_BUFFER_FLAG_DISCONT);
  gst_buffer_unref (fed_back.filter (late));
  expect_flat (filtered (fed_back, flat (id, 18, 10, 1), 21), 7, "behind a gap");
  if (whole_pixels != (id != gray)) /* each scope in one format */
    return;
  fed_back.set ("clprogram", "history", "2");
  sum = 7;
  for (int number = 22; sum == 7; number++) {
    sum = filtered (fed_back, flat (id, 18, 10, 0), number).components[0].value[0];
    test_check ((sum == 7 || sum == 8) && number < 2000, "frame %d: %d", number, sum);
    g_usleep (10000); /* until the kernel is built */
  }
}

/* Philox by frame, position and component equals the reference on every back end. */
TEST (random_numbers, 2)
{
  const bool whole_pixels = __i__;
  Link link (
      program (whole_pixels
                   ? "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL ((float4) ((random_uint (5) & 255) / 255.0f)); }"
                   : "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (random_uint (5) & 255); }",
          "planes=15"),
      caps_for (GST_VIDEO_FORMAT_RGBA, 33, 12));
  for (const int frame : {0, 7}) {
    const ref::Picture out = filtered (link, flat (GST_VIDEO_FORMAT_RGBA, 33, 12, 9), frame);
    for (size_t c = 0; c < 4; c++)
      for (const auto [x, y] : ref::Places{33, 12}) {
        const unsigned component = whole_pixels ? 0 : c;
        const auto bits = ref::philox ({unsigned (x), unsigned (y), unsigned (frame), component}, {5, 0x6b656c63}, 7);
        test_check (out.components[c].at (x, y) == int (bits[0] & 255), "component %zu at %d, %d", c, x, y);
      }
  }
}

/* Converts to RGB with the caps' matrix and range, and back. */
TEST (colours, system_only (3))
{
  static const struct {
    const char *colorimetry;
    double kr, kb;
    int low, range, chroma;
  } spaces[] = {
      {"bt601", 0.299, 0.114, 16, 219, 224}, {"bt709", 0.2126, 0.0722, 16, 219, 224}, {"1:4:0:0", 0.299, 0.114, 0, 255, 255}};
  const auto &space = spaces[__i__];
  constexpr GstVideoFormat id = GST_VIDEO_FORMAT_Y444;
  if (expected_gl_path () && !fits_texture (id))
    return;
  const std::string caps = caps_for (id, 16, 8, std::string ("framerate=30/1,colorimetry=") + space.colorimetry);
  Link there (program ("kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (to_rgb (PIXEL (0, 0))); }"), caps);
  Link and_back (program ("kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (from_rgb (to_rgb (PIXEL (0, 0)))); }"), caps);
  const ref::Picture in = random_picture (id, 16, 8, 40);
  const ref::Picture rgb = filtered (there, in), same = filtered (and_back, in);
  for (int i = 0; i < 16 * 8; i++) {
    const double luma = double (in.components[0].value[i] - space.low) / space.range;
    const double blue = double (in.components[1].value[i] - 128) / space.chroma,
                 red = double (in.components[2].value[i] - 128) / space.chroma;
    const double r = luma + 2 * (1 - space.kr) * red, b = luma + 2 * (1 - space.kb) * blue;
    const double g = (luma - space.kr * r - space.kb * b) / (1 - space.kr - space.kb);
    const double expected[] = {r, g, b};
    for (int c = 0; c < 3; c++) {
      const double value = std::clamp (expected[c], 0.0, 1.0) * 255;
      test_check (std::abs (rgb.components[c].value[i] - value) <= 0.51, "component %d: %d, expected %.2f", c,
          rgb.components[c].value[i], value);
      ck_assert_int_eq (same.components[c].value[i], in.components[c].value[i]);
    }
  }
}

/* Positions between pixels, on both sides of the edge. */
TEST (between, system_only (1))
{
  Link link (program ("kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (pixel_between (x + 0.25f, y - 0.5f)); }"),
      caps_for (GST_VIDEO_FORMAT_GRAY16_LE, 24, 10));
  const ref::Picture in = random_picture (GST_VIDEO_FORMAT_GRAY16_LE, 24, 10, 50), out = filtered (link, in);
  const ref::Component &from = in.components[0];
  for (const auto [x, y] : ref::Places{24, 10}) {
    const int right = std::min (x + 1, 23), above = std::max (y - 1, 0);
    const double expected =
        (0.75 * (from.at (x, y) + from.at (x, above)) + 0.25 * (from.at (right, y) + from.at (right, above))) / 2;
    test_check (std::abs (out.components[0].at (x, y) - expected) <= 0.6, "at %d, %d: %d, expected %.2f", x, y,
        out.components[0].at (x, y), expected);
  }
}

/* Samples that a kernel does not write stay unchanged, and no helper writes outside the region: all others are 50. */
struct Gap {
  const char *properties, *kernel;
  bool (*is_written) (int x, int y);
  int warnings;
};

static const Gap gaps[] = {
    {"", "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN if (x > 4) OUT (9); }", [] (int x, int) { return x > 4; }, 0},
    {"", "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN if (y < 2) return; OUT (9); }", [] (int, int y) { return y >= 2; },
        0},
    {"", "kernel void k (COMPONENT_ARGS) { if (get_global_id (0) & 1) return; COMPONENT_BEGIN OUT (9); }",
        [] (int x, int) { return x % 2 == 0; }, 0},
    {"", "kernel void k (COMPONENT_ARGS) { }", [] (int, int) { return false; }, 1},
    {"", "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN }", [] (int, int) { return false; }, 1},
    {"history=1", "kernel void k (COMPONENT_ARGS) { }", [] (int, int) { return false; }, 1},
    {"history=1", "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN if (x < 3) { OUT_PIXEL (9 / 255.0f); return; } }",
        [] (int x, int) { return x < 3; }, 0},
    {"history=1", "kernel void k (PIXEL_ARGS) { }", [] (int, int) { return false; }, 1},
    {"roi-x=2 roi-y=4 roi-width=12 roi-height=3",
        "void far (COMPONENT_PARAMS, int x, int y, int gstcl_sample) { OUT (200); } "
        "kernel void k (COMPONENT_ARGS) { COMPONENT_BEGIN OUT (9); far (COMPONENT_PASS, x, y - 4, gstcl_sample); "
        "far (COMPONENT_PASS, x + 12, y, gstcl_sample); far (COMPONENT_PASS, x, y + 2000000, gstcl_sample); }",
        [] (int x, int y) { return x >= 2 && x < 14 && y >= 4 && y < 7; }, 0},
    {"roi-x=2 roi-y=4 roi-width=12 roi-height=3",
        "void far (PIXEL_PARAMS, int x, int y) { OUT_PIXEL (1.0f); } "
        "kernel void k (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (9 / 255.0f); far (PIXEL_PASS, x, y - 4); far (PIXEL_PASS, x + 12, "
        "y); }",
        [] (int x, int y) { return x >= 2 && x < 14 && y >= 4 && y < 7; }, 0},
};

TEST (unwritten, system_only (G_N_ELEMENTS (gaps)))
{
  const Gap &gap = gaps[__i__];
  Link link (program (gap.kernel, gap.properties), caps_for (gray, 17, 9));
  for (int frame = 0; frame < 3; frame++) {
    /* memory that held other frames */
    filtered (link, flat (gray, 17, 9, 77), 3 * frame);
    const ref::Picture out = filtered (link, flat (gray, 17, 9, 50), 3 * frame + 1);
    for (const auto [x, y] : ref::Places{17, 9})
      test_check (
          out.components[0].at (x, y) == (gap.is_written (x, y) ? 9 : 50), "at %d, %d: %d", x, y, out.components[0].at (x, y));
  }
  ck_assert_int_eq (count_warnings (link.bus ()), gap.warnings);
}

}  // namespace test::program_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Textures in external memory: are they correct, and how long does a frame take? Needs a GL context (without a display:
 * GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device) and an OpenCL device that import memory from Vulkan. */
#include "gl_external.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace external_bench;

namespace {

const char *const invert_source = R"(
kernel void invert (read_only image2d_t in, write_only image2d_t out)
{
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  const int2 at = (int2) (get_global_id (0), get_global_id (1));
  write_imagef (out, at, 1.0f - read_imagef (in, nearest, at));
})";

constexpr int n_warm_up = 20;
/** Frames per measurement; from the first argument, at most 500. */
int n_frames = 500;

using Clock = std::chrono::steady_clock;

double
elapsed_us (Clock::time_point start)
{
  return std::chrono::duration<double, std::micro> (Clock::now () - start).count ();
}

/** One picture: GL draws into `in`, OpenCL inverts it into `out`, GL uses `out`. */
struct Way {
  Bench &bench;
  Size size;
  std::shared_ptr<ExternalImage> in, out, strip;
  guint foreign = 0, framebuffer = 0;
  /** The order to compare: waits on the host, fences, or (wrongly) nothing. */
  enum class Order { finish, fence, none } order = Order::fence;
  bool copy_input = false;
  /** Whether GL draws and uses the pictures; otherwise only OpenCL's part runs. */
  bool with_gl = true;

  Way (Bench &bench, Size size);
  ~Way ();
  void draw (int number);
  void before ();
  void after ();
  void use (int number);
  void run (int number);
  int wrong_frames (int n);
};

Way::Way (Bench &bench_, Size size_) : bench (bench_), size (size_)
{
  in = bench.memory->create_image (GST_GL_RGBA8, size.width, size.height);
  out = bench.memory->create_image (GST_GL_RGBA8, size.width, size.height);
  strip = bench.memory->create_image (GST_GL_RGBA8, n_frames, 1);
  bench.gl->GenFramebuffers (1, &framebuffer);
  foreign = make_foreign_texture (bench.gl, rgba8, size, nullptr);
}

Way::~Way ()
{
  bench.gl->DeleteFramebuffers (1, &framebuffer);
  bench.gl->DeleteTextures (1, &foreign);
}

/* The colour identifies the frame. */
void
Way::draw (int number)
{
  attach (bench.gl, framebuffer, copy_input ? foreign : in->texture ());
  bench.gl->ClearColor (float (number % 256) / 255, float (number / 256) / 255, 0, 1);
  bench.gl->Clear (GL_COLOR_BUFFER_BIT);
  bench.gl->BindFramebuffer (GL_FRAMEBUFFER, 0);
}

void
Way::before ()
{
  if (copy_input)
    copy_texture (foreign, GL_TEXTURE_2D, *in);
  if (order == Order::finish) {
    bench.gl->Finish ();
  } else if (order == Order::fence) {
    GLsync fence = bench.gl->FenceSync (GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    bench.gl->ClientWaitSync (fence, GL_SYNC_FLUSH_COMMANDS_BIT, GLuint64 (1e9));
    bench.gl->DeleteSync (fence);
  }
}

void
Way::after ()
{
  if (order == Order::none)
    bench.queue.flush ();
  else
    bench.queue.finish ();
}

void
Way::use (int number)
{
  attach (bench.gl, framebuffer, out->texture ());
  bench.gl->BindTexture (GL_TEXTURE_2D, strip->texture ());
  bench.gl->CopyTexSubImage2D (GL_TEXTURE_2D, 0, number, 0, size.width - 1, size.height - 1, 1, 1);
  bench.gl->BindTexture (GL_TEXTURE_2D, 0);
  bench.gl->BindFramebuffer (GL_FRAMEBUFFER, 0);
}

void
Way::run (int number)
{
  if (with_gl)
    draw (number);
  before ();
  bench.convert (*in, *out);
  after ();
  if (with_gl)
    use (number);
}

int
Way::wrong_frames (int n)
{
  std::vector<uint8_t> pixels (n_frames * 4);
  download (bench.gl, strip->texture (), rgba8, {n_frames, 1}, pixels.data ());
  int wrong = 0;
  for (int at = 0; at < n; at++)
    wrong += pixels[at * 4] != 255 - at % 256 || pixels[at * 4 + 1] != 255 - at / 256;
  return wrong;
}

double
median (std::vector<double> values)
{
  std::nth_element (values.begin (), values.begin () + values.size () / 2, values.end ());
  return values[values.size () / 2];
}

/* Microseconds of a single frame, with everything finished before and after. */
double
time_latency (Way &way)
{
  std::vector<double> times;
  for (int n = 0; n < n_warm_up + n_frames; n++) {
    const auto start = Clock::now ();
    way.run (n % n_frames);
    if (way.with_gl)
      way.bench.gl->Finish ();
    way.bench.queue.finish ();
    if (n >= n_warm_up)
      times.push_back (elapsed_us (start));
  }
  return median (times);
}

/* Microseconds per frame in a sequence; busy_us is how long the calling thread is blocked. */
double
time_throughput (Way &way, double &busy_us)
{
  way.bench.gl->Finish ();
  const auto start = Clock::now ();
  for (int n = 0; n < n_frames; n++)
    way.run (n);
  busy_us = elapsed_us (start) / n_frames;
  way.bench.queue.finish ();
  way.bench.gl->Finish ();
  return elapsed_us (start) / n_frames;
}

double
time_kernel (Way &way)
{
  const cl_mem both[] = {way.in->image () (), way.out->image () ()};
  std::vector<double> times;
  way.bench.memory->importer ().acquire (way.bench.queue (), both, {});
  for (int n = 0; n < n_warm_up + n_frames; n++) {
    const auto start = Clock::now ();
    way.bench.run_kernel (*way.in, *way.out);
    way.bench.queue.finish ();
    if (n >= n_warm_up)
      times.push_back (elapsed_us (start));
  }
  way.bench.memory->importer ().release (way.bench.queue (), both, {});
  way.bench.queue.finish ();
  return median (times);
}

void
report (Way &way, const char *name)
{
  const double latency = time_latency (way);
  double busy = 0;
  const double throughput = time_throughput (way, busy);
  const int wrong = way.with_gl ? way.wrong_frames (n_frames) : 0;
  if (way.order != Way::Order::none)
    way.bench.failures += wrong > 0;
  std::printf ("%4dx%-4d %-46s %8.1f %8.1f %8.1f", way.size.width, way.size.height, name, latency, throughput, busy);
  std::printf (wrong ? "  %d frames out of order\n" : "\n", wrong);
}

void
measure (Bench &bench, Size size)
{
  Way way (bench, size);
  const auto creation = Clock::now ();
  bench.memory->create_image (GST_GL_RGBA8, size.width, size.height);
  const double creation_us = elapsed_us (creation);
  std::printf ("%4dx%-4d %-46s %8.1f\n", size.width, size.height, "kernel and clFinish alone", time_kernel (way));
  way.with_gl = false;
  way.order = Way::Order::finish;
  report (way, "OpenCL alone, glFinish before, clFinish");
  way.order = Way::Order::fence;
  report (way, "OpenCL alone, fence before, clFinish");
  for (const bool copy : {false, true}) {
    way.with_gl = true;
    way.copy_input = copy;
    way.order = Way::Order::finish;
    report (way, copy ? "GL, copy, OpenCL, GL: glFinish, clFinish" : "GL, OpenCL, GL: glFinish, clFinish");
    way.order = Way::Order::fence;
    report (way, copy ? "GL, copy, OpenCL, GL: fence, clFinish" : "GL, OpenCL, GL: fence, clFinish");
    way.order = Way::Order::none;
    report (way, copy ? "GL, copy, OpenCL, GL: no order (wrong)" : "GL, OpenCL, GL: no order (wrong)");
  }
  std::printf ("%4dx%-4d %-46s %8.1f\n", size.width, size.height, "to make and free a texture", creation_us);
}

void
run_all (Bench &bench)
{
  std::string why_not;
  bench.memory = ExternalMemory::create (bench.context, bench.gl_context, why_not);
  if (!bench.memory) {
    std::printf ("no external memory: %s\n", why_not.c_str ());
    bench.failures = 77;
    return;
  }
  std::printf ("external memory: %s\n", bench.memory->device_name ().c_str ());
  const Context &context = Context::of (bench.context.get ());
  bench.queue = context.compute;
  const ::cl::Program program (context.handle, invert_source, true);
  bench.invert = ::cl::Kernel (program, "invert");
  check_pictures (bench);
  for (const char *format : {"RGBA", "BGRA", "GRAY8", "I420", "NV12", "YUY2", "P010_10LE", "GRAY16_LE"})
    check_pool (bench, format);
  std::printf ("\nmicroseconds per frame, medians of %d:%26s %8s %8s\n", n_frames, "alone", "of many", "held up");
  for (const Size size : sizes)
    measure (bench, size);
}

}  // namespace

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  if (argc > 1)
    n_frames = std::clamp (std::atoi (argv[1]), 1, 500);
  GError *error = nullptr;
  GstGLDisplay *display = gst_gl_display_new ();
  GstGLContext *gl_context = nullptr;
  GST_OBJECT_LOCK (display);
  const gboolean has_gl = gst_gl_display_create_context (display, nullptr, &gl_context, &error);
  GST_OBJECT_UNLOCK (display);
  GstClContext *context = has_gl ? gst_cl_context_new (nullptr, &error) : nullptr;
  if (!context) {
    std::fprintf (stderr, "gl_external: %s\n", error ? error->message : "no GL context");
    return 1;
  }
  int failures = 1;
  const bool has_run = run_guarded (&error, [&] {
    run_in_gl_thread (gl_context, [&] {
      std::printf ("GL: %s, OpenCL: %s\n", reinterpret_cast<const char *> (gl_context->gl_vtable->GetString (GL_RENDERER)),
          gst_cl_context_get_device_name (context));
      Bench bench = {gl_context, gl_context->gl_vtable, ContextRef::retain (context), nullptr, {}, {}};
      run_all (bench);
      failures = bench.failures;
    });
  });
  if (!has_run)
    std::fprintf (stderr, "gl_external: %s\n", error->message);
  gst_object_unref (context);
  gst_object_unref (gl_context);
  gst_object_unref (display);
  return failures == 77 ? 77 : failures || !has_run;
}

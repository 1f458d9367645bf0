/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that do not build, cannot be read from disk, or are requested during their build, in a context of two devices. The
 * kernels are tiny. A layer (tests/machinery/census) makes calls fail. */
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/compiler.hpp"
#include "core/context.hpp"
#include "core/diskcache.hpp"
#include "core/wait.hpp"

#include "../elements/suite.hpp"
#include "fault_plan.hpp"

namespace test::builds_suite {
namespace fs = std::filesystem;

static Tests tests ("builds", Needs::Device, [] {
  const fs::path folder = fs::path (scratch_folder ()) / "kernels";
  fs::create_directories (folder);
  std::ofstream (folder / "answer.cl") << "kernel void answer (global int *to) { if (to) *to = VALUE; }\n";
  std::ofstream (folder / "more.cl")
      << "kernel void answer (global int *to) { *to = nextafter (1.f, 2.f) > 1.f ? VALUE : 0; }\n";
  std::ofstream (folder / "broken.cl") << "no kernel\n";
  g_setenv ("GST_CL_KERNEL_PATH", folder.c_str (), TRUE);
  g_setenv ("XDG_CACHE_HOME", scratch_folder ().c_str (), TRUE);
  /* PoCL has its own program cache */
  g_setenv ("GST_CL_BINARIES", "1", TRUE);
  /* debug messages must be correct, too */
  g_setenv ("GST_DEBUG", "cl*:6,clprogrambuild:6", FALSE);
  g_setenv ("GST_DEBUG_FILE", "/dev/null", FALSE);
});

using namespace gst::cl;

constexpr cl_int value = 42;
const ProgramSpec answering{.sources = {"answer.cl"}, .options = "-DVALUE=42"};
/* It calls a function that kernels/lib/builtins.clh does not declare. */
const ProgramSpec demanding{.sources = {"more.cl"}, .options = "-DVALUE=42"};
const ProgramSpec broken{.sources = {"broken.cl"}, .options = "-DBROKEN"};
const ProgramSpec own_text{.text = "kernel void answer (global int *to) { *to = 42; }", .name = "own.cl"};

static void
plan (unsigned n, int code, const char *function, faults::How how = faults::How::once)
{
  plan_faults ({.n = n, .how = how, .code = code, .function = function});
}

static size_t
count_calls (const char *function)
{
  return size_t (std::ranges::count (fault_account ().names, function));
}

/* All devices of a context belong to one platform. */
static std::vector<Device>
devices_of_a_platform ()
{
  std::vector<Device> devices = list_devices ();
  const auto platform = devices.at (0).handle.getInfo<CL_DEVICE_PLATFORM> ();
  std::erase_if (devices, [&] (const Device &device) { return device.handle.getInfo<CL_DEVICE_PLATFORM> () != platform; });
  return devices;
}

static std::vector<::cl::Device>
handles_of (const std::vector<Device> &devices)
{
  std::vector<::cl::Device> handles;
  for (const Device &device : devices)
    handles.push_back (device.handle);
  return handles;
}

struct Fixture {
  const std::vector<Device> devices = devices_of_a_platform ();
  const ::cl::Context context{handles_of (devices)};
  const Device device;
  ProgramCache programs{context, device};
  BuildCounts counts;

  explicit Fixture (size_t n = 0) : device (devices[std::min (n, devices.size () - 1)]) { plan (0, CL_SUCCESS, ""); }
  ~Fixture () { plan (0, CL_SUCCESS, ""); }

  /* The error of an attempt to get it; "" if it succeeds. */
  std::string complaint (const ProgramSpec &spec)
  {
    g_autoptr (GError) error = nullptr;
    return run_guarded (&error, [&] { programs.get (spec, counts); }) ? "" : error->message;
  }

  void must_answer (const ::cl::Program &program) const
  {
    const ::cl::CommandQueue queue (context, device.handle);
    const ::cl::Buffer to (context, CL_MEM_READ_WRITE, sizeof value);
    ::cl::Kernel kernel (program, "answer");
    kernel.setArg (0, to);
    queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (1));
    cl_int found = 0;
    queue.enqueueReadBuffer (to, CL_TRUE, 0, sizeof found, &found);
    ck_assert_int_eq (found, value);
  }
};

static void
forget_kept ()
{
  fs::remove_all (disk_cache::folder ());
}

/* A process that exits while a program is built in the background waits for the build first, because exit handlers destroy the
 * compiler's static objects. Runs before other tests, because drivers do not survive a fork. */
TEST (built_at_exit)
{
  const auto exit_while_it_builds = [] () -> int {
    {
      const std::shared_ptr<OpenDevice> open = OpenDevice::get (choose_device (""));
      plan (1, CL_SUCCESS, "clBuildProgram", faults::How::at_exit);
      open->programs.prepare (own_text);
      while (count_calls ("clBuildProgram") == 0)
        g_usleep (1000);
      g_usleep (50000);
    }
    std::exit (0);
  };
  ck_assert_int_eq (status_of_process (exit_while_it_builds), 0);
}

/* A program is built once, then read from disk by another context, as by a later process. The other device's program may be
 * built again, because PoCL 3.1 returns its binary as the first device's. */
TEST (kept, 2)
{
  forget_kept ();
  Fixture first (__i__);
  first.must_answer (*first.programs.get (answering, first.counts));
  ck_assert_uint_eq (first.counts.builds, 1);
  Fixture second (__i__);
  second.must_answer (*second.programs.get (answering, second.counts));
  ck_assert_uint_eq (second.counts.cache_hits + second.counts.builds, 1);
  ck_assert_uint_eq (second.programs.tally ().from_disk, second.counts.cache_hits);
  ck_assert (__i__ > 0 || second.counts.cache_hits == 1);
}

const char *const loading[] = {"clCreateProgramWithBinary", "clBuildProgram"};

/* A driver that was replaced without a new version number, or a damaged file. */
TEST (refused_binary, std::size (loading))
{
  forget_kept ();
  Fixture first;
  first.programs.get (answering, first.counts);
  Fixture second;
  plan (1, CL_INVALID_BINARY, loading[__i__]);
  second.must_answer (*second.programs.get (answering, second.counts));
  ck_assert_uint_eq (fault_account ().broken.size (), 1);
  ck_assert_uint_eq (second.counts.builds, 1);
}

/* An error in the text is the text's; any other build failure is the device's. After both, the same program builds. */
TEST (refused_build)
{
  forget_kept ();
  Fixture fixture;
  plan (1, CL_OUT_OF_HOST_MEMORY, "clBuildProgram");
  std::string told = fixture.complaint (answering);
  test_check (told.starts_with ("No memory on "), "%s", told.c_str ());
  expect_words (told, {"clBuildProgram: CL_OUT_OF_HOST_MEMORY"});
  /* PoCL compiles a text that fails a second time, with all of OpenCL's declarations */
  plan (fixture.device.is_pocl ? 2 : 1, CL_INVALID_BUILD_OPTIONS, "clBuildProgram");
  told = fixture.complaint (broken);
  expect_words (told, {"broken.cl failed to build on ", "CL_INVALID_BUILD_OPTIONS", "-DBROKEN"});
  plan (0, CL_SUCCESS, "");
  ck_assert_str_eq (fixture.complaint (answering).c_str (), "");
  ck_assert_uint_eq (fixture.counts.builds, 1);
}

/* The error is still the build's if its log cannot be read. */
TEST (no_log)
{
  Fixture fixture;
  /* the first log is queried for its size and its text */
  plan (fixture.device.is_pocl ? 3 : 1, CL_OUT_OF_RESOURCES, "clGetProgramBuildInfo");
  expect_words (fixture.complaint (broken), {"broken.cl failed to build on ", "clGetProgramBuildInfo: CL_OUT_OF_RESOURCES"});
}

/* A driver other than PoCL gets the whole text at once. */
TEST (other_driver)
{
  forget_kept ();
  Fixture fixture;
  Device device = fixture.device;
  device.is_pocl = false;
  ProgramCache programs (fixture.context, device);
  fixture.must_answer (*programs.get (demanding, fixture.counts));
  ck_assert_uint_eq (count_calls ("clBuildProgram"), 1);
}

/* If a device cannot be opened, the error names the call, and a second attempt succeeds. A device that refuses a queue is opened
 * anew at once. A device that fails last is released. */
TEST (does_not_open)
{
  for (const char *function : {"clCreateContext", "clCreateCommandQueue"}) {
    const Fixture fixture;
    /* an open device is not opened again */
    Context::of (create_context ("").get ()).failed = true;
    plan (1, CL_OUT_OF_RESOURCES, function);
    g_autoptr (GError) error = nullptr;
    GstClContext *context = gst_cl_context_new ("", &error);
    ck_assert (!context == g_str_equal (function, "clCreateContext"));
    if (!context) {
      expect_words (error->message, {"OpenCL could not be started on ", function, ": CL_OUT_OF_RESOURCES, driver "});
      context = gst_cl_context_new ("", nullptr);
    }
    ck_assert (context);
    plan (1, CL_OUT_OF_RESOURCES, "clFinish");
    gst_object_unref (context);
    ck_assert_uint_eq (fault_account ().broken.size (), 1);
  }
  const Fixture fixture;
  g_autoptr (GError) error = nullptr;
  plan (1, CL_OUT_OF_RESOURCES, "clCreateCommandQueue");
  ck_assert (!gst_cl_context_new_wrapped (fixture.context (), fixture.device.handle (), &error));
  expect_words (error->message, {"clCreateCommandQueue: CL_OUT_OF_RESOURCES"});
}

/* An event that cannot be queried any more is not waited for. */
TEST (no_answer)
{
  const Fixture fixture;
  ::cl::UserEvent event (fixture.context);
  ck_assert (!is_done (event));
  plan (1, CL_OUT_OF_RESOURCES, "clGetEventInfo");
  ck_assert (is_done (event));
  event.setStatus (CL_COMPLETE);
}

/* A name may contain any character. Messages show it unchanged, except for line ends; if the compiler omits it, they show the C
 * string that it got. */
TEST (odd_name)
{
  Fixture fixture;
  const std::string told = fixture.complaint ({.text = "no kernel", .name = "a \"b\" \\c\n e"});
  const auto says = [&] (const char *name) { return told.find (name) != std::string::npos; };
  test_check (says ("a \"b\" \\c  e:1:") || says ("a \\\"b\\\" \\\\c  e:1:"), "%s", told.c_str ());
}

TEST (needs_more)
{
  forget_kept ();
  Fixture fixture;
  /* the warning is for developers of kernels, and would fail tests */
  gst_debug_set_threshold_for_name ("clprogrambuild", GST_LEVEL_ERROR);
  fixture.must_answer (*fixture.programs.get (demanding, fixture.counts));
  gst_debug_set_threshold_for_name ("clprogrambuild", GST_LEVEL_WARNING);
  ck_assert_uint_eq (count_calls ("clBuildProgram"), fixture.device.is_pocl ? 2 : 1);
  ck_assert_uint_eq (fixture.counts.builds, 1);
}

/* In the background: returns nothing until the program is built; reports an error once, and the next request builds again. */
TEST (asked_while_built)
{
  forget_kept ();
  Fixture fixture;
  ck_assert (!fixture.programs.try_get (answering, fixture.counts));
  fixture.programs.finish ();
  const ProgramRef program = fixture.programs.try_get (answering, fixture.counts);
  ck_assert (program);
  fixture.must_answer (*program);
  for (int i = 0; i < 2; i++) {
    ck_assert (!fixture.programs.try_get (broken, fixture.counts));
    fixture.programs.finish ();
    ck_assert (!run_guarded (static_cast<GError **> (nullptr), [&] { fixture.programs.try_get (broken, fixture.counts); }));
  }
}

/* A prepared program is not built again, unless it failed. */
TEST (prepared_again)
{
  forget_kept ();
  Fixture fixture;
  const auto builds_of = [&] (const ProgramSpec &spec) {
    plan (0, CL_SUCCESS, "");
    fixture.programs.prepare (spec);
    fixture.programs.finish ();
    return count_calls ("clBuildProgram");
  };
  ck_assert_uint_eq (builds_of (own_text), 1);
  ck_assert_uint_eq (builds_of (own_text), 0);
  ProgramSpec wrong = own_text;
  wrong.text = "no kernel";
  const guint tries = fixture.device.is_pocl ? 2 : 1; /* with few declarations, then with all */
  ck_assert_uint_eq (builds_of (wrong), tries);
  ck_assert_uint_eq (builds_of (wrong), tries);
}

static KernelForm
form_of (const std::string &text, const std::string &function = "", std::array<size_t, 2> local = {0, 0})
{
  return {{.sources = {}, .options = "", .text = text, .name = "form.cl"}, function, {2, 1}, local};
}

/* A request's kernels start without memory, and with zeros. In this process they run. */
TEST (compiled_elsewhere)
{
  const Device device = choose_device ("");
  if (!device.is_pocl)
    return; /* on other drivers no process compiles */
  const std::string two = "kernel void one (global int *a, local int *b, int c, float4 d, constant float *e)"
                          "{ if (c) { b[0] = c; a[0] = b[0] / c + convert_int (d.x + e[0]); } } kernel void two () {}";
  const auto serve = [&] (const KernelForm &form) { return serve_request (to_text (device, {form})); };
  ck_assert_int_eq (serve (form_of (two)), 0);
  ck_assert_int_eq (serve (form_of (two, "one", {2, 1})), 0);
  ck_assert_int_eq (serve ({answering, "answer", {1, 1}, {0, 0}}), 0);
  /* a missing kernel, a device that is lost when the kernel starts, and an invalid text */
  ck_assert_int_eq (serve (form_of (two, "three")), 1);
  plan (1, CL_OUT_OF_RESOURCES, "clSetKernelArg", faults::How::for_good);
  ck_assert_int_eq (serve (form_of (two, "one")), 1);
  plan (0, CL_SUCCESS, "");
  ck_assert_int_eq (serve (form_of ("no kernel")), 1);
}

}  // namespace test::builds_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which device is chosen and how it is used, by its properties: a layer (tests/machinery/census) simulates GPUs, accelerators and
 * drivers. Few kernels are compiled. */
#include <filesystem>

#include "core/context.hpp"
#include "core/diskcache.hpp"
#include "core/microbench.hpp"
#include "core/vendors.hpp"
#include "filter/kernels.hpp"

#include "../elements/link.hpp"
#include "../elements/pipeline.hpp"
#include "../elements/suite.hpp"
#include "answers.hpp"
#include "fault_plan.hpp"

namespace test::devices_suite {
static Tests tests ("devices", Needs::Device, [] { g_setenv ("XDG_CACHE_HOME", scratch_folder ().c_str (), TRUE); });

using namespace gst::cl;

struct Kind {
  cl_device_type type;
  cl_bool unified;
  const char *platform;
  Backend backend;
  HostMemory host_memory;
  bool is_pocl;
};

const Kind kinds[] = {
    {CL_DEVICE_TYPE_GPU, CL_FALSE, "NVIDIA CUDA", Backend::gpu, HostMemory::staged, false},
    {CL_DEVICE_TYPE_GPU, CL_TRUE, "Intel(R) OpenCL Graphics", Backend::gpu, HostMemory::mapped, false},
    {CL_DEVICE_TYPE_GPU, CL_FALSE, "Portable Computing Language", Backend::gpu, HostMemory::staged, true},
    {CL_DEVICE_TYPE_ACCELERATOR, CL_FALSE, "Some FPGA", Backend::gpu, HostMemory::staged, false},
    {CL_DEVICE_TYPE_CPU, CL_TRUE, "Intel(R) OpenCL", Backend::cpu, HostMemory::shared, false},
    {CL_DEVICE_TYPE_CPU, CL_TRUE, "rusticl", Backend::gpu, HostMemory::shared, false},
    {CL_DEVICE_TYPE_CPU, CL_TRUE, "Portable Computing Language", Backend::cpu, HostMemory::shared, true},
};

TEST (use_of, std::size (kinds))
{
  const Kind &kind = kinds[__i__];
  answer (nullptr, CL_DEVICE_TYPE, kind.type);
  answer (nullptr, CL_DEVICE_HOST_UNIFIED_MEMORY, kind.unified);
  answer (nullptr, CL_PLATFORM_NAME, kind.platform);
  const std::vector<Device> devices = list_devices ();
  answer_nothing ();
  ck_assert (!devices.empty ());
  const Device &device = devices.front ();
  ck_assert (device.type == kind.type && device.backend == kind.backend && device.host_memory == kind.host_memory);
  ck_assert (device.is_pocl == kind.is_pocl && device.keeps_programs == kind.is_pocl);
}

/* Two devices, and the chosen one: GPUs with their own memory first, then other GPUs, accelerators and CPUs, of which PoCL's
 * come first; the first of two equal devices. */
struct Pair {
  cl_device_type types[2];
  cl_bool unified[2];
  const char *taken;
  /* null for the driver's own answer */
  const char *platforms[2] = {nullptr, nullptr};
};

/* A platform that only the layer knows. */
static cl_platform_id
absent_platform (int i)
{
  static char places[2];
  return reinterpret_cast<cl_platform_id> (&places[i]);
}

constexpr const char pocl[] = "Portable Computing Language", intel[] = "Intel(R) OpenCL";

const Pair pairs[] = {
    {{CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CPU}, {CL_TRUE, CL_TRUE}, "0:0"},
    {{CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ACCELERATOR}, {CL_TRUE, CL_FALSE}, "0:1"},
    {{CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_GPU}, {CL_FALSE, CL_TRUE}, "0:1"},
    {{CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR}, {CL_TRUE, CL_FALSE}, "0:0"},
    {{CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_GPU}, {CL_TRUE, CL_FALSE}, "0:1"},
    {{CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_GPU}, {CL_FALSE, CL_FALSE}, "0:0"},
    {{CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CPU}, {CL_TRUE, CL_TRUE}, "0:1", {intel, pocl}},
    {{CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CPU}, {CL_TRUE, CL_TRUE}, "0:0", {pocl, intel}},
    {{CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CPU}, {CL_TRUE, CL_TRUE}, "0:0", {intel, "rusticl"}},
    {{CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU}, {CL_FALSE, CL_TRUE}, "0:0", {"Some FPGA", pocl}},
};

TEST (best_of_two, std::size (pairs))
{
  const std::vector<Device> devices = list_devices ();
  if (devices.size () != 2)
    return; /* the driver ignores POCL_DEVICES */
  for (int i = 0; i < 2; i++) {
    answer (devices[i].handle (), CL_DEVICE_TYPE, pairs[__i__].types[i]);
    answer (devices[i].handle (), CL_DEVICE_HOST_UNIFIED_MEMORY, pairs[__i__].unified[i]);
    if (const char *name = pairs[__i__].platforms[i]) {
      answer (devices[i].handle (), CL_DEVICE_PLATFORM, absent_platform (i));
      answer (absent_platform (i), CL_PLATFORM_NAME, name);
    }
  }
  const Device best = choose_device (""), second = choose_device ("0:1");
  answer_nothing ();
  ck_assert_str_eq (best.numbers ().c_str (), pairs[__i__].taken);
  ck_assert_str_eq (second.numbers ().c_str (), "0:1");
}

/* Frames from another device come by the host, as `stats` says. */
TEST (beside_another)
{
  if (list_devices ().size () != 2)
    return;
  Pipeline pipeline ("videotestsrc num-buffers=2 ! clmedian device=0:0 ! clmedian name=b device=0:1 ! "
                     "video/x-raw(memory:OpenCLMemory) ! fakesink");
  pipeline.play_to_end ();
  ck_assert_str_eq (stat_text (pipeline.element ("b"), "path").c_str (), "host-shared");
}

static std::string
complaint ()
{
  g_autoptr (GError) error = nullptr;
  ck_assert (!run_guarded (&error, [] { choose_device (""); }));
  return error->message;
}

TEST (of_no_use)
{
  const char *const missing = "No OpenCL device was found. Install ";
  for (const cl_device_info what : {CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE}) {
    answer (nullptr, what, cl_bool (CL_FALSE));
    test_check (complaint ().starts_with (missing), "%s", complaint ().c_str ());
    answer_nothing ();
  }
  /* a platform without devices reports this with an error; any other error is an error */
  const auto fail_call = [] (const char *function, unsigned n, int code) {
    plan_faults ({.n = n, .how = faults::How::for_good, .code = code, .function = function});
  };
  const auto fail = [&] (unsigned n, int code) { fail_call ("clGetDeviceIDs", n, code); };
  fail (1, CL_DEVICE_NOT_FOUND);
  test_check (complaint ().starts_with (missing), "%s", complaint ().c_str ());
  fail (1, CL_OUT_OF_HOST_MEMORY);
  expect_words (complaint (), {"clGetDeviceIDs failed with CL_OUT_OF_HOST_MEMORY"});
  /* the first of several failing devices is reported, and a device without a type is not listed */
  fail_call ("clGetDeviceInfo", 1, CL_OUT_OF_RESOURCES);
  ck_assert (list_devices ().empty ());
  fail_call ("clGetDeviceInfo", 1, CL_OUT_OF_RESOURCES);
  expect_words (complaint (), {"clGetDeviceInfo failed with CL_OUT_OF_RESOURCES"});
  fail (0, CL_SUCCESS);
  ck_assert (!list_devices ().empty ());
}

/* cl_nv_device_attribute_query */
TEST (capability_of_nvidia)
{
  const ::cl::Device handle = choose_device ("").handle;
  const auto capability = [&] { return Device (handle).nvidia_capability; };
  if (capability () != 0)
    return; /* a driver with its own answers */
  answer (nullptr, CL_DEVICE_EXTENSIONS, "cl_khr_icd cl_nv_device_attribute_query");
  /* neither query is answered, then only the first is */
  ck_assert_int_eq (capability (), 0);
  answer (nullptr, capability_major, cl_uint (8));
  ck_assert_int_eq (capability (), 0);
  answer (nullptr, capability_minor, cl_uint (6));
  ck_assert_int_eq (capability (), 86);
  answer_nothing ();
  ck_assert_int_eq (capability (), 0);
}

/* What is known of vendors: from which compute capability on NVIDIA's devices have what, and groups for AMD's and Intel's. */
TEST (facts_of_vendors)
{
  Device device = choose_device ("");
  device.is_pocl = false;
  const struct {
    bool (*has) (const Device &);
    int capability;
  } facts[] = {{vendors::has_quick_denormals, 1}, {vendors::has_half_sums, 72}, {vendors::has_half_minima, 80},
      {vendors::has_matrix_units, 80}, {vendors::has_paired_minima, 90}, {vendors::takes_pairs, 1}};
  for (const auto &[has, capability] : facts)
    for (int step : {-1, 0}) {
      device.nvidia_capability = capability + step;
      ck_assert (has (device) == (step == 0));
    }
  device.nvidia_capability = 0;
  device.is_pocl = true;
  ck_assert (vendors::takes_pairs (device) && !vendors::has_quick_denormals (device));
  for (const auto &[vendor, items] : {std::pair (0x10deu, 0), {0x1002u, 256}, {0x8086u, 128}}) {
    device.vendor_id = vendor;
    const auto [x, y] = vendors::group_of (device);
    ck_assert_int_eq (x * y, items);
  }
}

/* A compiler that joins work items into vectors is kept from it in every form of kernels: the gpu form of clmedian compiled for minutes. */
TEST (vectors_of, 4)
{
  const bool joins = __i__ % 2;
  const Backend backend = __i__ < 2 ? Backend::cpu : Backend::gpu;
  answer (nullptr, CL_DEVICE_EXTENSIONS, joins ? "cl_khr_icd cl_intel_vec_len_hint" : "cl_khr_icd");
  const ContextRef context = create_context ("");
  answer_nothing ();
  Context::of (context.get ()).failed = true; /* nobody gets this context again */
  Kernels kernels (Context::of (context.get ()), *find_format (GST_VIDEO_FORMAT_GRAY8), backend);
  const KernelSpec spec{.sources = {"lib/copy.cl"}, .function = "copy_plane"};
  const ProgramSpec program = kernels.program_of (spec, {}, 1, true);
  ck_assert ((program.sources.front () == "lib/narrow.clh") == joins);
}

/* Properties of a device for which other kernels are measured, or none. */
struct Measured {
  cl_device_type type;
  cl_bool images;
  cl_ulong local_bytes;
  size_t group;
};

const Measured measured[] = {
    {CL_DEVICE_TYPE_GPU, CL_TRUE, 1 << 16, 64},
    {CL_DEVICE_TYPE_GPU, CL_FALSE, 0, 32},
    {CL_DEVICE_TYPE_CPU, CL_TRUE, 1 << 16, 16},
};

/* Each supported figure is measured once; later requests read it from disk. */
TEST (figures_of, std::size (measured))
{
  const Measured &wanted = measured[__i__];
  std::filesystem::remove_all (disk_cache::folder ());
  answer (nullptr, CL_DEVICE_TYPE, wanted.type);
  answer (nullptr, CL_DEVICE_IMAGE_SUPPORT, wanted.images);
  answer (nullptr, CL_DEVICE_LOCAL_MEM_SIZE, wanted.local_bytes);
  answer (nullptr, CL_DEVICE_MAX_WORK_GROUP_SIZE, wanted.group);
  /* copies little */
  answer (nullptr, CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong (4 << 20));
  {
    const ContextRef context = create_context ("");
    const DeviceFigures figures = ensure_figures (Context::of (context.get ()));
    for (const FigureField &field : figure_fields ())
      test_check (field.optional || figures.*field.value > 0, "%s is %g", field.name, figures.*field.value);
    ck_assert ((figures.image_copy_gb_s > 0) == (wanted.images == CL_TRUE));
    ck_assert ((figures.local_read_gb_s > 0) == (wanted.local_bytes > 0));
    /* the last digits of numbers in files may differ */
    const DeviceFigures again = ensure_figures (Context::of (context.get ()));
    ck_assert (again.measured == figures.measured && std::abs (again.copy_gb_s / figures.copy_gb_s - 1) < 1e-9);
    Context::of (context.get ()).failed = true; /* nobody gets this context again */
  }
  answer_nothing ();
}

}  // namespace test::devices_suite

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fakes.hpp"

#include "census.hpp"
#include "give.hpp"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace {

cl_icd_dispatch below;
std::atomic<bool> skips_kernels = false;

/* The compiler's data about a program, for callers that look up kernels and arguments by name. */
struct Argument {
  std::string name, type;
  cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
};
struct Declared {
  std::vector<std::string> kernels;
  std::map<std::string, std::vector<Argument>> arguments;
};
using DeclaredRef = std::shared_ptr<const Declared>;

/* A replacement for a kernel. Loaders expect the function table at the start of every object. */
struct FakeKernel {
  const cl_icd_dispatch *dispatch = &below;
  std::atomic<unsigned> references = 1;
  std::vector<Argument> arguments;
};

/* A program that the driver does not get. */
struct Kept {
  std::string text;
  DeclaredRef declared;
};

std::mutex mutex;
/* with mutex held; all compiled programs are kept, by options and text */
std::set<const void *> fake_kernels;
std::map<cl_program, Kept> programs;
std::map<std::string, DeclaredRef> compiled;

FakeKernel *
fake_of (cl_kernel kernel)
{
  const std::lock_guard lock (mutex);
  return fake_kernels.contains (kernel) ? reinterpret_cast<FakeKernel *> (kernel) : nullptr;
}

/* Passes the program to the driver without building it: PoCL takes longer to read an empty program than a test with fakes
 * takes. */
cl_program CL_API_CALL
create_program (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *error)
{
  if (!skips_kernels)
    return below.clCreateProgramWithSource (context, n, texts, lengths, error);
  const char *source = "kernel void empty () {}";
  const cl_program program = below.clCreateProgramWithSource (context, 1, &source, nullptr, error);
  Kept kept;
  for (cl_uint i = 0; i < n; i++)
    kept.text += lengths && lengths[i] > 0 ? std::string (texts[i], lengths[i]) : texts[i];
  const std::lock_guard lock (mutex);
  if (program)
    programs[program] = std::move (kept);
  return program;
}

std::string
argument_text (cl_kernel kernel, cl_uint i, cl_kernel_arg_info what)
{
  char text[200] = "";
  below.clGetKernelArgInfo (kernel, i, what, sizeof text, text, nullptr);
  return text;
}

std::vector<Argument>
arguments_of (cl_kernel kernel)
{
  std::vector<Argument> arguments;
  cl_uint n = 0;
  below.clGetKernelInfo (kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, nullptr);
  for (cl_uint i = 0; i < n; i++) {
    Argument argument{argument_text (kernel, i, CL_KERNEL_ARG_NAME), argument_text (kernel, i, CL_KERNEL_ARG_TYPE_NAME)};
    below.clGetKernelArgInfo (kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof argument.address, &argument.address, nullptr);
    arguments.push_back (std::move (argument));
  }
  return arguments;
}

/* Compiles a program only for this query; first without PoCL's built-in declarations, which take longer than everything
 * else. */
DeclaredRef
compile (cl_context context, const std::string &text, const std::string &options)
{
  auto found = std::make_shared<Declared> ();
  const char *source = text.c_str ();
  const cl_program program = below.clCreateProgramWithSource (context, 1, &source, nullptr, nullptr);
  cl_uint n = 0;
  for (const char *more : {" -D_OPENCL_H_", ""})
    if (below.clBuildProgram (program, 0, nullptr, (options + more).c_str (), nullptr, nullptr) == CL_SUCCESS) {
      below.clCreateKernelsInProgram (program, 0, nullptr, &n);
      break;
    }
  std::vector<cl_kernel> kernels (n);
  if (n > 0)
    below.clCreateKernelsInProgram (program, n, kernels.data (), nullptr);
  for (const cl_kernel kernel : kernels) {
    char name[200] = "";
    below.clGetKernelInfo (kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
    found->kernels.emplace_back (name);
    found->arguments[name] = arguments_of (kernel);
    below.clReleaseKernel (kernel);
  }
  below.clReleaseProgram (program);
  return found;
}

/* Compiles a program only if its arguments are looked up by name, once in a process. */
cl_int CL_API_CALL
build_program (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
    void (CL_CALLBACK *notify) (cl_program, void *), void *data)
{
  if (!skips_kernels)
    return below.clBuildProgram (program, n, devices, options, notify, data);
  if (!options || !std::strstr (options, "-cl-kernel-arg-info"))
    return CL_SUCCESS;
  cl_context context = nullptr;
  below.clGetProgramInfo (program, CL_PROGRAM_CONTEXT, sizeof context, &context, nullptr);
  const std::lock_guard lock (mutex);
  Kept &kept = programs[program];
  DeclaredRef &declared = compiled[std::string (options) + "\n" + kept.text];
  if (!declared)
    declared = compile (context, kept.text, options);
  kept.declared = declared;
  return declared->kernels.empty () ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

/* Called before the driver's release. */
cl_int CL_API_CALL
release_program (cl_program program)
{
  cl_uint references = 0;
  below.clGetProgramInfo (program, CL_PROGRAM_REFERENCE_COUNT, sizeof references, &references, nullptr);
  if (references == 1) {
    const std::lock_guard lock (mutex);
    programs.erase (program);
  }
  return below.clReleaseProgram (program);
}

DeclaredRef
declared_by (cl_program program)
{
  const std::lock_guard lock (mutex);
  const auto kept = programs.find (program);
  return kept == programs.end () ? nullptr : kept->second.declared;
}

Answer
program_info (cl_program program, cl_program_info what)
{
  const DeclaredRef declared = declared_by (program);
  if (!declared || (what != CL_PROGRAM_NUM_KERNELS && what != CL_PROGRAM_KERNEL_NAMES))
    return {};
  if (what == CL_PROGRAM_NUM_KERNELS)
    return bytes (declared->kernels.size ());
  std::string names;
  for (const std::string &name : declared->kernels)
    names += (names.empty () ? "" : ";") + name;
  return bytes (names);
}

Answer
build_info (cl_program program, cl_device_id, cl_program_build_info what)
{
  return what == CL_PROGRAM_BUILD_LOG && declared_by (program) ? bytes (std::string ()) : Answer ();
}

cl_kernel CL_API_CALL
create_kernel (cl_program program, const char *name, cl_int *error)
{
  if (!skips_kernels)
    return below.clCreateKernel (program, name, error);
  auto *fake = new FakeKernel;
  if (const DeclaredRef declared = declared_by (program))
    if (const auto found = declared->arguments.find (name); found != declared->arguments.end ())
      fake->arguments = found->second;
  const std::lock_guard lock (mutex);
  fake_kernels.insert (fake);
  if (error)
    *error = CL_SUCCESS;
  return reinterpret_cast<cl_kernel> (fake);
}

cl_int CL_API_CALL
retain_kernel (cl_kernel kernel)
{
  FakeKernel *fake = fake_of (kernel);
  if (!fake)
    return below.clRetainKernel (kernel);
  fake->references++;
  return CL_SUCCESS;
}

cl_int CL_API_CALL
release_kernel (cl_kernel kernel)
{
  FakeKernel *fake = fake_of (kernel);
  if (!fake)
    return below.clReleaseKernel (kernel);
  if (--fake->references > 0)
    return CL_SUCCESS;
  const std::lock_guard lock (mutex);
  fake_kernels.erase (fake);
  delete fake;
  return CL_SUCCESS;
}

/* No kernel requires a size, and this is the answer to all other numbers. */
Answer
work_group_info (cl_kernel kernel, cl_device_id, cl_kernel_work_group_info what)
{
  if (!fake_of (kernel))
    return {};
  return what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE ? bytes (std::array<size_t, 3>{}) : bytes (size_t (1024));
}

cl_int CL_API_CALL
kernel_info (cl_kernel kernel, cl_kernel_info what, size_t capacity, void *value, size_t *size_ret)
{
  const FakeKernel *fake = fake_of (kernel);
  if (!fake || what != CL_KERNEL_NUM_ARGS)
    return fake ? CL_INVALID_VALUE : below.clGetKernelInfo (kernel, what, capacity, value, size_ret);
  const cl_uint n = cl_uint (fake->arguments.size ());
  return give (&n, sizeof n, capacity, value, size_ret);
}

cl_int CL_API_CALL
argument_info (cl_kernel kernel, cl_uint i, cl_kernel_arg_info what, size_t capacity, void *value, size_t *size_ret)
{
  const FakeKernel *fake = fake_of (kernel);
  if (!fake)
    return below.clGetKernelArgInfo (kernel, i, what, capacity, value, size_ret);
  if (i >= fake->arguments.size ())
    return CL_INVALID_ARG_INDEX;
  const Argument &argument = fake->arguments[i];
  if (what == CL_KERNEL_ARG_ADDRESS_QUALIFIER)
    return give (&argument.address, sizeof argument.address, capacity, value, size_ret);
  const std::string &text = what == CL_KERNEL_ARG_NAME ? argument.name : argument.type;
  return give (text.c_str (), text.size () + 1, capacity, value, size_ret);
}

constexpr auto sets = [] (auto original, const char *, cl_kernel kernel, auto... rest) {
  return fake_of (kernel) ? CL_SUCCESS : original (kernel, rest...);
};

constexpr auto enqueues = [] (auto original, const char *, cl_command_queue queue, cl_kernel kernel, auto... rest) {
  const std::tuple all (rest...);
  return fake_of (kernel) ? below.clEnqueueMarkerWithWaitList (queue, std::get<4> (all), std::get<5> (all), std::get<6> (all))
                          : original (queue, kernel, rest...);
};

}  // namespace

std::string
fakes::text_of (cl_program program)
{
  const std::lock_guard lock (mutex);
  return programs[program].text;
}

cl_icd_dispatch
fakes::before (const cl_icd_dispatch &next)
{
  below = next;
  cl_icd_dispatch hooks = next;
  hooks.clCreateProgramWithSource = create_program;
  hooks.clBuildProgram = build_program;
  hooks.clReleaseProgram = release_program;
  LAYER_HOOK (hooks, below, queries<program_info>, clGetProgramInfo);
  LAYER_HOOK (hooks, below, queries<build_info>, clGetProgramBuildInfo);
  LAYER_HOOK (hooks, below, queries<work_group_info>, clGetKernelWorkGroupInfo);
  hooks.clGetKernelInfo = kernel_info;
  hooks.clGetKernelArgInfo = argument_info;
  hooks.clCreateKernel = create_kernel;
  hooks.clRetainKernel = retain_kernel;
  hooks.clReleaseKernel = release_kernel;
  LAYER_HOOK (hooks, below, sets, clSetKernelArg);
  LAYER_HOOK (hooks, below, enqueues, clEnqueueNDRangeKernel);
  return hooks;
}

extern "C" [[gnu::visibility ("default")]] void
cl_census_skip_kernels (bool skips)
{
  skips_kernels = skips;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/program.hpp"

#include "core/arithmetic.hpp"
#include "core/debug.hpp"
#include "core/diskcache.hpp"
#include "core/environment.hpp"
#include "core/sources.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clprogrambuild", "OpenCL program builds">)

namespace gst::cl {

namespace {

/* GST_CL_BUILD_OPTIONS lets a developer test the kernels with other options, such as without the optimiser, in a fraction of
 * the time. */
std::string
options_of (const ProgramSpec &spec)
{
  const char *more = environment ("GST_CL_BUILD_OPTIONS");
  return std::string ("-cl-std=CL1.2 ") + (more && *more ? std::string (more) + " " : "")
         + (spec.text.empty () ? "" : "-cl-kernel-arg-info ") + spec.options;
}

/* PoCL prints the number of warnings on standard error, and Clang warns of each loop that it does not unroll, which users
 * cannot change. So warnings are off, except for authors of kernels. */
std::string
build_options (const ProgramSpec &spec)
{
  static const bool in_the_making = environment ("GST_CL_KERNEL_PATH");
  return options_of (spec) + (spec.text.empty () && !in_the_making ? " -w" : "");
}

const std::string &
name_of (const ProgramSpec &spec)
{
  return spec.text.empty () ? spec.sources.back () : spec.name;
}

/* An application's context may have other devices, too. */
std::vector<unsigned char>
binary_for (const ::cl::Program &program, const ::cl::Device &device)
{
  const std::vector<std::vector<unsigned char>> binaries = program.getInfo<CL_PROGRAM_BINARIES> ();
  const std::vector<::cl::Device> devices = program.getInfo<CL_PROGRAM_DEVICES> ();
  for (size_t i = 0; i < devices.size () && i < binaries.size (); i++)
    if (devices[i]() == device ())
      return binaries[i];
  return {};
}

/* Replaces the bindings' build(), which always reads the log, and fails if the log cannot be read. */
cl_int
build_program (const ::cl::Program &program, const Device &device, const std::string &options)
{
  const cl_device_id id = device.handle ();
  return clBuildProgram (program (), 1, &id, options.c_str (), nullptr, nullptr);
}

std::string
log_of (const ::cl::Program &program, const Device &device)
{
  try {
    return program.getBuildInfo<CL_PROGRAM_BUILD_LOG> (device.handle);
  } catch (const ::cl::Error &error) {
    return std::string (error.what ()) + ": " + error_name (error.err ());
  }
}

/* Logs the size of a built program; ./run bench builds reads these lines. PTX begins with a comment. */
void
log_figures (const ProgramSpec &spec, ::cl::Program program, const Device &device)
{
  if (gst_debug_category_get_threshold (GST_CAT_DEFAULT) < GST_LEVEL_LOG)
    return;
  const std::vector<unsigned char> binary = binary_for (program, device.handle);
  const bool is_ptx = binary.size () > 2 && binary[0] == '/' && binary[1] == '/';
  std::vector<::cl::Kernel> kernels;
  program.createKernels (&kernels);
  cl_ulong scratch = 0, local = 0;
  /* not on PoCL, which would compile the kernels for these figures */
  for (const ::cl::Kernel &kernel : device.is_pocl ? std::vector<::cl::Kernel> () : kernels) {
    scratch = std::max<cl_ulong> (scratch, kernel.getWorkGroupInfo<CL_KERNEL_PRIVATE_MEM_SIZE> (device.handle));
    local = std::max<cl_ulong> (local, kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE> (device.handle));
  }
  std::string log = log_of (program, device);
  std::ranges::replace (log, '\n', ' ');
  GST_LOG ("%s: ptx-lines %zu, private-bytes %" G_GUINT64_FORMAT ", local-bytes %" G_GUINT64_FORMAT "; %s",
      name_of (spec).c_str (), is_ptx ? size_t (std::ranges::count (binary, '\n')) : 0, guint64 (scratch), guint64 (local),
      log.c_str ());
}

/* The user's text after a #line, whose name is a C string. */
std::string
own_source (const ProgramSpec &spec)
{
  if (spec.text.empty ())
    return "";
  std::string name;
  for (const char c : spec.name)
    name += c == '"' || c == '\\' ? std::string ("\\") + c : c == '\n' ? " " : std::string (1, c);
  return "#line 1 \"" + name + "\"\n" + spec.text + "\n";
}

bool
is_ready (const auto &future)
{
  return future.wait_for (std::chrono::seconds (0)) == std::future_status::ready;
}

bool
has_failed (const auto &future)
{
  if (!is_ready (future))
    return false;
  try {
    future.get ();
    return false;
  } catch (...) {
    return true;
  }
}

using HeapBlock = std::unique_ptr<void, decltype (&std::free)>;

/* PoCL reads its library of functions into 120 MB of small objects, for which glibc would grow the thread's heap page by page.
 * Grows it in large steps and with large pages; it keeps them as long as the result exists. */
HeapBlock
grow_heap ()
{
  constexpr size_t block_bytes = 20 << 20, page = 2 << 20, steps = 7;
  std::vector<HeapBlock> blocks;
  for (size_t i = 0; i <= steps; i++) {
    const auto start = reinterpret_cast<uintptr_t> (blocks.emplace_back (std::malloc (block_bytes), std::free).get ());
    madvise (reinterpret_cast<void *> (round_up (start, page)), block_bytes - page, MADV_HUGEPAGE);
    if (i == 0)
      blocks.clear (); /* from now on glibc takes blocks of this size from the heap */
  }
  return std::move (blocks.back ());
}

ProgramRef
share (const ::cl::Program &program)
{
  return std::make_shared<const ::cl::Program> (program);
}

}  // namespace

ProgramCache::ProgramCache (::cl::Context context_, Device device_, BeforeBackground before_background_)
    : context (std::move (context_)), device (std::move (device_)), before_background (before_background_)
{
}

ProgramCache::~ProgramCache ()
{
  ends = true;
  finish ();
}

void
ProgramCache::finish ()
{
  std::vector<std::future<void>> builds;
  {
    const std::lock_guard lock (mutex);
    builds.swap (background);
  }
  for (const std::future<void> &each : builds)
    each.wait ();
}

void
ProgramCache::save (const std::string &key, const ::cl::Program &program) const
{
  const disk_cache::Binary note{'-'};
  try {
    const disk_cache::Binary content = device.keeps_programs ? note : binary_for (program, device.handle);
    if (!content.empty ())
      disk_cache::store (key, content);
  } catch (const ::cl::Error &error) {
    /* the program works without it */
    GST_INFO ("not stored for the next start: %s failed with %s", error.what (), error_name (error.err ()).c_str ());
  }
}

::cl::Program
ProgramCache::compile (const ProgramSpec &spec, const std::string &source) const
{
  ::cl::Program program (context, source);
  const std::string options = build_options (spec);
  const cl_int code = build_program (program, device, options);
  if (code == CL_SUCCESS)
    return program;
  if (code != CL_BUILD_PROGRAM_FAILURE && code != CL_INVALID_BUILD_OPTIONS)
    throw ::cl::Error (code, "clBuildProgram");
  const std::string log = log_of (program, device);
  const bool is_silent = log.find_first_not_of (" \t\r\n") == std::string::npos;
  throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
      "The OpenCL kernel " + name_of (spec) + " failed to build on " + device.name
          + (is_silent
                  ? ". The driver gives no compiler log; another one, such as PoCL (GST_CL_DEVICE=cpu), may say what is wrong."
                  : ". What the compiler says is in the details of this message."),
      "clBuildProgram: " + error_name (code) + ", options: " + options
          + (is_silent ? "" : "\n" + restore_places (log, source)));
}

/* See lib/builtins.clh and lib/pocl.clh. A user's text may call functions that no file here declares. */
::cl::Program
ProgramCache::compile_short (const ProgramSpec &spec, const std::string &source) const
{
  if (!device.is_pocl)
    return compile (spec, source);
  const bool is_users = !spec.text.empty ();
  ProgramSpec with_declarations = spec;
  with_declarations.options += " -D_OPENCL_H_";
  try {
    std::vector<std::string> declarations{"lib/builtins.clh", "lib/pocl.clh"};
    if (is_users)
      declarations.emplace_back ("lib/more_builtins.clh");
    return compile (with_declarations, join_sources (declarations) + source);
  } catch (const Failure &failure) {
    const ::cl::Program program = compile (spec, join_sources ({"lib/pocl.clh"}) + source);
    GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT, is_users ? GST_LEVEL_INFO : GST_LEVEL_WARNING, nullptr,
        "%s needs more functions than lib/builtins.clh declares: %s", name_of (spec).c_str (), failure.what ());
    return program;
  }
}

::cl::Program
ProgramCache::load_binary (const ProgramSpec &spec, const std::vector<unsigned char> &binary) const
{
  ::cl::Program program (context, {device.handle}, {binary});
  /* a binary may be intermediate code that the driver compiles, with the options */
  if (const cl_int code = build_program (program, device, build_options (spec)); code != CL_SUCCESS)
    throw ::cl::Error (code, "clBuildProgram");
  return program;
}

std::string
ProgramCache::key_of (const ProgramSpec &spec, const std::string &source) const
{
  return device.platform_name + "\n" + device.name + "\n" + device.driver_version + "\n"
         + (device.keeps_programs ? disk_cache::driver_folder () + "\n" : "") + options_of (spec) + "\n" + source;
}

bool
ProgramCache::is_at_hand (const ProgramSpec &spec)
{
  {
    const std::lock_guard lock (mutex);
    if (slots.contains (spec))
      return false;
  }
  return spec.text.empty () && disk_cache::holds (key_of (spec, join_sources (spec.sources)));
}

ProgramCache::Built
ProgramCache::build (const ProgramSpec &spec)
{
  Built program = build_or_read (spec);
  if (spec.text.empty ())
    ++(program.from_disk ? from_disk : built);
  return program;
}

ProgramCache::Built
ProgramCache::build_or_read (const ProgramSpec &spec)
{
  const auto start = std::chrono::steady_clock::now ();
  const auto elapsed_ms = [start] {
    return std::chrono::duration<double, std::milli> (std::chrono::steady_clock::now () - start).count ();
  };
  const std::string source = join_sources (spec.sources) + own_source (spec);
  if (!spec.text.empty ()) {
    const ::cl::Program program = compile_short (spec, source);
    return {share (program), false, elapsed_ms ()};
  }
  const std::string key = key_of (spec, source);
  const auto binary = device.keeps_programs ? std::nullopt : disk_cache::load (key);
  if (binary) {
    try {
      return {share (load_binary (spec, *binary)), true, elapsed_ms ()};
    } catch (const ::cl::Error &error) {
      GST_INFO ("the driver refused a cached program (%s), building it again", error_name (error.err ()).c_str ());
    }
  }
  const bool known = device.keeps_programs && disk_cache::holds (key);
  static std::mutex one_build; /* PoCL's own; here the thread that grows the heap is the first to build */
  static bool grown = false;
  std::unique_lock lock = device.is_pocl && !known ? std::unique_lock (one_build) : std::unique_lock<std::mutex> ();
  if (ends)
    throw ::cl::Error (CL_INVALID_CONTEXT, "clBuildProgram");
  const HeapBlock block = lock && !std::exchange (grown, true) ? grow_heap () : HeapBlock (nullptr, std::free);
  const ::cl::Program program = compile_short (spec, source);
  lock = {};
  if (!known) {
    save (key, program);
    log_figures (spec, program, device);
  }
  GST_INFO (
      "%s %s in %.0f ms: %s", known ? "read" : "built", spec.sources.back ().c_str (), elapsed_ms (), spec.options.c_str ());
  return {share (program), known, elapsed_ms ()};
}

ProgramCache::Build
ProgramCache::find_or_build (const ProgramSpec &spec, bool in_background, bool again)
{
  const auto task = std::make_shared<std::packaged_task<Built ()>> ([this, spec] { return build (spec); });
  Build built;
  std::vector<Build> dropped;
  {
    const std::lock_guard lock (mutex);
    const auto found = slots.find (spec);
    if (found != slots.end () && !(again && has_failed (found->second.built)))
      return found->second.built;
    slots.erase (spec);
    built = task->get_future ().share ();
    if (in_background && before_background)
      before_background (spec);
    std::erase_if (background, [] (const std::future<void> &each) { return is_ready (each); });
    if (in_background)
      background.push_back (std::async (std::launch::async, [task] { (*task) (); }));
    dropped = drop_idle ();
    slots.emplace (spec, Slot{.built = built, .used = ++uses});
  }
  if (!in_background)
    (*task) ();
  return built;
}

ProgramRef
ProgramCache::get (const ProgramSpec &spec, BuildCounts &counts)
{
  return take (spec, find_or_build (spec, false, true), counts);
}

ProgramRef
ProgramCache::take (const ProgramSpec &spec, const Build &future, BuildCounts &counts)
{
  try {
    const Built &built = future.get ();
    const std::lock_guard lock (mutex);
    const auto slot = slots.find (spec);
    const bool is_first = slot != slots.end () && !std::exchange (slot->second.counted, true);
    if (slot != slots.end ())
      slot->second.used = ++uses;
    const bool builds = is_first && !built.from_disk;
    counts += {builds, !builds, builds ? built.ms : 0};
    return built.program;
  } catch (...) {
    /* the next call builds again, because the source may have changed */
    const std::lock_guard lock (mutex);
    slots.erase (spec);
    throw;
  }
}

ProgramRef
ProgramCache::try_get (const ProgramSpec &spec, BuildCounts &counts)
{
  const Build built = find_or_build (spec, !is_at_hand (spec), false);
  if (!is_ready (built))
    return nullptr;
  return take (spec, built, counts);
}

/* Whether the build has ended and the program has no other user. */
bool
ProgramCache::Slot::is_idle () const
{
  return is_ready (built) && (has_failed (built) || built.get ().program.use_count () == 1);
}

std::vector<ProgramCache::Build>
ProgramCache::drop_idle ()
{
  std::vector<std::map<ProgramSpec, Slot>::iterator> idle;
  for (auto each = slots.begin (); each != slots.end (); ++each)
    if (each->second.is_idle ())
      idle.push_back (each);
  std::vector<Build> dropped;
  if (idle.size () <= most_idle)
    return dropped;
  const auto kept = idle.end () - most_idle;
  std::ranges::nth_element (idle, kept, {}, [] (const auto &each) { return each->second.used; });
  for (auto each = idle.begin (); each != kept; ++each) {
    dropped.push_back ((*each)->second.built);
    slots.erase (*each);
  }
  return dropped;
}

}  // namespace gst::cl

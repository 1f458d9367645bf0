/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/compiler.hpp"

#include "core/debug.hpp"
#include "core/files.hpp"
#include "core/ref.hpp"
#include "core/sources.hpp"

#include <gst/gst.h>

#include <csignal>
#include <dlfcn.h>
#include <filesystem>
#include <list>
#include <map>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT (gst::cl::debug_category<"clcompiler", "kernels compiled by another process">)

namespace gst::cl {

namespace {

/* The compiling program beside this library, both installed and in the build folder; "" if there is none. */
std::string
find_program ()
{
  Dl_info info;
  if (!dladdr (reinterpret_cast<void *> (&to_text), &info) || !info.dli_fname)
    return "";
  const std::filesystem::path folder = std::filesystem::absolute (info.dli_fname).parent_path ();
  for (const char *place : {"gst-plugins-cl/gst-cl-compiler", "gst-cl-compiler"})
    if (const std::filesystem::path path = folder / place; access (path.c_str (), X_OK) == 0)
      return path.string ();
  return "";
}

/* An anonymous file with the text, positioned at its beginning; none on failure. */
Descriptor
file_of (const std::string &text)
{
  Descriptor file (memfd_create ("gst-cl-request", MFD_CLOEXEC));
  const bool is_written = file && write (file.get (), text.data (), text.size ()) == ssize_t (text.size ())
                          && lseek (file.get (), 0, SEEK_SET) == 0;
  return is_written ? std::move (file) : Descriptor ();
}

}  // namespace

Compiler::Compiler (const Device &device_, ProgramCache &programs_, BeforeBackground before_background_)
    : device (device_), programs (programs_), before_background (before_background_)
{
}

Compiler::~Compiler ()
{
  stop ();
}

void
Compiler::note (const ProgramSpec &program, const std::string &function)
{
  const std::lock_guard lock (mutex);
  known.emplace (program, function);
}

bool
Compiler::knows (const KernelForm &form) const
{
  const std::lock_guard lock (mutex);
  return known.contains ({form.program, form.function});
}

std::shared_ptr<Compiler::Request>
Compiler::compile (std::vector<KernelForm> forms)
{
  const auto request = std::make_shared<Request> ();
  request->forms = std::move (forms);
  const std::lock_guard lock (mutex);
  if (stopped) {
    request->done = true;
    return request;
  }
  for (const KernelForm &form : request->forms)
    before_background (form.program);
  if (!queue)
    queue = g_thread_pool_new (
        [] (gpointer data, gpointer compiler) {
          const std::unique_ptr<std::weak_ptr<Request>> waiting (static_cast<std::weak_ptr<Request> *> (data));
          if (const auto wanted = waiting->lock ())
            static_cast<Compiler *> (compiler)->serve (*wanted);
        },
        this, 1, FALSE, nullptr);
  g_thread_pool_push (queue, new std::weak_ptr (request), nullptr);
  return request;
}

void
Compiler::serve (Request &request)
{
  std::unique_lock lock (mutex);
  if (stopped)
    return;
  lock.unlock ();
  fulfil (request);
  lock.lock ();
  for (const KernelForm &form : request.forms)
    if (form.program.text.empty ())
      known.emplace (form.program, form.function);
  request.done = true;
}

void
Compiler::fulfil (const Request &request)
{
  /* the error is reported when an element starts the kernel */
  const auto attempt = [] (const std::function<void ()> &work) {
    g_autoptr (GError) error = nullptr;
    if (!run_guarded (&error, work))
      GST_INFO ("%s", error->message);
  };
  bool is_done = false;
  attempt ([&] { is_done = run (request); });
  for (const KernelForm &form : request.forms)
    if (is_done && form.program.text.empty ())
      attempt ([&] {
        BuildCounts counts;
        programs.get (form.program, counts);
      });
}

bool
Compiler::run (const Request &request)
{
  static const std::string program = find_program ();
  Descriptor input = file_of (to_text (device, request.forms));
  if (program.empty () || !input) {
    GST_WARNING ("gst-cl-compiler was not found next to the library, so the stream waits while PoCL compiles.");
    return false;
  }
  const gint64 start = g_get_monotonic_time ();
  std::string path = program;
  char *arguments[] = {path.data (), nullptr};
  g_autoptr (GError) error = nullptr;
  GPid child = 0;
  bool spawned;
  {
    const std::lock_guard lock (mutex);
    spawned = !stopped
              && g_spawn_async_with_fds (nullptr, arguments, nullptr, G_SPAWN_DO_NOT_REAP_CHILD, nullptr, nullptr, &child,
                  input.get (), -1, -1, &error);
    pid = spawned ? child : 0;
  }
  input = Descriptor ();
  if (!spawned) {
    GST_WARNING ("%s could not be started: %s", program.c_str (), error ? error->message : "the process ends");
    return false;
  }
  siginfo_t info{};
  while (waitid (P_PID, id_t (child), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  const std::lock_guard lock (mutex); /* stop () must not end another process that gets the same number */
  int status = 0;
  const bool reaped = waitpid (child, &status, 0) == child;
  pid = 0;
  const bool done = reaped && WIFEXITED (status) && WEXITSTATUS (status) == 0;
  if (!done && !stopped)
    GST_WARNING ("gst-cl-compiler failed (status %d), so the stream waits while PoCL compiles.", status);
  GST_INFO ("%zu kernels in %" G_GINT64_FORMAT " ms", request.forms.size (), (g_get_monotonic_time () - start) / 1000);
  return done;
}

void
Compiler::stop ()
{
  GThreadPool *ending;
  {
    const std::lock_guard lock (mutex);
    stopped = true;
    if (pid > 0)
      kill (pid, SIGKILL);
    ending = std::exchange (queue, nullptr);
  }
  if (ending)
    g_thread_pool_free (ending, FALSE, TRUE);
}

namespace {

/* The device's numbers and name, sources (name, text), then program (sources, options, text, name), function, global and local
 * size. Strings are bytes, because texts and file names need not be UTF-8. */
#define FORMS_TYPE "a(aayayayayay(tt)(tt))"
#define SOURCES_TYPE "a(ayay)"
constexpr char request_type[] = "(ayay" SOURCES_TYPE FORMS_TYPE ")";

std::vector<KernelForm>
read_forms (GVariant *list)
{
  std::vector<KernelForm> forms;
  GVariantIter each, names;
  g_variant_iter_init (&each, list);
  while (GVariant *next = g_variant_iter_next_value (&each)) {
    const Ref<GVariant> entry (next);
    GVariant *sources;
    const char *options, *text, *name, *function;
    guint64 sizes[4];
    g_variant_get (next, "(@aay^&ay^&ay^&ay^&ay(tt)(tt))", &sources, &options, &text, &name, &function, &sizes[0], &sizes[1],
        &sizes[2], &sizes[3]);
    const Ref<GVariant> held (sources);
    KernelForm form{
        {.sources = {}, .options = options, .text = text, .name = name}, function, {sizes[0], sizes[1]}, {sizes[2], sizes[3]}};
    g_variant_iter_init (&names, sources);
    for (const char *source; g_variant_iter_next (&names, "^&ay", &source);)
      form.program.sources.push_back (source);
    forms.push_back (std::move (form));
  }
  return forms;
}

/* Adds the sources of the requesting process, because its plugins are not loaded here. */
void
add_sources_of (GVariant *list)
{
  static std::list<std::string> texts;
  static std::vector<EmbeddedSource> table;
  const auto keep = [] (const char *text) { return texts.emplace_back (text).c_str (); };
  GVariantIter each;
  g_variant_iter_init (&each, list);
  for (const char *name, *text; g_variant_iter_next (&each, "(^&ay^&ay)", &name, &text);)
    table.push_back ({keep (name), keep (text)});
  add_sources (table);
}

/* Starts a kernel, so that the driver compiles it. In gst-cl-compiler it does not run (compiler/main.cpp), so it gets no buffers,
 * and zeros; only an image must be there. The program is built without information on its arguments, because the driver would cache it
 * as another program with it. So types and sizes are found by trial: the driver refuses an argument of the wrong size. */
void
start (::cl::CommandQueue &queue, ::cl::Kernel kernel, const KernelForm &form, cl_mem image)
{
  static constexpr std::array<char, 1024> zeros{};
  for (cl_uint i = 0; i < kernel.getInfo<CL_KERNEL_NUM_ARGS> (); i++) {
    bool is_set = clSetKernelArg (kernel (), i, sizeof image, &image) == CL_SUCCESS
                  || clSetKernelArg (kernel (), i, sizeof image, nullptr) == CL_SUCCESS;
    for (size_t size = zeros.size (); !is_set && size > 0; size--)
      is_set = clSetKernelArg (kernel (), i, size, zeros.data ()) == CL_SUCCESS;
    if (!is_set)
      throw ::cl::Error (CL_INVALID_ARG_SIZE, "clSetKernelArg");
  }
  queue.enqueueNDRangeKernel (kernel, ::cl::NullRange, ::cl::NDRange (form.global[0], form.global[1]),
      form.local[0] ? ::cl::NDRange (form.local[0], form.local[1]) : ::cl::NullRange);
  queue.finish ();
}

}  // namespace

std::string
to_text (const Device &device, const std::vector<KernelForm> &forms)
{
  std::map<std::string, std::string> texts;
  for (const KernelForm &form : forms)
    for (const std::string &name : form.program.sources)
      if (!texts.contains (name))
        texts.emplace (name, load_source (name));
  GVariantBuilder all_texts, list, sources;
  g_variant_builder_init (&all_texts, G_VARIANT_TYPE (SOURCES_TYPE));
  for (const auto &[name, text] : texts)
    g_variant_builder_add (&all_texts, "(^ay^ay)", name.c_str (), text.c_str ());
  g_variant_builder_init (&list, G_VARIANT_TYPE (FORMS_TYPE));
  for (const KernelForm &form : forms) {
    g_variant_builder_init (&sources, G_VARIANT_TYPE_BYTESTRING_ARRAY);
    for (const std::string &source : form.program.sources)
      g_variant_builder_add (&sources, "^ay", source.c_str ());
    g_variant_builder_add (&list, "(aay^ay^ay^ay^ay(tt)(tt))", &sources, form.program.options.c_str (),
        form.program.text.c_str (), form.program.name.c_str (), form.function.c_str (), guint64 (form.global[0]),
        guint64 (form.global[1]), guint64 (form.local[0]), guint64 (form.local[1]));
  }
  const Ref<GVariant> request (g_variant_ref_sink (g_variant_new (
      "(^ay^ay" SOURCES_TYPE FORMS_TYPE ")", device.numbers ().c_str (), device.name.c_str (), &all_texts, &list)));
  g_autofree gchar *text = g_variant_print (request.get (), FALSE);
  return text;
}

int
serve_request (const std::string &text)
{
  g_autoptr (GError) error = nullptr;
  const Ref<GVariant> request (g_variant_parse (G_VARIANT_TYPE (request_type), text.c_str (), nullptr, nullptr, &error));
  if (!request) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  const char *numbers, *name;
  GVariant *sources, *list;
  g_variant_get (request.get (), "(^&ay^&ay@" SOURCES_TYPE "@" FORMS_TYPE ")", &numbers, &name, &sources, &list);
  const Ref<GVariant> held_sources (sources), held (list);
  try {
    add_sources_of (sources);
    const Device device = choose_device (numbers);
    if (device.name != name)
      throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
          "Device " + std::string (numbers) + " is another device now.", device.name);
    const ::cl::Context context (device.handle);
    ProgramCache programs (context, device);
    ::cl::CommandQueue queue (context, device.handle);
    const ::cl::Image2D image (context, CL_MEM_READ_WRITE, ::cl::ImageFormat (CL_RGBA, CL_UNORM_INT8), 1, 1);
    BuildCounts counts;
    for (const KernelForm &form : read_forms (list)) {
      ::cl::Program program = *programs.get (form.program, counts);
      std::vector<::cl::Kernel> kernels;
      if (form.function.empty ())
        program.createKernels (&kernels);
      else
        kernels.emplace_back (program, form.function.c_str ());
      for (const ::cl::Kernel &kernel : kernels)
        start (queue, kernel, form, image ());
    }
    return 0;
  } catch (const Failure &failure) {
    g_printerr ("%s\n%s\n", failure.what (), failure.debug.c_str ());
  } catch (const ::cl::Error &failure) {
    g_printerr ("%s: %s\n", failure.what (), error_name (failure.err ()).c_str ());
  }
  return 1;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/error.hpp"

#include "core/ref.hpp"
#include "core/vendors.hpp"
#include "core/wait.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace gst::cl {

namespace {

struct ErrorName {
  cl_int code;
  const char *name;
};

#define NAMED(code) ErrorName (code, #code)
constexpr ErrorName error_names[] = {NAMED (CL_DEVICE_NOT_FOUND), NAMED (CL_DEVICE_NOT_AVAILABLE),
    NAMED (CL_COMPILER_NOT_AVAILABLE), NAMED (CL_MEM_OBJECT_ALLOCATION_FAILURE), NAMED (CL_OUT_OF_RESOURCES),
    NAMED (CL_OUT_OF_HOST_MEMORY), NAMED (CL_PROFILING_INFO_NOT_AVAILABLE), NAMED (CL_MEM_COPY_OVERLAP),
    NAMED (CL_IMAGE_FORMAT_MISMATCH), NAMED (CL_IMAGE_FORMAT_NOT_SUPPORTED), NAMED (CL_BUILD_PROGRAM_FAILURE),
    NAMED (CL_MAP_FAILURE), NAMED (CL_MISALIGNED_SUB_BUFFER_OFFSET), NAMED (CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAMED (CL_INVALID_VALUE), NAMED (CL_INVALID_DEVICE_TYPE), NAMED (CL_INVALID_PLATFORM), NAMED (CL_INVALID_DEVICE),
    NAMED (CL_INVALID_CONTEXT), NAMED (CL_INVALID_QUEUE_PROPERTIES), NAMED (CL_INVALID_COMMAND_QUEUE),
    NAMED (CL_INVALID_HOST_PTR), NAMED (CL_INVALID_MEM_OBJECT), NAMED (CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    NAMED (CL_INVALID_IMAGE_SIZE), NAMED (CL_INVALID_BINARY), NAMED (CL_INVALID_BUILD_OPTIONS), NAMED (CL_INVALID_PROGRAM),
    NAMED (CL_INVALID_PROGRAM_EXECUTABLE), NAMED (CL_INVALID_KERNEL_NAME), NAMED (CL_INVALID_KERNEL_DEFINITION),
    NAMED (CL_INVALID_KERNEL), NAMED (CL_INVALID_ARG_INDEX), NAMED (CL_INVALID_ARG_VALUE), NAMED (CL_INVALID_ARG_SIZE),
    NAMED (CL_INVALID_KERNEL_ARGS), NAMED (CL_INVALID_WORK_DIMENSION), NAMED (CL_INVALID_WORK_GROUP_SIZE),
    NAMED (CL_INVALID_WORK_ITEM_SIZE), NAMED (CL_INVALID_GLOBAL_OFFSET), NAMED (CL_INVALID_EVENT_WAIT_LIST),
    NAMED (CL_INVALID_EVENT), NAMED (CL_INVALID_OPERATION), NAMED (CL_INVALID_BUFFER_SIZE), NAMED (CL_INVALID_GLOBAL_WORK_SIZE),
    NAMED (CL_INVALID_PROPERTY), {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
#undef NAMED

/* The reports of an element, and their device. */
struct Reports {
  std::string device;
  std::weak_ptr<std::atomic<bool>> failed;
  /** Whether it has reported that its device fails. */
  bool device_fails = false;
  /** The text of the last failure that it posted. */
  std::string last;
};

std::mutex reports_mutex;

/* Calls work with the element's record, which several threads use. */
template <typename Work>
auto
with_reports (GstElement *element, const Work &work)
{
  const std::lock_guard lock (reports_mutex);
  return work (kept_with<Reports> (element, "gst-cl-reports"));
}

/* The pipelines that had an error about an open device, which its flag identifies. Under reports_mutex. */
std::vector<std::pair<std::weak_ptr<std::atomic<bool>>, gconstpointer>> pipelines_told;

/* Notes that the element's pipeline has an error about the element's device. Returns false if it had one before, or if the
 * element has no device. */
bool
tell_pipeline (GstElement *element)
{
  const gconstpointer pipeline = outermost (element); /* takes objects' locks */
  return with_reports (element, [&] (const Reports &reports) {
    std::erase_if (pipelines_told, [] (const auto &told) { return told.first.expired (); });
    const auto device = reports.failed.lock ();
    const bool is_news = device && std::ranges::none_of (pipelines_told, [&] (const auto &told) {
      return told.first.lock () == device && told.second == pipeline;
    });
    if (is_news)
      pipelines_told.emplace_back (device, pipeline);
    return is_news;
  });
}

/* Compilers quote lines of files in any encoding, and GStreamer drops details that are not UTF-8. */
std::string
readable (std::string text)
{
  if (g_utf8_validate (text.c_str (), -1, nullptr))
    return text;
  g_autofree gchar *valid = g_utf8_make_valid (text.c_str (), -1);
  return valid;
}

/* The failure of a pipeline that waits for a frame of another pipeline. */
Failure
of_neighbour (GstElement *element, const Overdue &overdue)
{
  const std::string device = with_reports (element, [] (const Reports &reports) { return reports.device; });
  return Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
      device
          + " does not finish a kernel of another pipeline, which has an error. Stop that pipeline and start this one again; "
            "if it fails again, restart the program.",
      overdue.what ());
}

}  // namespace

Failure::Failure (GQuark domain_, int code_, const std::string &text, std::string debug_)
    : std::runtime_error (readable (text)), domain (domain_), code (code_), debug (readable (std::move (debug_)))
{
}

bool
is_loss (cl_int code)
{
  switch (code) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case CL_INVALID_GL_OBJECT:
    case CL_INVALID_COMMAND_QUEUE:
    case vendors::nvidia_illegal_access:
      return true;
    default:
      return false;
  }
}

std::string
error_name (cl_int code)
{
  for (const ErrorName &known : error_names)
    if (known.code == code)
      return known.name;
  return "CL error " + std::to_string (code);
}

std::string
reason_of (const std::exception &error)
{
  if (const auto *failure = dynamic_cast<const Failure *> (&error); failure && !failure->debug.empty ())
    return std::string (failure->what ()) + " (" + failure->debug + ")";
  if (const auto *of_opencl = dynamic_cast<const ::cl::Error *> (&error))
    return std::string (of_opencl->what ()) + " failed: " + error_name (of_opencl->err ());
  return error.what ();
}

Failure
to_failure (const ::cl::Error &error, const std::string &device)
{
  const cl_int code = error.err ();
  const std::string name = device.empty () ? "the OpenCL device" : device;
  const std::string debug = std::string (error.what ()) + ": " + error_name (code) + " (" + std::to_string (code) + ")";
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY)
    return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "No memory on " + name + " (" + error.what () + ": " + error_name (code)
            + "). Take smaller frames, end other programs that use the device, or choose another one with the property device.",
        debug);
  return Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
      std::string (error.what ()) + " failed on " + name + ": " + error_name (code)
          + ". Start the pipeline again, which opens the device anew; if it fails again, restart the program, or update the "
            "driver.",
      debug);
}

std::optional<Failure>
failure_of (const std::string &device, const std::function<void ()> &work)
{
  try {
    work ();
    return std::nullopt;
  } catch (const Reported &) {
    throw;
  } catch (const Failure &failure) {
    return failure;
  } catch (const ::cl::Error &error) {
    return to_failure (error, device);
  } catch (const std::bad_alloc &) {
    return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "The computer is out of memory. End other programs, or take smaller frames.", "std::bad_alloc");
  } catch (const std::exception &error) {
    return Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "Internal failure.", error.what ());
  }
}

/* Several threads, and the end of the stream after them, may meet a failing device; links to it fail afterwards. All that is
 * one report. */
void
post_failure (GstElement *element, const Failure &failure)
{
  const bool is_of_device = (failure.domain == GST_LIBRARY_ERROR && failure.code == GST_LIBRARY_ERROR_FAILED)
                            || (failure.domain == GST_RESOURCE_ERROR && failure.code == GST_RESOURCE_ERROR_NO_SPACE_LEFT);
  const bool is_refusal = failure.domain == GST_RESOURCE_ERROR && failure.code == GST_RESOURCE_ERROR_NOT_FOUND;
  const bool is_news = with_reports (element, [&] (Reports &reports) {
    if (const auto failed = is_of_device ? reports.failed.lock () : nullptr)
      *failed = true;
    const bool has_told = is_of_device ? std::exchange (reports.device_fails, true) : is_refusal && reports.device_fails;
    return !has_told && std::exchange (reports.last, failure.what ()) != failure.what ();
  });
  if (is_of_device)
    tell_pipeline (element);
  if (!is_news) {
    GST_INFO_OBJECT (element, "already reported; now: %s", failure.what ());
    return;
  }
  gst_element_message_full (element, GST_MESSAGE_ERROR, failure.domain, failure.code, g_strdup (failure.what ()),
      g_strdup (failure.debug.c_str ()), __FILE__, GST_FUNCTION, __LINE__);
}

gconstpointer
outermost (GstElement *element)
{
  auto *around = static_cast<GstObject *> (gst_object_ref (element));
  while (GstObject *parent = gst_object_get_parent (around)) {
    gst_object_unref (around);
    around = parent;
  }
  gst_object_unref (around);
  return around;
}

void
note_device (GstElement *element, const std::string &name, std::weak_ptr<std::atomic<bool>> failed)
{
  with_reports (element, [&] (Reports &reports) {
    reports.device = name;
    reports.failed = std::move (failed);
  });
}

void
forget_failures (GstElement *element)
{
  with_reports (element, [] (Reports &reports) {
    reports.device_fails = false;
    reports.last.clear ();
  });
}

void
forget_repeats (GstElement *element)
{
  with_reports (element, [] (Reports &reports) { reports.last.clear (); });
}

bool
run_guarded (GError **error, const std::function<void ()> &work)
{
  std::optional<Failure> failure;
  try {
    failure = failure_of ("", work);
  } catch (const Reported &reported) {
    failure.emplace (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, reported.what (), "has been reported");
  }
  if (failure && failure->debug.empty ())
    g_set_error_literal (error, failure->domain, failure->code, failure->what ());
  else if (failure)
    g_set_error (error, failure->domain, failure->code, "%s (%s)", failure->what (), failure->debug.c_str ());
  return !failure;
}

bool
run_guarded (GstElement *element, const std::function<void ()> &work)
{
  std::string none;
  return run_guarded (element, none, work);
}

bool
run_guarded (GstElement *element, std::string &reported, const std::function<void ()> &work)
{
  try {
    const std::optional<Failure> failure =
        failure_of (with_reports (element, [] (const Reports &reports) { return reports.device; }), work);
    if (failure && failure->what () != reported)
      post_failure (element, *failure);
    reported = failure ? failure->what () : "";
    return !failure;
  } catch (const Overdue &overdue) {
    if (tell_pipeline (element))
      post_failure (element, of_neighbour (element, overdue));
    return false;
  } catch (const Reported &) {
    return false;
  }
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/error.hpp"

#include <optional>

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

/* Lets Reported pass, which each caller takes in its own way. */
std::optional<Failure>
catch_failure (const std::function<void ()> &work)
{
  try {
    work ();
    return std::nullopt;
  } catch (const Reported &) {
    throw;
  } catch (const Failure &failure) {
    return failure;
  } catch (const ::cl::Error &error) {
    return to_failure (error);
  } catch (const std::bad_alloc &) {
    return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "Out of memory.", "std::bad_alloc");
  } catch (const std::exception &error) {
    return Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "Internal failure.", error.what ());
  }
}

}  // namespace

Failure::Failure (GQuark domain_, int code_, const std::string &text, std::string debug_)
    : std::runtime_error (text), domain (domain_), code (code_), debug (std::move (debug_))
{
}

std::string
error_name (cl_int code)
{
  for (const ErrorName &known : error_names)
    if (known.code == code)
      return known.name;
  return "CL error " + std::to_string (code);
}

Failure
to_failure (const ::cl::Error &error)
{
  const cl_int code = error.err ();
  const std::string debug = std::string (error.what ()) + ": " + error_name (code) + " (" + std::to_string (code) + ")";
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY)
    return Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "The OpenCL device is out of memory.", debug);
  return Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "An OpenCL call failed.", debug);
}

bool
run_guarded (GError **error, const std::function<void ()> &work)
{
  std::optional<Failure> failure;
  try {
    failure = catch_failure (work);
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
    const std::optional<Failure> failure = catch_failure (work);
    if (failure && failure->what () != reported)
      gst_element_message_full (element, GST_MESSAGE_ERROR, failure->domain, failure->code, g_strdup (failure->what ()),
          g_strdup (failure->debug.c_str ()), __FILE__, GST_FUNCTION, __LINE__);
    reported = failure ? failure->what () : "";
    return !failure;
  } catch (const Reported &) {
    return false;
  }
}

}  // namespace gst::cl

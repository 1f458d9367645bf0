/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failures are exceptions inside the library. Here they become a GError or an element's error message. */
#pragma once

#include "core/opencl.hpp"

#include <gst/cl/gstcl-prelude.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace gst::cl {

/** A failure with the domain, code and texts of its message on the bus. what() is the text for the user. */
class GST_CL_API Failure : public std::runtime_error {
public:
  Failure (GQuark domain, int code, const std::string &text, std::string debug);

  GQuark domain;
  int code;
  /** Details for developers: names, codes, sizes, the compiler's log. */
  std::string debug;
};

/** Ends work whose failure another thread or object has reported. run_guarded () posts no second message for it. */
class GST_CL_API Reported : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/** "CL_OUT_OF_RESOURCES" for -5; "CL error N" for a code without a name here. */
GST_CL_API std::string error_name (cl_int code);

/** Whether a code says that a device, or an object shared with GL, was lost. */
GST_CL_API bool is_loss (cl_int code);

/** The text of an exception with its details, as a part of a longer text. */
std::string reason_of (const std::exception &error);

/** Turns an OpenCL error into a Failure: NO_SPACE_LEFT if memory ran out, else FAILED. device is the device's name, "" if
 *  unknown. */
GST_CL_API Failure to_failure (const ::cl::Error &error, const std::string &device = "");

/** Runs work. Returns its exception as a failure on the device of that name, or nothing if it threw none. Does not catch
 *  Reported. */
GST_CL_API std::optional<Failure> failure_of (const std::string &device, const std::function<void ()> &work);

/** Posts the failure as an error message of element, with two exceptions. An element reports a failing device (LIBRARY, FAILED;
 *  RESOURCE, NO_SPACE_LEFT) only once until forget_failures (); the open device is then marked as failed, so that later elements
 *  open a new one. And an element does not repeat its last message until forget_repeats (), because other elements try the
 *  same caps and frames again. */
GST_CL_API void post_failure (GstElement *element, const Failure &failure);

/** Sets the device that an element's later messages name, and the flag that post_failure () sets if the device fails. Any
 *  thread. */
GST_CL_API void note_device (GstElement *element, const std::string &name, std::weak_ptr<std::atomic<bool>> failed);

/** Call it when an element starts: the next failure of its device is reported again. */
GST_CL_API void forget_failures (GstElement *element);
/** Call it when the stream begins or continues: a message with the same text as the last one is reported again. */
GST_CL_API void forget_repeats (GstElement *element);

/** The pipeline or outermost bin of the element. No reference: the pointer is for comparisons only. */
gconstpointer outermost (GstElement *element);

/** A sentence for messages about a device that does not start. */
inline constexpr char advice_at_start[] = "Try again; if that fails too, update its driver, or choose another one with the "
                                          "property device (cl-info lists them).";

/** Runs work. On an exception it sets error (if not null) and returns false. */
GST_CL_API bool run_guarded (GError **error, const std::function<void ()> &work);

/** Runs work. On an exception it posts one error message of element and returns false. If another pipeline hangs the device
 *  (Overdue), only the first such element of a pipeline posts one. */
GST_CL_API bool run_guarded (GstElement *element, const std::function<void ()> &work);

/** The same for work that is tried repeatedly. reported holds the last text that was posted, which is not posted again. */
GST_CL_API bool run_guarded (GstElement *element, std::string &reported, const std::function<void ()> &work);

}  // namespace gst::cl

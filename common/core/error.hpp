/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failures as exceptions inside, and the one place where they become GError or an element's error message. */
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

/** A failure with everything its message on the bus needs. what() is the text for the user. */
class GST_CL_API Failure : public std::runtime_error {
public:
  Failure (GQuark domain, int code, const std::string &text, std::string debug);

  GQuark domain;
  int code;
  /** What an expert wants to know: names, codes, sizes, the compiler's log. */
  std::string debug;
};

/** Ends work whose failure somebody else has reported: run_guarded () of an element posts nothing for it. */
class GST_CL_API Reported : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/** "CL_OUT_OF_RESOURCES" for -5; "CL error N" for codes this project has no name for. */
GST_CL_API std::string error_name (cl_int code);

/** What went wrong, with the details, for a text that goes on about it. */
std::string reason_of (const std::exception &error);

/** The failure that stands for an exception of the bindings: NO_SPACE_LEFT where memory ran out, else FAILED. device: its name, ""
 *  where it is not known. */
GST_CL_API Failure to_failure (const ::cl::Error &error, const std::string &device = "");

/** What work threw, as a failure on the device of that name; nothing where it threw nothing. Lets Reported pass. */
GST_CL_API std::optional<Failure> failure_of (const std::string &device, const std::function<void ()> &work);

/** Posts the failure as an error message of element. That its device fails (LIBRARY, FAILED; RESOURCE, NO_SPACE_LEFT) an element tells
 *  once until it starts anew, whichever of its threads, pools and frames meet it, and no other element is given the open device from
 *  then on. The failure that an element told last it does not tell again until forget_repeats (): others try the same caps and frames
 *  again. */
GST_CL_API void post_failure (GstElement *element, const Failure &failure);

/** Which device the texts of an element's failures name from now on, and what becomes true where the device fails. Any thread. */
GST_CL_API void note_device (GstElement *element, const std::string &name, std::weak_ptr<std::atomic<bool>> failed);

/** At an element's start: it tells of its device's failures again, once. */
GST_CL_API void forget_failures (GstElement *element);
/** Once the stream begins, or goes on: what the element told last would be another failure now. */
GST_CL_API void forget_repeats (GstElement *element);

/** What users can do about a device that does not start: a sentence. */
inline constexpr char advice_at_start[] = "Try again; if that fails too, update its driver, or choose another one with the "
                                          "property device (cl-info lists them).";

/** Runs work; an exception becomes error (if not null) and false is returned. */
GST_CL_API bool run_guarded (GError **error, const std::function<void ()> &work);

/** Runs work; an exception becomes one error message of element on the bus and false is returned. */
GST_CL_API bool run_guarded (GstElement *element, const std::function<void ()> &work);

/** The same for work that others try again and again: a failure that was reported last is not reported again. */
GST_CL_API bool run_guarded (GstElement *element, std::string &reported, const std::function<void ()> &work);

}  // namespace gst::cl

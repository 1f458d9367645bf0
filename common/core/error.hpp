/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failures as exceptions inside, and the one place where they become GError or an element's error message. */
#pragma once

#include "core/opencl.hpp"

#include <gst/cl/gstcl-prelude.h>

#include <functional>
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

/** The failure that stands for an exception of the bindings: NO_SPACE_LEFT where memory ran out, else FAILED. */
GST_CL_API Failure to_failure (const ::cl::Error &error);

/** Runs work; an exception becomes error (if not null) and false is returned. */
GST_CL_API bool run_guarded (GError **error, const std::function<void ()> &work);

/** Runs work; an exception becomes one error message of element on the bus and false is returned. */
GST_CL_API bool run_guarded (GstElement *element, const std::function<void ()> &work);

/** The same for work that others try again and again: a failure that was reported last is not reported again. */
GST_CL_API bool run_guarded (GstElement *element, std::string &reported, const std::function<void ()> &work);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/diskcache.hpp"
#include "core/error.hpp"

#include "probes.hpp"

#include <CL/cl_ext.h>

namespace {

#ifndef CL_ICDL_OCL_VERSION
constexpr cl_uint CL_ICDL_OCL_VERSION = 1, CL_ICDL_VERSION = 2, CL_ICDL_NAME = 3;
#endif

/* Returns for example "OpenCL ICD Loader 2.3.1, OpenCL 3.0"; older loaders do not support the query. */
std::string
describe_loader ()
{
  /* asks the loader and not a platform, because there may be none */
  using Ask = cl_int (CL_API_CALL *) (cl_uint, size_t, void *, size_t *);
  const auto ask = reinterpret_cast<Ask> (clGetExtensionFunctionAddress ("clGetICDLoaderInfoOCLICD"));
  if (!ask)
    return "(not told)";
  const auto text_of = [ask] (cl_uint name) -> std::string {
    char text[256] = "";
    return ask (name, sizeof text - 1, text, nullptr) == CL_SUCCESS ? text : "";
  };
  return text_of (CL_ICDL_NAME) + " " + text_of (CL_ICDL_VERSION) + ", " + text_of (CL_ICDL_OCL_VERSION);
}

std::string
platform_text (const cl::Platform &platform, cl_platform_info name)
{
  std::string text;
  return platform.getInfo (name, &text) == CL_SUCCESS ? text : "(not told)";
}

/* Sends each answer before the next query, because a query may end the process. */
void
tell_platform (JsonObject *to, const cl::Platform &platform, size_t index)
{
  tell (to, "platform", std::to_string (index));
  try {
    tell (to, "name", platform_text (platform, CL_PLATFORM_NAME));
    tell (to, "vendor", platform_text (platform, CL_PLATFORM_VENDOR));
    tell (to, "version", platform_text (platform, CL_PLATFORM_VERSION));
  } catch (const cl::Error &error) {
    tell (to, "problem", std::string (error.what ()) + ": " + gst::cl::error_name (error.err ()));
    return;
  }
  cl_uint count = 0;
  const cl_int code = clGetDeviceIDs (platform (), CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  tell (to, "devices", code == CL_SUCCESS ? count : 0);
  if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND)
    tell (to, "problem", std::string ("clGetDeviceIDs: ") + gst::cl::error_name (code));
}

}  // namespace

void
tell_platforms (JsonObject *to)
{
  gst::cl::disk_cache::ensure_driver_folder ();
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get (&platforms);
  } catch (const cl::Error &) {
    /* no platform is installed */
  }
  tell (to, "opencl-loader", describe_loader ());
  for (size_t i = 0; i < platforms.size (); i++)
    tell_platform (tell_item (to, "platforms"), platforms[i], i);
}

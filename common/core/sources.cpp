/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/sources.hpp"

#include "core/error.hpp"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

namespace gst::cl {

namespace {

std::optional<std::string>
read_override (const std::string &name)
{
  const char *path = std::getenv ("GST_CL_KERNEL_PATH");
  std::istringstream folders (path ? path : "");
  for (std::string folder; std::getline (folders, folder, ':');) {
    std::ifstream file (folder + "/" + name);
    if (file)
      return std::string (std::istreambuf_iterator<char> (file), {});
  }
  return std::nullopt;
}

std::string
load_source (const std::string &name)
{
  if (const std::optional<std::string> text = read_override (name))
    return *text;
  for (unsigned i = 0; i < n_embedded_sources; i++)
    if (name == embedded_sources[i].name)
      return embedded_sources[i].text;
  throw Failure (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT, "The OpenCL kernel " + name + " is missing.",
      "neither embedded nor in GST_CL_KERNEL_PATH");
}

}  // namespace

std::string
join_sources (const std::vector<std::string> &names)
{
  std::string joined;
  for (const std::string &name : names)
    joined += "#line 1 \"" + name + "\"\n" + load_source (name) + "\n";
  return joined;
}

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "advice.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <glib.h>
#include <set>

namespace {

namespace fs = std::filesystem;

constexpr char usual_vendors[] = "/etc/OpenCL/vendors";

struct Maker {
  /** As the kernel writes the PCI vendor. */
  const char *id;
  const char *name;
  const char *driver;
};

constexpr Maker makers[]{
    {"0x10de", "NVIDIA", "its OpenCL comes with NVIDIA's driver (package nvidia-opencl-icd on Debian)"},
    {"0x1002", "AMD", "its OpenCL is in ROCm, or in Mesa (package mesa-opencl-icd, with RUSTICL_ENABLE=radeonsi)"},
    {"0x8086", "Intel", "its OpenCL is in package intel-opencl-icd"},
};

/* Of the GPUs that the kernel knows. */
std::set<std::string>
gpu_vendors ()
{
  std::set<std::string> found;
  std::error_code error;
  fs::directory_iterator card ("/sys/class/drm", error);
  for (; !error && card != fs::directory_iterator (); card.increment (error)) {
    std::string id;
    if (std::ifstream (card->path () / "device" / "vendor") >> id)
      found.insert (id);
  }
  if (fs::exists ("/proc/driver/nvidia/version", error))
    found.insert (makers[0].id);
  return found;
}

std::string
listed_drivers ()
{
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator file (usual_vendors, error);
  for (; !error && file != fs::directory_iterator (); file.increment (error))
    if (file->path ().extension () == ".icd")
      found.push_back (file->path ().filename ());
  std::ranges::sort (found);
  std::string text;
  for (const std::string &name : found)
    text += (text.empty () ? "" : ", ") + name;
  return text;
}

/* The variables by which loaders are told of other drivers. */
std::string
vendors_elsewhere ()
{
  for (const char *name : {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"})
    if (const char *value = g_getenv (name); value && *value) {
      std::error_code error;
      return std::string (name) + "=" + value + " takes the place of " + usual_vendors
             + (fs::exists (value, error) ? "" : ", and there is no such file or folder") + "; unset it.";
    }
  return "";
}

std::string
why_there_is_none (const Report &report)
{
  if (const std::string elsewhere = vendors_elsewhere (); !elsewhere.empty ())
    return elsewhere;
  const std::string drivers = listed_drivers ();
  if (drivers.empty ())
    return std::string ("No OpenCL driver is installed: ") + usual_vendors + " lists none.";
  return std::string (usual_vendors) + " lists " + drivers
         + (report.platforms.empty () ? ", but no driver there could be loaded" : ", but no driver there has a device")
         + "; cl-info --verbose passes on what drivers print.";
}

bool
has_gpu (const Report &report)
{
  return std::ranges::any_of (report.devices, [] (const DeviceReport &each) { return fact (each.facts, "type") == "GPU"; });
}

}  // namespace

std::vector<std::string>
give_advice (const Report &report)
{
  std::vector<std::string> advice;
  if (!report.devices_ending.empty ())
    advice.push_back ("A driver crashed the program that lists devices (" + report.devices_ending
                      + "). OCL_ICD_VENDORS=" + usual_vendors + "/NAME.icd leaves all but one of them out.");
  if (report.devices.empty ())
    advice.push_back (why_there_is_none (report));
  if (!has_gpu (report)) {
    const std::set<std::string> vendors = gpu_vendors ();
    for (const Maker &maker : makers)
      if (vendors.contains (maker.id))
        advice.push_back (
            std::string ("A GPU of ") + maker.name + " is here, but no OpenCL device of it: " + maker.driver + ".");
  }
  if (report.devices.empty ())
    advice.push_back ("PoCL runs every filter on the CPU: package pocl-opencl-icd on Debian and Ubuntu.");
  else if (const std::string &problem = fact (report.choice, "problem"); !problem.empty ())
    advice.push_back (problem + " Use gpu, cpu, accelerator, numbers such as 0:1, or part of a name.");
  for (const Facts &platform : report.platforms)
    if (const std::string &problem = fact (platform, "problem"); !problem.empty ())
      advice.push_back (
          "Platform " + fact (platform, "platform") + ", " + fact (platform, "name") + ", is left out: " + problem + ".");
  return advice;
}

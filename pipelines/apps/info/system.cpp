/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of the report that need no driver: versions, environment, program cache, advice. */
#include "config.h"
#include "core/diskcache.hpp"

#include "report.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#ifdef G_OS_UNIX
#include <sys/utsname.h>
#endif

namespace {

#ifdef HAVE_GL
constexpr bool with_gl = true;
#else
constexpr bool with_gl = false;
#endif
#ifdef HAVE_VULKAN
constexpr bool with_vulkan = true;
#else
constexpr bool with_vulkan = false;
#endif

std::string
system_name ()
{
  std::string name = text_of (g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME));
  if (name.empty ())
    name = "unknown system";
#ifdef G_OS_UNIX
  utsname uts;
  if (!uname (&uts))
    name += std::string (", ") + uts.sysname + " " + uts.release + " " + uts.machine;
#endif
  return name;
}

/* Prefixes of variables that select drivers or change the plugin's behaviour, and single variables. */
constexpr const char *prefixes[]{"GST_CL_", "GST_GL_", "OCL_ICD_", "OPENCL_", "POCL_", "RUSTICL_"};
constexpr const char *names[]{"DISPLAY", "WAYLAND_DISPLAY", "GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0", "XDG_CACHE_HOME",
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "__GLX_VENDOR_LIBRARY_NAME", "__EGL_VENDOR_LIBRARY_FILENAMES",
    "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "LIBGL_ALWAYS_SOFTWARE"};

namespace fs = std::filesystem;

constexpr char usual_vendors[] = "/etc/OpenCL/vendors";

struct Maker {
  /** The PCI vendor id as the kernel writes it. */
  const char *id;
  const char *name;
  const char *driver;
};

constexpr Maker makers[]{
    {"0x10de", "NVIDIA", "its OpenCL comes with NVIDIA's driver (package nvidia-opencl-icd on Debian)"},
    {"0x1002", "AMD", "its OpenCL is in ROCm, or in Mesa (package mesa-opencl-icd, with RUSTICL_ENABLE=radeonsi)"},
    {"0x8086", "Intel", "its OpenCL is in package intel-opencl-icd"},
};

/* The vendors of the GPUs that the kernel has found. */
std::set<std::string>
gpu_vendors ()
{
  std::set<std::string> found;
  std::error_code error;
  for (const auto &card : fs::directory_iterator ("/sys/class/drm", error))
    if (std::string id; std::ifstream (card.path () / "device" / "vendor") >> id)
      found.insert (id);
  if (fs::exists ("/proc/driver/nvidia/version", error))
    found.insert (makers[0].id);
  return found;
}

std::string
listed_drivers ()
{
  std::vector<std::string> found;
  std::error_code error;
  for (const auto &file : fs::directory_iterator (usual_vendors, error))
    if (file.path ().extension () == ".icd")
      found.push_back (file.path ().filename ());
  std::ranges::sort (found);
  return joined (found);
}

/* The variables that point loaders to other drivers. */
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
why_there_is_none (Json report)
{
  if (const std::string elsewhere = vendors_elsewhere (); !elsewhere.empty ())
    return elsewhere;
  const std::string drivers = listed_drivers ();
  if (drivers.empty ())
    return std::string ("No OpenCL driver is installed: ") + usual_vendors + " lists none.";
  return std::string (usual_vendors) + " lists " + drivers
         + (report.items ("platforms").empty () ? ", but no driver there could be loaded"
                                                : ", but no driver there has a device")
         + "; cl-info --verbose passes on what drivers print.";
}

}  // namespace

void
tell_system (Json to)
{
  Json system = to.add_group ("system");
  system.member ("plugin", PACKAGE_NAME).member ("version", PACKAGE_VERSION);
  system.member ("gl", with_gl ? "yes" : "no").member ("vulkan", with_vulkan ? "yes" : "no");
  system.member ("gstreamer", text_of (gst_version_string ())).member ("system", system_name ());
}

void
tell_variables (Json to)
{
  const Strings all (g_listenv ());
  std::vector<std::string> found;
  for (const std::string &variable : list_of (all.get ()))
    if (std::ranges::any_of (prefixes, [&] (const char *prefix) { return variable.starts_with (prefix); })
        || std::ranges::find (names, variable) != std::end (names))
      found.push_back (variable);
  std::ranges::sort (found);
  Json variables = to.add_group ("variables");
  for (const std::string &name : found)
    variables.member (name, g_getenv (name.c_str ()));
}

void
tell_cache (Json to)
{
  const gst::cl::disk_cache::Usage usage = gst::cl::disk_cache::usage ();
  Json cache = to.add_group ("cache");
  cache.member ("folder", gst::cl::disk_cache::folder ()).member ("entries", usage.entries).member ("bytes", usage.bytes);
  cache.member ("limit-bytes", usage.limit_bytes).member ("oldest", usage.oldest).member ("newest", usage.newest);
}

void
tell_advice (Json report)
{
  JsonArray *advice = report.add_list ("advice");
  const auto add = [advice] (const std::string &text) { json_array_add_string_element (advice, text.c_str ()); };
  const std::string ending = report.text ("devices-ending");
  const std::vector<Json> devices = report.items ("devices");
  if (!ending.empty ())
    add ("A driver crashed the program that lists devices (" + ending + "). OCL_ICD_VENDORS=" + usual_vendors
         + "/NAME.icd leaves all but one of them out.");
  if (devices.empty ())
    add (why_there_is_none (report));
  if (std::ranges::none_of (devices, [] (const Json &device) { return device.text ("type") == "GPU"; })) {
    const std::set<std::string> vendors = gpu_vendors ();
    for (const Maker &maker : makers)
      if (vendors.contains (maker.id))
        add (std::string ("A GPU of ") + maker.name + " is here, but no OpenCL device of it: " + maker.driver + ".");
  }
  if (devices.empty ())
    add ("PoCL runs every filter on the CPU: package pocl-opencl-icd on Debian and Ubuntu.");
  else if (const std::string problem = report.group ("choice").text ("problem"); !problem.empty ())
    add (problem + " Use gpu, cpu, accelerator, numbers such as 0:1, or part of a name.");
  for (const Json &platform : report.items ("platforms"))
    if (const std::string problem = platform.text ("problem"); !problem.empty ())
      add ("Platform " + platform.text ("platform") + ", " + platform.text ("name") + ", is left out: " + problem + ".");
}

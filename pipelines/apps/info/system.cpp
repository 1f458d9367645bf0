/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "core/diskcache.hpp"

#include "probes.hpp"

#include <algorithm>
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

/* Families of variables that choose drivers, or what the plugin does; and single ones. */
constexpr const char *prefixes[]{"GST_CL_", "GST_GL_", "OCL_ICD_", "OPENCL_", "POCL_", "RUSTICL_"};
constexpr const char *names[]{"DISPLAY", "WAYLAND_DISPLAY", "GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0", "XDG_CACHE_HOME",
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "__GLX_VENDOR_LIBRARY_NAME", "__EGL_VENDOR_LIBRARY_FILENAMES",
    "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "LIBGL_ALWAYS_SOFTWARE"};

bool
has_a_say (const std::string &variable)
{
  return std::ranges::any_of (prefixes, [&] (const char *prefix) { return variable.starts_with (prefix); })
         || std::ranges::find (names, variable) != std::end (names);
}

}  // namespace

void
tell_system (JsonObject *to)
{
  JsonObject *system = tell_group (to, "system");
  tell (system, "plugin", PACKAGE_NAME);
  tell (system, "version", PACKAGE_VERSION);
  tell (system, "gl", with_gl ? "yes" : "no");
  tell (system, "vulkan", with_vulkan ? "yes" : "no");
  tell (system, "gstreamer", text_of (gst_version_string ()));
  tell (system, "system", system_name ());
}

void
tell_variables (JsonObject *to)
{
  const Strings all (g_listenv ());
  std::vector<std::string> found;
  std::ranges::copy_if (all.get (), all.get () + g_strv_length (all.get ()), std::back_inserter (found), has_a_say);
  std::ranges::sort (found);
  JsonObject *variables = tell_group (to, "variables");
  for (const std::string &name : found)
    tell (variables, name.c_str (), g_getenv (name.c_str ()));
}

void
tell_cache (JsonObject *to)
{
  const gst::cl::disk_cache::Usage usage = gst::cl::disk_cache::usage ();
  JsonObject *cache = tell_group (to, "cache");
  tell (cache, "folder", gst::cl::disk_cache::folder ());
  tell (cache, "entries", usage.entries);
  tell (cache, "bytes", usage.bytes);
  tell (cache, "limit-bytes", usage.limit_bytes);
  tell (cache, "oldest", usage.oldest);
  tell (cache, "newest", usage.newest);
}

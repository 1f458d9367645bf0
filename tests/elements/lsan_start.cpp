/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For builds with AddressSanitizer. It has no frame pointers of GLib and plugins, so suppressions cannot name where they
 * allocate. Therefore everything that libraries allocate while they are loaded is ignored: GLib leaks its first table of quarks
 * on purpose when more than 2048 are used, since threads may read it. The same applies to allocations of all system plugins
 * when GStreamer's start lists them. */
#include <dlfcn.h>

#include <sanitizer/lsan_interface.h>

__attribute__ ((section (".preinit_array"), used)) static void (*const before_libraries) () = __lsan_disable;

__attribute__ ((constructor)) static void
after_libraries ()
{
  __lsan_enable ();
}

namespace {

using Init = void (int *, char ***);

void
init_without_looking (const char *name, int *argc, char ***argv)
{
  const auto real = reinterpret_cast<Init *> (dlsym (RTLD_NEXT, name));
  __lsan_disable ();
  real (argc, argv);
  __lsan_enable ();
}

}  // namespace

/* These replace GStreamer's functions; programs other than tests call only the first. */
extern "C" void
gst_init (int *argc, char ***argv)
{
  init_without_looking ("gst_init", argc, argv);
}

extern "C" void
gst_check_init (int *argc, char ***argv)
{
  init_without_looking ("gst_check_init", argc, argv);
}

/* A driver that is unloaded before leaks are searched has no name in reports. */
extern "C" int
dlclose (void *)
{
  return 0;
}

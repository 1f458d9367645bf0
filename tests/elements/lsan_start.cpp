/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For builds with AddressSanitizer, to which GLib and plugins have no frame pointers, so that no suppression can name where they
 * allocate. What libraries allocate while they are loaded is theirs until the process ends: GLib drops its first table of quarks on
 * purpose when more than 2048 are used, since threads may read it. So is what all plugins of the system allocate where GStreamer's
 * start lists them. */
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

/* These stand before GStreamer's own; programs that are no tests call the first alone. */
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

/* A driver that is gone when leaks are looked for has no name. */
extern "C" int
dlclose (void *)
{
  return 0;
}

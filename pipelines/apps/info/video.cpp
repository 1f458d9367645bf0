/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a device does with memory that other interfaces allocate, GL apart. */
#include "config.h"
#include "core/context.hpp"
#ifdef HAVE_DMABUF
#include "interop/dmabuf.hpp"
#endif

#include "../common/glib.hpp"
#include "facts.hpp"
#include "probes.hpp"

#include <cstdio>

using gst::cl::ContextRef;

#ifdef HAVE_DMABUF
static void
tell_verdict (const char *name, const gst::cl::Verdict &verdict)
{
  tell (name, verdict.works ? printed ("ok %.1f", verdict.microseconds) : "no " + verdict.reason);
}
#endif

int
probe_video (const std::string &device)
{
  try {
    [[maybe_unused]] const ContextRef context = gst::cl::create_context (device);
#ifdef HAVE_DMABUF
    tell_verdict ("dmabuf/reads", gst::cl::probe_dmabuf (context, false));
    tell_verdict ("dmabuf/writes", gst::cl::probe_dmabuf (context, true));
#endif
  } catch (const std::exception &error) {
    std::fprintf (stderr, "%s\n", error.what ());
    return 1;
  }
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptions of clchain's filters: a valid text gives a list of filters without other owners, an invalid one is refused as a
 * setting, and an element keeps the last valid text. */
#include "chain/sequence.hpp"
#include "core/error.hpp"

#include "fuzz.hpp"

using namespace gst::cl;

#define CL_ELEMENTS(each)                                                                                                      \
  each (clthreshold) each (clmedian) each (cllevels) each (clconvolve) each (clmorphology) each (clchain) each (clprogram)
#define DECLARE(name) GST_ELEMENT_REGISTER_DECLARE (name)
CL_ELEMENTS (DECLARE)

namespace {

GstElement *chain;

/* The number of filters; 0 if the text is refused. */
size_t
parse (const std::string &text)
{
  try {
    const ChainFilters filters = parse_chain (text);
    fuzz::require (!filters.empty ());
    for (const Ref<GstClFilter> &filter : filters) {
      fuzz::require (G_TYPE_CHECK_INSTANCE_TYPE (filter.get (), GST_TYPE_CL_FILTER));
      fuzz::require (!GST_OBJECT_PARENT (filter.get ()));
    }
    return filters.size ();
  } catch (const Failure &failure) {
    fuzz::require (failure.domain == GST_RESOURCE_ERROR && failure.code == GST_RESOURCE_ERROR_SETTINGS);
    fuzz::require (*failure.what ());
    return 0;
  }
}

/* Fails, so that libFuzzer keeps the input. */
void
complain (const gchar *, GLogLevelFlags, const gchar *message, gpointer)
{
  g_printerr ("%s\n", message);
  abort ();
}

}  // namespace

extern "C" int
LLVMFuzzerInitialize (int *, char ***)
{
  gst_init (nullptr, nullptr);
  for (const char *domain : {"GStreamer", "GLib-GObject"})
    g_log_set_handler (domain, GLogLevelFlags (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING), complain, nullptr);
#define REGISTER(name) GST_ELEMENT_REGISTER (name, nullptr);
  CL_ELEMENTS (REGISTER)
  chain = GST_ELEMENT (gst_object_ref_sink (gst_element_factory_make ("clchain", nullptr)));
  return 0;
}

void
fuzz::run (const uint8_t *data, size_t size)
{
  const std::string text = Reader (data, size).line ();
  if (!g_utf8_validate (text.c_str (), -1, nullptr))
    return;
  const size_t parsed = parse (text);
  const guint before = gst_child_proxy_get_children_count (GST_CHILD_PROXY (chain));
  g_object_set (chain, "filters", text.c_str (), nullptr);
  require (gst_child_proxy_get_children_count (GST_CHILD_PROXY (chain)) == (parsed > 0 ? guint (parsed) : before));
}

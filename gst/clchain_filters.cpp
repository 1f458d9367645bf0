/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "clchain_filters.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace gst::cl {

namespace {

using ElementRef = Ref<GstElement, gst_object_ref, gst_object_unref>;

[[noreturn]] void
refuse (const std::string &why)
{
  throw Failure (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, why, "");
}

/* An element, or a bin of several. */
ElementRef
parse (const std::string &text)
{
  if (text.find_first_not_of (" \t\r\n") == std::string::npos)
    refuse ("it names no filter; write for example \"clnoise ! clmedian radius=2\"");
  GError *error = nullptr;
  GstElement *top = gst_parse_launch_full (text.c_str (), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (top)
    gst_object_ref_sink (top);
  const ElementRef parsed (top);
  if (error) {
    /* the parser's words for that name nothing */
    const bool syntax = g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_SYNTAX);
    const std::string message = syntax ? "syntax error in '" + text + "'" : error->message;
    g_clear_error (&error);
    refuse (message);
  }
  if (!parsed)
    refuse ("'" + text + "' does not parse");
  return parsed;
}

std::vector<ElementRef>
children_of (GstElement *top)
{
  std::vector<ElementRef> children;
  GstElementFactory *factory = gst_element_get_factory (top);
  if (!GST_IS_BIN (top) || !factory || g_strcmp0 (GST_OBJECT_NAME (factory), "pipeline") != 0) {
    children.push_back (ElementRef::retain (top));
    return children;
  }
  for (GList *each = GST_BIN_CHILDREN (top); each; each = each->next)
    children.push_back (ElementRef::retain (GST_ELEMENT (each->data)));
  /* a bin has its newest child first */
  std::ranges::reverse (children);
  return children;
}

void
require_filter (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const std::string name = factory ? GST_OBJECT_NAME (factory) : GST_OBJECT_NAME (element);
  if (!G_TYPE_CHECK_INSTANCE_TYPE (element, GST_TYPE_CL_FILTER))
    refuse ("'" + name + "' is not an OpenCL filter with one input; it can stand before or behind clchain");
  GstClFilter *filter = reinterpret_cast<GstClFilter *> (element);
  if (gst_cl_filter_get_description (filter).alone)
    refuse ("'" + name + "' cannot be part of a chain; it can stand before or behind clchain");
  if (const std::optional<std::string> complaint = gst_cl_filter_get_store (filter).complaint ())
    refuse (name + ": " + *complaint);
}

GstElement *
peer_of (GstElement *element, const char *pad_name)
{
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  GstPad *peer = pad ? gst_pad_get_peer (pad) : nullptr;
  GstElement *other = peer ? gst_pad_get_parent_element (peer) : nullptr;
  gst_clear_object (&peer);
  gst_clear_object (&pad);
  if (other)
    gst_object_unref (other); /* kept by the bin */
  return other;
}

}  // namespace

ChainFilters
parse_chain (const std::string &text)
{
  const ElementRef top = parse (text);
  const std::vector<ElementRef> children = children_of (top.get ());
  if (children.empty ())
    refuse ("it names no filter; write for example \"clnoise ! clmedian radius=2\"");
  for (const ElementRef &child : children)
    require_filter (child.get ());

  const auto begins = [] (const ElementRef &child) { return !peer_of (child.get (), "sink"); };
  if (std::ranges::count_if (children, begins) != 1)
    refuse ("'" + text + "' is not one row of filters; put '!' between all of them");
  ChainFilters filters;
  for (GstElement *each = std::ranges::find_if (children, begins)->get (); each; each = peer_of (each, "src"))
    filters.push_back (FilterRef::retain (reinterpret_cast<GstClFilter *> (each)));

  if (GST_OBJECT_CAST (filters.front ().get ())->parent)
    for (const FilterRef &filter : filters)
      gst_bin_remove (GST_BIN (top.get ()), GST_ELEMENT (filter.get ()));
  return filters;
}

bool
chain_accepts (const ChainFilters &filters, const Format &format)
{
  return std::ranges::all_of (filters, [&] (const FilterRef &filter) {
    const auto accepts = gst_cl_filter_get_description (filter.get ()).accepts;
    return !accepts || accepts (format);
  });
}

}  // namespace gst::cl

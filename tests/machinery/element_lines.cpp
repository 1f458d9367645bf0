/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "element_lines.hpp"

#include <algorithm>
#include <map>

#include "../elements/layer.hpp"
#include "../elements/link.hpp"
#include "census/census.hpp"
#include "filter-facts.hpp"
#include "paths.h"

namespace test {

namespace {

std::vector<std::string>
formats_of (GstPadTemplate *pad)
{
  std::vector<std::string> formats;
  const Own caps = gst_pad_template_get_caps (pad), system = gst_caps_new_empty_simple ("video/x-raw");
  const Own own = gst_caps_intersect (caps, system);
  const GValue *list = gst_structure_get_value (gst_caps_get_structure (own, 0), "format");
  for (guint i = 0; i < gst_value_list_get_size (list); i++)
    formats.emplace_back (g_value_get_string (gst_value_list_get_value (list, i)));
  return formats;
}

/* With paths that this process finds. */
std::string
with_files (std::string launch)
{
  if (const size_t file = launch.find ("pipelines/"); file != std::string::npos)
    launch.insert (file, EXAMPLE_KERNELS "/../../");
  return launch;
}

}  // namespace

std::vector<Line>
lines ()
{
  std::vector<Line> all;
  for (const FilterFacts &facts : filter_facts)
    for (const char *work : facts.works)
      all.push_back (
          {facts.element, with_files (work) + " name=filter ! " + (*facts.caps ? facts.caps : "identity"), facts.programs});
  return all;
}

std::string
at_work (const std::string &element)
{
  const auto facts = std::ranges::find (filter_facts, element, &FilterFacts::element);
  return facts == filter_facts.end () ? element : with_files (facts->works.back ());
}

std::vector<std::string>
fault_lines ()
{
  const std::map<std::string, std::string> others = {{"clbilateral", "clbilateral radius=1"}, {"clblur", "clblur sigma=1"},
      {"clchain", "clchain filters=\"clthreshold ! clmedian radius=1\""}, {"clcompositor", "clcompositor"},
      {"clconvert", "clconvert ! capsfilter caps=video/x-raw,format=NV12,width=16,height=12"},
      {"cldownload", "clupload ! clerode ! cldownload"}, {"clprogram", "clprogram location=" EXAMPLE_KERNELS "/vignette.cl"},
      {"clthreshold", "clthreshold method=otsu"}};
  std::vector<std::string> lines;
  for (const std::string &element : element_names ())
    lines.push_back (others.contains (element) ? others.at (element) : at_work (element));
  return lines;
}

void
skip_kernels (bool skips)
{
  layer_function<decltype (cl_census_skip_kernels)> ("cl_census_skip_kernels") (skips);
}

std::vector<std::string>
sink_pads (const std::string &element, std::vector<std::string> &formats)
{
  std::vector<std::string> pads;
  const Own factory = gst_element_factory_find (element.c_str ());
  test_check (factory, "there is no element %s", element.c_str ());
  for (const GList *each = gst_element_factory_get_static_pad_templates (factory); each; each = each->next) {
    auto *pad = static_cast<GstStaticPadTemplate *> (each->data);
    const std::string name = pad->name_template;
    if (pad->direction != GST_PAD_SINK || name == "mask")
      continue;
    if (pads.empty ())
      formats = formats_of (Own (gst_static_pad_template_get (pad)));
    if (pad->presence == GST_PAD_REQUEST)
      pads.insert (pads.end (), {name.substr (0, name.find ('%')) + "0", name.substr (0, name.find ('%')) + "1"});
    else
      pads.push_back (name);
  }
  return pads;
}

GstElement *
parsed (const std::string &launch, GstClContext *context)
{
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch (launch.c_str (), &error);
  test_check (pipeline && !error, "%s: %s", launch.c_str (), error ? error->message : "");
  const Own shared = gst_cl_context_to_gst_context (context);
  gst_element_set_context (pipeline, shared);
  return pipeline;
}

std::string
fed (const Line &line, const std::vector<std::string> &pads, const std::string &format, int frames)
{
  std::string launch = line.launch + " ! fakesink name=sink";
  for (const std::string &pad : pads)
    launch += " videotestsrc num-buffers=" + std::to_string (frames)
              + " pattern=black ! video/x-raw,width=320,height=240,format=" + format + " ! filter." + pad;
  return launch;
}

}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "subjects.hpp"

#include "filter-facts.hpp"

#include <algorithm>

namespace {

/* The most used elements come first, so that an interrupted run has useful results. */
constexpr const char *first_ones[] = {"clcolormatrix", "cllevels", "clthreshold", "clblur", "clsharpen", "clmedian"};

auto
place_of (const FilterFacts &facts)
{
  return std::ranges::find (first_ones, std::string (facts.element)) - std::begin (first_ones);
}

}  // namespace

std::vector<std::string>
sink_pads (GstElementFactory *factory)
{
  std::vector<std::string> always, requested;
  for (const GList *each = gst_element_factory_get_static_pad_templates (factory); each; each = each->next) {
    const auto *pad = static_cast<const GstStaticPadTemplate *> (each->data);
    if (pad->direction != GST_PAD_SINK)
      continue;
    const std::string name = pad->name_template;
    if (pad->presence == GST_PAD_ALWAYS)
      always.push_back (name);
    else
      for (const char *number : {"0", "1"})
        requested.push_back (name.substr (0, name.find ('%')) + number);
  }
  return always.empty () ? requested : always;
}

std::vector<Subject>
find_subjects (const std::string &filter)
{
  std::vector<FilterFacts> all = filter_facts;
  std::ranges::stable_sort (all, {}, place_of);
  std::vector<Subject> found;
  for (const FilterFacts &facts : all) {
    GstElementFactory *factory = gst_element_factory_find (facts.element);
    const std::vector<std::string> pads = factory ? sink_pads (factory) : std::vector<std::string> ();
    gst_clear_object (&factory);
    for (const std::string line : facts.tune)
      if (line.find (filter) != std::string::npos)
        found.push_back ({line, pads.size () > 1 ? pads : std::vector<std::string> ()});
  }
  return found;
}

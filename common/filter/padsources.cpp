/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/padsources.hpp"

#include <algorithm>

namespace gst::cl {

static MemoryKind
kind_of (GstPad *pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const MemoryKind kind = caps ? memory_kind (caps) : MemoryKind::system;
  gst_clear_caps (&caps);
  return kind;
}

/* The caps of a pad may be ahead of its frames, which info is about. */
static std::shared_ptr<OwnSource>
make_source (ClElement &element, const GstVideoInfo &info, MemoryKind kind)
{
  std::shared_ptr<GlLink> link;
  if (kind == MemoryKind::gl) {
    GstCaps *plain = gst_video_info_to_caps (const_cast<GstVideoInfo *> (&info));
    GstCaps *caps = with_memory (plain, {kind});
    gst_caps_unref (plain);
    const std::unique_ptr<GstCaps, decltype (&gst_caps_unref)> guard (caps, gst_caps_unref);
    link = element.link_gl ({caps});
  }
  return std::make_shared<OwnSource> (element.context (), std::move (link), info, kind);
}

void
PadSources::require (ClElement &element, GstPad *pad, const GstVideoInfo &info)
{
  const MemoryKind kind = kind_of (pad);
  auto known = std::ranges::find (all, pad, [] (const Entry &each) { return each.pad.get (); });
  if (known != all.end () && known->source->suits (info, kind))
    return;
  if (known != all.end ())
    all.erase (known);
  all.push_back ({PadRef::retain (pad), make_source (element, info, kind)});
}

std::shared_ptr<OwnSource>
PadSources::find (GstPad *pad) const
{
  const auto known = std::ranges::find (all, pad, [] (const Entry &each) { return each.pad.get (); });
  return known == all.end () ? nullptr : known->source;
}

void
PadSources::forget_others (GstElement *element)
{
  GST_OBJECT_LOCK (element);
  std::vector<GstPad *> pads;
  for (GList *at = element->sinkpads; at; at = at->next)
    pads.push_back (GST_PAD (at->data));
  GST_OBJECT_UNLOCK (element);
  std::erase_if (all, [&] (const Entry &each) { return std::ranges::find (pads, each.pad.get ()) == pads.end (); });
}

}  // namespace gst::cl

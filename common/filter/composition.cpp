/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/composition.hpp"

#include "filter/gstclaggregatorpad.hpp"

#include <algorithm>

namespace gst::cl {

std::vector<AggregatorInput>
collect_inputs (GstElement *element)
{
  std::vector<AggregatorInput> inputs;
  for (const Ref<GstPad> &pad : sink_pads_of (element)) {
    GstBuffer *buffer = gst_video_aggregator_pad_get_current_buffer (GST_VIDEO_AGGREGATOR_PAD (pad.get ()));
    if (buffer && gst_buffer_get_size (buffer) > 0)
      inputs.push_back ({pad, BufferRef::retain (buffer), gst_cl_aggregator_pad_info (pad.get ())});
  }
  return inputs;
}

void
set_fields (GstBuffer *out, const GstVideoInfo &result, const std::vector<AggregatorInput> &inputs)
{
  GST_BUFFER_FLAG_UNSET (out, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF);
  const auto interlaced =
      std::ranges::find_if (inputs, [] (const AggregatorInput &each) { return is_interlaced (each.info, each.buffer.get ()); });
  if (!GST_VIDEO_INFO_IS_INTERLACED (&result) || interlaced == inputs.end ())
    return;
  const bool top_first = GST_BUFFER_FLAG_IS_SET (interlaced->buffer.get (), GST_VIDEO_BUFFER_FLAG_TFF)
                         || GST_VIDEO_INFO_FIELD_ORDER (&interlaced->info) == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  GST_BUFFER_FLAG_SET (out, GST_VIDEO_BUFFER_FLAG_INTERLACED | (top_first ? GST_VIDEO_BUFFER_FLAG_TFF : 0));
}

void
latch_settings (SettingStore &store, const std::vector<AggregatorInput> &inputs, GstClockTime stream_time, Settings &settings)
{
  settings = store.latch (stream_time);
  for (const AggregatorInput &input : inputs)
    settings.pads.push_back (gst_cl_aggregator_pad_latch (input.pad.get ()));
}

void
Composition::make_stream (std::unique_ptr<Stream> &stream, GstCaps *src_caps)
{
  if (stream && context.get () == element.context ().get () && gst_caps_is_equal (src_caps, caps.get ()))
    return;
  if (const auto old = std::move (stream))
    old->drain ();
  auto links = element.link ({src_caps});
  context = element.context ();
  caps = Ref<GstCaps>::retain (src_caps);
  /* inputs do not affect it */
  stream = std::make_unique<Stream> (
      context, std::move (links), std::array{StagePlan{&description, &reporter, nullptr}}, src_caps, src_caps);
}

/* Linking with GL may change the element's context, which invalidates everything made before; the second attempt keeps the
 * context. */
void
Composition::prepare (
    std::unique_ptr<Stream> &stream, GstCaps *src_caps, std::span<const AggregatorInput> inputs, bool relinked)
{
  constexpr int most_changes = 3;
  if (relinked) {
    clear ();
    if (const auto old = std::move (stream))
      old->drain ();
  }
  const std::vector<Ref<GstPad>> pads = sink_pads_of (self);
  std::erase_if (sources, [&] (const Entry &each) {
    return std::ranges::none_of (pads, [&] (const Ref<GstPad> &pad) { return pad.get () == each.pad.get (); });
  });
  for (int i = 0; i < most_changes; i++) {
    make_stream (stream, src_caps);
    for (const AggregatorInput &input : inputs)
      require (input.pad.get (), input.info);
    if (context.get () == element.context ().get ())
      return;
    sources.clear ();
  }
  throw Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "The textures of the pads belong to OpenGL contexts that share nothing.", "Put gldownload before one of them.");
}

std::vector<SourceFrame>
Composition::frames (std::vector<AggregatorInput> &inputs) const
{
  std::erase_if (inputs, [this] (const AggregatorInput &each) { return !find (each.pad.get ()); });
  std::vector<SourceFrame> frames;
  for (const AggregatorInput &each : inputs)
    frames.push_back ({each.buffer.get (), find (each.pad.get ())});
  return frames;
}

void
Composition::clear ()
{
  sources.clear ();
  context = ContextRef ();
}

std::shared_ptr<OwnSource>
Composition::find (GstPad *pad) const
{
  const auto known = std::ranges::find (sources, pad, [] (const Entry &each) { return each.pad.get (); });
  return known == sources.end () ? nullptr : known->source;
}

/* Uses info, which describes the frames; the pad's caps may already describe later frames. */
void
Composition::require (GstPad *pad, const GstVideoInfo &info)
{
  const Ref<GstCaps> now (gst_pad_get_current_caps (pad));
  const MemoryKind kind = now ? memory_kind (now.get ()) : MemoryKind::system;
  if (const auto known = find (pad); known && known->suits (info, kind))
    return;
  std::erase_if (sources, [pad] (const Entry &each) { return each.pad.get () == pad; });
  const Ref<GstCaps> plain (gst_video_info_to_caps (const_cast<GstVideoInfo *> (&info)));
  const Ref<GstCaps> in_memory (with_memory (plain.get (), {kind}));
  const MemoryLinks links = element.link ({in_memory.get ()});
  sources.push_back ({Ref<GstPad>::retain (pad), std::make_shared<OwnSource> (element.context (), links, info, kind)});
}

}  // namespace gst::cl

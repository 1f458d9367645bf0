/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inputs of a GstClAggregator that have their own caps. */
#pragma once

#include "filter/clelement.hpp"
#include "filter/gstclaggregatorpad.hpp"
#include "filter/stream.hpp"

#include <algorithm>

namespace gst::cl {

/* The stream and the sources of such an element. Used by the streaming thread only. */
class Composition {
public:
  /* All arguments must outlive the object. */
  Composition (GstElement *self_, ClElement &element_, const FilterDescription &description_, Reporter &reporter_)
      : self (self_), element (element_), description (description_), reporter (reporter_)
  {
  }

  /* Replaces stream unless it was made for these caps and the element's current context. Throws. */
  void make_stream (StreamPtr &stream, GstCaps *src_caps)
  {
    if (stream && context.get () == element.context ().get () && gst_caps_is_equal (src_caps, caps.get ()))
      return;
    if (const auto old = std::move (stream))
      old->drain ();
    auto links = element.link ({src_caps});
    context = element.context ();
    caps = Ref<GstCaps>::retain (src_caps);
    /* inputs do not affect it */
    stream = StreamPtr (
        new Stream (context, std::move (links), std::array{StagePlan{&description, &reporter, nullptr}}, src_caps, src_caps));
  }

  /* Like make_stream(), and gives every input a source. relinked: replace everything that exists. Throws.
   * Linking with GL may change the element's context, which invalidates everything made before; the second attempt keeps the
   * context. */
  void prepare (StreamPtr &stream, GstCaps *src_caps, std::span<const AggregatorInput> inputs, bool relinked)
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
        require (input.pad.get (), input.video);
      if (context.get () == element.context ().get ())
        return;
      sources.clear ();
    }
    throw Failure (GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The textures of the pads belong to OpenGL contexts that do not share objects.", "Put gldownload before one of them.");
  }

  /* Returns the frames of the inputs that prepare() has seen, and removes the other inputs. */
  std::vector<SourceFrame> frames (std::vector<AggregatorInput> &inputs) const
  {
    std::erase_if (inputs, [this] (const AggregatorInput &each) { return !find (each.pad.get ()); });
    std::vector<SourceFrame> frames;
    for (const AggregatorInput &each : inputs)
      frames.push_back ({each.buffer.get (), find (each.pad.get ())});
    return frames;
  }

  void clear ()
  {
    sources.clear ();
    context = ContextRef ();
  }

private:
  struct Entry {
    Ref<GstPad> pad;
    std::shared_ptr<OwnSource> source;
  };

  std::shared_ptr<OwnSource> find (GstPad *pad) const
  {
    const auto known = std::ranges::find (sources, pad, [] (const Entry &each) { return each.pad.get (); });
    return known == sources.end () ? nullptr : known->source;
  }

  void require (GstPad *pad, const InputVideo &video)
  {
    if (const auto known = find (pad); known && known->suits (video.info, video.kind))
      return;
    std::erase_if (sources, [pad] (const Entry &each) { return each.pad.get () == pad; });
    const Ref<GstCaps> caps = video.caps_in (video.kind);
    const MemoryLinks links = element.link ({caps.get ()});
    sources.push_back (
        {Ref<GstPad>::retain (pad), std::make_shared<OwnSource> (element.context (), links, video.info, video.kind)});
  }

  GstElement *const self;
  ClElement &element;
  const FilterDescription &description;
  Reporter &reporter;
  std::vector<Entry> sources;
  /* The context and the caps that the stream was made for. */
  ContextRef context;
  Ref<GstCaps> caps;
};

}  // namespace gst::cl

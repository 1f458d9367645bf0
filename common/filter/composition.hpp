/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stream of an element whose inputs have their own caps and may be added and removed while it plays. */
#pragma once

#include "filter/samepicture.hpp"
#include "filter/settingstore.hpp"
#include "filter/stream.hpp"

namespace gst::cl {

/** One input of the frame at hand. */
struct AggregatorInput {
  /* the reference keeps the pad alive if it is released while its frame is filtered */
  Ref<GstPad> pad;
  BufferRef buffer;
  GstVideoInfo info;
};

/** Returns the current frame of every input; an input without a frame is left out. */
std::vector<AggregatorInput> collect_inputs (GstElement *element);

/** Sets the interlacing flags of a composed frame: those of the first interlaced input. */
void set_fields (GstBuffer *out, const GstVideoInfo &result, const std::vector<AggregatorInput> &inputs);

/** Takes the settings of an element and its inputs' pads for the next frame. */
void latch_settings (
    SettingStore &store, const std::vector<AggregatorInput> &inputs, GstClockTime stream_time, Settings &settings);

/** The stream and the sources of such an element. Used by the streaming thread only. */
class Composition {
public:
  /** All arguments must outlive the object. */
  Composition (GstElement *self_, ClElement &element_, const FilterDescription &description_, Reporter &reporter_)
      : self (self_), element (element_), description (description_), reporter (reporter_)
  {
  }

  /** Replaces stream unless it was made for these caps and the element's current context. Throws. */
  void make_stream (std::unique_ptr<Stream> &stream, GstCaps *src_caps);
  /** Like make_stream(), and gives every input a source. relinked: replace everything that exists. Throws. */
  void prepare (std::unique_ptr<Stream> &stream, GstCaps *src_caps, std::span<const AggregatorInput> inputs, bool relinked);
  /** Returns the frames of the inputs that prepare() has seen, and removes the other inputs. */
  std::vector<SourceFrame> frames (std::vector<AggregatorInput> &inputs) const;
  void clear ();

private:
  struct Entry {
    Ref<GstPad> pad;
    std::shared_ptr<OwnSource> source;
  };

  std::shared_ptr<OwnSource> find (GstPad *pad) const;
  void require (GstPad *pad, const GstVideoInfo &info);

  GstElement *const self;
  ClElement &element;
  const FilterDescription &description;
  Reporter &reporter;
  std::vector<Entry> sources;
  /** The context and the caps that the stream was made for. */
  ContextRef context;
  Ref<GstCaps> caps;
};

}  // namespace gst::cl

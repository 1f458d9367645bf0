/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stream of an element whose inputs have caps of their own, and come and go: what is made for each of them. */
#pragma once

#include "filter/samepicture.hpp"
#include "filter/stream.hpp"

namespace gst::cl {

using PadRef = Ref<GstPad, gst_object_ref, gst_object_unref>;

/** One input of the frame at hand. */
struct AggregatorInput {
  /* it may be released while its frame is at work */
  PadRef pad;
  BufferRef buffer;
  GstVideoInfo info;
};

/** What every input shows now; one without a frame is left out. */
std::vector<AggregatorInput> collect_inputs (GstElement *element);

/** Flags a frame that is put together of them: its fields are those of the first input that has two. */
void set_fields (GstBuffer *out, const GstVideoInfo &result, const std::vector<AggregatorInput> &inputs);

/** The streaming thread's. */
class Composition {
public:
  /** All outlive it. */
  Composition (GstElement *self_, ClElement &element_, const FilterDescription &description_, Reporter &reporter_)
      : self (self_), element (element_), description (description_), reporter (reporter_)
  {
  }

  /** Makes stream anew where it is not for these caps and the element's context. Throws. */
  void make_stream (std::unique_ptr<Stream> &stream, GstCaps *src_caps);
  /** The same, and sees to it that all inputs have sources. relinked: nothing of what there is may stay. Throws. */
  void prepare (std::unique_ptr<Stream> &stream, GstCaps *src_caps, std::span<const AggregatorInput> inputs, bool relinked);
  /** Leaves out inputs that were not there in prepare(). */
  std::vector<SourceFrame> frames (std::vector<AggregatorInput> &inputs) const;
  void clear ();

private:
  struct Entry {
    PadRef pad;
    std::shared_ptr<OwnSource> source;
  };

  std::shared_ptr<OwnSource> find (GstPad *pad) const;
  std::shared_ptr<OwnSource> make_source (const GstVideoInfo &info, MemoryKind kind);
  void require (GstPad *pad, const GstVideoInfo &info);
  void forget_lost_pads ();

  GstElement *const self;
  ClElement &element;
  const FilterDescription &description;
  Reporter &reporter;
  std::vector<Entry> sources;
  /** What the stream was made for. */
  ContextRef context;
  CapsRef caps{nullptr, gst_caps_unref};
};

}  // namespace gst::cl

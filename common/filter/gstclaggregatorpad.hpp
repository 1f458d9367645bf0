/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pads of GstClAggregator. */
#pragma once

#include "filter/settingstore.hpp"
#include "interop/caps.hpp"
#include "memory/link.hpp"

#include <gst/video/gstvideoaggregator.h>

namespace gst::cl {

/** Describes an element. Operation::update() gets the settings of each input's pad, too, in the order of the inputs. The inputs
 *  of a Composer have their own sizes, formats and colorimetries, and its subclass fixates the caps of the result. All inputs of
 *  another operation have the same video. */
struct AggregatorDescription {
  FilterDescription filter;
  std::span<const Property> pad_properties;
  CopySettings pad_settings;

  bool own_caps () const { return filter.composes (); }
};

/** The video of an input, and the memory of its caps. */
struct InputVideo {
  GstVideoInfo info;
  MemoryKind kind = MemoryKind::system;

  /** Whether the input has caps. */
  bool is_known () const { return info.finfo && GST_VIDEO_INFO_FORMAT (&info) != GST_VIDEO_FORMAT_UNKNOWN; }
  Ref<GstCaps> caps_in (MemoryKind memory) const
  {
    const Ref<GstCaps> plain (gst_video_info_to_caps (const_cast<GstVideoInfo *> (&info)));
    return Ref<GstCaps> (with_memory (plain.get (), {memory}));
  }
};

/** One input of the frame at hand. */
struct AggregatorInput {
  /* the reference keeps the pad alive if it is released while its frame is filtered */
  Ref<GstPad> pad;
  BufferRef buffer;
  InputVideo video;
};

/** Returns the current frame of every input; an input without a frame is left out. */
std::vector<AggregatorInput> collect_inputs (GstElement *element);
/** The same; without any frame, the inputs that have caps, without frames. */
std::vector<AggregatorInput> collect_known_inputs (GstElement *element);
/** Returns the inputs whose video is known before they start, without frames. */
std::vector<AggregatorInput> expected_inputs (GstElement *element);

/** Sets the interlacing flags of a composed frame to the first interlaced input's. */
void set_fields (GstBuffer *out, const GstVideoInfo &result, const std::vector<AggregatorInput> &inputs);

/** Takes the settings of an element and its inputs' pads for the next frame. */
void latch_settings (
    SettingStore &store, const std::vector<AggregatorInput> &inputs, GstClockTime stream_time, Settings &settings);

}  // namespace gst::cl

/** GstClAggregatorPad: abstract. A sink pad whose properties come from a table. */
struct GstClAggregatorPad {
  GstVideoAggregatorPad parent;
  struct GstClAggregatorPadPrivate *priv;
};

struct GstClAggregatorPadClass {
  GstVideoAggregatorPadClass parent_class;
  const gst::cl::AggregatorDescription *description;
};

GST_CL_API GType gst_cl_aggregator_pad_get_type ();
#define GST_TYPE_CL_AGGREGATOR_PAD (gst_cl_aggregator_pad_get_type ())

/** Synchronises controllers, and returns the pad's values for the next frame. */
GST_CL_API gst::cl::Values gst_cl_aggregator_pad_latch (GstPad *pad);

/** Records caps in their order among the pad's frames. GstVideoAggregator (1.22) keeps caps that arrive while a frame is held
 *  beyond the end of a stream, and applies them to the first frame of the next stream. */
void gst_cl_aggregator_pad_note_caps (GstPad *pad, GstCaps *caps);
/** Call this before note_caps(), with the caps that upstream sent, if note_caps() gets caps with other interlacing fields. */
void gst_cl_aggregator_pad_note_fields (GstPad *pad, GstCaps *caps);
/** The video of the pad's current frame, with its own interlacing. The pad's caps may already describe later frames. */
GST_CL_API gst::cl::InputVideo gst_cl_aggregator_pad_video (GstPad *pad);
/** Updates the infos of an element's sink pads to caps that arrived while no frame was held. */
void gst_cl_aggregator_settle_caps (GstElement *element);

/** Implements GstChildProxy for the element: its children are its pads. */
void gst_cl_aggregator_child_proxy_init (gpointer iface, gpointer);

/** The values of the element's properties. */
gst::cl::SettingStore &gst_cl_aggregator_get_store (gpointer self);

/** Installs the property ignore-inactive-pads of GstAggregator, as mixers do. For class_init, after the description is set. */
GST_CL_API void gst_cl_aggregator_class_publish_inactive_pads (GObjectClass *object);

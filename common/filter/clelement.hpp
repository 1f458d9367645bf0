/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common part of all elements, whichever GStreamer base class they have: a device, contexts that neighbours share, and
 * frames that are exchanged with GL. */
#pragma once

#include "filter/ahead.hpp"
#include "gl/link.hpp"
#include "interop/caps.hpp"
#include "interop/element.hpp"

#include <atomic>
#include <initializer_list>
#include <optional>
#include <span>

namespace gst::cl {

/** Belongs to one element, which calls it from its own functions of the same names. Thread-safe unless a function says
 *  otherwise. */
class GST_CL_API ClElement {
public:
  explicit ClElement (GstElement *element);
  ~ClElement ();

  /** Installs the properties device, interop and gl-interop, the old name of interop. The class passes every id to the two
   *  functions below; they return false for ids of other properties. */
  static void install_properties (GObjectClass *klass);
  bool set_property (guint id, const GValue *value);
  bool get_property (guint id, GValue *value) const;

  /** Not null from READY on. */
  ContextRef context () const;
  /** Finds or makes a context for the device property. Posts an error on the bus and returns false when no device fits. */
  bool ensure_context ();
  /** Returns true when the stream must be linked again. */
  bool set_context (GstContext *context);
  bool query_context (GstQuery *query);
  /** Starts building the programs of the element's stream. Call this when the element starts. */
  void build_ahead (Expected frames);
  /** Waits for the builds and, in a live pipeline, runs black frames. Call this on the way to PLAYING, when live sources start. */
  void finish_builds ();
  /** Releases everything; call this from READY to NULL. */
  void release ();

  /** Call this for every event from downstream. */
  void see_event (GstEvent *event);
  /** Whether a long pause would be visible: a sink shows frames in time, or the source is live. Streaming thread. */
  bool streams_on () const;

  /** When one side has memory of kind `from`: the kinds for the other side, out of possible, best first. */
  std::vector<MemoryKind> preferred (MemoryKind from, const std::vector<MemoryKind> &possible) const;
  /** Finds out which memory is best for frames of these caps, if both their memory and the choice leave that open. Streaming
   *  thread. */
  void explore (GstCaps *caps, GstCaps *choice);
  /** Whether results may keep this kind of memory when downstream accepts any. Call explore() first. */
  bool keeps (MemoryKind kind) const;

  /** Answers an upstream element that asks for memory. Streaming thread. */
  bool propose_allocation (GstQuery *query);
  /** Removes the entries of an allocation query's answer that an element with a pool of its own does not use. src_pad sent the
   *  query. Streaming thread. */
  void decide_allocation (GstPad *src_pad, GstQuery *query);

  /** Prepares an input frame for pushing: returns it, or a copy in the default layout when the peer of src_pad takes system
   *  memory but no GstVideoMeta. Streaming thread. Throws Failure. */
  BufferRef for_downstream (GstPad *src_pad, GstBuffer *buffer);
  /** Discards downstream's answer, because the peer or its caps may have changed. Streaming thread. */
  void ask_downstream_again () { gst_clear_caps (&answered); }

  /** Returns links that carry frames between OpenCL and each kind of foreign memory in caps; caps without a value are skipped.
   *  Changes the element's context when a link needs that. Streaming thread. Throws Failure. */
  MemoryLinks link (std::initializer_list<GstCaps *> caps) { return link (std::span (caps)); }
  MemoryLinks link (std::span<GstCaps *const> caps);
  /** Whether work for the element's context or links must be prepared again before this buffer: a neighbour's context was
   *  adopted, interop was changed, or GL's display or contexts changed. Streaming thread. */
  bool was_relinked (GstBuffer *buffer);
  /** Call this when the context that is shared with GL has failed; the next link() gets a new one. */
  void forget_context ()
  {
    for (const auto &each : interops)
      each->forget (context ());
  }

private:
  std::string device () const;
  bool adopt_context (GstClContext *theirs);
  bool prefers_context (GstClContext *theirs) const;
  void follow_downstream (GstPad *src_pad);
  void note_answer (GstQuery *query);

  GstElement *const element;
  /* wanted_device and own_context are protected by the object lock */
  std::string wanted_device;
  GstClContext *own_context = nullptr;
  /* of the last start; the element's state lock protects it */
  std::optional<Ahead> ahead;
  /* since the last start; only a live pipeline goes to PLAYING without one */
  std::atomic<bool> has_frames = false;

  MemoryElement *interop_of (MemoryKind kind) const;

  /** The memory of each interface in this build; OpenCL reaches frames of the first most cheaply. */
  std::vector<std::unique_ptr<MemoryElement>> interops;
  std::atomic<Interop> interop = default_interop ();
  /** Whether a sink has sent QoS events. */
  std::atomic<bool> is_timed = false;
  /* the context has changed since the streaming thread prepared its work; streaming thread only */
  bool adopted = false;
  /* takes_video_meta: whether downstream takes GstVideoMeta with the caps in answered */
  GstCaps *answered = nullptr;
  bool takes_video_meta = false;
};

/** Forwards contexts from neighbours and applications; calls relink (element) if the stream must be linked again. */
template <auto element_of, auto parent, auto relink>
void
hand_on_contexts (GstElementClass *klass)
{
  klass->set_context = [] (GstElement *element, GstContext *context) {
    if (element_of (element).set_context (context))
      relink (element);
    GST_ELEMENT_CLASS (*parent)->set_context (element, context);
  };
}

/** Finds an element's device on the way to READY, and waits for its programs on the way to PLAYING. */
template <auto element_of, auto parent>
GstStateChangeReturn
change_state_with_device (GstElement *element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !element_of (element).ensure_context ())
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    element_of (element).finish_builds ();
  const GstStateChangeReturn result = GST_ELEMENT_CLASS (*parent)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    element_of (element).release ();
  return result;
}

/** Whether a segment that is played to a SEGMENT_DONE ends with this frame. Sources post that message before they send the
 *  event, so an element must push held frames along with the last one. */
GST_CL_API bool ends_segment (const GstSegment &segment, GstBuffer *buffer);

/** Whether a meta stays valid when a filter changes neither size nor colours: true for metas about sizes or colours, and without
 *  tags. Empty when the base class must decide. */
GST_CL_API std::optional<bool> meta_stays_true (const GstMeta *meta);

/** Like meta_stays_true(), for a frame `to` that is made from `from` with another size or other colours. Scales metas about
 *  sizes if they support that, and returns false, because the scaled meta is in `to` already. */
GST_CL_API std::optional<bool> convert_meta (
    GstMeta *meta, GstBuffer *from, const GstVideoInfo &from_info, GstBuffer *to, const GstVideoInfo &to_info);

/** Copies interlacing flags and the metas that stay valid when neither size nor colours change. */
GST_CL_API void copy_picture_metadata (GstBuffer *from, GstBuffer *to);

/** One of several frames that are made from one input: its number, and the results' framerate divided by the input's. */
struct Share {
  unsigned number;
  int rate_n = 1, rate_d = 1;
  /** Whether the result is progressive. */
  bool is_progressive = false;
};

/** A buffer whose metadata can be changed; see gst_buffer_make_writable(). Posts an error of element and returns null if the
 *  frame's memory can neither be shared nor copied. */
GST_CL_API GstBuffer *make_writable (GstElement *element, GstBuffer *buffer);
/** Keeps captions in the first frame only, and makes time codes count the results. */
GST_CL_API void share_metadata (GstBuffer *made, const Share &share);
/** Whether a buffer has metas that share_metadata() changes even in the first frame. */
GST_CL_API bool has_time_code (GstBuffer *buffer);

/** Adds a pad template with every format in these kinds of memory. type is the pads' GType, or 0. every_format and
 *  single_fields are passed to make_template_caps(). */
GST_CL_API void add_pad_template (GstElementClass *klass, const char *name, GstPadDirection direction, GstPadPresence presence,
    const std::vector<MemoryKind> &kinds, GType type = 0, bool every_format = false, bool single_fields = false);

/** For elements that need whole frames. Throws Failure (STREAM, FORMAT) for caps of one field per buffer. */
GST_CL_API void require_whole_frames (GstElement *element, const GstCaps *caps);

}  // namespace gst::cl

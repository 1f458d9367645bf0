/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every element of this library is, whatever its GStreamer base class: it has a device, shares contexts with its
 * neighbours, and exchanges frames with GL. */
#pragma once

#include "filter/caps.hpp"
#include "gl/element.hpp"

#include <atomic>
#include <initializer_list>
#include <optional>
#include <span>

namespace gst::cl {

/** Belongs to one element, which calls it from its own functions of the same names. Thread-safe where not said
 *  otherwise. */
class GST_CL_API ClElement {
public:
  explicit ClElement (GstElement *element);
  ~ClElement ();

  /** The properties device, interop and gl-interop, its old name, whose ids the class hands on to the two functions below. False: an id of
   *  something else. */
  static void install_properties (GObjectClass *klass);
  bool set_property (guint id, const GValue *value);
  bool get_property (guint id, GValue *value) const;

  /** Set from READY on. */
  ContextRef context () const;
  /** Finds or makes a context that fits `device`; reports on the bus where there is none. */
  bool ensure_context ();
  /** True where the stream has to be linked anew. */
  bool set_context (GstContext *context);
  bool query_context (GstQuery *query);
  /** Drops everything: for READY to NULL. */
  void release ();

  /** Of any event from downstream. */
  void see_event (GstEvent *event);
  /** Whether frames are being shown in time, or come from a source that does not wait: a frame that takes long would be
   *  seen. Streaming thread. */
  bool streams_on () const;

  /** Memory for the other side, of what is possible, best first, when one side has `from`. */
  std::vector<MemoryKind> preferred (MemoryKind from, const std::vector<MemoryKind> &possible) const;
  /** Finds out which memory is best for frames of these caps, where their memory and the choice make it matter. Streaming
   *  thread. */
  void explore (GstCaps *caps, GstCaps *choice);
  /** Whether results may keep that memory where downstream does not care. After explore(). */
  bool keeps (MemoryKind kind) const;

  /** The answer to an upstream element that asks for memory. Streaming thread. */
  bool propose_allocation (GstQuery *query);
  /** The part of an allocation query's answer that is to be kept by an element whose results come from a pool of its own;
   *  src_pad: where the query was sent. Streaming thread. */
  void decide_allocation (GstPad *src_pad, GstQuery *query);

  /** A frame that came in, as it can go out: itself, or a copy in the default layout where downstream of src_pad takes system
   *  memory and no GstVideoMeta. Streaming thread. Throws Failure. */
  BufferRef for_downstream (GstPad *src_pad, GstBuffer *buffer);
  /** Downstream may be another element by now, or have changed its mind. Streaming thread. */
  void ask_downstream_again () { gst_clear_caps (&answered); }

  /** What carries frames between OpenCL and the memory of others that any of these caps has; caps without a value are
   *  left out. Changes the element's context where the way needs it. Streaming thread. Throws Failure. */
  Links link (std::initializer_list<GstCaps *> caps) { return link (std::span (caps)); }
  Links link (std::span<GstCaps *const> caps);
  /** Whether what was made for the element's context or link has to be made anew before buffer: a neighbour's context was
   *  taken, interop was changed, or GL's display or contexts are others. Streaming thread. */
  bool was_relinked (GstBuffer *buffer);
  /** The context that is shared with GL has failed: the next link gets a new one. */
  void forget_context ();

private:
  std::string device () const;
  bool adopt_context (GstClContext *theirs);
  bool prefers_context (GstClContext *theirs) const;
  void follow_downstream (GstPad *src_pad);
  void note_answer (GstQuery *query);

  GstElement *const element;
  /* both under the object lock */
  std::string wanted_device;
  GstClContext *own_context = nullptr;

  InteropElement *interop_of (MemoryKind kind) const;

  const std::unique_ptr<GlElement> gl;
  const std::vector<std::unique_ptr<MemoryElement>> others;
  /** All of them, those whose frames OpenCL reaches best first. */
  const std::vector<InteropElement *> interops;
  /** Whether a sink has said how it keeps up with the clock. */
  std::atomic<bool> is_timed = false;
  /* the streaming thread's: the context is no longer the one that its work was made for */
  bool adopted = false;
  /* whether downstream takes GstVideoMeta with these caps */
  GstCaps *answered = nullptr;
  bool takes_video_meta = false;
};

/** Whether a segment that is played to a SEGMENT_DONE has no frame after this one. Sources post that message before they send the
 *  event, so what is held leaves with the last frame. */
GST_CL_API bool ends_segment (const GstSegment &segment, GstBuffer *buffer);

/** A meta that speaks of sizes or colours, or of nothing in particular, stays true where neither is changed; nothing where
 *  the base class has to decide. */
GST_CL_API std::optional<bool> meta_stays_true (const GstMeta *meta);

/** The same where `to` is made from `from` and differs in size or colours. Metas that speak of sizes are scaled where they know how,
 *  and then false is returned, for what they say is there already. */
GST_CL_API std::optional<bool> convert_meta (
    GstMeta *meta, GstBuffer *from, const GstVideoInfo &from_info, GstBuffer *to, const GstVideoInfo &to_info);

/** Of interlacing, and metas that stay true of a picture where neither size nor colours are changed. */
GST_CL_API void copy_picture_metadata (GstBuffer *from, GstBuffer *to);

/** A frame of several that are made from one: its number among them, and the results' framerate over the input's. */
struct Share {
  unsigned number;
  int rate_n = 1, rate_d = 1;
  /** Whether the result has no fields. */
  bool is_progressive = false;
};

/** Leaves captions to the first of the frames, and lets time codes count the results. */
GST_CL_API void share_metadata (GstBuffer *made, const Share &share);
/** Whether a buffer has metas that share_metadata() changes in the first of the frames. */
GST_CL_API bool has_time_code (GstBuffer *buffer);

/** A pad template of every format with these kinds of memory. type: the pads' type, or 0. every_format, single_fields: as
 *  make_template_caps() has them. */
GST_CL_API void add_pad_template (GstElementClass *klass, const char *name, GstPadDirection direction, GstPadPresence presence,
    const std::vector<MemoryKind> &kinds, GType type = 0, bool every_format = false, bool single_fields = false);

/** For elements that need whole frames: throws Failure (STREAM, FORMAT) for caps of one field a buffer. */
GST_CL_API void require_whole_frames (GstElement *element, const GstCaps *caps);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element does to a frame, and the description from which its class is made. */
#pragma once

#include "filter/point.hpp"
#include "filter/settings.hpp"

#include <memory>
#include <optional>

namespace gst::cl {

/** Takes what an operation has found out to the outside of its element. Any thread. */
class GST_CL_API Reporter {
public:
  virtual ~Reporter () = default;

  /** Posts an element message; takes the structure. */
  virtual void post_message (GstStructure *content) = 0;
  /** A field of `stats`, of type double. */
  virtual void set_figure (const char *name, double value) = 0;
  /** Posts an element error. */
  virtual void fail (const Failure &) {}
  /** Posts an element warning. */
  virtual void warn (const Failure &) {}
  /** The element, where one waits for results. */
  virtual GstElement *owner () const { return nullptr; }
};

class InputWork;

/** Which frame is at hand, and when it is shown. */
struct FrameTimes {
  /** Counted from the start of the segment; pts * rate where the framerate is fixed. */
  guint64 number = 0;
  /** Counted over all input frames that the element ever took, with a gap where they do not follow each other: that of
   *  the first of the inputs, whose others follow. */
  guint64 first_input = 0;
  /** What is to be made of the inputs, for elements that make several things of them: as they and their operation agree. */
  unsigned job = 0;
  /** Whether a frame leaves the element; else it is looked at ahead of that. */
  bool is_result = true;
  GstClockTime timestamp = GST_CLOCK_TIME_NONE, stream_time = GST_CLOCK_TIME_NONE, running_time = GST_CLOCK_TIME_NONE;
};

/** The frame at hand, for operations whose work depends on more than its samples. */
struct FrameInfo : FrameTimes {
  /** Of the whole frame. */
  int width, height;
  /** Outlives the operation. */
  Reporter &reporter;
  /** As the caps have it. */
  const GstVideoInfo &video;
};

/** All planes of all inputs of a frame, or of one field of it. */
struct FrameTask {
  /** By plane, then by input. */
  std::span<const std::vector<PlaneView>> planes;
  /** What run() is given for each plane that has rows, but for the region; buffers may take the place of images there. */
  std::span<const PlaneTask> tasks;
  /** Which input the result is made from. */
  size_t main;
  int field;
  /** What will be filtered, in pixels of the frame (or field), and which components. */
  std::span<const Rect> regions;
  unsigned components;
  Border border;
  int border_sample;
};

/** A frame, or one field of it, and what is to become of it: a frame of another size, format or colorimetry. */
struct ConvertTask {
  /** By plane, as filters see frames of these formats. */
  std::span<const PlaneView> src, dst;
  const Format &src_format, &dst_format;
  /** Of the whole frames. */
  const GstVideoInfo &src_info, &dst_info;
  /** Of so many, whose rows those of the planes are. */
  int field = 0, n_fields = 1;
  /** Where dst begins in the result, of which it may be a rectangle: in pixels, on whole chroma samples. */
  int x = 0, y = 0;
};

/** A frame of an input with caps of its own. */
struct ComposeInput {
  /** For kernels on planes of the input's format. */
  Runner &reader;
  /** Buffers, as filters see frames of that format. */
  std::array<PlaneView, most_planes> planes;
  const Format &format;
  const GstVideoInfo &info;
  GstBuffer *buffer;
  /** What the operation keeps for the input. */
  std::unique_ptr<InputWork> &work;
  /** Counts all inputs of the result, those too that are not shown. */
  size_t number;
};

/** Frames that become one. */
struct ComposeTask {
  std::span<ComposeInput> inputs;
  /** Buffers, as filters see frames of that format. */
  std::span<const PlaneView> dst;
  const Format &dst_format;
  const GstVideoInfo &dst_info;
  /** As Commands::begin_frame() has it. */
  bool profile;
};

/** The work of one element on one stream: made when the caps are known, dropped with them. One streaming thread uses
 *  it. */
class GST_CL_API Operation {
public:
  virtual ~Operation () = default;

  /** Host work after a change: tables, plans. values follow the element's own table. */
  virtual void update (const Values &values) = 0;
  /** Before the first plane of a frame, and after the last. */
  virtual void begin_frame (Runner &, const FrameInfo &) {}
  virtual void end_frame (Runner &) {}
  /** Enqueues kernels that look at task.region of one plane; task.dst is nothing. Before any run(), for descriptions with
   *  observes(). */
  virtual void observe (Runner &, const PlaneTask &) {}
  /** Before the run() of a frame's planes (or a field's), for work that needs them all at once. */
  virtual void prepare (Runner &, const FrameTask &) {}
  /** Enqueues the kernels that write task.region of one plane. */
  virtual void run (Runner &runner, const PlaneTask &task) = 0;
  /** Whether run() is to be given images where there are any. Otherwise src and dst are buffers, through copies on the
   *  device, which is faster for all that reads pixels often; other planes in task.frame may still be images. */
  virtual bool takes_images () const { return false; }
  /** Whether what run() makes of a sample depends on the region: each is then filtered by itself. */
  virtual bool sees_regions () const { return false; }
  /** Whether run() takes several regions at once, in PlaneTask::regions. */
  virtual bool takes_regions () const { return false; }
  /** Whether run() is to be given frames whose planes share words (Format::in_words) where it can have them, with its settings
   *  as they are; else it is given planes of their own, which cost a pass over the frame before it and another one behind. */
  virtual bool takes_words (const Runner &) const { return false; }
  /** Where it takes words: what becomes of that plane. */
  virtual WordPart part_of (const Format &, int /* plane */) const { return WordPart::filtered; }
  /** Where it takes words: whether run() for such a first plane filters the second one with it (WordPart::filtered). */
  virtual bool takes_whole_words (const Runner &, const PlaneTask &) const { return false; }
  /** After how many milliseconds a frame counts as one that the device will never finish; 0: never. */
  virtual unsigned patience () const { return 0; }

  /** For chains: whether run () does to each pixel, by itself, what point_step () says, for these components. */
  virtual bool is_point (const Format &, unsigned /* components */) const { return false; }
  /** Nothing where the samples of that plane stay as they are. */
  virtual std::optional<PointStep> point_step (Runner &, const PlaneTask &) { return std::nullopt; }
  /** Whether run_on_points () may work out, for a region that is the whole plane. */
  virtual bool takes_points () const { return false; }
  /** run () on what steps make of src; nobody needs that picture itself. False where there is no kernel for that, or none
   *  yet. */
  virtual bool run_on_points (Runner &, const PlaneTask &, const PointSteps &) { return false; }

  /** A short name of the method in use, for `stats`. */
  virtual std::string algorithm () const = 0;
};

/** An operation that is one step: a filter of single pixels in its simplest form, which joins its neighbours in a chain. */
class GST_CL_API PointOperation : public Operation {
public:
  /** Enqueues the kernel of point_step () alone. */
  void run (Runner &runner, const PlaneTask &task) override;
  bool takes_images () const override { return true; }
  bool is_point (const Format &, unsigned) const override { return true; }
  std::string algorithm () const override { return "point"; }
};

/** An operation whose result has caps of its own. */
class GST_CL_API Converter : public Operation {
public:
  /** Enqueues the kernels that write all of dst. Planes are buffers where takes_images () is false. */
  virtual void convert (Runner &runner, const ConvertTask &task) = 0;
  /** Whether the fields of an interlaced frame are converted apart. */
  virtual bool takes_fields () const { return false; }

  void run (Runner &, const PlaneTask &) final {}
};

/** An operation whose inputs have caps of their own, and come and go. */
class GST_CL_API Composer : public Operation {
public:
  /** Which of the inputs the result shows: the others are not even read. Before compose(), which gets those that are. */
  virtual std::vector<bool> shown (std::span<const GstVideoInfo *const> inputs, const GstVideoInfo &result) const = 0;
  /** Enqueues the kernels that write all of dst. writer: for kernels on planes of the result's format. */
  virtual void compose (Runner &writer, const ComposeTask &task) = 0;

  void run (Runner &, const PlaneTask &) final {}
};

/** Which other frames a result depends on. */
struct FrameReach {
  static constexpr unsigned unbounded = G_MAXUINT;

  /** How many frames before it and after it. */
  unsigned before = 0, after = 0;
  /** Whether it depends on the frame's number in the stream as well. */
  bool counts = false;
};

/** An element as data. */
struct FilterDescription {
  const char *long_name;
  const char *klass = "Filter/Effect/Video/Hardware";
  const char *description;
  std::span<const Property> properties;
  /** Looks at neighbours: has the border properties. */
  bool windowed = false;
  std::unique_ptr<Operation> (*create) ();
  /** Whether these values leave every frame as it is; none do where this is null. */
  bool (*neutral) (const Values &values) = nullptr;
  /** Why a text is no value of property i, with the bad token and its position; nothing where it is one. */
  std::optional<std::string> (*complaint) (unsigned i, const std::string &text) = nullptr;
  /** Whether with these values it looks at every frame, those too that neutral() leaves as they are. */
  bool (*observes) (const Values &values) = nullptr;
  /** Which other frames its results depend on, with these values; none where this is null. */
  FrameReach (*reach) (const Values &values) = nullptr;
  /** Whether its element does more than its operation: within a clchain it stays an element of its own. */
  bool alone = false;
  /** Whether it takes interlaced frames whole; others filter each field as a frame of its own. */
  bool weaves = false;
  /** Whether it is made of other filters: these have the common properties, but for `profile`. */
  bool composed = false;
  /** Whether its operation is a Converter. Such an element stays one of its own within a clchain, writes whole frames, and has of
   *  the common properties `profile` alone, and those of borders where it is windowed. neutral() holds where the caps of both pads
   *  describe the same frames. */
  bool converts = false;
  /** Whether a Converter takes and gives every format, those of Format::is_for_converters() too. */
  bool every_format = false;
  /** Whether its operation is a Composer; `converts` is true as well. */
  bool composes = false;
  /** Whether it needs whole frames: those of one field a buffer are refused. */
  bool whole_frames = false;
};

}  // namespace gst::cl

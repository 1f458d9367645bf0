/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface of a filter's work on frames, and the description from which its element class is made. */
#pragma once

#include "filter/point.hpp"
#include "filter/settings.hpp"

#include <memory>
#include <optional>

namespace gst::cl {

/** Passes an operation's findings to the application. Thread-safe. */
class GST_CL_API Reporter {
public:
  virtual ~Reporter () = default;

  /** Posts an element message; takes ownership of the structure. */
  virtual void post_message (GstStructure *content) = 0;
  /** Sets a field of `stats`, of type double. */
  virtual void set_figure (const char *name, double value) = 0;
  virtual void fail (const Failure &) {}
  virtual void warn (const Failure &) {}
  /** The element that waits for results, or null. */
  virtual GstElement *owner () const { return nullptr; }
};

class InputWork;

/** The number and the times of the frame at hand. */
struct FrameTimes {
  /** Counted from the start of the segment; pts * rate if the framerate is fixed. */
  guint64 number = 0;
  /** The number of the first input among all input frames that the element has taken, with a gap at each discontinuity. The
   *  other inputs follow it. */
  guint64 first_input = 0;
  /** Which result to make, for elements that make several from the same inputs. The element and its operation define the
   *  values. */
  unsigned job = 0;
  /** Whether the frame is pushed; false while the operation only observes it. */
  bool is_result = true;
  GstClockTime timestamp = GST_CLOCK_TIME_NONE, stream_time = GST_CLOCK_TIME_NONE, running_time = GST_CLOCK_TIME_NONE;
};

/** The frame at hand, for operations whose work depends on more than its samples. */
struct FrameInfo : FrameTimes {
  /** Size of the whole frame in pixels. */
  int width, height;
  /** Outlives the operation. */
  Reporter &reporter;
  /** The format from the caps. */
  const GstVideoInfo &video;
};

/** All planes of all inputs of a frame, or of one of its fields. */
struct FrameTask {
  /** Indexed by plane, then by input. */
  std::span<const std::vector<PlaneView>> planes;
  /** The tasks that run() will get for planes with rows, except for the region; run() may get buffers in place of images. */
  std::span<const PlaneTask> tasks;
  /** The input that the result is made from. */
  size_t main;
  int field;
  /** The regions to filter, in pixels of the frame or field, and the components to filter. */
  std::span<const Rect> regions;
  unsigned components;
  Border border;
  int border_sample;
};

/** A frame, or one of its fields, and the frame of another size, format or colorimetry to convert it to. */
struct ConvertTask {
  /** Indexed by plane, as filters see frames of these formats. */
  std::span<const PlaneView> src, dst;
  const Format &src_format, &dst_format;
  /** Formats of the whole frames. */
  const GstVideoInfo &src_info, &dst_info;
  /** The field that the planes hold; n_fields is 1 for a whole frame. */
  int field = 0, n_fields = 1;
  /** Where dst begins when it is a rectangle of the result: in pixels, aligned to chroma samples. */
  int x = 0, y = 0;
};

/** A frame of an input with its own caps. */
struct ComposeInput {
  /** Runs kernels on planes of the input's format. */
  Runner &reader;
  /** Buffers, as filters see frames of this format. */
  std::array<PlaneView, most_planes> planes;
  const Format &format;
  const GstVideoInfo &info;
  GstBuffer *buffer;
  /** The operation's own data about the input. */
  std::unique_ptr<InputWork> &work;
  /** The input's index among all inputs of the result, including hidden ones. */
  size_t number;
};

/** Frames to compose into one. */
struct ComposeTask {
  std::span<ComposeInput> inputs;
  /** Buffers, as filters see frames of this format. */
  std::span<const PlaneView> dst;
  const Format &dst_format;
  const GstVideoInfo &dst_info;
  /** See Commands::begin_frame(). */
  bool profile;
};

/** The work of an element on one stream. Made when the caps are known, destroyed with them. Only the streaming thread uses it.
 *  Functions may throw Failure or cl::Error. */
class GST_CL_API Operation {
public:
  virtual ~Operation () = default;

  /** Prepares tables and plans on the host after a change of settings. values has the order of the element's property table. */
  virtual void update (const Values &values) = 0;
  /** Called before the first plane of a frame, and after the last. */
  virtual void begin_frame (Runner &, const FrameInfo &) {}
  virtual void end_frame (Runner &) {}
  /** Enqueues kernels that read task.region of one plane; task.dst is not set. Called before run(), if the description has
   *  observes(). */
  virtual void observe (Runner &, const PlaneTask &) {}
  /** Called before run() for a frame or field, for work that needs all its planes at once. */
  virtual void prepare (Runner &, const FrameTask &) {}
  /** Enqueues the kernels that write task.region of one plane. */
  virtual void run (Runner &runner, const PlaneTask &task) = 0;
  /** Whether run() takes images. If not, src and dst are buffers; images are copied on the device first, which is faster for
   *  filters that read each pixel often. Other planes in task.frame may still be images. */
  virtual bool takes_images () const { return false; }
  /** Whether the result of run() for a sample depends on the region; each region is then filtered separately. */
  virtual bool sees_regions () const { return false; }
  /** Whether run() takes several regions at once, in PlaneTask::regions. */
  virtual bool takes_regions () const { return false; }
  /** Whether run() is to be given frames whose planes share words (Format::in_words) where it can have them, with its settings
   *  as they are; else it is given planes of their own, which cost a pass over the frame before it and another one behind. */
  virtual bool takes_words (const Runner &) const { return false; }
  /** If takes_words(): what happens to this plane. */
  virtual WordPart part_of (const Format &, int /* plane */) const { return WordPart::filtered; }
  /** If takes_words(): whether run() for the first plane also filters the second one (WordPart::filtered). */
  virtual bool takes_whole_words (const Runner &, const PlaneTask &) const { return false; }
  /** After how many milliseconds a frame counts as one that the device will never finish; 0: never. */
  virtual unsigned patience () const { return 0; }

  /** For chains: whether run () applies point_step () to each pixel independently, for these components. */
  virtual bool is_point (const Format &, unsigned /* components */) const { return false; }
  /** Returns nothing if the samples of this plane do not change. */
  virtual std::optional<PointStep> point_step (Runner &, const PlaneTask &) { return std::nullopt; }
  /** Whether run_on_points () may succeed for a region that is the whole plane. */
  virtual bool takes_points () const { return false; }
  /** Like run (), on the result of steps on src, which need not be stored. Returns false when no kernel does this, or when it
   *  is not built yet. */
  virtual bool run_on_points (Runner &, const PlaneTask &, const PointSteps &) { return false; }

  /** A short name of the current method, for `stats`. */
  virtual std::string algorithm () const = 0;
};

/** A filter of single pixels that consists of one step; a chain joins it with its neighbours. */
class GST_CL_API PointOperation : public Operation {
public:
  /** Enqueues a kernel with only point_step (). */
  void run (Runner &runner, const PlaneTask &task) override;
  bool takes_images () const override { return true; }
  bool is_point (const Format &, unsigned) const override { return true; }
  std::string algorithm () const override { return "point"; }
};

/** An operation whose result has its own caps. */
class GST_CL_API Converter : public Operation {
public:
  /** Enqueues the kernels that write all of dst. Planes are buffers if takes_images () is false. */
  virtual void convert (Runner &runner, const ConvertTask &task) = 0;
  /** Whether the fields of an interlaced frame are converted separately. */
  virtual bool takes_fields () const { return false; }

  void run (Runner &, const PlaneTask &) final {}
};

/** An operation whose inputs have their own caps and may be added and removed. */
class GST_CL_API Composer : public Operation {
public:
  /** Which inputs are visible in the result. Called before compose(), which gets only the visible inputs; the others are not
   *  read. */
  virtual std::vector<bool> shown (std::span<const GstVideoInfo *const> inputs, const GstVideoInfo &result) const = 0;
  /** Enqueues the kernels that write all of dst. writer runs kernels on planes of the result's format. */
  virtual void compose (Runner &writer, const ComposeTask &task) = 0;

  void run (Runner &, const PlaneTask &) final {}
};

/** Which other frames a result depends on. */
struct FrameReach {
  static constexpr unsigned unbounded = G_MAXUINT;

  /** How many frames before and after it. */
  unsigned before = 0, after = 0;
  /** Whether it also depends on the frame's number in the stream. */
  bool counts = false;
};

/** Describes an element. */
struct FilterDescription {
  const char *long_name;
  const char *klass = "Filter/Effect/Video/Hardware";
  const char *description;
  std::span<const Property> properties;
  /** Whether the filter reads neighbouring pixels; it then has the border properties. */
  bool windowed = false;
  std::unique_ptr<Operation> (*create) ();
  /** Whether these values leave every frame unchanged. Null: no values do. */
  bool (*neutral) (const Values &values) = nullptr;
  /** Explains why a text is not a valid value of property i, with the wrong token and its position; returns nothing for a valid
   *  text. */
  std::optional<std::string> (*complaint) (unsigned i, const std::string &text) = nullptr;
  /** Whether the filter observes every frame with these values, even frames that neutral() leaves unchanged. */
  bool (*observes) (const Values &values) = nullptr;
  /** Which other frames the results depend on with these values. Null: none. */
  FrameReach (*reach) (const Values &values) = nullptr;
  /** Whether the element does more than its operation; clchain then keeps it as a separate element. */
  bool alone = false;
  /** Whether the filter takes interlaced frames as they are. Other filters process each field as a frame. */
  bool weaves = false;
  /** Whether the element consists of other filters. These have the common properties, except `profile`. */
  bool composed = false;
  /** Whether the operation is a Converter. clchain keeps such an element separate; it writes whole frames; its only common
   *  properties are `profile` and, if windowed, the border properties. neutral() applies when the caps of both pads describe
   *  the same frames. */
  bool converts = false;
  /** Whether a Converter takes and produces every format, including formats with Format::is_for_converters(). */
  bool every_format = false;
  /** Whether the operation is a Composer; `converts` is then true as well. */
  bool composes = false;
  /** Whether the element refuses video of one field per buffer. */
  bool whole_frames = false;
};

}  // namespace gst::cl

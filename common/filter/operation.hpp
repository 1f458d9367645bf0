/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface of a filter's work on frames, and the description from which its element class is made. */
#pragma once

#include "filter/property.hpp"
#include "filter/runner.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace gst::cl {

/** Passes an operation's findings to the application. Thread-safe. */
class GST_CL_API Reporter {
public:
  virtual ~Reporter () = default;

  /** Posts an element message; takes ownership of the structure. */
  virtual void post_message (GstStructure *content) { gst_structure_free (content); }
  /** Sets a field of `stats`, of type double. */
  virtual void set_figure (const char * /*name*/, double /*value*/) {}
  virtual void fail (const Failure &) {}
  virtual void warn (const Failure &) {}
  /** The element that waits for results, or null. */
  virtual GstElement *owner () const { return nullptr; }
};

/** The number and the times of the frame at hand. */
struct FrameTimes {
  /** Counted from the start of the segment. If the framerate is fixed, pts * rate, or the number after the last frame's if pts
   *  is within three quarters of a frame of it. */
  guint64 number = 0;
  /** The number of flushes before the frame. */
  guint64 flushes = 0;
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

/** The last frame, for values that are averaged over frames. */
class Continuity {
public:
  /** Whether the frame is played after the last one without a flush, within `most` frames; remembers it as the last one. */
  bool continues (const FrameTimes &frame, guint64 most)
  {
    const FrameTimes before = std::exchange (last, frame);
    const guint64 step = std::max (before.number, frame.number) - std::min (before.number, frame.number);
    return before.flushes == frame.flushes && step <= most;
  }

private:
  FrameTimes last;
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
  static constexpr unsigned colors = 1 << first | 1 << second | 1 << third;

  /** Indexed by plane, as filters see frames of these formats. */
  std::span<const PlaneView> src, dst;
  const Format &src_format, &dst_format;
  /** Formats of the whole frames. */
  const GstVideoInfo &src_info, &dst_info;
  /** The field that the planes hold; n_fields is 1 for a whole frame. */
  int field = 0, n_fields = 1;
  /** Where dst begins when it is a rectangle of the result: in pixels, aligned to chroma samples. */
  int x = 0, y = 0;
  /** For Converter::takes_steps (): the steps on these components after the conversion. */
  std::span<const PointStep> behind = {};
  unsigned components = colors;
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

/** The abilities of a filter with its present settings, on frames of its runner's format. */
struct Abilities {
  static constexpr unsigned every_component = ~0u;

  /** Whether observe () and run () take images. If not, src and dst are buffers; images are copied on the device first, which is
   *  faster for filters that read each pixel often. Other planes in task.frame may still be images. */
  bool images = false;
  /** Whether observe () counts samples: its rectangles then share none, and cover the surroundings of inverted regions. */
  bool measures = false;
  /** Whether the result of run () for a sample depends on the region; each region is then filtered separately. */
  bool sees_regions = false;
  /** Whether run () takes several regions at once, in PlaneTask::regions. */
  bool many_regions = false;
  /** Whether run () takes frames whose planes share words (Format::in_words). If not, planes are unpacked before run () and
   *  packed after it, each in a pass over the frame. */
  bool words = false;
  /** With words: the treatment of the second plane, and whether run () for the first plane of a whole frame in buffers also
   *  filters the second plane. */
  WordPart second_plane = WordPart::filtered;
  bool whole_words = false;
  /** For chains: for which components, if no others are filtered, run () applies point_step () to each pixel independently. */
  unsigned points = 0;
  /** For chains: whether run () applies point_step () to luma, U and V of each place. */
  bool places = false;
  /** For chains: whether plan () may take PlaneTask::before for a region that is the whole plane. */
  bool joins_points = false;
  /** Whether interlaced frames are filtered as they are; else each field is processed as a frame. */
  bool weaves = false;
  /** After how many milliseconds without completing a frame the device counts as hung; 0: never. */
  unsigned patience = 0;
};

/** The work of an element on one stream. Made when the caps are known, destroyed with them. Only the streaming thread uses it.
 *  Functions may throw Failure or cl::Error. */
class GST_CL_API Operation {
public:
  /** The struct of settings. */
  using Struct = void;

  virtual ~Operation () = default;

  /** Takes other settings. */
  virtual void update (const Settings &) {}
  /** Called before the first plane of a frame, and after the last. */
  virtual void begin_frame (Runner &, const FrameInfo &) {}
  virtual void end_frame (Runner &) {}

  /** A short name of the current method, for `stats`. */
  std::string algorithm = "direct";
};

/** Writes the planes of a frame from the same planes. */
class GST_CL_API Filter : public Operation {
public:
  virtual Abilities abilities (const Runner &) const { return {}; }
  /** Enqueues kernels that read task.region of one plane; task.dst is not set. Called before run (), if the description has
   *  observes (). */
  virtual void observe (Runner &, const PlaneTask &) {}
  /** Called before run () for a frame or field, for work that needs all its planes at once. */
  virtual void prepare (Runner &, const FrameTask &) {}
  /** The kernels that write task.region of one plane; by default, the kernel of point_step (). Empty: no sample changes. */
  virtual Plan plan (Runner &runner, const PlaneTask &task);
  /** Runs the plan. */
  virtual void run (Runner &runner, const PlaneTask &task);
  /** The function that is applied to each pixel; nothing if the samples of this plane do not change. */
  virtual std::optional<PointStep> point_step (Runner &, const PlaneTask &) { return std::nullopt; }
};

/** An operation whose result has its own caps. */
class GST_CL_API Converter : public Operation {
public:
  /** The kernels that write all of dst. Planes are buffers. */
  virtual Launches plan (Runner &runner, const ConvertTask &task) = 0;
  /** Runs the plan. */
  void convert (Runner &runner, const ConvertTask &task);
  /** Whether the fields of an interlaced frame are converted separately. */
  virtual bool takes_fields () const { return true; }
  /** Whether plan () takes ConvertTask::behind. */
  virtual bool takes_steps () const { return false; }
};

/** An operation whose inputs have their own caps and may be added and removed. */
class GST_CL_API Composer : public Operation {
public:
  /** Which inputs are visible in the result. Called before compose(), which gets only the visible inputs; the others are not
   *  read. */
  virtual std::vector<bool> shown (std::span<const GstVideoInfo *const> inputs, const GstVideoInfo &result) const = 0;
  /** Enqueues the kernels that write all of dst. writer runs kernels on planes of the result's format. */
  virtual void compose (Runner &writer, const ComposeTask &task) = 0;
};

/** An operation with a struct of settings. */
template <typename S, typename Interface = Filter> class With : public Interface {
public:
  using Struct = S;

  void update (const Settings &latched) final
  {
    settings = latched.own.as<S> ();
    pads = latched.pads;
    changed ();
  }

protected:
  /** Called after each change of the settings. */
  virtual void changed () {}

  S settings;
  /** See Settings. */
  std::vector<Values> pads;
};

/** The kind of an element's operation, and the function that makes it; null if the element makes it. */
struct OperationType {
  /** none: the element consists of other filters. */
  enum class Kind { none, filter, converter, composer } kind = Kind::none;
  CopySettings settings = nullptr;
  std::unique_ptr<Operation> (*create) () = nullptr;
};

template <typename T>
constexpr OperationType
operation_type ()
{
  OperationType type{std::is_base_of_v<Filter, T>      ? OperationType::Kind::filter
                     : std::is_base_of_v<Converter, T> ? OperationType::Kind::converter
                                                       : OperationType::Kind::composer};
  if constexpr (!std::is_void_v<typename T::Struct>)
    type.settings = copy_settings<typename T::Struct>;
  type.create = [] () -> std::unique_ptr<Operation> { return std::make_unique<T> (); };
  return type;
}

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
  /** The properties of the operation's struct of settings. */
  std::span<const Property> properties;
  /** Whether the filter reads neighbouring pixels; it then has the border properties. */
  bool windowed = false;
  /** Whether alpha is filtered with any other component, though `planes` does not name it. */
  bool moves_alpha = false;
  OperationType operation;
  /** Whether these values leave every frame unchanged; of a converter, frames that both pads' caps describe. Null: no values
   *  do. of_settings makes such functions. */
  bool (*neutral) (const Values &values) = nullptr;
  /** Whether a converter keeps format and size, so that it can be the first filter of a chain. */
  bool recolors = false;
  /** Whether the filter observes every frame with these values, even frames that neutral() leaves unchanged. */
  bool (*observes) (const Values &values) = nullptr;
  /** Which other frames the results depend on with these values. Null: none. */
  FrameReach (*reach) (const Values &values) = nullptr;
  /** Whether a converter takes and produces every format, including formats with Format::is_for_converters(). */
  bool every_format = false;
  /** Whether the element refuses video of one field per buffer. */
  bool whole_frames = false;

  /** Whether it has the common properties about regions. Converters and composers write whole frames; their common properties
   *  are `profile` and the border properties. */
  bool has_regions () const { return operation.kind == OperationType::Kind::filter; }
  bool converts () const { return operation.kind == OperationType::Kind::converter || composes (); }
  bool composes () const { return operation.kind == OperationType::Kind::composer; }
  std::span<const Property> common () const { return common_properties (has_regions (), windowed); }
};

/** A filter, and the object that reports for it. Both must outlive the stage. */
struct StagePlan {
  const FilterDescription *description;
  Reporter *reporter;
  /** Makes the operation, if the description does not. */
  std::function<std::unique_ptr<Operation> ()> create;
};

/** How many samples an item of the gpu back end takes: whole pixels, enough to keep memory busy, at most `bytes`. Neighbouring
 *  pixels of an image go to neighbouring items. */
GST_CL_API int gpu_point_samples (const Runner &runner, const PlaneTask &task, int bytes = 16);

/** The launch of these steps alone, which writes task.region. */
GST_CL_API Launch point_launch (Runner &runner, const PlaneTask &task, const PointSteps &steps);

/* Launches of steps on YUV, which need luma, U and V of a place at once (kernels/lib/blocks.cl). Alpha stays unchanged. */

/** A component's samples; offset is the position of the first one. */
struct ComponentView {
  PlaneView view;
  int offset;
};

/** A component's samples in a frame; the first component's if the frame does not have it. */
GST_CL_API ComponentView find_component (std::span<const PlaneView> planes, int component);

/** Writes task.region of one plane by one step. frame: all planes that it is made from, in buffers. */
GST_CL_API Launch place_launch (
    const Runner &runner, std::span<const PlaneView> frame, const PlaneTask &task, const PointSteps &step);

/** Writes all planes of a frame, or of a field, by steps; both are in buffers. */
GST_CL_API Launches place_launches (
    const Runner &runner, std::span<const PlaneView> src, std::span<const PlaneView> dst, const PointSteps &steps);

}  // namespace gst::cl

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clprogram: runs your own kernel, written in OpenCL C, on every frame. */
#include "core/sources.hpp"
#include "core/text.hpp"
#include "filter/gstclfilter.hpp"
#include "filter/samepicture.hpp"
#include "filter/settingstore.hpp"
#include "program/inputs.hpp"
#include "program/operation.hpp"
#include "program/text.hpp"

namespace gst::cl::clprogram {

std::optional<std::string>
complaint_of_kernel (const std::string &name)
{
  return name.empty () || is_identifier (name) ? std::nullopt : std::optional ("\"" + name + "\" is no name of a kernel");
}

constexpr Property properties[] = {
    property<&ProgramSettings::source> ("source", "The text of the kernel, in OpenCL C; \"\" = read location"),
    property<&ProgramSettings::location> ("location", "File with the text of the kernel, in OpenCL C"),
    property<&ProgramSettings::kernel> (
        "kernel", "Name of the kernel to run; \"\" = the first in the text, or all passes of the text", complaint_of_kernel),
    text_as (PropertyKind::structure,
        property<&ProgramSettings::params> ("params", "Values of the kernel's own arguments, by name")),
    property<&ProgramSettings::defines> ("defines", "Macros: NAME or NAME=VALUE, separated by spaces", complaint_of_defines),
    property<&ProgramSettings::watch> ("watch", "Reload the file when it changes"),
    property<&ProgramSettings::history> ("history", "How many previous inputs and outputs the kernel can read", 0, 8),
    property<&ProgramSettings::timeout> (
        "timeout", "Milliseconds after which an unfinished frame is an error; 0 = never", 0, 3600000),
};

const FilterDescription description{
    .long_name = "OpenCL user kernel",
    .description = "Runs your own OpenCL kernel",
    .properties = properties,
    .windowed = true,
    .operation = {OperationType::Kind::filter, copy_settings<ProgramSettings>},
    /* the kernel may read its own earlier results */
    .reach = of_settings<[] (const ProgramSettings &settings) {
      return FrameReach{.before = settings.history ? FrameReach::unbounded : 0, .counts = true};
    }>,
    .whole_frames = true,
};

struct ProgramData {
  explicit ProgramData (GstElement *element) : inputs (element), params (element) {}

  const std::shared_ptr<ProgramState> state = std::make_shared<ProgramState> ();
  ProgramInputs inputs;
  ParamsChild params;
  /* streaming thread only: the number of a frame, with a gap after an interruption; the frames that the other inputs show with it */
  guint64 number = 0;
  std::vector<BufferRef> others;
};

ProgramData &data_of (gpointer self);

/* Implements GstChildProxy; the kernel's arguments are the only child. */
void
implement_child_proxy (GType type)
{
  const auto init = [] (gpointer iface, gpointer) {
    auto *proxy = static_cast<GstChildProxyInterface *> (iface);
    proxy->get_child_by_index = [] (GstChildProxy *self, guint index) {
      return index == 0 ? G_OBJECT (data_of (self).params.ref ()) : nullptr;
    };
    proxy->get_children_count = [] (GstChildProxy *self) {
      g_autoptr (GstObject) params = data_of (self).params.ref ();
      return params ? 1u : 0u;
    };
  };
  const GInterfaceInfo info{init, nullptr, nullptr};
  g_type_add_interface_static (type, GST_TYPE_CHILD_PROXY, &info);
}

GST_CL_DEFINE_FILTER_TYPE (GstClProgram, gst_cl_program, clprogram, GstClFilter, GST_TYPE_CL_FILTER, description, ProgramData,
                           implement_child_proxy (g_define_type_id);)

#define GST_CL_PROGRAM(obj) (reinterpret_cast<GstClProgram *> (obj))
#define PARENT GST_BASE_TRANSFORM_CLASS (gst_cl_program_parent_class)

ProgramData &
data_of (gpointer self)
{
  return *GST_CL_PROGRAM (self)->data;
}

ProgramSettings
settings_of (GstClProgram *self)
{
  return gst_cl_filter_get_store (self).own_values ().as<ProgramSettings> ();
}

/* Announces the arguments that the text declares before anything is built, so that a launch line can set them, and a slider
 * appears while the text is typed. */
void
announce_declared (GstClProgram *self)
{
  const ProgramSettings settings = settings_of (self);
  std::string text = plain_text (settings.source);
  try {
    if (text.empty () && !settings.location.empty ())
      text = plain_text (InputFile (settings.location, FileTrust::named, largest_source).read ());
  } catch (const Failure &) {
    return; /* the start of the stream reports errors of the file */
  }
  data_of (self).params.announce (ProgramPlan (text).arguments_of (settings.kernel));
}

/* Announces the arguments of a running program, unless another text was set during its build. Streaming thread. */
void
announce_built (GstClProgram *self, const BuiltProgram &program)
{
  const ProgramSettings settings = settings_of (self);
  const std::string text = plain_text (settings.source);
  if (text.empty () ? program.request.location == settings.location : program.request.text == text)
    data_of (self).params.announce (program.arguments);
}

/* Unfiltered frames leave a gap, too. */
void
gst_cl_program_before_transform (GstBaseTransform *base, GstBuffer *buffer)
{
  ProgramData &data = data_of (base);
  data.number += GST_BUFFER_IS_DISCONT (buffer) ? 2 : 1;
  g_autoptr (GstObject) params = data.params.ref ();
  if (params) {
    const GstClockTime time = GST_BUFFER_PTS_IS_VALID (buffer) && base->segment.format == GST_FORMAT_TIME
                                  ? gst_segment_to_stream_time (&base->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer))
                                  : GST_CLOCK_TIME_NONE;
    if (GST_CLOCK_TIME_IS_VALID (time))
      gst_object_sync_values (params, time);
  }
  PARENT->before_transform (base, buffer);
}

/* How long to wait for other inputs if frames arrive in real time: as long as the frame is shown. */
GstClockTime
live_limit (GstBaseTransform *base, const TimedFrame &frame)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE;
  GstClockTime least = 0;
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (base), query))
    gst_query_parse_latency (query, &live, &least, nullptr);
  return live ? least + (GST_CLOCK_TIME_IS_VALID (frame.duration) ? frame.duration : GST_SECOND / 25) : 0;
}

TimedFrame
timed (GstBaseTransform *base, GstBuffer *buffer)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (base));
  GstVideoInfo info;
  gst_video_info_init (&info);
  if (caps)
    video_info_from_caps (info, caps);
  return timed_frame (BufferRef::retain (buffer), info, base->segment);
}

/* Waits for the other inputs also where the frame passes unchanged or is too late: their threads wait for it. */
GstFlowReturn
gst_cl_program_submit_input_buffer (GstBaseTransform *base, gboolean is_discont, GstBuffer *in)
{
  ProgramData &data = data_of (base);
  BufferRef taken (in);
  std::optional<std::vector<BufferRef>> others = std::vector<BufferRef> ();
  const bool found = data.inputs.count () == 0 || run_guarded (GST_ELEMENT (base), [&] {
    const TimedFrame frame = timed (base, in);
    others = data.inputs.frames_for (GST_BASE_TRANSFORM_SINK_PAD (base), frame, live_limit (base, frame));
  });
  if (!found)
    return GST_FLOW_ERROR;
  if (!others)
    return GST_FLOW_FLUSHING;
  data.others = std::move (*others);
  return PARENT->submit_input_buffer (base, is_discont, taken.release ());
}

/* A frame that passes must not be held here, or downstream would have to copy it. */
GstFlowReturn
gst_cl_program_prepare_output_buffer (GstBaseTransform *base, GstBuffer *in, GstBuffer **out)
{
  if (gst_base_transform_is_passthrough (base))
    data_of (base).others.clear ();
  return PARENT->prepare_output_buffer (base, in, out);
}

GstFlowReturn
gst_cl_program_transform (GstBaseTransform *base, GstBuffer *in, GstBuffer *out)
{
  ProgramData &data = data_of (base);
  const std::vector<BufferRef> others = std::exchange (data.others, {});
  std::vector<GstBuffer *> buffers{in};
  for (const BufferRef &other : others)
    buffers.push_back (other.get ());
  data.state->inputs = buffers.size ();
  return gst_cl_filter_run (&GST_CL_PROGRAM (base)->parent, buffers, 0, out, data.number);
}

/* The first input must match the others, if they already have caps. */
gboolean
gst_cl_program_query (GstBaseTransform *base, GstPadDirection direction, GstQuery *query)
{
  ProgramInputs &inputs = data_of (base).inputs;
  if (!PARENT->query (base, direction, query))
    return FALSE;
  if (inputs.count () == 0)
    return TRUE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY && direction == GST_PAD_SRC) {
    inputs.extend_latency (query);
  } else if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS && direction == GST_PAD_SINK) {
    GstCaps *possible = nullptr;
    gst_query_parse_caps_result (query, &possible);
    const std::optional<GstVideoInfo> likeness = inputs.picture ();
    g_autoptr (GstCaps) alike = caps_like (possible, likeness ? &*likeness : nullptr, nullptr);
    gst_query_set_caps_result (query, alike);
  }
  return TRUE;
}

/* The functions for mask pads. */
decltype (GstElementClass::request_new_pad) request_mask;
decltype (GstElementClass::release_pad) release_mask;

bool
is_mask (GstPadTemplate *templ)
{
  return g_str_equal (GST_PAD_TEMPLATE_NAME_TEMPLATE (templ), "mask");
}

GstPad *
gst_cl_program_request_new_pad (GstElement *element, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  if (is_mask (templ))
    return request_mask (element, templ, name, caps);
  GstPad *pad = data_of (element).inputs.add (templ, name);
  return pad ? add_running_pad (element, pad) : nullptr;
}

gboolean
gst_cl_program_sink_event (GstBaseTransform *base, GstEvent *event)
{
  ProgramData &data = data_of (base);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      data.inputs.set_flushing (true);
      break;
    case GST_EVENT_FLUSH_STOP:
      data.inputs.set_flushing (false);
      [[fallthrough]];
    case GST_EVENT_SEGMENT:
    case GST_EVENT_STREAM_START:
      data.inputs.set_ended (false);
      data.number++;
      break;
    case GST_EVENT_EOS:
      data.inputs.set_ended (true);
      break;
    case GST_EVENT_SEGMENT_DONE:
      data.inputs.end_segment ();
      break;
    default:
      break;
  }
  return PARENT->sink_event (base, event);
}

gboolean
gst_cl_program_src_event (GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return PARENT->src_event (base, event);
  g_autoptr (GstEvent) kept = gst_event_ref (event);
  return data_of (base).inputs.seek (kept, [&] { return PARENT->src_event (base, event); });
}

/* The other inputs' template comes first, because a link without a pad's name tries only the first template that fits. */
void
gst_cl_program_class_init (GstClProgramClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  add_pad_template (element, "sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, all_memory_kinds ());
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  klass->parent_class.create_operation = [] (GstClFilter *filter) { return make_program_operation (data_of (filter).state); };
  klass->parent_class.builds_ahead = [] (const Values &, const GstVideoInfo &, const GstVideoInfo &) {
    return false; /* a user's kernel may not end */
  };
  delete_with_instance<&GstClProgram::data, &gst_cl_program_parent_class, true> (G_OBJECT_CLASS (klass));
  G_OBJECT_CLASS (klass)->notify = [] (GObject *object, GParamSpec *pspec) {
    for (const char *name : {"source", "location", "kernel"})
      if (g_str_equal (pspec->name, name))
        announce_declared (GST_CL_PROGRAM (object));
  };
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  /* Checks before the first frame that a kernel is set. */
  base->start = [] (GstBaseTransform *base) -> gboolean {
    ProgramData &data = data_of (base);
    if (!PARENT->start (base))
      return FALSE;
    data.state->announce = [self = GST_CL_PROGRAM (base)] (const BuiltProgram &program) { announce_built (self, program); };
    data.state->good.reset ();
    data.state->source.forget ();
    return run_guarded (GST_ELEMENT (base), [&] { data.state->source.request (settings_of (GST_CL_PROGRAM (base)), 1); });
  };
  base->before_transform = gst_cl_program_before_transform;
  base->submit_input_buffer = gst_cl_program_submit_input_buffer;
  base->prepare_output_buffer = gst_cl_program_prepare_output_buffer;
  base->transform = gst_cl_program_transform;
  base->set_caps = [] (GstBaseTransform *base, GstCaps *in_caps, GstCaps *out_caps) -> gboolean {
    GstVideoInfo info;
    if (video_info_from_caps (info, in_caps))
      data_of (base).inputs.set_picture (info);
    return PARENT->set_caps (base, in_caps, out_caps);
  };
  base->query = gst_cl_program_query;
  base->sink_event = gst_cl_program_sink_event;
  base->src_event = gst_cl_program_src_event;

  request_mask = std::exchange (element->request_new_pad, gst_cl_program_request_new_pad);
  release_mask = std::exchange (element->release_pad, [] (GstElement *element, GstPad *pad) {
    if (is_mask (GST_PAD_PAD_TEMPLATE (pad)))
      release_mask (element, pad);
    else
      data_of (element).inputs.remove (pad);
  });
  /* Threads that wait for each other's frames must return before their pads are deactivated. */
  element->change_state = [] (GstElement *element, GstStateChange transition) -> GstStateChangeReturn {
    ProgramInputs &inputs = data_of (element).inputs;
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
      inputs.start ();
    else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
      inputs.stop ();
    return GST_ELEMENT_CLASS (gst_cl_program_parent_class)->change_state (element, transition);
  };
}

}  // namespace gst::cl::clprogram

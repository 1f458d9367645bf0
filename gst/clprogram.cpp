/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clprogram
 * @title: clprogram
 * @short_description: runs your own OpenCL kernel on every frame
 *
 * The kernel is OpenCL C in #GstClProgram:location or #GstClProgram:source. It begins with `PIXEL_ARGS` and `PIXEL_BEGIN`,
 * and then sees whole pixels of any format as float4, or with `COMPONENT_ARGS` and `COMPONENT_BEGIN`, and sees one component
 * as an integer. Helpers read neighbours by the border's rule, previous frames and other inputs, and write the result; the
 * kernel's further arguments are the fields of #GstClProgram:params.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clprogram source="kernel void negative (PIXEL_ARGS) { PIXEL_BEGIN float4 p = PIXEL (0, 0); p.xyz = 1.0f - p.xyz; OUT_PIXEL (p); }" ! videoconvert ! autovideosink
 * ]| The negative.
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! clprogram params="params,strength=0.7" \
 *   source="kernel void darker (COMPONENT_ARGS, float strength) { COMPONENT_BEGIN OUT_REAL (VAL * strength); }" ! videoconvert ! autovideosink
 * ]| A kernel with an argument.
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=100 ! clprogram history=1 \
 *   source="kernel void moved (PIXEL_ARGS) { PIXEL_BEGIN OUT_PIXEL (fabs (PIXEL (0, 0) - previous_input (1, x, y))); }" ! videoconvert ! autovideosink
 * ]| What has changed since the frame before.
 */
#include "filter/gstclfilter.hpp"
#include "program_operation.hpp"

#include <regex>

using namespace gst::cl;

namespace {

const Property properties[] = {
  /**
   * GstClProgram:source:
   *
   * OpenCL C. Where it is not "" it takes the place of #GstClProgram:location. A change while frames flow is a reload.
   */
  text_property ("source", "The kernel as OpenCL C; \"\" = that of location", ""),
  /**
   * GstClProgram:location:
   *
   * A file of OpenCL C.
   */
  text_property ("location", "File with the kernel as OpenCL C", ""),
  /**
   * GstClProgram:kernel:
   *
   * Which kernel of the text runs; "" for the first.
   */
  text_property ("kernel", "Name of the kernel to run; \"\" = the first", ""),
  /**
   * GstClProgram:params:
   *
   * The values of the kernel's own arguments, by their names.
   */
  structure_property ("params", "Values of the kernel's own arguments, by name"),
  /**
   * GstClProgram:defines:
   *
   * Definitions for the preprocessor, NAME or NAME=VALUE, separated by spaces. A change compiles the kernel anew.
   */
  text_property ("defines", "Definitions for the preprocessor: NAME or NAME=VALUE, separated by spaces", ""),
  /**
   * GstClProgram:watch:
   *
   * Whether the file is loaded again when it has changed. The frames until the new kernel is built take the last one, as do
   * those after it where it cannot be built.
   */
  boolean_property ("watch", "Load the file again when it has changed", false),
  /**
   * GstClProgram:history:
   *
   * How many previous inputs and outputs a kernel can read. A change compiles the kernel anew.
   */
  integer_property ("history", "How many previous inputs and outputs the kernel can read", 0, 8, 0),
  /**
   * GstClProgram:timeout:
   *
   * After how many milliseconds a frame that the device has not finished is an error; 0 waits for ever.
   */
  integer_property ("timeout", "Milliseconds after which a frame that is not finished is an error; 0 = never", 0, 3600000,
      2000),
};

std::optional<std::string>
complaint (unsigned i, const std::string &text)
{
  static const std::regex identifier (R"([A-Za-z_]\w*)");
  if (i == PROGRAM_DEFINES)
    return complaint_of_defines (text);
  if (i == PROGRAM_KERNEL && !text.empty () && !std::regex_match (text, identifier))
    return "\"" + text + "\" is no name of a kernel";
  return std::nullopt;
}

const FilterDescription description{
  .long_name = "OpenCL program",
  .klass = "Filter/Effect/Video/Hardware",
  .description = "Runs the user's own OpenCL kernel",
  .properties = properties,
  .windowed = true,
  .create = nullptr,
  .neutral = [] (const Values &) { return false; },
  .complaint = complaint,
};

struct GstClProgramPrivate {
  explicit GstClProgramPrivate (GstElement *element) : state (std::make_shared<ProgramState> (element)) {}

  std::shared_ptr<ProgramState> state;
  /* the streaming thread's: the number of a frame, with a gap behind what was interrupted */
  guint64 number = 0;
};

struct GstClProgram {
  GstClFilter parent;
  GstClProgramPrivate *priv;
};

struct GstClProgramClass {
  GstClFilterClass parent_class;
};

GST_DEBUG_CATEGORY_STATIC (gst_cl_program_debug);
#define GST_CAT_DEFAULT gst_cl_program_debug

G_DEFINE_TYPE_WITH_CODE (GstClProgram, gst_cl_program, GST_TYPE_CL_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_cl_program_debug, "clprogram", 0, description.long_name))

#define GST_CL_PROGRAM(obj) (reinterpret_cast<GstClProgram *> (obj))
#define PARENT GST_BASE_TRANSFORM_CLASS (gst_cl_program_parent_class)

std::unique_ptr<Operation>
gst_cl_program_create_operation (GstClFilter *filter)
{
  return std::make_unique<ProgramOperation> (GST_CL_PROGRAM (filter)->priv->state);
}

/* That there is something to run is known before the first frame. */
gboolean
gst_cl_program_start (GstBaseTransform *base)
{
  GstClProgramPrivate *priv = GST_CL_PROGRAM (base)->priv;
  if (!PARENT->start (base))
    return FALSE;
  priv->state->good.reset ();
  priv->state->source.forget ();
  Values values (properties);
  for (unsigned i = 0; i < std::size (properties); i++) {
    GValue value = G_VALUE_INIT;
    g_object_get_property (G_OBJECT (base), properties[i].name, &value);
    values.set (i, properties[i], &value);
    g_value_unset (&value);
  }
  return run_guarded (GST_ELEMENT (base), [&] { priv->state->source.request (values, 1); });
}

/* Frames that pass without being filtered leave a gap, too. */
void
gst_cl_program_before_transform (GstBaseTransform *base, GstBuffer *buffer)
{
  GstClProgramPrivate *priv = GST_CL_PROGRAM (base)->priv;
  priv->number += GST_BUFFER_IS_DISCONT (buffer) ? 2 : 1;
  PARENT->before_transform (base, buffer);
}

GstFlowReturn
gst_cl_program_transform (GstBaseTransform *base, GstBuffer *in, GstBuffer *out)
{
  GstClProgram *self = GST_CL_PROGRAM (base);
  return gst_cl_filter_run (&self->parent, {&in, 1}, 0, out, self->priv->number);
}

gboolean
gst_cl_program_sink_event (GstBaseTransform *base, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_STOP:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_STREAM_START:
      GST_CL_PROGRAM (base)->priv->number++;
      break;
    default:
      break;
  }
  return PARENT->sink_event (base, event);
}

void
gst_cl_program_finalize (GObject *object)
{
  GstClProgramPrivate *priv = GST_CL_PROGRAM (object)->priv;
  G_OBJECT_CLASS (gst_cl_program_parent_class)->finalize (object);
  delete priv;
}

void
gst_cl_program_class_init (GstClProgramClass *klass)
{
  gst_cl_filter_class_set_description (&klass->parent_class, &description);
  klass->parent_class.create_operation = gst_cl_program_create_operation;
  G_OBJECT_CLASS (klass)->finalize = gst_cl_program_finalize;
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS (klass);
  base->start = gst_cl_program_start;
  base->before_transform = gst_cl_program_before_transform;
  base->transform = gst_cl_program_transform;
  base->sink_event = gst_cl_program_sink_event;
}

void
gst_cl_program_init (GstClProgram *self)
{
  self->priv = new GstClProgramPrivate (GST_ELEMENT (self));
}

}  // namespace

GST_ELEMENT_REGISTER_DEFINE (clprogram, "clprogram", GST_RANK_NONE, gst_cl_program_get_type ())

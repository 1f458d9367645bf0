/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of filters with one input, which are made from a FilterDescription. */
#pragma once

#include "filter/gstclbasetransform.hpp"
#include "filter/roi.hpp"
#include "filter/settingstore.hpp"

namespace gst::cl {
class Stream;
}

/** GstClFilter: abstract. A subclass consists of a description and GST_CL_DEFINE_FILTER. */
struct GstClFilter {
  GstClBaseTransform parent;
  struct GstClFilterPrivate *priv;
};

struct GstClFilterClass {
  GstClBaseTransformClass parent_class;
  const gst::cl::FilterDescription *description;
  /** Optional: makes the operation of a stream when the operation needs its element, also before there are caps. By default the
   *  description makes it. */
  std::unique_ptr<gst::cl::Operation> (*create_operation) (GstClFilter *self);

  /** Optional: how many input frames a result needs with these values. */
  size_t (*inputs) (const gst::cl::Values &values);
  /** Optional: whether to build programs before frames come, for these values and videos; not if all frames would pass. */
  bool (*builds_ahead) (const gst::cl::Values &values, const GstVideoInfo &in, const GstVideoInfo &out);

  /** The functions below are for elements that consist of several filters; by default the element is one stage of its
   * description. The streaming thread calls them.
   *
   * latch() fills in the settings for the next frame, and returns whether stages() has changed. If is_ready returns false, it
   * fills in the settings of the last frame. */
  using IsReady = std::function<bool (std::span<const gst::cl::StagePlan>, std::span<const gst::cl::Settings>)>;
  bool (*latch) (
      GstClFilter *self, GstClockTime stream_time, std::vector<gst::cl::Settings> &settings, const IsReady &is_ready);
  std::vector<gst::cl::StagePlan> (*stages) (GstClFilter *self);
  /** Called after a frame. */
  void (*filtered) (GstClFilter *self, const gst::cl::Stream &stream);
};

GST_CL_API GType gst_cl_filter_get_type ();
#define GST_TYPE_CL_FILTER (gst_cl_filter_get_type ())

/** Installs metadata, pad templates and properties from a description, which must live as long as the process. For
 *  class_init. */
GST_CL_API void gst_cl_filter_class_set_description (GstClFilterClass *klass, const gst::cl::FilterDescription *description);

/** Implements GstBaseTransform.transform for subclasses that make a result from several inputs: filters inputs[main] into out,
 *  or only observes the inputs when out is null. first_input and job are fields of FrameTimes. Call before_transform() for
 *  inputs[main] first. is_result: whether `stats` counts the frame. */
GST_CL_API GstFlowReturn gst_cl_filter_run (GstClFilter *self, std::span<GstBuffer *const> inputs, size_t main, GstBuffer *out,
    guint64 first_input = 0, unsigned job = 0, bool is_result = true);

/** The values of the element's properties. */
GST_CL_API gst::cl::SettingStore &gst_cl_filter_get_store (gpointer self);
GST_CL_API const gst::cl::FilterDescription &gst_cl_filter_get_description (gpointer self);
/** The element as a stage of a stream. */
GST_CL_API const gst::cl::StagePlan &gst_cl_filter_get_plan (gpointer self);

/** The holder of the element's masks, which several elements may share. */
GST_CL_API gst::cl::MaskHolderRef &gst_cl_filter_get_mask (gpointer self);

/** Takes the settings for buffer before before_transform(), which then uses them; for subclasses whose settings determine how
 *  many inputs a frame needs. Streaming thread. */
GST_CL_API bool gst_cl_filter_latch (GstClFilter *self, GstBuffer *buffer);
/** The values that were latched last, or null before the first frame. Streaming thread. */
GST_CL_API const gst::cl::Values *gst_cl_filter_get_values (GstClFilter *self);

/** Waits until the device has finished, and reports all results. Returns false after an error message if a frame has failed. */
GST_CL_API bool gst_cl_filter_drain (GstClFilter *self);

/** Makes an instance's data, from the element if it needs that; none if T is void. */
template <typename T>
T *
gst_cl_filter_make_data (gpointer self)
{
  if constexpr (std::is_void_v<T>)
    return nullptr;
  else if constexpr (std::is_default_constructible_v<T>)
    return new T;
  else
    return new T (GST_ELEMENT (self));
}

/**
 * GST_CL_DEFINE_FILTER_TYPE:
 * @TypeName: the name of the GType, such as GstClMedian
 * @type_name: its prefix, such as gst_cl_median
 * @element: the element's name without quotes, such as clmedian
 * @Parent: its base class, GstClFilter or one that derives from it
 * @PARENT_TYPE: the GType of @Parent
 * @description: a gst::cl::FilterDescription
 * @Data: the type of an instance's own data, or void; class_init() lets delete_with_instance() delete it
 *
 * Defines the type, its debug category (named as the element) and gst_element_register_ELEMENT(), for a class_init() that
 * follows. Further arguments are code for G_DEFINE_TYPE_WITH_CODE(), without commas outside of parentheses.
 */
#define GST_CL_DEFINE_FILTER_TYPE(TypeName, type_name, element, Parent, PARENT_TYPE, description, Data, ...)                   \
  GST_DEBUG_CATEGORY_STATIC (type_name##_debug);                                                                               \
  struct TypeName {                                                                                                            \
    Parent parent;                                                                                                             \
    Data *data;                                                                                                                \
  };                                                                                                                           \
  struct TypeName##Class {                                                                                                     \
    Parent##Class parent_class;                                                                                                \
  };                                                                                                                           \
  G_DEFINE_TYPE_WITH_CODE (TypeName, type_name, PARENT_TYPE,                                                                   \
      __VA_ARGS__ GST_DEBUG_CATEGORY_INIT (type_name##_debug, #element, 0, (description).long_name))                           \
  static void type_name##_init (TypeName *self)                                                                                \
  {                                                                                                                            \
    self->data = gst_cl_filter_make_data<Data> (self);                                                                         \
  }                                                                                                                            \
  GST_ELEMENT_REGISTER_DEFINE (element, #element, GST_RANK_NONE, type_name##_get_type ())

/** Like GST_CL_DEFINE_FILTER_TYPE(), for an element that needs only its description. */
#define GST_CL_DEFINE_FILTER(TypeName, type_name, element, description, ...)                                                   \
  GST_CL_DEFINE_FILTER_TYPE (                                                                                                  \
      TypeName, type_name, element, GstClFilter, GST_TYPE_CL_FILTER, description, void __VA_OPT__ (, ) __VA_ARGS__)            \
  static void type_name##_class_init (TypeName##Class *klass)                                                                  \
  {                                                                                                                            \
    gst_cl_filter_class_set_description (&klass->parent_class, &(description));                                                \
  }

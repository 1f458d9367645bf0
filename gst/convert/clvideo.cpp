/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clvideo: puts filters between any two elements: a bin of clconvert, cltonemap, clconvert, clchain and clconvert. It accepts
 * any decoder's output and suits any sink; formats, sizes and memory are negotiated inside. */
#include "filter/clelement.hpp"
#include "filter/mask.hpp"

#include <string>

namespace gst::cl::clvideo {

struct GstClVideo {
  GstBin parent;
  GstElement *chain;
  /* whether filters have been set, and to none */
  gboolean is_set, is_none;
};

struct GstClVideoClass {
  GstBinClass parent_class;
};

GST_DEBUG_CATEGORY_STATIC (gst_cl_video_debug);

void init_child_proxy (gpointer iface, gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstClVideo, gst_cl_video, GST_TYPE_BIN,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, init_child_proxy)
        GST_DEBUG_CATEGORY_INIT (gst_cl_video_debug, "clvideo", 0, "filters with conversion before and after"))

enum : guint { PROP_FILTERS = 1 };

/* A filter that lets every frame pass. */
constexpr const char *no_filters = "clcolormatrix";

/* The chain keeps its filters if the text is not valid. */
void
set_filters (GstClVideo *self, const gchar *text)
{
  const bool is_none = !text || !*g_strstrip (std::string (text).data ());
  g_autofree gchar *taken = nullptr;
  g_object_set (self->chain, "filters", is_none ? no_filters : text, nullptr);
  g_object_get (self->chain, "filters", &taken, nullptr);
  self->is_set = TRUE;
  if (is_none || g_str_equal (taken, text))
    self->is_none = is_none;
}

void
gst_cl_video_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_FILTERS)
    set_filters (reinterpret_cast<GstClVideo *> (object), g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

void
gst_cl_video_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id != PROP_FILTERS) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  auto *self = reinterpret_cast<GstClVideo *> (object);
  if (self->is_none)
    g_value_set_static_string (value, "");
  else
    g_object_get_property (G_OBJECT (self->chain), "filters", value);
}

GstStateChangeReturn
gst_cl_video_change_state (GstElement *element, GstStateChange transition)
{
  auto *self = reinterpret_cast<GstClVideo *> (element);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !self->is_set)
    set_filters (self, "");
  return GST_ELEMENT_CLASS (gst_cl_video_parent_class)->change_state (element, transition);
}

void
add_ghost_pad (GstClVideo *self, GstElement *end, const char *name)
{
  g_autoptr (GstPad) target = gst_element_get_static_pad (end, name);
  GstPadTemplate *pad_template = gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), name);
  GstPad *pad = gst_ghost_pad_new_from_template (name, target, pad_template);
  /* caps without a framerate are not a subset of the template */
  GST_PAD_SET_ACCEPT_INTERSECT (pad);
  gst_element_add_pad (GST_ELEMENT (self), pad);
}

/* Requests the chain's pad. */
GstPad *
gst_cl_video_request_new_pad (GstElement *element, GstPadTemplate *pad_template, const gchar *, const GstCaps *)
{
  g_autoptr (GstPad) known = gst_element_get_static_pad (element, "mask");
  g_autoptr (GstPad) target =
      known ? nullptr : gst_element_request_pad_simple (reinterpret_cast<GstClVideo *> (element)->chain, "mask");
  if (!target)
    return nullptr;
  GstPad *pad = gst_ghost_pad_new_from_template ("mask", target, pad_template);
  GST_PAD_SET_ACCEPT_INTERSECT (pad);
  return gst::cl::add_running_pad (element, pad);
}

void
gst_cl_video_release_pad (GstElement *element, GstPad *pad)
{
  g_autoptr (GstPad) target = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  /* a push may wait there, with the lock of this pad's stream */
  if (target)
    gst_pad_set_active (target, FALSE);
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (element, pad);
  if (target)
    gst_element_release_request_pad (reinterpret_cast<GstClVideo *> (element)->chain, target);
}

/* The bin's own children, then the filters by the names that they have in the chain. */
GObject *
child_by_name (GstChildProxy *proxy, const gchar *name)
{
  auto *self = reinterpret_cast<GstClVideo *> (proxy);
  const auto *of_bin =
      static_cast<GstChildProxyInterface *> (g_type_interface_peek (gst_cl_video_parent_class, GST_TYPE_CHILD_PROXY));
  GObject *child = of_bin->get_child_by_name (proxy, name);
  return child ? child : gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (self->chain), name);
}

void
init_child_proxy (gpointer iface, gpointer)
{
  static_cast<GstChildProxyInterface *> (iface)->get_child_by_name = child_by_name;
}

void
gst_cl_video_class_init (GstClVideoClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  object->set_property = gst_cl_video_set_property;
  object->get_property = gst_cl_video_get_property;
  g_object_class_install_property (object, PROP_FILTERS,
      g_param_spec_string ("filters", "Filters", "The filters in gst-launch syntax: \"clnoise ! clmedian radius=2\"", "",
          GParamFlags (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)));

  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  element->change_state = gst_cl_video_change_state;
  gst_element_class_set_static_metadata (element, "OpenCL filters for any video", "Generic/Bin/Video/Filter/Hardware",
      "Runs OpenCL filters between any two elements, with conversion before and after", "The gst-plugins-cl developers");
  gst::cl::add_pad_template (element, "sink", GST_PAD_SINK, GST_PAD_ALWAYS, gst::cl::all_memory_kinds (), 0, true, true);
  gst::cl::add_pad_template (element, "src", GST_PAD_SRC, GST_PAD_ALWAYS, gst::cl::all_memory_kinds (), 0, true, true);
  gst::cl::add_mask_template (element);
  element->request_new_pad = gst_cl_video_request_new_pad;
  element->release_pad = gst_cl_video_release_pad;
}

void
gst_cl_video_init (GstClVideo *self)
{
  /* converts only formats of less than 8 bits; cltonemap, the next element, converts only HDR */
  GstElement *entrance = gst_element_factory_make ("clconvert", "entrance");
  GstElement *range = gst_element_factory_make ("cltonemap", "range");
  GstElement *before = gst_element_factory_make ("clconvert", "before");
  self->chain = gst_element_factory_make ("clchain", "chain");
  GstElement *after = gst_element_factory_make ("clconvert", "after");
  gst_bin_add_many (GST_BIN (self), entrance, range, before, self->chain, after, nullptr);
  gst_element_link_many (entrance, range, before, self->chain, after, nullptr);
  /* gst_parse sets a child's properties at child-added */
  g_signal_connect_object (self->chain, "child-added", G_CALLBACK (gst_child_proxy_child_added), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->chain, "child-removed", G_CALLBACK (gst_child_proxy_child_removed), self, G_CONNECT_SWAPPED);
  add_ghost_pad (self, entrance, "sink");
  add_ghost_pad (self, after, "src");
}

GST_ELEMENT_REGISTER_DEFINE (clvideo, "clvideo", GST_RANK_NONE, gst_cl_video_get_type ())

}  // namespace gst::cl::clvideo

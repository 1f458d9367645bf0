/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoders.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace studio {

namespace {

using Features = std::unique_ptr<GList, Releases<gst_plugin_feature_list_free>>;

/* the most widely supported codecs come first */
constexpr std::array<std::string_view, 9> codecs{"video/x-h264", "video/x-h265", "video/x-vp9", "video/x-av1", "video/x-vp8",
    "video/x-prores", "video/x-theora", "video/mpeg", "image/jpeg"};
constexpr std::array<const char *, 5> sound_codecs{"audio/mpeg,mpegversion=(int)4", "audio/x-opus", "audio/x-vorbis",
    "audio/mpeg,mpegversion=(int)1,layer=(int)3", "audio/x-flac"};

/* Quality settings of encoders: small, good, best. */
struct Scale {
  const char *factory;
  std::array<const char *, 3> settings;
};
constexpr std::array<Scale, 8> scales{
    {{"x264enc", {"pass=qual quantizer=27", "pass=qual quantizer=21", "pass=qual quantizer=16"}},
        {"x265enc", {"option-string=crf=30", "option-string=crf=25", "option-string=crf=19"}},
        {"vp8enc", {"end-usage=cq cq-level=40 deadline=1 cpu-used=4", "end-usage=cq cq-level=24 deadline=1 cpu-used=4",
                       "end-usage=cq cq-level=10 deadline=1 cpu-used=2"}},
        {"vp9enc", {"end-usage=cq cq-level=42 deadline=1 cpu-used=6 row-mt=true",
                       "end-usage=cq cq-level=30 deadline=1 cpu-used=6 row-mt=true",
                       "end-usage=cq cq-level=18 deadline=1 cpu-used=4 row-mt=true"}},
        {"av1enc", {"end-usage=q cq-level=42 cpu-used=6 row-mt=true", "end-usage=q cq-level=30 cpu-used=6 row-mt=true",
                       "end-usage=q cq-level=18 cpu-used=4 row-mt=true"}},
        {"svtav1enc", {"crf=45", "crf=32", "crf=20"}}, {"theoraenc", {"quality=30", "quality=48", "quality=60"}},
        {"jpegenc", {"quality=75", "quality=90", "quality=97"}}}};
constexpr std::array<double, 3> bits_per_pixel{0.05, 0.12, 0.3};

Features
factories (GstElementFactoryListType type, GstRank rank)
{
  GList *all = gst_element_factory_list_get_elements (type, rank);
  return Features (g_list_sort (all, gst_plugin_feature_rank_compare_func));
}

/* The caps that the muxer takes on pads with this name prefix. */
Caps
muxer_takes (GstElementFactory *muxer, const char *pad_name)
{
  Caps all (gst_caps_new_empty ());
  for (const GList *i = gst_element_factory_get_static_pad_templates (muxer); i; i = i->next) {
    auto *pad = static_cast<GstStaticPadTemplate *> (i->data);
    if (pad->direction == GST_PAD_SINK
        && (g_str_has_prefix (pad->name_template, pad_name) || g_str_has_prefix (pad->name_template, "sink")))
      gst_caps_append (all.get (), gst_static_caps_get (&pad->static_caps));
  }
  return plain_format (all.get ());
}

GstElementFactory *
muxer_for (const char *caps_text)
{
  const Features muxers = factories (GST_ELEMENT_FACTORY_TYPE_MUXER, GST_RANK_MARGINAL);
  const Caps caps (gst_caps_from_string (caps_text));
  for (const GList *i = muxers.get (); i; i = i->next) {
    auto *factory = GST_ELEMENT_FACTORY (i->data);
    /* FFmpeg's muxers are used only for types that GStreamer's own do not support */
    if (!g_str_has_prefix (GST_OBJECT_NAME (factory), "avmux_") && gst_element_factory_can_src_any_caps (factory, caps.get ()))
      return factory;
  }
  return nullptr;
}

/* The encoder's first codec that the caps allow; null if there is none. */
Caps
common_format (GstElementFactory *encoder, const GstCaps *taken)
{
  for (const GList *i = gst_element_factory_get_static_pad_templates (encoder); i; i = i->next) {
    auto *pad = static_cast<GstStaticPadTemplate *> (i->data);
    if (pad->direction != GST_PAD_SRC)
      continue;
    const Caps made (gst_static_caps_get (&pad->static_caps));
    const Caps plain = plain_format (made.get ());
    Caps both (gst_caps_intersect (plain.get (), const_cast<GstCaps *> (taken)));
    if (gst_caps_is_empty (both.get ()) || gst_caps_is_any (both.get ()))
      continue;
    return Caps (gst_caps_fixate (gst_caps_truncate (both.release ())));
  }
  return nullptr;
}

size_t
codec_rank (const Encoder &encoder)
{
  const auto found = std::ranges::find_if (codecs, [&] (std::string_view codec) { return encoder.format.starts_with (codec); });
  return size_t (found - codecs.begin ());
}

std::vector<Encoder>
encoders_for (const GstCaps *taken)
{
  const Features all = factories (GST_ELEMENT_FACTORY_TYPE_VIDEO_ENCODER, GST_RANK_MARGINAL);
  std::vector<Encoder> found;
  for (const GList *i = all.get (); i; i = i->next) {
    auto *factory = GST_ELEMENT_FACTORY (i->data);
    const Caps format = common_format (factory, taken);
    if (!format)
      continue;
    const std::string codec = text_of (gst_pb_utils_get_codec_description (format.get ()));
    const std::string name = GST_OBJECT_NAME (factory);
    found.push_back ({name, codec + " (" + name + ")", text_of (gst_caps_to_string (format.get ()))});
  }
  std::ranges::stable_sort (found, {}, codec_rank);
  return found;
}

std::vector<Container>
find_containers ()
{
  gst_pb_utils_init ();
  std::vector<Container> found{{"MP4", "mp4", "video/quicktime,variant=(string)iso"}, {"Matroska", "mkv", "video/x-matroska"},
      {"WebM", "webm", "video/webm"}, {"QuickTime", "mov", "video/quicktime,variant=(string)apple"},
      {"AVI", "avi", "video/x-msvideo"}, {"Ogg", "ogv", "application/ogg"}};
  for (Container &container : found)
    if (GstElementFactory *muxer = muxer_for (container.caps.c_str ())) {
      container.encoders = encoders_for (muxer_takes (muxer, "video").get ());
      if (const Caps sound = muxer_takes (muxer, "audio"); !gst_caps_is_empty (sound.get ()))
        container.sound = text_of (gst_caps_to_string (sound.get ()));
    }
  std::erase_if (found, [] (const Container &container) { return container.encoders.empty (); });
  /* a file type without a common codec comes last */
  std::ranges::stable_sort (found, {}, [] (const Container &c) { return codec_rank (c.encoders[0]) == codecs.size (); });
  return found;
}

const Scale *
scale_of (GstElement *encoder)
{
  const auto found = std::ranges::find (scales, kind_of (encoder), &Scale::factory);
  return found == scales.end () ? nullptr : &*found;
}

}  // namespace

Caps
plain_format (const GstCaps *caps)
{
  constexpr std::array<std::string_view, 6> kept{
      "mpegversion", "layer", "systemstream", "msmpegversion", "wmvversion", "variant"};
  Caps plain (gst_caps_new_empty ());
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *fields = gst_caps_get_structure (caps, i);
    GstStructure *fewer = gst_structure_new_empty (gst_structure_get_name (fields));
    for (const std::string_view name : kept) {
      if (const GValue *value = gst_structure_get_value (fields, name.data ()))
        gst_structure_set_value (fewer, name.data (), value);
    }
    gst_caps_append_structure (plain.get (), fewer);
  }
  return plain;
}

/* By default, conversion from RGB chooses 4:4:4, which few players support. */
std::string
Encoder::takes (const std::string &filter_format) const
{
  constexpr const char *wide = "video/x-raw,format=(string){I420_10LE,P010_10LE}",
                       *usual = "video/x-raw,format=(string){I420,NV12,YV12}";
  const bool is_wide = filter_format.find ("_1") != std::string::npos || filter_format.find ("64") != std::string::npos;
  const Ref<GstElementFactory> found = Ref<GstElementFactory>::take (gst_element_factory_find (factory.c_str ()));
  for (const char *text : {wide, usual}) {
    const Caps caps (gst_caps_from_string (text));
    const bool fits = found && gst_element_factory_can_sink_any_caps (found.get (), caps.get ());
    if (fits && codec_rank (*this) < codecs.size () && (text == usual || is_wide))
      return text;
  }
  return "video/x-raw";
}

const std::vector<Container> &
containers ()
{
  static const std::vector<Container> found = find_containers ();
  return found;
}

const Container &
container_for (const std::string &path)
{
  std::string known;
  for (const Container &container : containers ()) {
    if (path.ends_with ("." + container.extension))
      return container;
    known += " ." + container.extension;
  }
  throw std::runtime_error (known.empty () ? "GStreamer has no encoder for video here: install gstreamer1.0-plugins-ugly, "
                                             "-good or gstreamer1.0-libav"
                                           : "The name of the video has to end in one of" + known);
}

void
set_quality (GstElement *encoder, Quality quality)
{
  const Scale *scale = scale_of (encoder);
  if (!scale)
    return;
  const Strings settings (g_strsplit (scale->settings[size_t (quality)], " ", -1));
  for (gchar **setting = settings.get (); *setting; setting++) {
    gchar *value = std::strchr (*setting, '=');
    *value++ = '\0';
    if (spec_of (encoder, *setting))
      gst_util_set_object_arg (G_OBJECT (encoder), *setting, value);
  }
}

void
set_bit_rate (GstElement *encoder, Quality quality, const GstVideoInfo &info)
{
  const bool is_libvpx = spec_of (encoder, "target-bitrate");
  /* libvpx needs a bit rate limit besides the quality; it is set high, so that it does not apply */
  const double share = bits_per_pixel[size_t (quality)] * (is_libvpx ? 4 : 1);
  const double rate = info.fps_n > 0 ? double (info.fps_n) / info.fps_d : 30;
  const double bits = std::clamp (share * info.width * info.height * rate, 1e5, 5e8);
  const char *name = is_libvpx ? "target-bitrate" : "bitrate";
  GParamSpec *spec = spec_of (encoder, name);
  if (!spec || (scale_of (encoder) && !is_libvpx))
    return;
  const Chars about (g_ascii_strdown (g_param_spec_get_blurb (spec), -1));
  const bool thousands = std::strstr (about.get (), "kbit") || std::strstr (about.get (), "kbps");
  gst_util_set_object_arg (G_OBJECT (encoder), name, std::to_string (gint64 (thousands ? bits / 1000 : bits)).c_str ());
}

std::string
sound_format (const Container &container, const GstCaps *sound)
{
  if (container.sound.empty ())
    return "";
  const Caps taken (gst_caps_from_string (container.sound.c_str ()));
  const Caps plain = plain_format (sound);
  const bool is_raw = gst_structure_has_name (gst_caps_get_structure (sound, 0), "audio/x-raw");
  if (!is_raw && gst_caps_can_intersect (plain.get (), taken.get ()))
    return text_of (gst_caps_to_string (plain.get ()));
  const Features encoders = factories (GST_ELEMENT_FACTORY_TYPE_AUDIO_ENCODER, GST_RANK_MARGINAL);
  for (const char *codec : sound_codecs) {
    const Caps caps (gst_caps_from_string (codec));
    const Features able (gst_element_factory_list_filter (encoders.get (), caps.get (), GST_PAD_SRC, FALSE));
    if (able && gst_caps_can_intersect (caps.get (), taken.get ()))
      return codec;
  }
  return "";
}

}  // namespace studio

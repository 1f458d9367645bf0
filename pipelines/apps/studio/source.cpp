/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "source.hpp"
#include "values.hpp"

#include <cstring>
#include <stdexcept>

namespace studio {

namespace {

std::string
property_text (GstElement *element, const char *name)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  return spec ? value_text (G_OBJECT (element), spec) : "";
}

std::string
pattern_caps (const Source &source)
{
  return "video/x-raw,width=" + std::to_string (source.width) + ",height=" + std::to_string (source.height)
         + ",framerate=" + std::to_string (source.rate) + "/1";
}

}  // namespace

std::string
Source::title () const
{
  if (kind == Kind::pattern)
    return "Test pattern " + what;
  if (kind == Kind::camera)
    return "Camera " + what;
  const Chars path (g_filename_from_uri (what.c_str (), nullptr, nullptr));
  return path ? text_of (g_filename_display_basename (path.get ())) : what;
}

std::vector<std::string>
Source::words () const
{
  switch (kind) {
    case Kind::file:
      return {"uridecodebin", assignment ("uri", what)};
    case Kind::camera:
      return {"v4l2src", assignment ("device", what), "!", "decodebin"};
    case Kind::pattern:
      break;
  }
  std::vector<std::string> words{"videotestsrc", assignment ("pattern", what)};
  if (frames >= 0)
    words.push_back ("num-buffers=" + std::to_string (frames));
  words.insert (words.end (), {"!", pattern_caps (*this)});
  return words;
}

Source
file_source (const std::string &path_or_uri)
{
  Source source{.kind = Source::Kind::file, .what = path_or_uri};
  if (gst_uri_is_valid (path_or_uri.c_str ()))
    return source;
  if (!g_file_test (path_or_uri.c_str (), G_FILE_TEST_EXISTS))
    throw std::runtime_error ("There is no file " + path_or_uri);
  if (g_file_test (path_or_uri.c_str (), G_FILE_TEST_IS_DIR))
    throw std::runtime_error (path_or_uri + " is a folder, not a video");
  GError *error = nullptr;
  source.what = text_of (gst_filename_to_uri (path_or_uri.c_str (), &error));
  ensure (true, error);
  return source;
}

bool
recognize (GstElement *element, Source &source)
{
  const GstElementFactory *factory = gst_element_get_factory (element);
  const std::string name = factory ? GST_OBJECT_NAME (factory) : "";
  if (name == "videotestsrc") {
    source.kind = Source::Kind::pattern;
    source.what = property_text (element, "pattern");
    source.frames = std::stoi (property_text (element, "num-buffers"));
  } else if (name == "uridecodebin" || name == "playbin" || name == "uridecodebin3") {
    source = {.kind = Source::Kind::file, .what = property_text (element, "uri")};
  } else if (name == "filesrc") {
    source = file_source (property_text (element, "location"));
  } else if (name == "v4l2src") {
    source = {.kind = Source::Kind::camera, .what = property_text (element, "device")};
  } else {
    return false;
  }
  return true;
}

Ref<GstElement>
make_source (const Source &source)
{
  std::string line;
  for (const std::string &word : source.words ())
    line += word + " ";
  /* decoders add their pads later: this one waits for the video's */
  line += "! capsfilter caps=video/x-raw name=last";
  GError *error = nullptr;
  GstElement *made = gst_parse_bin_from_description_full (line.c_str (), FALSE, nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  const Ref<GstElement> bin (made);
  ensure (bool (bin), error, "the source cannot be made");
  const Ref<GstElement> last = Ref<GstElement>::take (gst_bin_get_by_name (GST_BIN (made), "last"));
  const Ref<GstPad> pad = Ref<GstPad>::take (gst_element_get_static_pad (last.get (), "src"));
  gst_element_add_pad (made, gst_ghost_pad_new ("src", pad.get ()));
  return bin;
}

}  // namespace studio

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "source.hpp"
#include "catalog.hpp"

#include <cstring>

namespace studio {

namespace {

/* The part after the position in the element's code, which does not help users. */
std::string
advice_in (const std::string &debug)
{
  const size_t end = debug.find ('\n');
  const std::string first = debug.substr (0, end);
  if (first.find ("): ") == std::string::npos)
    return debug;
  return end == std::string::npos ? "" : debug.substr (end + 1);
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

void
Source::spare (const std::string &path) const
{
  ensure_apart (kind == Kind::file ? text_of (g_filename_from_uri (what.c_str (), nullptr, nullptr)) : "", path);
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
  words.insert (words.end (), {"!", printed ("video/x-raw,width=%d,height=%d,framerate=%d/1", width, height, rate)});
  return words;
}

Source
file_source (const std::string &path_or_uri)
{
  Source source{.kind = Source::Kind::file, .what = path_or_uri};
  if (gst_uri_is_valid (path_or_uri.c_str ()))
    return source;
  ensure (g_file_test (path_or_uri.c_str (), G_FILE_TEST_EXISTS), "There is no file " + path_or_uri);
  ensure (!g_file_test (path_or_uri.c_str (), G_FILE_TEST_IS_DIR), path_or_uri + " is a folder, not a video");
  source.what =
      checked_call ([&] (GError **error) { return Chars (gst_filename_to_uri (path_or_uri.c_str (), error)); }).get ();
  return source;
}

bool
recognize (GstElement *element, Source &source)
{
  const std::string name = kind_of (element);
  if (name == "videotestsrc") {
    source.kind = Source::Kind::pattern;
    source.what = value_text (G_OBJECT (element), spec_of (element, "pattern"));
    g_object_get (element, "num-buffers", &source.frames, nullptr);
  } else if (name == "uridecodebin" || name == "playbin" || name == "uridecodebin3") {
    source = {.kind = Source::Kind::file, .what = text_property (element, "uri")};
  } else if (name == "filesrc") {
    source = file_source (text_property (element, "location"));
  } else if (name == "v4l2src") {
    source = {.kind = Source::Kind::camera, .what = text_property (element, "device")};
  } else {
    return false;
  }
  return true;
}

Ref<GstElement>
make_element (const char *kind)
{
  Ref<GstElement> element (gst_element_factory_make (kind, nullptr));
  ensure (bool (element), std::string ("GStreamer has no element ") + kind);
  return element;
}

Ref<GstElement>
parse_bin (const std::string &line, bool ghosts, const char *otherwise)
{
  return checked_call (
      [&] (GError **error) {
        return Ref<GstElement> (
            gst_parse_bin_from_description_full (line.c_str (), ghosts, nullptr, GST_PARSE_FLAG_FATAL_ERRORS, error));
      },
      otherwise);
}

Ref<GstElement>
make_source (const Source &source)
{
  /* decoders add pads later; the filter waits for the video pad */
  const std::string line = joined (source.words (), " ") + " ! capsfilter caps=video/x-raw name=last";
  const Ref<GstElement> bin = parse_bin (line, false, "the source cannot be made");
  const Ref<GstElement> last = Ref<GstElement>::take (gst_bin_get_by_name (GST_BIN (bin.get ()), "last"));
  gst_element_add_pad (bin.get (), gst_ghost_pad_new ("src", pad_of (last.get (), "src").get ()));
  return bin;
}

Problem
problem_of (GstMessage *message)
{
  const auto [error, debug] = parse_problem (message);
  Problem problem{.details = advice_in (debug), .fatal = is_fatal (message), .source = GST_MESSAGE_SRC (message)};
  if (g_error_matches (error.get (), GST_PARSE_ERROR, GST_PARSE_ERROR_DELAYED_LINK))
    problem.text = "The source has no video that can be shown";
  else
    problem.text = std::string (GST_OBJECT_NAME (GST_MESSAGE_SRC (message))) + ": " + error->message;
  return problem;
}

}  // namespace studio

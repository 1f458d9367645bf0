/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filtercase.hpp"

#include "gl.hpp"

#include <map>

namespace test {

static std::map<std::string, const Element *> &
elements ()
{
  static std::map<std::string, const Element *> all;
  return all;
}

Element::Element (const char *name, Settings (*make_) (Windows, Random &), std::vector<Settings> (*special_) ())
    : make (make_), special (special_)
{
  elements ()[name] = this;
}

const Element &
Element::named (const std::string &name)
{
  return *elements ().at (name);
}

static const char device_memory[] = "video/x-raw(memory:OpenCLMemory)";

std::string
name_of (Path path)
{
  static const char *names[] = {"system", "OpenCL", "GL"};
  return format ("%s to %s memory", names[(int) path.in], names[(int) path.out]);
}

std::vector<Path>
paths_of (GstVideoFormat format)
{
  const bool gl = expected_gl_path () && fits_texture (format);
  std::vector<Path> paths;
  for (const Memory in : {Memory::System, Memory::OpenCL, Memory::GL})
    for (const Memory out : {Memory::System, Memory::OpenCL, Memory::GL})
      if (Path{in, out}.has_gl () == gl)
        paths.push_back ({in, out});
  return paths;
}

Path
usual_path (GstVideoFormat format)
{
  const Memory memory = expected_gl_path () && fits_texture (format) ? Memory::GL : Memory::System;
  return {memory, memory};
}

std::string
usual_caps (const std::string &caps)
{
  return expected_gl_path () ? with_gl (caps) : caps;
}

int
whole_width (GstVideoFormat format, int width)
{
  const bool loses = expected_gl_path () && (format == GST_VIDEO_FORMAT_YUY2 || format == GST_VIDEO_FORMAT_UYVY);
  return width + (loses ? width % 2 : 0);
}

Case
case_of (const std::string &line, GstVideoFormat format, int width, int height, const Settings &settings)
{
  const size_t end = std::min (line.find (' '), line.size ());
  Case c;
  c.element = line.substr (0, end);
  c.settings = settings;
  c.settings.properties += line.substr (end);
  c.format = format;
  c.width = width;
  c.height = height;
  return c;
}

Case
median_case (int width, int height, GstVideoFormat format)
{
  return case_of ("clmedian", format, width, height, settings_for (ref::Median{}, "radius=1"));
}

std::string
list_of (const std::vector<ref::Rectangle> &regions)
{
  std::string text;
  for (const ref::Rectangle &r : regions)
    text += format ("%s[region,x=%d,y=%d,width=%d,height=%d]", text.empty () ? "<" : ",", r.x, r.y, r.width, r.height);
  return text.empty () ? "<  >" : text + ">";
}

static std::string
common_properties (const Case &c)
{
  static const char *rules[] = {"replicate", "reflect", "reflect101", "wrap", "constant"};
  std::string text;
  if (c.common.planes != 7)
    text += format (" planes=%u", c.common.planes);
  if (c.common.mix != 1)
    text += format (" mix=%.17g", c.common.mix);
  if (c.common.border.rule != ref::Border::Replicate)
    text += format (" border=%s", rules[c.common.border.rule]);
  if (c.common.border.rule == ref::Border::Constant || c.common.border.value != 0)
    text += format (" border-value=%.17g", c.common.border.value);
  if (c.common.ellipse)
    text += " roi-shape=ellipse";
  if (c.common.inverted)
    text += " roi-invert=true";
  if (c.common.feather > 0)
    text += format (" roi-feather=%.17g", c.common.feather);
  if (c.common.expand != 0)
    text += format (" roi-expand=%.17g", c.common.expand);
  if (c.by_meta)
    text += " roi-source=meta";
  else if (c.by_list)
    text += " roi-source=list roi-list=\"" + list_of (c.common.roi) + "\"";
  else if (!c.common.whole_frame)
    text += format (" roi-x=%d roi-y=%d roi-width=%d roi-height=%d", c.common.roi[0].x, c.common.roi[0].y,
        c.common.roi[0].width, c.common.roi[0].height);
  return text;
}

std::string
launch_of (const Case &c)
{
  const std::string filter = c.element + " " + c.settings.properties + common_properties (c);
  const std::string to_device = format ("clupload ! %s ! ", device_memory);
  const std::string from_device = format (" ! %s ! cldownload", device_memory);
  return (c.path ().in == Memory::OpenCL ? to_device : "") + filter + (c.path ().out == Memory::OpenCL ? from_device : "");
}

std::string
caps_of (const Case &c)
{
  return format ("video/x-raw,format=%s,width=%d,height=%d,framerate=30/1,interlace-mode=%s%s%s",
      gst_video_format_to_string (c.format), c.width, c.height, c.common.interlaced ? "interleaved" : "progressive",
      c.colorimetry.empty () ? "" : ",colorimetry=", c.colorimetry.c_str ());
}

std::string
in_caps_of (const Case &c)
{
  return c.path ().in == Memory::GL ? with_gl (caps_of (c)) : caps_of (c);
}

std::string
out_caps_of (const Case &c)
{
  return c.path ().out == Memory::GL ? with_gl (caps_of (c)) : caps_of (c);
}

Link
open (const Case &c)
{
  return Link (launch_of (c), in_caps_of (c), out_caps_of (c));
}

static std::string
described (const Case &c, size_t frame)
{
  return format ("%s ! %s ! fakesink, frame %zu of %s, %s memory, %s, GST_CL_TEST_SEED=%u case %u", caps_of (c).c_str (),
      launch_of (c).c_str (), frame, name_of (c.frames[frame].first), name_of (c.frames[frame].second),
      name_of (c.path ()).c_str (), Random::seed (), c.number);
}

/* Whether the reference changes no sample; the element then passes the frame with all stored bits. */
static bool
is_neutral (const ref::Picture &in, const ref::Picture &expected)
{
  const ref::Picture seen = ref::bounded (in), result = ref::bounded (expected);
  for (size_t c = 0; c < seen.components.size (); c++)
    if (result.components[c].value != seen.components[c].value)
      return false;
  return true;
}

/* Empty if the pictures agree. The tolerance applies only to filtered samples; copied samples must be equal in all bits. */
static std::string
first_difference (const ref::Picture &in, const ref::Picture &expected, const ref::Picture &got, const Settings &settings)
{
  const bool keeps_bits = settings.keeps_spare || is_neutral (in, expected);
  const int tolerance = std::max (settings.tolerance, in.find ('u') ? settings.yuv_tolerance : 0);
  std::string first;
  int different = 0, largest = 0;
  for (size_t c = 0; c < expected.components.size (); c++) {
    const ref::Component &a = expected.components[c], &b = got.components[c];
    for (const auto [x, y] : a.places ()) {
      const int i = y * a.width + x;
      const int off = std::abs (a.value[i] - b.value[i]);
      const bool filtered = !a.filtered.empty () && a.filtered[i];
      /* unfiltered samples may keep all stored bits */
      const ref::Component &from = in.components[c];
      const bool kept = filtered && keeps_bits && b.value[i] == from.value[i] && b.spare[i] == from.spare[i]
                        && std::abs (a.value[i] - std::min (b.value[i], in.max ())) <= tolerance;
      if (kept || (off <= (filtered ? tolerance : 0) && a.spare[i] == b.spare[i]))
        continue;
      if (different++ == 0)
        first = format ("component %c at (%d, %d): expected %d, got %d (padding bits %d and %d), input %d", a.name, x, y,
            a.value[i], b.value[i], a.spare[i], b.spare[i], in.components[c].value[i]);
      largest = std::max (largest, off);
    }
  }
  if (different)
    first += format ("; %d samples differ, by up to %d, tolerance %d", different, largest, tolerance);
  return first;
}

GstBuffer *
make_buffer (const Case &c, const ref::Picture &picture, Storage storage)
{
  const Own caps = gst_caps_from_string (caps_of (c).c_str ());
  GstBuffer *buffer = c.path ().in == Memory::GL ? to_textures (picture, storage, caps) : to_buffer (picture, storage, caps);
  if (c.common.interlaced)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF);
  for (const ref::Rectangle &r : c.roi_metas)
    gst_buffer_add_video_region_of_interest_meta (buffer, "face", r.x, r.y, r.width, r.height);
  return buffer;
}

ref::Picture
picture_in (const Case &c, GstBuffer *buffer)
{
  const Own caps = gst_caps_from_string (caps_of (c).c_str ());
  return has_textures (buffer) ? from_textures (buffer, caps) : from_buffer (buffer, caps);
}

ref::Picture
filtered (const Case &c, const ref::Picture &in, Storage storage)
{
  Link link = open (c);
  return filtered (c, link, in, storage);
}

ref::Picture
filtered (const Case &c, Link &link, const ref::Picture &in, Storage storage)
{
  const Own result = link.filter (make_buffer (c, in, storage));
  return picture_in (c, result);
}

ref::Picture
through (Link &link, const ref::Picture &in, Storage storage)
{
  const Own given = gst_pad_get_current_caps (link.harness ()->srcpad);
  const Own result = link.filter (to_buffer (in, storage, given));
  const Own made = gst_pad_get_current_caps (link.harness ()->sinkpad);
  return from_buffer (result, made);
}

void
check_result (const Case &c, const ref::Picture &in, GstBuffer *result, const std::string &what, unsigned frame)
{
  const ref::Picture expected = ref::apply (in, c.common, c.settings.filter, frame);
  const std::string difference = first_difference (in, expected, picture_in (c, result), c.settings);
  test_check (difference.empty (), "%s\n  %s", what.c_str (), difference.c_str ());
}

static void
check_frame (const Case &c, Link &link, size_t index, Random &random)
{
  const ref::Picture in = make_picture (c.format, c.width, c.height, c.frames[index].first, random);
  const Own buffer = make_buffer (c, in, c.frames[index].second);
  const Own result = link.filter (gst_buffer_ref (buffer));
  check_result (c, in, result, described (c, index), (unsigned) index);
  if (c.path ().out == Memory::GL)
    test_check (has_textures (result), "%s\n  a result under GL caps is not in GL memory", described (c, index).c_str ());

  const std::string changed = first_difference (in, in, picture_in (c, buffer), c.settings);
  test_check (changed.empty (), "%s\n  the input buffer was changed: %s", described (c, index).c_str (), changed.c_str ());
}

ref::Picture
noise_for (const Case &c, unsigned number)
{
  return random_picture (c.format, c.width, c.height, number);
}

void
filter_and_check (const Case &c, Link &link, const ref::Picture &in, GstBuffer *buffer, const std::string &what)
{
  const Own result = link.filter (buffer);
  check_result (c, in, result, what);
}

void
filter_and_check (const Case &c, Link &link, unsigned number, const std::string &what)
{
  const ref::Picture in = noise_for (c, number);
  filter_and_check (c, link, in, make_buffer (c, in, storages[number % std::size (storages)]), what);
}

void
check_path (const Case &c, Link &link)
{
  if (!c.path ().has_gl ())
    return;
  const std::string path = stat_text (link.element (c.element.c_str ()), "path");
  /* "" if no frame was filtered */
  test_check (path.empty () || path == expected_gl_path (), "%s, %s: the path is \"%s\", not \"%s\"", launch_of (c).c_str (),
      name_of (c.path ()).c_str (), path.c_str (), expected_gl_path ());
}

void
check (const Case &c)
{
  Link link = open (c);
  Random random (c.number * 16 + 1);
  for (size_t i = 0; i < c.frames.size (); i++)
    check_frame (c, link, i, random);
  check_path (c, link);
}

}  // namespace test

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A comparison of an element with its reference: element, picture, settings and memory. */
#pragma once

#include <optional>

#include "../filters/bilateral/reference.hpp"
#include "../filters/convolve/reference.hpp"
#include "../filters/median/reference.hpp"
#include "../reference/common.hpp"
#include "frames.hpp"
#include "link.hpp"

namespace test {

/* The memory of the frame before and after the element. */
enum class Memory { System, OpenCL, GL };
struct Path {
  Memory in, out;

  bool has_gl () const { return in == Memory::GL || out == Memory::GL; }
};

std::string name_of (Path path);

/* Every pair to be tested with a format: the pairs with GL memory if GL is tested, otherwise the others. */
std::vector<Path> paths_of (GstVideoFormat format);

/* The memory of frames before and after the element, if it does not matter to the test. */
Path usual_path (GstVideoFormat format);

/* The settings of one filter, for the launch line and for the reference. */
struct Settings {
  std::string properties;
  std::function<ref::Picture (const ref::Picture &, const ref::Scene &)> filter;
  int tolerance = 0;                    /* 0 if the result must be exact, otherwise the documented 1 or 2 */
  int yuv_tolerance = 0;                /* if that is larger */
  bool heavy = false;                   /* slow in the reference: use a small frame */
  std::optional<GstVideoFormat> format; /* the only format to test them with */
  bool keeps_spare = false;             /* some filtered samples do not change, including the bits around the value */
};

/* The settings, with `properties` as their text in a launch line. */
Settings settings_for (const ref::Convolve &set, const std::string &properties, int tolerance = 0);
Settings settings_for (const ref::Median &set, const std::string &properties);
Settings settings_for (const ref::Bilateral &set, const std::string &properties);

/* The settings of each set. */
template <typename Set>
std::vector<Settings>
settings_of (Settings (*make) (const Set &), const std::vector<Set> &sets)
{
  std::vector<Settings> all;
  for (const Set &set : sets)
    all.push_back (make (set));
  return all;
}

/* The size of a window. It is often compiled into a program, so few different sizes save time. */
enum class Windows { Common, Any, Huge };

/* One of the values for windows of that size; a single value leaves the random numbers alone. */
template <typename T>
T
pick (Windows windows, Random &random, std::initializer_list<T> common, std::initializer_list<T> any,
    std::initializer_list<T> huge)
{
  const std::initializer_list<T> &values = windows == Windows::Common ? common : windows == Windows::Any ? any : huge;
  return values.size () == 1 ? *values.begin () : random.pick (values);
}

/* An element to compare with a reference. Each registers itself, in the cases.cpp of its filter. */
class Element {
public:
  /* make: random settings. special: settings that need separate tests, such as every method, and numbers at the ends of their
   * ranges. Real numbers are sixteenths or so wherever a result must be exact: floats hold them, so that no rounding of a
   * property can move a sample across a tie. */
  Element (const char *name, Settings (*make) (Windows windows, Random &random), std::vector<Settings> (*special) ());

  static const Element &named (const std::string &name);

  Settings (*const make) (Windows windows, Random &random);
  std::vector<Settings> (*const special) ();
};

struct Case {
  std::string element;
  Settings settings;
  ref::Common common;
  std::vector<ref::Rectangle> roi_metas; /* used when `by_meta` */
  bool by_meta = false;
  bool by_list = false; /* roi-list contains the regions of `common` */
  GstVideoFormat format = GST_VIDEO_FORMAT_GRAY8;
  int width = 1, height = 1;
  std::optional<Path> chosen_path;                 /* otherwise the default path */
  std::vector<std::pair<Content, Storage>> frames; /* pushed one after another */
  std::string colorimetry;                         /* for caps, unless "" */
  unsigned number = 0;                             /* of the random stream that fills the pictures */

  Path path () const { return chosen_path ? *chosen_path : usual_path (format); }
};

/* These caps in system memory, or in GL memory if that is tested; for make_buffer(). */
std::string usual_caps (const std::string &caps);

/* The width, or one more in GL memory where GStreamer's textures omit the last chroma sample of an odd width. */
int whole_width (GstVideoFormat format, int width);

/* An element with its properties, as in a launch line. */
Case case_of (const std::string &line, GstVideoFormat format, int width, int height, const Settings &settings = {});

/* clmedian radius=1. */
Case median_case (int width, int height, GstVideoFormat format = GST_VIDEO_FORMAT_RGBA);

/* A value of roi-list. */
std::string list_of (const std::vector<ref::Rectangle> &regions);

/* The element, between elements that copy frames to OpenCL memory and back if the path needs it. */
std::string launch_of (const Case &c);
/* The input caps, in system memory. */
std::string caps_of (const Case &c);
/* The same in the memory of the path. */
std::string in_caps_of (const Case &c);
std::string out_caps_of (const Case &c);

/* The element of a case, to be fed with make_buffer(). */
Link open (const Case &c);

/* A picture as a buffer of the case's stream, with flags and metas. */
GstBuffer *make_buffer (const Case &c, const ref::Picture &picture, Storage storage);

/* The picture in a buffer of the case's stream; for a texture, GL's content. */
ref::Picture picture_in (const Case &c, GstBuffer *buffer);

/* The result of the case for a picture, by an element of its own or by a link. */
ref::Picture filtered (const Case &c, const ref::Picture &in, Storage storage = Storage::Tight);
ref::Picture filtered (const Case &c, Link &link, const ref::Picture &in, Storage storage = Storage::Tight);

/* The result of a link between system memory. */
ref::Picture through (Link &link, const ref::Picture &in, Storage storage = Storage::Tight);

/* Compares the result for one input with the reference; fails the test at the first difference, with `what` and the
 * position. */
void check_result (const Case &c, const ref::Picture &in, GstBuffer *result, const std::string &what, unsigned frame = 0);

/* A picture for the case: noise that depends only on the number. */
ref::Picture noise_for (const Case &c, unsigned number);

/* Filters the buffer, which holds the picture, and compares; takes the buffer. */
void filter_and_check (const Case &c, Link &link, const ref::Picture &in, GstBuffer *buffer, const std::string &what);

/* The same with noise_for () the number, in a memory layout that also depends on the number, and compares. */
void filter_and_check (const Case &c, Link &link, unsigned number, const std::string &what);

/* Fails the test unless the filter's `stats` have the path that a case with GL memory must take. */
void check_path (const Case &c, Link &link);

/* Filters the frames of a case and compares every sample with the reference; fails the test at the first difference. */
void check (const Case &c);

}  // namespace test

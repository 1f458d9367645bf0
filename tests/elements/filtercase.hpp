/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One comparison of an element with its reference: which element, which picture, which settings, which memory. */
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../reference/bilateral.hpp"
#include "../reference/common.hpp"
#include "../reference/convolve.hpp"
#include "../reference/median.hpp"
#include "frames.hpp"
#include "link.hpp"

namespace test {

/* Where the frame is before and after the element. */
enum class Memory { System, OpenCL, GL };
struct Path {
  Memory in, out;

  bool has_gl () const { return in == Memory::GL || out == Memory::GL; }
};

std::string name_of (Path path);

/* Every pair that is to be tested with a format: those with GL memory where GL is, else the others. */
std::vector<Path> paths_of (GstVideoFormat format);

/* Where a frame of the format is before and after the element when the memory does not matter to the test. */
Path usual_path (GstVideoFormat format);

/* The settings of one filter, as a launch line writes them and as the reference does. */
struct Settings {
  std::string properties;
  std::function<ref::Picture (const ref::Picture &, const ref::Scene &)> filter;
  int tolerance = 0;                    /* 0 where the contract says exact, else what it says: 1 or 2 */
  int yuv_tolerance = 0;                /* where that is more */
  bool heavy = false;                   /* for the reference: better with a small frame */
  std::optional<GstVideoFormat> format; /* the one that they are of interest on */
  bool keeps_spare = false;             /* some filtered samples stay as they came, with the bits around the value */
};

/* These settings, which the launch line calls `properties`. */
Settings settings_for (const ref::Convolve &set, const std::string &properties, int tolerance = 0);
Settings settings_for (const ref::Median &set, const std::string &properties);
Settings settings_for (const ref::Bilateral &set, const std::string &properties);

/* How large a window may be. It is often compiled into a program, so that few sizes save time. */
enum class Windows { Common, Any, Huge };

/* An element that is compared with a reference. Each stands in a file of its own in cases/, and registers itself. */
class Element {
public:
  using Takes = bool (*) (const ref::Layout &);

  /* Random settings, and settings that are worth a test of their own: every method, numbers at the ends of their ranges.
   * Real numbers are sixteenths or so wherever a result must be exact: floats hold them, so that no rounding of a
   * property can move a sample across a tie. takes: the formats, all where it is null. */
  Element (const char *name, Settings (*make) (Windows windows, Random &random), std::vector<Settings> (*special) (),
      Takes takes = nullptr);

  static const Element &named (const std::string &name);

  Settings (*const make) (Windows windows, Random &random);
  std::vector<Settings> (*const special) ();

  bool takes (const ref::Layout &layout) const { return !takes_format || takes_format (layout); }

private:
  const Takes takes_format;
};

struct Case {
  std::string element;
  Settings settings;
  ref::Common common;
  std::vector<ref::Rectangle> roi_metas; /* used when `by_meta` */
  bool by_meta = false;
  bool by_list = false; /* the regions of `common` in roi-list */
  GstVideoFormat format = GST_VIDEO_FORMAT_GRAY8;
  int width = 1, height = 1;
  std::optional<Path> chosen_path;                 /* else the usual one */
  std::vector<std::pair<Content, Storage>> frames; /* pushed one after the other */
  std::string colorimetry;                         /* in caps, where it is not "" */
  unsigned number = 0;                             /* of the random stream that fills the pictures */

  Path path () const { return chosen_path ? *chosen_path : usual_path (format); }
};

/* These caps of system memory, or the same of GL memory where that is tested; for make_buffer(). */
std::string usual_caps (const std::string &caps);

/* clmedian radius=1 on RGBA. */
Case median_case (int width, int height);

/* A value of roi-list. */
std::string list_of (const std::vector<ref::Rectangle> &regions);

/* The element, between elements that bring frames into OpenCL memory and back where the path asks for that. */
std::string launch_of (const Case &c);
/* What comes in, in system memory. */
std::string caps_of (const Case &c);
/* The same in the memory of the path. */
std::string in_caps_of (const Case &c);
std::string out_caps_of (const Case &c);

/* The element of a case, to be fed with make_buffer(). */
Link open (const Case &c);

/* A picture as a buffer of the case's stream, with flags and metas. */
GstBuffer *make_buffer (const Case &c, const ref::Picture &picture, Storage storage);

/* What a buffer of the case's stream holds; of a texture, what GL has. */
ref::Picture picture_in (const Case &c, GstBuffer *buffer);

/* Compares the result for one input with the reference, and fails the test at the first difference with `what` and
 * where. */
void check_result (const Case &c, const ref::Picture &in, GstBuffer *result, const std::string &what, unsigned frame = 0);

/* A picture for the case: noise that follows from the number. */
ref::Picture noise_for (const Case &c, unsigned number);

/* Filters that picture, in memory of a kind that follows from the number as well, and compares. */
void filter_and_check (const Case &c, Link &link, unsigned number, const std::string &what);

/* Fails the test unless `stats` of the filter name the path that a case on GL memory must have taken. */
void check_path (const Case &c, Link &link);

/* Filters the frames of a case and compares every sample with the reference; fails the test at the first difference. */
void check (const Case &c);

}  // namespace test

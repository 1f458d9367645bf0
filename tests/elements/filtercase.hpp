/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One comparison of an element with its reference: which element, which picture, which settings, which memory. */
#pragma once

#include <string>
#include <vector>

#include "../reference/bilateral.hpp"
#include "../reference/common.hpp"
#include "../reference/convolve.hpp"
#include "../reference/median.hpp"
#include "frames.hpp"

namespace test {

/* Where the frame is before and after the element. */
enum class Path { System, Device, Up, Down };

constexpr Path paths[] = {Path::System, Path::Device, Path::Up, Path::Down};
const char *name_of (Path path);

/* The settings of one filter, as a launch line writes them and as the reference does. */
struct Settings {
  std::string properties;
  std::function<ref::Picture (const ref::Picture &, const ref::Border &)> filter;
  int tolerance = 0;        /* 0 where the contract says exact, else 1 */
  bool heavy = false;       /* for the reference: better with a small frame */
  bool keeps_spare = false; /* some filtered samples stay as they came, with the bits below the value */
};

/* These settings, which the launch line calls `properties`. */
Settings settings_for (const ref::Convolve &set, const std::string &properties, int tolerance = 0);
Settings settings_for (const ref::Median &set, const std::string &properties);
Settings settings_for (const ref::Bilateral &set, const std::string &properties);

/* How large a window may be. It is often compiled into a program, so that few sizes save time. */
enum class Windows { Common, Any, Huge };

/* Random settings of an element: "clconvolve", "clmedian" or "clbilateral". */
Settings make_settings (const std::string &element, Windows windows, Random &random);

/* Settings of an element that are worth a test of their own. */
std::vector<Settings> special_settings (const std::string &element);

struct Case {
  std::string element;
  Settings settings;
  ref::Common common;
  std::vector<ref::Rectangle> roi_metas; /* used when `by_meta` */
  bool by_meta = false;
  GstVideoFormat format = GST_VIDEO_FORMAT_GRAY8;
  int width = 1, height = 1;
  Path path = Path::System;
  std::vector<std::pair<Content, Storage>> frames; /* pushed one after the other */
  unsigned number = 0;                             /* of the random stream that fills the pictures */
};

std::string launch_of (const Case &c);
std::string caps_of (const Case &c);

/* A picture as a buffer of the case's stream, with flags and metas. */
GstBuffer *make_buffer (const Case &c, const ref::Picture &picture, Storage storage);

/* Compares the result for one input with the reference, and fails the test at the first difference with `what` and
 * where. */
void check_result (const Case &c, const ref::Picture &in, GstBuffer *result, const std::string &what);

/* Filters the frames of a case and compares every sample with the reference; fails the test at the first difference. */
void check (const Case &c);

}  // namespace test

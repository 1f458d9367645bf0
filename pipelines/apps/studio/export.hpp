/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the filtered video to a file, with the sound of its source, in a pipeline of its own. */
#pragma once

#include "encoders.hpp"
#include "source.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>

namespace studio {

struct ExportJob {
  Source source;
  /* the format that the filters work in, "" for the source's; the words of the filters in a launch line */
  std::string format;
  std::vector<std::string> filters;

  std::string path;
  const Container *container = nullptr;
  /* one of the container's */
  std::string encoder;
  Quality quality = Quality::good;
  bool sound = true;
  /* of sources without an end */
  double seconds = 10;
};

class Export {
public:
  /* Begins at once. on_end is called in the main context, with null where all is well. Throws std::runtime_error where it
     cannot begin. */
  Export (ExportJob job, std::function<void (const Problem *)> on_end);
  /* Cancels, if it has not ended: no file stays. */
  ~Export ();
  Export (const Export &) = delete;
  Export &operator= (const Export &) = delete;

  const ExportJob &job () const { return what; }
  /* 0 to 1 */
  double progress () const { return duration > 0 ? std::clamp (double (position) / double (duration), 0.0, 1.0) : 0; }
  /* Seconds that it will still take; nothing before that can be told. */
  std::optional<double> time_left () const;

private:
  void discovered (GstDiscovererInfo *info, const GError *error);
  void take_pad (GstPad *pad);
  void see (GstPad *pad, GstPadProbeInfo *info);
  void hear (GstMessage *message);
  void take_sounds (GstDiscovererInfo *info);
  void start ();
  Ref<GstEncodingProfile> profile () const;
  void add_filters ();
  void add_source ();
  void set_encoder ();
  bool link_to_encoder (GstPad *pad);
  void check_length ();
  void end (const Problem *problem);

  ExportJob what;
  std::function<void (const Problem *)> on_end;
  std::string unfinished;
  Ref<GstDiscoverer> discoverer;
  gulong discovery = 0;
  Ref<GstElement> pipeline, filters, encode, encoder;
  /* formats of the file for sound; formats that are taken from the source as they are */
  std::vector<std::string> sounds;
  std::string kept_sounds;
  guint watch = 0, timer = 0;
  gint64 began = 0, duration = 0;
  std::atomic<gint64> position = 0;
  bool ended = false, stopping = false;
};

}  // namespace studio

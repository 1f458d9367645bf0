/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the filtered video to a file, with the sound of its source, in a separate pipeline. */
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
  /* format: the format for the filters, "" for the source's; the words of the filters in a launch line */
  std::string format;
  std::vector<std::string> filters;

  std::string path;
  const Container *container = nullptr;
  /* one of the container's encoders */
  std::string encoder;
  Quality quality = Quality::good;
  bool sound = true;
  /* length for sources without an end */
  double seconds = 10;
};

class Export {
public:
  /* Starts at once. Calls on_end in the main context, with null on success. Throws std::runtime_error if it cannot start. */
  Export (ExportJob job, std::function<void (const Problem *)> on_end);
  /* Cancels a running export, and removes the file. */
  ~Export ();
  Export (const Export &) = delete;
  Export &operator= (const Export &) = delete;

  const ExportJob &job () const { return what; }
  /* 0 to 1 */
  double progress () const { return duration > 0 ? std::clamp (double (position) / double (duration), 0.0, 1.0) : 0; }
  /* The remaining time in seconds; nothing while that is unknown. */
  std::optional<double> time_left () const;

private:
  void discovered (GstDiscovererInfo *info, const GError *error);
  void take_pad (GstPad *pad);
  void see (GstPad *pad, GstPadProbeInfo *info);
  void take_sounds (GstDiscovererInfo *info);
  void start ();
  Ref<GstEncodingProfile> profile () const;
  void add_filters ();
  void add_source ();
  bool link_to_encoder (GstPad *pad);
  void end (std::optional<Problem> problem = {});

  ExportJob what;
  std::function<void (const Problem *)> on_end;
  std::string unfinished;
  Ref<GstDiscoverer> discoverer;
  gulong discovery = 0;
  Ref<GstElement> pipeline, filters, encode, encoder;
  /* sound formats of the file, and formats that are copied from the source unchanged */
  std::vector<std::string> sounds;
  std::string kept_sounds;
  guint watch = 0, timer = 0;
  gint64 began = 0, duration = 0;
  std::atomic<gint64> position = 0;
  bool ended = false, stopping = false;
};

}  // namespace studio

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sees what a stream launches. */
#pragma once

#include "trial.hpp"

#include <mutex>

class Watcher : public gst::cl::LaunchObserver {
public:
  void met (const std::string &key, const std::string &source, const gst::cl::Axes &axes, const gst::cl::Shape &used) override;
  void launched (const std::string &key, const cl::Event &event) override;

  /* Once all commands are done. */
  void report (Outcome &outcome) const;

private:
  mutable std::mutex mutex;
  std::vector<std::pair<std::string, Met>> kernels;
  std::vector<std::pair<std::string, cl::Event>> launches;
};

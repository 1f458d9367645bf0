/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames as OpenCV's pictures, for OpenCV and for peers that it gives threads to. */
#pragma once

#include "peer.hpp"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <thread>

namespace bench {

/** Filters a picture; T is cv::Mat or cv::UMat. */
template <typename T> using Call = std::function<void (const T &, T &)>;

/** The frames with results; both rotate. */
template <typename T> struct Pictures {
  std::vector<T> in, out;
  size_t next = 0;

  Pictures (const Frames &frames, int channels)
  {
    for (const std::vector<uint8_t> &rgba : frames.pixels) {
      const int type = frames.format == "GRAY8" ? CV_8UC1 : frames.format == "RGBA" ? CV_8UC4 : CV_16UC1;
      const cv::Mat wrapped (frames.size.height, frames.size.width, type, const_cast<uint8_t *> (rgba.data ()));
      cv::Mat picture;
      if (channels == 3 && wrapped.channels () == 4)
        cv::cvtColor (wrapped, picture, cv::COLOR_RGBA2RGB);
      else
        picture = wrapped.clone ();
      in.emplace_back ();
      picture.copyTo (in.back ());
      /* touches the pages now, which would otherwise count as OpenCV's time */
      out.emplace_back (in.back ().size (), in.back ().type ());
      out.back ().setTo (cv::Scalar::all (1));
    }
  }

  size_t turn () { return next++ % in.size (); }
};

template <typename T, typename Prepare, typename Finish>
Contender
contender_of (const Peer &peer, std::shared_ptr<Pictures<T>> pictures, Call<T> operation, Prepare prepare, Finish finish)
{
  return {peer.name, [pictures, operation, prepare, finish] {
            [[maybe_unused]] const auto keep = prepare ();
            return time_burst (
                [&] {
                  const size_t i = pictures->turn ();
                  operation (pictures->in[i], pictures->out[i]);
                },
                finish);
          }};
}

/** A contender that uses all of OpenCV's threads. */
inline Contender
on_all_threads (const Peer &peer, const Frames &frames, int channels, Call<cv::Mat> operation)
{
  const auto use_all = [] {
    cv::setNumThreads (int (std::thread::hardware_concurrency ()));
    return 0;
  };
  return contender_of (peer, std::make_shared<Pictures<cv::Mat>> (frames, channels), std::move (operation), use_all, [] {});
}

}  // namespace bench

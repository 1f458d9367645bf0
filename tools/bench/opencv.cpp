/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictures.hpp"

#include <CL/cl.h>
#include <opencv2/core/ocl.hpp>
#include <opencv2/photo.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace bench {

namespace {

/* Gradients and their magnitude. OpenCV has no Prewitt filter; Sobel's window is as large. */
template <typename T>
Call<T>
edges (bool scharr)
{
  const auto x = std::make_shared<T> (), y = std::make_shared<T> (), magnitude = std::make_shared<T> ();
  return [x, y, magnitude, scharr] (const T &in, T &out) {
    /* a window of FILTER_SCHARR selects Scharr's weights */
    const int window = scharr ? int (cv::FILTER_SCHARR) : 3;
    cv::Sobel (in, *x, CV_32F, 1, 0, window, 1, 0, cv::BORDER_REPLICATE);
    cv::Sobel (in, *y, CV_32F, 0, 1, window, 1, 0, cv::BORDER_REPLICATE);
    cv::magnitude (*x, *y, *magnitude);
    magnitude->convertTo (out, CV_8U);
  };
}

template <typename T>
Call<T>
unsharp (int window, double sigma)
{
  const auto mean = std::make_shared<T> ();
  return [mean, window, sigma] (const T &in, T &out) {
    cv::GaussianBlur (in, *mean, cv::Size (window, window), sigma, sigma, cv::BORDER_REPLICATE);
    cv::addWeighted (in, 2, *mean, -1, 0, out);
  };
}

template <typename T>
Call<T>
levels ()
{
  cv::Mat table (1, 256, CV_8U);
  for (int v = 0; v < 256; v++)
    table.at<uint8_t> (v) =
        cv::saturate_cast<uint8_t> (255 * std::pow (std::clamp ((v / 255.0 - 0.05) / 0.9, 0.0, 1.0), 1 / 1.5));
  return [table] (const T &in, T &out) { cv::LUT (in, table, out); };
}

/* Filters all components in turn, like the element. */
template <typename T>
Call<T>
histograms ()
{
  return [] (const T &in, T &) {
    const std::vector<T> pictures{in};
    for (int c = 0; c < in.channels (); c++) {
      cv::Mat counts;
      cv::calcHist (pictures, {c}, cv::noArray (), counts, {256}, {0, 256});
    }
  };
}

/* The current frame and the one before it. */
template <typename T>
Call<T>
of_two_frames (Operation operation)
{
  const auto previous = std::make_shared<T> ();
  return [previous, operation] (const T &in, T &out) {
    if (previous->empty ())
      *previous = in;
    if (operation == Operation::blend)
      cv::addWeighted (in, 0.5, *previous, 0.5, 0, out);
    else
      cv::norm (in, *previous, cv::NORM_L2SQR);
    *previous = in;
  };
}

template <typename T>
Call<T>
point_operation_of (const Case &what)
{
  switch (what.operation) {
    case Operation::edges:
      return edges<T> (what.filter == "scharr");
    case Operation::unsharp:
      return unsharp<T> (what.window, what.sigma_space);
    case Operation::nlmeans:
      return [] (const T &in, T &out) { cv::fastNlMeansDenoising (in, out, 0.05f * 255, 7, 15); };
    case Operation::levels:
      return levels<T> ();
    case Operation::histogram:
      return histograms<T> ();
    case Operation::blend:
    case Operation::compare:
      return of_two_frames<T> (what.operation);
    case Operation::equalize: /* takes only gray */
      return what.gray ? Call<T> ([] (const T &in, T &out) { cv::equalizeHist (in, out); }) : Call<T> ();
    case Operation::clahe:
      return [clahe = cv::createCLAHE (2, cv::Size (8, 8))] (const T &in, T &out) { clahe->apply (in, out); };
    case Operation::threshold:
      return [] (const T &in, T &out) { cv::threshold (in, out, 127, 255, cv::THRESH_BINARY); };
    case Operation::color_matrix: {
      const cv::Mat matrix = (cv::Mat_<float> (3, 3) << .393, .769, .189, .349, .686, .168, .272, .534, .131);
      return [matrix] (const T &in, T &out) { cv::transform (in, out, matrix); };
    }
    case Operation::warp: {
      const cv::Mat matrix = (cv::Mat_<double> (3, 3) << 0.9, 0.2, 30, -0.1, 0.8, 40, 2e-5, -3e-5, 1);
      return [matrix] (const T &in, T &out) {
        cv::warpPerspective (in, out, matrix, in.size (), cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
      };
    }
    case Operation::noise: {
      const auto noise = std::make_shared<T> ();
      return [noise] (const T &in, T &out) {
        noise->create (in.size (), CV_MAKETYPE (CV_16S, in.channels ()));
        cv::randn (*noise, 0, 13);
        cv::add (in, *noise, out, cv::noArray (), CV_8U);
      };
    }
    default:
      return {};
  }
}

template <typename T>
Call<T>
morphology (cv::MorphTypes type, int window)
{
  const cv::Mat element = cv::Mat::ones (window, window, CV_8U);
  return [type, element] (const T &in, T &out) {
    if (type == cv::MORPH_ERODE)
      cv::erode (in, out, element);
    else if (type == cv::MORPH_DILATE)
      cv::dilate (in, out, element);
    else
      cv::morphologyEx (in, out, type, element);
  };
}

/* Functions without an OpenCL kernel, which OpenCV silently runs on the CPU. */
bool
stays_on_processor (const Case &what)
{
  switch (what.operation) {
    case Operation::median:
      return what.window > 5;
    case Operation::erode:
    case Operation::dilate: /* its 16x16 tiles are too small for larger windows */
      return what.window > 7;
    case Operation::noise:
    case Operation::histogram:
    case Operation::color_matrix:
      return true;
    default:
      return false;
  }
}

/* A call of OpenCV for a case, empty if there is no such function; T is cv::Mat or cv::UMat. */
template <typename T>
Call<T>
operation_of (const Case &what)
{
  const int window = what.window;
  switch (what.operation) {
    case Operation::convolve: {
      const float total = std::accumulate (what.taps.begin (), what.taps.end (), 0.0f), sum = total ? total : 1;
      const cv::Mat taps = cv::Mat (window, window, CV_32F, const_cast<float *> (what.taps.data ())) / sum;
      return [taps] (const T &in, T &out) { cv::filter2D (in, out, -1, taps, cv::Point (-1, -1), 0, cv::BORDER_REPLICATE); };
    }
    case Operation::gaussian:
      return [window, sigma = what.sigma_space] (const T &in, T &out) {
        cv::GaussianBlur (in, out, cv::Size (window, window), sigma, sigma, cv::BORDER_REPLICATE);
      };
    case Operation::median:
      return [window] (const T &in, T &out) { cv::medianBlur (in, out, window); };
    case Operation::bilateral:
      return [window, range = what.sigma_range * 255, space = what.sigma_space] (
                 const T &in, T &out) { cv::bilateralFilter (in, out, window, range, space, cv::BORDER_REPLICATE); };
    case Operation::box:
      return [window] (const T &in, T &out) {
        cv::blur (in, out, cv::Size (window, window), cv::Point (-1, -1), cv::BORDER_REPLICATE);
      };
    case Operation::erode:
      return morphology<T> (cv::MORPH_ERODE, window);
    case Operation::dilate:
      return morphology<T> (cv::MORPH_DILATE, window);
    case Operation::open:
      return morphology<T> (cv::MORPH_OPEN, window);
    case Operation::gradient:
      return morphology<T> (cv::MORPH_GRADIENT, window);
    default:
      return point_operation_of<T> (what);
  }
}

class OpenCvCpu : public Peer {
public:
  OpenCvCpu ()
      : Peer ("opencv-cpu", "OpenCV " CV_VERSION ", " + std::to_string (std::thread::hardware_concurrency ()) + " threads")
  {
  }

  std::optional<Contender> contender (const Case &what, const Frames &frames) override
  {
    if (!operation_of<cv::Mat> (what))
      return std::nullopt;
    return on_all_threads (*this, frames, what.channels (), operation_of<cv::Mat> (what));
  }
};

class OpenCvOpenCl : public Peer {
public:
  explicit OpenCvOpenCl (GstClContext *context) : Peer ("opencv-opencl", "OpenCV " CV_VERSION)
  {
    cv::ocl::setUseOpenCL (true);
    const cv::ocl::Device device = cv::ocl::Device::fromHandle (gst_cl_context_get_device (context));
    cv::ocl::PlatformInfo platform_of_device = find_platform (device);
    /* create () takes ownership of a reference to each */
    clRetainContext (static_cast<cl_context> (gst_cl_context_get_handle (context)));
    clRetainDevice (static_cast<cl_device_id> (gst_cl_context_get_device (context)));
    execution = cv::ocl::OpenCLExecutionContext::create (
        platform_of_device.name (), platform_id, gst_cl_context_get_handle (context), gst_cl_context_get_device (context));
  }

  std::optional<Contender> contender (const Case &what, const Frames &frames) override
  {
    if (!operation_of<cv::UMat> (what) || stays_on_processor (what))
      return std::nullopt;
    const cv::ocl::OpenCLExecutionContextScope scope (execution);
    const auto pictures = std::make_shared<Pictures<cv::UMat>> (frames, what.channels ());
    /* if pictures are not on the device, OpenCV silently runs every call on the CPU */
    if (!pictures->in[0].handle (cv::ACCESS_READ) || pictures->in[0].u->currAllocator != cv::ocl::getOpenCLAllocator ())
      throw std::runtime_error ("OpenCV keeps its pictures off the device");
    const auto enter = [this] { return std::make_unique<cv::ocl::OpenCLExecutionContextScope> (execution); };
    return contender_of (*this, pictures, operation_of<cv::UMat> (what), enter, [] { cv::ocl::finish (); });
  }

private:
  cv::ocl::PlatformInfo find_platform (const cv::ocl::Device &device)
  {
    std::vector<cv::ocl::PlatformInfo> platforms;
    cv::ocl::getPlatfomsInfo (platforms);
    for (const cv::ocl::PlatformInfo &platform : platforms)
      for (int i = 0; i < platform.deviceNumber (); i++) {
        cv::ocl::Device candidate;
        platform.getDevice (candidate, i);
        if (candidate.ptr () == device.ptr ()) {
          clGetDeviceInfo (
              static_cast<cl_device_id> (device.ptr ()), CL_DEVICE_PLATFORM, sizeof platform_id, &platform_id, nullptr);
          return platform;
        }
      }
    throw std::runtime_error ("OpenCV does not list the device");
  }

  cl_platform_id platform_id = nullptr;
  cv::ocl::OpenCLExecutionContext execution;
};

}  // namespace

std::unique_ptr<Peer>
make_opencv (GstClContext *context)
{
  if (context)
    return std::make_unique<OpenCvOpenCl> (context);
  return std::make_unique<OpenCvCpu> ();
}

}  // namespace bench

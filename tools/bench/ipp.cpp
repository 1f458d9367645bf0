/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intel's IPP, opened at run time. A call of it uses one thread, so OpenCV's threads call it, each for a band of rows. */
#include "pictures.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <list>
#include <numeric>

namespace bench {

namespace {

/* IppiSize, IppiRect and IppLibraryVersion of its headers */
struct Extent {
  int width, height;
};
struct Area {
  int x, y, width, height;
};
struct Version {
  int numbers[4];
  char processor[4];
  const char *name, *version;
};

/* constants of its headers */
enum { bytes = 1, unsigned_words = 5, words = 7, floats = 13 };
enum { replicated = 1, above = 0x10, below = 0x20 };
enum { near = 1, greater = 4, linear = 2, backward = 1, gauss = 100, mask_3x3 = 33, norm_l1 = 2, norm_l2 = 4 };

/* of a border that has none: functions of one component take a value in its place, which they ignore too */
constexpr uint8_t zeros[4] = {};
constexpr const uint8_t *no_color = zeros;

constexpr const char *libraries[] = {"libippcore.so.12", "libippi.so.12", "libippcc.so.12", "libippcv.so.12"};

void *
find (const std::string &name)
{
  void *found = dlsym (RTLD_DEFAULT, ("ipp" + name).c_str ());
  ensure (found, "IPP has no " + name);
  return found;
}

/* The function, which throws if it fails. */
template <typename... A>
auto
checked (const std::string &name)
{
  return [name, function = reinterpret_cast<int (*) (A...)> (find (name))] (A... arguments) {
    const int status = function (arguments...);
    ensure (status >= 0, "IPP's " + name + " failed: " + std::to_string (status));
  };
}

template <typename... A>
void
call (const std::string &name, A... arguments)
{
  checked<A...> (name) (arguments...);
}

/* With the arguments that most have: source, result, size and others. */
template <typename... A>
Call<cv::Mat>
filter (const std::string &name, A... others)
{
  return
      [each = checked<const uint8_t *, int, uint8_t *, int, Extent, A...> (name), others...] (const cv::Mat &in, cv::Mat &out) {
        each (in.data, int (in.step), out.data, int (out.step), Extent{in.cols, in.rows}, others...);
      };
}

/* A band of the frame and what IPP keeps for it. */
class Band {
public:
  Band (const Case &what_, Extent frame_, int channels_, int band, int n)
      : what (what_), frame (frame_), channels (channels_), rows (frame_.height * band / n, frame_.height * (band + 1) / n),
        border (replicated | (band ? above : 0) | (band < n - 1 ? below : 0)), size{frame_.width, rows.size ()},
        window{what.window, what.window}, sample (what.deep ? unsigned_words : bytes),
        type ((what.deep ? "_16u_C" : "_8u_C") + std::to_string (channels) + "R"), operation (choose ())
  {
  }
  Band (const Band &) = delete;

  explicit operator bool () const { return bool (operation); }

  void operator() (const cv::Mat &in, cv::Mat &out) const
  {
    cv::Mat result = out.rowRange (rows);
    operation (in.rowRange (rows), result);
  }

private:
  uint8_t *room (int n) { return memory.emplace_back (1, std::max (n, 1), CV_8U).data; }

  Call<cv::Mat> choose ()
  {
    switch (what.operation) {
      case Operation::median:
        call ("iFilterMedianBorderGetBufferSize", size, window, sample, channels, &n_buffer);
        return filter ("iFilterMedianBorder" + type, window, border, no_color, room (n_buffer));
      case Operation::box:
        call ("iFilterBoxBorderGetBufferSize", size, window, sample, channels, &n_buffer);
        return filter ("iFilterBoxBorder" + type, window, border, no_color, room (n_buffer));
      case Operation::convolve:
        return convolution ();
      case Operation::gaussian:
        return channels == 4 ? Call<cv::Mat> () : gaussian ();
      case Operation::bilateral:
        return bilateral ();
      case Operation::erode:
        return morphology ("Erode");
      case Operation::dilate:
        return morphology ("Dilate");
      case Operation::edges:
        return channels == 1 && what.filter != "scharr" ? sobel () : Call<cv::Mat> ();
      case Operation::warp:
        return warp ();
      case Operation::threshold:
        return threshold ();
      case Operation::levels:
        return levels ();
      case Operation::histogram:
        return histogram ();
      case Operation::color_matrix:
        static constexpr float matrix[] = {.393f, .769f, .189f, 0, .349f, .686f, .168f, 0, .272f, .534f, .131f, 0};
        return filter ("iColorTwist32f" + type, &matrix[0]);
      default:
        return {};
    }
  }

  Call<cv::Mat> convolution ()
  {
    const int kind = what.integer_taps ? words : floats;
    call ("iFilterBorderGetSize", window, size, sample, kind, channels, &n_spec, &n_buffer);
    uint8_t *spec = room (n_spec);
    const float total = std::accumulate (what.taps.begin (), what.taps.end (), 0.0f), sum = total ? total : 1;
    std::vector<float> taps = what.taps;
    for (float &tap : taps)
      tap /= sum;
    const std::vector<int16_t> whole (what.taps.begin (), what.taps.end ());
    if (what.integer_taps)
      call ("iFilterBorderInit_16s", whole.data (), window, int (sum), sample, channels, int (near), spec);
    else
      call ("iFilterBorderInit_32f", taps.data (), window, sample, channels, int (near), spec);
    return filter ("iFilterBorder" + type, border, no_color, spec, room (n_buffer));
  }

  Call<cv::Mat> gaussian ()
  {
    call ("iFilterGaussianGetBufferSize", size, unsigned (what.window), sample, channels, &n_spec, &n_buffer);
    uint8_t *spec = room (n_spec), *buffer = room (n_buffer);
    call (
        "iFilterGaussianInit", size, unsigned (what.window), float (what.sigma_space), border, sample, channels, spec, buffer);
    return filter ("iFilterGaussianBorder" + type, no_color, spec, buffer);
  }

  Call<cv::Mat> bilateral ()
  {
    const int radius = what.window / 2;
    call (
        "iFilterBilateralBorderGetBufferSize", int (gauss), size, radius, sample, channels, int (norm_l1), &n_spec, &n_buffer);
    uint8_t *spec = room (n_spec);
    call ("iFilterBilateralBorderInit", int (gauss), size, radius, sample, channels, int (norm_l1),
        float (std::pow (what.sigma_range * 255, 2)), float (std::pow (what.sigma_space, 2)), spec);
    return filter ("iFilterBilateralBorder" + type, border, no_color, spec, room (n_buffer));
  }

  Call<cv::Mat> morphology (const std::string &name)
  {
    call ("iMorphologyBorderGetSize" + type, size, window, &n_spec, &n_buffer);
    uint8_t *spec = room (n_spec), *buffer = room (n_buffer);
    const std::vector<uint8_t> mask (size_t (what.window) * what.window, 1);
    call ("iMorphologyBorderInit" + type, size, mask.data (), window, spec, buffer);
    return filter ("i" + name + "Border" + type, border, no_color, spec, buffer);
  }

  /* Like the peer OpenCV, in place of Prewitt too. */
  Call<cv::Mat> sobel ()
  {
    call ("iFilterSobelGetBufferSize", size, int (mask_3x3), int (norm_l2), sample, int (words), channels, &n_buffer);
    const auto wide = std::make_shared<cv::Mat> (size.height, size.width, CV_16S);
    return [wide, gradient = filter ("iFilterSobel_8u16s_C1R", int (mask_3x3), int (norm_l2), border, 0, room (n_buffer)),
               narrow = filter ("iConvert_16s8u_C1R")] (const cv::Mat &in, cv::Mat &out) {
      gradient (in, *wide);
      narrow (*wide, out);
    };
  }

  /* Leaves what lies outside the frame as it is. */
  Call<cv::Mat> warp ()
  {
    static constexpr double matrix[] = {0.9, 0.2, 30, -0.1, 0.8, 40, 2e-5, -3e-5, 1};
    const Area all{0, 0, frame.width, frame.height};
    call ("iWarpPerspectiveGetSize", frame, all, frame, sample, &matrix[0], int (linear), int (backward), int (replicated),
        &n_spec, &n_buffer);
    uint8_t *spec = room (n_spec);
    call ("iWarpPerspectiveLinearInit", frame, all, frame, sample, &matrix[0], int (backward), channels, int (replicated),
        no_color, 0, spec);
    call ("iWarpGetBufferSize", spec, size, &n_buffer);
    const auto warp_rows =
        checked<const uint8_t *, int, uint8_t *, int, Extent, Extent, uint8_t *, uint8_t *> ("iWarpPerspectiveLinear" + type);
    return [=, offset = Extent{0, rows.start}, size = size, buffer = room (n_buffer)] (const cv::Mat &in, cv::Mat &out) {
      warp_rows (in.datastart, int (in.step), out.data, int (out.step), offset, size, spec, buffer);
    };
  }

  Call<cv::Mat> threshold ()
  {
    const auto compare = checked<const uint8_t *, int, int, uint8_t *, int, Extent, int> ("iCompareC_8u_C1R");
    return [compare, samples = Extent{size.width * channels, size.height}] (const cv::Mat &in, cv::Mat &out) {
      compare (in.data, int (in.step), 127, out.data, int (out.step), samples, greater);
    };
  }

  Call<cv::Mat> levels ()
  {
    uint8_t *table = room (256);
    for (int v = 0; v < 256; v++)
      table[v] = cv::saturate_cast<uint8_t> (255 * std::pow (std::clamp ((v / 255.0 - 0.05) / 0.9, 0.0, 1.0), 1 / 1.5));
    const auto map = filter ("iLUTPalette_8u_C1R", table, 8);
    return [map] (const cv::Mat &in, cv::Mat &out) {
      cv::Mat samples = out.reshape (1);
      map (in.reshape (1), samples);
    };
  }

  Call<cv::Mat> histogram ()
  {
    std::vector<int> edges (size_t (channels), 257);
    std::vector<float> low (size_t (channels), 0), high (size_t (channels), 256);
    call ("iHistogramGetBufferSize", sample, size, edges.data (), channels, 1, &n_spec, &n_buffer);
    uint8_t *spec = room (n_spec), *buffer = room (n_buffer);
    call ("iHistogramUniformInit", sample, low.data (), high.data (), edges.data (), channels, spec);
    std::array<uint8_t *, 4> counts;
    for (uint8_t *&each : counts)
      each = room (256 * sizeof (uint32_t));
    const auto count = checked<const uint8_t *, int, Extent, const void *, uint8_t *, uint8_t *> ("iHistogram" + type);
    return [=, one = channels == 1, size = size] (const cv::Mat &in, cv::Mat &) {
      count (in.data, int (in.step), size, one ? static_cast<const void *> (counts[0]) : counts.data (), spec, buffer);
    };
  }

  const Case what;
  const Extent frame;
  const int channels;
  const cv::Range rows;
  const int border;
  const Extent size, window;
  const int sample;
  const std::string type;
  int n_spec = 0, n_buffer = 0;
  std::vector<cv::Mat> memory;
  const Call<cv::Mat> operation;
};

class Ipp : public Peer {
public:
  explicit Ipp (const std::string &version)
      : Peer ("ipp", version + ", " + std::to_string (std::thread::hardware_concurrency ()) + " threads")
  {
  }

  std::optional<Contender> contender (const Case &what, const Frames &frames) override
  {
    const auto bands = std::make_shared<std::list<Band>> ();
    const int n = int (std::thread::hardware_concurrency ());
    for (int i = 0; i < n; i++)
      bands->emplace_back (what, Extent{frames.size.width, frames.size.height}, what.channels (), i, n);
    if (!bands->front ())
      return std::nullopt;
    return on_all_threads (*this, frames, what.channels (), [bands] (const cv::Mat &in, cv::Mat &out) {
      cv::parallel_for_ (cv::Range (0, int (bands->size ())), [&] (const cv::Range &range) {
        for (int i = range.start; i < range.end; i++)
          (*std::next (bands->begin (), i)) (in, out);
      });
    });
  }
};

}  // namespace

std::unique_ptr<Peer>
make_ipp (const std::string &folder)
{
  if (folder.empty ())
    return nullptr;
  /* the wheel has libippik0.so.12, but IPP looks for libippik0.so.12.1 beside itself, and ends the process without it */
  const TemporaryFolder links;
  std::error_code there_already;
  for (const auto &file : std::filesystem::directory_iterator (folder))
    for (const char *more : {"", ".1"})
      std::filesystem::create_symlink (std::filesystem::absolute (file.path ()),
          links.path + "/" + file.path ().filename ().string () + more, there_already);
  for (const char *library : libraries)
    ensure (dlopen ((links.path + "/" + library).c_str (), RTLD_NOW | RTLD_GLOBAL), library + std::string (" does not load"));
  const Version *version = nullptr;
  for (const char *each : {"cc", "cv", "i"}) /* loads what is for this processor */
    version = reinterpret_cast<const Version *(*) ()> (find (std::string (each) + "GetLibVersion")) ();
  return std::make_unique<Ipp> (version->name + std::string (" ") + version->version);
}

}  // namespace bench

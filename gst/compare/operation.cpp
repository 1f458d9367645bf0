/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compare/operation.hpp"

#include "core/arithmetic.hpp"
#include "shared/launches.hpp"

#include <algorithm>
#include <cmath>

namespace gst::cl {

namespace {

/** Sums over the samples of one component of two pictures a and b. */
struct CompareSums {
  std::uint64_t samples = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  /** Number of windows of the structural similarity, and the sum of their results. */
  std::uint64_t windows = 0;
  double similarity = 0;

  CompareSums &operator+= (const CompareSums &more)
  {
    for (std::uint64_t CompareSums::*each : {&CompareSums::samples, &CompareSums::a, &CompareSums::b, &CompareSums::aa,
             &CompareSums::bb, &CompareSums::ab, &CompareSums::windows})
      this->*each += more.*each;
    similarity += more.similarity;
    return *this;
  }
};

/* Holds sums of squares of 16-bit samples times their number. After a device failure the sums are arbitrary, and their products
 * may overflow. */
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 Product;

std::uint64_t
squared_error (const CompareSums &sums)
{
  return sums.aa + sums.bb - 2 * sums.ab;
}

Wide
spread (std::uint64_t n, std::uint64_t products, std::uint64_t one, std::uint64_t other)
{
  return Wide (Product (n) * products - Product (one) * other);
}

/* Pearson's coefficient. It is undefined for a constant plane: equal planes count as 1, others as 0. */
double
correlation (const CompareSums &s)
{
  const Wide variance_a = spread (s.samples, s.aa, s.a, s.a), variance_b = spread (s.samples, s.bb, s.b, s.b);
  if (variance_a == 0 || variance_b == 0)
    return squared_error (s) == 0 ? 1 : 0;
  const Wide covariance = spread (s.samples, s.ab, s.a, s.b);
  return double (covariance) / (std::sqrt (double (variance_a)) * std::sqrt (double (variance_b)));
}

/* In decibels; 100 if there is no error. */
double
compare_psnr (double mse, int max)
{
  return mse == 0 ? 100 : 10 * std::log10 (double (max) * max / mse);
}

CompareMeasures
compare_measures (const CompareSums &sums, int max)
{
  CompareMeasures measures;
  measures.mse = double (squared_error (sums)) / double (sums.samples);
  measures.psnr = compare_psnr (measures.mse, max);
  measures.correlation = correlation (sums);
  if (sums.windows > 0)
    measures.ssim = sums.similarity / double (sums.windows);
  return measures;
}

/* Measures of all components: errors of all samples together; means weighted by the number of samples for the others. */
CompareMeasures
compare_overall (std::span<const CompareSums> components, int max)
{
  CompareMeasures overall;
  double samples = 0, ssim_samples = 0, ssim = 0;
  for (const CompareSums &component : components) {
    const CompareMeasures one = compare_measures (component, max);
    const double n = double (component.samples);
    samples += n;
    overall.mse += double (squared_error (component));
    overall.correlation += n * one.correlation;
    if (one.ssim) {
      ssim_samples += n;
      ssim += n * *one.ssim;
    }
  }
  overall.mse /= samples;
  overall.correlation /= samples;
  overall.psnr = compare_psnr (overall.mse, max);
  if (ssim_samples > 0)
    overall.ssim = ssim / ssim_samples;
  return overall;
}

GType
compare_metrics_get_type ()
{
  static const GFlagsValue values[] = {
      {METRIC_MSE, "Mean squared error, in sample units", "mse"},
      {METRIC_PSNR, "Peak signal to noise ratio, in decibels", "psnr"},
      {METRIC_SSIM, "Structural similarity", "ssim"},
      {METRIC_CORRELATION, "Pearson's correlation coefficient", "correlation"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_flags_register_static ("GstClCompareMetrics", values);
  return type;
}

struct CompareSettings {
  unsigned metrics = METRIC_MSE | METRIC_PSNR | METRIC_SSIM | METRIC_CORRELATION;
  int interval = 1;
};

constexpr Property compare_properties[] = {
    property<&CompareSettings::metrics> ("metrics", "Measures to compute", compare_metrics_get_type),
    property<&CompareSettings::interval> ("interval", "Post a message for every interval-th frame", 1, 1000000),
};

/* See kernels/compare/compare.cl and compare/ssim.cl. */
constexpr int n_sums = 5, n_totals = 6;
constexpr int window = 11, smoothed = 4, strip = 256, gpu_columns = 64, gpu_total_items = 64, gpu_total_parts = 32;
constexpr int gpu_sum_rows = 32, least_window_rows = 16, window_rows = 64, most_sum_rows = 256;
constexpr double similarity_unit = 0x1p32;

/* A part of a plane whose totals are on their way. */
struct Part {
  std::array<int, 4> components;
  int n_components;
  unsigned wanted;
  guint64 samples, windows;
};

/* The results of a frame's parts so far. Used by the reaper's thread. */
struct Gathered {
  Reporter &reporter;
  ComparedFrame frame;
  std::map<int, CompareSums> components;
};

void
add_part (Gathered &gathered, const Part &part, std::span<const std::byte> bytes)
{
  const auto *totals = reinterpret_cast<const gint64 *> (bytes.data ());
  const int parts = int (bytes.size () / sizeof (gint64)) / (n_totals * part.n_components);
  for (int i = 0; i < part.n_components; i++) {
    const int component = part.components[i];
    if (component == padding || !(part.wanted >> component & 1))
      continue;
    std::array<gint64, n_totals> t{};
    for (int n = 0; n < parts; n++)
      for (int q = 0; q < n_totals; q++)
        t[q] += totals[(n * part.n_components + i) * n_totals + q];
    gathered.components[component] += {.samples = part.samples,
        .a = guint64 (t[0]),
        .b = guint64 (t[1]),
        .aa = guint64 (t[2]),
        .bb = guint64 (t[3]),
        .ab = guint64 (t[4]),
        .windows = part.windows,
        .similarity = double (t[5]) / similarity_unit};
  }
}

void
report (const Gathered &gathered)
{
  CompareLog::Measures measures;
  std::vector<CompareSums> all;
  for (const auto &[component, sums] : gathered.components) {
    measures[component] = compare_measures (sums, gathered.frame.max);
    all.push_back (sums);
  }
  if (!all.empty ())
    measures[CompareLog::overall] = compare_overall (all, gathered.frame.max);
  if (auto *log = dynamic_cast<CompareLog *> (&gathered.reporter)) /* not ahead of a stream */
    log->take (gathered.frame, measures);
}

class Compare : public With<CompareSettings> {
public:
  void changed () override { algorithm = settings.metrics & METRIC_SSIM ? "sums+ssim" : "sums"; }

  Abilities abilities (const Runner &) const override { return {.measures = true}; }

  void begin_frame (Runner &runner, const FrameInfo &frame) override
  {
    parts.clear ();
    gathered.reset (
        new Gathered{frame.reporter, {frame, runner.format ().max_value (), settings.metrics, settings.interval}, {}});
  }

  void observe (Runner &runner, const PlaneTask &task) override
  {
    if (!task.components || task.inputs.size () != 2 || task.region.empty ())
      return;
    const PlaneLayout &layout = *task.src.layout;
    const Rect &r = task.region;
    Part part{.components = layout.components,
        .n_components = layout.samples_per_pixel,
        .wanted = task.components,
        .samples = guint64 (r.width) * guint64 (r.height),
        .windows = 0};
    if (settings.metrics & METRIC_SSIM && r.width >= window && r.height >= window)
      part.windows = guint64 (r.width - window + 1) * guint64 (r.height - window + 1);
    runner.run (task, launches_of (runner, task, part));
    parts.push_back (part);
  }

  void end_frame (Runner &runner) override
  {
    if (parts.empty ())
      return;
    for (size_t i = 0; i < parts.size (); i++)
      runner.commands.read_back (totals (runner, i).in (runner.memory), totals_bytes (runner, parts[i].n_components),
          [gathered = gathered, part = parts[i], last = i + 1 == parts.size ()] (std::span<const std::byte> bytes) {
            add_part (*gathered, part, bytes);
            if (last)
              report (*gathered);
          });
  }

private:
  static size_t totals_bytes (const Runner &runner, int n_components)
  {
    return sizeof (gint64) * n_totals * size_t (n_components) * total_parts (runner);
  }

  static ScratchArgument totals (const Runner &runner, size_t part)
  {
    return {{"compare-totals", int (part)}, totals_bytes (runner, 4)};
  }

  /* The first sample of the region. */
  static cl_int begin_of (const PlaneView &view, const Rect &region)
  {
    return view.offset + region.y * view.stride + region.x * view.layout->samples_per_pixel;
  }

  /* The rows of a band: few, so that the repeated work at its edges costs little, but enough bands for every compute unit. */
  static int rows_for (const Runner &runner, int height, size_t strips, int gpu_rows)
  {
    if (runner.backend () == Backend::gpu)
      return gpu_rows;
    const size_t bands = divide_up (4 * int (runner.cl ().device.compute_units), int (strips));
    return std::max (int (divide_up (height, int (bands))), gpu_rows);
  }

  /* One program for all kernels of a plane, and for planes that are read alike. */
  KernelSpec spec_for (const Runner &runner, const char *function, bool words) const
  {
    return {.sources = settings.metrics & METRIC_SSIM ? std::vector{"compare/compare.cl", "compare/ssim.cl"}
                                                      : std::vector{"compare/compare.cl"},
        .function = function,
        .options = {{"STRIP", strip}, {"WORDS", words}, {"GROUP", total_items (runner)}, {"PARTS", total_parts (runner)}},
        .any_pixel = true,
        .joins_chroma = true};
  }

  Launches launches_of (const Runner &runner, const PlaneTask &task, const Part &part) const
  {
    const PlaneView &a = task.inputs[task.main], &b = task.inputs[1 - task.main];
    Launches launches;
    const Sums sums = add_sums (runner, task, a, b, launches);
    const Results similar = part.windows ? add_similarity (runner, task, a, b, sums.words, launches)
                                         : Results{{{0, 0}}, {"compare-similarity", sizeof (cl_float)}};
    const size_t items = total_items (runner);
    launches.push_back (Launch::range (spec_for (runner, "compare_total", sums.words),
        {{items, total_parts (runner) * size_t (n_totals * part.n_components)}, {items, 1}},
        {sums.results.memory, sums.results.size, similar.memory, similar.size, part.n_components,
            totals (runner, parts.size ())}));
    return launches;
  }

  /* The size of the result: the samples of a row and the number of bands. */
  struct Results {
    cl_int2 size;
    ScratchArgument memory;
  };

  struct Sums {
    Results results;
    /** Whether words were read. */
    bool words;
  };

  static size_t total_items (const Runner &runner) { return runner.backend () == Backend::gpu ? gpu_total_items : 1; }
  static size_t total_parts (const Runner &runner) { return runner.backend () == Backend::gpu ? gpu_total_parts : 1; }

  Sums add_sums (const Runner &runner, const PlaneTask &task, const PlaneView &a, const PlaneView &b, Launches &launches) const
  {
    const bool gpu = runner.backend () == Backend::gpu;
    const Rect &r = task.region;
    const int width = r.width * a.layout->samples_per_pixel, word = 4 / runner.format ().sample_size ();
    const cl_int a_begin = begin_of (a, r), b_begin = begin_of (b, r);
    const bool words = gpu && (a_begin | b_begin | a.stride | b.stride | width) % word == 0;
    const size_t strips = divide_up (width, strip);
    const int rows = std::min (rows_for (runner, r.height, strips, gpu_sum_rows), most_sum_rows);
    const size_t bands = divide_up (r.height, rows);
    const size_t columns = words ? size_t (width / word) : size_t (width);
    const size_t bytes = runner.format ().depth <= 12 ? sizeof (cl_uint) : sizeof (cl_ulong);
    const ScratchArgument to{"compare-sums", bytes * n_sums * bands * size_t (width)};
    launches.push_back (Launch::range (spec_for (runner, "compare_sums", words),
        {{gpu ? round_up (columns, gpu_columns) : strips, bands}, {gpu ? size_t (gpu_columns) : size_t (1), 1}},
        {a.memory, a_begin, a.stride, b.memory, b_begin, b.stride, cl_int2{{width, r.height}}, rows, to}));
    return {{{{width, cl_int (bands)}}, to}, words};
  }

  Results add_similarity (
      const Runner &runner, const PlaneTask &task, const PlaneView &a, const PlaneView &b, bool words, Launches &launches) const
  {
    const bool gpu = runner.backend () == Backend::gpu;
    const Rect &r = task.region;
    const int samples = a.layout->samples_per_pixel;
    const int width = (r.width - window + 1) * samples, height = r.height - window + 1;
    const size_t strips = divide_up (width, strip);
    const int rows = gpu ? band_on_gpu (runner, width, height, least_window_rows, window_rows)
                         : rows_for (runner, height, strips, window_rows);
    const size_t bands = divide_up (height, rows);
    const size_t work_floats = gpu ? 1 : strips * bands * window * smoothed * strip;
    const ScratchArgument to{"compare-similarity", sizeof (cl_float) * bands * size_t (width)};
    launches.push_back (Launch::range (spec_for (runner, "compare_ssim", words),
        {{gpu ? round_up (size_t (width), gpu_columns) : strips, bands}, {gpu ? size_t (gpu_columns) : size_t (1), 1}},
        {a.memory, begin_of (a, r), a.stride, b.memory, begin_of (b, r), b.stride, cl_int2{{width, height}}, rows, samples, to,
            ScratchArgument{"compare-work", sizeof (cl_float) * work_floats}}));
    return {{{width, cl_int (bands)}}, to};
  }

  std::vector<Part> parts;
  std::shared_ptr<Gathered> gathered;
};

/* The requested measures of a frame. */
GstStructure *
structure_of (const ComparedFrame &frame, bool is_final, const CompareLog::Measures &measures)
{
  GstStructure *content = gst_structure_new ("clcompare", "frame", G_TYPE_UINT64, frame.times.number, "timestamp",
      G_TYPE_UINT64, frame.times.timestamp, "stream-time", G_TYPE_UINT64, frame.times.stream_time, "running-time",
      G_TYPE_UINT64, frame.times.running_time, "final", G_TYPE_BOOLEAN, gboolean (is_final), nullptr);
  for (const auto &[component, one] : measures) {
    const std::string suffix = component == CompareLog::overall ? "" : "-" + std::to_string (component);
    const auto set = [&] (CompareMetric metric, const char *name, const std::optional<double> &value) {
      if (frame.metrics & metric && value)
        gst_structure_set (content, (name + suffix).c_str (), G_TYPE_DOUBLE, *value, nullptr);
    };
    set (METRIC_MSE, "mse", one.mse);
    set (METRIC_PSNR, "psnr", one.psnr);
    set (METRIC_CORRELATION, "correlation", one.correlation);
    set (METRIC_SSIM, "ssim", one.ssim);
  }
  return content;
}

}  // namespace

const FilterDescription compare_description{
    .long_name = "OpenCL video comparison",
    .klass = "Filter/Analyzer/Video/Hardware",
    .description = "Measures how similar two streams are: mean squared error, PSNR, SSIM, correlation",
    .properties = compare_properties,
    .operation = operation_type<Compare> (),
    .neutral = [] (const Values &) { return true; },
    .observes = [] (const Values &) { return true; },
};

void
CompareLog::start ()
{
  const std::lock_guard lock (mutex);
  sums.clear ();
  last.reset ();
  frames = 0;
}

void
CompareLog::take (const ComparedFrame &frame, const Measures &measures)
{
  {
    const std::lock_guard lock (mutex);
    frames++;
    last = frame;
    for (const auto &[component, one] : measures) {
      Sum &sum = sums[component];
      sum.count++;
      sum.mse += one.mse;
      sum.correlation += one.correlation;
      sum.ssim += one.ssim.value_or (0);
      sum.with_ssim += one.ssim.has_value ();
    }
  }
  if (frame.times.number % guint64 (frame.interval) == 0)
    post_message (structure_of (frame, false, measures));
}

void
CompareLog::post_final ()
{
  GstStructure *content = nullptr;
  {
    const std::lock_guard lock (mutex);
    Measures means;
    for (const auto &[component, sum] : sums) {
      const double n = double (sum.count), mse = sum.mse / n;
      means[component] = {mse, compare_psnr (mse, last->max), sum.correlation / n, {}};
      if (sum.with_ssim)
        means[component].ssim = sum.ssim / double (sum.with_ssim);
    }
    content =
        last ? structure_of (*last, true, means) : gst_structure_new ("clcompare", "final", G_TYPE_BOOLEAN, TRUE, nullptr);
    gst_structure_set (content, "frames", G_TYPE_UINT64, frames, nullptr);
  }
  post_message (content);
}

void
CompareLog::post_message (GstStructure *content)
{
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), content));
}

}  // namespace gst::cl

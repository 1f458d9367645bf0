/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clnoise: adds gaussian, uniform, salt-and-pepper or speckle noise. The noise is the same, bit by bit, on every device, in
 * every run and after a seek. */
#include "filter/gstclfilter.hpp"
#include "shared/launches.hpp"
#include "shared/range.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gst::cl::clnoise {

/* In the order of the element's enum. */
enum class NoiseType { gaussian, uniform, salt_pepper, speckle };

constexpr int segments_per_octave = 8;
constexpr double knot_scale = 4096;

/* The magnitude that a normally distributed number exceeds with this probability, found by bisection. */
double
normal_magnitude (double probability)
{
  double low = 0, high = 16;
  for (int i = 0; i < 80; i++) {
    const double middle = (low + high) / 2;
    (std::erfc (middle / std::sqrt (2)) > probability ? low : high) = middle;
  }
  return low;
}

/* Rounds to integers; no value is near a tie, so the result is the same everywhere. */
double
knot (double probability)
{
  return std::nearbyint (knot_scale * normal_magnitude (probability));
}

struct Segment {
  double length, begin, fall;
  int m; /* the segment begins at this many lengths */
};

std::vector<Segment>
make_segments (int number_bits)
{
  const int octaves = number_bits == 16 ? 16 : 23;
  std::vector<Segment> segments;
  for (int octave = -octaves; octave < 0; octave++)
    for (int m = segments_per_octave; m < 2 * segments_per_octave; m++) {
      const double length = std::ldexp (1, octave) / segments_per_octave, begin = knot (length * m);
      segments.push_back ({length, begin, begin - knot (length * (m + 1)), m});
    }
  return segments;
}

/* Bits of a random number for samples of this depth. */
int
noise_number_bits (NoiseType type, int depth)
{
  return type == NoiseType::salt_pepper || depth > 8 ? 32 : 16;
}

/* Quantiles of the normal distribution's magnitude for numbers with this many bits, as linear segments; segment 8 * e + m
 * begins at (8 + m) / 8 * 2^(e - octaves). For the cpu back end a segment is one number: 1024 times its initial value in
 * 4096ths, plus its fall. For the gpu back end it is an offset, followed by a slope. */
std::vector<unsigned>
noise_packed_segments (int number_bits)
{
  std::vector<unsigned> packed;
  for (const Segment &segment : make_segments (number_bits))
    packed.push_back (unsigned (segment.begin) << 10 | unsigned (segment.fall));
  return packed;
}

std::vector<float>
noise_linear_segments (int number_bits)
{
  std::vector<float> linear;
  for (const Segment &segment : make_segments (number_bits)) {
    linear.push_back (float ((segment.begin + segment.fall * segment.m) / knot_scale));
    linear.push_back (float (-segment.fall / knot_scale / segment.length));
  }
  return linear;
}

/* How many of 2^31 numbers mean salt or pepper. */
unsigned
noise_limit (double share)
{
  return unsigned (std::nearbyint (share * 0x1p31));
}

constexpr GEnumValue type_values[] = {
    {int (NoiseType::gaussian), "Normally distributed, added", "gaussian"},
    {int (NoiseType::uniform), "Evenly distributed, added", "uniform"},
    {int (NoiseType::salt_pepper), "Pixels that are black or white", "salt-pepper"},
    {int (NoiseType::speckle), "Normally distributed, multiplied", "speckle"},
};

struct NoiseSettings {
  NoiseType type = NoiseType::gaussian;
  double strength = 0.05;
  unsigned seed = 0;
  bool temporal = true, mono = false;
  Range range = Range::automatic;
};

constexpr Property properties[] = {
    property<&NoiseSettings::type> ("type", "Kind of noise", enum_type<"GstClNoiseType", type_values>),
    property<&NoiseSettings::strength> (
        "strength", "Standard deviation or largest change, as a fraction of full scale; or fraction of the pixels", 0, 1),
    property<&NoiseSettings::seed> ("seed", "A different seed gives different noise", 0, G_MAXUINT),
    property<&NoiseSettings::temporal> ("temporal", "New noise for each frame, instead of frame 0's noise"),
    property<&NoiseSettings::mono> ("mono", "All components of a pixel share one random number"),
    range_property<&NoiseSettings::range> (),
};

/* The values that a plane's noise depends on. */
struct Noisy {
  bool gpu;
  NoiseType type;
  int depth, sample_bytes, samples_per_pixel, row_step, first_row;
  bool image;

  int number_bits () const { return noise_number_bits (type, depth); }
  /** Rows of one call of the generator. */
  int band () const { return std::max (1, 128 / number_bits () / row_step); }
  /** Samples of a word; whole pixels of up to 4 samples. */
  int word_samples () const { return samples_per_pixel == 4 ? 4 : 4 / sample_bytes; }
};

/* Samples that an item writes in the rows of a call, and rows of a work-group; the first entry that applies is used. */
constexpr struct {
  bool (*applies) (const Noisy &);
  int words, local_y;
} forms[] = {
    {[] (const Noisy &noisy) { return !noisy.gpu; }, 0, 1},
    {[] (const Noisy &noisy) {
       return noisy.sample_bytes == 1 && noisy.type != NoiseType::salt_pepper && noisy.band () > 1 && !noisy.image;
     },
        2, 4},
    {[] (const Noisy &) { return true; }, 1, 8},
};

KernelSpec
kernel_of (const Noisy &noisy)
{
  const auto &form = *std::ranges::find_if (forms, [&] (const auto &each) { return each.applies (noisy); });
  return {.sources = {"lib/point.clh", "shared/philox.clh", "noise/noise.cl"},
      .function = "noise",
      .options = {{"GAUSSIAN", noisy.type == NoiseType::gaussian}, {"UNIFORM", noisy.type == NoiseType::uniform},
          {"SALT_PEPPER", noisy.type == NoiseType::salt_pepper}, {"SPECKLE", noisy.type == NoiseType::speckle},
          {"ROW_STEP", noisy.row_step}, {"FIRST_ROW", noisy.first_row}},
      .item_samples = std::max (1, form.words * noisy.word_samples ()),
      .item_rows = noisy.band (),
      .local_x = 32,
      .local_y = form.local_y,
      .any_pixel = noisy.samples_per_pixel != 3,
      .joins_chroma = true,
      .tunable = {.local = true}};
}

class Noise : public With<NoiseSettings> {
public:
  Noise () { algorithm = "philox"; }

  /* a pixel is salt or pepper as a whole */
  void changed () override { shared = settings.mono || settings.type == NoiseType::salt_pepper; }

  void begin_frame (Runner &runner, const FrameInfo &info) override
  {
    number = settings.temporal ? info.number : 0;
    range = black_and_white (info.video, runner.format (), settings.range);
  }

  Plan plan (Runner &runner, const PlaneTask &task) override
  {
    const PlaneLayout &layout = *task.src.layout;
    const Noisy noisy{.gpu = runner.backend () == Backend::gpu,
        .type = settings.type,
        .depth = runner.format ().depth,
        .sample_bytes = runner.format ().sample_size (),
        .samples_per_pixel = layout.samples_per_pixel,
        .row_step = (shared ? 1 << layout.subsample_y : 1) * task.n_fields,
        .first_row = task.field,
        .image = task.src.image || task.dst.image};
    const cl_uint4 key{{settings.seed, cl_uint (number), cl_uint (number >> 32), component_bytes (task)}};
    const BlackWhite ends = on_plane (range, runner.format (), task.plane);
    const double full_scale = settings.type == NoiseType::speckle ? 1 : ends.white - ends.black;
    KernelSpec kernel = kernel_of (noisy);
    kernel.options += byte_options (runner);
    Launch launch (std::move (kernel),
        {key, cl_int (shared ? layout.subsample_x : 0), cl_float (settings.strength * full_scale),
            noise_limit (settings.strength), cl_int2{{ends.black, ends.white}}, normal_table (runner, noisy.number_bits ())});
    Launches launches;
    for (const Rect &part : bands (runner, task.region, noisy.band ())) {
      launch.patch = Patch::of (task, part);
      launches.push_back (launch);
    }
    return {"", std::move (launches)};
  }

  Abilities abilities (const Runner &) const override { return {.images = true}; }

private:
  /* Constant during a stream, so it is written once. */
  const ::cl::Buffer &normal_table (Runner &runner, int bits)
  {
    const ScratchName name{"normal", bits};
    if (table_bits == bits)
      return *table;
    table_bits = bits;
    table = runner.backend () == Backend::cpu ? &runner.memory.table (name, noise_packed_segments (bits))
                                              : &runner.memory.table (name, noise_linear_segments (bits));
    return *table;
  }

  /* The component of each sample of a pixel, one byte each; 0xff if it is copied. */
  cl_uint component_bytes (const PlaneTask &task) const
  {
    cl_uint bytes = 0;
    for (int i = 0; i < 4; i++) {
      const int component = task.src.layout->components[i];
      const bool filtered = component != padding && (task.components >> component & 1);
      bytes |= cl_uint (!filtered ? 0xff : shared ? 0 : component) << (8 * i);
    }
    return bytes;
  }

  /* A call of the generator covers rows from a multiple of band on, and each work item has exactly these rows. */
  static std::vector<Rect> bands (const Runner &runner, const Rect &region, int band)
  {
    const int end = region.y + region.height, first = std::min ((region.y + band - 1) / band * band, end);
    /* the gpu form itself skips rows after the region */
    const int last = runner.backend () == Backend::gpu ? end : std::max (first, end / band * band);
    std::vector<Rect> parts;
    for (const auto &[top, bottom] : {std::pair (region.y, first), {first, last}, {last, end}})
      if (bottom > top)
        parts.push_back ({region.x, top, region.width, bottom - top});
    return parts;
  }

  bool shared = false;
  guint64 number = 0;
  BlackWhite range{};
  int table_bits = 0;
  const ::cl::Buffer *table = nullptr;
};

const FilterDescription description{
    .long_name = "OpenCL noise",
    .description = "Adds gaussian, uniform, salt-and-pepper or speckle noise",
    .properties = properties,
    .operation = operation_type<Noise> (),
    .neutral = of_settings<[] (const NoiseSettings &settings) { return settings.strength == 0; }>,
    .reach = of_settings<[] (const NoiseSettings &settings) { return FrameReach{.counts = settings.temporal}; }>,
};

GST_CL_DEFINE_FILTER (GstClNoise, gst_cl_noise, clnoise, description)

}  // namespace gst::cl::clnoise

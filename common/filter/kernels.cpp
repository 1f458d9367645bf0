/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/kernels.hpp"

#include "core/arithmetic.hpp"
#include "core/sources.hpp"

#include <algorithm>
#include <cstring>

namespace gst::cl {

namespace {

/* Compares characters, because equal literals may have different addresses. */
int
compare (const char *a, const char *b)
{
  return a == b ? 0 : std::strcmp (a ? a : "", b ? b : "");
}

int
compare (const Option &a, const Option &b)
{
  if (const int order = compare (a.name, b.name))
    return order;
  if (a.nth != b.nth)
    return a.nth < b.nth ? -1 : 1;
  if (a.number != b.number)
    return a.number < b.number ? -1 : 1;
  return compare (a.word, b.word);
}

template <typename T>
int
compare (const std::vector<T> &a, const std::vector<T> &b)
{
  for (size_t i = 0; i < std::min (a.size (), b.size ()); i++)
    if (const int order = compare (a[i], b[i]))
      return order;
  return int (a.size ()) - int (b.size ());
}

}  // namespace

std::string
text_of (const Options &options)
{
  std::string text;
  for (const Option &option : options) {
    text += (*option.name == '-' ? " " : " -D") + std::string (option.name);
    if (option.nth != Option::only)
      text += std::to_string (option.nth);
    text += '=' + (option.word ? option.word : std::to_string (option.number));
  }
  return text;
}

bool
Kernels::Order::before (const KernelSpec &a, const Variant &of_a, const KernelSpec &b, const Variant &of_b)
{
  if (const int order = compare (a.function, b.function))
    return order < 0;
  if (const auto order = of_a <=> of_b; order != 0)
    return order < 0;
  if (const int order = compare (a.options, b.options))
    return order < 0;
  return compare (a.sources, b.sources) < 0;
}

Kernels::Kernels (Context &context_, const Format &format_, Backend backend)
    : interleaved_chroma (
        format_.n_planes == 2 && format_.planes[0].samples_per_pixel == 1 && format_.planes[1].samples_per_pixel == 2),
      context (context_), format (format_), cpu (backend == Backend::cpu), tuning (Tuning::of (context.device))
{
}

Kernels::Variant
Kernels::variant_for (const KernelSpec &spec, const Shape &shape, const Patch &patch, int samples_per_pixel) const
{
  const auto aligned = [&] (int bytes) {
    const int unit = bytes / format.sample_size ();
    return (patch.src_image || (patch.src_offset % unit == 0 && patch.src_stride % unit == 0))
           && (patch.dst_image || (patch.dst_offset % unit == 0 && patch.dst_stride % unit == 0));
  };
  const bool any_word = interleaved_chroma && spec.joins_chroma && !patch.src_image && !patch.dst_image && patch.part < 0;
  if (cpu ? spec.any_pixel : any_word)
    samples_per_pixel = 0;
  const int samples = shape.item_samples ? shape.item_samples : spec.item_samples;
  const int rows = shape.item_rows ? shape.item_rows : spec.item_rows;
  /* images are written in whole pixels */
  const int item_samples = patch.dst_image ? int (round_up (samples, samples_per_pixel)) : samples;
  return {samples_per_pixel, cpu && patch.width < item_samples ? 1 : item_samples, cpu && patch.height < rows ? 1 : rows,
      cpu            ? 0
      : aligned (16) ? 16
      : aligned (4)  ? 4
                     : 0,
      patch.src_image, patch.src_split, patch.dst_image, patch.dst_split, spec.moves_samples ? -1 : patch.part,
      !spec.moves_samples && patch.neutral_beside};
}

Kernels::Wanted
Kernels::want (const KernelSpec &spec, const Patch &patch, int samples_per_pixel) const
{
  return {spec, patch, variant_for (spec, {}, patch, samples_per_pixel)};
}

/* Readable: begins with the file and the function. */
std::string
Kernels::Wanted::name () const
{
  std::string name = std::string (spec.sources.back ()) + ' ' + spec.function + ' ' + text_of (spec.options) + ' ';
  for (int number : {usual.samples_per_pixel, usual.item_samples, usual.item_rows, usual.aligned, int (usual.src_image),
           int (usual.src_split), int (usual.dst_image), int (usual.dst_split), usual.part, int (usual.neutral_beside)})
    name += std::to_string (number) + ' ';
  return name;
}

ProgramSpec
Kernels::program_spec (const KernelSpec &spec, const Variant &variant) const
{
  ProgramSpec program;
  if (context.device.has_extension ("cl_intel_vec_len_hint"))
    program.sources.push_back ("lib/narrow.clh");
  for (const char *each : {"lib/sample.clh", "lib/border.clh", "lib/plane.clh"})
    program.sources.push_back (each);
  if (variant.src_image || variant.dst_image)
    program.sources.push_back ("lib/image.clh");
  program.sources.push_back ("lib/lanes.clh");
  program.sources.insert (program.sources.end (), spec.steps.begin (), spec.steps.end ());
  for (const char *each : {"lib/gpu.clh", "lib/load.clh", "lib/store.clh"})
    program.sources.push_back (each);
  std::ranges::copy_if (spec.sources, std::back_inserter (program.sources),
      [&] (const char *each) { return std::ranges::find (spec.steps, std::string_view (each)) == spec.steps.end (); });
  Options options;
  const auto define = [&options] (const char *name, int value) { options.emplace_back (name, value); };
  define ("BACKEND_CPU", cpu);
  define ("BACKEND_GPU", !cpu);
  define ("SAMPLE_BITS", format.sample_bits);
  define ("DEPTH", spec.moves_samples ? format.sample_bits : format.depth);
  define ("SHIFT", spec.moves_samples ? 0 : std::max (format.shift, variant.part));
  define ("DOUBLES", context.device.has_extension ("cl_khr_fp64"));
  const bool any_pixel = variant.samples_per_pixel == 0;
  define ("ANY_PIXEL", any_pixel);
  if (!any_pixel)
    define ("NC", variant.samples_per_pixel);
  define ("ITEM_SAMPLES", variant.item_samples);
  define ("ITEM_ROWS", variant.item_rows);
  define ("ALIGNED", variant.aligned);
  if (variant.src_image || variant.dst_image)
    for (const auto &[name, set] : {std::pair ("SRC_IMAGE", variant.src_image), {"SRC_SPLIT", variant.src_split},
             {"DST_IMAGE", variant.dst_image}, {"DST_SPLIT", variant.dst_split}})
      define (name, set);
  define ("IN_WORDS", variant.part >= 0);
  define ("NEUTRAL_BESIDE", variant.neutral_beside);
  program.options = text_of (options + spec.options);
  return program;
}

ProgramSpec
Kernels::program_spec (const Wanted &wanted, const Shape &shape) const
{
  return program_spec (wanted.spec, variant_for (wanted.spec, shape, wanted.patch, wanted.usual.samples_per_pixel));
}

ProgramSpec
Kernels::program_of (const KernelSpec &spec, const Patch &patch, int samples_per_pixel, bool untuned)
{
  const Wanted wanted = want (spec, patch, samples_per_pixel);
  return program_spec (wanted, choice_for (wanted, untuned).shape);
}

/* A kernel with many registers may not support a group size that the device supports. */
PreparedKernel &
Kernels::add (const Wanted &wanted, const Choice &choice, const ProgramSpec &program, const ProgramRef &built)
{
  const char *function = wanted.spec.function;
  PreparedKernel prepared{built, ::cl::Kernel (*built, function), choice.shape, choice.tuning_name};
  context.open->compiler.note (program, function);
  Shape &shape = prepared.shape;
  if (shape.local_x
      && size_t (shape.local_x) * shape.local_y
             > prepared.kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE> (context.device.handle))
    shape.local_x = shape.local_y = 0;
  return kernels.emplace (Key (wanted.spec, wanted.usual), std::move (prepared)).first->second;
}

PreparedKernel *
Kernels::get (const KernelSpec &spec, const Patch &patch, int samples_per_pixel, bool untuned, bool waits)
{
  const Wanted wanted = want (spec, patch, samples_per_pixel);
  if (const auto known = kernels.find (Key (spec, wanted.usual)); known != kernels.end ())
    return &known->second;
  const Choice &choice = choice_for (wanted, untuned);
  if (tuning->observer && !choice.tuning_name.empty ())
    build_candidates (wanted, axes_of (context.device, spec, cpu, patch.src_image || patch.dst_image));
  const ProgramSpec program = program_spec (wanted, choice.shape);
  const ProgramRef built = waits ? context.programs.get (program, builds) : context.programs.try_get (program, builds);
  return built ? &add (wanted, choice, program, built) : nullptr;
}

int
Kernels::most_rows (const KernelSpec &spec, const PlaneTask &task)
{
  const int rows = std::max (spec.item_rows, spec.strip_rows);
  if (spec.tunable.rows.empty ())
    return rows;
  const Patch patch = Patch::of (task);
  return std::max (rows, choice_for (want (spec, patch, task.samples_per_pixel ())).shape.item_rows);
}

WorkSize
Kernels::size_of (const PreparedKernel &prepared, const KernelSpec &spec, const Patch &patch, int samples_per_pixel) const
{
  const Shape &shape = prepared.shape;
  const Variant v = variant_for (spec, shape, patch, samples_per_pixel);
  const size_t rows = divide_up (patch.height, spec.strip_rows ? spec.strip_rows : v.item_rows);
  if (spec.jobs) {
    const size_t items = cpu ? 1 : spec.job_items;
    return {{spec.jobs * items, 1}, {items, 1}};
  }
  if (cpu)
    return {{spec.strip_samples ? size_t (divide_up (patch.width, spec.strip_samples)) : 1, rows}, {1, 1}};
  const size_t local_x = shape.local_x ? shape.local_x : spec.local_x;
  const size_t local_y = shape.local_y ? shape.local_y : spec.local_y;
  /* the grid of items starts at the plane's origin, so a region that begins inside an item needs one more */
  const size_t columns = divide_up (patch.x + patch.width, v.item_samples) - patch.x / v.item_samples;
  return {{round_up (columns, local_x), round_up (rows, local_y)}, {local_x, local_y}};
}

namespace {

/* Enough digits to distinguish versions of a kernel. */
constexpr size_t checksum_digits = 16;

std::string
checksum_of (const std::vector<std::string> &sources)
{
  const std::string text = join_sources (sources);
  g_autofree gchar *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text.c_str (), gssize (text.size ()));
  return std::string (sum).substr (0, checksum_digits);
}

/* Values of the table replace shipped values. */
void
override_with (Shape &shape, const Shape &tuned)
{
  if (tuned.local_x) {
    shape.local_x = tuned.local_x;
    shape.local_y = tuned.local_y;
  }
  for (int Shape::*member : {&Shape::item_samples, &Shape::item_rows})
    if (tuned.*member)
      shape.*member = tuned.*member;
}

}  // namespace

/* The kernel and the properties that distinguish its programs, then the format class. */
std::string
Kernels::tuning_name (const std::string &kernel) const
{
  return kernel + (cpu ? "cpu" : "gpu") + " bits " + std::to_string (format.sample_bits) + " depth "
         + std::to_string (format.depth) + " shift " + std::to_string (format.shift);
}

Kernels::Choice
Kernels::choose_shape (const Wanted &wanted) const
{
  const KernelSpec &spec = wanted.spec;
  const Variant &usual = wanted.usual;
  Choice choice{cpu ? Shape () : shipped_shape (context.device, spec), ""};
  LaunchObserver *const observer = tuning->observer;
  /* parts smaller than an item have their own program, which is not worth tuning */
  if ((!observer && tuning->empty ()) || usual.item_rows != spec.item_rows)
    return choice;
  const Axes axes = axes_of (context.device, spec, cpu, usual.src_image || usual.dst_image);
  if (axes.empty ())
    return choice;
  choice.tuning_name = tuning_name (wanted.name ());
  const std::string source = checksum_of (program_spec (spec, usual).sources);
  const std::optional<Shape> tuned = tuning->find (choice.tuning_name, source, axes);
  if (tuned)
    override_with (choice.shape, *tuned);
  if (observer)
    observer->met (choice.tuning_name, source, axes, tuned.value_or (Shape ()));
  return choice;
}

const Kernels::Choice &
Kernels::choice_for (const Wanted &wanted, bool untuned)
{
  static const Choice as_specified;
  if (untuned)
    return as_specified;
  const Key key (wanted.spec, wanted.usual);
  const auto found = choices.find (key);
  return found != choices.end () ? found->second : choices.emplace (key, choose_shape (wanted)).first->second;
}

/* Builds in parallel the programs that the search needs next, which takes a fraction of the time. CPU compilers build one after
 * another and would delay the stream. */
void
Kernels::build_candidates (const Wanted &wanted, const Axes &axes)
{
  if (context.device.type & CL_DEVICE_TYPE_CPU)
    return;
  for (const Shape &shape : axes.items ())
    context.programs.prepare (program_spec (wanted, shape));
}

int
Kernels::choose (const char *name, int of, int usual, std::span<const int> values) const
{
  LaunchObserver *const observer = tuning->observer;
  if (!observer && tuning->empty ())
    return usual;
  const auto [number, is_new] = numbers.try_emplace ({name, of, usual}, usual);
  if (!is_new)
    return number->second;
  const std::string key =
      tuning_name (std::string (name) + ' ' + std::to_string (of) + " usual " + std::to_string (usual) + ' ');
  Axes axes;
  for (int value : values)
    if (value != usual)
      axes.values.push_back (value);
  const std::optional<Shape> tuned = tuning->find (key, "", axes);
  if (tuned && tuned->value)
    number->second = tuned->value;
  if (observer)
    observer->met (key, "", axes, tuned.value_or (Shape ()));
  return number->second;
}

void
Kernels::observe (const PreparedKernel &prepared, const ::cl::Event &event) const
{
  if (LaunchObserver *observer = tuning->observer)
    observer->launched (prepared.tuning_name, event);
}

}  // namespace gst::cl

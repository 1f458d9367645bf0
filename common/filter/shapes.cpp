/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses a kernel's shape from the device's tuning table. */
#include "filter/kernels.hpp"

#include "core/sources.hpp"

namespace gst::cl {

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
